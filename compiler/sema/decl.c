// Declarations at top level, in textual order: constants, params, layouts, atoms, tiled copies and
// imports.
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <string.h>

#include "base/warnings.h"
#include "plan/arch.h"
#include "sema/decl.h"
#include "sema/expr/expr.h"
#include "sema/stmt/stmt.h"
#include "sema/tile/tile.h"
#include "syntax/parse.h"

enum { MOST_IMPORTS = 32, MOST_PARAMS = 4096 };  // depth of imports; params of a plan
static const int64_t most_extent = INT64_C(1) << 40;
static const int64_t most_int = INT64_C(1) << 62;

static void declare_const(struct sema *c, const struct ast_decl *d) {
    const struct ast_expr *e = d->value;
    const struct options *o = &c->s->options;
    int first, end = defines_of(c->define, o->ndefines, d->name.name, &first);
    for (int i = first; i < end; ++i) {
        const char *text = c->define[i]->text, *last = c->define[end - 1]->text;
        if (strcmp(text, last) != 0)
            diag_warn(c->s, W_UNUSED, d->name.at,
                      "-D %s=%s has no effect, because -D %s=%s comes after it", d->name.name, text,
                      d->name.name, last);
        c->define_used[c->define[i] - o->defines] = true;
        const struct ast_expr *given = parse_expr_text(c->s, c->define[i]->text);
        if (given) e = given;
    }
    c->sought.sizes = true;
    const struct value *v = eval(c, e);
    c->sought.sizes = false;
    struct symbol *sym = scope_declare(c, d->name, SYM_CONST, v);
    if (sym && e == d->value && v->kind == VAL_INT) sym->rounded = rounded_find(c, e);
}

// -- params ---------------------------------------------------------------------------------------

static void relate(struct sema *c, const struct ast_param *p) {
    const struct ast_expr *e = p->where;
    while (e->kind == E_TUPLE && e->nargs == 1) e = e->arg[0].value;
    if (e->kind != E_BINARY || e->op < OP_EQ) {
        diag_error(c->s, e->at, "'where' needs a comparison of integers: where lda >= K");
        return;
    }
    c->sought.sizes = true;
    const struct ix *a = eval_ix(c, e->lhs, "the left side of 'where'");
    const struct ix *b = eval_ix(c, e->rhs, "the right side of 'where'");
    c->sought.sizes = false;
    a = a ? sum_factored(c, a, e->lhs->at) : NULL;
    b = b ? sum_factored(c, b, e->rhs->at) : NULL;
    if (!a || !b) return;
    struct relation *r = ARENA_NEW(&c->s->arena, struct relation);
    *r = (struct relation){
        .a = a, .b = b, .op = ast_op_text(e->op), .text = ast_expr_text(c->s, e), .at = e->at};
    collect_relation(c, r);
    GROW(c, c->relation, c->nrelations, c->cap_relation);
    c->relation[c->nrelations++] = r;
    relations_promise_multiples(c, false);
}

// "index in 0 .. 1000 % 64": the promise of a divisor behind the range, whose end it would change.
static bool divisor_after_range(struct sema *c, const struct ast_param *p) {
    const struct ast_expr *hi = p->hi;
    int64_t mod, end;
    if (hi->kind != E_BINARY || hi->op != OP_MOD) return false;
    if (!value_is_static(eval(c, hi->rhs), &mod) || !value_is_static(eval(c, hi), &end))
        return false;
    const char *lo = ast_expr_text(c->s, p->lo), *of = ast_expr_text(c->s, hi->lhs);
    const char *ours =
        sema_text(c, "%% %" PRId64 " in %s .. %s", p->mod > 0 ? p->mod : mod, lo, of);
    diag_error(c->s, hi->at,
               "'%%' is the remainder here, and the range ends at %" PRId64
               "; multiples of %" PRId64 " are 'index %s'",
               end, p->mod > 0 ? p->mod : mod, ours);
    if (p->mod == 0 || p->mod == mod)
        diag_fixit(c->s, (struct range){hi->at.file, p->index_at.end, hi->at.end},
                   sema_text(c, " %s", ours));
    return true;
}

bool param_add(struct sema *c, struct param *p) {
    if (c->plan->nparams == MOST_PARAMS) {
        diag_error(c->s, p->at, "more than %d params in one plan", MOST_PARAMS);
        return false;
    }
    GROW(c, c->param, c->plan->nparams, c->cap_param);
    c->param[c->plan->nparams++] = p;
    return true;
}

void declare_params(struct sema *c, const struct ast_param *p, struct range at, int64_t least) {
    int64_t mul = p->mod ? p->mod : 1, lo = least, hi = most_extent;
    bool ok = true;
    if (p->mod < 0 || p->mod > most_extent) {
        diag_error(c->s, p->mod_at, "the promised divisor is %" PRId64 "; it must be in 1 .. 2^40",
                   p->mod);
        ok = false;
    }
    if (p->lo && divisor_after_range(c, p)) {
        ok = false;
    } else if (p->lo) {
        ok &= eval_int64(c, p->lo, "the smallest value of a param", &lo);
        ok &= eval_int64(c, p->hi, "the largest value of a param", &hi);
        if (ok && (lo < 0 || hi > most_int || lo > hi)) {
            diag_error(c->s, range_join(p->lo->at, p->hi->at),
                       lo > hi ? "the range %s ends before it begins"
                               : "a param in %s; its range must be within 0 .. 2^62",
                       sema_text(c, "%" PRId64 " .. %" PRId64, lo, hi));
            ok = false;
        }
    }
    if (ok && hi / mul * mul < lo) {
        diag_error(c->s, at, "no multiple of %" PRId64 " is in %" PRId64 " .. %" PRId64, mul, lo,
                   hi);
        ok = false;
    }
    for (int i = 0; i < p->nnames; ++i) {
        const struct value *v = &value_none;
        struct param *made = NULL;
        if (ok) {
            made = ARENA_NEW(&c->s->arena, struct param);
            *made = (struct param){.name = p->name[i].name,
                                   .sym = lay_param(c->lay, p->name[i].name, mul, lo, hi),
                                   .at = p->name[i].at};
            made->mod_at = (struct range){p->index_at.file, p->index_at.end, p->index_at.end};
            made->mod_free = p->mod == 0 && p->nnames == 1;
            v = value_lay_int(c, lay_int_sym(c->lay, made->sym));
        }
        struct symbol *sym = scope_declare(c, p->name[i], SYM_PARAM, v);
        if (!sym || !made) continue;
        sym->param = p;
        if (!param_add(c, made)) return;
    }
    if (!ok || !p->where) return;
    relate(c, p);
    // its own promise does not use it
    for (int i = 0; i < p->nnames; ++i) {
        struct symbol *sym = scope_find(c, p->name[i].name);
        if (sym && sym->param == p) sym->used = false;
    }
}

// -- named values ---------------------------------------------------------------------------------

static void declare_layout(struct sema *c, const struct ast_decl *d) {
    c->sought.sizes = true;
    const struct value *v = eval(c, d->value);
    c->sought.sizes = false;
    if (v->kind != VAL_NONE && layout_lacks_colon(c, d->value, v)) v = &value_none;
    struct lay l =
        value_to_layout(c, names_drop(c, v), d->value->at, sema_text(c, "'%s'", d->name.name));
    const struct value *named = lay_valid(l) ? names_from(c, value_layout(c, l), v) : &value_none;
    if (!scope_declare(c, d->name, SYM_LAYOUT, named) || !lay_valid(l)) return;
    GROW(c, c->layout, c->plan->nlayouts, c->cap_layout);
    c->layout[c->plan->nlayouts++] = (struct named_layout){d->name.name, l, d->name.at};
}

static void declare_atom(struct sema *c, const struct ast_decl *d) {
    const struct value *v = eval(c, d->value);
    if (v->kind != VAL_ATOM && v->kind != VAL_NONE)
        v = FAIL(c, d->value->at, "'%s' is %s; an atom is expected: universal(128)", d->name.name,
                 value_kind_text(v));
    scope_declare(c, d->name, SYM_ATOM, v);
}

static void declare_tiled(struct sema *c, const struct ast_decl *d) {
    const struct value *v = eval(c, d->value);
    if (v->kind != VAL_TILED && v->kind != VAL_NONE)
        v = FAIL(c, d->value->at, "'%s' is %s; a tiled copy is expected: tile(ATOM, thr=L, val=L)",
                 d->name.name, value_kind_text(v));
    if (v->kind == VAL_TILED) {
        struct tiled_copy *tc = ARENA_NEW(&c->s->arena, struct tiled_copy);
        *tc = *v->tc;
        tc->name = d->name.name;
        struct value *named = ARENA_NEW(&c->s->arena, struct value);
        *named = *v;
        named->tc = tc;
        v = named;
        GROW(c, c->tiled, c->plan->ntiled, c->cap_tiled);
        c->tiled[c->plan->ntiled++] = tc;
    }
    scope_declare(c, d->name, SYM_TILED, v);
}

static void declare_tensor(struct sema *c, const struct ast_decl *d) {
    struct tensor *t = make_tensor(c, d->name, &d->type, NULL);
    if (t && !spread_tensor(c, t, &d->type)) t = NULL;
    struct symbol *sym = scope_declare(c, d->name, SYM_TENSOR, &value_none);
    if (!sym || !t) return;
    sym->tensor = t;
    t->id = c->plan->ntensors;
    GROW(c, c->tensor, c->plan->ntensors, c->cap_tensor);
    c->tensor[c->plan->ntensors++] = t;
}

// -- files ----------------------------------------------------------------------------------------

// Whether an 'arch' is above "d" in its file, too; reports that.
static bool arch_again(struct sema *c, const struct ast_decl *d) {
    const struct ast_decl *first = NULL;
    for (int i = 0; !first; ++i)
        if (c->file->decl[i]->kind == D_ARCH) first = c->file->decl[i];
    if (first == d) return false;
    diag_error(c->s, d->at, "'arch' is written once; it is the minimum for all of the plan");
    diag_note(c->s, first->at, "it is '%s' here", first->name.name);
    return true;
}

static void check_arch(struct sema *c, const struct ast_decl *d) {
    const char *near;
    int arch = arch_find(d->name.name, &near);
    if (arch) {
        if (arch_again(c, d)) return;
        if (!c->imported && !c->s->options.arch) {
            c->plan->arch = arch;
            c->plan->arch_name = d->name.name;
        }
        return;
    }
    diag_error(c->s, d->name.at,
               near ? "'%s' is not an architecture that this compiler knows; did you mean '%s'?"
                    : "'%s' is not an architecture that this compiler knows",
               d->name.name, near);
    if (near) diag_fixit(c->s, d->name.at, near);
}

const char *file_beside(struct sema *c, const char *from, const char *path) {
    const char *slash = strrchr(from, '/');
    if (path[0] == '/' || !slash) return path;
    return sema_text(c, "%.*s%s", (int)(slash - from + 1), from, path);
}

static void import(struct sema *c, const struct ast_decl *d) {
    const char *from = c->s->sources.file[d->at.file].path;
    const char *path = file_beside(c, from, d->import.path);
    const char *real = source_identity(c->s, path);
    int depth = 0, why = errno;
    for (struct import *i = c->imports; i; i = i->next) {
        depth += i->open;
        if (!real || i->real != real) continue;
        if (!i->open) return;  // already read
        diag_error(c->s, d->import.path_at, "'%s' imports itself", d->import.path);
        if (i->at.file != UINT32_MAX) diag_note(c->s, i->at, "it is imported here");
        return;
    }
    if (depth > MOST_IMPORTS) {
        diag_error(c->s, d->import.path_at, "imports nested %d deep; the limit is %d", depth,
                   MOST_IMPORTS);
        return;
    }
    int file = real ? source_read(c->s, path) : -1;
    if (file < 0) {
        if (real) why = errno;
        diag_error(c->s, d->import.path_at, "'%s' cannot be read: %s", path,
                   why ? source_trouble(why) : "it is not a regular file");
        return;
    }
    struct import *i = ARENA_NEW(&c->s->arena, struct import);
    *i = (struct import){real, true, d->import.path_at, c->imports};
    c->imports = i;
    struct ast_file *f = parse_source(c->s, file);
    bool was = c->imported;
    const struct importer here = {c->file, c->importers};
    c->imported = true;
    c->importers = &here;
    if (f) declare_all(c, f);
    c->importers = here.outer;
    c->imported = was;
    c->file = here.file;
    i->open = false;
}

static void check_version(struct sema *c, const struct ast_file *f) {
    const struct ast_decl *first = f->ndecls ? f->decl[0] : NULL, *late = NULL;
    if (first && first->kind == D_TCP) {
        if (first->version != 1)
            diag_error(c->s, first->at, "version %" PRId64 " of the language; this compiler has 1",
                       first->version);
    } else if (f->nerrors == 0) {
        struct range at = first ? first->at : (struct range){(uint32_t)f->file, 0, 0};
        for (int i = 1; i < f->ndecls && !late; ++i)
            if (f->decl[i]->kind == D_TCP) late = f->decl[i];
        diag_error(c->s, late ? late->at : at,
                   late ? "'tcp' comes first in a plan"
                        : "a plan begins with the version of its language: tcp 1;");
        at.end = at.begin;
        diag_fixit(c->s, at, "tcp 1;\n");
        if (late) diag_fixit(c->s, late->at, "");
    }
    for (int i = 1; i < f->ndecls; ++i)
        if (f->decl[i]->kind == D_TCP && f->decl[i] != late)
            diag_error(c->s, f->decl[i]->at, "'tcp' is written once, at the beginning of the file");
}

void declare_all(struct sema *c, const struct ast_file *f) {
    c->file = f;
    if (c->s->options.kept) {
        struct checked_file *x = ARENA_NEW(&c->s->arena, struct checked_file);
        *x = (struct checked_file){f, c->files};
        c->files = x;
    }
    check_version(c, f);
    for (int i = 0; i < f->ndecls && !diag_full(c->s); ++i) {
        const struct ast_decl *d = f->decl[i];
        c->file = f;
        if (d->kind != D_FN && !c->imported) kernel_cases_end(c);
        allow_decl(c, d);
        switch (d->kind) {
        case D_TCP: break;
        case D_ARCH: check_arch(c, d); break;
        case D_IMPORT: import(c, d); break;
        case D_CONST: declare_const(c, d); break;
        case D_PARAM: declare_params(c, &d->param, d->at, 1); break;
        case D_LAYOUT: declare_layout(c, d); break;
        case D_ATOM: declare_atom(c, d); break;
        case D_TILED_COPY: declare_tiled(c, d); break;
        case D_TILED_MMA: declare_mma(c, d); break;
        case D_TENSOR: declare_tensor(c, d); break;
        case D_MESH: declare_mesh(c, d); break;
        case D_EXPECT: check_expect(c, &d->expect, d->at); break;
        case D_FN:
            if (!c->imported) {
                declare_kernel(c, d);
            } else {
                struct imported_fn *x = ARENA_NEW(&c->s->arena, struct imported_fn);
                *x = (struct imported_fn){d->name, c->imported_fns};
                c->imported_fns = x;
            }
            break;
        }
    }
    if (!c->imported) kernel_cases_end(c);
}
