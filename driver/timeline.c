#include "driver/timeline.h"

#include <inttypes.h>

#define UNITS 1000u /* thread of a warp's asynchronous work: this many above its own */

static bool is_known(cake_timeline *timeline, uint64_t thread) {
    for (uint32_t i = timeline->threads.count; i-- > 0;)
        if (timeline->threads.items[i] == thread) return true;
    *CAKE_PUSH(timeline->arena, &timeline->threads) = thread;
    return false;
}

/* Names a process and thread when they are first seen. */
static void name_thread(cake_timeline *timeline, const cake_sim_event *event, uint32_t thread) {
    if (is_known(timeline, (uint64_t)event->cta << 32 | thread)) return;
    const cake_plan_role *role = NULL;
    for (uint32_t i = 0; i < event->plan->roles.count; i++)
        if (event->warp >= event->plan->roles.items[i]->first_warp) role = event->plan->roles.items[i];
    uint32_t within = event->warp - role->first_warp;
    cake_text_format(&timeline->text,
                     "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":%u,\"args\":{\"name\":\"CTA %u\"}},\n"
                     "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":%u,\"tid\":%u,\"args\":{\"name\":\"%s[%u] warp "
                     "%u%s\"}},\n",
                     event->cta, event->cta, event->cta, thread, role->name, within / role->warps_per_team,
                     within % role->warps_per_team, thread >= UNITS ? ", asynchronous" : "");
}

/* Arithmetic is left out: there is much of it, and it waits for nobody. */
static bool is_shown(const cake_sim_event *event) {
    return event->kind == CAKE_SIM_EVENT_TASK || event->op->kind > CAKE_PLAN_READ || event->end > event->begin + 1;
}

static void add_event(void *context, const cake_sim_event *event) {
    cake_timeline *timeline = context;
    if (!is_shown(event)) return;
    if (timeline->events == CAKE_TIMELINE_MOST_EVENTS) {
        timeline->left_out++;
        return;
    }
    timeline->events++;
    uint32_t thread = event->warp + (event->kind == CAKE_SIM_EVENT_TASK ? UNITS : 0);
    name_thread(timeline, event, thread);
    const cake_source *source = event->plan->module->source;
    cake_text_format(&timeline->text,
                     "{\"ph\":\"X\",\"name\":\"%s\",\"pid\":%u,\"tid\":%u,\"ts\":%" PRIu64 ",\"dur\":%" PRIu64
                     ",\"args\":{\"line\":%u}},\n",
                     cake_plan_op_name(event->op->kind), event->cta, thread, event->begin,
                     event->end > event->begin ? event->end - event->begin : 1,
                     cake_source_position(source, event->op->span.begin).line);
}

void cake_timeline_init(cake_timeline *timeline, cake_arena *arena) {
    *timeline = (cake_timeline){.arena = arena, .observer = {timeline, add_event}};
    cake_text_init(&timeline->text, arena);
    cake_text_add_string(&timeline->text, "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n");
}

void cake_timeline_finish(cake_timeline *timeline) {
    cake_text_format(
        &timeline->text,
        "{\"ph\":\"M\",\"name\":\"process_labels\",\"pid\":0,\"args\":{\"labels\":\"%u events left out\"}}]}\n",
        timeline->left_out);
}
