// Accesses of collective atoms (see together.h).
#include "pass/partition/together.h"

#include "base/session.h"
#include "hw/sizes.h"
#include "layout/algebra.h"
#include "plan/view.h"

// -- the elements of a lane -----------------------------------------------------------------------

bool together_split(struct session *s, const struct copy *c, bool src, struct lay *val,
                    struct lay *access) {
    struct lay_ctx *x = &s->lay;
    int64_t n = atom_side_bits(&c->tc->atom, src) / c->tc->elem_bits;
    struct lay one = lay_make_col(x, lay_leaf_of(x, n));
    struct lay divided = lay_logical_divide(x, *val, lay_tiler_layout(x, one));
    if (!lay_valid(divided)) return false;
    *access = lay_coalesce(x, lay_mode(x, divided, 0));
    *val = lay_mode(x, divided, 1);
    return lay_valid(*access) && lay_valid(*val);
}

struct joint_mode together_mode(const struct copy *c) {
    return (struct joint_mode){.extent = c->tc->atom.bits / c->tc->elem_bits,
                               .stride = {lay_int(1), lay_int(1)}};
}

struct lay_int together_step(struct session *s, const struct copy *c, struct lay access, int mode) {
    struct lay l = lay_flatten(&s->lay, access);
    bool leaf = lay_is_leaf(l.shape);
    int64_t last = 0;  // the greatest coordinate
    for (int i = 0; i < (leaf ? 1 : lay_tuple_rank(l.shape)); ++i) {
        struct lay_int n = (leaf ? l.shape : lay_tuple_get(&s->lay, l.shape, i))->leaf;
        struct lay_int d = (leaf ? l.stride : lay_tuple_get(&s->lay, l.stride, i))->leaf;
        if (d.num == 0 || d.basis != mode) continue;
        if (d.num < 0 || d.nsyms || !lay_int_static(n)) return lay_int(-1);
        last += (n.num - 1) * d.num;
    }
    int64_t extent = together_mode(c).extent, span = 1;
    while (span <= last) span *= 2;
    return lay_int(last == 0 ? 0 : span < extent ? 1 : span / extent);
}

// -- the lanes of a warp --------------------------------------------------------------------------

// "e", an expression of tid, for the lane "lane" of the warp "warp".
static const struct ix *in_lane(struct session *s, const struct kernel *k, const struct ix *e,
                                const struct ix *warp, const struct ix *lane) {
    return ix_substitute(s, e, k->tid, ix_add(s, ix_scale(s, warp, lay_int(LANES)), lane));
}

// A new variable of "x" with the values 0 .. end.
static const struct ix *add_number(struct instances *x, const char *name, int64_t end) {
    struct ix_var *v = ARENA_NEW(&x->s->arena, struct ix_var);
    *v = (struct ix_var){IX_NAMED, name, name, x->s->next_var++, lay_int(0), lay_int(end)};
    instances_var(x, v, ix_int(x->s, 0), ix_int(x->s, end));
    return ix_var(x->s, v);
}

// Asks whether "p" holds for all lanes of a warp or for none, value by value.
static enum prove_answer same_in_warp(struct session *s, struct prover *prover,
                                      const struct kernel *k, const struct around *around,
                                      const struct copy *c, const struct predicate *p) {
    if (!ix_depends(p->at, IX_TID)) return PROVE_YES;
    const struct copy_facts *y = &c->facts;
    struct instances *x = ARENA_NEW(&s->arena, struct instances);
    instances_begin(s, k, around, true, x);
    const struct ix *warp = add_number(x, "warp", (y->threads + LANES - 1) / LANES);
    const struct ix *in = add_number(x, "lane", LANES), *out = add_number(x, "lane", LANES);
    // how far the value is from the limit: at least 1 if it exists
    const struct ix *room = ix_sub(s, p->limit, p->at);
    if (p->front) room = ix_sub(s, room, ix_int(s, 1));
    for (int i = 0; i < y->nraw; ++i) {
        if (y->raw[i].extent == 1 || lay_int_is(p->stride[i], 0)) continue;
        const struct ix *e = add_number(x, "e", y->raw[i].extent);
        room = ix_sub(s, room, ix_scale(s, e, p->stride[i]));
    }
    if (p->front) room = ix_sub(s, ix_int(s, 0), room);
    room = instances_step(s, around, room);
    if (!room) return PROVE_UNKNOWN;
    instances_cond(x, ix_sub(s, in_lane(s, k, room, warp, in), ix_int(s, 1)));
    instances_cond(x, ix_sub(s, ix_int(s, 0), in_lane(s, k, room, warp, out)));
    struct prove_set set = {x->var, x->nvars, x->cond, x->nconds, NULL, 0};
    return x->full ? PROVE_UNKNOWN : prove_none(prover, &set, NULL);
}

// A tile that is no part of the view: its extents, in words.
static const char *ragged_text(struct session *s, const struct copy *c, const struct predicate *p) {
    const struct view *v = copy_tiled_side(c);
    int64_t n;
    if (p->of || !c->tc || !ix_static(p->limit, &n)) return NULL;
    struct lay_int t = lay_tuple_product(&s->lay, lay_tuple_get(&s->lay, c->tc->tiler, p->mode));
    return arena_printf(
        &s->arena,
        "along mode %d the tile has %lld elements, and '%s' here has %lld, which is "
        "no multiple",
        p->mode, (long long)t.num, v->base->name, (long long)n);
}

bool together_exist(struct session *s, struct prover *prover, const struct kernel *k,
                    const struct around *around, const struct copy *c, const struct predicate *p) {
    const struct atom_row *row = copy_atom(c)->row;
    if (!atom_is_collective(row)) return true;
    struct session_mark mark = session_mark(s);
    enum prove_answer same = same_in_warp(s, prover, k, around, c, p);
    if (same == PROVE_YES) {
        session_rewind(s, mark);
        return true;
    }
    const char *ragged = ragged_text(s, c, p);
    if (ragged)
        diag_error(s, c->at,
                   "the lanes of a warp make an access of '%s' together, and all must have their "
                   "elements: %s",
                   row->name, ragged);
    else
        diag_error(
            s, c->at,
            "the lanes of a warp make an access of '%s' together, but at the edge some lanes "
            "%s no element: whether '%s' is %s '%s' %s from lane to lane",
            row->name, same == PROVE_NO ? "have" : "may have", ix_text(s, p->at),
            p->front ? "at least" : "less than", ix_text(s, p->limit),
            same == PROVE_NO ? "differs" : "is not known to be the same");
    diag_page(s, "divide");
    if (same == PROVE_UNKNOWN && !ragged) {
        diag_note(s, c->at, "it is not known: %s", prover_why(prover));
        instances_advice(s, prover, false, c->at);
    }
    return false;
}
