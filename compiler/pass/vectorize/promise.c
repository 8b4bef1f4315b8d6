// Notes what to change so that a copy has the width that its atom requires: a larger 'align', rows
// of another length, a swizzle that keeps more elements together.
#include <string.h>

#include "base/session.h"
#include "layout/algebra.h"
#include "pass/vectorize/run.h"
#include "pass/vectorize/width.h"
#include "plan/atoms.h"

static const struct tensor *side_of(const struct copy *c, int i) {
    return (i == 0 ? &c->src : &c->dst)->base;
}

static void begins_wide(struct session *s, const struct kernel *k, const struct copy *c, int number,
                        int bits) {
    const struct tensor *low = NULL;
    for (int i = 0; i < 2; ++i) {
        const struct tensor *t = side_of(c, i);
        if (t->space != MEM_GLOBAL || !t->align || 8 * t->align >= bits) continue;
        if (!low)
            diag_note(s, t->at,
                      "'%s' is promised to be aligned to %d bytes, and an access of %d bits needs "
                      "'align %d'",
                      t->name, t->align, bits, bits / 8);
        low = t;
        diag_fixit(s, (struct range){t->layout_at.file, t->layout_at.end, t->align_at.end},
                   arena_printf(&s->arena, " align %d", bits / 8));
    }
    if (low) diag_claim(s, (struct claim){k->name, number, bits, CHEAPER_NOT, false, true});
}

// Handles rows of shared memory whose length is not a multiple of an access.
static void rows_wide(struct session *s, const struct kernel *k, const struct copy *c, int number,
                      int bits) {
    for (int i = 0; i < 2; ++i) {
        const struct tensor *t = side_of(c, i);
        if (!space_is_shared(t->space) || t->outside || t->stages || !lay_valid(t->layout))
            continue;
        struct lay l = lay_inner(t->layout);
        if (t->layout.sw.b || lay_is_leaf(l.shape) || lay_tuple_rank(l.shape) != 2) continue;
        long long n[2], d[2], need = bits / t->elem->bits;
        for (int m = 0; m < 2; ++m) {
            const struct lay_tuple *extent = lay_tuple_get(&s->lay, l.shape, m),
                                   *stride = lay_tuple_get(&s->lay, l.stride, m);
            bool plain = lay_is_leaf(extent) && lay_is_leaf(stride) &&
                         lay_int_static(extent->leaf) && lay_int_static(stride->leaf);
            n[m] = plain ? (long long)extent->leaf.num : 0;
            d[m] = plain ? (long long)stride->leaf.num : 0;
        }
        int one = d[0] == 1 ? 0 : d[1] == 1 ? 1 : -1;
        if (one < 0 || need < 2 || d[!one] < 2 || d[!one] % need == 0) continue;
        long long pitch = (d[!one] / need + 1) * need;
        const char *text =
            arena_printf(&s->arena, one ? "(%lld,%lld):(%lld,1)" : "(%lld,%lld):(1,%lld)", n[0],
                         n[1], pitch);
        diag_note(s, t->at, "with the layout %s each row begins where an access of %d bits may",
                  text, bits);
        diag_fixit(s, t->layout_at, text);
        diag_claim(s, (struct claim){k->name, number, bits, CHEAPER_NOT, false, true});
    }
}

static void swizzle_wide(struct session *s, const struct copy *c, int bits) {
    for (int i = 0; i < 2; ++i) {
        const struct tensor *t = side_of(c, i);
        int keep = 0;
        if (!space_is_shared(t->space) || !lay_valid(t->layout) || !t->layout.sw.b) continue;
        while (t->elem->bits << keep < bits) ++keep;
        if (t->layout.sw.m >= keep) continue;
        diag_note(s, t->at,
                  "Sw<%d,%d,%d> keeps 2^%d elements together; Sw<%d,%d,%d> keeps 2^%d, %d bits",
                  t->layout.sw.b, t->layout.sw.m, t->layout.sw.s, t->layout.sw.m, t->layout.sw.b,
                  keep, t->layout.sw.s, keep, t->elem->bits << keep);
    }
}

// Handles a static mode of a tensor whose step is not a multiple of an access, and a part that
// begins inside an access.
static void steps_narrow(struct session *s, const struct copy *c, int bits) {
    for (int i = 0; i < 2; ++i) {
        const struct tensor *t = side_of(c, i);
        const struct ix *offset = copy_part(&c->facts, i == 0)->offset;
        long long need = bits / t->elem->bits;
        if (t->space != MEM_GLOBAL || need < 2 || 8 * t->align < bits || !lay_valid(t->layout))
            continue;
        struct lay l = lay_flatten(&s->lay, lay_inner(t->layout));
        for (int m = 0; lay_valid(l) && m < lay_rank(l); ++m) {
            struct lay mode = lay_mode(&s->lay, l, m);
            struct lay_int d = lay_is_leaf(mode.stride) ? mode.stride->leaf : LAY_INT_INVALID;
            if (!lay_int_static(d) || d.num < 2 || d.num % need == 0) continue;
            diag_note(s, t->at,
                      "a step along mode %d of '%s' is %lld elements, and an access of %d bits "
                      "takes %lld; 'auto(%d)' moves as many as fit",
                      m, t->name, (long long)d.num, bits, need, bits);
            return;
        }
        lay_clear_error(&s->lay);
        bool first = offset && offset->op == IX_SUM && offset->nterms > 0 && !offset->term[0].atom;
        struct lay_int begin = first ? offset->term[0].coef : lay_int(0);
        if (!lay_int_static(begin) || begin.num % need == 0) continue;
        diag_note(
            s, copy_side(c, i == 0)->at,
            "this part of '%s' begins at element %lld, and an access of %d bits at a multiple "
            "of %lld",
            t->name, (long long)begin.num, bits, need);
        return;
    }
}

// Handles a copy whose threads have consecutive elements on only one side.
static void transposed(struct session *s, const struct copy *c) {
    const struct copy_facts *f = &c->facts;
    if (f->src_run || c->src.base->space == MEM_FRAG || c->dst.base->space == MEM_FRAG) return;
    int64_t run[] = {run_of_side(f->mode, f->nmodes, SRC), run_of_side(f->mode, f->nmodes, DST)};
    int wide = run[0] > 1 && run[1] == 1 ? 0 : run[1] > 1 && run[0] == 1 ? 1 : -1;
    if (wide < 0) return;
    const struct view *apart = copy_side(c, wide == 1);
    if (lay_rank(apart->layout) > 1 && contiguous_mode(&s->lay, apart) < 0) return;
    int bits = copy_wider(c)->bits;
    diag_note(s, c->at,
              "a thread's neighbours in '%s' are apart in '%s', as in a transposition; "
              "'universal(%d)' moves single elements; a fragment in between, with a block of "
              "values per thread, allows wide accesses on both sides",
              side_of(c, wide)->name, side_of(c, !wide)->name, bits);
}

// Whether each copy of "k" with buffer "t" has on its other side neighbours along the last mode.
static bool all_by_rows(struct session *s, const struct kernel *k, const struct tensor *t) {
    bool any = false;
    for (const struct stmt *st = k->body; st; st = stmt_next(k->body, st)) {
        const struct copy *c = st->kind == STMT_COPY ? st->copy : NULL;
        if (!c || (c->src.base != t && c->dst.base != t)) continue;
        const struct view *v = c->src.base == t ? &c->dst : &c->src;
        if (!lay_valid(v->layout) || contiguous_mode(&s->lay, v) != lay_rank(v->layout) - 1)
            return false;
        any = true;
    }
    return any;
}

bool promise_row(struct session *s, const struct kernel *k, const struct copy *c) {
    for (int i = 0; i < 2; ++i) {
        const struct tensor *t = side_of(c, i), *other = side_of(c, !i);
        struct range at = t->layout_at;
        int length = (int)(at.end - at.begin);
        const char *text = length ? s->sources.file[at.file].text + at.begin : "";
        if (!space_is_shared(t->space) || t->outside || lay_rank(t->layout) < 2 || *text != '(' ||
            memchr(text, ':', (size_t)length) || !all_by_rows(s, k, t))
            continue;
        const char *row = arena_printf(&s->arena, "row%.*s", length, text);
        diag_note(s, t->at,
                  "a shape alone is column-major, and neighbours in '%s' are along its last mode: "
                  "'%s' is, too",
                  other->name, row);
        diag_fixit(s, at, row);
        return true;
    }
    return false;
}

void promise_offer(struct session *s, const struct kernel *k, const struct copy *c, int number) {
    const struct atom *atom = copy_atom(c);
    if (!atom->row->exact) return;
    switch (c->facts.won) {
    case BOUND_SRC_ALIGN:
    case BOUND_DST_ALIGN:
        begins_wide(s, k, c, number, atom->bits);
        rows_wide(s, k, c, number, atom->bits);
        if (atom->row->completes == COMPLETES_AT_ONCE) steps_narrow(s, c, atom->bits);
        break;
    case BOUND_SRC_RUN:
    case BOUND_DST_RUN:
    case BOUND_COMMON_RUN:
        if (atom->row->completes == COMPLETES_AT_ONCE) transposed(s, c);
        break;
    case BOUND_SRC_SWIZZLE:
    case BOUND_DST_SWIZZLE: swizzle_wide(s, c, atom->bits); break;
    default: break;
    }
}
