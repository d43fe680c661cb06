/* A look at a whole output, without its reference: its norm, and where it is unlike itself.
 *
 * A sample may miss a tile that was left out or computed from the wrong data. Such a tile mostly has another norm than
 * the rest: so the norm of each strip of consecutive elements is taken, and of the strips with the least and the
 * greatest ones the least and the greatest element are named, for the comparison to judge as well.
 */
#include <math.h>

#include "oracle/case.h"
#include "oracle/number.h"

#define STRIP 256

typedef struct strip {
    double square; /* mean */
    uint64_t least, greatest;
} strip;

/* The extreme strips so far, the most extreme one first. sign: -1 where small norms are. */
typedef struct ranking {
    double sign;
    strip strips[CAKE_SURVEY_STRIPS];
    uint32_t count;
} ranking;

static void rank(ranking *ranked, const strip *candidate) {
    uint32_t at = ranked->count < CAKE_SURVEY_STRIPS ? ranked->count++ : CAKE_SURVEY_STRIPS;
    for (; at > 0 && ranked->sign * candidate->square > ranked->sign * ranked->strips[at - 1].square; at--)
        if (at < CAKE_SURVEY_STRIPS) ranked->strips[at] = ranked->strips[at - 1];
    if (at < CAKE_SURVEY_STRIPS) ranked->strips[at] = *candidate;
}

/* NaNs are left out: the comparison finds all of them. False if there is nothing else. */
static bool measure(const double *values, uint64_t first, uint32_t count, strip *out_strip, double *io_squares) {
    double squares = 0, least = (double)INFINITY, greatest = -1;
    uint32_t numbers = 0;
    for (uint32_t i = 0; i < count; i++) {
        double magnitude = fabs(values[i]);
        if (isnan(magnitude)) continue;
        numbers++;
        squares += magnitude * magnitude;
        if (isfinite(magnitude)) *io_squares += magnitude * magnitude;
        if (magnitude < least || numbers == 1) out_strip->least = first + i;
        if (magnitude > greatest) out_strip->greatest = first + i;
        least = fmin(least, magnitude);
        greatest = fmax(greatest, magnitude);
    }
    out_strip->square = squares / numbers;
    return numbers > 0;
}

void cake_case_survey(const cake_case_tensor *tensor, const void *got, cake_survey *out_survey) {
    ranking low = {.sign = -1}, high = {.sign = 1};
    double squares = 0, values[STRIP];
    for (uint64_t first = 0; first < tensor->count; first += STRIP) {
        uint32_t count = tensor->count - first < STRIP ? (uint32_t)(tensor->count - first) : STRIP;
        strip found = {0};
        cake_number_load_many(tensor->dtype, got, first, 1, count, values);
        if (!measure(values, first, count, &found, &squares)) continue;
        rank(&low, &found);
        rank(&high, &found);
    }
    *out_survey = (cake_survey){.norm = sqrt(squares)};
    for (uint32_t i = 0; i < low.count; i++) {
        out_survey->suspects[out_survey->count++] = low.strips[i].least;
        out_survey->suspects[out_survey->count++] = high.strips[i].greatest;
    }
}
