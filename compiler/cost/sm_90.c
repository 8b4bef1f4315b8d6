// Measured on an H200: tests/cost/probes.tsv has each access, docs/hardware.md describes the rules.
#include "cost/tables.h"

const struct cost_table cost_table_sm_90 = {
    .arch = 90,
    .rule =
        {
            [COST_LD_GLOBAL] = {RULE_SECTORS, RULE_NONE},
            [COST_ST_GLOBAL] = {RULE_SECTORS, RULE_NONE},
            [COST_LD_SHARED] = {RULE_NONE, RULE_MERGED},
            [COST_ST_SHARED] = {RULE_NONE, RULE_BANKS},
            [COST_CP_ASYNC_CA] = {RULE_SECTORS, RULE_CACHED},
            [COST_CP_ASYNC_CG] = {RULE_LINES, RULE_LINES},
            [COST_BULK] = {RULE_NONE, RULE_NONE},
            [COST_LDMATRIX] = {RULE_NONE, RULE_MATRICES},
            [COST_STMATRIX] = {RULE_NONE, RULE_MATRICES},
        },
};
