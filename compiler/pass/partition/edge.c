// Widths and loops at the edge of a copy (see edge.h).
//
// The elements of an access at the edge all exist, or none does, so that one test decides about the
// access.  For this, the limit and the coordinates of each predicate must be multiples of the span
// of the access.  There is one exception: a cp.async that fills with zeros reads as many bytes as
// it is told to.  One predicate may cut it, if the elements of the access are consecutive
// coordinates.
#include "pass/partition/edge.h"

#include "base/session.h"
#include "pass/vectorize/run.h"

static struct lay_int times(struct session *s, struct lay_int a, int64_t n) {
    return lay_int_mul(&s->lay, a, lay_int(n));
}

static struct run *find_run(struct session *s, const struct copy *c, const struct copy_facts *f) {
    struct run *run = ARENA_NEW(&s->arena, struct run);
    run_find(s, f->raw, f->nraw, run_sides(s, c), f->pred, f->npred, run);
    return run;
}

// Whether the elements of every vector of "n" exist together, according to "p".
static bool together(const struct assumption *a, const struct copy_facts *f,
                     const struct predicate *p, const struct run *run, int64_t n, int64_t bytes) {
    struct lay_int step = run->taken ? p->stride[run->order[0]] : lay_int(0);
    if (n == 1 || lay_int_is(step, 0)) return true;
    if (!lay_int_static(step) || step.num < 1) return false;
    int64_t span = step.num * n;
    const struct ix *room = ix_sub(a->s, p->limit, p->at);
    if (!room || assume_ix(a, room, bytes) % (span * bytes) != 0) return false;
    for (int i = 0; i < f->nraw; ++i) {
        if (!run->used[i] && lay_int_divisor(p->stride[i]) % span != 0) return false;
    }
    return true;
}

static const char *what_bounds(struct session *s, const struct predicate *p, int64_t vec) {
    if (p->front)
        return arena_printf(&s->arena,
                            "mode %d of '%s' begins at %s, and the coordinates '%s' are not known "
                            "to be multiples of %lld from there",
                            p->mode, p->of->name, ix_text(s, p->limit), ix_text(s, p->at),
                            2 * (long long)vec);
    const char *extent = p->of ? arena_printf(&s->arena, "extent %s of mode %d of '%s'",
                                              ix_text(s, p->limit), p->mode, p->of->name)
                               : arena_printf(&s->arena, "extent %s of mode %d of the view",
                                              ix_text(s, p->limit), p->mode);
    return arena_printf(&s->arena,
                        "%s and the coordinates '%s' are not known to be multiples of %lld", extent,
                        ix_text(s, p->at), 2 * (long long)vec);
}

// Finds the predicate that may cut an access of "vec" elements.  It must be only about the source,
// because the access chooses how much it reads and not what it writes, and have one coordinate per
// element.
static void find_cut(const struct assumption *a, struct copy_facts *f, const struct run *run,
                     int64_t vec, int64_t bytes) {
    f->may_cut = 0;
    f->uncut = vec;
    for (int i = 0; i < f->npred && run->taken; ++i) {
        const struct predicate *p = &f->pred[i];
        // it reads the first elements, so it cannot leave them out
        if (!p->src || p->dst || p->front || !lay_int_is(p->stride[run->order[0]], 1)) continue;
        while (!together(a, f, p, run, f->uncut, bytes)) {
            f->uncut /= 2;
            f->may_cut = i + 1;
        }
    }
}

static const char *what_cuts(struct session *s, const struct predicate *p) {
    return arena_printf(&s->arena,
                        "where extent %s of mode %d of '%s' cuts an access, its source size says "
                        "how much is read",
                        ix_text(s, p->limit), p->mode, p->of->name);
}

void edge_granularity(const struct assumption *assumed, const struct copy *c, struct copy_facts *f,
                      int64_t sized) {
    struct session *s = assumed->s;
    int64_t bytes = copy_wider(c)->bits / 8;
    // if tiles can be whole, they are wide whatever the extents are
    struct assumption a = *assumed;
    if (f->edge != EDGE_ALWAYS) a.bytes = 0;
    const struct run *run = find_run(s, c, f);
    int64_t vec = run->size & -run->size;
    f->why_pred =
        arena_printf(&s->arena, "at most %lld contiguous elements have consecutive coordinates",
                     (long long)run->size);
    f->may_cut = 0;
    if (sized) {
        // facts that are only assumed may not hold at the edge
        struct assumption known = *assumed;
        known.bytes = 0;
        known.list = NULL;
        find_cut(&known, f, run, vec < sized ? vec : sized, bytes);
    }
    if (f->may_cut) f->why_pred = what_cuts(s, &f->pred[f->may_cut - 1]);
    for (int i = 0; i < f->npred; ++i) {
        int64_t before = vec;
        if (i + 1 == f->may_cut) continue;
        while (!together(&a, f, &f->pred[i], run, vec, bytes)) vec /= 2;
        if (vec < before) f->why_pred = what_bounds(s, &f->pred[i], vec);
    }
    f->pred_vec = vec;
}

// Whether mode "i" continues mode "w", the last one written.
static bool neighbours(struct session *s, const struct copy_facts *f, const struct copy_mode *m,
                       struct lay_int *const *stride, int w, int i) {
    if (m[w].rest != m[i].rest || !lay_int_equal(times(s, m[w].src, m[w].extent), m[i].src) ||
        !lay_int_equal(times(s, m[w].dst, m[w].extent), m[i].dst))
        return false;
    for (int p = 0; p < f->npred; ++p) {
        if (!lay_int_equal(times(s, stride[p][w], m[w].extent), stride[p][i])) return false;
    }
    return true;
}

void edge_modes(struct session *s, const struct copy *c, struct copy_facts *f) {
    struct run *run = find_run(s, c, f);
    int64_t vec = f->pred_vec < f->vec ? f->pred_vec : f->vec;
    struct copy_mode *m = ARENA_ARRAY(&s->arena, struct copy_mode, f->nraw + 1);
    struct lay_int **stride = ARENA_ARRAY(&s->arena, struct lay_int *, f->npred + 1);
    for (int p = 0; p < f->npred; ++p)
        stride[p] = ARENA_ARRAY(&s->arena, struct lay_int, f->nraw + 1);
    int64_t *begin = ARENA_ARRAY(&s->arena, int64_t, f->nraw + 1);
    int n;
    f->edge_step = run_divide(s, vec, run, m, begin, &n);
    for (int p = 0; p < f->npred; ++p) {
        for (int i = 0; i < n; ++i)
            stride[p][i] = times(s, f->pred[p].stride[run->order[0]], begin[i]);
    }
    for (int i = 0; i < f->nraw; ++i) {
        if (run->used[i]) continue;
        m[n] = f->raw[i];
        for (int p = 0; p < f->npred; ++p) stride[p][n] = f->pred[p].stride[i];
        ++n;
    }
    int w = 0;
    for (int i = 1; i < n; ++i) {
        if (neighbours(s, f, m, stride, w, i)) {
            m[w].extent *= m[i].extent;
            continue;
        }
        m[++w] = m[i];
        for (int p = 0; p < f->npred; ++p) stride[p][w] = stride[p][i];
    }
    f->edge_mode = m;
    f->nedge = n ? w + 1 : 0;
    f->edge_step = run_steps(s, c, m, f->nedge, vec, f->edge_step);
    f->edge_vec = (int)vec;
    f->edge_bits = (int)vec * copy_wider(c)->bits;
    struct predicate *pred = ARENA_ARRAY(&s->arena, struct predicate, f->npred);
    for (int p = 0; p < f->npred; ++p) {
        pred[p] = f->pred[p];
        pred[p].edge_stride = stride[p];
        pred[p].cuts = p + 1 == f->may_cut && vec > f->uncut;
    }
    f->pred = pred;
}
