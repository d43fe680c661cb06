/* mbarriers, named barriers and those of clusters (PTX ISA 'mbarrier', 'bar', 'barrier.cluster'). */
#include "simulator/state.h"

void cake_sim_mbarrier_init(cake_sim_machine *machine, cake_sim_mbarrier *barrier, uint32_t expected) {
    barrier->expected = barrier->pending = expected;
    cake_sim_knowledge_init(machine, &barrier->gathering);
    cake_sim_knowledge_init(machine, &barrier->done);
}

/* A phase is over when no arrival and no byte is missing. */
static void try_complete(cake_sim_machine *machine, cake_sim_mbarrier *barrier) {
    machine->changes++;
    if (barrier->pending || barrier->bytes) return;
    barrier->phases++;
    barrier->pending = barrier->expected;
    cake_sim_learn(machine, &barrier->done, &barrier->gathering);
}

void cake_sim_mbarrier_arrive(cake_sim_machine *machine, cake_sim_mbarrier *barrier, uint32_t count, int64_t bytes,
                              const cake_sim_knowledge *known) {
    cake_sim_learn(machine, &barrier->gathering, known);
    barrier->bytes += bytes;
    barrier->pending -= count < barrier->pending ? count : barrier->pending;
    try_complete(machine, barrier);
}

void cake_sim_mbarrier_complete_bytes(cake_sim_machine *machine, cake_sim_mbarrier *barrier, int64_t bytes) {
    barrier->bytes -= bytes;
    try_complete(machine, barrier);
}

void cake_sim_barrier_init(cake_sim_machine *machine, cake_sim_barrier *barrier, uint32_t expected) {
    barrier->expected = expected;
    cake_sim_knowledge_init(machine, &barrier->gathering);
    cake_sim_knowledge_init(machine, &barrier->done);
}

static void try_pass(cake_sim_machine *machine, cake_sim_barrier *barrier) {
    machine->changes++;
    if (barrier->arrived < barrier->expected) return;
    barrier->arrived = 0;
    barrier->op = NULL;
    barrier->phases++;
    cake_sim_learn(machine, &barrier->done, &barrier->gathering);
}

void cake_sim_barrier_arrive(cake_sim_machine *machine, cake_sim_barrier *barrier, const cake_sim_knowledge *known) {
    cake_sim_learn(machine, &barrier->gathering, known);
    barrier->arrived++;
    try_pass(machine, barrier);
}

void cake_sim_barrier_leave(cake_sim_machine *machine, cake_sim_barrier *barrier) {
    barrier->expected--;
    if (barrier->arrived) try_pass(machine, barrier);
}
