#include "frontend/internal.h"

cake_module *cake_frontend_parse(cake_arena *arena, const cake_source *source, cake_diagnostics *diagnostics) {
    uint32_t errors_before = diagnostics->error_count;
    cake_module *module = cake_frontend_parse_unresolved(arena, source, diagnostics);
    if (diagnostics->error_count == errors_before) cake_frontend_resolve(module, diagnostics);
    return module;
}
