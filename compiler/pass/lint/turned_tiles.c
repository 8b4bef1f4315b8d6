// Halves of a transposition: tile (x,y) of a tensor goes to tile (y,x) of another one, and its elements
// are not transposed; or they are, and the tile stays where it is.
#include "base/session.h"
#include "layout/algebra.h"
#include "pass/coverage/coverage.h"
#include "pass/lint/leaves.h"
#include "pass/lint/lint.h"
#include "plan/view.h"

// The variable that is alone in the coordinate "e", and in "step" what it is multiplied by; or NULL.
static const struct ix_var *alone_in(const struct ix *e, struct lay_int *step) {
    const struct ix *atom = e;
    *step = lay_int(1);
    if (!e) return NULL;
    if (e->op == IX_SUM) {
        if (e->nterms != 1 || !e->term[0].atom) return NULL;
        atom = e->term[0].atom;
        *step = e->term[0].coef;
    }
    return atom->op == IX_VAR && ix_is_block_or_loop(atom->var->kind) ? atom->var : NULL;
}

// Whether "e" is the number of the block, or a digit of it: 'block.x / 8', 'block.x % 8'.
static bool is_digit(const struct ix *e) {
    while (e->op == IX_DIV || e->op == IX_MOD) e = e->a;
    return e->op == IX_VAR && ix_is_block(e->var->kind);
}

// The variable, or the digit of the block, that alone moves "v" along the mode of leaf "i", by steps as large
// as its tile; or NULL.
static const struct ix *mover_of(struct session *s, const struct view *v, const struct leaves *l,
                                 int i) {
    const struct ix *e = v->coord_off[l->mode[i]];
    struct lay_int step;
    const struct ix_var *x = alone_in(e, &step);
    if (x) return lay_int_equal(step, l->extent[i]) ? ix_var(s, x) : NULL;
    if (!e || e->op != IX_SUM || e->nterms != 1 || !e->term[0].atom) return NULL;
    return is_digit(e->term[0].atom) && lay_int_equal(e->term[0].coef, l->extent[i])
               ? e->term[0].atom
               : NULL;
}

static bool same_mover(const struct ix *x, const struct ix *y) {
    return x && y ? ix_equal(x, y) : x == y;
}

// Whether "v" is all of a buffer, or of a slot of it.
static bool is_buffer(struct session *s, const struct view *v) {
    const struct tensor *t = v->base;
    if (t->space == MEM_GLOBAL || !lay_valid(t->layout) || !lay_valid(v->layout)) return false;
    struct lay_int all = lay_size(&s->lay, t->layout), part = lay_size(&s->lay, v->layout);
    lay_clear_error(&s->lay);
    return lay_int_static(all) && lay_int_static(part) &&
           part.num * (t->stages ? t->stages : 1) == all.num;
}

// Loops over the parts of a buffer: one fills the part that the other one reads at the same number.
struct loops {
    int n;
    const struct ix_var *of[MOST_LEAVES], *to[MOST_LEAVES];
};

// Whether "in" and "out" are the same part of a buffer, if the variables of "l" have equal values.
static bool same_part(struct session *s, const struct view *in, const struct view *out,
                      struct loops *l) {
    if (!lay_valid(in->coord) || !lay_valid(out->coord))
        return is_buffer(s, in) && is_buffer(s, out);
    for (int i = 0; i < lay_tuple_leaves(in->base->layout.shape); ++i) {
        struct lay_int a, b;
        if (in->coord_off[i] && out->coord_off[i] && ix_equal(in->coord_off[i], out->coord_off[i]))
            continue;
        const struct ix_var *x = alone_in(in->coord_off[i], &a),
                            *y = alone_in(out->coord_off[i], &b);
        // the slots of a pipeline
        if (in->base->stages && i == lay_tuple_leaves(in->base->layout.shape) - 1 && !x && !y)
            continue;
        if (!x || !y || !lay_int_equal(a, b) || l->n == MOST_LEAVES) return false;
        l->of[l->n] = x;
        l->to[l->n++] = y;
    }
    return true;
}

// The copy that alone fills the part of a buffer that "c" reads, from global memory; or NULL.
static const struct copy *filled_by(struct session *s, const struct kernel *k, const struct copy *c,
                                    struct loops *l) {
    const struct copy *from = NULL;
    for (const struct stmt *st = k->body; st; st = stmt_next(k->body, st)) {
        bool call = st->kind == STMT_CALL && !st->call->fill;
        for (int i = 0; call && i < st->call->fn->nformals; ++i)
            if (st->call->view[i].base == c->src.base) return NULL;
        if (st->kind != STMT_COPY || st->copy->dst.base != c->src.base) continue;
        if (from || !same_part(s, &st->copy->dst, &c->src, l)) return NULL;
        from = st->copy;
    }
    // the values of a fragment are in the order of the tiled copy, or of the thread's part
    bool fragment = c->src.base->space == MEM_FRAG, parts = from && from->src.part && c->dst.part;
    return from && fragment && (from->tc != c->tc || (!c->tc && !parts)) ? NULL : from;
}

// The variable of the loop that fills what the one of "x" reads: of a pipeline, that of its "load" parts.
static const struct ix *filling(struct session *s, const struct kernel *k, const struct loops *l,
                                const struct ix *x) {
    for (int i = 0; x && x->op == IX_VAR && i < l->n; ++i)
        if (l->to[i] == x->var) return ix_var(s, l->of[i]);
    for (const struct stmt *st = k->body; x && x->op == IX_VAR && st; st = stmt_next(k->body, st))
        if (st->pipe && st->var == x->var && st->pipe->load_var)
            return ix_var(s, st->pipe->load_var);
    return x;
}

// How the elements of the source of "first" get into the destination of "c".
struct way {
    struct leaves of, to;
    int leaf[MOST_LEAVES];  // of "to", by leaf of "of"
    const struct view
        *turned;  // where modes may be exchanged: the source of "c", or what a fragment fills
    int at[MOST_LEAVES];  // leaf of "turned", by leaf of "of"; the same in a fragment
};

static bool same_extents(const struct leaves *a, const struct leaves *b) {
    bool same = a->n == b->n;
    for (int i = 0; same && i < a->n; ++i) same = lay_int_equal(a->extent[i], b->extent[i]);
    return same;
}

// By way of "from", which fills the source of "c": "first", or a copy of the fragment that "first" fills.
static bool way_of(struct session *s, const struct copy *first, const struct copy *from,
                   const struct copy *c, struct way *w) {
    struct leaves in, out;
    if (!leaves_of(s, &first->src, &w->of) || !leaves_of(s, &c->dst, &w->to)) return false;
    if (w->of.n != w->to.n) return false;
    bool same = from == c || c->src.base->space == MEM_FRAG;
    if (!same && (!leaves_of(s, &from->dst, &in) || !leaves_of(s, &c->src, &out))) return false;
    if (!same && (in.n != w->of.n || out.n != w->of.n)) return false;
    if (first != from && !same_extents(&w->of, &in)) return false;
    w->turned = first == from ? &c->src : &from->dst;
    for (int i = 0; i < w->of.n; ++i) {
        w->leaf[i] = same ? i : leaf_along(&out, in.mode[i]);
        if (w->leaf[i] >= 0)
            w->at[i] = same ? w->of.at[i] : first != from ? in.at[i] : out.at[w->leaf[i]];
        if (w->leaf[i] < 0 || !lay_int_equal(w->of.extent[i], w->to.extent[w->leaf[i]]))
            return false;
    }
    return true;
}

// "select(V, (0,2,1))": "v" with modes "i" and "j" exchanged; NULL if
// they are no modes.
static const char *exchanged(struct session *s, const struct view *v, int i, int j) {
    int rank = lay_valid(v->layout) ? lay_rank(v->layout) : 0;
    if (v->base->space == MEM_FRAG) return NULL;  // its modes are no modes of the tile
    if (rank == 2) return view_turned_text(s, v);
    if (rank != lay_tuple_leaves(v->layout.shape)) return NULL;
    const char *order = "";
    for (int n = 0; n < rank; ++n)
        order = arena_printf(&s->arena, "%s%s%d", order, n ? "," : "", n == i ? j : n == j ? i : n);
    return arena_printf(&s->arena, "select(%s, (%s))", source_line(s, v->at), order);
}

static bool same_extent(struct session *s, const struct tensor *a, int i, const struct tensor *b,
                        int j) {
    const struct lay_tuple *x = lay_tuple_flatten(&s->lay, a->layout.shape);
    const struct lay_tuple *y = lay_tuple_flatten(&s->lay, b->layout.shape);
    return !lay_is_leaf(x) && !lay_is_leaf(y) && lay_tuple_equal(x->kid[i], y->kid[j]);
}

// Warns at "v" of tile (x,y) of "of" that becomes tile (y,x) of "to".
static void not_transposed(struct session *s, const struct view *v, const char *x, const char *y,
                           const struct tensor *of, const struct tensor *to) {
    diag_warn(s, W_TURNED_TILES, v->at,
              "tile (%s,%s) of '%s' becomes tile (%s,%s) of '%s', but its elements are not "
              "transposed",
              x, y, of->name, y, x, to->name);
}

static void note_swapped(struct session *s, const struct view *to, const char *x, const char *y) {
    diag_note(s, to->at, "or the coordinates are swapped: a copy writes tile (%s,%s)", x, y);
}

// Of leaves "i" and "j" of "w".
static void warn(struct session *s, const struct kernel *k, const struct copy *from,
                 const struct copy *c, const struct way *w, int i, int j) {
    const struct ix *of_i = mover_of(s, &from->src, &w->of, i),
                    *of_j = mover_of(s, &from->src, &w->of, j);
    const char *x = of_i ? ix_text(s, of_i) : "0", *y = of_j ? ix_text(s, of_j) : "0";
    const struct tensor *a = from->src.base, *b = c->dst.base;
    int to_i = w->to.mode[w->leaf[i]], to_j = w->to.mode[w->leaf[j]];
    if ((w->of.mode[i] < w->of.mode[j]) != (to_i < to_j)) {
        diag_warn(s, W_TURNED_TILES, c->dst.at,
                  "the elements of tile (%s,%s) of '%s' are transposed, but '%s' gets it at the "
                  "same place",
                  x, y, a->name, b->name);
        diag_note(s, c->dst.at, "a transposition writes tile (%s,%s)", y, x);
        return;
    }
    const char *text = exchanged(s, w->turned, w->at[i], w->at[j]);
    not_transposed(s, &c->src, x, y, a, b);
    if (text) {
        diag_note(s, w->turned->at, "'%s' has the modes in the other order", text);
        diag_fixit(s, w->turned->at, text);
        diag_claim(s, (struct claim){.function = k->name, .right = true});
    }
    if (same_extent(s, a, w->of.mode[i], b, to_i) && same_extent(s, a, w->of.mode[j], b, to_j))
        note_swapped(s, &c->dst, x, y);
}

// Whether leaf "i" of "l" is all of a mode of "v", or moves along it.
static bool is_whole(struct session *s, const struct view *v, const struct leaves *l, int i) {
    const struct lay_tuple *flat = lay_tuple_flatten(&s->lay, v->base->layout.shape);
    const struct ix *at = v->coord_off[l->mode[i]];
    int64_t from;
    if (mover_of(s, v, l, i)) return true;
    return ix_static(at, &from) && from == 0 && !lay_is_leaf(flat) &&
           lay_int_equal(flat->kid[l->mode[i]]->leaf, l->extent[i]);
}

// Whether the destination of "c" has the extents of the source of "from" in the other order along the
// modes of leaves "i" and "j", of which one is moved and the other one is whole.
static bool is_reversed(struct session *s, const struct copy *from, const struct copy *c,
                        const struct way *w, int i, int j) {
    const struct tensor *a = from->src.base, *b = c->dst.base;
    int to_i = w->to.mode[w->leaf[i]], to_j = w->to.mode[w->leaf[j]];
    if ((w->of.mode[i] < w->of.mode[j]) != (to_i < to_j)) return false;
    return is_whole(s, &from->src, &w->of, i) && is_whole(s, &from->src, &w->of, j) &&
           is_whole(s, &c->dst, &w->to, w->leaf[i]) && is_whole(s, &c->dst, &w->to, w->leaf[j]) &&
           same_extent(s, a, w->of.mode[i], b, to_j) && same_extent(s, a, w->of.mode[j], b, to_i) &&
           !same_extent(s, a, w->of.mode[i], b, to_i);
}

// A copy whose tiles are turned: leaves "i" and "j" of "way", in the order of the modes of the source.
struct turned {
    const struct copy *from;
    struct way way;
    int i, j;
};

// Sets how the elements of "c", which writes global memory, get there; false: not known.
static bool find_way(struct session *s, const struct kernel *k, const struct copy *c,
                     struct loops *l, struct turned *out) {
    bool global = c->src.base->space == MEM_GLOBAL;
    if (c->dst.base->space != MEM_GLOBAL) return false;
    const struct copy *by = global ? c : filled_by(s, k, c, l), *from = by;
    struct loops inner = {0};
    if (by && by->src.base->space == MEM_FRAG && c->src.base->space == MEM_SHARED)
        from = filled_by(s, k, by, &inner);
    out->from = from;
    return from && !inner.n && from->src.base->space == MEM_GLOBAL &&
           way_of(s, from, by, c, &out->way);
}

static bool find(struct session *s, const struct kernel *k, const struct copy *c,
                 struct turned *out) {
    struct way *w = &out->way;
    struct loops l = {0};
    if (!find_way(s, k, c, &l, out)) return false;
    const struct copy *from = out->from;
    for (int i = 0; i < w->of.n; ++i) {
        for (int j = i + 1; j < w->of.n; ++j) {
            const struct ix *x = mover_of(s, &from->src, &w->of, i);
            const struct ix *y = mover_of(s, &from->src, &w->of, j);
            const struct ix *to_i = mover_of(s, &c->dst, &w->to, w->leaf[i]);
            const struct ix *to_j = mover_of(s, &c->dst, &w->to, w->leaf[j]);
            if (same_mover(x, y) || !same_mover(filling(s, k, &l, to_i), y) ||
                !same_mover(filling(s, k, &l, to_j), x))
                continue;
            if ((!x || !y) && !is_reversed(s, from, c, w, i, j)) continue;
            bool order = w->of.mode[i] < w->of.mode[j];
            out->i = order ? i : j;
            out->j = order ? j : i;
            return true;
        }
    }
    return false;
}

bool turned_tiles_known(struct session *s, const struct kernel *k, const struct copy *c) {
    struct turned x;
    bool found = find(s, k, c, &x);
    lay_clear_error(&s->lay);
    return found;
}

// The leaf along which the lowest digit of the block's number moves "v": 'block.x % 8'; -1: there is none.
static int lowest_digit(struct session *s, const struct view *v, const struct leaves *l,
                        const struct ix **out) {
    for (int i = 0; i < l->n; ++i) {
        const struct ix *e = mover_of(s, v, l, i);
        if (e && e->op == IX_MOD && e->a->op == IX_VAR) {
            *out = e;
            return i;
        }
    }
    return -1;
}

// Tiles that are counted by rows on one side, and by columns on the other one, by one number of the block.
static void check_digits(struct session *s, const struct kernel *k, const struct copy *c) {
    struct turned x;
    struct loops l = {0};
    const struct ix *a = NULL, *b = NULL;
    if (!find_way(s, k, c, &l, &x)) return;
    const struct view *from = &x.from->src;
    if (!lay_tuple_equal(from->base->layout.shape, c->dst.base->layout.shape)) return;
    int i = lowest_digit(s, from, &x.way.of, &a), j = lowest_digit(s, &c->dst, &x.way.to, &b);
    if (i < 0 || j < 0 || x.way.leaf[i] == j || a->a->var != b->a->var) return;
    diag_warn(s, W_TURNED_TILES, c->dst.at,
              "'%s' moves '%s' along %s, and '%s' moves '%s' along %s: the tiles change places, "
              "but their elements do not",
              ix_text(s, a), from->base->name, view_mode_text(s, from->base, x.way.of.mode[i]),
              ix_text(s, b), c->dst.base->name, view_mode_text(s, c->dst.base, x.way.to.mode[j]));
}

static void check(struct session *s, const struct kernel *k, const struct copy *c) {
    struct turned x;
    if (find(s, k, c, &x))
        warn(s, k, x.from, c, &x.way, x.i, x.j);
    else
        check_digits(s, k, c);
}

// -- parts of threads -----------------------------------------------------------------------------

// A digit of the coordinates of a thread's part: a leaf of the part, or a loop variable.
struct digit {
    const struct ix_var *x;  // NULL: a leaf
    int mode;
    struct lay_int step, extent;
};

struct digits {
    int n;
    struct digit at[2 * MOST_LEAVES];
    const struct ix *rest[MOST_LEAVES];  // by mode of the tensor, what no loop moves
};

// What the loop variable "x" is multiplied by in the sum "e"; 0: it is no term.
static struct lay_int factor_of(const struct ix *e, const struct ix_var *x) {
    for (int i = 0; e && e->op == IX_SUM && i < e->nterms; ++i)
        if (e->term[i].atom && e->term[i].atom->op == IX_VAR && e->term[i].atom->var == x)
            return e->term[i].coef;
    return lay_int(e && e->op == IX_VAR && e->var == x);
}

static bool add_digit(struct digits *d, struct digit one) {
    if (d->n == 2 * MOST_LEAVES) return false;
    d->at[d->n++] = one;
    return true;
}

// Sets "d" to the digits of "v", in a statement of the block of statements of "up".
static bool digits_of(struct session *s, const struct view *v, const struct stmt *up,
                      struct digits *d) {
    d->n = 0;
    int rank = lay_tuple_leaves(v->base->layout.shape), path[3];
    if (!v->part || !lay_valid(v->coord) || rank > MOST_LEAVES) return false;
    const struct lay_tuple *shape = lay_tuple_flatten(&s->lay, v->coord.shape);
    const struct lay_tuple *stride = lay_tuple_flatten(&s->lay, v->coord.stride);
    for (int i = 0; i < lay_tuple_leaves(shape); ++i) {
        struct digit one = {.extent = lay_is_leaf(shape) ? shape->leaf : shape->kid[i]->leaf,
                            .step = lay_is_leaf(stride) ? stride->leaf : stride->kid[i]->leaf};
        if (lay_int_is(one.extent, 1)) continue;
        if (one.step.basis < 0 || lay_int_basis_path(one.step, path) < 1) return false;
        one.mode = path[0];
        one.step.basis = -1;
        if (!add_digit(d, one)) return false;
    }
    for (int i = 0; i < rank; ++i) d->rest[i] = v->coord_off[i];
    for (; up; up = up->up)
        for (int i = 0; up->kind == STMT_FOR && up->var && i < rank; ++i) {
            struct lay_int step = factor_of(d->rest[i], up->var);
            if (lay_int_is(step, 0)) continue;
            d->rest[i] = ix_sub(s, d->rest[i], ix_scale(s, ix_var(s, up->var), step));
            if (!add_digit(d, (struct digit){up->var, i, step, LAY_INT_INVALID})) return false;
        }
    return true;
}

static bool same_place(const struct digit *a, const struct digit *b) {
    return a->mode == b->mode && lay_int_equal(a->step, b->step);
}

// The digit of "b" that has the values of digit "i" of "a"; or NULL.
static const struct digit *digit_of(const struct digits *a, int i, const struct digits *b) {
    const struct digit *x = &a->at[i];
    if (!x->x)
        return i < b->n && !b->at[i].x && lay_int_equal(x->extent, b->at[i].extent) ? &b->at[i]
                                                                                    : NULL;
    for (int j = 0; j < b->n; ++j)
        if (b->at[j].x == x->x) return &b->at[j];
    return NULL;
}

// The parts of threads: digit x goes where digit y was and y where x was, along two modes, and all others
// stay.
static void check_parts(struct session *s, const struct kernel *k, const struct stmt *st) {
    const struct copy *c = st->copy, *from = c;
    struct loops l = {0};
    if (c->src.base->space == MEM_FRAG) from = filled_by(s, k, c, &l);
    if (!from || l.n || from->src.base->space != MEM_GLOBAL || c->dst.base->space != MEM_GLOBAL)
        return;
    const struct view *v = &from->src, *w = &c->dst;
    struct digits a, b;
    int n = lay_tuple_leaves(v->base->layout.shape), moved[2], nmoved = 0;
    if (n != lay_tuple_leaves(w->base->layout.shape)) return;
    if (!digits_of(s, v, st->up, &a) || !digits_of(s, w, st->up, &b) || a.n != b.n) return;
    for (int i = 0; i < a.n; ++i) {
        const struct digit *to = digit_of(&a, i, &b);
        if (!to) return;
        if (same_place(&a.at[i], to)) continue;
        if (nmoved == 2) return;
        moved[nmoved++] = i;
    }
    if (nmoved != 2) return;
    const struct digit *x = &a.at[moved[0]], *y = &a.at[moved[1]];
    const struct digit *of_x = digit_of(&a, moved[0], &b), *of_y = digit_of(&a, moved[1], &b);
    if (x->mode == y->mode || !same_place(x, of_y) || !same_place(y, of_x)) return;
    bool threads = false;
    for (int i = 0; i < n; ++i) {
        if (!ix_equal(a.rest[i], b.rest[i])) return;
        threads |= ix_depends(a.rest[i], IX_TID);
    }
    if (!threads) return;
    if (x->mode > y->mode) {
        const struct digit *z = x;
        x = y;
        y = z;
    }
    bool at_once = !x->x && !y->x;
    const char *row = at_once ? "x" : x->x ? x->x->name : "_";
    const char *column = at_once ? "y" : y->x ? y->x->name : "_";
    not_transposed(s, from == c ? v : &c->src, row, column, v->base, w->base);
    if (!at_once && same_extent(s, v->base, x->mode, w->base, x->mode) &&
        same_extent(s, v->base, y->mode, w->base, y->mode))
        note_swapped(s, w, row, column);
}

void lint_turned_tiles(struct lint *l) {
    for (const struct stmt *st = l->k->body; st; st = stmt_next(l->k->body, st))
        if (st->kind == STMT_COPY) {
            check(l->s, l->k, st->copy);
            check_parts(l->s, l->k, st);
        }
    lay_clear_error(&l->s->lay);
}
