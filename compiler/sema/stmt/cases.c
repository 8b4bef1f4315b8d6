// The cases of a kernel: several kernels with one name, each but the last with "when".  A launch
// takes the first one whose conditions hold.
#include <inttypes.h>
#include <string.h>

#include "layout/algebra.h"
#include "layout/lay.h"
#include "plan/align.h"
#include "sema/decl.h"
#include "sema/expr/expr.h"
#include "sema/mesh.h"
#include "sema/stmt/stmt.h"

enum { MOST_CONDITIONS = 16 };
static const int64_t most_divisor = INT64_C(1) << 30;

static void malformed(struct sema *c, struct range at) {
    diag_error(c->s, at,
               "'when' takes divisibility conditions on params or products of params, such as when "
               "M %% 8 == 0, or when (M %% 8 == 0, N %% 8 == 0)");
}

// Reads "M % 8 == 0"; false after an error.
static bool condition(struct sema *c, const struct ast_expr *e, struct condition *out) {
    while (e->kind == E_TUPLE && e->nargs == 1) e = e->arg[0].value;
    bool right = e->kind == E_BINARY && e->op == OP_EQ && e->rhs->kind == E_INT &&
                 e->rhs->ival == 0 && e->lhs->kind == E_BINARY && e->lhs->op == OP_MOD;
    if (!right) {
        malformed(c, e->at);
        return false;
    }
    c->sought.sizes = true;
    const struct ix *x = eval_ix(c, e->lhs->lhs, "what 'when' asks about");
    c->sought.sizes = false;
    int64_t by, known;
    if (x && ix_static(x, &known)) {
        diag_error(c->s, e->lhs->lhs->at,
                   "'%s' is %" PRId64 " in every launch, so there is nothing to choose; 'when' "
                   "tests params with several values",
                   ast_expr_text(c->s, e->lhs->lhs), known);
        return false;
    }
    if (!x || !eval_int64(c, e->lhs->rhs, "a divisor", &by)) return false;
    struct lay_int v;
    if (!value_to_lay_int(c, value_int(c, x), e->lhs->lhs->at, "what 'when' asks about", &v))
        return false;
    if (v.nsyms == 0 || v.den != 1 || v.num < 1) {
        malformed(c, e->lhs->lhs->at);
        return false;
    }
    if (by < 1 || by > most_divisor) {
        diag_error(c->s, e->lhs->rhs->at, "the divisor is %" PRId64 "; it must be in 1 .. 2^30",
                   by);
        return false;
    }
    *out = (struct condition){.value = v, .by = by / lay_gcd(v.num, by)};
    out->value.num = 1;
    return true;
}

// Whether "e" asks only for the alignment of the arguments.
static bool asks_aligned(const struct ast_expr *e) {
    return e->kind == E_NAME && strcmp(e->name, "aligned") == 0;
}

void kernel_when(struct sema *c, const struct ast_fn *fn) {
    struct kernel *k = c->kernel;
    const struct ast_expr *e = fn->when;
    if (!e) return;
    if (k->device) {
        diag_error(c->s, e->at, "'%s' is a device function; only kernels have cases", k->name);
        return;
    }
    bool list = e->kind == E_TUPLE && e->nargs != 1;
    int n = list ? e->nargs : 1;
    if (n == 0 || n > MOST_CONDITIONS) {
        diag_error(c->s, e->at, "%d conditions; 'when' takes 1 .. %d", n, MOST_CONDITIONS);
        return;
    }
    // there is room for the alignment of arguments, which is found when all cases are known
    struct condition *when = ARENA_ARRAY(&c->s->arena, struct condition, n + k->nformals);
    k->when = when;
    for (int i = 0; list && i < n; ++i)
        if (e->arg[i].key.name) {
            diag_error(c->s, e->arg[i].key.at, "a condition has no name");
            return;
        }
    for (int i = 0; i < n; ++i) {
        const struct ast_expr *one = list ? e->arg[i].value : e;
        if (asks_aligned(one))
            k->aligned_at = one->at;
        else
            k->nwhen += condition(c, one, &when[k->nwhen]);
    }
}

// -- one name -------------------------------------------------------------------------------------

// Records that another case follows "k".
static void case_begins(struct sema *c, struct kernel *k) {
    if (!k->first_case) k->first_case = k;
    c->open_case = k;
}

// Declares "k" by "name", with the text "fn", or as a further case of the kernel above.
static bool declare(struct sema *c, struct ast_ident name, const struct ast_fn *fn,
                    struct kernel *k) {
    struct kernel *before = c->open_case;
    struct value *v = ARENA_NEW(&c->s->arena, struct value);
    v->kind = VAL_KERNEL;
    v->kernel = k;
    if (before && before->name == name.name && !k->device) {
        // expectations about the kernel are about its last case, which serves all sizes
        struct symbol *sym = scope_find(c, k->name);
        sym->value = v;
        uses_add(c, sym, name.at);
        int n = 1;
        for (const struct kernel *x = before->first_case; x != before; x = x->next_case) ++n;
        if (n == MOST_CASES)
            diag_error(c->s, name.at, "kernel '%s' has more than %d cases", k->name, MOST_CASES);
        k->first_case = before->first_case;
        before->next_case = k;
    } else {
        kernel_cases_end(c);
        const struct symbol *was = scope_find(c, name.name);
        if (fn->when && !k->device && was && was->kind == SYM_KERNEL) {
            diag_error(c->s, name.at,
                       "a case of '%s' with 'when' must come before the one without, which is for "
                       "all other sizes",
                       k->name);
            diag_note(c->s, was->at, "the case without 'when' is here");
            return false;
        }
        struct symbol *sym = scope_declare(c, name, SYM_KERNEL, v);
        if (!sym) return false;
        if (k->family) sym->indexed = NULL;  // the plan has it by the name of the family
        if (k->device) check_c_name(c, name, false);
    }
    c->open_case = NULL;
    if (fn->when && !k->device) case_begins(c, k);
    return true;
}

void kernel_cases_end(struct sema *c) {
    const struct kernel *k = c->open_case;
    c->open_case = NULL;
    if (!k) return;
    diag_error(c->s, k->at, "kernel '%s' has no case for all other sizes", k->name);
    diag_note(c->s, k->at, "add the same kernel without 'when' after it, with the same arguments");
}

// The layout with its modes in the order of memory, merged where they continue each other.
static struct lay in_memory(struct sema *c, struct lay l) {
    int order[LAY_MAX_LEAVES];
    struct lay flat = lay_flatten(c->lay, l);
    if (!lay_valid(flat) || !lay_static(flat)) return l;
    for (int i = 0; i < lay_rank(flat); ++i) {
        int j = i;
        int64_t d = lay_mode(c->lay, flat, i).stride->leaf.num;
        for (; j > 0 && lay_mode(c->lay, flat, order[j - 1]).stride->leaf.num > d; --j)
            order[j] = order[j - 1];
        order[j] = i;
    }
    return lay_coalesce(c->lay, lay_select(c->lay, flat, lay_rank(flat), order));
}

// Whether both layouts have the same elements in memory: they are equal, or of numbers that differ
// only in the order of modes and in which are merged.
static bool same_elements(struct sema *c, struct lay a, struct lay b) {
    return lay_equal(a, b) || lay_equal(in_memory(c, a), in_memory(c, b));
}

// What must be the same in both cases but is not; NULL: nothing.
static const char *differs(struct sema *c, const struct kernel *a, const struct kernel *b) {
    if (a->nformals != b->nformals) return "the same number of arguments";
    for (int i = 0; i < a->nformals; ++i) {
        const struct tensor *x = a->formal[i].tensor, *y = b->formal[i].tensor;
        if (x->name != y->name || x->elem != y->elem || a->formal[i].dir != b->formal[i].dir)
            return "the same arguments, by name, direction and type";
        if (lay_valid(x->layout) && lay_valid(y->layout) && !same_elements(c, x->layout, y->layout))
            return "arguments of the same layouts";
    }
    if (a->ngiven != b->ngiven) return "the same params";
    for (int i = 0; i < a->ngiven; ++i)
        if (a->param[i] != b->param[i]) return "the same params";
    return NULL;
}

// Whether all factors of "x" are factors of "y"; both are sorted.
static bool divides(struct lay_int x, struct lay_int y) {
    int i = 0;
    for (int j = 0; i < x.nsyms && j < y.nsyms; ++j)
        i += lay_sym_compare(x.syms[i], y.syms[j]) == 0;
    return i == x.nsyms;
}

// A divisor of "x" in case "k": by promises, and by each of its conditions.
static int64_t multiple_of(const struct kernel *k, struct lay_int x) {
    int64_t d = lay_int_divisor(x);
    for (int i = 0; i < k->nwhen && d != 0; ++i) {
        const struct condition *w = &k->when[i];
        int64_t more = w->by / lay_gcd(d, w->by);
        if (w->tensor || !divides(w->value, x) || __builtin_mul_overflow(d, more, &d)) continue;
    }
    return d;
}

// Whether "k" is taken whenever the later case "b" could be.
static bool covers(const struct kernel *k, const struct kernel *b) {
    for (int i = 0; i < k->nwhen; ++i) {
        const struct condition *w = &k->when[i];
        for (int j = 0; w->tensor && j < k->nformals; ++j)
            if (k->formal[j].tensor == w->tensor && align_known(b->formal[j].tensor) < w->by)
                return false;
        if (!w->tensor && multiple_of(b, w->value) % w->by != 0) return false;
    }
    return true;
}

// Reports cases that are never taken because an earlier one always holds.
static void cases_are_taken(struct sema *c, const struct kernel *last) {
    for (const struct kernel *b = last->first_case->next_case; b; b = b->next_case)
        for (const struct kernel *k = last->first_case; k != b; k = k->next_case) {
            if (k->planned || k->nwhen == 0 || !covers(k, b)) continue;
            diag_error(c->s, b->at, "no launch can take this case of kernel '%s'", b->name);
            diag_note(
                c->s, k->at,
                "this case comes first, and its conditions hold whenever those of the other do");
            return;
        }
}

// Gives all cases the sums of each of them, which the launcher computes for all.
static void share_sums(struct sema *c, struct kernel *last) {
    const struct param **all = ARENA_ARRAY(&c->s->arena, const struct param *, c->plan->nparams);
    int n = last->ngiven;
    for (int i = 0; i < n; ++i) all[i] = last->param[i];
    for (int i = 0; i < c->plan->nparams; ++i) {
        bool used = false;
        for (struct kernel *k = last->first_case; k && !used; k = k == last ? NULL : k->next_case)
            for (int j = k->ngiven; j < k->nparams; ++j) used |= k->param[j] == c->param[i];
        if (used) all[n++] = c->param[i];
    }
    for (struct kernel *k = last->first_case; k; k = k == last ? NULL : k->next_case) {
        k->param = all;
        k->nparams = n;
    }
}

void kernel_cases_join(struct sema *c, struct kernel *last) {
    if (!last->first_case || last->nwhen || c->open_case) return;
    if (c->lacks_formal == last->name) return;
    for (struct kernel *k = last->first_case; k != last; k = k->next_case) {
        const char *what = differs(c, k, last);
        if (what) {
            diag_error(c->s, k->at, "the cases of kernel '%s' do not have %s", k->name, what);
            diag_note(c->s, last->at, "the case for all other sizes is here");
            return;
        }
        // an alignment beyond that of the last case is a condition too
        struct condition *when = (struct condition *)k->when;
        bool more = false;
        for (int i = 0; when && i < k->nformals; ++i) {
            const struct tensor *t = k->formal[i].tensor;
            if (align_known(t) > align_known(last->formal[i].tensor))
                when[k->nwhen++] = (struct condition){.tensor = t, .by = align_known(t)},
                more = true;
        }
        if (k->aligned_at.end && !more) {
            diag_error(c->s, k->aligned_at,
                       "'aligned' asks for nothing: no argument of this case of kernel '%s' has a "
                       "greater 'align' than in the case for all other sizes",
                       k->name);
            diag_note(c->s, last->at, "the case for all other sizes is here");
            return;
        }
    }
    share_sums(c, last);
    cases_are_taken(c, last);
}

// Lets later functions call "k", with the text "fn".
static void can_be_called(struct sema *c, const struct kernel *k, const struct ast_fn *fn) {
    struct symbol *sym = scope_find(c, k->name);
    struct function *x = ARENA_NEW(&c->s->arena, struct function);
    *x = (struct function){.name = k->name,
                           .formal = k->formal,
                           .nformals = k->nformals,
                           .index = k->index,
                           .nindexes = k->nindexes,
                           .at = k->at};
    sym->function = x;
    sym->fn = fn;
}

// Checks the text of "d", or the cases that the planner made of it for number c->number of devices.  The
// first one is "k", and the others are like "plain".  Returns whether there is a further number.
static bool declare_texts(struct sema *c, const struct ast_decl *d, struct kernel *plain,
                          struct kernel *k) {
    struct kernel_text text[MOST_CASES] = {{.fn = &d->fn}};
    int errors = c->s->diags.nerrors, n = kernel_planned(c, d, text);
    const struct mesh *mesh = n > 0 ? text[0].mesh : NULL;
    struct ast_ident name = d->name;
    bool numbered = mesh && mesh->of;
    if (numbered) {
        plain->family = d->name.name;
        plain->name = name.name =
            intern(c->s, sema_text(c, "%s%s", d->name.name, mesh_ending(c, mesh)));
    }
    for (int i = 0; i < n; ++i) {
        if (i > 0) k = ARENA_NEW(&c->s->arena, struct kernel);
        if (i > 0 || numbered) {
            *k = *plain;
            if (!declare(c, name, text[i].fn, k)) return false;
        } else if (n > 1) {
            case_begins(c, k);
        }
        k->planned = text[i].planned;
        k->wanted = text[i].wanted;
        k->nwanted = text[i].nwanted;
        k->chosen = text[i].chosen;
        k->candidates = text[i].candidates;
        k->mesh = text[i].mesh;
        c->text = &text[i];
        check_kernel(c, text[i].fn, k);
        c->text = NULL;
    }
    if (!numbered || c->s->diags.nerrors > errors) return false;
    return c->number + 1 < mesh->of->nnumbers;
}

void declare_kernel(struct sema *c, const struct ast_decl *d) {
    if (d->fn.external) {
        declare_extern(c, d);
        return;
    }
    struct kernel plain = {.name = d->name.name,
                           .at = d->name.at,
                           .device = !d->fn.kernel,
                           .manual = d->fn.manual,
                           .async = d->fn.async};
    struct kernel *k = ARENA_NEW(&c->s->arena, struct kernel);
    *k = plain;
    if (!declare(c, d->name, &d->fn, k)) return;
    int errors = c->s->diags.nerrors;
    c->number = 0;
    while (declare_texts(c, d, &plain, k)) {
        k = ARENA_NEW(&c->s->arena, struct kernel);
        ++c->number;
    }
    c->number = 0;
    if (k->device && c->s->diags.nerrors == errors) can_be_called(c, k, &d->fn);
}
