// Operands of a product that do not meet: a function sums over a mode of both, and a loop takes them to different
// places along it.
#include <string.h>

#include "base/session.h"
#include "layout/algebra.h"
#include "pass/lint/leaves.h"
#include "pass/lint/reads.h"
#include "plan/mma.h"
#include "plan/view.h"

// Where the elements of an argument come from, or where those of a result go.
struct place {
    const struct view *v;  // what is read or written
    const struct tensor *t;
    struct parts x;  // of "t", by parts of "v"
    int first;       // how many leaves of "v" its first mode has; 0: it has not two modes
};

// Whether "v" is all of a fragment.
static bool is_all(struct session *s, const struct view *v) {
    struct lay a = v->layout, b = v->base->layout;
    bool all =
        lay_valid(a) && lay_valid(b) && lay_int_equal(lay_size(&s->lay, a), lay_size(&s->lay, b));
    lay_clear_error(&s->lay);
    return all;
}

// The only statement that writes to "t", if it is a copy; or NULL.
static const struct copy *filled_by(const struct kernel *k, const struct tensor *t) {
    const struct copy *from = NULL;
    for (const struct stmt *st = k->body; st; st = stmt_next(k->body, st)) {
        for (int i = 0; st->kind == STMT_CALL && i < st->call->fn->nformals; ++i)
            if (st->call->view[i].base == t && st->call->fn->formal[i].dir != ARG_IN) return NULL;
        if (st->kind != STMT_COPY || st->copy->dst.base != t) continue;
        if (from) return NULL;
        from = st->copy;
    }
    return from;
}

// Takes "p" from its buffer to the other side of "c", with those parts whose place is known there.
static void follow(struct session *s, const struct copy *c, bool back, struct place *p) {
    const struct view *v = copy_side(c, !back), *w = copy_side(c, back);
    struct parts in, of, old = p->x;
    p->x.n = 0;
    p->t = w->base;
    if (!leaves_parts(s, v, &in) || !leaves_parts(s, w, &of) || in.n != of.n) return;
    for (int i = 0; i < old.n; ++i) {
        int m = leaves_find(&in, old.part[i].mode);
        if (m < 0 || !lay_int_equal(in.part[m].extent, of.part[m].extent)) continue;
        if (!ix_constant(in.part[m].from)) continue;
        struct leaves_part *x = &p->x.part[p->x.n++];
        *x = old.part[i];
        x->mode = of.part[m].mode;
        x->from = ix_add(s, of.part[m].from, ix_sub(s, x->from, in.part[m].from));
    }
}

// Sets "p" to where the elements of "v", an argument, come from; false: it is not known.
static bool place_of(struct session *s, const struct kernel *k, const struct view *v,
                     struct place *p) {
    if (v->base->space == MEM_FRAG) {
        const struct copy *c = is_all(s, v) ? filled_by(k, v->base) : NULL;
        if (!c || c->src.base->space == MEM_FRAG) return false;
        v = &c->src;
    }
    if (!leaves_parts(s, v, &p->x)) return false;
    p->v = v;
    p->t = v->base;
    const struct lay_tuple *shape = v->coord.shape;
    p->first = shape->rank == 2 ? lay_tuple_leaves(shape->kid[0]) : 0;
    return true;
}

// The only part of "p" in its first mode, or in the second one; -1: there is none, or there are several.
static int part_in(const struct place *p, bool second) {
    int found = -1;
    for (int i = 0; i < p->x.n; ++i) {
        if ((p->x.part[i].at >= p->first) != second) continue;
        if (found >= 0) return -1;
        found = i;
    }
    return p->first ? found : -1;
}

static const struct ix *from(const struct place *p, int part) {
    return p->x.part[part].from;
}

static const char *along(struct session *s, const struct place *p, int part) {
    return view_mode_text(s, p->t, p->x.part[part].mode);
}

static struct lay_int extent_of(struct session *s, const struct place *p, int part) {
    return reads_extent(s, p->t, p->x.part[part].mode);
}

// Whether the steps of the loops "around" or the blocks move "more" by the same in each step: for blocks by a size, since
// those that are a number of elements apart may sum over shifted operands.
static bool is_moved(struct reads *r, const struct around *around, const struct ix *more) {
    struct session *s = r->s;
    int64_t by, end;
    for (int i = 0; i < around->n; ++i) {
        const struct stmt *st = around->stmt[i];
        if (!stmt_loops(st) || !st->var || (ix_static(st->end, &end) && end <= 1)) continue;
        const struct ix *step = reads_step_by(s, more, st->var);
        if (step && ix_static(step, &by) && by != 0) return true;
    }
    for (int i = 0; i < 3; ++i) {
        const struct ix *step = r->k->block[i] ? reads_step_by(s, more, r->k->block[i]) : NULL;
        if (step && ix_constant(step) && !ix_static(step, NULL)) return true;
    }
    return false;
}

// Whether "a" and "b" differ in a step of a loop, and by what depends on the step or on the block.
static bool differ(struct reads *r, const struct around *around, const struct ix *a,
                   const struct ix *b) {
    struct session *s = r->s;
    const struct ix *more = ix_sub(s, a, b), *zero = ix_int(s, 0);
    if (!more) return false;
    if (is_moved(r, around, more)) return true;
    if (!ix_depends(more, IX_LOOP)) return false;
    return prove_at_least(r->prover, more, zero) == PROVE_NO ||
           prove_at_least(r->prover, zero, more) == PROVE_NO;
}

static void note_read(struct session *s, const struct place *p, int part, const struct ix *at) {
    const char *name = p->t == p->v->base ? "" : arena_printf(&s->arena, " of '%s'", p->t->name);
    diag_note(s, p->v->at, "this is at %s along %s%s", ix_text(s, at), along(s, p, part), name);
}

// Two operands of a call.
struct factors {
    const struct plan_call *y;
    const struct around *around;
    struct place a, b;
    int of_a, of_b;  // the leaves that the function sums over
};

static void warn_apart(struct reads *r, const struct factors *f, const struct ix *a,
                       const struct ix *b) {
    struct session *s = r->s;
    diag_warn(s, W_CONTRACTION, f->y->at,
              "'%s' sums over products of '%s' and '%s', and %s takes them to different places "
              "along the mode that it sums over",
              f->y->fn->name, f->a.v->base->name, f->b.v->base->name,
              ix_depends(ix_sub(s, a, b), IX_LOOP) ? "a loop" : "the grid");
    note_read(s, &f->a, f->of_a, a);
    note_read(s, &f->b, f->of_b, b);
}

// Warns if the operands are at different places along modes of one extent.
static bool check_places(struct reads *r, const struct factors *f) {
    struct session *s = r->s;
    const struct ix *a = instances_step(s, f->around, from(&f->a, f->of_a));
    const struct ix *b = instances_step(s, f->around, from(&f->b, f->of_b));
    if (!a || !b || !differ(r, f->around, a, b)) return false;
    warn_apart(r, f, a, b);
    return true;
}

// Warns of "p", which is along another mode than "q": the mode that is not summed over has the extent of the one
// of "q" that is.
static bool is_crossed(struct session *s, const struct plan_call *y, const struct place *p,
                       int part, const struct place *q, int of_q) {
    int other = part_in(p, p->x.part[part].at < p->first);
    struct lay_int all = extent_of(s, q, of_q);
    if (other < 0 || lay_int_static(all) || !lay_int_equal(extent_of(s, p, other), all))
        return false;
    diag_warn(s, W_CONTRACTION, y->at,
              "'%s' sums over products of '%s' and '%s', along %s of '%s' and along %s of '%s', "
              "which has "
              "another extent",
              y->fn->name, q->v->base->name, p->v->base->name, along(s, q, of_q), q->t->name,
              along(s, p, part), p->t->name);
    diag_note(s, p->v->at, "of '%s', %s has that extent; is this tile turned?", p->t->name,
              along(s, p, other));
    return true;
}

// Whether "k" moves "p" to global memory, both operands alike as far as it goes.
static void follow_both(struct reads *r, struct factors *f) {
    while (f->a.t->space != MEM_GLOBAL && f->b.t->space != MEM_GLOBAL) {
        const struct copy *c = filled_by(r->k, f->a.t), *d = filled_by(r->k, f->b.t);
        if (!c || !d) return;
        struct factors g = *f;
        follow(r->s, c, true, &g.a);
        follow(r->s, d, true, &g.b);
        if (part_in(&g.a, true) < 0 || part_in(&g.b, true) < 0) return;
        *f = g;
    }
}

static bool check_sum(struct reads *r, struct factors *f) {
    struct session *s = r->s;
    f->of_a = part_in(&f->a, true);
    f->of_b = part_in(&f->b, true);
    if (f->of_a < 0 || f->of_b < 0 || f->a.t->space != f->b.t->space) return false;
    if (lay_int_equal(extent_of(s, &f->a, f->of_a), extent_of(s, &f->b, f->of_b)))
        return check_places(r, f);
    return is_crossed(s, f->y, &f->b, f->of_b, &f->a, f->of_a) ||
           is_crossed(s, f->y, &f->a, f->of_a, &f->b, f->of_b);
}

// -- where the result goes ------------------------------------------------------------------------

// The only copy that reads "t"; or NULL.
static const struct copy *read_by(const struct kernel *k, const struct tensor *t) {
    const struct copy *to = NULL;
    for (const struct stmt *st = k->body; st; st = stmt_next(k->body, st)) {
        if (st->kind != STMT_COPY || st->copy->src.base != t) continue;
        if (to) return NULL;
        to = st->copy;
    }
    return to;
}

// Sets "p" to the part of a tensor in global memory that the elements of the fragment "t" go to.
static bool goes_to(struct session *s, const struct kernel *k, const struct tensor *t,
                    struct place *p) {
    const struct copy *c = read_by(k, t);
    for (int i = 0; i < k->nlocal && c && c->dst.base->space == MEM_FRAG; ++i)
        c = read_by(k, c->dst.base);
    if (!c || !place_of(s, k, &c->dst, p)) return false;
    for (int i = 0; i < k->nlocal && p->t->space != MEM_GLOBAL; ++i) {
        if (!(c = read_by(k, p->t))) return false;
        follow(s, c, false, p);
        p->v = &c->dst;
    }
    return p->t->space == MEM_GLOBAL;
}

static bool same_moved(const struct place *p, int i, const struct place *q, int j) {
    return ix_equal(from(p, i), from(q, j)) && !ix_constant(from(p, i));
}

// Warns if the operands are where the other one should be: the rows of the result are moved like those of B.
static bool check_result(struct reads *r, const struct factors *f, const struct tensor *acc) {
    struct session *s = r->s;
    struct place c;
    if (f->a.t == f->b.t || !goes_to(s, r->k, acc, &c)) return false;
    int a = part_in(&f->a, false), b = part_in(&f->b, false);
    int m = part_in(&c, false), n = part_in(&c, true);
    if (a < 0 || b < 0 || m < 0 || n < 0) return false;
    if (!same_moved(&f->a, a, &c, n) || !same_moved(&f->b, b, &c, m) ||
        ix_equal(from(&c, m), from(&c, n)))
        return false;
    diag_warn(s, W_CONTRACTION, f->y->at,
              "'%s' gets '%s' as operand A and '%s' as operand B, but the rows of '%s' are moved "
              "like those of "
              "'%s'; are the operands swapped?",
              f->y->fn->name, f->a.t->name, f->b.t->name, c.t->name, f->b.t->name);
    diag_note(s, c.v->at, "the result is written here");
    return true;
}

// -- types ----------------------------------------------------------------------------------------

// Warns of the fragment "t" if it is an operand of a tiled MMA that has another type of floats with as many bits.
static void check_type(struct lint *l, const struct tensor *t) {
    struct session *s = l->s;
    const struct tiled_copy *tc = t->space == MEM_FRAG ? t->holds : NULL;
    for (int i = 0; tc && tc->name && i < l->p->nmmas; ++i)
        for (int which = MMA_A; which <= MMA_B; ++which) {
            const struct tiled_mma *x = l->p->mma[i];
            const struct elem_type *want = mma_elem(x, (enum mma_operand)which);
            if (strcmp(mma_operand_name(s, x, (enum mma_operand)which), tc->name) != 0 ||
                want == t->elem || want->cls != ELEM_FLOAT || t->elem->cls != ELEM_FLOAT ||
                want->bits != t->elem->bits)
                continue;
            diag_warn(s, W_CONTRACTION, t->elem_at,
                      "'%s' is operand %c of '%s', which multiplies %s: it takes the bits of %s "
                      "for other numbers",
                      t->name, "AB"[which], x -> name, want -> name, t -> elem -> name);
            diag_note(s, x->at, "'%s' is %s", x->name, mma_name(s, x->row));
            return;
        }
}

// -- all ------------------------------------------------------------------------------------------

// The operand of a tiled MMA that formal "f" is, 'A' to 'C', or 0.  "of" is set to the text of the MMA.
static char operand_of(const struct formal *f, const char **of) {
    const struct tiled_copy *tc = f->tensor->holds;
    size_t n = strlen("operand_");
    *of = "";
    if (!tc || !tc->name || strncmp(tc->name, "operand_", n) != 0) return 0;
    *of = tc->name + n + 1;
    return tc->name[n];
}

// The view that "y" gets as operand "which" of the MMA "of" (NULL: any, which is set); or NULL.
static const struct view *operand(const struct plan_call *y, char which, const char **of) {
    for (int i = 0; i < y->fn->nformals; ++i) {
        const char *mma;
        if (operand_of(&y->fn->formal[i], &mma) != which || (*of && strcmp(*of, mma) != 0))
            continue;
        *of = mma;
        return &y->view[i];
    }
    return NULL;
}

static bool check_mma(struct reads *r, const struct plan_call *y, const struct around *around) {
    const char *of = NULL;
    const struct view *a = operand(y, 'A', &of), *b = operand(y, 'B', &of),
                      *c = operand(y, 'C', &of);
    struct factors f = {.y = y, .around = around};
    if (!a || !b || !place_of(r->s, r->k, a, &f.a) || !place_of(r->s, r->k, b, &f.b)) return false;
    follow_both(r, &f);
    return check_sum(r, &f) || (c && check_result(r, &f, c->base));
}

// The statements around "st", outermost first.
static struct around around_of(const struct stmt *st) {
    struct around x = {0};
    for (const struct stmt *up = st->up; up; up = up->up) ++x.n;
    int n = x.n;
    for (const struct stmt *up = st->up; up; up = up->up) x.stmt[--n] = up;
    return x;
}

void lint_contraction(struct lint *l) {
    struct reads *r = reads_of(l);
    for (int i = 0; i < l->k->nlocal; ++i) check_type(l, l->k->local[i]);
    for (const struct stmt *st = l->k->body; st; st = stmt_next(l->k->body, st)) {
        if (st->kind != STMT_CALL || st->call->fill) continue;
        struct around around = around_of(st);
        check_mma(r, st->call, &around);
    }
    lay_clear_error(&l->s->lay);
}
