/* For tests of the runtime: opens tests/fake_cuda in place of the driver, a device per test, and counts what is left.
 * Include it after cmocka.h. */
#ifndef CAKE_TESTS_UNIT_FAKE_DRIVER_H
#define CAKE_TESTS_UNIT_FAKE_DRIVER_H

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/libcake.h"

static void *fake;
static const char *(*take_log)(void);
static int (*live)(void);

static cake_cuda *cuda;
static cake_device *device;

/* Opened under its own name, so that the runtime's dlopen of libcuda.so.1 finds it loaded already. */
static int open_fake(void **state) {
    (void)state;
    char path[4096];
    ssize_t size = readlink("/proc/self/exe", path, sizeof path - 64);
    if (size < 0) return -1;
    path[size] = '\0';
    strcpy(strrchr(path, '/'), "/../fake_cuda/libcuda.so.1");
    fake = dlopen(path, RTLD_NOW);
    if (!fake) return -1;
    void *function = dlsym(fake, "fake_cuda_take_log");
    memcpy(&take_log, &function, sizeof function);
    function = dlsym(fake, "fake_cuda_live");
    memcpy(&live, &function, sizeof function);
    return 0;
}

static int close_fake(void **state) {
    (void)state;
    return dlclose(fake);
}

static void assert_ok(cake_status status) {
    assert_string_equal(status.message, "");
    assert_int_equal(status.kind, CAKE_STATUS_OK);
}

static int setup(void **state) {
    (void)state;
    unsetenv("FAKE_CUDA_FAIL");
    assert_ok(cake_cuda_open(&cuda));
    assert_ok(cake_device_open(cuda, 0, &device));
    take_log();
    return 0;
}

static int teardown(void **state) {
    (void)state;
    unsetenv("FAKE_CUDA_FAIL");
    cake_device_close(device);
    cake_cuda_close(cuda);
    assert_int_equal(live(), 0);
    return 0;
}

#endif
