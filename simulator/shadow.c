/* Who touched memory last, and whether that comes before.
 *
 * A cell knows its last write and the reads since. A new access must come after the last write, a new write also after
 * those reads. 'Comes after' is asked of what the accessor knows (state.h); lanes of a warp between two syncs are
 * ordered only each with itself. Between a generic and an asynchronous access the fence is asked for too: a race where
 * order is missing, else a missing fence.
 *
 * Neighbouring cells mostly have the same past, so answers are kept for the next cell.
 */
#include <string.h>

#include "simulator/state.h"

cake_sim_record *cake_sim_record_of(const cake_sim_history *history, uint32_t tag) {
    uint32_t number = tag >> CAKE_SIM_LANE_BITS;
    return &history->chunks.items[number / CAKE_SIM_CHUNK][number % CAKE_SIM_CHUNK];
}

static uint32_t add_record(cake_sim_history *history) {
    uint32_t number = history->record_count++;
    if (number > CAKE_SIM_RECORD_LIMIT) longjmp(*history->arena->out_of_memory, 1);
    if (number % CAKE_SIM_CHUNK == 0)
        *CAKE_PUSH(history->arena, &history->chunks) = CAKE_NEW_ARRAY(history->arena, cake_sim_record, CAKE_SIM_CHUNK);
    return number;
}

/* The values of the loops around the operation, outermost first. */
static void note_loops(cake_sim_warp *warp, cake_sim_history *history, cake_sim_record *record) {
    record->loops = history->loops.count;
    for (uint32_t i = 1; i < warp->depth; i++) {
        if (warp->frames[i].owner->kind != CAKE_PLAN_FOR) continue;
        *CAKE_PUSH(history->arena, &history->loops) = warp->frames[i].value;
        record->loop_count++;
    }
}

cake_sim_touch cake_sim_touch_begin_for(cake_sim_warp *warp, const cake_plan_op *op, cake_sim_shadow *shadow,
                                        const cake_plan_place *place, uint32_t flags, uint32_t cta, uint32_t actor,
                                        uint32_t clock) {
    cake_sim_launch *launch = cake_sim_launch_of(warp);
    cake_sim_history *history = launch->history;
    cake_sim_touch touch = {.warp = warp,
                            .op = op,
                            .shadow = shadow,
                            .knows = &warp->knows,
                            .record = add_record(history),
                            .flags = flags,
                            .place = place,
                            .list_before = UINT32_MAX};
    cake_sim_record *record = cake_sim_record_of(history, touch.record << CAKE_SIM_LANE_BITS);
    *record = (cake_sim_record){.op = op,
                                .plan = launch->plan,
                                .wave = launch->wave,
                                .kernel = launch->kernel_number,
                                .cta = cta,
                                .cta_number = warp->team->cta->number,
                                .actor = actor,
                                .clock = clock,
                                .fences = warp->fences,
                                .elected_clock = warp->elected_clock,
                                .warp = (uint16_t)warp->number,
                                .flags = (uint8_t)flags};
    note_loops(warp, history, record);
    return touch;
}

cake_sim_touch cake_sim_touch_begin(cake_sim_warp *warp, const cake_plan_op *op, cake_sim_shadow *shadow,
                                    const cake_plan_place *place, uint32_t flags) {
    return cake_sim_touch_begin_for(warp, op, shadow, place, flags, warp->team->cta->index,
                                    cake_sim_machine_of(warp)->actors.warps + warp->number, warp->clock);
}

/* ---- order ---- */

typedef enum precedence { UNORDERED, ORDERED_FOR_LANE, ORDERED, UNFENCED } precedence;

/* Of earlier kernels of the program: those that overlap are over only for who has heard of it. */
static precedence after_kernel(const cake_sim_touch *touch) {
    cake_sim_machine *machine = cake_sim_machine_of(touch->warp);
    if (!machine->launch->overlapped) return ORDERED;
    uint32_t cta = touch->warp->team->cta->index;
    return cake_sim_heard(&touch->knows->order, cta, machine->actors.grid) ? ORDERED : UNORDERED;
}

/* Accesses of the warp itself since its last sync: of the same lane they are in order. */
static precedence in_own_warp(uint32_t earlier, uint32_t lane) {
    uint32_t other = earlier & ((1u << CAKE_SIM_LANE_BITS) - 1);
    return other == lane && lane != CAKE_SIM_ALL_LANES ? ORDERED_FOR_LANE : UNORDERED;
}

static bool is_heard(const cake_sim_touch *touch, const cake_sim_record *record, uint32_t earlier) {
    const cake_sim_actors *actors = &cake_sim_machine_of(touch->warp)->actors;
    const cake_sim_clock *order = &touch->knows->order;
    if (cake_sim_heard(order, record->cta, record->actor) >= record->clock) return true;
    bool first_lane = (earlier & ((1u << CAKE_SIM_LANE_BITS) - 1)) == 0;
    return first_lane && record->actor < actors->elected &&
           cake_sim_heard(order, record->cta, actors->elected + record->warp) > record->elected_clock;
}

/* Both proxies: the earlier access was generic, and the asynchronous proxy must see that it happened. */
static bool is_fenced(const cake_sim_touch *touch, const cake_sim_record *record) {
    uint32_t heard = cake_sim_heard(&touch->knows->fenced, record->cta, record->actor);
    return record->flags & CAKE_SIM_CP_ASYNC ? heard >= record->clock : heard > record->fences;
}

/* Both atomic, through one proxy, each within the other's scope. */
static bool are_atomic_together(const cake_sim_touch *touch, const cake_sim_record *record) {
    if (!(record->flags & touch->flags & CAKE_SIM_ATOMIC) || (record->flags ^ touch->flags) & CAKE_SIM_ASYNC)
        return false;
    return !((record->flags | touch->flags) & CAKE_SIM_CTA_SCOPE) ||
           record->cta_number == touch->warp->team->cta->number;
}

static precedence relate(const cake_sim_touch *touch, const cake_sim_record *record, uint32_t earlier, uint32_t lane) {
    cake_sim_launch *launch = cake_sim_launch_of(touch->warp);
    if (record->kernel != launch->kernel_number) return after_kernel(touch);
    if (are_atomic_together(touch, record)) return ORDERED;
    if (record->wave != launch->wave) return UNORDERED;
    const cake_sim_warp *warp = touch->warp;
    bool own = record->cta == warp->team->cta->index && record->actor == warp->number; /* warps come first */
    precedence result = UNORDERED;
    if (own && record->clock == warp->clock) result = in_own_warp(earlier, lane);
    if ((own && record->clock < warp->clock) || (result == UNORDERED && is_heard(touch, record, earlier)))
        result = ORDERED;
    bool crosses = touch->flags & CAKE_SIM_ASYNC && !(record->flags & CAKE_SIM_ASYNC);
    if (result != UNORDERED && crosses && touch->shadow->cta && !is_fenced(touch, record)) return UNFENCED;
    return result;
}

/* ---- findings ---- */

static const char *memory_name(const cake_sim_touch *touch) {
    return touch->place->buffer ? touch->place->buffer->name : touch->place->tensor->name;
}

/* The element of a tensor: its coordinates; of shared memory the buffer's name says enough. */
static void describe_cell(const cake_sim_touch *touch, uint64_t cell, cake_text *out) {
    const cake_plan_tensor *tensor = touch->shadow->tensor;
    cake_text_format(out, "'%s'", tensor ? tensor->name : memory_name(touch));
    if (!tensor || !tensor->contiguous || !tensor->rank) return;
    for (uint8_t d = 0; d < tensor->rank; d++) {
        int64_t distance = cake_sim_integer(touch->warp, tensor->strides[d]);
        uint64_t stride = distance > 0 ? (uint64_t)distance : 1;
        cake_text_format(out, "%s%llu", d ? ", " : "[", (unsigned long long)(cell / stride));
        cell %= stride;
    }
    cake_text_add_string(out, "]");
}

static const char *kind_of(uint32_t flags) {
    if (flags & CAKE_SIM_ATOMIC) return flags & CAKE_SIM_ASYNC ? "reduced by a copy" : "changed atomically";
    if (flags & CAKE_SIM_WRITES) return flags & CAKE_SIM_ASYNC ? "written by a copy" : "written";
    return flags & CAKE_SIM_ASYNC ? "read by an asynchronous unit" : "read";
}

static void note_earlier(const cake_sim_touch *touch, cake_diagnostic *diagnostic, uint32_t earlier) {
    cake_sim_launch *launch = cake_sim_launch_of(touch->warp);
    const cake_sim_record *record = cake_sim_record_of(launch->history, earlier);
    uint32_t lane = earlier & ((1u << CAKE_SIM_LANE_BITS) - 1);
    cake_text who;
    cake_text_init(&who, launch->arena);
    cake_sim_describe_warp(record->plan, record->warp, record->cta_number, &who);
    if (lane < CAKE_SIM_LANES && !(record->flags & CAKE_SIM_ASYNC)) cake_text_format(&who, ", lane %u", lane);
    if (record->kernel != launch->kernel_number)
        cake_text_format(&who, ", of kernel '%s' before this one", record->plan->kernel->name);
    cake_diagnostic_note(launch->diagnostics, diagnostic, record->op->span, "%s here, by %s", kind_of(record->flags),
                         cake_text_string(&who));
}

static void report_pair(const cake_sim_touch *touch, uint64_t cell, uint32_t earlier, precedence relation) {
    cake_sim_launch *launch = cake_sim_launch_of(touch->warp);
    const cake_sim_record *record = cake_sim_record_of(launch->history, earlier);
    cake_text what;
    cake_text_init(&what, launch->arena);
    describe_cell(touch, cell, &what);
    bool mixed = (record->flags ^ touch->flags) & CAKE_SIM_ATOMIC && record->kernel == launch->kernel_number &&
                 record->op != touch->op;
    cake_diagnostic *d;
    if (relation == UNFENCED)
        d = cake_sim_fault(touch->warp, touch->op, CAKE_S104, "%s is %s before the other proxy's access is fenced",
                           cake_text_string(&what), kind_of(touch->flags));
    else if (mixed && touch->shadow->tensor)
        d = cake_sim_fault(touch->warp, touch->op, CAKE_S115, "%s is %s while others work on it in another way",
                           cake_text_string(&what), kind_of(touch->flags));
    else
        d = cake_sim_fault(touch->warp, touch->op, CAKE_S103, "%s is %s without order to another access",
                           cake_text_string(&what), kind_of(touch->flags));
    cake_sim_note_race(launch, record->op);
    if (d) note_earlier(touch, d, earlier);
}

static void report_unwritten(const cake_sim_touch *touch, uint64_t cell) {
    cake_text what;
    cake_text_init(&what, cake_sim_launch_of(touch->warp)->arena);
    describe_cell(touch, cell, &what);
    cake_diagnostic *d =
        cake_sim_fault(touch->warp, touch->op, CAKE_S102, "%s is read, and nobody wrote it", cake_text_string(&what));
    cake_span declared = touch->place->buffer ? touch->place->buffer->span : touch->place->tensor->span;
    if (d) cake_diagnostic_note(cake_sim_launch_of(touch->warp)->diagnostics, d, declared, "declared here");
}

/* ---- cells ---- */

/* Sees that the access with tag 'earlier' comes before. True if it does for every lane. */
static bool follow(cake_sim_touch *touch, uint64_t cell, uint32_t earlier, uint32_t lane) {
    if (earlier == touch->ordered) return true;
    const cake_sim_history *history = cake_sim_launch_of(touch->warp)->history;
    precedence relation = relate(touch, cake_sim_record_of(history, earlier), earlier, lane);
    if (relation == ORDERED) touch->ordered = earlier;
    if (relation == UNORDERED || relation == UNFENCED) report_pair(touch, cell, earlier, relation);
    return relation == ORDERED;
}

static uint32_t add_reader(cake_sim_history *history, uint32_t tag, uint32_t next) {
    if (!history->readers.count) (void)CAKE_PUSH(history->arena, &history->readers); /* 0 is none */
    *CAKE_PUSH(history->arena, &history->readers) = (cake_sim_reader){tag, next};
    return history->readers.count - 1;
}

/* The list with this read in it, in the place of earlier ones of the same actor, which it follows. */
static uint32_t with_reader(cake_sim_history *history, uint32_t list, uint32_t tag) {
    const cake_sim_record *mine = cake_sim_record_of(history, tag);
    uint32_t lane = tag & ((1u << CAKE_SIM_LANE_BITS) - 1), result = 0;
    for (uint32_t at = list; at; at = history->readers.items[at].next) {
        uint32_t other = history->readers.items[at].tag, other_lane = other & ((1u << CAKE_SIM_LANE_BITS) - 1);
        const cake_sim_record *theirs = cake_sim_record_of(history, other);
        bool same_actor = theirs->actor == mine->actor && theirs->cta == mine->cta && theirs->wave == mine->wave &&
                          theirs->kernel == mine->kernel;
        if (!same_actor) {
            result = add_reader(history, other, result);
            continue;
        }
        if (theirs->clock == mine->clock && other_lane != lane) lane = CAKE_SIM_ALL_LANES;
    }
    return add_reader(history, (tag & ~((1u << CAKE_SIM_LANE_BITS) - 1)) | lane, result);
}

static void read_cell(cake_sim_touch *touch, uint64_t cell, uint32_t lane) {
    cake_sim_shadow *shadow = touch->shadow;
    cake_sim_history *history = cake_sim_launch_of(touch->warp)->history;
    uint32_t write = shadow->writes[cell], list = shadow->readers[cell];
    uint32_t tag = touch->record << CAKE_SIM_LANE_BITS | lane;
    if (!write)
        report_unwritten(touch, cell);
    else if (write != CAKE_SIM_INITIAL_WRITE)
        (void)follow(touch, cell, write, lane);
    if (list != touch->list_before || tag != touch->list_tag) {
        touch->list_before = list;
        touch->list_tag = tag;
        touch->list_after = with_reader(history, list, tag);
    }
    shadow->readers[cell] = touch->list_after;
}

static void write_cell(cake_sim_touch *touch, uint64_t cell, uint32_t lane) {
    cake_sim_shadow *shadow = touch->shadow;
    const cake_sim_history *history = cake_sim_launch_of(touch->warp)->history;
    uint32_t write = shadow->writes[cell], list = shadow->readers[cell];
    if (write && write != CAKE_SIM_INITIAL_WRITE) (void)follow(touch, cell, write, lane);
    if (list && list != touch->clear_list) {
        bool clear = true;
        for (uint32_t at = list; at; at = history->readers.items[at].next)
            clear &= follow(touch, cell, history->readers.items[at].tag, lane);
        if (clear) touch->clear_list = list;
    }
    shadow->writes[cell] = touch->record << CAKE_SIM_LANE_BITS | lane;
    shadow->readers[cell] = 0;
}

void cake_sim_touch_cells(cake_sim_touch *touch, uint64_t first, uint64_t count, uint32_t lane) {
    CAKE_ASSERT(first + count <= touch->shadow->cells);
    bool writes = touch->flags & CAKE_SIM_WRITES;
    for (uint64_t cell = first; cell < first + count; cell++) {
        if (writes)
            write_cell(touch, cell, lane);
        else
            read_cell(touch, cell, lane);
    }
}
