// Tiled MMAs as the rows of tests/golden/tiled_copy.tsv name them, in the words of a plan.
#ifndef TCPC_TESTS_UNIT_PLAN_GOLDEN_MMA_H
#define TCPC_TESTS_UNIT_PLAN_GOLDEN_MMA_H

#include <stdio.h>
#include <string.h>

#include "check.h"

// "SM80_16x8x16_F32F16F16F32_TN" as "m16n8k16.f32.f16.f16.f32".
static inline void golden_mma_name(const char *cute, char *out, size_t size) {
    static const struct {
        const char *cute, *name;
    } types[] = {{"TF32", "tf32"}, {"BF16", "bf16"}, {"F32", "f32"}, {"F16", "f16"},
                 {"F64", "f64"},   {"S32", "s32"},   {"S8", "s8"},   {"U8", "u8"}};
    int m, n, k, used, n_out;
    CHECK(sscanf(cute, "SM%*d_%dx%dx%d_%n", &m, &n, &k, &used) == 3, "%s", cute);
    n_out = snprintf(out, size, "m%dn%dk%d", m, n, k);
    for (const char *p = cute + used; *p && *p != '_';) {
        size_t i = 0;
        while (i < sizeof types / sizeof *types &&
               strncmp(p, types[i].cute, strlen(types[i].cute)) != 0)
            ++i;
        if (i == sizeof types / sizeof *types) {
            CHECK_STR(p, "a type");
            return;
        }
        p += strlen(types[i].cute);
        n_out += snprintf(out + n_out, size - (size_t)n_out, ".%s", types[i].name);
    }
}

// "A", "B" or "C" where the row is make_tiled_copy_A and its like with an instruction, else NULL.
static inline const char *golden_mma_operand(const char *form, const char *params) {
    static const char prefix[] = "make_tiled_copy_";
    if (strncmp(form, prefix, sizeof prefix - 1) != 0 || strncmp(params, "SM", 2) != 0) return NULL;
    const char *which = form + sizeof prefix - 1;
    return which[0] && strchr("ABC", which[0]) && !which[1] ? which : NULL;
}

// The row's parameters, "INSTRUCTION ; WARPS ; TILE".
static inline bool golden_mma(const char *params, char name[80], char warps[64], char tile[64]) {
    char cute[128];
    if (!CHECK(sscanf(params, "%127[^ ] ; %63[^ ] ; %63s", cute, warps, tile) == 3, "%s", params))
        return false;
    golden_mma_name(cute, name, 80);
    return true;
}

#endif
