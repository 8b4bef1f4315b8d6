// Runs sema: its state, the main file, and what is completed at the end.
#include "sema/sema.h"

#include <stdarg.h>
#include <string.h>

#include "plan/arch.h"
#include "sema/decl.h"
#include "sema/expr/expr.h"

void sema_not_yet(struct sema *c, struct range at, const char *what) {
    diag_error(c->s, at, "not yet supported: %s", what);
}

const struct value *sema_not_yet_value(struct sema *c, struct range at, const char *what) {
    sema_not_yet(c, at, what);
    return &value_none;
}

void sema_lay_error(struct sema *c, struct range at, const char *what) {
    const char *why = c->lay->error ? c->lay->error : "no result";
    diag_error(c->s, at, "%s: %s", what, why);
    lay_clear_error(c->lay);
}

const char *sema_text(struct sema *c, const char *fmt, ...) {
    struct buf b;
    va_list ap;
    buf_init(&b);
    va_start(ap, fmt);
    buf_vprintf(&b, fmt, ap);
    va_end(ap);
    return buf_finish(&b, &c->s->arena);
}

void *sema_grow(struct sema *c, void *array, int n, int *cap, size_t size) {
    if (n < *cap) return array;
    *cap = *cap ? *cap * 2 : 8;
    char *more = ARENA_ARRAY(&c->s->arena, char, (size_t)*cap *size);
    if (n) memcpy(more, array, (size_t)n * size);
    return more;
}

// Reports a -D of a constant that no file declares.
static void check_defines(struct sema *c) {
    const struct options *o = &c->s->options;
    for (int i = 0; i < o->ndefines; ++i) {
        if (c->define_used[i]) continue;
        const struct symbol *param = scope_find(c, intern(c->s, o->defines[i].name));
        if (param && param->kind == SYM_PARAM) {
            diag_error(c->s, RANGE_NONE,
                       "-D %s: '%s' is a param, which the launcher gets when the kernel is "
                       "started; -D sets a 'const', 'tcpc run --param %s=VALUE' sets a param",
                       o->defines[i].name, o->defines[i].name, o->defines[i].name);
            diag_note(c->s, param->at, "'%s' is declared here", param->name);
            continue;
        }
        const char *names[256];
        int n = 0;
        for (struct symbol *sym = c->last; sym && n < 256; sym = sym->prev)
            if (sym->kind == SYM_CONST) names[n++] = sym->name;
        const char *near = diag_did_you_mean(o->defines[i].name, names, n);
        diag_error(c->s, RANGE_NONE,
                   near ? "-D %s: the plan has no constant of this name; did you mean '%s'?"
                        : "-D %s: the plan has no constant of this name",
                   o->defines[i].name, near);
    }
}

static void finish(struct sema *c) {
    struct plan *p = c->plan;
    p->param = c->param;
    p->tensor = c->tensor;
    p->tiled = c->tiled;
    p->mma = c->mma;
    p->layout = c->layout;
    p->relation = (const struct relation *const *)c->relation;
    p->nrelations = c->nrelations;
    p->function = c->function;
    p->nvars = c->s->next_var;
    p->nsyms = c->lay->next_sym;
    // a kernel's tensors are numbered after the top-level ones
    for (struct kernel *k = plan_next(p, NULL); k; k = plan_next(p, k)) {
        for (int i = 0; i < k->nlocal; ++i) k->local[i]->id += p->ntensors;
        for (int i = 0; i < k->nformals; ++i) {
            struct tensor *t = k->formal[i].tensor;
            bool top = t->id < p->ntensors && p->tensor[t->id] == t;
            if (!top) t->id += p->ntensors;
        }
    }
}

struct plan *sema_file(struct session *s, const struct ast_file *f) {
    int before = s->diags.nerrors;
    struct plan *p = ARENA_NEW(&s->arena, struct plan);
    struct sema c = {.s = s, .lay = &s->lay, .plan = p, .errors_before = before};
    p->path = s->sources.file[f->file].path;
    const char *near;
    p->arch_name = s->options.arch ? s->options.arch : ARCH_DEFAULT;
    p->arch = arch_find(p->arch_name, &near);
    c.expect_end = &p->expects;
    c.kernel_end = &p->kernels;
    c.device_end = &p->devices;
    c.define_used = ARENA_ARRAY(&s->arena, bool, s->options.ndefines + 1);
    c.define = session_defines(s);
    scope_init(&c);
    if (s->index) s->index->first = NULL;
    struct import self = {source_identity(s, p->path), true, RANGE_NONE, NULL};
    c.imports = &self;
    declare_all(&c, f);
    if (f->nerrors == 0) check_defines(&c);
    uses_finish(&c);
    shadowed_explain(&c);
    finish(&c);
    check_made_c_names(&c);
    scope_finish(&c);
    if (s->options.kept) closures_find(&c);
    return s->diags.nerrors == before && f->nerrors == 0 ? p : NULL;
}
