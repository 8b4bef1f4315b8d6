// Trying arrangements in a plan that is compiled once (see rearrange.h).
//
// Offsets are computed before the swizzle is applied. So another swizzle changes no view and no
// thread's part; only the widths (pass "vectorize"), the places (pass "shared") and the costs have
// to be worked out again.
#include "autoswizzle/rearrange.h"

#include <stdlib.h>

#include "cost/copy.h"
#include "layout/algebra.h"
#include "pass/shared.h"
#include "pass/vectorize/again.h"
#include "pass/walk.h"
#include "plan/align.h"
#include "plan/arch.h"
#include "plan/plan.h"
#include "syntax/ast.h"

struct use {
    struct kernel *k;
    struct copy *c;
    struct copy_facts parted;  // as pass "predicate" leaves the facts
};

struct asking {
    struct range at;  // these ranges do not overlap
    int spot;
};

struct place {
    int64_t cosize, asked;  // arguments of shared_behind
};

struct spot {
    struct tensor *t;  // NULL: no copy touches it
    struct kernel *k;
    int local;            // its index in k->local
    struct place *place;  // the places of all of k->local, by the same index
    int first, n;         // its copies: "n" numbers in layer.at from "first" on
    bool bound;           // more than its copies depends on its arrangement
    // an `expect`, a `let` or a function that gets it asks for its layout
    bool asked;
    // a function gets it and accepts no swizzle
    bool given;
    // the other side of a copy is another buffer with `swizzle auto`
    bool paired;
    // which of its copies has the most wavefronts in the plain layout; it is counted first
    int worst;
};

// -- what a copy costs ----------------------------------------------------------------------------

void tally_side(struct session *s, const struct costed *y, bool src, int64_t enough,
                struct tally *out) {
    const struct tensor *t = copy_side(y->c, src)->base;
    struct side_cost mine;
    out->bytes = t->smem_elements * t->elem->bits / 8;
    cost_of_side_within(s, y, src, enough - out->wavefronts, &mine);
    out->work += mine.work;
    if (!mine.there || mine.why) return;
    ++out->copies;
    out->wavefronts += mine.total.wavefronts.most;
    out->least += mine.least_total.wavefronts.least;
    if (copy_side(y->c, !src)->base->space == MEM_GLOBAL) out->requests += mine.instructions;
}

// -- the copies of each buffer --------------------------------------------------------------------

struct collecting {
    struct layer *x;
    struct ast_stmt *const *buffer;  // in the order of the source
    int n;
    int nuses, nlinks;
    bool fill;
    int *at;
};

// The number of buffer "t"; -1 when it has no `swizzle auto`.
static int number_of(const struct collecting *y, const struct tensor *t) {
    if (!t->swizzle_auto) return -1;
    int low = 0, high = y->n;
    while (low < high) {
        int mid = (low + high) / 2;
        if (y->buffer[mid]->name.at.begin < t->at.begin)
            low = mid + 1;
        else
            high = mid;
    }
    bool same = low < y->n && y->buffer[low]->name.at.begin == t->at.begin &&
                y->buffer[low]->name.at.file == t->at.file;
    return same ? low : -1;
}

static void link(struct collecting *y, int i, int use) {
    struct spot *p = &y->x->spot[i];
    if (y->fill) y->at[p->first + p->n] = use;
    ++p->n;
    ++y->nlinks;
}

static bool collect_copy(struct session *s, struct kernel *k, struct copy *c, void *user) {
    struct collecting *y = user;
    int from = number_of(y, c->src.base), to = number_of(y, c->dst.base), use = y->nuses++;
    (void)s;
    if (y->fill) y->x->use[use] = (struct use){k, c, c->facts};
    if (from >= 0) link(y, from, use);
    if (to >= 0 && to != from) link(y, to, use);
    if (from >= 0 && to >= 0 && from != to) y->x->spot[from].paired = y->x->spot[to].paired = true;
    return true;
}

static void asks(struct layer *x, int i, struct range at) {
    x->asking = arena_more(&x->s.arena, x->asking, sizeof *x->asking, x->nasking, &x->cap_asking);
    x->asking[x->nasking++] = (struct asking){at, i};
    x->spot[i].asked = true;
}

// A buffer given to a function has to have the layout that the function declares.
static void collect_call(struct collecting *y, const struct plan_call *call) {
    for (int i = 0; !call->fill && i < call->fn->nformals; ++i) {
        const struct tensor *t = call->view[i].base;
        int n = t ? number_of(y, t) : -1;
        if (n < 0) continue;
        asks(y->x, n, call->view[i].at);
        y->x->spot[n].given = true;
    }
}

static void collect_calls(struct collecting *y, const struct kernel *k) {
    for (const struct stmt *st = k->body; st; st = stmt_next(k->body, st))
        if (st->kind == STMT_CALL) collect_call(y, st->call);
    for (const struct inlined *x = k->inlined; x; x = x->next) collect_call(y, x->call);
}

static void collect_all(struct collecting *y) {
    struct layer *x = y->x;
    y->nuses = y->nlinks = 0;
    for (int i = 0; i < y->n; ++i) x->spot[i].n = 0;
    for (struct kernel *k = plan_next(x->now.plan, NULL); k; k = plan_next(x->now.plan, k))
        walk_copies(&x->s, k, collect_copy, y);
}

static int by_place(const void *a, const void *b) {
    const struct range *x = &((const struct asking *)a)->at, *y = &((const struct asking *)b)->at;
    if (x->file != y->file) return x->file < y->file ? -1 : 1;
    return x->begin < y->begin ? -1 : x->begin > y->begin;
}

static void collect(struct layer *x, struct ast_stmt *const *buffer, int n) {
    struct collecting y = {.x = x, .buffer = buffer, .n = n};
    x->spot = ARENA_ARRAY(&x->s.arena, struct spot, n + 1);
    collect_all(&y);
    x->use = ARENA_ARRAY(&x->s.arena, struct use, y.nuses + 1);
    x->at = y.at = ARENA_ARRAY(&x->s.arena, int, y.nlinks + 1);
    for (int i = 0, first = 0; i < n; ++i) {
        x->spot[i].first = first;
        first += x->spot[i].n;
    }
    y.fill = true;
    collect_all(&y);
    for (struct kernel *k = plan_next(x->now.plan, NULL); k; k = plan_next(x->now.plan, k)) {
        collect_calls(&y, k);
        for (int i = 0; i < k->nlocal; ++i) {
            int b = number_of(&y, k->local[i]);
            if (b < 0) continue;
            x->spot[b].t = k->local[i];
            x->spot[b].k = k;
            x->spot[b].local = i;
            for (const struct layout_asked *a = k->local[i]->asked; a; a = a->next)
                asks(x, b, a->at);
        }
    }
    if (x->nasking > 1) qsort(x->asking, (size_t)x->nasking, sizeof *x->asking, by_place);
}

// -- which can be tried ---------------------------------------------------------------------------

static bool has_calls(const struct kernel *k) {
    if (k->inlined) return true;
    for (const struct stmt *st = k->body; st; st = stmt_next(k->body, st))
        if (st->kind == STMT_CALL) return true;
    return false;
}

static struct place *places(struct layer *x, const struct kernel *k) {
    struct place *p = ARENA_ARRAY(&x->s.arena, struct place, k->nlocal + 1);
    bool calls = has_calls(k);
    for (int i = 0; i < k->nlocal; ++i) {
        const struct tensor *t = k->local[i];
        if (!space_is_shared(t->space)) continue;
        p[i].cosize = lay_span(&x->s.lay, t->layout).num;
        p[i].asked = calls ? align_for_calls(k, t) : 1;
    }
    return p;
}

// Whether all "n" copies of "k" have their greatest width. If one does not, its width depends on
// what is not promised, and the copies of the kernel decide together what to assume.
static bool all_is_assumed(struct layer *x, const struct kernel *k, const struct use *use, int n) {
    for (int i = 0; i < n; ++i)
        if (!vectorize_is_widest(&x->s, k, use[i].c, &use[i].parted)) return false;
    return true;
}

static void decide(struct layer *x, int n) {
    struct place *place = NULL;
    const struct kernel *k = NULL;
    bool widest = false;
    int first = 0;
    for (int i = 0; i < n; ++i) {
        struct spot *p = &x->spot[i];
        if (!p->t || p->n == 0) continue;
        if (p->k != k) {
            int uses = 0;
            k = p->k;
            for (first = x->at[p->first]; first > 0 && x->use[first - 1].k == k;) --first;
            for (const struct stmt *st = k->body; st; st = stmt_next(k->body, st))
                uses += st->kind == STMT_COPY;
            place = places(x, k);
            widest = all_is_assumed(x, k, &x->use[first], uses);
        }
        p->place = place;
        p->bound |= !widest || p->t->layout_used || !lay_int_is(p->t->layout.offset, 0);
        for (int u = 0; u < p->n; ++u) {
            const struct use *use = &x->use[x->at[p->first + u]];
            p->bound |= k->nvariants > 0 && vectorize_asks(use->c);
        }
    }
}

// -- a layer --------------------------------------------------------------------------------------

void layer_begin(struct layer *x, const struct compiled *c, struct ast_stmt *const *buffer, int n,
                 const struct swizzle_choice *choice, uint32_t only_at, bool placed) {
    steps_again(c, &x->s, &x->now);
    x->now.swizzle = choice;
    x->now.nswizzles = n;
    x->now.only_at = only_at;
    x->now.only_chosen = !only_at;
    x->ok = false;
    x->asking = NULL;
    x->nasking = x->cap_asking = 0;
    if (steps_until(&x->now, STEP_PREDICATE)) return;
    collect(x, buffer, n);
    if (steps_until(&x->now, placed ? STEP_SHARED : STEP_VECTORIZE)) return;
    decide(x, n);
    x->ok = true;
}

void layer_end(struct layer *x) {
    session_release(&x->s);
}

bool layer_apart(const struct layer *x, int i) {
    return x->ok && !x->spot[i].bound;
}

bool layer_refuses(const struct layer *x, int i, const struct swizzle_choice *choice) {
    return x->ok && x->spot[i].given && choice->b > 0;
}

bool layer_asked(const struct layer *x, int i) {
    return x->ok && x->spot[i].asked;
}

int layer_asker(const struct layer *x, struct range at) {
    int low = 0, high = x->nasking;  // looks for the last one that begins at or before "at"
    while (low < high) {
        int mid = (low + high) / 2;
        const struct asking key = {.at = at};
        if (by_place(&x->asking[mid], &key) <= 0)
            low = mid + 1;
        else
            high = mid;
    }
    const struct asking *a = low > 0 ? &x->asking[low - 1] : NULL;
    return a && a->at.file == at.file && at.end <= a->at.end ? a->spot : -1;
}

bool layer_paired(const struct layer *x, int i) {
    return x->ok && x->spot[i].paired;
}

const struct tensor *layer_tensor(const struct layer *x, int i) {
    return x->ok && x->spot[i].n ? x->spot[i].t : NULL;
}

struct lay layer_layout(struct layer *x, int i) {
    const struct tensor *t = x->spot[i].t;
    struct lay l = t->layout;
    l.sw = (struct lay_swizzle){0, 0, 0};
    return t->stages ? lay_take(&x->s.lay, l, 0, lay_rank(l) - 1) : l;
}

static struct lay_swizzle swizzle_of(const struct swizzle_choice *y) {
    return (struct lay_swizzle){(int8_t)y->b, (int8_t)y->m, (int8_t)y->s};
}

static int64_t period_of(const struct swizzle_choice *y) {
    return y->b ? INT64_C(1) << (y->b + y->m + abs(y->s)) : 1;
}

// The cosize of one slot of buffer "i" in arrangement "y", in elements.
static int64_t slot_size(struct layer *x, int i, const struct swizzle_choice *y) {
    struct lay l = y->text ? lay_parse(&x->s.lay, y->text) : layer_layout(x, i);
    return lay_span(&x->s.lay, l).num;
}

bool layer_moves_slots(struct layer *x, int i, const struct swizzle_choice *choice) {
    return x->spot[i].t->stages && slot_size(x, i, choice) % period_of(choice) != 0;
}

// -- an arrangement -------------------------------------------------------------------------------

bool layer_arrange(struct layer *x, int i, const struct swizzle_choice *choice) {
    const struct spot *p = &x->spot[i];
    struct session_mark mark = session_mark(&x->s);
    int64_t one = slot_size(x, i, choice), period = period_of(choice);
    int64_t step = (one + period - 1) / period * period, at = 0;
    session_rewind(&x->s, mark);
    p->t->layout.sw = swizzle_of(choice);
    p->place[p->local].cosize = p->t->stages ? (p->t->stages - 1) * step + one : one;
    for (int j = p->local - 1; j >= 0; --j) {
        const struct tensor *t = p->k->local[j];
        if (!space_is_shared(t->space)) continue;
        at = t->smem_offset + t->smem_elements * t->elem->bits / 8;
        break;
    }
    bool same = false;  // whether the buffers from here on stay where they are
    for (int j = p->local; j < p->k->nlocal && !same; ++j) {
        struct tensor *t = p->k->local[j];
        int was = t->smem_offset;
        if (!space_is_shared(t->space)) continue;
        at = shared_behind(t, p->place[j].cosize, p->place[j].asked, at);
        same = j > p->local && t->smem_offset == was;
    }
    if (!same) p->k->smem_bytes = shared_counted(p->k, at);
    return p->t->smem_elements <= SHARED_MOST &&
           p->k->smem_bytes <= arch_shared_bytes(x->now.plan->arch);
}

// How many sides of its copies are this buffer.
static int sides_of(const struct layer *x, const struct spot *p) {
    int n = 0;
    for (int u = 0; u < p->n; ++u) {
        const struct copy *c = x->use[x->at[p->first + u]].c;
        n += (c->src.base == p->t) + (c->dst.base == p->t);
    }
    return n;
}

static bool count_use(struct layer *x, const struct spot *p, const struct use *use,
                      struct lay_swizzle sw, int64_t enough, struct tally *out) {
    struct session_mark mark = session_mark(&x->s);
    struct copy c = *use->c;
    c.facts = use->parted;
    if (p->paired && c.src.base->swizzle_auto) c.facts.src.sw = c.src.base->layout.sw;
    if (p->paired && c.dst.base->swizzle_auto) c.facts.dst.sw = c.dst.base->layout.sw;
    if (c.src.base == p->t) c.facts.src.sw = sw;
    if (c.dst.base == p->t) c.facts.dst.sw = sw;
    bool ok = vectorize_quietly(&x->s, use->k, &c);
    for (int src = 0; ok && src < 2; ++src)
        if (copy_side(&c, src)->base == p->t)
            tally_side(&x->s, &(struct costed){x->now.plan, use->k, &c, &c.facts, NULL}, src,
                       enough, out);
    session_rewind(&x->s, mark);
    return ok;
}

bool layer_count(struct layer *x, const struct layer *placed, int i,
                 const struct swizzle_choice *choice, const struct tally *best, int64_t work,
                 struct tally *out) {
    struct spot *p = &x->spot[i];
    const struct lay_swizzle sw = swizzle_of(choice);
    // with fewer copies counted than "best" the result is worse
    bool all = best && best->copies == sides_of(x, p);
    int64_t enough = all ? best->wavefronts : INT64_MAX, most = -1;
    int worst = 0;
    *out = (struct tally){0};
    p->t->smem_offset = placed->spot[i].t->smem_offset;
    p->t->smem_elements = placed->spot[i].t->smem_elements;
    for (int u = 0; u < p->n; ++u) {
        int n = u == 0 ? p->worst : u <= p->worst ? u - 1 : u;
        int64_t before = out->wavefronts;
        if (!count_use(x, p, &x->use[x->at[p->first + n]], sw, enough, out)) return false;
        if (out->work > work) return false;
        if (out->wavefronts - before > most) {
            most = out->wavefronts - before;
            worst = n;
        }
        if (all && out->copies < u + 1) break;
    }
    if (!best) p->worst = worst;
    return p->n > 0;
}
