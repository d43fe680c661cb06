#include "plan/plan.h"
void cake_plan_print(const cake_plan *plan, cake_text *out) {
    (void)plan;
    cake_text_add_string(out, "plan\n");
}
