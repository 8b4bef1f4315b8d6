// Pass "vectorize": the width of accesses, which is the minimum of several named bounds.
//
// Requires: facts of partition and predicate.  Fills: facts.bits, vec, step, bound, won, why,
// src_align, dst_align, variant, kernel.variant, and what edge.h fills.  Reorders facts.mode so
// that the remaining iterations follow the order of memory, and removes the elements of an access
// from it.
//
// Bounds, in bits: the atom; the contiguous run of each side, and the run common to both; the
// alignment of each side, which is the greatest common divisor of the base's alignment and of all
// known offsets and remaining strides; the promised divisors of those that contain params; the
// swizzle's base; predicates, if no tile is whole; the conversion of elements.
//
// A copy that converts loads as many elements at once as it stores, so the side with narrower
// elements has narrower accesses.  facts.bits is the width on the other side.
//
// Unpromised facts (assume.h) bound no width: variants.c makes a version of the kernel for each
// resulting width.
#include <stdlib.h>

#include "base/session.h"
#include "base/warnings.h"
#include "pass/partition/boxes.h"
#include "pass/partition/edge.h"
#include "pass/partition/tails.h"
#include "pass/pass.h"
#include "pass/sync/async.h"
#include "pass/vectorize/again.h"
#include "pass/vectorize/assume.h"
#include "pass/vectorize/run.h"
#include "pass/vectorize/variants.h"
#include "pass/vectorize/width.h"
#include "pass/walk.h"

static int64_t power_of_two_in(int64_t n) {
    return n & -n;
}

// -- alignment ------------------------------------------------------------------------------------

// Adds "d" units of "unit" bytes, times "atom" (or NULL), to the terms with params.
static void add_loose(const struct assumption *a, struct align_terms *t, struct lay_int d,
                      const struct ix *atom, int64_t unit) {
    int64_t by = assume_int(a, d, atom, unit);
    if (t->promised == 0 || power_of_two_in(by) < power_of_two_in(t->promised)) t->loose = d;
    t->promised = lay_gcd(t->promised, by);
}

static void add_offset(const struct assumption *a, struct align_terms *t, const struct ix *e,
                       int64_t bytes) {
    if (!e || e->op != IX_SUM) {
        t->offset = lay_gcd(t->offset, (e ? ix_divisor(e) : 1) * bytes);
        return;
    }
    for (int i = 0; i < e->nterms; ++i) {
        struct lay_int coef = e->term[i].coef;
        const struct ix *atom = e->term[i].atom;
        if (assume_is_zero(atom)) continue;
        int64_t unit = assume_times(bytes, atom ? ix_divisor(atom) : 1);
        if (coef.nsyms > 0)
            add_loose(a, t, coef, atom, unit);
        else
            t->offset = lay_gcd(t->offset, assume_times(unit, lay_int_divisor(coef)));
    }
}

// The alignment in bytes of all vectors of "vec" elements of a side, ignoring terms with params.
static int64_t alignment(const struct assumption *a, const struct copy_facts *f,
                         const struct view *v, int side, const struct run *run, int64_t vec,
                         struct align_terms *terms) {
    const struct part *p = copy_part(f, side == SRC);
    int64_t bytes = v->base->elem->bits / 8;
    bool together = f->src_run > 0;
    // the run's own modes advance by complete vectors after the vector's elements are removed
    *terms = (struct align_terms){.base = assume_base(a, v->base),
                                  .run = run->size % vec == 0 ? vec * bytes : bytes,
                                  .worst = lay_int(0),
                                  .loose = lay_int(0)};
    if (together) terms->run = 0;
    add_offset(a, terms, p->offset, bytes);
    for (int i = 0; i < f->nmodes; ++i) {
        if (together ? i == 0 : run->used[i]) continue;
        struct lay_int d = side == SRC ? f->mode[i].src : f->mode[i].dst;
        if (d.nsyms > 0) {
            add_loose(a, terms, d, NULL, bytes);
            continue;
        }
        terms->stride = lay_gcd(terms->stride, lay_int_divisor(d) * bytes);
        if (lay_int_is(d, 0)) continue;
        if (lay_int_is(terms->worst, 0) ||
            power_of_two_in(lay_int_divisor(d)) < power_of_two_in(lay_int_divisor(terms->worst)))
            terms->worst = d;
    }
    return lay_gcd(lay_gcd(terms->base, terms->offset), lay_gcd(terms->run, terms->stride));
}

// -- one copy -------------------------------------------------------------------------------------

// Merges what remains of the run into modes of complete vectors, which come first.
static void reorder(struct session *s, const struct copy *c, struct copy_facts *f) {
    struct copy_mode *m = ARENA_ARRAY(&s->arena, struct copy_mode, f->nmodes + 1);
    struct run *run = ARENA_NEW(&s->arena, struct run);
    int64_t *begin = ARENA_ARRAY(&s->arena, int64_t, f->nmodes + 1);
    int n;
    run_find(s, f->mode, f->nmodes, run_sides(s, c), NULL, 0, run);
    f->step = run_divide(s, f->vec, run, m, begin, &n);
    for (int i = 0; i < f->nmodes; ++i) {
        if (!run->used[i] && f->mode[i].extent > 1) m[n++] = f->mode[i];
    }
    // merge neighbours that are one mode on both sides
    int w = 0;
    for (int i = 0; i < n; ++i) {
        if (w > 0 && m[w - 1].rest == m[i].rest &&
            lay_int_equal(lay_int_mul(&s->lay, m[w - 1].src, lay_int(m[w - 1].extent)), m[i].src) &&
            lay_int_equal(lay_int_mul(&s->lay, m[w - 1].dst, lay_int(m[w - 1].extent)), m[i].dst)) {
            m[w - 1].extent *= m[i].extent;
        } else {
            m[w++] = m[i];
        }
    }
    f->mode = m;
    f->nmodes = w;
    f->step = run_steps(s, c, f->mode, f->nmodes, f->vec, f->step);
}

static int64_t at_most(int64_t a, int64_t cap) {
    return a < cap ? a : cap;
}

static int64_t at_least(int64_t a, int64_t least) {
    return a > least ? a : least;
}

// Converts "bytes", a divisor of an address, to bits.  For many bytes, uses the largest power of
// two in them, because BOUND_NONE need not divide the value.
static int64_t bits_of(int64_t bytes) {
    if (bytes <= BOUND_NONE / 8) return bytes * 8;
    return at_most(power_of_two_in(bytes), BOUND_NONE / 8) * 8;
}

static int64_t promised(const struct align_terms *t) {
    return t->promised ? bits_of(t->promised) : BOUND_NONE;
}

// Whether narrower accesses than the atom's narrowest are refused.
static bool is_required(const struct atom_row *row) {
    return row->exact || row->alone;
}

static void not_reached(struct session *s, struct kernel *k, const struct copy *c,
                        const struct atom *atom) {
    const struct copy_facts *f = &c->facts;
    int best = f->bits, sides = run_sides(s, c);
    bool run = f->won == BOUND_SRC_RUN || f->won == BOUND_DST_RUN || f->won == BOUND_COMMON_RUN;
    if (atom_is_collective(atom->row)) {
        diag_error(s, c->at, "%s cannot use '%s': %s", copy_name(s, c), atom->row->name,
                   width_reason(s, c, c->facts.won));
        diag_page(s, atom->row->page);
    } else if (is_required(atom->row)) {
        diag_error(s, c->at, "%s cannot use %d-bit accesses, only %d: %s", copy_name(s, c),
                   atom->bits, best, width_reason(s, c, c->facts.won));
        diag_page(s, run ? "contiguous" : "aligned");
        if (atom->row->completes == COMPLETES_BY_GROUP) async_advise(s, k, c, atom);
        if (run) turn_note_reader(s, k, c);
    } else if (c->tc && c->tc->by) {
        diag_warn(s, W_VECTORIZE, c->at,
                  "%s moves %d bits per access, its threads could move more: %s", copy_name(s, c),
                  best, width_reason(s, c, c->facts.won));
        diag_if_mended(s);
    } else if (c->tc || c->src.base->space != MEM_FRAG || c->dst.base->space != MEM_FRAG) {
        diag_warn(s, W_VECTORIZE, c->at, "%s moves %d bits per access, %d were asked for: %s",
                  copy_name(s, c), best, atom->bits, width_reason(s, c, c->facts.won));
    }
    // a promise about the extents would not make the tile right
    bool beyond = f->won == BOUND_PREDICATE && copy_note_beyond(s, c);
    if (!beyond && (is_required(atom->row) || k->device)) {
        struct conditions missing = {NULL, 0, 0};
        if (vectorize_facts(s, k, c, atom->bits / 8, &missing).bits >= atom->bits)
            note_promises(s, k, &missing, "the copy has its width");
    }
    if (c->tc && !beyond && !atom->row->alone)
        diag_note(s, c->tc->at, "the tiled copy is declared here");
    if (f->won == BOUND_SRC_RUN || f->won == BOUND_SRC_ALIGN || f->won == BOUND_SRC_DIVIDES ||
        (f->won == BOUND_COMMON_RUN && (sides & SRC))) {
        diag_note(s, c->src.base->at, "'%s' has layout %s", c->src.base->name,
                  lay_text(&s->lay, c->src.base->layout));
    }
    if (f->won == BOUND_DST_RUN || f->won == BOUND_DST_ALIGN || f->won == BOUND_DST_DIVIDES ||
        (f->won == BOUND_COMMON_RUN && (sides & DST))) {
        diag_note(s, c->dst.base->at, "'%s' has layout %s", c->dst.base->name,
                  lay_valid(c->dst.base->layout) ? lay_text(&s->lay, c->dst.base->layout)
                                                 : "of its tile");
    }
    if (run && promise_row(s, k, c)) return;
    widen_offer(s, k, c);
    if (atom->row->completes == COMPLETES_BY_GROUP && !atom_is_collective(atom->row))
        async_instead(s, c, atom);
}

// Computes the bounds of "c" under the assumption "a", and the resulting width.
static void measure(const struct assumption *a, const struct copy *c, struct copy_facts *f) {
    const struct atom *atom = copy_atom(c);
    int src = c->src.base->elem->bits, dst = c->dst.base->elem->bits;
    int bits = copy_wider(c)->bits;
    struct assumption of_src = *a, of_dst = *a;  // assumptions are in bytes of the wider side
    of_src.bytes = a->bytes * src / bits;
    of_dst.bytes = a->bytes * dst / bits;
    struct run *both = ARENA_NEW(&a->s->arena, struct run);
    int sides = run_sides(a->s, c);
    run_find(a->s, f->mode, f->nmodes, sides, NULL, 0, both);
    int64_t run_src = run_of_side(f->mode, f->nmodes, SRC);
    int64_t run_dst = run_of_side(f->mode, f->nmodes, DST), run = both->size;
    if (f->src_run) {
        run_src = f->src_run;
        run_dst = f->dst_run;
        run = atom->bits / bits;
    }
    int64_t *b = f->bound;
    // a cap narrower than an element allows single elements
    b[BOUND_CONVERSION] = src != dst ? at_least(atom->bits, bits) : BOUND_NONE;
    b[BOUND_ATOM] = at_least(atom->bits, src != dst ? src + dst - bits : bits);
    b[BOUND_SRC_RUN] = at_most(power_of_two_in(run_src), BOUND_NONE / src) * src;
    b[BOUND_DST_RUN] = at_most(power_of_two_in(run_dst), BOUND_NONE / dst) * dst;
    b[BOUND_COMMON_RUN] = at_most(power_of_two_in(run), BOUND_NONE / bits) * bits;
    int64_t vec = power_of_two_in(run);
    b[BOUND_SRC_ALIGN] = bits_of(alignment(&of_src, f, &c->src, SRC, both, vec, &f->src_align));
    b[BOUND_DST_ALIGN] = bits_of(alignment(&of_dst, f, &c->dst, DST, both, vec, &f->dst_align));
    b[BOUND_SRC_DIVIDES] = promised(&f->src_align);
    b[BOUND_DST_DIVIDES] = promised(&f->dst_align);
    b[BOUND_SRC_SWIZZLE] = f->src.sw.b ? ((int64_t)src << at_most(f->src.sw.m, 10)) : BOUND_NONE;
    b[BOUND_DST_SWIZZLE] = f->dst.sw.b ? ((int64_t)dst << at_most(f->dst.sw.m, 10)) : BOUND_NONE;
    // so much alignment is enough for any width
    for (int i = 0; atom->row->alone && i < 4; ++i) {
        static const enum bound aligned[] = {BOUND_SRC_ALIGN, BOUND_DST_ALIGN, BOUND_SRC_DIVIDES,
                                             BOUND_DST_DIVIDES};
        if (power_of_two_in(b[aligned[i]]) >= atom->row->align) b[aligned[i]] = BOUND_NONE;
    }
    // fragments are taken from any registers
    if (!(sides & SRC)) b[BOUND_SRC_RUN] = b[BOUND_SRC_ALIGN] = b[BOUND_SRC_DIVIDES] = BOUND_NONE;
    if (!(sides & DST)) b[BOUND_DST_RUN] = b[BOUND_DST_ALIGN] = b[BOUND_DST_DIVIDES] = BOUND_NONE;
    bool fills = atom->row->fills && c->pad;
    if (f->npred) edge_granularity(a, c, f, fills ? atom->bits / bits : 0);
    b[BOUND_PREDICATE] = f->edge == EDGE_ALWAYS ? f->pred_vec * bits : BOUND_NONE;
    f->won = BOUND_ATOM;
    int64_t least = bound_as_wider(c, BOUND_ATOM, b[BOUND_ATOM]);
    for (int i = 1; i < N_BOUNDS; ++i) {
        int64_t p = bound_as_wider(c, (enum bound)i, power_of_two_in(b[i]));
        if (p < least) {
            least = p;
            f->won = (enum bound)i;
        }
    }
    f->bits = (int)least;
    f->vec = (int)(least / bits);
}

struct copy_facts vectorize_facts(struct session *s, const struct kernel *k, const struct copy *c,
                                  int64_t bytes, struct conditions *list) {
    struct copy_facts f = c->facts;
    struct conditions first = {NULL, 0, 0};  // more than are needed if the width is not reached
    struct assumption a = {s, k, bytes, list ? &first : NULL, NULL, 0};
    measure(&a, c, &f);
    bool enough = copy_atom(c)->row->alone;  // its accesses may be wider than they are aligned
    if (list && (enough || f.bits / 8 <= bytes)) {
        struct copy_facts again = c->facts;
        a = (struct assumption){s, k, f.bits / 8 < bytes ? f.bits / 8 : bytes, list, NULL, 0};
        measure(&a, c, &again);
    }
    return f;
}

struct copy_facts vectorize_variant(struct session *s, const struct kernel *k, const struct copy *c,
                                    int64_t bytes, const struct variant *v) {
    struct copy_facts f = c->facts;
    struct assumption a = {s, k, bytes, NULL, v->when, v->nwhen};
    measure(&a, c, &f);
    return f;
}

void vectorize_finish(struct session *s, const struct copy *c, struct copy_facts *f) {
    reorder(s, c, f);
    f->turn = run_turn(s, c, f);
    if (f->npred) edge_modes(s, c, f);
}

// A required width does not depend on what holds at launch.
static int64_t assumed(const struct copy *c) {
    return is_required(copy_atom(c)->row) ? 0 : VARIANT_BYTES;
}

// Whether single elements are aligned to their size; a collective access does not need that.
static bool has_elements(const struct copy *c) {
    return c->facts.bits >= copy_wider(c)->bits || atom_is_collective(copy_atom(c)->row);
}

// Whether accesses are narrower than requested.  If only a map after 'by' is the reason,
// -Windex-map has already warned.
static bool is_narrow(const struct copy *c) {
    const struct atom *atom = copy_atom(c);
    return c->facts.bits < (atom->row->alone ? atom->row->widths[0] : atom->bits) &&
           !(c->facts.by_map && c->tc->by);
}

// Whether each access begins where an instruction that needs more than its own width allows; reports
// that, unless "quiet".
static bool begins_aligned(struct session *s, const struct copy *c, bool quiet) {
    const struct copy_facts *f = &c->facts;
    const struct atom_row *row = copy_atom(c)->row;
    for (int side = 0; row->align && !row->alone && side < 2; ++side) {
        const int64_t *b = f->bound + side;  // the bounds of the destination come second
        if (b[BOUND_SRC_ALIGN] == BOUND_NONE) continue;
        int64_t bits = power_of_two_in(b[BOUND_SRC_ALIGN] | b[BOUND_SRC_DIVIDES]);
        if (f->bound[BOUND_COMMON_RUN] > f->bits) bits = at_most(bits, f->bits);
        bits = at_most(bits, b[BOUND_SRC_SWIZZLE]);
        if (bits >= row->align) continue;
        if (quiet) return false;
        diag_error(s, c->at,
                   "%s cannot use '%s', which begins at multiples of %d bits: of its accesses to "
                   "'%s' some begin only at multiples of %d",
                   copy_name(s, c), row->name, row->align, copy_side(c, side == 0)->base->name,
                   (int)bits);
        diag_page(s, "aligned");
        return false;
    }
    return true;
}

static bool vectorize_copy(struct session *s, struct kernel *k, struct copy *c, void *user) {
    (void)user;
    struct copy_facts *f = &c->facts;
    const struct atom *atom = copy_atom(c);
    int bits = copy_wider(c)->bits;
    if (f->nmodes > 256) BUG("a thread's part of a copy in %d modes", f->nmodes);
    struct assumption a = {s, k, assumed(c), NULL, NULL, 0};
    measure(&a, c, f);
    for (int i = 0; i < N_BOUNDS && !s->trial; ++i) f->why[i] = width_reason(s, c, (enum bound)i);
    if (!has_elements(c)) {
        diag_error(s, c->at,
                   "%s would access elements of %d bits that are not aligned to their size: %s",
                   copy_name(s, c), bits, width_reason(s, c, c->facts.won));
        diag_page(s, "aligned");
        return false;
    }
    if (is_narrow(c)) {
        struct atom least = *atom;
        if (atom->row->alone) least.bits = atom->row->widths[0];
        not_reached(s, k, c, &least);
        if (is_required(atom->row)) return false;
    }
    return begins_aligned(s, c, false);
}

bool vectorize_quietly(struct session *s, const struct kernel *k, struct copy *c) {
    struct assumption a = {s, k, assumed(c), NULL, NULL, 0};
    measure(&a, c, &c->facts);
    if (!has_elements(c) || (is_narrow(c) && is_required(copy_atom(c)->row)) ||
        !begins_aligned(s, c, true))
        return false;
    vectorize_finish(s, c, &c->facts);
    return !c->facts.npred || async_edge_fits(c, copy_atom(c));
}

bool vectorize_is_widest(struct session *s, const struct kernel *k, const struct copy *c,
                         const struct copy_facts *parted) {
    struct session_mark mark = session_mark(s);
    struct copy y = *c;
    y.facts = *parted;
    int bits = vectorize_facts(s, k, &y, assumed(c), NULL).bits;
    session_rewind(s, mark);
    return bits == c->facts.bits;
}

bool vectorize_asks(const struct copy *c) {
    return c->facts.npred > 0;
}

// Finishes a copy for the widest or only variant.
static bool finish_copy(struct session *s, struct kernel *k, struct copy *c, void *user) {
    (void)user;
    vectorize_finish(s, c, &c->facts);
    if (c->facts.npred && !async_edge(s, k, c, copy_atom(c))) return false;
    const struct atom *atom = copy_atom(c);
    if (!atom || !atom->row->boxes) return true;
    return boxes_find(s, c) && (!atom->row->reads_late || tails_are_exact(s, k, c));
}

bool pass_vectorize(struct session *s, struct plan *p) {
    if (!walk_plan(s, p, vectorize_copy, NULL)) return false;
    for (struct kernel *k = p->kernels; k; k = k->next) make_variants(s, p, k);
    return walk_plan(s, p, finish_copy, NULL);
}
