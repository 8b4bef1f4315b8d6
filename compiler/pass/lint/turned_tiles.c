// Halves of a transposition: tile (x,y) of a matrix goes to tile (y,x) of another one without
// 'select', or to tile (x,y) with it.
#include "base/session.h"
#include "layout/algebra.h"
#include "pass/coverage/coverage.h"
#include "pass/lint/lint.h"

// The variable that alone moves "v" along mode "mode", by steps as large as its tile; or NULL.
static const struct ix_var *mover_of(struct session *s, const struct view *v, int mode) {
    const struct ix *e = v->coord_off[mode], *atom = e;
    struct lay_int tile = lay_size(&s->lay, lay_mode(&s->lay, v->layout, mode)), step = lay_int(1);
    if (!e) return NULL;
    if (e->op == IX_SUM) {
        if (e->nterms != 1 || !e->term[0].atom) return NULL;
        atom = e->term[0].atom;
        step = e->term[0].coef;
    }
    if (atom->op != IX_VAR || !lay_int_equal(step, tile) || lay_int_is(tile, 1)) return NULL;
    bool counts = atom->var->kind == IX_LOOP ||
                  (atom->var->kind >= IX_BLOCK_X && atom->var->kind <= IX_BLOCK_Z);
    return counts ? atom->var : NULL;
}

// Whether "v" is a tile of a matrix in global memory with its modes in order; sets its variables.
static bool is_tile(struct session *s, const struct view *v, const struct ix_var *by[2]) {
    if (v->base->space != MEM_GLOBAL || !lay_valid(v->coord) || lay_rank(v->layout) != 2 ||
        lay_tuple_rank(v->base->layout.shape) != 2 || lay_tuple_leaves(v->base->layout.shape) != 2)
        return false;
    for (int i = 0; i < 2; ++i) {
        const struct lay_tuple *d = lay_tuple_get(&s->lay, v->coord.stride, i);
        if (!lay_is_leaf(d) || d->leaf.basis < 0) return false;
        struct lay_int one = d->leaf;
        int path[3];
        if (lay_int_basis_path(one, path) < 1 || path[0] != i) return false;
        by[i] = mover_of(s, v, i);
        if (!by[i]) return false;
    }
    return by[0] != by[1];
}

// Whether "v" is all of a buffer with its modes in order.
static bool is_buffer(const struct view *v) {
    return v->base->space != MEM_GLOBAL && !v->base->stages && lay_valid(v->base->layout) &&
           lay_tuple_equal(v->layout.shape, v->base->layout.shape) &&
           lay_tuple_equal(v->layout.stride, v->base->layout.stride);
}

// Whether "v" is all of a buffer with its two modes in the other order.
static bool is_turned(struct session *s, const struct view *v) {
    const struct lay *a = &v->layout, *b = &v->base->layout;
    if (v->base->space == MEM_GLOBAL || v->base->stages || !lay_valid(*b) || lay_rank(*a) != 2 ||
        lay_rank(*b) != 2)
        return false;
    for (int i = 0; i < 2; ++i) {
        struct lay x = lay_mode(&s->lay, *a, i), y = lay_mode(&s->lay, *b, 1 - i);
        if (!lay_tuple_equal(x.shape, y.shape) || !lay_tuple_equal(x.stride, y.stride))
            return false;
    }
    return true;
}

// The copy that alone fills the buffer that "c" reads, from global memory; or NULL.
static const struct copy *filled_by(const struct kernel *k, const struct copy *c) {
    const struct copy *from = NULL;
    for (const struct stmt *st = k->body; st; st = stmt_next(k->body, st)) {
        for (int i = 0; st->kind == STMT_CALL && i < st->call->fn->nformals; ++i)
            if (st->call->view[i].base == c->src.base) return NULL;
        if (st->kind != STMT_COPY || st->copy->dst.base != c->src.base) continue;
        if (from || !is_buffer(&st->copy->dst)) return NULL;
        from = st->copy;
    }
    // the values of a fragment are in the order of the tiled copy
    bool fragment = c->src.base->space == MEM_FRAG;
    return from && fragment && (!c->tc || from->tc != c->tc) ? NULL : from;
}

static void check(struct session *s, const struct kernel *k, const struct copy *c) {
    const struct ix_var *to[2], *of[2];
    bool global = c->src.base->space == MEM_GLOBAL, plain = global || is_buffer(&c->src);
    if (!plain && !is_turned(s, &c->src)) return;
    const struct copy *from = global ? c : filled_by(k, c);
    if (!from || !is_tile(s, &c->dst, to) || !is_tile(s, &from->src, of)) return;
    const struct tensor *a = from->src.base, *b = c->dst.base;
    if (!plain && to[0] == of[0] && to[1] == of[1]) {
        diag_warn(s, W_TURNED_TILES, c->dst.at,
                  "the elements of tile (%s,%s) of '%s' are transposed, but '%s' gets it at the "
                  "same place",
                  of[0]->name, of[1]->name, a->name, b->name);
        diag_note(s, c->dst.at, "a transposition writes tile (%s,%s)", of[1]->name, of[0]->name);
        return;
    }
    if (!plain || to[0] != of[1] || to[1] != of[0]) return;
    const char *text = coverage_turned_text(s, &c->src);
    diag_warn(s, W_TURNED_TILES, c->src.at,
              "tile (%s,%s) of '%s' becomes tile (%s,%s) of '%s', but its elements are not "
              "transposed",
              of[0]->name, of[1]->name, a->name, to[0]->name, to[1]->name, b->name);
    diag_note(s, c->src.at, "'%s' has the modes in the other order", text);
    diag_fixit(s, c->src.at, text);
    diag_claim(s, (struct claim){.function = k->name, .right = true});
}

void lint_turned_tiles(struct lint *l) {
    struct session *s = l->s;
    const struct kernel *k = l->k;
    for (const struct stmt *st = k->body; st; st = stmt_next(k->body, st))
        if (st->kind == STMT_COPY) check(s, k, st->copy);
    lay_clear_error(&s->lay);
}
