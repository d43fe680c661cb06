/* Knowledge of the past: vector clocks over the actors of all CTAs of a machine. Vectors of CTAs that nothing is known
 * of do not exist, since most CTAs never hear of each other. */
#include <string.h>

#include "simulator/state.h"

void cake_sim_knowledge_init(cake_sim_machine *machine, cake_sim_knowledge *knowledge) {
    knowledge->order.heard = CAKE_NEW_ARRAY(machine->arena, uint32_t *, machine->cta_count);
    knowledge->fenced.heard = CAKE_NEW_ARRAY(machine->arena, uint32_t *, machine->cta_count);
}

uint32_t cake_sim_heard(const cake_sim_clock *clock, uint32_t cta, uint32_t actor) {
    return clock->heard[cta] ? clock->heard[cta][actor] : 0;
}

void cake_sim_hear(cake_sim_machine *machine, cake_sim_clock *clock, uint32_t cta, uint32_t actor, uint32_t value) {
    if (!clock->heard[cta]) clock->heard[cta] = CAKE_NEW_ARRAY(machine->arena, uint32_t, machine->actors.count);
    if (clock->heard[cta][actor] < value) clock->heard[cta][actor] = value;
}

static void join(cake_sim_machine *machine, cake_sim_clock *to, const cake_sim_clock *from) {
    uint32_t actors = machine->actors.count;
    for (uint32_t cta = 0; cta < machine->cta_count; cta++) {
        const uint32_t *theirs = from->heard[cta];
        if (!theirs) continue;
        if (!to->heard[cta]) to->heard[cta] = CAKE_NEW_ARRAY(machine->arena, uint32_t, actors);
        uint32_t *ours = to->heard[cta];
        for (uint32_t i = 0; i < actors; i++)
            ours[i] = ours[i] < theirs[i] ? theirs[i] : ours[i];
    }
}

void cake_sim_learn(cake_sim_machine *machine, cake_sim_knowledge *to, const cake_sim_knowledge *from) {
    join(machine, &to->order, &from->order);
    join(machine, &to->fenced, &from->fenced);
}
