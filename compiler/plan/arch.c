// The table of architectures.
#include "plan/arch.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/diag.h"

// Shared memory per block in KiB (CUDA C++ Programming Guide, technical specifications by compute
// capability).  Names with "a" have features of only that architecture, names with "f" those of its
// family.
static const struct {
    int number;
    int shared_kib;
    const char *names[4];
} archs[] = {
    {75, 64, {"sm_75"}},
    {80, 163, {"sm_80"}},
    {86, 99, {"sm_86"}},
    {87, 163, {"sm_87"}},
    {88, 99, {"sm_88"}},
    {89, 99, {"sm_89"}},
    {90, 227, {"sm_90", "sm_90a"}},
    {100, 227, {"sm_100", "sm_100a", "sm_100f"}},
    {103, 227, {"sm_103", "sm_103a", "sm_103f"}},
    {107, 227, {"sm_107", "sm_107a", "sm_107f"}},  // a multiprocessor has more
    {110, 227, {"sm_110", "sm_110a", "sm_110f"}},
    {120, 99, {"sm_120", "sm_120a", "sm_120f"}},
    {121, 99, {"sm_121", "sm_121a", "sm_121f"}},
};
enum { N_ARCHS = sizeof archs / sizeof archs[0] };

// The sm_ name for other names of an architecture, such as compute_80, sm80, 80, hopper, h100; NULL
// if it is not in "all".
static const char *other_name(const char *name, const char *const *all, int n) {
    static const char others[][2][10] = {{"ampere", "80"},     {"a100", "80"}, {"ada", "89"},
                                         {"hopper", "90"},     {"h100", "90"}, {"h200", "90"},
                                         {"blackwell", "100"}, {"b200", "100"}};
    const char *digits = strpbrk(name, "0123456789");
    for (size_t i = 0; i < sizeof others / sizeof *others; ++i)
        if (strcasecmp(name, others[i][0]) == 0) digits = others[i][1];
    for (int i = 0; digits && i < n; ++i)
        if (strcmp(all[i] + 3, digits) == 0) return all[i];
    return NULL;
}

const char *arch_at(size_t i) {
    for (int k = 0; k < N_ARCHS; ++k)
        for (int j = 0; j < 4 && archs[k].names[j]; ++j)
            if (i-- == 0) return archs[k].names[j];
    return NULL;
}

int arch_find(const char *name, const char **near) {
    const char *all[4 * N_ARCHS];
    int n = 0;
    *near = NULL;
    for (int i = 0; i < N_ARCHS; ++i) {
        for (int j = 0; j < 4 && archs[i].names[j]; ++j) {
            if (strcmp(archs[i].names[j], name) == 0) return archs[i].number;
            all[n++] = archs[i].names[j];
        }
    }
    *near = other_name(name, all, n);
    if (!*near) *near = diag_did_you_mean(name, all, n);
    return 0;
}

const char *arch_unknown(struct arena *a, const char *name) {
    const char *near, *all = "";
    if (arch_find(name, &near)) return NULL;
    for (int i = 0; i < N_ARCHS && !near; ++i)
        all = arena_printf(a, "%s%s%s", all,
                           i == 0            ? "; it knows "
                           : i + 1 < N_ARCHS ? ", "
                                             : " and ",
                           archs[i].names[0]);
    return arena_printf(a, "'%s' is not an architecture that this compiler knows%s%s%s%s", name,
                        near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "", all);
}

bool arch_has(const char *name, int min_arch, char feature) {
    const char *near;
    int arch = arch_find(name, &near);
    char own = name[strlen(name) - 1];
    if (feature == 'a') return arch == min_arch && own == 'a';
    if (feature == 'f')
        return arch >= min_arch && arch / 10 == min_arch / 10 && (own == 'a' || own == 'f');
    return arch >= min_arch;
}

int64_t arch_shared_bytes(int arch) {
    for (int i = 0; i < N_ARCHS; ++i)
        if (archs[i].number == arch) return archs[i].shared_kib * (int64_t)1024;
    return 0;
}
