// Prints the rows of the compiler's tables that a plan can name, `KIND NAME` a line, for tables.py.
#include <stdio.h>

#include "base/diag.h"
#include "plan/plan.h"
#include "sema/sema.h"

int main(void) {
    for (int i = 0; i < n_atom_rows; ++i) printf("atom %s\n", atom_rows[i].name);
    for (int i = 0; i < n_elem_types; ++i) printf("type %s\n", elem_types[i].name);
    struct sema_builtin row;
    for (int i = 0; sema_builtin(i, &row); ++i) printf("builtin %s\n", row.name);
    for (int i = 0; i < W_COUNT; ++i) printf("warning %s\n", diag_warning_row(i)->name);
    return 0;
}
