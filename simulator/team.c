/* Meetings: the warps of a team hand data to each other in collective operations.
 *
 * Data of two meetings is kept: who is late still reads the last one while others come to the next, and nobody can be
 * two meetings ahead. The scratch memory that the code uses for this is no memory of the schedule's, and its syncs
 * order nothing that the schedule may rely on.
 */
#include <string.h>

#include "simulator/state.h"

static void take(cake_sim_warp *warp, const void *data, size_t bytes) {
    cake_sim_team *team = warp->team;
    uint32_t parity = warp->meetings & 1, at = warp->team_number;
    if (bytes > team->handed_bytes[parity][at]) {
        team->handed[parity][at] = cake_arena_alloc(cake_sim_machine_of(warp)->arena, 2 * bytes);
        team->handed_bytes[parity][at] = 2 * bytes;
    }
    if (bytes) memcpy(team->handed[parity][at], data, bytes);
}

bool cake_sim_meet(cake_sim_warp *warp, const cake_plan_op *op, const void *data, size_t bytes) {
    cake_sim_team *team = warp->team;
    if (warp->stage == 0) {
        take(warp, data, bytes);
        if (team->met == 0)
            team->meeting_op = op;
        else if (team->meeting_op != op) {
            cake_diagnostic *d = cake_sim_fault(warp, op, CAKE_S109, "warps of one team are at different statements");
            if (d)
                cake_diagnostic_note(cake_sim_launch_of(warp)->diagnostics, d, team->meeting_op->span,
                                     "another warp is here");
        }
        warp->stage = 1;
        warp->meetings++;
        if (++team->met == team->warp_count) {
            team->met = 0;
            team->meetings++;
            cake_sim_machine_of(warp)->changes++;
        }
    }
    if (team->meetings < warp->meetings) return false;
    warp->stage = 0;
    return true;
}

const void *cake_sim_met(const cake_sim_warp *warp, uint32_t team_warp) {
    return warp->team->handed[(warp->meetings - 1) & 1][team_warp];
}
