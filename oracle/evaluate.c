/* The walk over trees: leaves, elements of tensors, lets. */
#include "oracle/evaluate.h"

#include <math.h>
#include <string.h>

#include "oracle/number.h"

#define LARGEST_INDEX 0x1p53

/* Costs beside one a lane, in lane operations: of a node, of a remembered value, of an element in a cache line of its
 * own. */
#define NODE_WORK     12
#define RECALL_WORK   8
#define MISS_WORK     8
#define CACHE_ENTRIES (UINT64_C(1) << 22) /* of all lets together */

/* ---- frames ---- */

cake_lanes cake_evaluator_frame(cake_evaluator *evaluator, uint32_t frame, uint32_t count) {
    CAKE_ASSERT(frame < evaluator->body->frames);
    double *value = evaluator->frames + (size_t)frame * 2 * CAKE_LANES;
    return (cake_lanes){value, value + CAKE_LANES, count, true};
}

void cake_lanes_widen(cake_lanes *lanes, uint32_t count) {
    if (lanes->count == count) return;
    for (uint32_t i = 1; i < count; i++)
        lanes->value[i] = lanes->value[0];
    if (!lanes->exact)
        for (uint32_t i = 1; i < count; i++)
            lanes->error[i] = lanes->error[0];
    lanes->count = count;
}

void cake_lanes_show_errors(cake_lanes *lanes) {
    if (!lanes->exact) return;
    memset(lanes->error, 0, lanes->count * sizeof *lanes->error);
    lanes->exact = false;
}

static cake_lanes uniform(cake_evaluator *evaluator, uint32_t frame, double value) {
    cake_lanes result = cake_evaluator_frame(evaluator, frame, 1);
    result.value[0] = value;
    return result;
}

void cake_evaluator_outside(cake_evaluator *evaluator, cake_span place) {
    evaluator->outside++;
    evaluator->outside_place = place;
}

static cake_lanes evaluate_variable(cake_evaluator *evaluator, uint32_t slot, uint32_t frame) {
    if (slot != evaluator->lane_slot) return uniform(evaluator, frame, (double)evaluator->slots[slot]);
    cake_lanes result = cake_evaluator_frame(evaluator, frame, evaluator->lanes);
    for (uint32_t i = 0; i < result.count; i++)
        result.value[i] = (double)(evaluator->slots[slot] + (int64_t)i);
    return result;
}

/* ---- indices ---- */

/* Where an access goes: offset 'base', plus 'step' per lane, plus what the frame holds where 'gather'. An index outside
 * makes an offset NaN. */
typedef struct element_address {
    double base, step;
    bool gather;
    cake_lanes offsets;
} element_address;

static bool is_lane_name(const cake_evaluator *evaluator, const cake_node *index) {
    return index->kind == CAKE_NODE_VARIABLE && index->number == evaluator->lane_slot;
}

static double checked(double index, int64_t extent, double stride) {
    return index >= 0 && index < (double)extent ? floor(index) * stride : (double)NAN;
}

static void address_gather(cake_evaluator *evaluator, element_address *address, const cake_lanes *index, int64_t extent,
                           double stride) {
    if (!address->gather)
        for (uint32_t i = 0; i < evaluator->lanes; i++)
            address->offsets.value[i] = 0;
    address->gather = true;
    address->offsets.count = evaluator->lanes;
    for (uint32_t i = 0; i < evaluator->lanes; i++)
        address->offsets.value[i] += checked(index->value[i], extent, stride);
}

/* Adds one axis to an address; indices are evaluated in the frame behind. */
static void address_add(cake_evaluator *evaluator, element_address *address, const cake_node *index, int64_t extent,
                        double stride, uint32_t frame) {
    if (is_lane_name(evaluator, index)) {
        int64_t first = evaluator->slots[index->number];
        if (first >= 0 && first <= extent - (int64_t)evaluator->lanes) {
            address->base += (double)first * stride;
            address->step += stride;
            return;
        }
    }
    cake_lanes at = cake_evaluate_node(evaluator, index, frame + 1);
    if (at.count == 1)
        address->base += checked(at.value[0], extent, stride);
    else
        address_gather(evaluator, address, &at, extent, stride);
}

static cake_lanes evaluate_element(cake_evaluator *evaluator, const cake_node *node, uint32_t frame) {
    const cake_case_tensor *tensor = &evaluator->one->tensors.items[node->number];
    const void *data = node->written ? evaluator->written[node->number] : tensor->data;
    element_address address = {.offsets = cake_evaluator_frame(evaluator, frame, 1)};
    double stride = 1;
    for (uint32_t axis = tensor->rank; axis-- > 0; stride *= (double)tensor->extents[axis])
        address_add(evaluator, &address, node->operands.items[axis], tensor->extents[axis], stride, frame);
    cake_lanes result = address.offsets;
    if (isnan(address.base)) {
        cake_evaluator_outside(evaluator, node->span);
        return uniform(evaluator, frame, (double)NAN);
    }
    if (!address.gather) {
        result.count = address.step > 0 ? evaluator->lanes : 1;
        if (address.step > 16) evaluator->work += MISS_WORK * result.count;
        cake_number_load_many(tensor->dtype, data, (uint64_t)address.base, (int64_t)address.step, result.count,
                              result.value);
        return result;
    }
    for (uint32_t i = 0; i < result.count; i++) {
        double offset = result.value[i] + address.base + address.step * i;
        if (isnan(offset))
            cake_evaluator_outside(evaluator, node->span);
        else
            offset = cake_number_load(tensor->dtype, data, (uint64_t)offset);
        result.value[i] = offset;
    }
    return result;
}

/* ---- lets ---- */

/* A call whose arguments are known: where they are, and where its results go. */
typedef struct let_call {
    const cake_node *node;
    const cake_let *let;
    cake_let_cache *cache;
    cake_lanes arguments[CAKE_MAX_RANK];
    uint32_t rank;
    uint32_t lane_axis; /* the axis whose argument is the lane name itself, when that is the only one; else rank */
    uint32_t frame;
    cake_lanes result;
} let_call;

/* Sets the let's index names for one lane; false if one is outside its range. */
static bool call_bind(cake_evaluator *evaluator, const let_call *call, uint32_t lane, uint64_t *out_linear) {
    *out_linear = 0;
    for (uint32_t axis = 0; axis < call->rank; axis++) {
        const cake_lanes *argument = &call->arguments[axis];
        double index = argument->value[argument->count == 1 ? 0 : lane];
        int64_t extent = call->cache->extents[axis];
        if (!(index >= 0 && index < (double)extent)) {
            cake_evaluator_outside(evaluator, call->node->span);
            return false;
        }
        evaluator->slots[call->let->axes.items[axis].slot] = (int64_t)index;
        *out_linear = *out_linear * (uint64_t)extent + (uint64_t)index;
    }
    return true;
}

static void remember(cake_let_cache *cache, uint64_t linear, double value, double error) {
    if (cache->entries) cache->entries[linear & cache->mask] = (cake_let_entry){linear + 1, value, error};
}

static const cake_let_entry *recall(const cake_let_cache *cache, uint64_t linear) {
    const cake_let_entry *entry = cache->entries ? &cache->entries[linear & cache->mask] : NULL;
    return entry && entry->key == linear + 1 ? entry : NULL;
}

/* The let's body, with 'slot' along 'lanes'. */
static cake_lanes call_body(cake_evaluator *evaluator, const let_call *call, uint32_t slot, uint32_t lanes) {
    uint32_t outer_slot = evaluator->lane_slot, outer_lanes = evaluator->lanes;
    evaluator->lane_slot = slot;
    evaluator->lanes = lanes;
    cake_lanes value = cake_evaluate_node(evaluator, call->let->value, call->frame + 1 + call->rank);
    evaluator->lane_slot = outer_slot;
    evaluator->lanes = outer_lanes;
    return value;
}

static void call_lane(cake_evaluator *evaluator, let_call *call, uint32_t lane) {
    uint64_t linear;
    double value = (double)NAN, error = 0;
    if (call_bind(evaluator, call, lane, &linear)) {
        const cake_let_entry *known = recall(call->cache, linear);
        if (known) {
            value = known->value;
            error = known->error;
        } else {
            cake_lanes one = call_body(evaluator, call, CAKE_NO_SLOT, 1);
            value = one.value[0];
            error = one.exact ? 0 : one.error[0];
            remember(call->cache, linear, value, error);
        }
    }
    call->result.value[lane] = value;
    call->result.error[lane] = error;
    call->result.exact &= error == 0;
}

/* Linear step of one lane along the lane axis, and whether all lanes are inside. */
static bool call_lanes_inside(const let_call *call, uint64_t lanes, uint64_t *out_step) {
    if (call->lane_axis == call->rank) return false;
    *out_step = 1;
    for (uint32_t axis = call->lane_axis + 1; axis < call->rank; axis++)
        *out_step *= (uint64_t)call->cache->extents[axis];
    double first = call->arguments[call->lane_axis].value[0];
    return first >= 0 && first + (double)lanes <= (double)call->cache->extents[call->lane_axis];
}

static bool call_recall_all(let_call *call, uint64_t linear, uint64_t step) {
    for (uint32_t i = 0; i < call->result.count; i++) {
        const cake_let_entry *known = recall(call->cache, linear + i * step);
        if (!known) return false;
        call->result.value[i] = known->value;
        call->result.error[i] = known->error;
        call->result.exact &= known->error == 0;
    }
    return true;
}

/* All lanes at once: the lane name becomes the let's own name of that axis. */
static void call_lanes(cake_evaluator *evaluator, let_call *call, uint64_t step) {
    uint64_t linear;
    uint32_t lanes = evaluator->lanes;
    if (!call_bind(evaluator, call, 0, &linear)) {
        call->result.count = 1;
        call->result.value[0] = (double)NAN;
        return;
    }
    if (call_recall_all(call, linear, step)) return;
    cake_lanes body = call_body(evaluator, call, call->let->axes.items[call->lane_axis].slot, lanes);
    if (call->cache->entries) cake_lanes_widen(&body, lanes);
    call->result.count = body.count;
    call->result.exact = body.exact;
    memcpy(call->result.value, body.value, body.count * sizeof *body.value);
    if (!body.exact) memcpy(call->result.error, body.error, body.count * sizeof *body.error);
    for (uint32_t i = 0; call->cache->entries && i < lanes; i++)
        remember(call->cache, linear + i * step, body.value[i], body.exact ? 0 : body.error[i]);
}

static cake_lanes evaluate_call(cake_evaluator *evaluator, const cake_node *node, uint32_t frame) {
    let_call call = {.node = node,
                     .let = &evaluator->body->lets.items[node->number],
                     .cache = &evaluator->lets[node->number],
                     .rank = node->operands.count,
                     .lane_axis = node->operands.count,
                     .frame = frame,
                     .result = cake_evaluator_frame(evaluator, frame, 1)};
    uint32_t varying = 0;
    for (uint32_t axis = 0; axis < call.rank; axis++) {
        call.arguments[axis] = cake_evaluate_node(evaluator, node->operands.items[axis], frame + 1 + axis);
        if (call.arguments[axis].count == 1) continue;
        varying++;
        call.lane_axis = is_lane_name(evaluator, node->operands.items[axis]) ? axis : call.rank;
        call.result.count = evaluator->lanes;
    }
    uint64_t step;
    if (varying == 1 && call_lanes_inside(&call, evaluator->lanes, &step)) {
        call_lanes(evaluator, &call, step);
        return call.result;
    }
    for (uint32_t lane = 0; lane < call.result.count && !evaluator->stopped; lane++)
        call_lane(evaluator, &call, lane);
    return call.result;
}

/* ---- the walk ---- */

/* The walk's switch. */
static cake_lanes evaluate_kind(cake_evaluator *evaluator, const cake_node *node, uint32_t frame) {
    switch (node->kind) {
    case CAKE_NODE_CONSTANT:
        return uniform(evaluator, frame, node->u.constant);
    case CAKE_NODE_DIMENSION:
        return uniform(evaluator, frame, evaluator->dimensions[node->number]);
    case CAKE_NODE_VARIABLE:
        return evaluate_variable(evaluator, node->number, frame);
    case CAKE_NODE_ELEMENT:
        return evaluate_element(evaluator, node, frame);
    case CAKE_NODE_CALL:
        return evaluate_call(evaluator, node, frame);
    case CAKE_NODE_REDUCE:
        return cake_evaluate_fold(evaluator, node, frame);
    case CAKE_NODE_UNARY:
    case CAKE_NODE_BINARY:
    case CAKE_NODE_COMPARE:
    case CAKE_NODE_MEMBER_OF:
    case CAKE_NODE_FUNCTION:
    case CAKE_NODE_CAST:
    case CAKE_NODE_BITCAST:
        break;
    }
    return cake_evaluate_operation(evaluator, node, frame);
}

cake_lanes cake_evaluate_node(cake_evaluator *evaluator, const cake_node *node, uint32_t frame) {
    if (evaluator->stopped) return uniform(evaluator, frame, 0);
    cake_lanes result = evaluate_kind(evaluator, node, frame);
    evaluator->work += NODE_WORK + result.count;
    if (evaluator->work > evaluator->work_limit) evaluator->stopped = true;
    return result;
}

double cake_evaluate_scalar(cake_evaluator *evaluator, const cake_node *node) {
    return cake_evaluate_lanes(evaluator, node, CAKE_NO_SLOT, 1).value[0];
}

cake_lanes cake_evaluate_lanes(cake_evaluator *evaluator, const cake_node *node, uint32_t slot, uint32_t count) {
    evaluator->lane_slot = slot;
    evaluator->lanes = count;
    return cake_evaluate_node(evaluator, node, 0);
}

/* ---- making one ---- */

void cake_evaluator_init_constants(cake_evaluator *evaluator, cake_arena *arena, const cake_workload_body *body,
                                   const double *dimensions) {
    *evaluator = (cake_evaluator){.body = body,
                                  .dimensions = dimensions,
                                  .frames = CAKE_NEW_ARRAY(arena, double, (size_t)body->frames * 2 * CAKE_LANES),
                                  .slots = CAKE_NEW_ARRAY(arena, int64_t, body->slots),
                                  .lane_slot = CAKE_NO_SLOT,
                                  .lanes = 1,
                                  .exact = true,
                                  .unit = 0,
                                  .work_limit = 1e8};
}

/* An extent as an integer that indices in doubles can count; 0 for anything else. */
static int64_t extent_of(double value) {
    return value >= 1 && value <= LARGEST_INDEX ? (int64_t)value : 0;
}

static void cache_init(cake_evaluator *evaluator, cake_arena *arena, const cake_let *let, uint64_t entries,
                       cake_let_cache *cache) {
    double count = 1;
    for (uint32_t axis = 0; axis < let->axes.count; axis++) {
        cache->extents[axis] = extent_of(cake_evaluate_scalar(evaluator, let->axes.items[axis].to));
        count *= (double)cache->extents[axis];
    }
    if (!let->value || !let->value->reduces || count > LARGEST_INDEX) return;
    uint64_t capacity = 1;
    while (capacity < entries && (double)capacity < count)
        capacity *= 2;
    cache->mask = capacity - 1;
    cache->entries = CAKE_NEW_ARRAY(arena, cake_let_entry, capacity);
}

void cake_evaluator_init(cake_evaluator *evaluator, cake_arena *arena, const cake_case *one, const double *dimensions) {
    const cake_workload_body *body = one->workload->body;
    cake_evaluator_init_constants(evaluator, arena, body, dimensions);
    evaluator->one = one;
    evaluator->lets = CAKE_NEW_ARRAY(arena, cake_let_cache, body->lets.count);
    for (uint32_t i = 0; i < body->lets.count; i++)
        cache_init(evaluator, arena, &body->lets.items[i], CACHE_ENTRIES / body->lets.count, &evaluator->lets[i]);
}

void cake_evaluator_prepare(cake_evaluator *evaluator, cake_dtype dtype, bool errors, double work_limit) {
    for (uint32_t i = 0; i < evaluator->body->lets.count; i++)
        if (evaluator->lets[i].entries)
            memset(evaluator->lets[i].entries, 0, (evaluator->lets[i].mask + 1) * sizeof(cake_let_entry));
    evaluator->exact = !errors;
    evaluator->wide = dtype == CAKE_DTYPE_F64;
    evaluator->unit = evaluator->wide ? 0x1p-51 : 0x1p-23;
    evaluator->work = 0;
    evaluator->work_limit = work_limit;
    evaluator->stopped = false;
}
