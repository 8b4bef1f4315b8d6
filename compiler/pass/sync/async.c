// Advice for an asynchronous copy that cannot have the required width (see async.h).
#include "pass/sync/async.h"

#include "base/session.h"
#include "pass/partition/edge.h"
#include "plan/plan.h"

// Finds the first stride of "l", other than the contiguous one, that is not a multiple of
// "elements".
static bool find_stride(const struct lay_tuple *shape, const struct lay_tuple *stride,
                        int64_t elements, struct lay_int *out) {
    if (lay_is_leaf(shape)) {
        if (lay_int_is(shape->leaf, 1) || lay_int_is(stride->leaf, 1)) return false;
        *out = stride->leaf;
        return !lay_int_divisible(stride->leaf, elements);
    }
    for (int i = 0; i < shape->rank; ++i) {
        if (find_stride(shape->kid[i], stride->kid[i], elements, out)) return true;
    }
    return false;
}

// Notes the unaligned stride in bytes: "a stride of 65 elements is 260 bytes".
static void say_stride(struct session *s, const struct tensor *t, int bytes) {
    int size = t->elem->bits / 8, elements = bytes / size;
    struct lay_int d;
    if (!lay_valid(t->layout) || !find_stride(t->layout.shape, t->layout.stride, elements, &d))
        return;
    if (!lay_int_static(d)) return;  // the error says what to promise
    int64_t more = (elements - d.num % elements) % elements;
    diag_note(
        s, t->at,
        "a stride of %lld elements in '%s' is %lld bytes, not a multiple of %d; pad it by %lld "
        "more%s",
        (long long)d.num, t->name, (long long)d.num * size, bytes, (long long)more,
        space_is_shared(t->space) ? ", or swizzle the tile instead" : "");
}

// Notes that filling with zeros would make the accesses at the edge "least" bits wide.
static void note_pad(struct session *s, const struct kernel *k, const struct copy *c,
                     const struct atom *atom, int least) {
    struct copy_facts f = c->facts;
    struct assumption known = {s, k, 0, NULL, NULL, 0};
    int bits = c->src.base->elem->bits;
    if (c->pad || f.npred == 0) return;
    edge_granularity(&known, c, &f, atom->bits / bits);
    if (f.pred_vec * bits >= least)
        diag_note(s, c->at, "with 'pad 0' an access reads what is there, and fills the rest");
}

static int least_edge(const struct copy *c) {
    int least = c->facts.edge_bits;
    // the narrowest variant may have a narrower edge
    for (int i = 0; i < c->facts.nvariants; ++i) {
        int bits = copy_facts_in(c, i).edge_bits;
        if (bits < least) least = bits;
    }
    return least;
}

bool async_edge_fits(const struct copy *c, const struct atom *atom) {
    if (atom->row->alone && atom->row->fills != (c->pad != NULL))
        return c->facts.edge == EDGE_NEVER;
    return c->facts.edge == EDGE_NEVER || least_edge(c) >= atom_narrower(atom->row)->widths[0];
}

bool async_edge(struct session *s, const struct kernel *k, const struct copy *c,
                const struct atom *atom) {
    const struct copy_facts *f = &c->facts;
    int least = least_edge(c), narrowest = atom_narrower(atom->row)->widths[0];
    if (atom->row->boxes && atom->row->reads_late) return true;  // its boxes decide (tails.c)
    if (atom->row->boxes && !c->pad && f->edge != EDGE_NEVER) {
        diag_error(
            s, c->at,
            "'%s' writes 0 where '%s' has no elements, so the copy needs 'pad 0'; or declare "
            "the extents as multiples of the tile",
            atom->row->name, c->src.base->name);
        diag_page(s, atom->row->page);
        return false;
    }
    if (atom->row->alone && !atom->row->fills && c->pad && f->edge != EDGE_NEVER) {
        diag_error(
            s, c->at,
            "at the edge '%s' copies what is there and fills nothing, but the copy has 'pad'; "
            "leave it out and write 'fill %s = %s;' before the copy, or take cp_async.cg(16)",
            atom->row->name, c->dst.base->name, c->pad->text);
        diag_page(s, atom->row->page);
        return false;
    }
    if (async_edge_fits(c, atom)) return true;
    diag_error(s, c->at,
               "at the edge an access of this copy has %d bits, and %s moves no fewer than %d "
               "at once: %s",
               least, atom->row->family, narrowest,
               least < f->edge_bits ? "nothing promises that more of them exist together"
                                    : f->why_pred);
    diag_page(s, atom->row->page);
    note_pad(s, k, c, atom, narrowest);
    diag_note(s, c->how_at, "%suniversal(%d) moves single elements there",
              atom->row->alone ? "a tiled copy of " : "",
              atom->row->alone ? narrowest : atom->bits);
    return false;
}

void async_advise(struct session *s, const struct kernel *k, const struct copy *c,
                  const struct atom *atom) {
    const struct copy_facts *f = &c->facts;
    int bytes = atom->bits / 8;
    if (f->won == BOUND_PREDICATE) note_pad(s, k, c, atom, atom->bits);
    if (f->won == BOUND_SRC_ALIGN || f->won == BOUND_DST_ALIGN)
        say_stride(s, copy_side(c, f->won == BOUND_SRC_ALIGN)->base, bytes);
}

void async_instead(struct session *s, const struct copy *c, const struct atom *atom) {
    const struct copy_facts *f = &c->facts;
    const struct atom_row *narrow = atom_narrower(atom->row);
    if (f->bits >= narrow->widths[0])
        diag_note(s, c->how_at, "%s moves whole accesses or faults; %s(%d) fits", narrow->family,
                  narrow->name, f->bits / 8);
    else
        diag_note(s, c->how_at, "%s moves no fewer than %d bytes at once; %suniversal(%d) does",
                  narrow->family, narrow->widths[0] / 8, atom->row->alone ? "a tiled copy of " : "",
                  f->bits);
}
