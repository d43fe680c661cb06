/* Orders that are gone through one by one, depth first: the choices of the last run, of which the next changes the last
 * that has an alternative left. */
#include "simulator/state.h"

void cake_sim_choices_init(cake_sim_choices *choices, cake_arena *arena) {
    *choices = (cake_sim_choices){.arena = arena};
}

bool cake_sim_choices_next(cake_sim_choices *choices) {
    choices->at = 0;
    while (choices->made.count) {
        cake_sim_choice *last = &choices->made.items[choices->made.count - 1];
        if (++last->chosen < last->count) return true;
        choices->made.count--;
    }
    return false;
}

uint32_t cake_sim_choose(cake_sim_choices *choices, uint32_t count) {
    if (count == 1) return 0;
    if (choices->at == choices->made.count)
        *CAKE_PUSH(choices->arena, &choices->made) = (cake_sim_choice){.count = count};
    return choices->made.items[choices->at++].chosen;
}

/* Whether what the warp does next may give another result if others come first. */
bool cake_sim_must_choose(const cake_sim_warp *warp) {
    const cake_plan_op *next = warp->frames[warp->depth - 1].next;
    return next && (next->kind == CAKE_PLAN_ATOMIC || next->kind == CAKE_PLAN_AWAIT) && !warp->stage && !warp->part;
}
