#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "frontend/lexer.h"
#include "tests/unit/parse_support.h"

/* cmocka needs the headers above first. */
#include <cmocka.h>

#define SCHEDULES "../schedules"
#define REFERENCE "../../docs/language.md"

typedef struct fixture {
    jmp_buf out_of_memory;
    cake_arena arena;
} fixture;

static int set_up(void **state) {
    fixture *created = calloc(1, sizeof *created);
    if (!created) return -1;
    *state = created;
    if (setjmp(created->out_of_memory)) fail_msg("the arena is exhausted");
    cake_arena_init(&created->arena, CAKE_ARENA_DEFAULT_LIMIT, &created->out_of_memory);
    return 0;
}

static int tear_down(void **state) {
    fixture *used = *state;
    cake_arena_fini(&used->arena);
    free(used);
    return 0;
}

static cake_arena *arena_of(void **state) {
    return &((fixture *)*state)->arena;
}

/* "L105 L106", in the order of the list. */
static const char *codes_of(cake_arena *arena, const parsed *result) {
    cake_text text;
    cake_text_init(&text, arena);
    for (uint32_t i = 0; i < result->diagnostics.list.count; i++)
        cake_text_format(&text, "%s%s", i == 0 ? "" : " ",
                         cake_diagnostic_info_of(result->diagnostics.list.items[i]->code)->code);
    return cake_text_string(&text);
}

static const parsed *parse_around(cake_arena *arena, const char *before, const char *text, const char *after) {
    const char *whole = cake_arena_format(arena, "%s%s%s", before, text, after);
    return parse_text(arena, whole, strlen(whole));
}

/* ---- expressions ---- */

typedef struct expression_row {
    const char *text;
    const char *tree;
    const char *printed; /* null: as 'text' */
} expression_row;

static const expression_row expression_rows[] = {
    {"1 + 2 * 3", "(+ 1 (* 2 3))", NULL},
    {"(1 + 2) * 3", "(* (+ 1 2) 3)", NULL},
    {"1 - 2 - 3", "(- (- 1 2) 3)", NULL},
    {"1 - (2 - 3)", "(- 1 (- 2 3))", NULL},
    {"((1)) + (2)", "(+ 1 2)", "1 + 2"},
    {"a | b ^ c & d << e + f * g", "(| a (^ b (& c (<< d (+ e (* f g))))))", NULL},
    {"((a | b) ^ c) & d", "(& (^ (| a b) c) d)", "((a | b) ^ c) & d"},
    {"s >> 32 & 1 == 1", "(compare (& (>> s 32) 1) == 1)", NULL},
    {"a & (b == c)", "(& a (compare b == c))", NULL},
    {"1 <= a < b", "(compare 1 <= a < b)", NULL},
    {"1 <= (a & b) < c", "(compare 1 <= (& a b) < c)", NULL},
    {"(a < b) < c", "(compare (compare a < b) < c)", NULL},
    {"a < -b", "(compare a < (- b))", NULL},
    {"D in {64, 128}", "(in {} D 64 128)", NULL},
    {"S in 2 .. 7", "(in .. S 2 7)", NULL},
    {"(a in {1}) in {true}", "(in {} (in {} a 1) true)", NULL},
    {"-a * ~b - !c", "(- (* (- a) (~ b)) (! c))", NULL},
    {"- -a", "(- (- a))", "--a"},
    {"cast bf16 p * v", "(* (cast bf16 p) v)", NULL},
    {"cast bf16 (p * v)", "(cast bf16 (* p v))", NULL},
    {"cast i8 x sat round rz", "(cast i8 x sat rz)", NULL},
    {"cast f16 cast i8 x sat", "(cast f16 (cast i8 x sat))", NULL},
    {"cast i8 (cast f16 x) sat", "(cast i8 (cast f16 x) sat)", NULL},
    {"bitcast u32 x >> 31", "(>> (bitcast u32 x) 31)", NULL},
    {"relayout x + y", "(+ (relayout x) y)", NULL},
    {"load x[i] vec 4 clip 0 != 0", "(compare (load ([] x i) vec 4 clip 0) != 0)", NULL},
    {"load x[i] clip -1", "(load ([] x i) clip (- 1))", NULL},
    {"load x where load m clip 0", "(load x where (load m clip 0))", NULL},
    {"load x clip 0 where (load m)", "(load x clip 0 where (load m))", "load x clip 0 where load m"},
    {"load x where (load m) cache evict_last", "(load x where (load m) cache evict_last)", NULL},
    {"(load x)[i]", "([] (load x) i)", NULL},
    {"x[:, None, i, a :+ b].T", "(.T ([] x : None i :+ a b))", NULL},
    {"sa@1", "(@1 sa)", NULL},
    {"i.rows - 1", "(- (.rows i) 1)", NULL},
    {"sum(x, axis=1)", "(sum/0 x axis= 1)", NULL},
    {"sum(x within lane, axis = 0)", "(sum/0 x within1 axis= 0)", "sum(x within lane, axis=0)"},
    {"exp2.approx.ftz(x)", "(exp2/3 x)", NULL},
    {"max.nan(a, b)", "(max/4 a b)", NULL},
    {"f()", "(f/0)", NULL},
    {"peer(buf[0], 1)[2]", "([] (peer ([] buf 0) 1) 2)", NULL},
    {"atomic.add t[0] <- 1 + 2", "(atomic.add 0 0 ([] t 0) (+ 1 2))", NULL},
    {"(atomic.add t[0] <- 1) + 2", "(+ (atomic.add 0 0 ([] t 0) 1) 2)", NULL},
    {"atomic.add t[0] <- 1 scope cta + 2", "(+ (atomic.add 1 0 ([] t 0) 1) 2)", NULL},
    {"atomic.cas t[i] <- -1, k where m scope gpu order acq_rel", "(atomic.cas 2 3 ([] t i) (- 1) k where m)", NULL},
    {"atomic.load t[0] order acquire", "(atomic.load 0 1 ([] t 0))", NULL},
    {"f(atomic.add t <- 1, atomic.cas t <- 1, 2)", "(f/0 (atomic.add 0 0 t 1) (atomic.cas 0 0 t 1 2))", NULL},
    {"await s[i] until it >> 3 == 1 from (i, j) + 1", "(+ (await ([] s i) (compare (>> it 3) == 1) from i j) 1)", NULL},
    {"0xFF + 1_000 + 1.50 + 2e3 + 1e-7", "(+ (+ (+ (+ 0xff 1000) 1.5f) 2000f) 9.9999999999999995e-08f)",
     "0xFF + 1000 + 1.5 + 2e+03 + 1e-07"},
    {"-inf == nan", "(compare (- inf) == nan)", NULL},
    {"select(true, cta, it)", "(select/0 true cta it)", NULL},
    {"a +\n b", "(+ a b)", "a + b"},
    {"f(\n a\n,\n b)", "(f/0 a b)", "f(a, b)"},
    {"18446744073709551615", "18446744073709551615", NULL},
};

static void test_expressions(void **state) {
    cake_arena *arena = arena_of(state);
    for (size_t i = 0; i < sizeof expression_rows / sizeof *expression_rows; i++) {
        const expression_row *row = &expression_rows[i];
        const parsed *result = parse_around(arena, "target sm_80\nlet r = ", row->text, "\n");
        if (!result->printed) fail_msg("'%s': %s", row->text, codes_of(arena, result));
        assert_string_equal(result->tree + 1, row->tree);
        assert_string_equal(result->printed, cake_arena_format(arena, "target sm_80\nlet r = %s\n",
                                                               row->printed ? row->printed : row->text));
        assert_null(round_trip_fault(arena, result));
    }
}

/* ---- random expressions ---- */

typedef struct random_text {
    cake_text text;
    uint64_t seed;
} random_text;

static uint32_t choose(random_text *generator, uint32_t count) {
    generator->seed ^= generator->seed << 13;
    generator->seed ^= generator->seed >> 7;
    generator->seed ^= generator->seed << 17;
    return (uint32_t)(generator->seed >> 33) % count;
}

static void generate(random_text *generator, uint32_t depth);

/* The words of the pattern, with an expression for each '$', and parentheses around some of them. */
static void generate_pattern(random_text *generator, const char *pattern, uint32_t depth) {
    for (const char *c = pattern; *c; c++) {
        if (*c != '$') {
            cake_text_add(&generator->text, c, 1);
            continue;
        }
        bool grouped = choose(generator, 2) == 0;
        cake_text_add_string(&generator->text, grouped ? "(" : "");
        generate(generator, depth + 1);
        cake_text_add_string(&generator->text, grouped ? ")" : "");
    }
}

static void generate(random_text *generator, uint32_t depth) {
    static const char *const leaves[] = {"x", "1", "0.5", "x.T", "f(y)", "s@1"};
    static const char *const patterns[] = {"$ + $",
                                           "$ - $",
                                           "$ * $",
                                           "$ / $",
                                           "$ & $",
                                           "$ | $",
                                           "$ ^ $",
                                           "$ << $",
                                           "$ < $",
                                           "$ == $",
                                           "$ <= $ < $",
                                           "-$",
                                           "!$",
                                           "cast f32 $",
                                           "cast i8 $ sat",
                                           "cast i8 $ round rz",
                                           "bitcast u32 $",
                                           "relayout $",
                                           "load x[$]",
                                           "load x vec $",
                                           "load x clip $",
                                           "load x where $",
                                           "load x vec $ where $",
                                           "load x cache evict_last",
                                           "atomic.add x <- $",
                                           "atomic.cas x <- $, $",
                                           "atomic.add x <- $ where $",
                                           "atomic.add x <- $ scope cta",
                                           "atomic.load x where $",
                                           "await x until $ from ($)",
                                           "$ in {$, $}",
                                           "$ in $ .. $",
                                           "f($, axis=$)",
                                           "x[$ :+ $, :]"};
    uint32_t leaf_count = sizeof leaves / sizeof *leaves, pattern_count = sizeof patterns / sizeof *patterns;
    if (depth > 4 || choose(generator, 4) == 0)
        cake_text_add_string(&generator->text, leaves[choose(generator, leaf_count)]);
    else
        generate_pattern(generator, patterns[choose(generator, pattern_count)], depth);
}

/* Most of these strings parse; those that do say the same after printing, also with clauses behind them. */
static void test_random_expressions_survive_printing(void **state) {
    (void)state;
    uint32_t parsed_count = 0;
    random_text generator = {.seed = 88172645463325252u};
    for (uint32_t i = 0; i < 30000; i++) {
        fixture *own = NULL;
        set_up((void **)&own);
        cake_text_init(&generator.text, &own->arena);
        cake_text_add_string(&generator.text, "target sm_80\nkernel k()\nrole all { store x <- ");
        generate_pattern(&generator, i % 2 ? "$ clip" : "$ where $ cache evict_last", 0);
        cake_text_add_string(&generator.text, "\n}\n");
        const parsed *result = parse_text(&own->arena, generator.text.bytes, generator.text.size);
        const char *fault = result->printed ? round_trip_fault(&own->arena, result) : NULL;
        if (fault) fail_msg("%s:\n%s\nprinted:\n%s", fault, cake_text_string(&generator.text), result->printed);
        parsed_count += result->printed != NULL;
        tear_down((void **)&own);
    }
    assert_true(parsed_count > 10000);
}

/* ---- errors ---- */

typedef struct error_row {
    const char *text;
    const char *codes;
} error_row;

static const error_row statement_errors[] = {
    {"store b[i] = 1", "L108"},
    {"tma.load s = a[i]", "L108"},
    {"x <- 3", "L108"},
    {"release p", "L115"},
    {"if a < b & c < d { }", "L107"},
    {"if a < b > c { }", "L107"},
    {"if a == b == c { }", "L107"},
    {"tma.lod s <- a[i]", "L114"},
    {"tma s <- a[i]", "L114"},
    {"atomic.nand x <- 1", "L114"},
    {"atomic.add x <- 1 scope cluster", "L114"},
    {"atomic.add x <- 1 order seq_cst", "L114"},
    {"x = cast i8 y round up", "L114"},
    {"x = exp2.fast(y)", "L114"},
    {"x = sin.ftz(y)", "L114"},
    {"let load = 3", "L106"},
    {"let sum = 3", "L106"},
    {"let f32 = 3", "L106"},
    {"x = f32 + 1", "L106"},
    {"x = max", "L105"},
    {"break", "L116"},
    {"x = a && b", "L116"},
    {"x = a || b", "L116"},
    {"let a, b, c = f(x)", "L117"},
    {"let a = (b, c)", "L117"},
    {"let f(x) = x", "L111"},
    {"shared t: f32[2]", "L111"},
    {"while x { }", "L105"},
    {"if x = 3 { }", "L105"},
    {"if x { }\nelse { }", "L105"},
    {"x = 1 2", "L105"},
    {"if x { } y = 1", "L105"},
    {"x = a[0:4]", "L105"},
    {"x = None", "L105"},
    {"x = a[]", "L105"},
    {"x = (1 + 2", "L105"},
    {"x = f(1,)", "L105"},
    {"x = 3(4)", "L105"},
    {"load x", "L105"},
    {"sync all", "L105"},
    {"sync", "L105"},
    {"wgmma.wait", "L105"},
    {"bulk.wait.read", "L105"},
    {"acquire", "L105"},
    {"mma c = x + y", "L105"},
    {"x = 0x", "L102"},
    {"x = 12abc", "L102"},
    {"x = 1__0", "L102"},
    {"x = 1.", "L102"},
    {"x = 18446744073709551616", "L103"},
    {"x = 1e999", "L103"},
    {"x = $ + 1", "L101"},
    {"x = \"a\"", "L101"},
    {"x = \xc3\xa9", "L101"},
    {"store x <- load y vec 2 vec 4", "L109"},
    {"store x <- load y clip", "L109"},
    {"tma.load x <- y vec 4", "L109"},
    {"x = cast i8 y sat sat", "L109"},
    /* several root causes, one report each, and none for what follows from them */
    {"x = (1 + 2\ny = 3\nz = 4 5", "L105 L105"},
    {"x = $\nlet 3 = y\nrelease p\nx = 4", "L101 L105 L115"},
    {"for i in 0 .. { acquire p; commit }\nx = 1 1", "L105 L105 L105"},
    {"if x { release p } else { release q }", "L115 L115"},
    {"for { release p }", "L105 L115"},
    {"sync\nshared t: f32[2]", "L105 L111"},
};

static void test_statement_errors(void **state) {
    cake_arena *arena = arena_of(state);
    for (size_t i = 0; i < sizeof statement_errors / sizeof *statement_errors; i++) {
        const error_row *row = &statement_errors[i];
        const parsed *result = parse_around(arena, "target sm_80\nkernel k()\nrole all {\n", row->text, "\n}\n");
        if (strcmp(codes_of(arena, result), row->codes) != 0)
            fail_msg("'%s': expected %s, got %s", row->text, row->codes, codes_of(arena, result));
    }
}

static const error_row file_errors[] = {
    {"", "L113"},
    {"kernel k()\n", "L113"},
    {"target sm_91\n", "L113"},
    {"target sm_80\ntarget sm_80\n", "L112"},
    {"target sm_80\nkernel k()\ntarget sm_90a\n", "L111"},
    {"target sm_80\nx\ny\nz\n", "L105"},
    {"target sm_80\nkernel k()\ngrid tile(i: 1)\ngrid tile(j: 2)\n", "L112"},
    {"target sm_80\nkernel k()\nroles { a: warps 1 }\nroles { b: warps 1 }\n", "L112"},
    {"target sm_80\nkernel k()\ngrid tile(i: 1) order row order row\n", "L112"},
    {"target sm_80\nkernel k()\nx = 1\nstore a <- 2\nfor i in 0 .. 2 { x = 3 }\n}\n", "L105"},
    {"target sm_80\nkernel k()\nfor i in 0 .. 2 { x = 3 }\n", "L111"},
    {"target sm_80\nkernel k()\nrole a { if x {\n}\nrole b { }\n", "L110"},
    {"target sm_80\nkernel k()\nrole a { if x {\n", "L110"},
    {"target sm_80\nkernel k()\nrole a { }\n}\nrole b { }\n", "L110"},
    {"target sm_80\nkernel k(a: f32[N], b: f33)\nrole b { release p }\n", "L105 L115"},
    {"target sm_80\nkernel k(a: f32[N] b: f32)\n", "L105"},
    {"target sm_80\nkernel k()\nshared s: f32[2] pad 1 pad 2\n", "L109"},
    {"target sm_80\nkernel k()\npipeline p stages 2 to b { }\nbaton x over y z\n", "L105 L105"},
    {"target sm_80\nlet f = (1, 2)\n", "L117"},
    {"target sm_80\nlet f(x) = (x, 2) + 1\n", "L117"},
    {"target sm_80\nprogram p() {\nrole x { }\n", "L110"},
    {"target sm_80\nprogram p() { fill x = 1; frob; run k(,) }\n", "L108 L105 L105"},
    {"target sm_80\n// \x01 \xff comments hold any bytes\n", ""},
    {"target sm_80; const A = 1; kernel k(); roles { a: warps 1 }; role a { sync team; }", ""},
    {"target sm_80\r\nkernel k()\r\n", ""},
};

static void test_file_errors(void **state) {
    cake_arena *arena = arena_of(state);
    for (size_t i = 0; i < sizeof file_errors / sizeof *file_errors; i++) {
        const error_row *row = &file_errors[i];
        const parsed *result = parse_around(arena, "", row->text, "");
        if (strcmp(codes_of(arena, result), row->codes) != 0)
            fail_msg("'%s': expected %s, got %s", row->text, row->codes, codes_of(arena, result));
    }
}

/* Keywords are found by halves, so their table must be sorted; a role may bear any of them. */
static void test_keywords(void **state) {
    cake_arena *arena = arena_of(state);
    for (cake_keyword word = KEYWORD_NONE + 1; word < KEYWORD_END; word++) {
        const char *text = cake_keyword_text(word);
        assert_int_equal(cake_keyword_find(text), word);
        if (strchr(text, '.')) continue;
        const char *schedule = cake_arena_format(
            arena,
            "target sm_80\nkernel k()\nroles { %s: warps 1 }\npipeline p stages 1 from %s to %s { }\nrole %s { }\n",
            text, text, text, text);
        assert_string_equal(codes_of(arena, parse_around(arena, schedule, "", "")), "");
    }
    assert_int_equal(cake_keyword_find("gemm"), KEYWORD_NONE);
}

/* ---- depth and size ---- */

static const char *repeat(cake_arena *arena, const char *before, const char *part, uint32_t count, const char *after) {
    cake_text text;
    cake_text_init(&text, arena);
    cake_text_add_string(&text, before);
    for (uint32_t i = 0; i < count; i++)
        cake_text_add_string(&text, part);
    cake_text_add_string(&text, after);
    return cake_text_string(&text);
}

static void test_depth_is_limited(void **state) {
    static const char *const parts[] = {"1 + ",       "1 - (",           "(",   "-",       "f(",      "x[",
                                        "cast f32 ",  "1 < (",           "! !", "peer(x[", "load x[", "x in 1 .. ",
                                        "a < b in {", "atomic.add x <- "};
    cake_arena *arena = arena_of(state);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        const char *text = repeat(arena, "target sm_80\nlet r = ", parts[i], 100000, "1\n");
        assert_string_equal(codes_of(arena, parse_text(arena, text, strlen(text))), "L104");
    }
    const char *chains[] = {repeat(arena, "let r = x", "[0]", 100000, ""), repeat(arena, "let r = x", ".T", 100000, ""),
                            repeat(arena, "kernel k(a: f32", "[f(x", 100000, ""),
                            repeat(arena, "kernel k()\nrole a { ", "if x { ", 100000, ""),
                            repeat(arena, "kernel k()\nrole a { if x { }", " else if x { }", 100000, "\n}")};
    for (size_t i = 0; i < sizeof chains / sizeof *chains; i++) {
        const parsed *result = parse_around(arena, "target sm_80\n", chains[i], "\n");
        assert_memory_equal(codes_of(arena, result), "L104", 4);
    }
}

static void test_what_is_not_too_deep_round_trips(void **state) {
    cake_arena *arena = arena_of(state);
    const char *text = repeat(arena, "target sm_80\nlet r = ", "1 + ", 250, "1\n");
    const parsed *result = parse_text(arena, text, strlen(text));
    assert_string_equal(codes_of(arena, result), "");
    assert_null(round_trip_fault(arena, result));
}

/* The largest file that is read: many errors, many tokens, and no more than a second or two. */
static void test_large_files_end(void **state) {
    static const char *const parts[] = {"x y\n",    "$ ",       "let a = b\n", "((((((((",
                                        "}}}}}}}}", "{{{{{{{{", "kernel k()\n"};
    for (volatile size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        fixture *volatile own = NULL;
        set_up((void **)&own);
        if (setjmp(own->out_of_memory) == 0) {
            uint32_t count = (1u << 20) / (uint32_t)strlen(parts[i]);
            const char *text = repeat(&own->arena, "target sm_80\n", parts[i], count, "");
            parse_text(&own->arena, text, strlen(text));
        }
        tear_down((void **)&own);
    }
    (void)state;
}

/* ---- formatting ---- */

typedef struct format_row {
    const char *text, *formatted;
} format_row;

static const format_row format_rows[] = {
    {"target   sm_80", "target sm_80\n"},
    {"\n\n// one\n\n\n\ntarget sm_80 //two\n\n", "// one\n\ntarget sm_80  //two\n"},
    {"target sm_80\nconst A=1 // a\nconst LONG=2 // b\n", "target sm_80\nconst A = 1     // a\nconst LONG = 2  // b\n"},
    {"target sm_80\nlet a=- 1+~x-(-y)*f( z,axis = 1 )", "target sm_80\nlet a = -1 + ~x - (-y) * f(z, axis=1)\n"},
    {"target sm_80\ntune P in{ 1,2 }=1,Q in 2..7=4", "target sm_80\ntune P in {1, 2} = 1, Q in 2 .. 7 = 4\n"},
    {"target sm_80\nlet v = x [ : ,None,a:+b ] . T @ 1", "target sm_80\nlet v = x[:, None, a :+ b].T@1\n"},
    {"target sm_80\nkernel k( a:f32[ N ] strides[1] ,\nout b:f32 )\nwhere N>1,\nN<4\n",
     "target sm_80\nkernel k(a: f32[N] strides [1],\n    out b: f32)\nwhere N > 1,\n    N < 4\n"},
    {"target sm_80\nkernel k()\nroles{a:warps 1;max:warps(2)}\nrole max(w){for tile(m,n){acquire p;commit p}\n}",
     "target sm_80\nkernel k()\nroles { a: warps 1; max: warps (2) }\nrole max(w) { for tile (m, n) { acquire p; "
     "commit p }\n}\n"},
    {"target sm_80\nkernel k()\nrole a { for i in 0 .. 1 { if x {\ny=1\n} } }\n",
     "target sm_80\nkernel k()\nrole a { for i in 0 .. 1 { if x {\n  y = 1\n} } }\n"},
    {"target sm_80\nkernel k()\nrole a {\nwhile any(x) max(max(1,2)) {\n// inside\nx = (load y [i]) + max (1, "
     "2)\n}\n}\n",
     "target sm_80\nkernel k()\nrole a {\n  while any(x) max (max(1, 2)) {\n    // inside\n    x = (load y[i]) + "
     "max(1, 2)\n  }\n}\n"},
    {"target sm_80\nkernel k()\nrole a {\nx = f(\n1,\n2\n)\n}\n",
     "target sm_80\nkernel k()\nrole a {\n  x = f(\n      1,\n      2\n  )\n}\n"},
};

static void test_formatting(void **state) {
    cake_arena *arena = arena_of(state);
    for (size_t i = 0; i < sizeof format_rows / sizeof *format_rows; i++) {
        const parsed *result = parse_around(arena, format_rows[i].text, "", "");
        cake_diagnostics diagnostics = result->diagnostics;
        const char *formatted = cake_frontend_format(arena, result->source, &diagnostics);
        if (!formatted) fail_msg("'%s': %s", format_rows[i].text, codes_of(arena, result));
        assert_string_equal(formatted, format_rows[i].formatted);
        const parsed *again = parse_around(arena, formatted, "", "");
        assert_string_equal(cake_frontend_format(arena, again->source, &diagnostics), formatted);
    }
}

static void test_files_in_error_are_not_formatted(void **state) {
    cake_arena *arena = arena_of(state);
    const parsed *result = parse_around(arena, "target sm_80\nlet x = \n", "", "");
    cake_diagnostics diagnostics = result->diagnostics;
    assert_null(cake_frontend_format(arena, result->source, &diagnostics));
}

/* ---- whole schedules ---- */

/* Parses and resolves, survives printing, and is in canonical layout. */
static void check_schedule(cake_arena *arena, const char *name, const char *text, size_t size) {
    const parsed *result = parse_text(arena, text, size);
    if (!result->printed) fail_msg("%s: %s", name, codes_of(arena, result));
    const char *fault = round_trip_fault(arena, result);
    if (fault) fail_msg("%s: %s", name, fault);
    parsed resolved = *result;
    cake_frontend_parse(arena, result->source, &resolved.diagnostics);
    if (resolved.diagnostics.error_count > 0) fail_msg("%s: %s", name, codes_of(arena, &resolved));
    const char *formatted = cake_frontend_format(arena, result->source, &resolved.diagnostics);
    if (!formatted || strcmp(formatted, text) != 0) fail_msg("%s is not in canonical layout", name);
}

static cake_source read_source(cake_arena *arena, const char *path) {
    cake_source source;
    cake_status status = cake_source_read(arena, path, &source);
    if (status.kind != CAKE_STATUS_OK) fail_msg("%s", status.message);
    return source;
}

static void test_schedules(void **state) {
    cake_arena *arena = arena_of(state);
    DIR *folder = opendir(SCHEDULES);
    assert_non_null(folder);
    uint32_t count = 0;
    for (struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) {
        size_t size = strlen(entry->d_name);
        if (size < 5 || strcmp(entry->d_name + size - 5, ".cake") != 0) continue;
        cake_source source = read_source(arena, cake_arena_format(arena, SCHEDULES "/%s", entry->d_name));
        check_schedule(arena, entry->d_name, source.text, source.size);
        count++;
    }
    closedir(folder);
    assert_true(count >= 12);
}

/* Every block of the language reference that is marked 'cake' is a whole schedule. */
static void test_schedules_of_the_reference(void **state) {
    static const char fence[] = "```cake\n";
    cake_arena *arena = arena_of(state);
    cake_source source = read_source(arena, REFERENCE);
    uint32_t count = 0;
    for (const char *block = strstr(source.text, fence); block; block = strstr(block, fence)) {
        block += sizeof fence - 1;
        const char *end = strstr(block, "```\n");
        assert_non_null(end);
        size_t size = (size_t)(end - block);
        check_schedule(arena, cake_arena_format(arena, "schedule %u of " REFERENCE, ++count),
                       cake_arena_copy(arena, block, size), size);
        block = end + 4;
    }
    assert_true(count >= 4);
}

/* ---- the public expression parser ---- */

static void test_expression_parser(void **state) {
    cake_arena *arena = arena_of(state);
    static const char text[] = "input x: bf16[M, K] // c\nlet y =\n  x * 2; ? z\nend";
    cake_source source;
    cake_source_init(&source, arena, "w.work", text, sizeof text - 1);
    cake_diagnostics diagnostics;
    cake_diagnostics_init(&diagnostics, arena, &source);
    cake_interner names;
    cake_interner_init(&names, arena);
    cake_parser *parser = cake_parser_create(arena, &source, &names, &diagnostics);
    cake_span span;
    cake_written_type type = {0};
    assert_true(cake_parser_take(parser, "input"));
    assert_string_equal(cake_parser_name(parser, &span), "x");
    assert_true(cake_parser_expect(parser, ":"));
    assert_true(cake_parser_type(parser, &type));
    assert_int_equal(type.extents.count, 2);
    assert_false(cake_parser_take(parser, "let"));
    assert_true(cake_parser_end_of_statement(parser));
    assert_false(cake_parser_end_of_statement(parser));
    assert_true(cake_parser_expect(parser, "let"));
    assert_string_equal(cake_parser_name(parser, &span), "y");
    assert_true(cake_parser_expect(parser, "="));
    assert_non_null(cake_parser_expression(parser));
    assert_true(cake_parser_end_of_statement(parser));
    assert_null(cake_parser_expression(parser));
    cake_parser_skip_statement(parser);
    assert_true(cake_parser_end_of_statement(parser));
    assert_true(cake_parser_take(parser, "end"));
    assert_true(cake_parser_at_end(parser));
    assert_true(cake_parser_end_of_statement(parser));
    assert_int_equal(diagnostics.error_count, 1);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_expressions),
        TEST(test_random_expressions_survive_printing),
        TEST(test_statement_errors),
        TEST(test_file_errors),
        TEST(test_keywords),
        TEST(test_depth_is_limited),
        TEST(test_what_is_not_too_deep_round_trips),
        TEST(test_large_files_end),
        TEST(test_formatting),
        TEST(test_files_in_error_are_not_formatted),
        TEST(test_schedules),
        TEST(test_schedules_of_the_reference),
        TEST(test_expression_parser),
    };
    return cmocka_run_group_tests_name("frontend_parse", tests, NULL, NULL);
}
