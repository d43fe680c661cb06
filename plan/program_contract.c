/* Whether a kernel's contract follows from the program's.
 *
 * A condition arrives as a value in the program's launch scope. Ranges, which come from the program's contract, have
 * folded it where they decide it. Of what is left, each conjunct is compared with what the program itself demands.
 */
#include "plan/program_internal.h"

#include "ir/print.h"

/* ---- values that are equal because they are computed alike ---- */

static bool equal_definitions(const cake_plan_op *a, const cake_plan_op *b) {
    if (a->kind != b->kind || a->operand_count != b->operand_count) return false;
    switch (a->kind) {
    case CAKE_PLAN_UNARY:
        if (a->u.unary != b->u.unary) return false;
        break;
    case CAKE_PLAN_BINARY:
        if (a->u.binary != b->u.binary) return false;
        break;
    case CAKE_PLAN_CALL:
        if (a->u.call.function != b->u.call.function) return false;
        break;
    default:
        return false; /* leaves are equal only to themselves */
    }
    for (uint8_t i = 0; i < a->operand_count; i++)
        if (!cake_plan_value_equal(a->operands[i], b->operands[i])) return false;
    return true;
}

bool cake_plan_value_equal(const cake_plan_value *a, const cake_plan_value *b) {
    if (a == b) return true;
    if (a->is_constant || b->is_constant)
        return a->is_constant && b->is_constant && a->dtype == b->dtype && a->integer == b->integer;
    return a->definition && b->definition && equal_definitions(a->definition, b->definition);
}

/* ---- what is known ---- */

static const cake_plan_op *binary_of(const cake_plan_value *value, cake_binary_op op) {
    const cake_plan_op *definition = value->definition;
    if (!definition || definition->kind != CAKE_PLAN_BINARY || definition->u.binary != op) return NULL;
    return definition;
}

void cake_plan_program_know(cake_plan_program_builder *p, const cake_plan_value *condition) {
    const cake_plan_op *both = binary_of(condition, CAKE_BINARY_AND);
    if (!both) {
        *CAKE_PUSH(p->scope.arena, &p->known) = condition;
        return;
    }
    cake_plan_program_know(p, both->operands[0]);
    cake_plan_program_know(p, both->operands[1]);
}

/* x % divisor == 0 */
static bool is_multiple(const cake_plan_value *condition, const cake_plan_value **out_x, int64_t *out_divisor) {
    const cake_plan_op *equal = binary_of(condition, CAKE_BINARY_EQ);
    if (!equal || !equal->operands[1]->is_constant || equal->operands[1]->integer != 0) return false;
    const cake_plan_op *modulo = binary_of(equal->operands[0], CAKE_BINARY_MOD);
    if (!modulo || !modulo->operands[1]->is_constant || modulo->operands[1]->integer < 1) return false;
    *out_x = modulo->operands[0];
    *out_divisor = modulo->operands[1]->integer;
    return true;
}

/* N % 8 == 0 shows N % 4 == 0. */
static bool shows_multiple(const cake_plan_value *known, const cake_plan_value *wanted) {
    const cake_plan_value *known_x, *wanted_x;
    int64_t known_divisor, wanted_divisor;
    return is_multiple(known, &known_x, &known_divisor) && is_multiple(wanted, &wanted_x, &wanted_divisor) &&
           known_divisor % wanted_divisor == 0 && cake_plan_value_equal(known_x, wanted_x);
}

/* a <= b also stands as b >= a, and a < b shows it. */
static bool shows_order(const cake_plan_value *known, const cake_plan_value *wanted) {
    static const struct {
        cake_binary_op wanted, known;
        bool swapped;
    } rows[] = {
        {CAKE_BINARY_LE, CAKE_BINARY_LT, false}, {CAKE_BINARY_LE, CAKE_BINARY_EQ, false},
        {CAKE_BINARY_LE, CAKE_BINARY_EQ, true},  {CAKE_BINARY_LE, CAKE_BINARY_GE, true},
        {CAKE_BINARY_LE, CAKE_BINARY_GT, true},  {CAKE_BINARY_LT, CAKE_BINARY_GT, true},
        {CAKE_BINARY_GE, CAKE_BINARY_GT, false}, {CAKE_BINARY_GE, CAKE_BINARY_EQ, false},
        {CAKE_BINARY_GE, CAKE_BINARY_EQ, true},  {CAKE_BINARY_GE, CAKE_BINARY_LE, true},
        {CAKE_BINARY_GE, CAKE_BINARY_LT, true},  {CAKE_BINARY_GT, CAKE_BINARY_LT, true},
        {CAKE_BINARY_EQ, CAKE_BINARY_EQ, true},
    };
    for (uint32_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const cake_plan_op *a = binary_of(wanted, rows[i].wanted), *b = binary_of(known, rows[i].known);
        if (a && b && cake_plan_value_equal(a->operands[0], b->operands[rows[i].swapped]) &&
            cake_plan_value_equal(a->operands[1], b->operands[!rows[i].swapped]))
            return true;
    }
    return false;
}

/* a == a, a <= a, a >= a */
static bool is_reflexive(const cake_plan_value *wanted) {
    static const cake_binary_op ops[] = {CAKE_BINARY_EQ, CAKE_BINARY_LE, CAKE_BINARY_GE};
    for (uint32_t i = 0; i < 3; i++) {
        const cake_plan_op *op = binary_of(wanted, ops[i]);
        if (op && cake_plan_value_equal(op->operands[0], op->operands[1])) return true;
    }
    return false;
}

/* Comparisons in all steps of a program: enough for any that a person writes. */
#define MAX_COMPARISONS 4000000

static bool follows(cake_plan_program_builder *p, const cake_plan_value *wanted) {
    if (wanted->is_constant) return wanted->integer != 0;
    if (is_reflexive(wanted)) return true;
    for (uint32_t i = 0; i < p->known.count && p->comparisons < MAX_COMPARISONS; i++, p->comparisons++) {
        const cake_plan_value *known = p->known.items[i];
        if (cake_plan_value_equal(known, wanted) || shows_multiple(known, wanted) || shows_order(known, wanted))
            return true;
    }
    return false;
}

/* ---- what is wanted ---- */

static void require_one(cake_plan_program_builder *p, const cake_step *step, cake_plan_value *condition, cake_span span,
                        const char *text) {
    cake_builder *scope = &p->scope;
    if (follows(p, condition)) {
        p->program->shown++;
        return;
    }
    if (condition->is_constant) {
        cake_diagnostic *diagnostic =
            cake_report(scope->diagnostics, CAKE_L410, step->span,
                        "kernel '%s' cannot be run like this: \"%s\" does not hold", step->object.name, text);
        cake_diagnostic_note(scope->diagnostics, diagnostic, span, "what the kernel asks for");
        return;
    }
    cake_text shown;
    cake_text_init(&shown, scope->arena);
    cake_text_format(&shown, "%s: ", step->object.name);
    cake_plan_value_print(condition, &shown);
    *CAKE_PUSH(scope->arena, &p->program->required) =
        (cake_plan_condition){.span = step->span, .text = cake_text_string(&shown), .value = condition};
    *CAKE_PUSH(scope->arena, &p->known) = condition; /* checked once is enough */
}

void cake_plan_program_require(cake_plan_program_builder *p, const cake_step *step, cake_plan_value *condition,
                               cake_span span, const char *text) {
    const cake_plan_op *both = binary_of(condition, CAKE_BINARY_AND);
    if (!both) {
        require_one(p, step, condition, span, text);
        return;
    }
    cake_plan_program_require(p, step, both->operands[0], span, text);
    cake_plan_program_require(p, step, both->operands[1], span, text);
}
