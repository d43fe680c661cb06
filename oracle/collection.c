/* Judging a tensor that holds given values in any order.
 *
 * The values that are wanted are counted in a hash table by their bits in the tensor's dtype, and each element takes
 * one of its own away. An element whose value is not there, or no more, is one too many; since both sides are equally
 * many, as many values are then missing.
 */
#include <math.h>

#include "oracle/case.h"
#include "oracle/number.h"

#define ENTRY_WORK 20 /* lane operations that counting one value is worth */

typedef struct wanted_entry {
    uint64_t bits;
    uint64_t given, left; /* given 0: an empty place */
} wanted_entry;

typedef struct collector {
    cake_evaluator *evaluator;
    const cake_collection *collection;
    const cake_case_tensor *tensor;
    wanted_entry *entries;
    uint64_t mask, total;
    bool inexact, outside;
} collector;

/* ---- counting ---- */

static wanted_entry *entry_of(const collector *all, uint64_t bits) {
    uint64_t at = cake_random_bits(0, bits) & all->mask;
    while (all->entries[at].given && all->entries[at].bits != bits)
        at = (at + 1) & all->mask;
    return &all->entries[at];
}

/* Wants a value so many times more; 'once': if it is not wanted yet. */
static void want(collector *all, double value, uint64_t count, bool once) {
    uint64_t bits = cake_number_encode(all->tensor->dtype, value, false);
    wanted_entry *entry = entry_of(all, bits);
    if (count == 0 || (once && entry->given)) return;
    entry->bits = bits;
    entry->given += count;
    entry->left += count;
    all->total += count;
}

/* NaNs are one value, and so are the bits of a bool. */
static uint64_t bits_of(cake_dtype dtype, const void *got, uint64_t linear) {
    uint64_t bits = cake_number_bits(dtype, got, linear);
    cake_dtype_class class = cake_dtype_class_of(dtype);
    if (class == CAKE_CLASS_SIGNED || class == CAKE_CLASS_UNSIGNED) return bits;
    return cake_number_encode(dtype, cake_number_decode(dtype, bits), false);
}

/* ---- what is wanted ---- */

static bool stopped(const collector *all) {
    return all->evaluator->stopped || all->inexact || all->outside || all->total > all->tensor->count;
}

static void want_lanes(collector *all, const cake_lanes *values, const bool *chosen, uint32_t count, bool outside) {
    all->evaluator->work += ENTRY_WORK * count;
    for (uint32_t i = 0; i < count && !stopped(all); i++) {
        uint32_t lane = values->count == 1 ? 0 : i;
        if (!chosen[i]) continue;
        all->inexact = !values->exact && values->error[lane] != 0;
        all->outside = outside && isnan(values->value[lane]);
        want(all, values->value[lane], 1, all->collection->once);
    }
}

static void want_strip(collector *all, uint32_t slot, uint32_t count) {
    const cake_collection *collection = all->collection;
    bool chosen[CAKE_LANES];
    uint64_t outside = all->evaluator->outside;
    for (uint32_t i = 0; i < count; i++)
        chosen[i] = true;
    if (collection->where) {
        cake_lanes where = cake_evaluate_lanes(all->evaluator, collection->where, slot, count);
        for (uint32_t i = 0; i < count; i++) {
            uint32_t lane = where.count == 1 ? 0 : i;
            chosen[i] = where.value[lane] != 0;
            all->inexact |= !where.exact && where.error[lane] != 0;
        }
    }
    cake_lanes values = cake_evaluate_lanes(all->evaluator, collection->value, slot, count);
    want_lanes(all, &values, chosen, count, all->evaluator->outside != outside);
}

static int64_t bound_of(collector *all, const cake_node *bound) {
    double value = bound ? cake_evaluate_scalar(all->evaluator, bound) : 0;
    return isnan(value) ? 0 : (int64_t)fmax(-0x1p53, fmin(0x1p53, value));
}

static void want_level(collector *all, uint32_t level) {
    const cake_binder *binder = &all->collection->binders.items[level];
    int64_t from = bound_of(all, binder->from), to = bound_of(all, binder->to);
    bool innermost = level + 1 == all->collection->binders.count;
    for (int64_t i = from; i < to && !stopped(all); i += innermost ? CAKE_LANES : 1) {
        all->evaluator->slots[binder->slot] = i;
        if (innermost)
            want_strip(all, binder->slot, to - i < CAKE_LANES ? (uint32_t)(to - i) : CAKE_LANES);
        else
            want_level(all, level + 1);
    }
}

static cake_status refuse(const collector *all) {
    const char *name = all->tensor->name;
    if (all->evaluator->stopped)
        return cake_status_make(CAKE_STATUS_INVALID, "what '%.80s' holds takes too much work at this size", name);
    if (all->outside)
        return cake_status_make(CAKE_STATUS_INVALID,
                                "what '%.80s' holds reads outside of a tensor (byte %u of the workload)", name,
                                all->evaluator->outside_place.begin);
    if (all->inexact)
        return cake_status_make(CAKE_STATUS_INVALID,
                                "'holds' compares exactly, but a kernel may compute the values of '%.80s' in f32: "
                                "cast them, or state a property",
                                name);
    return cake_status_make(CAKE_STATUS_INVALID, "'%.80s' has %llu elements, but holds %s%llu values", name,
                            (unsigned long long)all->tensor->count, all->total > all->tensor->count ? "at least " : "",
                            (unsigned long long)all->total);
}

/* The table, filled; as many values as elements. */
static cake_status collect(cake_case *one, collector *all) {
    uint64_t capacity = 4;
    while (capacity < 2 * all->tensor->count)
        capacity *= 2;
    all->mask = capacity - 1;
    all->entries = CAKE_NEW_ARRAY(one->hidden->arena, wanted_entry, capacity);
    want_level(all, 0);
    if (stopped(all)) return refuse(all);
    if (all->collection->rest)
        want(all, cake_evaluate_scalar(&one->hidden->constants, all->collection->rest), all->tensor->count - all->total,
             false);
    return all->total == all->tensor->count ? cake_status_ok() : refuse(all);
}

/* ---- what is there ---- */

/* The least value that no element has taken. */
static double missing_value(const collector *all) {
    double least = (double)INFINITY;
    for (uint64_t i = 0; i <= all->mask; i++)
        if (all->entries[i].left) least = fmin(least, cake_number_decode(all->tensor->dtype, all->entries[i].bits));
    return least;
}

static void take_elements(const collector *all, const void *got, cake_comparison *result) {
    uint64_t first = UINT64_MAX;
    for (uint64_t i = 0; i < all->tensor->count; i++) {
        wanted_entry *entry = entry_of(all, bits_of(all->tensor->dtype, got, i));
        if (entry->left) {
            entry->left--;
            continue;
        }
        result->mismatches++;
        result->unwritten += cake_case_is_unwritten(all->tensor, got, i);
        if (first == UINT64_MAX) first = i;
    }
    result->checked = all->tensor->count;
    result->has_first = result->mismatches > 0;
    if (result->has_first)
        result->first = cake_case_mismatch(all->tensor, first, cake_number_load(all->tensor->dtype, got, first),
                                           missing_value(all), 0);
}

cake_status cake_case_compare_collection(cake_case *one, uint32_t tensor, const void *got, cake_comparison *result) {
    collector all = {.evaluator = cake_case_evaluator(one, one->tensors.items[tensor].dtype, true),
                     .collection = one->workload->body->tensors.items[tensor].holds,
                     .tensor = &one->tensors.items[tensor]};
    *result = (cake_comparison){.name = all.tensor->name, .count = all.tensor->count};
    cake_status status = collect(one, &all);
    if (status.kind != CAKE_STATUS_OK) return status;
    cake_survey survey;
    cake_case_survey(all.tensor, got, &survey);
    result->norm = survey.norm;
    take_elements(&all, got, result);
    return status;
}
