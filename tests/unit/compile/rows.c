// An instruction is a row of the table, and nothing else: rows that no machine has are added to the
// table here.  What completes by group is committed and waited for by its own functions, and its
// accesses have its own cost; a row without what it needs is refused, and so is a kernel in which
// two counts of groups meet.
#include "plan/atoms.h"

#define MASS_TO_SHARED                                                                             \
    .family = "mass", .page = "cp_async", .min_arch = 90, .widths = {64, 128},                     \
    .src_spaces = IN(GLOBAL), .dst_spaces = IN(SHARED), .completes = COMPLETES_BY_GROUP,           \
    .threads = 1, .exact = true, .in_bytes = true, .raw = true
#define MASS_GROUPS .commit = "tcp_mass_commit", .wait = "tcp_mass_wait"
#define TRIAL_ROWS                                                                                 \
    {.name = "mass",                                                                               \
     MASS_TO_SHARED,                                                                               \
     MASS_GROUPS,                                                                                  \
     .function = "tcp_mass",                                                                       \
     .cost = COST_CP_ASYNC_CG},                                                                    \
        {.name = "mass_a",                                                                         \
         MASS_TO_SHARED,                                                                           \
         MASS_GROUPS,                                                                              \
         .function = "tcp_mass",                                                                   \
         .cost = COST_CP_ASYNC_CG,                                                                 \
         .feature = 'a'},                                                                          \
        {.name = "mass_f",                                                                         \
         MASS_TO_SHARED,                                                                           \
         MASS_GROUPS,                                                                              \
         .function = "tcp_mass",                                                                   \
         .cost = COST_CP_ASYNC_CG,                                                                 \
         .feature = 'f'},                                                                          \
        {.name = "mass_16",                                                                        \
         MASS_TO_SHARED,                                                                           \
         MASS_GROUPS,                                                                              \
         .function = "tcp_mass",                                                                   \
         .cost = COST_CP_ASYNC_CG,                                                                 \
         .align = 128},                                                                            \
        {.name = "no_function", MASS_TO_SHARED, MASS_GROUPS, .cost = COST_CP_ASYNC_CG},            \
        {.name = "no_commit",                                                                      \
         MASS_TO_SHARED,                                                                           \
         .function = "tcp_mass",                                                                   \
         .wait = "tcp_mass_wait",                                                                  \
         .cost = COST_CP_ASYNC_CG},                                                                \
        {.name = "no_wait",                                                                        \
         MASS_TO_SHARED,                                                                           \
         .function = "tcp_mass",                                                                   \
         .commit = "tcp_mass_commit",                                                              \
         .cost = COST_CP_ASYNC_CG},                                                                \
        {.name = "no_cost", MASS_TO_SHARED, MASS_GROUPS, .function = "tcp_mass"},                  \
        {.name = "no_group",                                                                       \
         .widths = {128},                                                                          \
         .src_spaces = IN(GLOBAL),                                                                 \
         .dst_spaces = IN(SHARED),                                                                 \
         .completes = COMPLETES_AT_ONCE,                                                           \
         .threads = 1,                                                                             \
         .exact = true,                                                                            \
         .in_bytes = true,                                                                         \
         .function = "tcp_mass",                                                                   \
         .cost = COST_LD_GLOBAL},
#include "plan/atom_rows.c"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/session.h"
#include "check.h"
#include "compile/compile.h"

// A kernel that copies rows of 'WIDTH' elements to shared memory by the atom, and out again.
static const char plan[] = "tcp 1;\ntensor A : f32 global row(64,%d) align %d;\ntensor B : f32 "
                           "global row(64,%d) align %d;\n"
                           "tiled_copy g2s = tile(%s, thr=(16,8):(8,1), val=(1,%d));\n"
                           "tiled_copy s2g = tile(universal(32), thr=(16,8):(8,1), val=(1,1));\n"
                           "kernel k(A, out B) { shared s : f32 row(64,%d); copy A -> s with g2s; "
                           "%s copy s -> B with s2g; }\n";

// Compiles the plan for "arch", and returns the text, or the first message.
static const char *compiled(struct session *s, const char *arch, const char *atom, int wide,
                            int align, int val, const char *more) {
    char path[] = "/tmp/rows.XXXXXX";
    int fd = mkstemp(path);
    FILE *f = fdopen(fd, "w");
    fprintf(f, plan, wide, align, wide, align, atom, val, wide, more);
    fclose(f);
    session_init(s);
    s->options.arch = arch;
    struct compiled c;
    int status = compile_product(s, path, PRODUCT_CUDA, &c);
    unlink(path);
    for (const struct diag *d = s->diags.first; d; d = d->next)
        if (d->severity == SEV_ERROR) return d->message;
    return status == 0 ? c.text : "no text";
}

static void says(const char *arch, const char *atom, int wide, int align, int val, const char *more,
                 const char *words) {
    struct session s;
    const char *text = compiled(&s, arch, atom, wide, align, val, more);
    CHECK(strstr(text, words), "%s for %s: '%s' is not in: %s", atom, arch, words, text);
    session_release(&s);
}

static void says_not(const char *atom, const char *words) {
    struct session s;
    const char *text = compiled(&s, "sm_90", atom, 32, 16, 4, "");
    CHECK(!strstr(text, words), "%s: '%s' is in: %s", atom, words, text);
    session_release(&s);
}

int main(void) {
    // its own functions, and none of another instruction's
    says("sm_90", "mass(16)", 32, 16, 4, "", "tcp_mass_16(&");
    says("sm_90", "mass(16)", 32, 16, 4, "", "tcp_mass_commit();");
    says("sm_90", "mass(16)", 32, 16, 4, "", "tcp_mass_wait<0>();");
    says_not("mass(16)", "cp_async");
    says_not("mass(16)", "cp.async");
    says("sm_90", "cp_async.cg(16)", 32, 16, 4, "", "tcp_cp_async_wait<0>();");
    says_not("cp_async.cg(16)", "mass");

    // what a row needs
    says("sm_90", "no_function(16)", 32, 16, 4, "", "its row has no function of the runtime");
    says("sm_90", "no_commit(16)", 32, 16, 4, "", "its row has no function that commits a group");
    says("sm_90", "no_wait(16)", 32, 16, 4, "", "its row has no function that waits for groups");
    says("sm_90", "no_cost(16)", 32, 16, 4, "", "its row has no class of costs");
    says("sm_90", "no_group(16)", 32, 16, 4, "", "without which its function is not called");

    // two counts in one kernel
    const char *again = "copy A -> s with tile(cp_async.cg(16), thr=(16,8):(8,1), val=(1,4));";
    says("sm_90", "mass(16)", 32, 16, 4, again,
         "'cp_async.cg' counts its groups apart from those of 'mass', which 'k' uses, too");

    // architectures
    says("sm_80", "mass(16)", 32, 16, 4, "", "'mass' needs sm_90; this plan is for sm_80");
    says("sm_100", "mass(16)", 32, 16, 4, "", "tcp_mass_16(&");
    says("sm_90a", "mass_a(16)", 32, 16, 4, "", "tcp_mass_16(&");
    says("sm_90", "mass_a(16)", 32, 16, 4, "", "'mass_a' needs sm_90a; this plan is for sm_90");
    says("sm_100a", "mass_a(16)", 32, 16, 4, "", "'mass_a' needs sm_90a; this plan is for sm_100a");
    says("sm_90a", "mass_f(16)", 32, 16, 4, "", "tcp_mass_16(&");
    says("sm_90", "mass_f(16)", 32, 16, 4, "", "'mass_f' needs sm_90f; this plan is for sm_90");
    says("sm_100f", "mass_f(16)", 32, 16, 4, "", "'mass_f' needs sm_90f; this plan is for sm_100f");

    // addresses
    says("sm_90", "mass_16(16)", 32, 16, 4, "", "tcp_mass_16(&");
    says("sm_90", "mass(8)", 32, 8, 2, "", "tcp_mass_8(&");
    says("sm_90", "mass_16(8)", 32, 8, 2, "",
         "cannot use 'mass_16', which begins at multiples of 128 bits: of its accesses to 'A' some "
         "begin only at multiples of 64");
    return check_done();
}
