/* Judging and reporting a run. */
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "driver/ceiling.h"
#include "driver/run.h"
#include "runtime/timing.h"

/* ---- judging ---- */

static const void *result_of(const cake_run *run, const char *name) {
    for (uint32_t i = 0; i < run->job.tensors.count; i++)
        if (strcmp(run->job.tensors.items[i].name, name) == 0) return run->results[i];
    return NULL;
}

static bool judge_output(cake_run *run, uint32_t tensor, const void *got) {
    cake_comparison comparison;
    cake_status status = cake_case_compare(run->one, tensor, got, &comparison);
    if (status.kind != CAKE_STATUS_OK) return cake_run_fail(run, CAKE_EXIT_WRONG, "workload", "%s", status.message);
    *CAKE_PUSH(run->arena, &run->comparisons) = comparison;
    if (comparison.mismatches) cake_run_fail(run, CAKE_EXIT_WRONG, "output", "output '%s' is wrong", comparison.name);
    return true;
}

static bool judge_property(cake_run *run, uint32_t property, const void *const *written) {
    cake_comparison comparison;
    cake_status status = cake_case_judge_property(run->one, property, written, &comparison);
    if (status.kind != CAKE_STATUS_OK) return cake_run_fail(run, CAKE_EXIT_WRONG, "workload", "%s", status.message);
    *CAKE_PUSH(run->arena, &run->properties) = comparison;
    if (comparison.mismatches)
        cake_run_fail(run, CAKE_EXIT_WRONG, "output", "property '%s' does not hold", comparison.name);
    return true;
}

void cake_run_compare(cake_run *run) {
    if (!run->one) return;
    const void **written = CAKE_NEW_ARRAY(run->arena, const void *, run->one->tensors.count);
    bool complete = true, going = true;
    for (uint32_t i = 0; going && i < run->one->tensors.count; i++) {
        const cake_case_tensor *tensor = &run->one->tensors.items[i];
        bool awaited = tensor->use != CAKE_USE_INPUT && tensor->bytes > 0;
        written[i] = result_of(run, tensor->name);
        complete = complete && (written[i] || !awaited);
        if (tensor->judged && (written[i] || !awaited)) going = judge_output(run, i, written[i]);
    }
    for (uint32_t i = 0; going && complete && i < run->one->workload->properties.count; i++)
        going = judge_property(run, i, written);
}

/* ---- numbers ---- */

/* Rates of one launch; 0 where the workload does not say what it computes or moves. */
typedef struct launch_rates {
    cake_timing_summary time; /* microseconds */
    double tflops, gbps;
    bool has_ceiling; /* the device is known */
    cake_ceiling ceiling;
    double fraction; /* of the ceiling that was reached */
} launch_rates;

static launch_rates compute_rates(const cake_run *run) {
    launch_rates rates = {.time = cake_timing_summarise(run->times, run->job.reps)};
    if (rates.time.median > 0) {
        rates.tflops = run->flops / rates.time.median / 1e6;
        rates.gbps = run->bytes / rates.time.median / 1e3;
        rates.has_ceiling = cake_ceiling_find(run->device.name, run->one, run->flops, run->bytes, &rates.ceiling);
        if (rates.has_ceiling) rates.fraction = rates.ceiling.us / rates.time.median;
    }
    return rates;
}

/* JSON knows no infinity and no NaN. */
static json_t *json_number(double value) {
    if (isfinite(value)) return json_real(value);
    return json_string(isnan(value) ? "nan" : value > 0 ? "inf" : "-inf");
}

/* ---- JSON ---- */

static json_t *index_json(const cake_mismatch *mismatch) {
    json_t *index = json_array();
    for (uint32_t i = 0; i < mismatch->rank; i++)
        json_array_append_new(index, json_integer(mismatch->index[i]));
    return index;
}

static json_t *mismatch_json(const cake_mismatch *mismatch) {
    return json_pack("{s:o, s:o, s:o, s:o}", "index", index_json(mismatch), "got", json_number(mismatch->got), "want",
                     json_number(mismatch->want), "allowed", json_number(mismatch->allowed));
}

static json_t *outputs_json(const cake_run *run) {
    json_t *outputs = json_array();
    for (uint32_t i = 0; i < run->comparisons.count; i++) {
        const cake_comparison *c = &run->comparisons.items[i];
        json_t *first = c->has_first ? mismatch_json(&c->first) : json_null();
        json_array_append_new(outputs, json_pack("{s:s, s:I, s:I, s:o, s:o, s:o, s:o, s:I, s:I, s:o}", "name", c->name,
                                                 "count", (json_int_t)c->count, "checked", (json_int_t)c->checked,
                                                 "max_abs", json_number(c->max_abs), "max_rel", json_number(c->max_rel),
                                                 "rel_norm", json_number(c->rel_norm), "norm", json_number(c->norm),
                                                 "mismatches", (json_int_t)c->mismatches, "unwritten",
                                                 (json_int_t)c->unwritten, "first", first));
    }
    return outputs;
}

static json_t *properties_json(const cake_run *run) {
    json_t *properties = json_array();
    for (uint32_t i = 0; i < run->properties.count; i++) {
        const cake_comparison *c = &run->properties.items[i];
        json_t *first = c->has_first ? json_pack("{s:o}", "index", index_json(&c->first)) : json_null();
        json_array_append_new(properties, json_pack("{s:s, s:I, s:I, s:I, s:o}", "name", c->name, "count",
                                                    (json_int_t)c->count, "checked", (json_int_t)c->checked,
                                                    "mismatches", (json_int_t)c->mismatches, "first", first));
    }
    return properties;
}

static json_t *dims_json(const cake_run *run) {
    json_t *dims = json_object();
    for (uint32_t i = 0; i < run->job.dimensions.count; i++)
        json_object_set_new(dims, run->job.dimensions.items[i].name, json_integer(run->job.dimensions.items[i].value));
    return dims;
}

static void add_times(const cake_run *run, json_t *document) {
    launch_rates rates = compute_rates(run);
    json_object_set_new(document, "median_us", json_number(rates.time.median));
    json_object_set_new(document, "p10_us", json_number(rates.time.p10));
    json_object_set_new(document, "p90_us", json_number(rates.time.p90));
    json_object_set_new(document, "reps", json_integer(run->job.reps));
    json_object_set_new(document, "cold_l2", json_boolean(run->job.cold));
    json_object_set_new(document, "sets", json_integer(run->set_count));
    json_object_set_new(document, "tflops", run->flops > 0 ? json_number(rates.tflops) : json_null());
    json_object_set_new(document, "gbps", run->bytes > 0 ? json_number(rates.gbps) : json_null());
    if (rates.has_ceiling) {
        json_object_set_new(document, "ceiling",
                            json_pack("{s:s, s:o}", "bound", rates.ceiling.bound, "us", json_number(rates.ceiling.us)));
        json_object_set_new(document, "fraction", json_number(rates.fraction));
    }
}

static bool is_simulated(const cake_run *run) {
    return run->code && run->code->simulator;
}

static void report_json(const cake_run *run, FILE *out) {
    char device[16] = "sim";
    if (!is_simulated(run)) snprintf(device, sizeof device, "cuda:%" PRIu32, run->job.device);
    json_t *document = json_pack(
        "{s:i, s:s, s:o, s:b, s:o, s:s, s:o, s:o, s:I}", "schema", 1, "command", run->job.bench ? "bench" : "run",
        "diagnostics", run->arena ? cake_diagnostics_json(&run->diagnostics) : json_array(), "ok", !run->kind, "error",
        run->kind ? json_pack("{s:s, s:s}", "kind", run->kind, "message", run->message) : json_null(), "device", device,
        "device_name", run->has_device ? json_string(run->device.name) : json_null(), "dims", dims_json(run), "seed",
        (json_int_t)run->seed);
    if (run->times) add_times(run, document);
    if (is_simulated(run) && run->has_status) {
        json_object_set_new(document, "schedules", json_integer((json_int_t)run->schedule + 1));
        json_object_set_new(document, "sms", json_integer(run->code->simulator->sms));
    }
    if (!run->job.bench) json_object_set_new(document, "outputs", outputs_json(run));
    if (!run->job.bench) json_object_set_new(document, "properties", properties_json(run));
    json_dumpf(document, out, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
    fputc('\n', out);
    json_decref(document);
}

/* ---- text ---- */

static void print_heading(const cake_run *run, FILE *out) {
    if (is_simulated(run))
        fprintf(out, "run %s on sim (%" PRIu32 " SMs):", run->job.kernel, run->code->simulator->sms);
    else
        fprintf(out, "%s %s on cuda:%" PRIu32 " (%s):", run->job.bench ? "bench" : "run", run->job.kernel,
                run->job.device, run->device.name);
    for (uint32_t i = 0; i < run->job.dimensions.count; i++)
        fprintf(out, " %s=%" PRId64, run->job.dimensions.items[i].name, run->job.dimensions.items[i].value);
    fprintf(out, " seed=%" PRIu64 "\n", run->seed);
    if (run->schedule)
        fprintf(out, "  %" PRIu64 " schedules, seeds %" PRIu64 " to %" PRIu64 "\n", run->schedule + 1,
                run->seed - run->schedule, run->seed);
}

static void print_index(const cake_mismatch *mismatch, FILE *out) {
    fprintf(out, "first at [");
    for (uint32_t i = 0; i < mismatch->rank; i++)
        fprintf(out, "%s%" PRId64, i ? ", " : "", mismatch->index[i]);
    fprintf(out, "]");
}

static void print_mismatch(const cake_mismatch *mismatch, FILE *out) {
    fprintf(out, "    ");
    print_index(mismatch, out);
    fprintf(out, ": got %.9g, want %.9g, allowed to differ by %.3g\n", mismatch->got, mismatch->want,
            mismatch->allowed);
}

static void print_comparison(const cake_comparison *c, FILE *out) {
    fprintf(out, "  %s: ", c->name);
    if (c->mismatches)
        fprintf(out, "%" PRIu64 " of %" PRIu64 " elements are wrong", c->mismatches, c->count);
    else
        fprintf(out, "right, %" PRIu64 " elements", c->count);
    if (c->unwritten) fprintf(out, ", %" PRIu64 " never written", c->unwritten);
    if (c->checked < c->count) fprintf(out, " (%" PRIu64 " compared)", c->checked);
    fprintf(out, "; max_abs %.3g, max_rel %.3g, rel_norm %.3g, %.0f%% of the tolerance\n", c->max_abs, c->max_rel,
            c->rel_norm, c->worst * 100);
    if (c->has_first) print_mismatch(&c->first, out);
}

static void print_property(const cake_comparison *c, FILE *out) {
    if (c->mismatches)
        fprintf(out, "  %s: does not hold of %" PRIu64 " of %" PRIu64 " indices, ", c->name, c->mismatches, c->checked);
    else
        fprintf(out, "  %s: holds, %" PRIu64 " indices", c->name, c->checked);
    if (c->has_first) print_index(&c->first, out);
    if (c->checked < c->count) fprintf(out, " (of %" PRIu64 ")", c->count);
    fprintf(out, "\n");
}

static void print_times(const cake_run *run, FILE *out) {
    launch_rates rates = compute_rates(run);
    fprintf(out, "  median %.2f us, p10 %.2f, p90 %.2f; %" PRIu32 " times, %s L2, %" PRIu32 " sets of tensors\n",
            rates.time.median, rates.time.p10, rates.time.p90, run->job.reps, run->job.cold ? "cold" : "warm",
            run->set_count);
    if (run->flops > 0) fprintf(out, "  %.1f TFLOP/s\n", rates.tflops);
    if (run->bytes > 0) fprintf(out, "  %.0f GB/s\n", rates.gbps);
    if (rates.has_ceiling)
        fprintf(out, "  %.1f%% of what the device can do: %.2f us, bound by %s\n", 100 * rates.fraction,
                rates.ceiling.us, rates.ceiling.bound);
}

static void report_text(const cake_run *run, FILE *out, FILE *err) {
    if (run->arena) cake_diagnostics_print(&run->diagnostics, err);
    if (run->has_device || (is_simulated(run) && run->has_status)) print_heading(run, out);
    for (uint32_t i = 0; i < run->comparisons.count; i++)
        print_comparison(&run->comparisons.items[i], out);
    for (uint32_t i = 0; i < run->properties.count; i++)
        print_property(&run->properties.items[i], out);
    if (run->times) print_times(run, out);
    bool ran = run->has_status && run->status.kind == CAKE_STATUS_OK;
    if (ran && !run->workload && !run->job.bench) fprintf(out, "  there is no workload: outputs were not compared\n");
    fflush(out);
    if (run->kind) fprintf(err, "error: %s\n", run->message);
}

void cake_run_report(const cake_run *run, FILE *out, FILE *err) {
    if (cake_options_json(run->options))
        report_json(run, out);
    else
        report_text(run, out, err);
}
