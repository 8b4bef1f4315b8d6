// Decides whether two accesses touch the same elements by enumerating these (see meet.h).
#include "pass/sync/meet.h"

#include <string.h>

#include "base/session.h"
#include "base/trap.h"
#include "layout/algebra.h"

enum { MAX_MODES = 64, MAX_LOOPS = 8, MAX_ELEMENTS = 1 << 22 };
// Limits for all accesses of a kernel: about 0.3 s, and 16 MB.
enum { MAX_STEPS = 1 << 27, STEPS_OF_POINT = 16, MAX_ROOM = 1 << 22 };

static bool is_inout(const struct kernel *k, const struct tensor *t) {
    for (int i = 0; i < k->nformals; ++i) {
        if (k->formal[i].tensor == t) return k->formal[i].dir == ARG_INOUT;
    }
    return false;
}

const struct tensor *meet_buffer(const struct kernel *k, struct access a) {
    const struct tensor *t = !a.copy ? a.arg : a.write ? a.copy->dst.base : a.copy->src.base;
    return space_is_shared(t->space) || (t->space == MEM_GLOBAL && is_inout(k, t)) ? t : NULL;
}

// -- whose element is it? -------------------------------------------------------------------------

// Collects the loop variables in "e", which must have static bounds.  False if "e" depends on
// anything else than these and tid.
static bool loop_vars(const struct ix *e, const struct ix_var **var, int *n) {
    switch (e->op) {
    case IX_VAR:
        if (e->var->kind == IX_TID) return true;
        if (e->var->kind != IX_LOOP || !lay_int_static(e->var->lo) || !lay_int_static(e->var->end))
            return false;
        for (int i = 0; i < *n; ++i) {
            if (var[i] == e->var) return true;
        }
        if (*n == MAX_LOOPS) return false;
        var[(*n)++] = e->var;
        return true;
    case IX_DIV:
    case IX_MOD:
    case IX_SWZ: return loop_vars(e->a, var, n);
    case IX_SUM:
        for (int i = 0; i < e->nterms; ++i) {
            if (e->term[i].coef.nsyms || (e->term[i].atom && !loop_vars(e->term[i].atom, var, n)))
                return false;
        }
    }
    return true;
}

enum { NOBODY = -1, SEVERAL = -2 };

// The owner of each element that an access touches.
struct meet_map {
    const struct copy *copy;
    bool write;
    const struct ix_var *by;  // the owners are values of this variable, instead of threads
    bool told;                // false: not decidable
    int64_t n, lo, hi;        // elements of the buffer; only elements lo .. hi are touched
    int32_t *of;              // by element: a thread, NOBODY or SEVERAL
    bool kept;
    struct meet_map *next;
};

static bool spend(struct meet_maps *m, int64_t steps) {
    if (steps > MAX_STEPS - m->spent) {
        m->more = true;
        return false;
    }
    m->spent += steps;
    return true;
}

// Records that thread "t" touches its elements for one value of the loop variables.
static bool touch(const struct copy_facts *f, const struct part *p, const int64_t *stride,
                  int64_t base, int64_t t, struct meet_map *o) {
    int64_t count[MAX_MODES] = {0};
    for (;;) {
        int64_t at = base;
        for (int i = 0; i < f->nmodes; ++i) at += count[i] * stride[i];
        at = lay_swizzle_apply(p->sw, at);
        if (at < 0 || at + f->vec > o->n) return false;
        if (at < o->lo) o->lo = at;
        if (at + f->vec > o->hi) o->hi = at + f->vec;
        for (int e = 0; e < f->vec; ++e) {
            int32_t *who = &o->of[at + e];
            *who = *who == NOBODY || *who == t ? (int32_t)t : SEVERAL;
        }
        int i = 0;
        while (i < f->nmodes && ++count[i] == f->mode[i].extent) count[i++] = 0;
        if (i == f->nmodes) return true;
    }
}

// The terms of sum "e" that contain "v", or those that do not.
static struct ix terms_with(struct session *s, const struct ix *e, const struct ix_var *v,
                            bool with) {
    struct ix part = {.op = IX_SUM};
    struct ix_term *term = ARENA_ARRAY(&s->arena, struct ix_term, e->nterms + 1);
    for (int i = 0; i < e->nterms; ++i)
        if ((e->term[i].atom && ix_depends_on(e->term[i].atom, v)) == with)
            term[part.nterms++] = e->term[i];
    part.term = term;
    return part;
}

// Makes each thread the owner of all elements that it touches in any iteration.  False if that is
// not decidable.
static bool fill(struct session *s, const struct kernel *k, struct meet_maps *m,
                 struct meet_map *o) {
    const struct copy_facts *f = &o->copy->facts;
    const struct part *p = copy_part(f, !o->write);
    const struct ix_var *var[MAX_LOOPS];
    int nvars = 0;
    int64_t stride[MAX_MODES], points = f->threads * f->vec;
    if (f->nmodes > MAX_MODES || !loop_vars(p->offset, var, &nvars)) return false;
    for (int i = 0; i < f->nmodes; ++i) {
        struct lay_int d = o->write ? f->mode[i].dst : f->mode[i].src;
        if (!lay_int_static(d)) return false;
        stride[i] = d.num;
        points *= f->mode[i].extent;
    }
    int64_t *value = ARENA_ARRAY(&s->arena, int64_t, s->next_var + 1);
    struct ix_env env = {value, value};
    for (int i = 0; i < nvars; ++i) {
        int64_t extent = var[i]->end.num - var[i]->lo.num;
        if (extent < 1) return true;  // the loop has no iterations
        if (extent > MAX_ELEMENTS / points) return false;
        points *= extent;
        value[var[i]->id] = var[i]->lo.num;
    }
    if (!spend(m, STEPS_OF_POINT * points)) return false;
    struct ix of_thread = {.op = IX_SUM}, of_all = *p->offset;
    if (p->offset->op == IX_SUM) {
        of_thread = terms_with(s, p->offset, k->tid, true);
        of_all = terms_with(s, p->offset, k->tid, false);
    }
    bool each = p->offset->op != IX_SUM;  // a single term, which may depend on the thread
    for (;;) {
        int64_t at = 0;
        if (!each && !ix_eval(&of_all, &env, &at)) return false;
        for (int64_t t = 0; t < f->threads; ++t) {
            int64_t base;
            if (f->lanes && t % 32 >= f->lanes) continue;
            value[k->tid->id] = t;
            int64_t who = o->by ? value[o->by->id] : t;
            if (!ix_eval(each ? p->offset : &of_thread, &env, &base) ||
                __builtin_add_overflow(base, at, &base) || !touch(f, p, stride, base, who, o))
                return false;
        }
        int i = 0;
        for (; i < nvars && ++value[var[i]->id] == var[i]->end.num; ++i)
            value[var[i]->id] = var[i]->lo.num;
        if (i == nvars) return true;
    }
}

// The map of "a", whose buffer has "n" elements.
static struct meet_map *map_of(struct session *s, const struct kernel *k, struct meet_maps *m,
                               struct access a, const struct ix_var *by, int64_t n) {
    uintptr_t hash = (uintptr_t)a.copy / sizeof(void *) + a.write;
    struct meet_map **first = &m->first[hash % MEET_MAPS];
    for (struct meet_map *x = *first; x; x = x->next)
        if (x->copy == a.copy && x->write == a.write && x->by == by) return x;
    struct meet_map *x = memory_zeroed(1, sizeof *x);
    *x = (struct meet_map){.copy = a.copy, .write = a.write, .by = by, .n = n, .lo = n};
    if (spend(m, n)) {
        struct arena_mark mark = arena_mark(&s->arena);
        x->of = memory_new((size_t)(n + 1) * sizeof *x->of);
        for (int64_t i = 0; i < n; ++i) x->of[i] = NOBODY;
        x->told = fill(s, k, m, x);
        arena_rewind(&s->arena, mark);
    }
    if (!x->told) {
        memory_free(x->of);
        x->of = NULL;
        x->n = 0;
    }
    x->kept = m->room + x->n <= MAX_ROOM;
    if (!x->kept) return x;
    m->room += x->n;
    x->next = *first;
    return *first = x;
}

static void free_map(struct meet_map *x) {
    memory_free(x->of);
    memory_free(x);
}

void meet_free(struct meet_maps *m) {
    for (int i = 0; i < MEET_MAPS; ++i) {
        for (struct meet_map *x = m->first[i], *next; x; x = next) {
            next = x->next;
            free_map(x);
        }
    }
}

// Whether the side of "a" is the same as that of "b", for each element of each thread, in all
// iterations.
static bool same_parts(struct access a, struct access b) {
    const struct copy_facts *f = &a.copy->facts, *g = &b.copy->facts;
    const struct part *p = copy_part(f, !a.write), *q = copy_part(g, !b.write);
    if (f->threads != g->threads || f->lanes != g->lanes) return false;
    if (f->nmodes != g->nmodes || f->vec != g->vec) return false;
    if (memcmp(&p->sw, &q->sw, sizeof p->sw) != 0 || !ix_equal(p->offset, q->offset)) return false;
    if (ix_depends(p->offset, IX_LOOP)) return false;
    for (int i = 0; i < f->nmodes; ++i) {
        struct lay_int x = a.write ? f->mode[i].dst : f->mode[i].src,
                       y = b.write ? g->mode[i].dst : g->mode[i].src;
        if (f->mode[i].extent != g->mode[i].extent || !lay_int_equal(x, y)) return false;
    }
    return true;
}

// Compares the owners of two maps.
static enum meet compare(struct meet_maps *m, const struct meet_map *a, const struct meet_map *b) {
    enum meet found = MEET_NOT;
    int64_t lo = a->lo > b->lo ? a->lo : b->lo, hi = a->hi < b->hi ? a->hi : b->hi;
    if (lo >= hi) return MEET_NOT;
    if (!spend(m, hi - lo)) return MEET_OTHERS;
    for (int64_t i = lo; i < hi; ++i) {
        if (a->of[i] == NOBODY || b->of[i] == NOBODY) continue;
        if (a->of[i] != b->of[i] || a->of[i] == SEVERAL) return MEET_OTHERS;
        found = MEET_OWN;
    }
    return found;
}

// Whether each element that "a" and "b" have in common has one owner.
static enum meet both(struct session *s, const struct kernel *k, struct meet_maps *m,
                      struct access a, struct access b, const struct ix_var *by) {
    const struct tensor *t = meet_buffer(k, a);
    struct lay_int cosize = lay_span(&s->lay, t->layout);
    if (!lay_int_static(cosize) || cosize.num > MAX_ELEMENTS) return MEET_OTHERS;
    // a swizzle may reach the end of its period
    int64_t n = t->layout.sw.b ? 2 * cosize.num + 4096 : cosize.num;
    struct meet_map *x = map_of(s, k, m, a, by, n);
    struct meet_map *y = x->told ? map_of(s, k, m, b, by, n) : x;
    enum meet found = x->told && y->told ? compare(m, x, y) : MEET_OTHERS;
    if (y != x && !y->kept) free_map(y);
    if (!x->kept) free_map(x);
    return found;
}

static bool depends_on(struct access a, const struct ix_var *v) {
    const struct copy_facts *f = &a.copy->facts;
    return ix_depends_on(a.write ? f->dst.offset : f->src.offset, v);
}

static bool is_collective(struct access a) {
    return atom_is_collective(copy_atom(a.copy)->row);
}

enum meet meet(struct session *s, const struct kernel *k, struct meet_maps *m, struct access a,
               struct access b, const struct ix_var *differs) {
    // if each common element belongs to one iteration, different iterations touch different
    // elements
    if (differs && a.copy && b.copy && depends_on(a, differs) && depends_on(b, differs) &&
        both(s, k, m, a, b, differs) != MEET_OTHERS)
        return MEET_NOT;
    if (!a.copy || !b.copy) return MEET_OTHERS;
    // a collective access moves elements that another lane addresses
    bool own = !is_collective(a) && !is_collective(b);
    if (own && same_parts(a, b)) return MEET_OWN;
    enum meet found = both(s, k, m, a, b, NULL);
    return own || found == MEET_NOT ? found : MEET_OTHERS;
}
