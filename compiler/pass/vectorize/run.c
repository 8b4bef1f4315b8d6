// Runs of consecutive elements (see run.h).
#include "pass/vectorize/run.h"

#include "base/session.h"
#include "layout/algebra.h"

enum { WORD_BITS = 32, ACCESS_BITS = 128 };
// binary digits of an element's number within an access; a bulk copy is one of many KB
enum { MOST_MODES = 256, MOST_DIGITS = 64 };

static bool is_power_of_two(int64_t n) {
    return (n & (n - 1)) == 0;
}

// Whether elements of "t" can be taken from any registers.  Narrow elements are taken by words, and
// an array of a caller may end inside a word.
static bool is_free(struct session *s, const struct tensor *t) {
    if (t->space != MEM_FRAG) return false;
    if (!t->outside) return true;
    struct lay_int n = lay_span(&s->lay, t->layout);
    return n.num * t->elem->bits % WORD_BITS == 0;
}

int run_sides(struct session *s, const struct copy *c) {
    bool from = is_free(s, c->src.base), to = is_free(s, c->dst.base);
    bool frags = c->src.base->space == MEM_FRAG && c->dst.base->space == MEM_FRAG;
    if (atom_is_collective(copy_atom(c)->row) || (frags && from != to)) return SRC | DST;
    // between fragments, the order of the destination is as good as any
    return from ? DST : to ? SRC : SRC | DST;
}

int64_t run_of_side(const struct copy_mode *mode, int n, enum side side) {
    int64_t run = 1;
    bool used[MOST_MODES] = {false};
    if (n > MOST_MODES) BUG("a thread's part of a copy in %d modes", n);
    for (bool grew = true; grew;) {
        grew = false;
        for (int i = 0; i < n && !grew; ++i) {
            if (used[i] || !lay_int_is(side == SRC ? mode[i].src : mode[i].dst, run)) continue;
            used[i] = grew = true;
            run *= mode[i].extent;
        }
    }
    return run;
}

static struct lay_int stride_of(const struct copy_mode *m, int sides) {
    return sides & SRC ? m->src : m->dst;
}

// The stride of "m" on the side that does not bound the run.
static struct lay_int apart_of(const struct copy_mode *m, int sides) {
    return sides == SRC ? m->dst : m->src;
}

// Whether "m" continues the last stretch of the run.
static bool goes_on(const struct run *run, const struct copy_mode *m) {
    const struct stretch *x = &run->stretch[run->nstretches - 1];
    return run->nstretches > 0 && lay_int_static(x->apart) &&
           lay_int_is(apart_of(m, run->sides), x->apart.num * x->extent);
}

// Whether mode "i" continues the run.
static bool continues(struct session *s, const struct copy_mode *m, const struct predicate *pred,
                      int npred, const struct run *run, int i) {
    if (!lay_int_is(stride_of(m, run->sides), run->size)) return false;
    if (run->sides == (SRC | DST) && !lay_int_is(m->dst, run->size)) return false;
    for (int p = 0; p < npred && run->taken; ++p) {
        const struct lay_int *stride = pred[p].stride;
        struct lay_int step = lay_int_mul(&s->lay, stride[run->order[0]], lay_int(run->size));
        if (!lay_int_equal(stride[i], step)) return false;
    }
    // an access takes complete stretches, except for the last one
    return m->extent == 1 || is_power_of_two(run->size) || goes_on(run, m);
}

static void take(struct run *run, const struct copy_mode *m, int i) {
    run->used[i] = true;
    if (m->extent == 1) return;
    if (!goes_on(run, m))
        run->stretch[run->nstretches++] =
            (struct stretch){run->taken, 0, 1, apart_of(m, run->sides), false};
    struct stretch *x = &run->stretch[run->nstretches - 1];
    run->order[run->taken++] = i;
    run->size *= m->extent;
    x->extent *= m->extent;
    x->next = run->taken;
    x->rest = m->rest;
}

void run_find(struct session *s, const struct copy_mode *mode, int n, int sides,
              const struct predicate *pred, int npred, struct run *run) {
    *run = (struct run){.sides = sides, .size = 1};
    run->order = ARENA_ARRAY(&s->arena, int, n + 1);
    run->used = ARENA_ARRAY(&s->arena, bool, n + 1);
    run->stretch = ARENA_ARRAY(&s->arena, struct stretch, n + 1);
    for (bool grew = true; grew;) {
        grew = false;
        for (int i = 0; i < n && !grew; ++i) {
            if (run->used[i] || !continues(s, &mode[i], pred, npred, run, i)) continue;
            take(run, &mode[i], i);
            grew = true;
        }
    }
}

static struct copy_mode iterations(const struct run *run, const struct stretch *x, int64_t at,
                                   int64_t taken) {
    int64_t along = at * taken, across = x->apart.num * taken;
    int64_t src = run->sides & SRC ? along : across, dst = run->sides & DST ? along : across;
    return (struct copy_mode){x->extent / taken, lay_int(src), lay_int(dst), x->rest};
}

const int64_t *run_divide(struct session *s, int64_t vec, struct run *run, struct copy_mode *left,
                          int64_t *begin, int *nleft) {
    int64_t *step = ARENA_ARRAY(&s->arena, int64_t, MOST_DIGITS);
    int64_t at = 1;  // elements of the run before this stretch
    int digits = 0;
    bool follow = true;
    *nleft = 0;
    for (int i = 0; i < run->nstretches; ++i) {
        const struct stretch *x = &run->stretch[i];
        int64_t taken = vec < x->extent ? vec : x->extent;
        if (x->extent % taken != 0) break;
        if (taken == 1 && (i > 0 || !lay_int_is(x->apart, 1))) {
            for (int k = x->first; k < x->next; ++k) run->used[run->order[k]] = false;
            continue;
        }
        for (int64_t n = 1; n < taken; n *= 2) {
            follow &= lay_int_is(x->apart, at);
            step[digits++] = x->apart.num * n;
        }
        if (taken < x->extent) {
            begin[*nleft] = at * taken;
            left[(*nleft)++] = iterations(run, x, at, taken);
        }
        at *= x->extent;
        vec /= taken;
    }
    if (vec != 1) BUG("a vector that a run of %lld does not hold", (long long)run->size);
    return follow ? NULL : step;
}

// The steps of consecutive elements.
static const int64_t *neighbours(struct session *s, int64_t vec) {
    int64_t *step = ARENA_ARRAY(&s->arena, int64_t, MOST_DIGITS);
    for (int i = 0; (int64_t)1 << i < vec; ++i) step[i] = (int64_t)1 << i;
    return step;
}

const int64_t *run_steps(struct session *s, const struct copy *c, const struct copy_mode *mode,
                         int n, int64_t vec, const int64_t *step) {
    bool src = c->src.base->space == MEM_FRAG;
    if (step || run_sides(s, c) == (SRC | DST)) return step;
    const struct ix *offset = copy_part(&c->facts, src)->offset;
    bool whole = !offset || ix_divisor(offset) % vec == 0;
    for (int i = 0; i < n; ++i)
        whole &= lay_int_divisor(src ? mode[i].src : mode[i].dst) % vec == 0;
    if (whole) return NULL;
    return neighbours(s, vec);
}

const struct copy_turn *run_turn(struct session *s, const struct copy *c,
                                 const struct copy_facts *f) {
    int elem = c->dst.base->elem->bits, n = 0, left;
    if (c->dst.base->space != MEM_FRAG || c->src.base->space == MEM_FRAG || !f->step ||
        elem >= WORD_BITS || f->vec * elem < WORD_BITS)
        return NULL;
    // the elements in the order in which they were loaded
    struct copy_mode *m = ARENA_ARRAY(&s->arena, struct copy_mode, f->nmodes + MOST_DIGITS);
    for (int64_t e = 1; e < f->vec; e *= 2, ++n)
        m[n] = (struct copy_mode){2, lay_int(e), lay_int(f->step[n]), false};
    int64_t loaded = f->vec;
    for (int i = 0; i < f->nmodes; ++i) {
        m[n++] = (struct copy_mode){f->mode[i].extent, lay_int(loaded), f->mode[i].dst, false};
        loaded *= f->mode[i].extent;
    }
    struct run *run = ARENA_NEW(&s->arena, struct run);
    run_find(s, m, n, DST, NULL, 0, run);
    int64_t vec = run->size & -run->size;
    while (vec * elem > ACCESS_BITS) vec /= 2;
    const struct ix *offset = f->dst.offset;
    while (vec > 1 && offset && ix_divisor(offset) % vec != 0) vec /= 2;
    for (int i = 0; i < n; ++i)
        while (!run->used[i] && lay_int_divisor(m[i].dst) % vec != 0) vec /= 2;
    if (vec * elem < WORD_BITS) return NULL;
    struct copy_turn *turn = ARENA_NEW(&s->arena, struct copy_turn);
    struct copy_mode *rest = ARENA_ARRAY(&s->arena, struct copy_mode, n + 1);
    int64_t *begin = ARENA_ARRAY(&s->arena, int64_t, n + 1);
    const int64_t *step = run_divide(s, vec, run, rest, begin, &left);
    if (!step) step = neighbours(s, vec);
    for (int i = 0; i < n; ++i) {
        struct copy_mode *last = &rest[left - 1];
        if (run->used[i]) continue;
        if (left > 0 && lay_int_is(m[i].src, last->src.num * last->extent) &&
            lay_int_is(m[i].dst, last->dst.num * last->extent))
            last->extent *= m[i].extent;
        else
            rest[left++] = m[i];
    }
    *turn = (struct copy_turn){(int)vec, rest, left, step};
    return turn;
}
