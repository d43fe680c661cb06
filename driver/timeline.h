/* What happened in a simulated run, in Chrome's trace format (opens in Perfetto): a process a CTA, a thread a warp and
 * one more for the copies and products that it began. Times count the operations of all warps, as if each took a
 * microsecond. Internal to driver/.
 *
 *     cake_timeline timeline;
 *     cake_timeline_init(&timeline, &arena);
 *     options.observer = &timeline.observer;                 // of the simulator
 *     ...
 *     cake_timeline_finish(&timeline);                       // timeline.text is the file
 */
#ifndef CAKE_DRIVER_TIMELINE_H
#define CAKE_DRIVER_TIMELINE_H

#include "simulator/simulator.h"
#include "support/text.h"

#define CAKE_TIMELINE_MOST_EVENTS 1000000 /* further ones are left out, and the file says so */

typedef struct cake_timeline {
    cake_arena *arena;
    cake_text text;
    cake_sim_observer observer;
    CAKE_VECTOR(uint64_t) threads; /* that have a name: CTA << 32 | thread */
    uint32_t events, left_out;
} cake_timeline;

void cake_timeline_init(cake_timeline *timeline, cake_arena *arena);
void cake_timeline_finish(cake_timeline *timeline);

#endif
