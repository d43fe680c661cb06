/* Atomic operations on tensors and shared buffers. */
#include "plan/internal.h"

/* What atom and red have (PTX ISA 'atom'): 32 and 64 bits; add also for floats, min, max and cas for
 * integers. */
static bool has_instruction(cake_builder *builder, const cake_expr *expr, cake_dtype dtype) {
    cake_atomic_op op = expr->u.atomic.op;
    uint32_t bits = cake_dtype_bits(dtype);
    bool real = cake_dtype_class_of(dtype) == CAKE_CLASS_FLOAT;
    bool compares = op == CAKE_ATOMIC_MIN || op == CAKE_ATOMIC_MAX;
    bool exact = op == CAKE_ATOMIC_CAS || (dtype == CAKE_DTYPE_TF32 && op == CAKE_ATOMIC_ADD);
    bool bitwise = op == CAKE_ATOMIC_AND || op == CAKE_ATOMIC_OR || op == CAKE_ATOMIC_XOR;
    bool moves = op == CAKE_ATOMIC_LOAD || op == CAKE_ATOMIC_STORE;
    if ((bits == 32 || bits == 64) && !(real && (compares || bitwise || exact))) return true;
    if (moves && bits >= 8) return true;
    cake_report(builder->diagnostics, CAKE_H209, expr->span, "there is no 'atomic.%s' for %s", cake_atomic_name(op),
                cake_dtype_name(dtype));
    return false;
}

/* A load releases nothing, a store acquires nothing (PTX ISA 'ld' and 'st'). */
static bool has_order(cake_builder *builder, const cake_expr *expr) {
    cake_atomic_op op = expr->u.atomic.op;
    cake_order order = expr->u.atomic.order;
    bool releases = order == CAKE_ORDER_RELEASE || order == CAKE_ORDER_ACQ_REL;
    bool acquires = order == CAKE_ORDER_ACQUIRE || order == CAKE_ORDER_ACQ_REL;
    if (!(op == CAKE_ATOMIC_LOAD && releases) && !(op == CAKE_ATOMIC_STORE && acquires)) return true;
    cake_report(builder->diagnostics, CAKE_H209, expr->span, "'atomic.%s' is relaxed or has order %s",
                cake_atomic_name(op), op == CAKE_ATOMIC_LOAD ? "acquire" : "release");
    return false;
}

static cake_plan_value *operand(cake_builder *builder, const cake_expr *expr, cake_dtype dtype,
                                const cake_shape *shape) {
    cake_plan_value *value = cake_plan_expression(builder, expr);
    value = value ? cake_plan_convert(builder, value, dtype) : NULL;
    if (!value || value->shape.rank == 0) return value;
    if (cake_shape_equal(&value->shape, shape)) return value;
    cake_report(builder->diagnostics, CAKE_L404, expr->span, "the value's shape is not that of the places");
    return NULL;
}

cake_plan_value *cake_plan_atomic(cake_builder *builder, const cake_expr *expr, bool used) {
    cake_plan_atomic_access *atomic = CAKE_NEW(builder->arena, cake_plan_atomic_access);
    cake_plan_access *access = &atomic->access;
    if (!cake_plan_access_place(builder, expr->u.atomic.place, access)) return NULL;
    cake_dtype dtype = cake_plan_place_dtype(&access->place);
    atomic->op = expr->u.atomic.op;
    atomic->order = expr->u.atomic.order;
    atomic->scope = expr->u.atomic.scope;
    atomic->shape = access->place.shape;
    bool own = access->place.buffer && !access->place.peer;
    if (atomic->scope == CAKE_SCOPE_DEFAULT) atomic->scope = own ? CAKE_SCOPE_CTA : CAKE_SCOPE_GPU;
    if (atomic->scope == CAKE_SCOPE_CTA && !own) {
        cake_report(builder->diagnostics, CAKE_H209, expr->span,
                    "'scope cta' of memory that other CTAs reach: 'scope gpu' orders them");
        return NULL;
    }
    if (!has_instruction(builder, expr, dtype) || !has_order(builder, expr)) return NULL;
    if (expr->u.atomic.where && !(access->mask = cake_plan_expression(builder, expr->u.atomic.where))) return NULL;
    cake_plan_value *operands[2] = {0};
    uint32_t count = expr->u.atomic.operands.count;
    for (uint32_t i = 0; i < count; i++)
        if (!(operands[i] = operand(builder, expr->u.atomic.operands.items[i], dtype, &atomic->shape))) return NULL;
    cake_plan_op *op = cake_plan_append(builder, CAKE_PLAN_ATOMIC);
    for (uint32_t i = 0; i < count; i++)
        op->operands[op->operand_count++] = operands[i];
    op->u.atomic = atomic;
    access->width = 1;
    cake_plan_value *result = cake_plan_result(builder, op, dtype, &atomic->shape); /* carries the layout */
    atomic->used = used;
    for (uint32_t i = 0; i < count; i++)
        if (operands[i]->shape.rank) cake_plan_class_join(builder, operands[i]->layout_class, result->layout_class);
    if (atomic->shape.rank && !cake_plan_tie_access(builder, access, result->layout_class, &atomic->shape)) return NULL;
    return result;
}

cake_plan_value *cake_plan_poll(cake_builder *builder, const cake_expr *expr, bool used) {
    cake_plan_await *await = CAKE_NEW(builder->arena, cake_plan_await);
    if (!cake_plan_access_place(builder, expr->u.await.place, &await->access)) return NULL;
    const cake_shape *shape = &await->access.place.shape;
    cake_dtype dtype = cake_plan_place_dtype(&await->access.place);
    for (uint32_t i = 0; i < expr->u.await.from.count; i++) /* for the verifier; checked for errors here */
        if (!cake_plan_expression(builder, expr->u.await.from.items[i])) return NULL;
    await->used = used;
    await->access.width = 1;
    await->polled = cake_plan_leaf(builder, CAKE_PLAN_POLLED, dtype, -CAKE_RANGE_LIMIT, CAKE_RANGE_LIMIT);
    await->polled->shape = *shape;
    if (shape->rank) await->polled->layout_class = cake_plan_class_new(builder, shape);
    builder->bindings[expr->u.await.it->number].value = await->polled;
    await->condition = CAKE_NEW(builder->arena, cake_plan_block);
    cake_plan_block *outer = builder->block;
    builder->block = await->condition;
    await->until = cake_plan_expression(builder, expr->u.await.until);
    builder->block = outer;
    if (!await->until) return NULL;
    cake_plan_op *op = cake_plan_append(builder, CAKE_PLAN_AWAIT);
    op->u.await = await;
    cake_plan_value *result = cake_plan_result(builder, op, dtype, shape);
    if (!shape->rank) return result;
    cake_plan_class_join(builder, await->polled->layout_class, result->layout_class);
    return cake_plan_tie_access(builder, &await->access, result->layout_class, shape) ? result : NULL;
}
