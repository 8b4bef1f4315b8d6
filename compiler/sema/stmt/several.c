// Kernels of several planned copies, "kernel k(A, B, out C) { copy A -> C(_, 0 .. N); copy B -> .. }".
#include "base/buf.h"
#include "base/warnings.h"
#include "plan/print.h"
#include "plan/view.h"
#include "sema/expr/expr.h"
#include "sema/stmt/planned.h"

bool several_are_copies(struct sema *c, const struct ast_fn *fn) {
    if (!fn->kernel || fn->manual || fn->grid || fn->threads || fn->when) return false;
    bool all = fn->body && fn->body->nstmts > 1;
    for (int i = 0; all && i < fn->body->nstmts; ++i) {
        const struct ast_stmt *s = fn->body->stmt[i];
        all = s->kind == S_COPY && s->copy.how == HOW_AUTO && !s->copy.pad && !s->name.name &&
              !planned_by_thread(c, s->copy.src) && !planned_by_thread(c, s->copy.dst);
    }
    return all;
}

// -- views as text --------------------------------------------------------------------------------

// "E(0 .. 12, _)": the view of "e" with the shape "now" instead of "was", where a tile was cut.
static const char *cut_text(struct sema *c, const char *e, const struct lay_tuple *was,
                            const struct lay_tuple *now) {
    if (was == now) return e;
    const char *at = "";
    for (int i = 0; i < now->rank; ++i) {
        const char *sep = i ? ", " : "";
        if (lay_tuple_equal(was->kid[i], now->kid[i]))
            at = sema_text(c, "%s%s_", at, sep);
        else
            at = sema_text(c, "%s%s0 .. %s", at, sep, lay_tuple_text(c->lay, now->kid[i]));
    }
    return sema_text(c, "%s(%s)", e, at);
}

// Whether the leaves of "shape" with more than one element are the modes of "r", before these were
// sorted; sets "leaf" to their places.
static bool as_it_is(struct sema *c, const struct lay_tuple *shape, const struct relayout *r,
                     int leaf[]) {
    const struct lay_tuple *flat = lay_tuple_flatten(c->lay, shape);
    int n = 0;
    bool same = true;
    for (int i = 0; i < lay_tuple_leaves(flat); ++i) {
        struct lay_int e = lay_tuple_get(c->lay, flat, i)->leaf;
        if (lay_int_is(e, 1)) continue;
        bool found = false;
        for (int k = 0; k < r->rank; ++k)
            found |= r->mode[k].from == n && lay_int_equal(relayout_extent(r, k), e);
        same &= found;
        leaf[n++] = i;
    }
    return same && n == r->rank;
}

// The view "text" of the shape "shape" as the relayout has it; NULL if it has other modes there.
static const char *modes_text(struct sema *c, const char *text, const struct lay_tuple *shape,
                              const struct relayout *r) {
    int leaf[LAY_MAX_LEAVES] = {0};
    const char *at = "";
    if (planned_is_empty(c, shape)) {
        const struct lay_tuple *flat = lay_tuple_flatten(c->lay, shape);
        int none = 0;
        while (!planned_is_empty(c, lay_tuple_get(c->lay, flat, none))) ++none;
        return sema_text(c, "select(flatten(%s), (%d))", text, none);
    }
    bool one = r->rank == 1 && lay_int_is(relayout_extent(r, 0), 1);
    if (!one && !as_it_is(c, shape, r, leaf)) return NULL;
    for (int i = 0; i < r->rank; ++i)
        at = sema_text(c, "%s%s%d", at, i ? "," : "", leaf[r->mode[i].from]);
    return sema_text(c, "select(flatten(%s), (%s))", text, at);
}

// Where the names of modes gave "y" another order of the destination's modes than "before": the view
// "text" in that order.
static const char *named_text(struct sema *c, const char *text, const struct view *before,
                              const struct view *after) {
    const char *at = "";
    bool same = true;
    int rank = lay_rank(before->layout);
    for (int i = 0; before->names && after->names && i < rank; ++i)
        for (int k = 0; k < rank; ++k)
            if (before->names[k] == after->names[i]) {
                at = sema_text(c, "%s%s%d", at, i ? "," : "", k);
                same &= i == k;
            }
    return same ? text : sema_text(c, "select(%s, (%s))", text, at);
}

// -- copies ---------------------------------------------------------------------------------------

// Why copies "y" of one kernel are not in any order; or NULL.
static const char *not_together(struct sema *c, const struct ast_fn *fn, const struct copy *y,
                                int n) {
    const char *why = NULL;
    for (int i = 0; i < n && !why; ++i) {
        const struct tensor *t = y[i].dst.base;
        struct view *all = ARENA_ARRAY(&c->s->arena, struct view, n);
        int written = 0;
        for (int k = 0; k < n && !why; ++k) {
            if (y[k].dst.base != t) continue;
            all[written++] = y[k].dst;
            if (k > i && !why) why = parts_apart(c, &y[i].dst, &y[k].dst);
        }
        if (!why && planned_is_out(fn, t)) why = parts_are_whole(c, all, written);
    }
    return why;
}

// Sets the parts of where "v" begins as the kernel has them: with sums written out.
static void set_begin(struct sema *c, const struct view *v, struct relayout_begin *b) {
    const struct ix *e = sums_written_out(c, v->offset);
    struct lay_int x;
    if (!b->text) return;
    b->nparts = 0;
    b->at = 0;
    for (int i = 0; i < (e->op == IX_SUM ? e->nterms : 0); ++i) {
        x = e->term[i].coef;
        bool number = !e->term[i].atom && lay_int_static(x);
        if (number) b->at = x.num;
        if (number) continue;
        if (e->term[i].atom || b->nparts == RELAYOUT_PARTS) {
            b->nparts = 0;
            return;
        }
        b->part[b->nparts++] = x;
    }
}

// Plans copy "s", one of several, with the views "src" and "dst"; false after an error.
static bool plan_member(struct sema *c, const struct ast_fn *fn, const struct ast_stmt *s,
                        struct copy *made, struct relayout *r, const char **src, const char **dst) {
    struct copy y = {.at = s->at};
    struct lay of[2];
    if (!part_of_tensor(c, s->copy.src, &y.src) || !part_of_tensor(c, s->copy.dst, &y.dst))
        return false;
    const struct tensor *a = y.src.base, *b = y.dst.base;
    struct view before = y.dst;
    if (planned_refuse_way(c, fn, &y)) return false;
    if (!planned_is_argument(c, fn, a, false) || !planned_is_argument(c, fn, b, true)) {
        diag_error(c->s, s->at,
                   "this copy does not say how it is done, and tcpc plans several copies from "
                   "tensors in global memory, declared above, to others, which are 'out' or "
                   "'inout'");
        return false;
    }
    if (a->spread || b->spread)
        return planned_refuse(
            c, s, a, b,
            "it is one of several, of which none is between devices; write a kernel "
            "for each");
    if (!copy_types(c, s->at, a, b) || !names_match(c, &y) || !copy_shapes(c, &y)) return false;
    const struct lay_tuple *x = y.src.layout.shape, *z = y.dst.layout.shape;
    bool empty = planned_is_empty(c, x);
    const char *why = empty ? NULL : parts_settle(c, &y);
    if (why) return planned_refuse(c, s, a, b, why);
    if (!part_layout(c, &y.src, empty, &of[0]) || !part_layout(c, &y.dst, empty, &of[1]))
        return false;
    planned_relayout(c, a, b, r);
    r->several = true;
    r->shared /= fn->body->nstmts;
    if (empty)
        relayout_empty(c->s, r);
    else
        why = relayout_between(c->s, of[0], of[1], r);
    if (!why) why = relayout_coalesce(c->s, r);
    set_begin(c, &y.src, &r->begin[0]);
    set_begin(c, &y.dst, &r->begin[1]);
    const char *from = ast_expr_text(c->s, s->copy.src);
    const char *to = named_text(c, ast_expr_text(c->s, s->copy.dst), &before, &y.dst);
    *src = modes_text(c, cut_text(c, from, x, y.src.layout.shape), y.src.layout.shape, r);
    *dst = modes_text(c, cut_text(c, to, z, y.dst.layout.shape), y.dst.layout.shape, r);
    if (!why && (!*src || !*dst))
        why = "it is one of several, and these take the modes of their sides as they are: no mode "
              "of one side may be parts of modes of the other";
    *made = y;
    return why ? planned_refuse(c, s, a, b, why) : true;
}

// The arguments of the kernel as text, aligned as the relayouts "r" of the copies "y" need; NULL: one
// is no tensor.
static const char *arguments(struct sema *c, const struct ast_fn *fn, const struct copy *y,
                             const struct relayout *r) {
    const char *list = "";
    for (int i = 0; i < fn->nformals; ++i) {
        const struct ast_formal *f = &fn->formal[i];
        const struct symbol *sym = scope_find(c, f->name.name);
        const struct tensor *t = sym && sym->kind == SYM_TENSOR ? sym->tensor : NULL;
        if (f->kind != FORMAL_NAME || !t || !lay_valid(t->layout)) return NULL;
        const char *dir = f->dir == DIR_OUT ? "out " : f->dir == DIR_INOUT ? "inout " : "";
        int align = t->align;
        for (int k = 0; k < fn->body->nstmts && !t->align; ++k) {
            if (y[k].src.base == t && r[k].src_align > align) align = r[k].src_align;
            if (y[k].dst.base == t && r[k].dst_align > align) align = r[k].dst_align;
        }
        list = sema_text(c, "%s%s%s%s : %s global %s", list, i ? ",\n    " : "", dir, t->name,
                         t->elem->name, plan_named_layout(c->s, t->layout, t->names));
        if (align) list = sema_text(c, "%s align %d", list, align);
    }
    return list;
}

// Warns of arguments of "fn" that none of its copies "y" uses.
static void unused_arguments(struct sema *c, const struct ast_decl *d, const struct copy *y) {
    for (int i = 0; i < d->fn.nformals; ++i) {
        struct symbol *sym = scope_find(c, d->fn.formal[i].name.name);
        bool used = false;
        for (int k = 0; k < d->fn.body->nstmts; ++k)
            used |= y[k].src.base == sym->tensor || y[k].dst.base == sym->tensor;
        if (used) continue;
        diag_warn(c->s, W_UNUSED, d->fn.formal[i].name.at,
                  "no statement of '%s' uses its argument '%s'", d->name.name, sym->name);
        sym->used = true;
    }
}

int several_planned(struct sema *c, const struct ast_decl *d, struct kernel_text out[MOST_CASES]) {
    const struct ast_fn *fn = &d->fn;
    int n = fn->body->nstmts;
    struct relayout *r = ARENA_ARRAY(&c->s->arena, struct relayout, n);
    struct relayout_case list[RELAYOUT_CASES];
    struct copy *y = ARENA_ARRAY(&c->s->arena, struct copy, n);
    const char **src = ARENA_ARRAY(&c->s->arena, const char *, n);
    const char **dst = ARENA_ARRAY(&c->s->arena, const char *, n);
    if (planned_refuse_list(c, fn)) return 0;
    for (int i = 0; i < n; ++i)
        if (!plan_member(c, fn, fn->body->stmt[i], &y[i], &r[i], &src[i], &dst[i])) return 0;
    if (!arguments(c, fn, y, r)) return !planned_refuse_kernel(c, fn);
    const char *why = not_together(c, fn, y, n);
    int cases = why ? 0 : relayout_several_cases(c->s, r, n, list);
    struct buf text;
    buf_init(&text);
    buf_puts(&text, "tcp 1;\n// Several copies.\n");
    for (int i = 0; i < cases && !why; ++i) {
        struct relayout_several of = {list[i].r, src, dst, n, NULL};
        of.head =
            sema_text(c, "%s(%s)%s", d->name.name, arguments(c, fn, y, list[i].r), list[i].when);
        why = relayout_several(c->s, &of, &text);
    }
    const char *made = buf_finish(&text, &c->s->arena);
    if (why) {
        diag_error(c->s, d->name.at, "these copies are not planned: %s", why);
        return 0;
    }
    unused_arguments(c, d, y);
    return planned_parse(c, d->name.name, made, y, n, out);
}
