// The reasons for the bounds of an access's width, as text.
#include "pass/vectorize/width.h"
#include "base/session.h"
#include "layout/algebra.h"
#include "pass/vectorize/run.h"

static const char *side_alignment_reason(struct session *s, const struct copy *c, bool src) {
    const struct copy_facts *f = &c->facts;
    const struct align_terms *t = src ? &f->src_align : &f->dst_align;
    const char *offset = "", *stride = "";
    if (t->offset)
        offset = arena_printf(&s->arena, ", its offset %s to %lld",
                              ix_text(s, copy_part(f, src)->offset), (long long)t->offset);
    if (t->stride)
        stride = arena_printf(&s->arena, ", its strides (the worst is %s) to %lld",
                              lay_int_text(&s->lay, t->worst), (long long)t->stride);
    return arena_printf(&s->arena,
                        "'%s' is aligned to %lld bytes%s%s, so an access is aligned to %lld",
                        copy_side(c, src)->base->name, (long long)t->base, offset, stride,
                        (long long)(f->bound[src ? BOUND_SRC_ALIGN : BOUND_DST_ALIGN] / 8));
}

static bool is_step(struct lay_ctx *x, struct lay_int d, struct lay_int extent,
                    struct lay_int step) {
    if (lay_int_is(step, 0) || !lay_int_valid(step)) return false;
    struct lay_int n = lay_int_div(x, d, step);
    lay_clear_error(x);
    return lay_int_static(n) && n.num > 0 &&
           (n.num == 1 || (lay_int_static(extent) && n.num < extent.num));
}

// The mode of "l" along which steps of "d" elements go; -1: none.
static int mode_of_step(struct lay_ctx *x, struct lay l, struct lay_int d) {
    for (int i = 0; lay_valid(l) && i < lay_rank(l); ++i) {
        struct lay m = lay_flatten(x, lay_mode(x, l, i));
        if (!lay_valid(m)) break;
        bool leaf = lay_is_leaf(m.shape);
        for (int k = 0; k < (leaf ? 1 : lay_tuple_rank(m.shape)); ++k)
            if (is_step(x, d, (leaf ? m.shape : lay_tuple_get(x, m.shape, k))->leaf,
                        (leaf ? m.stride : lay_tuple_get(x, m.stride, k))->leaf))
                return i;
    }
    lay_clear_error(x);
    return -1;
}

// Such as "3 elements apart along mode 1 of 'A'".
static const char *apart(struct session *s, const struct view *v, struct lay_int d) {
    int mode = mode_of_step(&s->lay, lay_inner(v->layout), d);
    const char *name = mode >= 0 && v->names ? v->names[mode] : NULL, *along = "in";
    if (name)
        along = arena_printf(&s->arena, "along mode %d ('%s') of", mode, name);
    else if (mode >= 0)
        along = arena_printf(&s->arena, "along mode %d of", mode);
    return arena_printf(&s->arena, "%s elements apart %s '%s'", lay_int_text(&s->lay, d), along,
                        v->base->name);
}

// Such as "a thread has 12 contiguous elements of 8 bits in 'A', which accesses of 4 divide".
static const char *run_text(struct session *s, const char *where, int64_t run, int bits) {
    const char *divide = "";
    int64_t most = run & -run;
    if (most < run && most > 1)
        divide = arena_printf(&s->arena, ", which accesses of %lld divide", (long long)most);
    if (run == 1)
        return arena_printf(&s->arena, "a thread has no two contiguous elements of %d bits %s",
                            bits, where);
    return arena_printf(&s->arena, "a thread has %lld contiguous elements of %d bits %s%s",
                        (long long)run, bits, where, divide);
}

// The reason why the contiguous run of one side ends.
static const char *run_reason(struct session *s, const struct copy *c, enum side side) {
    const struct copy_facts *f = &c->facts;
    const struct view *v = copy_side(c, side == SRC);
    int64_t run = run_of_side(f->mode, f->nmodes, side);
    int64_t least = 0;
    bool again = false;   // the next element of the other side is the same element here
    bool values = false;  // a thread has several values in one tile; otherwise its rounds count
    struct lay_int d = lay_int(0);
    for (int i = 0; i < f->nmodes; ++i) values |= !f->mode[i].rest && f->mode[i].extent > 1;
    for (int i = 0; i < f->nmodes; ++i) {
        struct lay_int x = side == SRC ? f->mode[i].src : f->mode[i].dst;
        struct lay_int y = side == SRC ? f->mode[i].dst : f->mode[i].src;
        again |= lay_int_is(x, 0) && lay_int_is(y, run) && f->mode[i].extent > 1;
        if (lay_int_is(x, 0) || (lay_int_static(x) && x.num < run)) continue;
        if (values && f->mode[i].rest) continue;
        int64_t lo, hi;
        lay_int_range(x, &lo, &hi);
        if (least == 0 || lo < least) {
            least = lo;
            d = x;
        }
    }
    const char *head =
        run_text(s, arena_printf(&s->arena, "in '%s'", v->base->name), run, v->base->elem->bits);
    if (again) return arena_printf(&s->arena, "%s: the next ones are the same again", head);
    if (run > 1 || least <= 1) return head;
    return arena_printf(&s->arena, "%s: its values are %s", head, apart(s, v, d));
}

// The reason why the run common to both sides ends.
static const char *common_reason(struct session *s, const struct copy *c) {
    const struct copy_facts *f = &c->facts;
    int sides = run_sides(s, c);
    struct run *both = ARENA_NEW(&s->arena, struct run);
    run_find(s, f->mode, f->nmodes, sides, NULL, 0, both);
    int64_t run = both->size;
    if (sides != (SRC | DST)) {
        const char *in = copy_side(c, sides == SRC)->base->name;
        if (run == run_of_side(f->mode, f->nmodes, (enum side)sides)) return NULL;
        return arena_printf(
            &s->arena,
            "an access takes elements of one mode, and only %lld of those are contiguous in '%s'",
            (long long)run, in);
    }
    const char *head = run_text(s, "on both sides", run, copy_wider(c)->bits);
    for (int i = 0; i < f->nmodes; ++i)
        if (lay_int_is(f->mode[i].src, run) && !lay_int_is(f->mode[i].dst, run))
            return arena_printf(&s->arena, "%s: %s in '%s' are %s", head,
                                run == 1 ? "neighbours" : "the next ones", c->src.base->name,
                                apart(s, &c->dst, f->mode[i].dst));
    return head;
}

// Says whether values with params are promised to be multiples of what the atom moves.
static const char *divides_reason(struct session *s, const struct copy *c, bool src) {
    const struct align_terms *t = src ? &c->facts.src_align : &c->facts.dst_align;
    const struct tensor *base = copy_side(c, src)->base;
    const struct atom *atom = copy_atom(c);
    long long bytes = base->elem->bits / 8, have = (long long)(t->promised / bytes);
    long long one = copy_wider(c)->bits,
              bits = atom->row->alone ? atom->row->widths[0] : atom->bits;
    long long want = (bits > one ? bits : one) / one;
    const char *what = lay_int_text(&s->lay, t->loose);
    if (!t->promised) return NULL;
    if (have % want == 0)
        return arena_printf(&s->arena, "'%s', by which '%s' steps, is a multiple of %lld", what,
                            base->name, have);
    return arena_printf(
        &s->arena,
        have == 1 ? "'%s', by which '%s' steps, is not promised to be a multiple of %lld"
                  : "'%s', by which '%s' steps, is not promised to be a multiple of %lld, "
                    "only of %lld",
        what, base->name, want, have);
}

// The width that remains for the side with narrower elements.
static const char *conversion_reason(struct session *s, const struct copy *c) {
    const struct elem_type *a = c->src.base->elem, *b = c->dst.base->elem;
    if (a->bits == b->bits) return NULL;
    return arena_printf(&s->arena,
                        "a load moves as many elements as a store: '%s' has %s and '%s' has %s",
                        c->src.base->name, a->name, c->dst.base->name, b->name);
}

// The reason why the run of one side of a collective access ends.
static const char *together_reason(struct session *s, const struct copy *c, bool src) {
    const struct atom *a = copy_atom(c);
    int64_t run = src ? c->facts.src_run : c->facts.dst_run;
    const struct tensor *t = copy_side(c, src)->base;
    int need = atom_side_bits(a, src) / t->elem->bits;
    return arena_printf(&s->arena, "each lane %s %d contiguous elements, and in '%s' it has %lld",
                        t->space == MEM_FRAG ? "holds" : "addresses a row of", need, t->name,
                        (long long)run);
}

// Whether "b" is about a side in registers, which bounds no width.
static bool is_of_registers(struct session *s, const struct copy *c, enum bound b) {
    bool src = b == BOUND_SRC_RUN || b == BOUND_SRC_ALIGN || b == BOUND_SRC_DIVIDES;
    bool dst = b == BOUND_DST_RUN || b == BOUND_DST_ALIGN || b == BOUND_DST_DIVIDES;
    int sides = run_sides(s, c);
    return (src && !(sides & SRC)) || (dst && !(sides & DST));
}

const char *width_reason(struct session *s, const struct copy *c, enum bound b) {
    const struct atom *atom = copy_atom(c);
    if (c->facts.src_run && (b == BOUND_SRC_RUN || b == BOUND_DST_RUN))
        return together_reason(s, c, b == BOUND_SRC_RUN);
    if (is_of_registers(s, c, b)) return NULL;
    switch (b) {
    case BOUND_SRC_RUN: return run_reason(s, c, SRC);
    case BOUND_DST_RUN: return run_reason(s, c, DST);
    case BOUND_COMMON_RUN: return common_reason(s, c);
    case BOUND_SRC_ALIGN: return side_alignment_reason(s, c, true);
    case BOUND_DST_ALIGN: return side_alignment_reason(s, c, false);
    case BOUND_SRC_DIVIDES: return divides_reason(s, c, true);
    case BOUND_DST_DIVIDES: return divides_reason(s, c, false);
    case BOUND_SRC_SWIZZLE:
    case BOUND_DST_SWIZZLE:
        if (c->facts.bound[b] == BOUND_NONE) return NULL;
        return arena_printf(&s->arena, "the swizzle of '%s' keeps %lld bits together",
                            b == BOUND_SRC_SWIZZLE ? c->src.base->name : c->dst.base->name,
                            (long long)c->facts.bound[b]);
    case BOUND_PREDICATE: return c->facts.why_pred;
    case BOUND_CONVERSION: return conversion_reason(s, c);
    case BOUND_ATOM:
    case N_BOUNDS: break;
    }
    if (atom->bits < copy_wider(c)->bits) {
        return arena_printf(&s->arena,
                            "%s takes at most %d bits, which leaves single elements of %d",
                            atom_text(s, atom), atom->bits, copy_wider(c)->bits);
    }
    return arena_printf(
        &s->arena, atom->row->exact ? "%s is an access of %d bits" : "%s takes at most %d bits",
        atom_text(s, atom), atom->bits);
}
