// gen_plans SEED KERNELS [MUTANT]: prints a random plan, or with a third argument a spoilt one.
#include <stdio.h>
#include <stdlib.h>

#include "gen_plans.h"

int main(int argc, char **argv) {
    if (argc < 3 || argc > 4) {
        fputs("usage: gen_plans SEED KERNELS [MUTANT-SEED]\n", stderr);
        return 2;
    }
    char *plan = gen_plan(strtoull(argv[1], NULL, 10), atoi(argv[2]), GEN_ALL);
    if (argc == 4) {
        char *mutant = gen_mutant(strtoull(argv[3], NULL, 10), plan);
        free(plan);
        plan = mutant;
    }
    fputs(plan, stdout);
    free(plan);
    return 0;
}
