// Kernels that consist of one copy, "kernel k(A, out B) { copy A -> B; }".  The planner writes text
// for them, which is parsed and used in their place.
#include <string.h>

#include "base/buf.h"
#include "base/warnings.h"
#include "plan/arch.h"
#include "plan/bind.h"
#include "plan/print.h"
#include "planner/planner.h"
#include "sema/expr/expr.h"
#include "sema/stmt/planned.h"
#include "sema/tile/tile.h"
#include "syntax/parse.h"

bool planned_by_thread(struct sema *c, const struct ast_expr *e) {
    static const char *const names[] = {"block", "tid", "lane", "warp"};
    bool found = false;
    for (size_t i = 0; e && e->kind == E_NAME && i < sizeof names / sizeof *names; ++i)
        found |= strcmp(e->name, names[i]) == 0 && !scope_find(c, e->name);
    if (!e || found) return found;
    for (int i = 0; i < e->nargs; ++i) found |= planned_by_thread(c, e->arg[i].value);
    return found || planned_by_thread(c, e->lhs) || planned_by_thread(c, e->rhs);
}

// The copy, if the kernel consists of one copy of two tensors, or parts of them, and gives neither
// threads nor grid; otherwise NULL.
static const struct ast_stmt *lone_copy(struct sema *c, const struct ast_fn *fn) {
    if (!fn->kernel || fn->manual || fn->grid || fn->threads || fn->when || fn->nformals != 2)
        return NULL;
    if (!fn->body || fn->body->nstmts != 1) return NULL;
    const struct ast_stmt *s = fn->body->stmt[0];
    if (s->kind != S_COPY || s->copy.how != HOW_AUTO || s->copy.pad || s->name.name) return NULL;
    return planned_by_thread(c, s->copy.src) || planned_by_thread(c, s->copy.dst) ? NULL : s;
}

// Notes what is wrong with the tensors of copy "s", the only statement of "fn".
static void note_sides(struct sema *c, const struct ast_fn *fn, const struct ast_stmt *s) {
    const struct ast_expr *side[] = {s->copy.src, s->copy.dst};
    if (side[0]->name == side[1]->name) {
        diag_note(c->s, s->at, "both sides of it are '%s'", side[0]->name);
        return;
    }
    for (int i = 0; i < 2; ++i) {
        const struct symbol *sym = scope_find(c, side[i]->name);
        const struct tensor *t = sym && sym->kind == SYM_TENSOR ? sym->tensor : NULL;
        const struct ast_formal *f = NULL;
        for (int k = 0; k < fn->nformals; ++k)
            if (fn->formal[k].name.name == side[i]->name) f = &fn->formal[k];
        if (t && t->space != MEM_GLOBAL) {
            diag_note(c->s, t->at, "'%s' is in %s memory", t->name, space_name(t->space));
        } else if (t && !f) {
            diag_note(c->s, side[i]->at, "'%s' is no argument of the kernel", t->name);
        }
    }
}

// Whether "e" names "name".
static bool says(const struct ast_expr *e, const char *name) {
    if (!e) return false;
    bool found = e->name == name || says(e->lhs, name) || says(e->rhs, name);
    for (int i = 0; i < e->nargs; ++i) found |= says(e->arg[i].value, name);
    return found;
}

// The first tensor in the list of "fn" that its only copy, "s", does not name; NULL: there is none.
static const struct ast_formal *left_out(const struct ast_fn *fn, const struct ast_stmt *s) {
    for (int i = 0; i < fn->nformals; ++i)
        if (fn->formal[i].kind != FORMAL_INDEX && !says(s->copy.src, fn->formal[i].name.name) &&
            !says(s->copy.dst, fn->formal[i].name.name))
            return &fn->formal[i];
    return NULL;
}

// Reports the names in the list of "fn" that are those of no tensor; returns false if there are none.
static bool refuse_names(struct sema *c, const struct ast_fn *fn) {
    bool found = false;
    for (int i = 0; i < fn->nformals; ++i) {
        const struct ast_formal *f = &fn->formal[i];
        const struct symbol *sym = scope_find(c, f->name.name);
        if (f->kind != FORMAL_NAME || (sym && sym->kind == SYM_TENSOR)) continue;
        found |= !formal_symbol(c, f);
    }
    return found;
}

// The argument of "fn" that is the tensor "t", in global memory; NULL: there is none.
static const struct ast_formal *formal_of(const struct ast_fn *fn, const struct tensor *t) {
    for (int i = 0; i < fn->nformals && t->space == MEM_GLOBAL; ++i)
        if (fn->formal[i].kind == FORMAL_NAME && fn->formal[i].name.name == t->name)
            return &fn->formal[i];
    return NULL;
}

bool planned_refuse_way(struct sema *c, const struct ast_fn *fn, const struct copy *y) {
    const struct tensor *a = y->src.base, *b = y->dst.base;
    const struct ast_formal *src = formal_of(fn, a), *dst = formal_of(fn, b);
    bool read = !src || src->dir == DIR_NONE, written = !dst || dst->dir != DIR_NONE;
    if (a == b || (read && written)) return false;
    if (!written) {
        diag_error(c->s, y->at, "this copy writes '%s', which its kernel does not list as 'out'",
                   b->name);
        diag_note(c->s, dst->at, "list it as 'out %s'", b->name);
        diag_fixit(c->s, dst->at, sema_text(c, "out %s", b->name));
    }
    const char *way = read ? "" : src->dir == DIR_OUT ? "out" : "inout";
    if (!read && !written) {
        diag_note(c->s, src->at,
                  "'%s', which it reads, is listed as '%s': the other way is 'copy %s -> %s'",
                  a->name, way, b->name, a->name);
    } else if (!read) {
        diag_error(c->s, y->at, "this copy reads '%s', which its kernel lists as '%s'", a->name,
                   way);
        diag_note(c->s, src->at,
                  "tcpc plans no copy of what its kernel writes; if none writes it, list it as "
                  "'%s'",
                  a->name);
    }
    return true;
}

bool planned_refuse_kernel(struct sema *c, const struct ast_fn *fn) {
    if (!fn->kernel || !fn->body || fn->body->nstmts != 1) return false;
    const struct ast_stmt *s = fn->body->stmt[0];
    if (s->kind != S_COPY || s->copy.how != HOW_AUTO) return false;
    if (refuse_names(c, fn)) return true;
    const struct ast_formal *lost = fn->nformals > 2 ? left_out(fn, s) : NULL;
    if (lost && !fn->manual && !fn->grid && !fn->threads) {
        diag_error(c->s, s->at,
                   "this copy does not say how it is done, and tcpc plans none that leaves out a "
                   "tensor of the list: nothing here %s '%s'",
                   lost->dir == DIR_NONE ? "copies" : "writes", lost->name.name);
        diag_note(c->s, lost->at,
                  "copies that follow each other are planned together: add the one of '%s', or "
                  "leave it out of the list",
                  lost->name.name);
        return true;
    }
    bool whole = s->copy.src->kind == E_NAME && s->copy.dst->kind == E_NAME;
    for (int i = 0; i < 2 && whole; ++i) {
        const struct symbol *x = scope_find(c, (i ? s->copy.dst : s->copy.src)->name);
        if (x && x->kind == SYM_TENSOR && !x->tensor) return true;  // its declaration has an error
    }
    bool threads = planned_by_thread(c, s->copy.src) || planned_by_thread(c, s->copy.dst);
    const char *why =
        fn->manual          ? "of a kernel that is not 'manual'"
        : threads           ? "of parts that are the same in all blocks and threads"
        : s->name.name      ? "without a label"
        : s->copy.pad       ? "without 'pad'"
        : fn->nformals != 2 ? "of a kernel with two arguments"
        : fn->grid || fn->threads
            ? "of a kernel that says neither grid nor threads; drop what comes before '{'"
            : "from one tensor in global memory, declared above, to another one, which is "
              "'out' or 'inout'";
    diag_error(c->s, s->at, "this copy does not say how it is done, and tcpc plans a copy %s", why);
    if (whole) note_sides(c, fn, s);
    if (whole && !s->name.name && !s->copy.pad && (fn->grid || fn->threads) && fn->nformals == 2)
        diag_fixit(c->s, (struct range){s->at.file, fn->head_at.end, fn->body->at.begin}, " ");
    copy_note_tiled(c, s);
    return true;
}

bool planned_is_argument(struct sema *c, const struct ast_fn *fn, const struct tensor *t,
                         bool dst) {
    bool found = false;
    for (int i = 0; i < fn->nformals; ++i) {
        const struct ast_formal *f = &fn->formal[i];
        const struct symbol *sym = f->kind == FORMAL_NAME ? scope_find(c, f->name.name) : NULL;
        found |= sym && sym->kind == SYM_TENSOR && sym->tensor == t && !f->readonly &&
                 (dst ? f->dir != DIR_NONE : f->dir == DIR_NONE);
    }
    return found && t->space == MEM_GLOBAL;
}

bool planned_is_out(const struct ast_fn *fn, const struct tensor *t) {
    bool out = false;
    for (int i = 0; i < fn->nformals; ++i)
        out |= fn->formal[i].dir == DIR_OUT && fn->formal[i].name.name == t->name;
    return out;
}

static int promised(const struct tensor *t) {
    int size = t->elem->bits / 8;
    return t->align > size ? t->align : size;
}

int planned_parse(struct sema *c, const char *name, const char *text, const struct copy *wanted,
                  int nwanted, struct kernel_text out[MOST_CASES]) {
    struct session *s = c->s;
    const char *path = arena_printf(&s->arena, "<plan of %s>", name);
    int file = source_add(s, path, text, strlen(text)), n = 0;
    if (file < 0) return 0;
    s->sources.file[file].made = true;
    const struct ast_file *f = parse_source(s, file);
    for (int i = 0; f && f->nerrors == 0 && i < f->ndecls && n < MOST_CASES; ++i)
        if (f->decl[i]->kind == D_FN)  // the planner's reasons come before it
            out[n++] = (struct kernel_text){.fn = &f->decl[i]->fn,
                                            .planned = text + f->decl[i - 1]->at.end + 1,
                                            .wanted = wanted,
                                            .nwanted = nwanted};
    return n;
}

// Whether some values of the params keep all promises and the conditions of "r".
static bool can_hold(const void *by, const struct relayout *r) {
    const struct sema *c = by;
    struct session_mark mark = session_mark(c->s);
    struct plan p = {.param = c->param,
                     .nparams = c->plan->nparams,
                     .relation = (const struct relation *const *)c->relation,
                     .nrelations = c->nrelations,
                     .nsyms = c->lay->next_sym};
    struct condition when[RELAYOUT_WHEN];
    for (int i = 0; i < r->nwhen; ++i)
        when[i] = (struct condition){.value = r->when[i].value, .by = r->when[i].by};
    bool can = plan_choose_when(c->s, &p, NULL, when, r->nwhen, 0) != NULL;
    session_rewind(c->s, mark);
    return can;
}

void planned_relayout(struct sema *c, const struct tensor *a, const struct tensor *b,
                      struct relayout *out) {
    *out = (struct relayout){.type = a->elem,
                             .to = a->elem == b->elem ? NULL : b->elem,
                             .src_align = promised(a),
                             .dst_align = promised(b),
                             .src_open = a->align == 0,
                             .dst_open = b->align == 0,
                             .arch = c->plan->arch,
                             .shared = arch_shared_bytes(c->plan->arch),
                             .can_hold = can_hold,
                             .by = c};
}

// Warns of a plan that is not the planner's best one.
static void warn_fallback(struct sema *c, const struct relayout *r, const char *name,
                          struct range at) {
    diag_warn(c->s, W_FALLBACK, at,
              "the planner's best plan for kernel '%s' is refused; another one is used, which is "
              "predicted to be %d%% slower",
              name, relayout_loss(c->s, r));
    for (int i = 0; i < RELAYOUT_CASES; ++i) {
        size_t n;
        for (const char *why = r->fallback->why[i]; why && *why; why += n + 1) {
            n = strcspn(why, "\n");
            diag_note(c->s, at, "%.*s", (int)n, why);
        }
    }
    diag_note(c->s, at, "the copy is right; that its best plan is refused is a fault of tcpc");
}

bool planned_is_empty(struct sema *c, const struct lay_tuple *t) {
    bool any = false;
    for (int i = 0; i < t->rank; ++i) any |= planned_is_empty(c, t->kid[i]);
    if (!lay_is_leaf(t)) return any;
    int64_t n;
    const struct ix *e = sums_written_out(c, ix_lay(c->s, t->leaf));
    return ix_static(e, &n) && n == 0;
}

// The name of "t" in the planner's text, where a call of some names is not a slice.
static const char *argument_name(struct sema *c, const struct tensor *t,
                                 const struct tensor *other) {
    if (strcmp(t->name, "ceil_div") != 0 && !atom_known(t->name)) return t->name;
    const char *name = sema_text(c, "%s_", t->name);
    return strcmp(name, other->name) == 0 ? sema_text(c, "%s_", name) : name;
}

bool planned_refuse_list(struct sema *c, const struct ast_fn *fn) {
    for (int i = 0; i < fn->nformals; ++i) {
        const struct ast_formal *f = &fn->formal[i];
        if (f->kind != FORMAL_TENSOR) continue;
        diag_error(c->s, f->at,
                   "'%s' is declared in the list, and tcpc plans copies of tensors that are "
                   "declared above their kernel",
                   f->name.name);
        diag_note(c->s, f->at, "declare it above, 'tensor %s : ..;', and list it as '%s%s'",
                  f->name.name,
                  f->dir == DIR_OUT     ? "out "
                  : f->dir == DIR_INOUT ? "inout "
                                        : "",
                  f->name.name);
        return true;
    }
    return refuse_names(c, fn);
}

int planned_refuse(struct sema *c, const struct ast_stmt *s, const struct tensor *a,
                   const struct tensor *b, const char *why) {
    diag_error(c->s, s->at, "this copy is not planned: %s", why);
    diag_note(c->s, a->at, "'%s' is %s", a->name, lay_text(c->lay, a->layout));
    diag_note(c->s, b->at, "'%s' is %s", b->name, lay_text(c->lay, b->layout));
    return 0;
}

int kernel_planned(struct sema *c, const struct ast_decl *d, struct kernel_text out[MOST_CASES]) {
    for (int i = 0; i < d->fn.nformals; ++i) {  // the planner's text has another list
        const struct ast_formal *f = &d->fn.formal[i];
        const struct symbol *sym = f->kind == FORMAL_NAME ? scope_find(c, f->name.name) : NULL;
        if (sym) uses_add(c, sym, f->name.at);
    }
    if (several_are_copies(c, &d->fn)) return several_planned(c, d, out);
    const struct ast_stmt *s = lone_copy(c, &d->fn);
    const char *tuned = c->s->options.tuned;
    bool is_tuned = tuned && strcmp(tuned, d->name.name) == 0;
    const struct relayout_plan *whole = c->s->options.planned;
    if (!s && whole && fallback_of(c->s, d->name.name)) {
        struct relayout r = whole->r;
        r.fallback = fallback_of(c->s, d->name.name);
        warn_fallback(c, &r, d->name.name, d->name.at);
    }
    if (!s) return !planned_refuse_kernel(c, &d->fn);
    struct copy y = {.at = s->at};
    struct lay of[2];
    if (planned_refuse_list(c, &d->fn)) return 0;
    if (!part_of_tensor(c, s->copy.src, &y.src) || !part_of_tensor(c, s->copy.dst, &y.dst))
        return 0;
    struct tensor *a = y.src.base, *b = y.dst.base;
    if (planned_refuse_way(c, &d->fn, &y)) return 0;
    if (!planned_is_argument(c, &d->fn, a, false) || !planned_is_argument(c, &d->fn, b, true) ||
        a == b || !lay_valid(y.src.layout) || !lay_valid(y.dst.layout)) {
        bool said = planned_refuse_kernel(c, &d->fn), whole = s->copy.src->kind == E_NAME;
        if (said && a == b && !whole) diag_note(c->s, s->at, "both sides of it are '%s'", a->name);
        return !said;
    }
    if (!copy_types(c, s->at, a, b) || !names_match(c, &y)) return 0;
    if (a->spread || b->spread) return mesh_planned(c, d, s, &y, out);
    if (!copy_shapes(c, &y)) return 0;
    bool empty = planned_is_empty(c, y.src.layout.shape);
    const struct lay_tuple *shape = y.src.layout.shape;
    const char *why = empty ? NULL : parts_settle(c, &y);
    if (!why && !empty && planned_is_out(&d->fn, b)) why = parts_are_whole(c, &y.dst, 1);
    if (why && s->copy.dst->kind == E_NAME && !lay_tuple_equal(y.src.layout.shape, shape))
        why = sema_text(c,
                        "the source has the shape %s, of which only %s is in '%s': then '%s', "
                        "which is 'out', is not written completely",
                        lay_tuple_text(c->lay, shape), lay_tuple_text(c->lay, y.src.layout.shape),
                        a->name, b->name);
    if (why) return planned_refuse(c, s, a, b, why);
    for (int i = 0; i < 2; ++i)
        if (!part_layout(c, i ? &y.dst : &y.src, empty, &of[i])) return 0;
    struct relayout r;
    planned_relayout(c, a, b, &r);
    r.candidate = is_tuned ? c->s->options.candidate : 0;
    r.fallback = fallback_of(c->s, d->name.name);
    if (empty)
        relayout_empty(c->s, &r);
    else
        why = relayout_between(c->s, of[0], of[1], &r);
    if (!why) why = relayout_coalesce(c->s, &r);
    struct relayout_names names = {.kernel = d->name.name,
                                   .src = argument_name(c, a, b),
                                   .dst = argument_name(c, b, a),
                                   .dst_first = d->fn.formal[0].dir != DIR_NONE};
    struct relayout_chosen *chosen =
        ARENA_ARRAY(&c->s->arena, struct relayout_chosen, RELAYOUT_CASES);
    struct buf text;
    buf_init(&text);
    if (!why && relayout_loss(c->s, &r) < 0) why = relayout_too_slow;
    if (!why) why = relayout_kernel(c->s, &r, &names, &text, chosen);
    const char *made = buf_finish(&text, &c->s->arena);
    if (why) return planned_refuse(c, s, a, b, why);
    if (r.fallback) warn_fallback(c, &r, d->name.name, s->at);
    for (int i = 0; i < 2; ++i) {
        const struct ast_expr *side = i ? s->copy.dst : s->copy.src;
        scope_use(c, scope_find(c, (i ? b : a)->name),
                  side->kind == E_NAME ? side->at : RANGE_NONE);
    }
    struct copy *wanted = ARENA_NEW(&c->s->arena, struct copy);
    *wanted = y;
    int n = planned_parse(c, d->name.name, arena_printf(&c->s->arena, "tcp 1;\n%s", made), wanted,
                          1, out);
    if (n == 0) return 1;
    // what the planned tensors leave out may be what the promises are about
    bool parts = empty || s->copy.src->kind != E_NAME || s->copy.dst->kind != E_NAME;
    for (int i = 0; i < n; ++i) {
        out[i].declared[names.dst_first] = a;
        out[i].declared[!names.dst_first] = b;
        out[i].parts = parts;
        out[i].chosen = &chosen[i];
    }
    if (!is_tuned) return n;
    struct relayout *list = ARENA_ARRAY(&c->s->arena, struct relayout, RELAYOUT_CASES);
    relayout_cases(c->s, &r, list);
    for (int i = 0; i < n; ++i) out[i].candidates = relayout_candidates(&list[i]);
    return n;
}
