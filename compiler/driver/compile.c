// The pipeline as a list to be read from top to bottom.
#include "driver/compile.h"

#include <string.h>

#include "base/buf.h"
#include "base/session.h"
#include "check/equivalent.h"
#include "check/verify.h"
#include "driver/fixits.h"
#include "emit/emit.h"
#include "kernel/kernel_ir.h"
#include "lower/lower.h"
#include "pass/pass.h"
#include "plan/print.h"
#include "sema/sema.h"
#include "syntax/ast.h"
#include "syntax/parse.h"

const char *compile_pass_name(int i) {
    static const char *const first[] = {"parse", "sema"}, *const last[] = {"lower"};
    if (i < 2) return first[i];
    if (i - 2 < n_passes) return pass_list[i - 2].name;
    return i - 2 == n_passes ? last[0] : NULL;
}

static bool wanted(const struct session *s, const char *name) {
    return s->options.dump_after && strcmp(s->options.dump_after, name) == 0;
}

static void show(struct buf *b, FILE *to) {
    fwrite(b->text, 1, b->len, to);
    buf_release(b);
}

static void dump_plan(struct session *s, const char *name, const struct plan *p, FILE *to) {
    if (!wanted(s, name)) return;
    struct buf b;
    buf_init(&b);
    plan_print(s, p, &b);
    show(&b, to);
}

int compile_until(struct session *s, const char *path, enum stage last, FILE *dump,
                  struct compiled *out) {
    *out = (struct compiled){0};
    struct buf b;

    out->ast = parse_file(s, path);
    if (!out->ast) return 2;
    if (wanted(s, "parse")) {
        buf_init(&b);
        ast_dump(&b, s, out->ast);
        show(&b, dump);
    }
    if (s->diags.nerrors) return 1;
    if (last == STAGE_AST) return 0;

    out->plan = sema_file(s, out->ast);
    fixits_try(s, path, NULL);
    if (!out->plan || s->diags.nerrors) return 1;
    dump_plan(s, "sema", out->plan, dump);

    for (int i = 0; i < n_passes; ++i) {
        bool ok = pass_list[i].run(s, out->plan);
        fixits_try(s, path, out->plan);
        if (!ok || s->diags.nerrors) return 1;
        dump_plan(s, pass_list[i].name, out->plan, dump);
    }
    if (last == STAGE_PLAN) return 0;

    out->kir = lower_plan(s, out->plan);
    if (wanted(s, "lower")) {
        buf_init(&b);
        kir_print(s, out->kir, &b);
        show(&b, dump);
    }
    if (!verify_kernels(s, out->plan, out->kir) || s->diags.nerrors) return 1;
    if (!check_equivalences(s, out->plan, out->kir) || s->diags.nerrors) return 1;
    if (last == STAGE_KERNEL) return 0;

    buf_init(&b);
    if (last == STAGE_HEADER)
        emit_header(s, out->kir, &b);
    else
        emit_cuda(s, out->kir, &b);
    out->cuda = buf_finish(&b, &s->arena);
    return 0;
}

int compile_plan(struct session *s, const char *path, struct compiled *out) {
    return compile_until(s, path, STAGE_CUDA, stdout, out);
}
