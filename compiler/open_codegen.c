#include <dlfcn.h>
#include <string.h>
#include <unistd.h>

#include "compiler/internal.h"

#define LIBRARY "libcake_codegen.so"

/* .../bin/cakec -> .../lib/libcake_codegen.so; null when the program's own path is not known. */
static const char *beside_program(cake_arena *arena) {
    char path[4096];
    ssize_t size = readlink("/proc/self/exe", path, sizeof path - 1);
    if (size <= 0) return NULL;
    path[size] = '\0';
    for (int i = 0; i < 2; i++) {
        char *slash = strrchr(path, '/');
        if (!slash) return NULL;
        *slash = '\0';
    }
    return cake_arena_format(arena, "%s/lib/" LIBRARY, path);
}

cake_status cake_codegen_open(cake_arena *arena, const cake_codegen_api **out_api) {
    const char *path = beside_program(arena);
    void *library =
        path && access(path, R_OK) == 0 ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return cake_status_make(CAKE_STATUS_UNAVAILABLE, "no code generator: %s; build it with LLVM 22 (llvm-22-dev)",
                                dlerror());
    *out_api = dlsym(library, CAKE_CODEGEN_SYMBOL);
    if (!*out_api) return cake_status_make(CAKE_STATUS_FAILED, "%s has no %s", LIBRARY, CAKE_CODEGEN_SYMBOL);
    return cake_status_ok();
}
