// The architectures that were measured.
#include "cost/tables.h"

#include <stddef.h>

static const struct cost_table *const tables[] = {&cost_table_sm_90};

const struct cost_table *cost_table_of(int arch) {
    for (size_t i = 0; i < sizeof tables / sizeof *tables; ++i)
        if (tables[i]->arch == arch) return tables[i];
    return &cost_table_sm_90;
}

int cost_rules_of(int arch) {
    return cost_table_of(arch)->arch;
}

bool cost_calibrated(int arch) {
    return cost_rules_of(arch) == arch;
}
