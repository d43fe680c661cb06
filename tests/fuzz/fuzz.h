/* The entry point of a fuzz target, as libFuzzer and replay_main.c call it. Returns 0. */
#ifndef CAKE_TESTS_FUZZ_FUZZ_H
#define CAKE_TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
