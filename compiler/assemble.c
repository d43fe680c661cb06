#include "compiler/compiler.h"
cake_status cake_compile_assemble(cake_compilation *c, const char *ptx, size_t size, cake_text *out) {
    (void)c;
    (void)ptx;
    (void)size;
    (void)out;
    return cake_status_make(CAKE_STATUS_UNAVAILABLE, "no");
}
