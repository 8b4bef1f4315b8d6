// The list of compilation steps.
#include "compile/compile.h"

#include <string.h>

#include "autoswizzle/autoswizzle.h"
#include "base/buf.h"
#include "base/session.h"
#include "check/equivalent.h"
#include "check/verify.h"
#include "emit/emit.h"
#include "kernel/kernel_ir.h"
#include "lower/lower.h"
#include "pass/pass.h"
#include "plan/plan.h"
#include "plan/print.h"
#include "sema/sema.h"
#include "steps/fallback.h"
#include "steps/fixits.h"
#include "syntax/ast.h"
#include "syntax/parse.h"

static bool parse(struct compiled *c) {
    return (c->ast = parse_file(c->s, c->path)) != NULL;
}

static bool sema(struct compiled *c) {
    if (!swizzles_choose(c)) return false;
    return (c->plan = sema_file(c->s, c->ast)) != NULL;
}

static bool lower(struct compiled *c) {
    return (c->kir = lower_plan(c->s, c->plan)) != NULL;
}

static bool verify(struct compiled *c) {
    return verify_kernels(c->s, c->plan, c->kir);
}

static bool equivalent(struct compiled *c) {
    return check_equivalences(c->s, c->plan, c->kir);
}

// What a step makes or fills in, and --dump-after shows.
enum shown { NOTHING, THE_AST, THE_PLAN, THE_KERNEL };

static const struct {
    const char *name;
    enum step after;
} products[N_PRODUCTS] = {
    [PRODUCT_AST] = {"ast", STEP_PARSE},
    [PRODUCT_PLAN] = {"plan", STEP_EXPECT},
    [PRODUCT_KERNEL] = {"kernel", STEP_EQUIVALENT},
    [PRODUCT_CUDA] = {"cuda", STEP_EQUIVALENT},
    [PRODUCT_HEADER] = {"header", STEP_EQUIVALENT},
};

const char *product_name(enum product p) {
    return products[p].name;
}

static const char *text_of(struct compiled *c, enum product what) {
    struct buf b;
    buf_init(&b);
    switch (what) {
    case PRODUCT_AST: ast_dump(&b, c->s, c->ast); break;
    case PRODUCT_PLAN: plan_print(c->s, c->plan, &b); break;
    case PRODUCT_KERNEL: kir_print(c->s, c->kir, &b); break;
    case PRODUCT_CUDA: emit_cuda(c->s, c->kir, &b); break;
    case PRODUCT_HEADER: emit_header(c->s, c->kir, &b); break;
    default: BUG("no product %d", (int)what);
    }
    return buf_finish(&b, &c->s->arena);
}

static void dump(struct compiled *c, enum step i) {
    static const enum product as[] = {
        [THE_AST] = PRODUCT_AST, [THE_PLAN] = PRODUCT_PLAN, [THE_KERNEL] = PRODUCT_KERNEL};
    const char *wanted = c->s->options.dump_after, *name = step_name(i);
    if (wanted && name && strcmp(wanted, name) == 0)
        c->dumped = text_of(c, as[c->list->row[i].fills]);
}

static const struct step_list list = {
    {
        [STEP_PARSE] = {"parse", parse, NULL, THE_AST},
        [STEP_SEMA] = {"sema", sema, NULL, THE_PLAN},
        [STEP_PARTITION] = {"partition", NULL, pass_partition, THE_PLAN},
        [STEP_CALLS] = {"calls", NULL, pass_calls, THE_PLAN},
        [STEP_PREDICATE] = {"predicate", NULL, pass_predicate, THE_PLAN},
        [STEP_VECTORIZE] = {"vectorize", NULL, pass_vectorize, THE_PLAN},
        [STEP_SHARED] = {"shared", NULL, pass_shared, THE_PLAN},
        [STEP_COVERAGE] = {"coverage", NULL, pass_coverage, THE_PLAN},
        [STEP_DEFINED] = {"defined", NULL, pass_defined, THE_PLAN},
        [STEP_RACES] = {"races", NULL, pass_races, THE_PLAN},
        [STEP_SYNC] = {"sync", NULL, pass_sync, THE_PLAN},
        [STEP_EXPECT] = {"expect", NULL, pass_expect, THE_PLAN},
        [STEP_LINT] = {"lint", NULL, pass_lint, NOTHING},
        [STEP_LOWER] = {"lower", lower, NULL, THE_KERNEL},
        [STEP_VERIFY] = {"verify", verify, NULL, NOTHING},
        [STEP_EQUIVALENT] = {"equivalent", equivalent, NULL, NOTHING},
    },
    dump,
};

const char *step_name(enum step i) {
    return list.row[i].fills == NOTHING ? NULL : list.row[i].name;
}

void compile_begin(struct compiled *c, struct session *s, const char *path) {
    steps_begin(c, s, path, &list);
}

// Whether something needs the Kernel IR of all kernels at once: an `expect` about equivalence, or
// --dump-after=lower.
static bool needs_all(const struct compiled *c) {
    for (const struct expectation *e = c->plan->expects; e; e = e->next)
        if (e->prop == PROP_EQUIVALENT) return true;
    const char *wanted = c->s->options.dump_after;
    return wanted && strcmp(wanted, step_name(STEP_LOWER)) == 0;
}

// Lowers, checks and prints "k" and the cases that follow it. Returns the kernel after them.
static const struct kernel *one_kernel(struct compiled *c, const struct verify_choices *choices,
                                       const struct kernel *k, struct printing *printed,
                                       bool *lowered, bool *right) {
    struct session *s = c->s;
    const struct kernel *behind;
    struct session_mark mark = session_mark(s);
    int before = s->diags.nerrors;
    const struct kir_kernel *x = lower_cases(s, c->plan, k, &behind);
    *lowered &= s->diags.nerrors == before;
    if (*lowered) *right &= verify_cases(s, c->plan, choices, k, x);
    if (*lowered && *right) emit_cuda_next(printed, x);
    session_rewind(s, mark);
    return behind;
}

// Does the steps from lowering on, for one kernel after the other.
static int cuda_by_kernel(struct compiled *c) {
    struct session *s = c->s;
    const struct plan *p = c->plan;
    bool lowered = true, right = true;
    struct buf b;
    buf_init(&b);
    struct verify_choices choices = verify_choose(s, p);
    struct printing *printed = emit_cuda_begin(s, lower_begin(s, p), &b);
    for (const struct kernel *k = p->devices; k;)
        k = one_kernel(c, &choices, k, printed, &lowered, &right);
    for (const struct kernel *k = p->kernels; k && !k->device;)
        k = one_kernel(c, &choices, k, printed, &lowered, &right);
    emit_cuda_end(printed);
    if ((!lowered || !right) && fallback_begin(c)) {
        buf_release(&b);
        int status = steps_until(c, STEP_LINT);
        return status ? status : cuda_by_kernel(c);
    }
    if (!c->as_it_is) fixits_try(c);
    c->next = N_STEPS;
    c->text = buf_finish(&b, &s->arena);
    return c->status = !right || s->diags.nerrors;
}

int compile_by_kernel(struct session *s, const char *path, enum product what,
                      struct compiled *out) {
    if (what != PRODUCT_CUDA) return compile_product(s, path, what, out);
    compile_begin(out, s, path);
    int status = steps_until(out, STEP_LINT);
    if (status) return status;
    if (!needs_all(out)) return cuda_by_kernel(out);
    status = steps_until(out, products[what].after);
    if (status == 0) out->text = text_of(out, what);
    return status;
}

int compile_product(struct session *s, const char *path, enum product what, struct compiled *out) {
    compile_begin(out, s, path);
    int status = steps_until(out, products[what].after);
    if (status == 0) out->text = text_of(out, what);
    return status;
}
