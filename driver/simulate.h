/* The simulator as what 'cakec run' launches on. Internal to driver/. */
#ifndef CAKE_DRIVER_SIMULATE_H
#define CAKE_DRIVER_SIMULATE_H

#include "compiler/compiler.h"
#include "driver/run_command.h"

/* The compilation is without errors and outlives the simulator. */
void cake_simulate_init(const cake_compilation *compilation, const cake_options *options,
                        cake_run_simulator *out_simulator);

#endif
