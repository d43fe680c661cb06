/* The resolver: what it refuses, which type each expression gets, and that nothing stays unresolved in what it accepts.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "frontend/frontend.h"
#include "frontend/resolve.h"

typedef struct fixture {
    jmp_buf out_of_memory;
    cake_arena arena;
    cake_source source;
    cake_diagnostics diagnostics;
    cake_module *module;
} fixture;

static void parse(fixture *test, const char *text) {
    if (setjmp(test->out_of_memory)) fail_msg("out of memory");
    cake_arena_init(&test->arena, CAKE_ARENA_DEFAULT_LIMIT, &test->out_of_memory);
    cake_source_init(&test->source, &test->arena, "test.cake", text, (uint32_t)strlen(text));
    cake_diagnostics_init(&test->diagnostics, &test->arena, &test->source);
    test->module = cake_frontend_parse(&test->arena, &test->source, &test->diagnostics);
}

/* "L201 3; L301 5": codes and lines, in the order of the text. */
static const char *findings(fixture *test) {
    const cake_diagnostic *order[CAKE_DIAGNOSTIC_LIMIT];
    uint32_t count = cake_diagnostics_order(&test->diagnostics, order);
    cake_text text;
    cake_text_init(&text, &test->arena);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t line = cake_source_position(&test->source, order[i]->span.begin).line;
        cake_text_format(&text, "%s%s %u", i ? "; " : "", cake_diagnostic_info_of(order[i]->code)->code, line);
    }
    return cake_text_string(&text);
}

typedef struct row {
    const char *text, *expected;
} row;

static void check_rows(const row *rows, size_t count, const char *before, const char *after) {
    bool failed = false;
    for (size_t i = 0; i < count; i++) {
        static fixture test;
        char text[4096];
        (void)snprintf(text, sizeof text, "%s%s%s", before, rows[i].text, after);
        parse(&test, text);
        const char *got = findings(&test);
        if (strcmp(got, rows[i].expected) != 0)
            print_error("row %zu: '%s' instead of '%s' for\n%s\n", i, got, rows[i].expected, rows[i].text),
                failed = true;
        cake_arena_fini(&test.arena);
    }
    assert_false(failed);
}

#define CHECK_ROWS(rows, before, after) check_rows((rows), sizeof(rows) / sizeof *(rows), (before), (after))

/* Statements of one role, from line 8 on. */
static const char role_before[] =
    "target sm_90a\n"
    "kernel k(x: f32[M, N], h: bf16[M, N], n: i32[M], out y: f32[M, N], inout z: i32[M], s: f32)\n"
    "where 1 <= M <= 100, 8 <= N <= 4096\n"
    "grid tile(i: M)\n"
    "roles { all: warps 4; other: warps 1 }\n"
    "pipeline p stages 2 from all to other { pb: f32[64] }\n"
    "shared b: f32[64]; signal g count 1; baton t over other; role other { }; role all {\n";
static const char role_after[] = "\n}\n";

static void test_statements(void **state) {
    (void)state;
    static const row rows[] = {
        {"let a = load x[i, 0 :+ 64]; store y[i, 0 :+ 64] <- a * s", ""},
        {"let a = q", "L201 8"},
        {"let a = 1; let a = 2", "L202 8"},
        {"let i = 1", "L202 8"},
        {"if true { let a = 1 }\nlet b2 = a", "L201 9"},
        {"let a = load x[i, 0 :+ 4]\nlet c = load h[i, 0 :+ 4]\nlet d = a + c\nlet e = d + d", "L301 10"},
        {"let a = (load x[i, 0 :+ 4]) + 1 + N", ""},
        {"let a = (load n[0 :+ 4]) + 0.5", "L301 8"},
        {"let a = (load n[0 :+ 4]) + 2", ""},
        {"let a = true + true", "L302 8"},
        {"let a = 1.0 % 2.0", "L302 8"},
        {"let a = !1", "L302 8"},
        {"let a = ~1.0", "L302 8"},
        {"let a = -true", "L302 8"},
        {"let a = s << 1", "L302 8"},
        {"let a = iota(4)[:, None] + iota(4)", "L303 8"},
        {"let a = x + 1.0", "L305 8"},
        {"let a = load s", "L306 8"},
        {"let a = p", "L307 8"},
        {"let a = load b[0, 0]", "L309 8"},
        {"let a = iota(4)[2]", "L309 8"},
        {"let a = iota(4)[i :+ 2]", "L403 8"},
        {"for j in 0 .. 2 unroll { let a = iota(4)[j * 2 :+ 2] }", ""},
        {"for j in 0 .. 2 { let a = iota(4)[j * 2 :+ 2] }", "L403 8"},
        {"let a = load x[i, 0 :+ N]", "L403 8"},
        {"let a = load x[s, 0 :+ 4]", "L302 8"},
        {"let a = load x[iota(4), iota(4)]", ""},
        {"let a = load x[iota(4), iota(4)[:, None]]", "L303 8"},
        {"let a = load x[i, 0 :+ 4] where (1 < 2)", ""},
        {"let a = load x[i, 0 :+ 4] where 1", "L321 8"},
        {"let a = load x[0 :+ 4, 0 :+ 4] where (iota(4) < 2)", "L303 8"},
        {"let a = load x[i, 0 :+ 4] clip 0", ""},
        {"let a = load z clip 0.5", "L301 8"},
        {"let a = load x[i, 0 :+ 4] cache often", "L219 8"},
        {"let a = load x[i, 0] vec 4", "L303 8"},
        {"if 1 { }", "L321 8"},
        {"if iota(4) < 2 { }", "L304 8"},
        {"while any(iota(4) < 2) max 4 { }", ""},
        {"for j in 0.5 .. 2 { }", "L302 8"},
        {"for j in 0 .. iota(4) { }", "L304 8"},
        {"var a", "L315 8"},
        {"var a: f32[4] = 0\na = a * 2.0; a[0 :+ 2] = 1; a += 1", ""},
        {"var a: f32[4] = iota(4)", ""},
        {"var a: i32 = 0.5", "L301 8"},
        {"var a: f32[4] = iota(4)[:, None]", "L303 8"},
        {"var a: f32[N]", "L403 8"},
        {"var a = 3\na = load z[0]", "L301 9"},
        {"let a = 3; a = 4", "L222 8"},
        {"i = 4", "L222 8"},
        {"var a = true; a += true", "L302 8"},
        {"store x[i, 0] <- 1.0", "L213 8"},
        {"store y[i, 0] <- 1; store y[i, :] <- 0", ""},
        {"store y[i, 0] <- iota(4)", "L303 8"},
        {"store z[i] <- 0.5", "L301 8"},
        {"atomic.add z[i] <- 1", ""},
        {"atomic.add n[i] <- 1", "L213 8"},
        {"atomic.and y[i, 0] <- 1", "L302 8"},
        {"let a = atomic.cas z[i] <- 0, 1 where (i < 3)", ""},
        {"let a = await z[i] until it == 1 from (i)", ""},
        {"let a = await z[i] until it from (i)", "L321 8"},
        {"let a = await z[i] until it == 1 from (i, i)", "L308 8"},
        {"let a = await b[0] until it > 0 from (i)", "L204 8"},
        {"let a = it", "L201 8"},
        {"acquire p; tma.load pb <- x[i, 0]; commit p", ""},
        {"wait p", "L210 8"},
        {"release p keep 0", "L210 8"},
        {"acquire pb", "L204 8"},
        {"acquire pp", "L201 8"},
        {"take t", "L211 8"},
        {"take p", "L204 8"},
        {"arrive g; await g", ""},
        {"arrive p", "L204 8"},
        {"tma.load b <- x[i, 0]", "L223 8"},
        {"tma.load pb <- x[i]", "L318 8"},
        {"tma.load pb <- x[i, 0 :+ 64]", ""},
        {"tma.load pb <- x[0 :+ 2, 0 :+ 64]", "L318 8"},
        {"tma.load pb <- x[iota(4), 0]", "L318 8"},
        {"tma.load pb <- h[i, 0]", "L301 8"},
        {"tma.load pb <- x[i, 0] multicast", "L218 8"},
        {"async.load pb <- x[i, 0 :+ 64] clip 0", ""},
        {"async.load pb <- x[i, 0]", "L318 8"},
        {"tma.store y[i, 0] <- b; bulk.commit; bulk.wait 0", ""},
        {"tma.store x[i, 0] <- b", "L213 8"},
        {"tma.store y[i, 0] <- x", "L223 8"},
        {"tma.reduce add y[i, 0] <- b", ""},
        {"tma.reduce mul y[i, 0] <- b", "L219 8"},
        {"bulk.wait N", "L403 8"},
        {"sync cluster", "L218 8"},
        {"let a = peer(b, 0)", "L218 8; L305 8"},
        {"let a = load b@1", "L204 8"},
        {"let a = load pb@1", ""},
        {"for tile (i) { }", "L214 8"},
        {"assume s > 0, M > 3; check 1 < 2", ""},
        {"assume s", "L321 8"},
        {"let a = relayout s", "L303 8"},
        {"let a = load b.T", "L303 8"},
        {"let a = i.row", "L204 8"},
        {"let a = nondecreasing(n)", "L224 8"},
        {"let a = f(1)", "L201 8"},
        {"let a = sqr(s)", "L201 8"},
        {"let a = s(1)", "L204 8"},
        {"let a = im2col(x)", "L204 8"},
        {"let a, c = sum(iota(4))", "L313 8"},
        {"var c: f32[64, 64]; mma c = cast bf16 c * (cast bf16 c).T", ""},
        {"var c: f32[64, 64]; mma c = cast bf16 c * cast bf16 c", "L319 8"},
        {"var c: f32[64, 64]; mma c = c.T * c.T", "L319 8"},
        {"var c: f32[64]; mma c = b * b", "L319 8; L319 8; L319 8"},
        {"var c: f32[64, 64]; wgmma c += cast bf16 c * c.T", "L319 8"},
        {"mma b += x * x.T", "L319 8; L319 8; L319 8"},
    };
    CHECK_ROWS(rows, role_before, role_after);
}

static void test_builtins(void **state) {
    (void)state;
    static const row rows[] = {
        {"let a = sum(s)", "L303 8"},
        {"let a = sum(iota(4) < 2)", "L302 8"},
        {"let a = any(iota(4))", "L302 8"},
        {"let a = sum(iota(4), axis=1)", "L317 8"},
        {"let a = sum(iota(4), axis=-1)", "L317 8"},
        {"let a = sum(iota(4), axis=0, axis=0)", "L308 8"},
        {"let a = sum(iota(4), along=0)", "L308 8"},
        {"let a = max(iota(4), 2, axis=0)", "L317 8"},
        {"let a = max(iota(4) within lane)", ""},
        {"let a = exp(s within lane)", "L314 8"},
        {"let a = exp(1)", "L302 8"},
        {"let a = exp(s, s)", "L308 8"},
        {"let a = popc(1)", "L302 8"},
        {"let a = popc(load z[i])", ""},
        {"let a = select(1, 2, 3)", "L321 8"},
        {"let a = select(true, s, load z[i])", "L301 8"},
        {"let a = fma(s, s, 1)", ""},
        {"let a = min.nan(s, 1.0)", ""},
        {"let a = iota(N)", "L403 8"},
        {"let a = concat(iota(4), iota(4))", ""},
        {"let a = concat(iota(4)[:, None], iota(4)[:, None])", "L317 8"},
        {"let a = concat(1, 2)", "L302 8"},
        {"let a = reshape(iota(4), 2, 2)", ""},
        {"let a = reshape(1, 2)", "L302 8"},
        {"let a = topk(iota(4), 2)", ""},
        {"let a = topk(load b, 2)", "L302 8"},
        {"let a = cdiv(N, 4) + ceilto(M, 2)", ""},
        {"let a = cdiv(s, 4)", "L302 8"},
        {"let a = scan(iota(4))", ""},
        {"let a = scan(s)", "L302 8"},
        {"let a = reduce(iota(4), iota(4))", "L204 8"},
        {"let a = bitcast u32 s", ""},
        {"let a = bitcast u64 s", "L311 8"},
        {"let a = bitcast u32 1", "L311 8"},
        {"let a = M in {1, 2}", ""},
        {"let a = M in 1.5 .. 2", ""},
        {"let a = s in {1, true}", "L301 8"},
    };
    CHECK_ROWS(rows, role_before, role_after);
}

/* Declarations of a kernel with one role that does nothing, from line 4 on. */
static void test_declarations(void **state) {
    (void)state;
    static const char before[] = "target sm_90a\nkernel k(x: f32[M, N], out y: f32[M, N], inout c: u32[1], o: i32[G])\n"
                                 "where 1 <= M <= 4\n";
    static const char after[] = "\n";
    static const row rows[] = {
        {"grid tile(i: M)\nroles { all: warps 1 }\nrole all { }", ""},
        {"grid tile(i: M)\nroles { all: warps 1 }", "L207 5"},
        {"grid tile(i: M)\nroles { all: warps 1 }\nrole all { }\nrole all { }", "L208 7"},
        {"grid tile(i: M)\nroles { all: warps 1 }\nrole al { }\nrole all { }", "L201 6"},
        {"grid tile(i: load o[0])\nroles { all: warps 1 }\nrole all { }", "L312 4"},
        {"grid tile(i: x)\nroles { all: warps 1 }\nrole all { }", "L305 4"},
        {"grid tile(M: 3)\nroles { all: warps 1 }\nrole all { }", "L202 4"},
        {"grid tile(i: M) order grouped(j, 4)\nroles { all: warps 1 }\nrole all { }", "L201 4"},
        {"grid tile(i: M) order zigzag\nroles { all: warps 1 }\nrole all { }", "L219 4"},
        {"grid tile(i: M) order snake\nroles { all: warps 1 }\nrole all { }", "L308 4"},
        {"grid tile(i: M) claim c\nroles { all: warps 1 }\nrole all { }", ""},
        {"grid tile(i: M) claim o\nroles { all: warps 1 }\nrole all { }", "L302 4; L213 4"},
        {"grid tile(i: M) cluster 2 along j\nroles { all: warps 1 }\nrole all { }", "L201 4"},
        {"grid tile(i: ragged(o, 64))\nroles { all: warps 1 }\nrole all { let a = i.row }", ""},
        {"grid tile(i: ragged(o, 64))\nroles { all: warps 1 }\nrole all { let a = i.col }", "L219 6"},
        {"grid tile(i: ragged(o, 64))\nroles { all: warps 1 }\nrole all { let a = i + 1 }", "L307 6"},
        {"grid tile(i: ragged(x, 64))\nroles { all: warps 1 }\nrole all { }", "L302 4"},
        {"grid tile(i: M)\nroles { all: warps 1 leader }\nrole all { }", "L218 5"},
        {"grid tile(i: M)\nroles { all: warps s }\nrole all { }", "L201 5"},
        {"grid tile(i: M)\nroles { all: warps M }\nrole all { }", "L403 5"},
        {"grid tile(i: M)\nroles { all: warps W }\nconst W = 4; role all { }", ""},
        {"grid tile(i: M)\nroles { all: warps 4 }\nconst W = M; role all { }", "L403 6"},
        {"grid tile(i: M)\nroles { all: warps 4 }\nwhere static M; const W = M; role all { }", ""},
        {"grid tile(i: M)\nroles { all: warps 4 }\nwhere static x; role all { }", "L204 6"},
        {"grid tile(i: M)\nroles { all: warps 4 }\nconst A = B, B = C, C = A; role all { }", "L205 6"},
        {"grid tile(i: M)\nroles { all: warps 4 }\nconst A = 1.5; role all { }", "L302 6"},
        {"grid tile(i: M)\nroles { all: warps 4 }\nlet a = b + 1; let b = load o[i]; role all { let q = a }", ""},
        {"grid tile(i: M)\nroles { all: warps 4 }\nlet a = load y[i, 0]; role all { }", "L217 6"},
        {"grid tile(i: M)\nroles { all: warps 4 }\nlet a = load c[0]; role all { }", "L217 6"},
        {"grid tile(i: M)\nroles { all: warps 4 }\nlet a = atomic.add c[0] <- 1; role all { }", "L217 6"},
        {"grid tile(i: M)\nroles { all: warps 4 }\nwhere x > 0; role all { }", "L304 6"},
        {"grid tile(i: M)\nroles { all: warps 4 }\nwhere all(x > 0), o[0] == 0, nondecreasing(o), finite(x); role all "
         "{ }",
         ""},
        {"grid tile(i: M)\nroles { all: warps 4 }\nwhere finite(M); role all { }", "L204 6"},
        {"grid tile(i: M)\nroles { all: warps 4 }\nwhere i > 3; role all { }", "L312 6"},
        {"grid tile(i: M)\nroles { all: warps 4 }\nshared b: f32[M]; role all { }", "L403 6"},
        {"grid tile(i: M)\nroles { all: warps 4 }\nshared b: f32; role all { }", "L303 6"},
        {"grid tile(i: M)\nroles { all: warps 4 }\nshared b: f32[4] over d; shared d: f32[4] over b; role all { }",
         "L205 6"},
        {"grid tile(i: M)\nroles { all: warps 4 }\npipeline p stages 2 from a to all { b: f32[4] }; role all { wait p "
         "}",
         "L201 6"},
        {"grid tile(i: M)\nroles { all: warps 4 }\nview v: f32[M * N] = x; role all { let a = load v[0] }", ""},
        {"grid tile(i: M)\nroles { all: warps 4 }\nview v: f16[M * N] = x; role all { let a = load v[0] }", "L301 6"},
        {"grid tile(i: M)\nroles { all: warps 4 }\nview v: f32[M] = w; view w: f32[M] = v; role all { }", "L205 6"},
        {"grid tile(i: M)\nroles { all: warps 4 }\nview v: f32[M] = im2col(x); role all { }", "L303 6"},
        {"grid tile(i: M)\nroles { all: warps 4 }\nview v: f32[M] = x strides [1, 1]; role all { }", "L303 6"},
        {"grid tile(i: M)\nroles { all: warps 4 }\nview v: f32[M] = M; role all { }", "L306 6"},
        {"grid persistent tile(i: M, j: N)\nroles { all: warps 4 }\nlet a = i; role all { let b = a }", "L206 6"},
        {"grid persistent tile(i: M, j: N)\nroles { all: warps 4 }\nlet f(e) = e + i; role all { let b = f(1) }",
         "L206 6"},
        {"grid persistent tile(i: M, j: N)\nroles { all: warps 4 }\nrole all { for tile (i, j) { let a = i + j } }",
         ""},
        {"grid persistent tile(i: M, j: N)\nroles { all: warps 4 }\nrole all { for tile (j, i) { } }", "L214 6"},
        {"grid persistent tile(i: M, j: N)\nroles { all: warps 4 }\nrole all { for tile (i) { } }", "L214 6"},
        {"grid persistent tile(i: M)\nroles { all: warps 4 }\nrole all { for tile (i) { }\nfor tile (i) { } }",
         "L214 7"},
        {"grid persistent tile(i: M)\nroles { all: warps 4 }\nrole all { if true {\nfor tile (i) { } } }", "L214 7"},
    };
    CHECK_ROWS(rows, before, after);
}

/* Definitions of the file, with a kernel that uses them. */
static void test_functions(void **state) {
    (void)state;
#define KERNEL(use)                                                                                                    \
    "\nkernel k(x: f32[N], n: i32[N], out y: f32[N])\ngrid tile(i: 1)\nroles { all: warps 1 }\nrole all { " use " }\n"
    static const row rows[] = {
        {"let f(a) = a * a" KERNEL("let u = f(load x[0 :+ 4]); let v = f(2)"), ""},
        {"let f(a) = g(a) + 1\nlet g(a) = a * 2" KERNEL("let v = f(2)"), ""},
        {"let f(a) = g(a)\nlet g(a) = f(a)" KERNEL("let v = f(2)"), "L215 3"},
        {"let f(a) = f(a)" KERNEL("let v = f(2)"), "L215 2"},
        {"let f(a) = a + N" KERNEL("let v = f(2)"), "L201 2"},
        {"let f(a) = !a" KERNEL("let v = f(2)"), "L302 2"},
        {"let f(a, b) = a" KERNEL("let v = f(2)"), "L308 6"},
        {"let f(a) = a" KERNEL("let v = f(a=2)"), "L308 6"},
        {"let f(a) = a" KERNEL("let v = f(x)"), "L305 6"},
        {"let f(a) = a" KERNEL("let v = f"), "L307 6"},
        {"let f(a, a) = a" KERNEL(""), "L202 2"},
        {"let f(a, b) = (b, a)" KERNEL("let u, v = f(1, 2.0); let w = f(1, 2)"), "L313 6"},
        {"let f(a, b) = (b, a)" KERNEL("let u = f(1, 2)[None]"), "L313 6"},
        {"let f(a, b) = max(a, b)" KERNEL("let u = reduce(f, load x[0 :+ 4]); let v = scan(f, load n[0 :+ 4])"), ""},
        {"let f(a, b) = a < b" KERNEL("let u = reduce(f, load x[0 :+ 4])"), "L316 6"},
        {"let f(a) = a" KERNEL("let u = reduce(f, load x[0 :+ 4])"), "L316 6"},
        {"let f(a, b) = a" KERNEL("let u, v = reduce(f, iota(4), iota(4))"), "L316 6"},
        {"let f(a, p, b, q) = (max(a, b), min(p, q))" KERNEL("let u, v = reduce(f, load x[0 :+ 4], iota(4), axis=0)"),
         ""},
        {"let f(a, p, b, q) = (max(a, b), min(p, q))" KERNEL("let u = reduce(f, load x[0 :+ 4], iota(4))"), "L313 6"},
        {"let f(a, p, b, q) = (max(a, b), min(p, q))" KERNEL("let u, v = scan(f, load x[0 :+ 4], 1)"), "L303 6"},
        {"let f(a) = a" KERNEL("let u = reduce(f, iota(4), iota(4), iota(4))"), "L308 6"},
        {"let im2col(a) = a" KERNEL(""), "L202 2"},
        {"const N = 4" KERNEL("let u = N"), ""},
        {"const i = 4" KERNEL(""), "L202 4"},
    };
    CHECK_ROWS(rows, "target sm_80\n", "");
}

/* ---- types ---- */

/* Type of the last 'let' of the last role. */
static const char *last_let(fixture *test) {
    const cake_kernel *kernel = test->module->kernels.items[0];
    const cake_block *block = &kernel->bodies.items[kernel->bodies.count - 1]->block;
    const cake_stmt *stmt = block->statements.items[block->statements.count - 1];
    cake_type type = stmt->kind == CAKE_STMT_VAR ? stmt->u.var.symbol->type : stmt->u.let.symbols[0]->type;
    if (type.kind != CAKE_TYPE_VALUE) return "no value";
    return cake_arena_format(&test->arena, "%s %u", cake_dtype_name(type.dtype), type.rank);
}

static void test_types(void **state) {
    (void)state;
    static const row rows[] = {
        {"let a = 1", "index 0"},
        {"let a = 1.5", "real 0"},
        {"let a = inf", "real 0"},
        {"let a = M / 2", "index 0"},
        {"let a = M * 0.5", "real 0"},
        {"let a = s * 2", "f32 0"},
        {"let a = i < 3", "bool 0"},
        {"let a = iota(8)", "index 1"},
        {"let a = 0 <= iota(8) < s", "bool 1"},
        {"let a = load x[i, 0 :+ 4]", "f32 1"},
        {"let a = load x[0 :+ 4]", "f32 2"},
        {"let a = load x[0 :+ 4, 0 :+ 8].T", "f32 2"},
        {"let a = load x[iota(4), :]", "f32 2"},
        {"let a = load x[iota(4), iota(4)]", "f32 1"},
        {"let a = load x[iota(4)[:, None], iota(4)[None, :]]", "f32 2"},
        {"let a = load x[i, 0]", "f32 0"},
        {"let a = load pb@1", "f32 1"},
        {"let a = (load x[i, 0 :+ 4])[None, :, None]", "f32 3"},
        {"let a = load x[i, None, 0 :+ 4]", "f32 2"},
        {"let a = iota(8)[0 :+ 4]", "index 1"},
        {"let a = (load x[0 :+ 4])[:, 0 :+ 2]", "f32 2"},
        {"let a = cast bf16 (load x[i, 0 :+ 4]) * 2", "bf16 1"},
        {"let a = bitcast i32 (load x[i, 0 :+ 4])", "i32 1"},
        {"let a = sum(load x[0 :+ 4, 0 :+ 4], axis=1)", "f32 1"},
        {"let a = sum(load x[0 :+ 4, 0 :+ 4])", "f32 0"},
        {"let a = sum(load x[0 :+ 4, 0 :+ 4] within lane, axis=1)", "f32 2"},
        {"let a = argmax(load x[0 :+ 4, 0 :+ 4], axis=0)", "index 1"},
        {"let a = count(iota(4) < 2)", "index 0"},
        {"let a = max(load z[0 :+ 4], 0)", "i32 1"},
        {"let a = select(iota(4) < 2, s, -inf)", "f32 1"},
        {"let a = select(true, 1, 0)", "index 0"},
        {"let a = popc(load z[0 :+ 4])", "i32 1"},
        {"let a = ispow2(N)", "bool 0"},
        {"let a = cdiv(load z[i], 4)", "i32 0"},
        {"let a = concat(iota(4), iota(4))", "index 1"},
        {"let a = reshape(iota(8), 2, 2, 2)", "index 3"},
        {"let a = scan(load x[0 :+ 4, 0 :+ 4], axis=1)", "f32 2"},
        {"let a = topk(iota(8), 2)", "index 1"},
        {"let a = atomic.add z[iota(4)] <- 1", "i32 1"},
        {"let a = await z[i] until it == 1 from (i)", "i32 0"},
        {"let a = M in {1, 2}", "bool 0"},
        {"let a = true & !false", "bool 0"},
        {"var a = M", "i64 0"},
        {"var a = 0.5", "f32 0"},
        {"var a = iota(4) < 2", "bool 1"},
        {"var a: bf16[4, 4]", "bf16 2"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        static fixture test;
        char text[4096];
        (void)snprintf(text, sizeof text, "%s%s%s", role_before, rows[i].text, role_after);
        parse(&test, text);
        const char *got = test.diagnostics.error_count ? findings(&test) : last_let(&test);
        if (strcmp(got, rows[i].expected) != 0)
            fail_msg("'%s' instead of '%s' for %s", got, rows[i].expected, rows[i].text);
        cake_arena_fini(&test.arena);
    }
}

/* ---- programs, targets ---- */

static void test_programs(void **state) {
    (void)state;
    static const char before[] = "target sm_80\nconst C = 4\n"
                                 "kernel k(x: f32[M, N], out y: f32[M], s: f32)\nwhere static N\n"
                                 "grid tile(i: M)\nroles { all: warps 1 }\nrole all { }\n";
    static const row rows[] = {
        {"program p(a: f32[A, B], out b: f32[A], s: f32) { run k(a, b, s) }", ""},
        {"program p(a: f32[A, B], out b: f32[A]) {\nrun k(a, b) }", "L308 9"},
        {"program p(a: f32[A, B], out b: f32[A]) {\nrun kk(a, b) }", "L201 9"},
        {"program p(a: f32[A, B], b: f32[A]) {\nrun k(a, b, 1) }", "L213 9"},
        {"program p(a: f32[A], out b: f32[A]) {\nrun k(a, b, 1) }", "L320 9"},
        {"program p(a: f16[A, B], out b: f32[A]) {\nrun k(a, b, 1) }", "L320 9"},
        {"program p(a: f32[A, B], out b: f32[A], t: f16) {\nrun k(a, b, t) }", "L301 9"},
        {"program p(a: f32[A, B], out b: f32[A]) {\nrun k(a, c, 1) }", "L201 9"},
        {"program p(a: f32[A, B], out b: f32[A]) {\nrun k(A, b, 1) }", "L320 9"},
        {"program p(a: f32[A, B]) {\ntemp t: f32[A]; fill t <- 0; run k(a, t, 0.5) }", ""},
        {"program p(a: f32[A, B]) {\ntemp t: f32[C + Z]; fill t <- 0; run k(a, t, 0.5) }", "L201 9"},
        {"program p(a: f32[A, B]) {\ntemp t: f32[A]; fill t <- true }", "L301 9"},
        {"program p(a: f32[A, B]) {\nfill a <- 0 }", "L213 9"},
        {"program p(a: f32[A, B]) {\nfill A <- 0 }", "L204 9"},
        {"program p(a: f32[A, B], inout b: f32[A]) {\nrun j(b, b) }\n", "L201 9; L320 9"},
        {"program p(a: f32[A, B], out b: f32[A])\nwhere A > 4, all(a > 0), static C { run k(a, b, 1) }", "L204 9"},
    };
    CHECK_ROWS(rows, before, "");
    static fixture test;
    char text[4096];
    (void)snprintf(text, sizeof text, "%s%s", before, rows[0].text);
    parse(&test, text);
    const cake_program *program = test.module->programs.items[0];
    assert_int_equal(program->dimensions.count, 2);
    assert_false(program->dimensions.items[0]->is_static);
    assert_true(program->dimensions.items[1]->is_static); /* through the callee */
    cake_arena_fini(&test.arena);
}

#define ON_TARGET(declarations, statements)                                                                            \
    "\nkernel k(x: f32[M], out y: f32[M])\ngrid tile(i: M)\n" declarations "\nrole r { " statements " }\n"

static void test_targets(void **state) {
    (void)state;
    static const row rows[] = {
        {"target sm_80" ON_TARGET("roles { r: warps 1 }", "fence async; grid.wait; grid.trigger"), ""},
        {"target sm_80" ON_TARGET("roles { r: warps 1 }", "bulk.commit; bulk.wait 0"), "H101 5"},
        {"target sm_90a" ON_TARGET("roles { r: warps 1 }", "bulk.commit; bulk.wait 0"), ""},
        {"target sm_89" ON_TARGET("roles { r: warps 1 }", "sync cluster"), "H102 5; L218 5"},
        {"target sm_100a" ON_TARGET("roles { r: warpgroups 1 }", "wgmma.commit; wgmma.wait 0"), "H103 5"},
        {"target sm_120a" ON_TARGET("roles { r: warpgroups 1 regs 40 }", ""), "H104 4"},
        {"target sm_90a" ON_TARGET("roles { r: warps 1 }; tmem t: f32[128, 64]", "let a = load t"), "H105 4"},
        {"target sm_100a" ON_TARGET("roles { r: warps 1 }; tmem t: f32[128, 64]", "let a = load t"), ""},
        {"target sm_100a" ON_TARGET("roles { r: warps 1 }; tmem t: f32[128, 64]", "store t <- 0"), "L223 5"},
        {"target sm_100a" ON_TARGET("roles { r: warps 1 }; tmem t: f16[128]", ""), "L303 4"},
    };
    CHECK_ROWS(rows, "", "");
}

/* ---- nothing stays open ---- */

typedef struct audit {
    uint32_t expressions;
    bool failed;
} audit;

static void audit_expr(void *context, cake_expr **child) {
    audit *count = context;
    cake_expr *expr = *child;
    count->expressions++;
    bool is_function =
        expr->kind == CAKE_EXPR_NAME && expr->u.name.symbol && expr->u.name.symbol->kind == CAKE_SYMBOL_FUNCTION;
    if (expr->kind == CAKE_EXPR_NAME && !expr->u.name.symbol) count->failed = true;
    if (expr->type.kind == CAKE_TYPE_ERROR && !is_function) count->failed = true;
    cake_resolve_children(expr, audit_expr, count);
    if (expr->kind == CAKE_EXPR_CALL && expr->u.call.expansion) audit_expr(count, &expr->u.call.expansion);
}

static void audit_block(audit *count, cake_block *block);

static void audit_statement(audit *count, cake_stmt *stmt) {
    cake_expr *parts[4] = {0};
    if (stmt->kind == CAKE_STMT_LET) parts[0] = stmt->u.let.value;
    if (stmt->kind == CAKE_STMT_VAR) parts[0] = stmt->u.var.value;
    if (stmt->kind == CAKE_STMT_ASSIGN) parts[0] = stmt->u.assign.place, parts[1] = stmt->u.assign.value;
    if (stmt->kind == CAKE_STMT_FOR)
        parts[0] = stmt->u.loop.from, parts[1] = stmt->u.loop.to, parts[2] = stmt->u.loop.step;
    if (stmt->kind == CAKE_STMT_STORE) {
        parts[0] = stmt->u.store.place, parts[1] = stmt->u.store.value;
        parts[2] = stmt->u.store.clauses.where, parts[3] = stmt->u.store.clauses.vec;
    }
    if (stmt->kind == CAKE_STMT_TMA_LOAD || stmt->kind == CAKE_STMT_TMA_STORE)
        parts[0] = stmt->u.copy.to, parts[1] = stmt->u.copy.from;
    if (stmt->kind == CAKE_STMT_WGMMA)
        parts[0] = stmt->u.matrix.accumulator, parts[1] = stmt->u.matrix.x, parts[2] = stmt->u.matrix.y;
    if (stmt->kind == CAKE_STMT_EVALUATE) parts[0] = stmt->u.evaluate.value;
    if (stmt->kind == CAKE_STMT_IF) parts[0] = stmt->u.branch.condition;
    if (stmt->kind == CAKE_STMT_WHILE) parts[0] = stmt->u.loop_while.condition;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (parts[i]) audit_expr(count, &parts[i]);
    }
    if (stmt->kind == CAKE_STMT_FOR) audit_block(count, &stmt->u.loop.body);
    if (stmt->kind == CAKE_STMT_FOR_TILE) audit_block(count, &stmt->u.for_tile.body);
    if (stmt->kind == CAKE_STMT_WHILE) audit_block(count, &stmt->u.loop_while.body);
    if (stmt->kind == CAKE_STMT_IF) {
        audit_block(count, &stmt->u.branch.then);
        audit_block(count, &stmt->u.branch.otherwise);
    }
}

static void audit_block(audit *count, cake_block *block) {
    for (uint32_t i = 0; i < block->statements.count; i++)
        audit_statement(count, block->statements.items[i]);
}

static const char attention[] =
    "target sm_90a\nlet best(a, i, b, j) = (select(b > a, b, a), select(b > a, j, i))\nlet twice(x) = add(x, x)\n"
    "let add(x, y) = x + y\n"
    "kernel attention(q: bf16[B, HQ, S, D], k: bf16[B, HK, T, D], out o: bf16[B, HQ, S, D], scale: f32)\n"
    "where static D, D in {64, 128}, 1 <= HQ, HQ % HK == 0, scale > 0, finite(k)\ntune BT in {64, 128} = 128\n"
    "grid persistent tile(b: B, h: HQ, n: cdiv(S, 128)) order grouped(b, 4)\n"
    "roles { load: warpgroups 1 regs 40; math: warpgroups 2 regs 232 }\n"
    "pipeline qs stages 1 from load to math { sq: bf16[128, D] swizzle 128 }\n"
    "pipeline ks stages 2 from load to math { sk: bf16[BT, D] swizzle 128 }\nbaton turn over math\n"
    "role load {\n  for tile (b, h, n) {\n    acquire qs; tma.load sq <- q[b, h, n * 128, 0]; commit qs\n"
    "    for t in 0 .. cdiv(T, BT) { acquire ks; tma.load sk <- k[b, h / (HQ / HK), t * BT, 0]; commit ks }\n  }\n}\n"
    "role math(w) {\n  for tile (b, h, n) {\n    var top: f32[64] = -inf\n    wait qs\n"
    "    for t in 0 .. cdiv(T, BT) {\n      var s: f32[64, BT]\n      wait ks; take turn\n"
    "      wgmma s = sq[w * 64 :+ 64, :] * sk.T\n      wgmma.commit; pass turn; wgmma.wait 0; release ks keep 0\n"
    "      if (t + 1) * BT > T { s = select((t * BT + iota(BT) < T)[None, :], s, -inf) }\n"
    "      let m, at = reduce(best, twice(s), t * BT + iota(BT)[None, :] + cast i32 (s * 0), axis=1)\n"
    "      top = max(top, m * scale)\n    }\n    release qs keep 0\n"
    "    store o[b, h, n * 128 + w * 64 :+ 64, :] <- cast bf16 top[:, None] vec 2 clip\n  }\n}\n";

static void test_everything_is_resolved(void **state) {
    (void)state;
    static fixture test;
    parse(&test, attention);
    if (test.diagnostics.error_count) fail_msg("%s", findings(&test));
    audit count = {0};
    const cake_kernel *kernel = test.module->kernels.items[0];
    for (uint32_t i = 0; i < kernel->bodies.count; i++) {
        audit_block(&count, &kernel->bodies.items[i]->block);
        assert_non_null(kernel->bodies.items[i]->role.symbol->role->body);
    }
    assert_false(count.failed);
    assert_true(count.expressions > 100);
    assert_int_equal(kernel->dimensions.count, 6);
    assert_string_equal(kernel->dimensions.items[3]->name, "D");
    assert_true(kernel->dimensions.items[3]->is_static);
    cake_arena_fini(&test.arena);
}

static void test_expansion_is_limited(void **state) {
    (void)state;
    static fixture test;
    char text[8192] = "target sm_80\nlet g0(x) = x + x + x + x + x + x\n";
    size_t size = strlen(text);
    for (int i = 1; i < 20; i++)
        size += (size_t)snprintf(text + size, sizeof text - size, "let g%d(x) = g%d(x) + g%d(x) * g%d(x)\n", i, i - 1,
                                 i - 1, i - 1);
    (void)snprintf(text + size, sizeof text - size,
                   "kernel k(x: f32[M])\ngrid tile(i: M)\nroles { r: warps 1 }\nrole r { let a = g19(1) }\n");
    parse(&test, text);
    assert_string_equal(findings(&test), "L216 3");
    cake_arena_fini(&test.arena);
}

static void test_a_report_says_what_to_do(void **state) {
    (void)state;
    static fixture test;
    parse(&test, "target sm_80\nlet half(v) = v / HALVES\nconst HALFS = 2\nkernel k(x: f32[M])\ngrid tile(i: M)\n"
                 "roles { r: warps 1 }\nrole r { let a = load x[i] + 1; let b = a * i + x }\n");
    const cake_diagnostic *first = test.diagnostics.list.items[0], *second = test.diagnostics.list.items[1];
    assert_string_equal(findings(&test), "L201 2; L305 7");
    assert_string_equal(first->fixes.items[0].edits.items[0].text, "HALFS");
    assert_string_equal(second->fixes.items[0].edits.items[0].text, "(load x)");
    assert_string_equal(second->path, "k/r");
    cake_arena_fini(&test.arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_statements),
        cmocka_unit_test(test_builtins),
        cmocka_unit_test(test_declarations),
        cmocka_unit_test(test_functions),
        cmocka_unit_test(test_types),
        cmocka_unit_test(test_programs),
        cmocka_unit_test(test_targets),
        cmocka_unit_test(test_everything_is_resolved),
        cmocka_unit_test(test_expansion_is_limited),
        cmocka_unit_test(test_a_report_says_what_to_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
