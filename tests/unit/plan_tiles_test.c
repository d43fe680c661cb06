/* Tile orders: the coordinates that a plan computes from a tile's number are evaluated for all small extents and
 * compared with an enumeration of the order. */
#include "tests/unit/plan_fixture.h"

#define AXES    3
#define LARGEST 5

/* ---- evaluation of index values ---- */

typedef struct environment {
    const char *names[AXES];
    int64_t extents[AXES], tile;
    int64_t cluster, rank; /* CTAs of a cluster, and which one this is */
} environment;

static int64_t evaluate(const environment *env, const cake_plan_value *value);

static int64_t floor_div(int64_t a, int64_t b) {
    assert_true(b > 0);
    return a / b - (a % b < 0);
}

static int64_t binary(cake_binary_op op, int64_t a, int64_t b) {
    if (op == CAKE_BINARY_ADD) return a + b;
    if (op == CAKE_BINARY_SUB) return a - b;
    if (op == CAKE_BINARY_MUL) return a * b;
    if (op == CAKE_BINARY_DIV) return floor_div(a, b);
    if (op == CAKE_BINARY_MOD) return a - b * floor_div(a, b);
    assert_int_equal(op, CAKE_BINARY_EQ);
    return a == b;
}

static int64_t call(const environment *env, const cake_plan_op *op) {
    int64_t a = evaluate(env, op->operands[0]), b = evaluate(env, op->operands[1]);
    if (op->u.call.function == CAKE_BUILTIN_MIN) return a < b ? a : b;
    if (op->u.call.function == CAKE_BUILTIN_MAX) return a > b ? a : b;
    if (op->u.call.function == CAKE_BUILTIN_CDIV) return -floor_div(-a, b);
    assert_int_equal(op->u.call.function, CAKE_BUILTIN_SELECT);
    return a ? b : evaluate(env, op->operands[2]);
}

static int64_t compute(const environment *env, const cake_plan_op *op) {
    switch (op->kind) {
    case CAKE_PLAN_DIMENSION:
        for (int i = 0; i < AXES; i++)
            if (strcmp(env->names[i], op->u.leaf.name) == 0) return env->extents[i];
        break;
    case CAKE_PLAN_CTA_ID:
        return env->tile * env->cluster + env->rank;
    case CAKE_PLAN_INDUCTION:
        return env->tile;
    case CAKE_PLAN_CLUSTER_RANK:
        return env->rank;
    case CAKE_PLAN_BINARY:
        return binary(op->u.binary, evaluate(env, op->operands[0]), evaluate(env, op->operands[1]));
    case CAKE_PLAN_CALL:
        return call(env, op);
    default:
        break;
    }
    fail_msg("'%s' in a coordinate", cake_plan_op_name(op->kind));
    return 0;
}

/* The plan's range must hold what the value is. */
static int64_t evaluate(const environment *env, const cake_plan_value *value) {
    int64_t result = value->is_constant ? value->integer : compute(env, value->definition);
    if (value->dtype == CAKE_DTYPE_INDEX && (result < value->low || result > value->high))
        fail_msg("%lld outside %lld .. %lld", (long long)result, (long long)value->low, (long long)value->high);
    return result;
}

/* ---- the orders, enumerated ---- */

typedef struct order_row {
    const char *text;
    enum { ROW, GROUPED, SNAKE, REVERSE } kind;
    int x;
    int64_t group;
} order_row;

static const order_row orders[] = {
    {"", ROW, 0, 1},
    {"order row", ROW, 0, 1},
    {"order grouped(a, 1)", GROUPED, 0, 1},
    {"order grouped(a, 2)", GROUPED, 0, 2},
    {"order grouped(a, 3)", GROUPED, 0, 3},
    {"order grouped(a, 8)", GROUPED, 0, 8},
    {"order grouped(b, 2)", GROUPED, 1, 2},
    {"order grouped(c, 2)", GROUPED, 2, 2},
    {"order grouped(c, 4)", GROUPED, 2, 4},
    {"order snake(a)", SNAKE, 0, 1},
    {"order snake(b)", SNAKE, 1, 1},
    {"order snake(c)", SNAKE, 2, 1},
    {"order reverse(a)", REVERSE, 0, 1},
    {"order reverse(b)", REVERSE, 1, 1},
    {"order reverse(c)", REVERSE, 2, 1},
};
#define ORDERS (sizeof orders / sizeof *orders)

typedef struct tile_list {
    int64_t at[LARGEST * LARGEST * LARGEST][AXES];
    int64_t count;
} tile_list;

static void add_tile(tile_list *list, const int64_t *at) {
    memcpy(list->at[list->count++], at, sizeof list->at[0]);
}

static void enumerate_rows(const order_row *order, const int64_t *extents, tile_list *list) {
    int64_t at[AXES];
    for (at[0] = 0; at[0] < extents[0]; at[0]++)
        for (at[1] = 0; at[1] < extents[1]; at[1]++)
            for (at[2] = 0; at[2] < extents[2]; at[2]++) {
                int64_t turned[AXES] = {at[0], at[1], at[2]}, slower = 0;
                for (int i = 0; i < order->x; i++)
                    slower = slower * extents[i] + at[i];
                if (order->kind == REVERSE || (order->kind == SNAKE && slower % 2))
                    turned[order->x] = extents[order->x] - 1 - at[order->x];
                add_tile(list, turned);
            }
}

static void enumerate_groups(const order_row *order, const int64_t *extents, tile_list *list) {
    int x = order->x, slow = x == 0 ? 1 : 0, fast = x == 2 ? 1 : 2;
    int64_t at[AXES];
    for (int64_t first = 0; first < extents[x]; first += order->group)
        for (at[slow] = 0; at[slow] < extents[slow]; at[slow]++)
            for (at[fast] = 0; at[fast] < extents[fast]; at[fast]++)
                for (at[x] = first; at[x] < first + order->group && at[x] < extents[x]; at[x]++)
                    add_tile(list, at);
}

static void enumerate(const order_row *order, const int64_t *extents, tile_list *list) {
    list->count = 0;
    if (order->kind == GROUPED)
        enumerate_groups(order, extents, list);
    else
        enumerate_rows(order, extents, list);
}

/* ---- the plan's coordinates ---- */

/* The place that the only store of the role writes, within the walk over tiles if there is one. */
static const cake_plan_place *stored_place(const cake_plan_block *block) {
    const cake_plan_place *place = NULL;
    for (const cake_plan_op *op = block->first; op && !place; op = op->next) {
        if (op->kind == CAKE_PLAN_STORE) place = &op->u.access->place;
        if (op->kind == CAKE_PLAN_FOR) place = stored_place(&op->u.loop.body);
    }
    return place;
}

static void check_extents(const cake_plan *plan, const order_row *order, const int64_t *extents) {
    static tile_list expected;
    environment env = {.names = {"A", "B", "C"}, .extents = {extents[0], extents[1], extents[2]}, .cluster = 1};
    const cake_plan_place *place = stored_place(&plan->roles.items[0]->body);
    enumerate(order, extents, &expected);
    assert_int_equal(evaluate(&env, plan->launch.tiles), expected.count);
    for (env.tile = 0; env.tile < expected.count; env.tile++)
        for (int i = 0; i < AXES; i++)
            if (evaluate(&env, place->index[i].base) != expected.at[env.tile][i])
                fail_msg("%s of %lld x %lld x %lld, tile %lld, axis %d: not %lld", order->text, (long long)extents[0],
                         (long long)extents[1], (long long)extents[2], (long long)env.tile, i,
                         (long long)expected.at[env.tile][i]);
}

static void check_all_extents(const cake_plan *plan, const order_row *order, int64_t smallest) {
    int64_t extents[AXES];
    for (extents[0] = smallest; extents[0] <= LARGEST; extents[0]++)
        for (extents[1] = smallest; extents[1] <= LARGEST; extents[1]++)
            for (extents[2] = smallest; extents[2] <= LARGEST; extents[2]++)
                check_extents(plan, order, extents);
}

static const char *schedule(char *out, size_t size, const char *where, const char *order, bool persistent) {
    (void)snprintf(out, size,
                   "target sm_80 \nkernel k(out y: i32[A, B, C])\nwhere %s\n"
                   "grid %stile(a: A, b: B, c: C) %s\nroles { all: warps 1 }\n"
                   "role all { %s store y[a, b, c] <- 1 %s }\n",
                   where, persistent ? "persistent " : "", order, persistent ? "for tile (a, b, c) {" : "",
                   persistent ? "}" : "");
    return out;
}

static void check_orders(const char *where, bool persistent, int64_t smallest) {
    static plan_fixture test;
    char text[1024];
    for (size_t i = 0; i < ORDERS; i++) {
        plan_open_good(&test, schedule(text, sizeof text, where, orders[i].text, persistent), NULL, 0, false);
        check_all_extents(test.plan, &orders[i], smallest);
        cake_arena_fini(&test.arena);
    }
}

/* The order walks clusters; their CTAs have neighbouring coordinates along x. */
static void check_cluster(const cake_plan *plan, const order_row *order, const int64_t *extents, int x,
                          int64_t cluster) {
    static tile_list expected;
    environment env = {.names = {"A", "B", "C"}, .extents = {extents[0], extents[1], extents[2]}, .cluster = cluster};
    const cake_plan_place *place = stored_place(&plan->roles.items[0]->body);
    int64_t clusters[AXES] = {extents[0], extents[1], extents[2]};
    clusters[x] = -floor_div(-extents[x], cluster);
    enumerate(order, clusters, &expected);
    assert_int_equal(evaluate(&env, plan->launch.tiles), expected.count);
    for (env.tile = 0; env.tile < expected.count; env.tile++)
        for (env.rank = 0; env.rank < cluster; env.rank++)
            for (int i = 0; i < AXES; i++) {
                int64_t at = expected.at[env.tile][i];
                assert_int_equal(evaluate(&env, place->index[i].base), i == x ? at * cluster + env.rank : at);
            }
}

static void check_clusters(const order_row *order, int x, int64_t cluster, bool persistent) {
    static plan_fixture test;
    char text[1024], grid[128];
    (void)snprintf(grid, sizeof grid, "%s cluster %d along %c", order->text, (int)cluster, "abc"[x]);
    schedule(text, sizeof text, "1 <= A <= 5, 1 <= B <= 5, 1 <= C <= 5", grid, persistent);
    memcpy(strstr(text, "sm_80 "), "sm_90a", 6);
    plan_open_good(&test, text, NULL, 0, false);
    int64_t extents[AXES];
    for (extents[0] = 1; extents[0] <= LARGEST; extents[0]++)
        for (extents[1] = 1; extents[1] <= LARGEST; extents[1] += 2)
            for (extents[2] = 1; extents[2] <= LARGEST; extents[2]++)
                check_cluster(test.plan, order, extents, x, cluster);
    cake_arena_fini(&test.arena);
}

static void test_clusters(void **state) {
    (void)state;
    for (size_t i = 0; i < ORDERS; i++)
        for (int x = 0; x < AXES; x++)
            for (int64_t cluster = 2; cluster <= 4; cluster += 2)
                for (int persistent = 0; persistent < 2; persistent++)
                    check_clusters(&orders[i], x, cluster, persistent);
}

static void test_orders(void **state) {
    (void)state;
    check_orders("1 <= A <= 5, 1 <= B <= 5, 1 <= C <= 5", false, 1);
    check_orders("1 <= A <= 1000000, 1 <= B <= 1000, 1 <= C <= 1000", true, 1);
}

/* Extents may be 0: then there is no tile, and none of the divisions above is reached. */
static void test_empty_extents(void **state) {
    (void)state;
    check_orders("0 <= A <= 5, 0 <= B <= 5, 0 <= C <= 5", false, 0);
    check_orders("0 <= A <= 5, 0 <= B <= 5, 0 <= C <= 5", true, 0);
}

static void check_specialised(const order_row *order, const int64_t *extents) {
    static plan_fixture test;
    char text[1024];
    const cake_choice choices[AXES] = {{"A", extents[0]}, {"B", extents[1]}, {"C", extents[2]}};
    schedule(text, sizeof text, "0 <= A <= 5, 0 <= B <= 5, 0 <= C <= 5", order->text, false);
    plan_open_good(&test, text, choices, AXES, true);
    assert_true(test.plan->launch.tiles->is_constant);
    check_extents(test.plan, order, extents);
    cake_arena_fini(&test.arena);
}

static void test_specialised(void **state) {
    (void)state;
    static const int64_t extents[][AXES] = {{1, 1, 1}, {5, 4, 3}, {3, 1, 5}, {1, 5, 2},
                                            {0, 3, 3}, {3, 0, 3}, {3, 3, 0}};
    for (size_t i = 0; i < ORDERS; i++)
        for (size_t k = 0; k < sizeof extents / sizeof *extents; k++)
            check_specialised(&orders[i], extents[k]);
}

static void test_bad_groups(void **state) {
    (void)state;
    static const plan_row rows[] = {
        {"grouped(a, 0)", "L405 4"},
        {"grouped(a, -1)", "L405 4"},
        {"grouped(a, A)", "L403 4"},
        {"grouped(a, 1000000000000)", ""},
    };
    plan_check_rows(rows, sizeof rows / sizeof *rows,
                    "target sm_80\nkernel k(out y: i32[A, B])\nwhere 1 <= A <= 5, 1 <= B <= 5\n"
                    "grid tile(a: A, b: B) order ",
                    "\nroles { all: warps 1 }\nrole all { store y[a, b] <- 1 }\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_orders),   cmocka_unit_test(test_empty_extents), cmocka_unit_test(test_specialised),
        cmocka_unit_test(test_clusters), cmocka_unit_test(test_bad_groups),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
