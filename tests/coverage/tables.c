// Prints the rows of the compiler's tables that a plan can name, `KIND NAME` a line, for tables.py.
#include <stdio.h>

#include "base/warnings.h"
#include "layout/calc.h"
#include "plan/plan.h"

int main(void) {
    for (int i = 0; i < n_atom_rows; ++i) printf("atom %s\n", atom_rows[i].name);
    for (int i = 0; i < n_elem_types; ++i) printf("type %s\n", elem_types[i].name);
    struct calc_operation op;
    for (int i = 0; calc_operation(i, &op); ++i)
        if (op.where != IN_CUTE) printf("builtin %s\n", op.name);
    for (int i = 1; i < W_COUNT; ++i) printf("warning %s\n", warning_row(i)->name);
    return 0;
}
