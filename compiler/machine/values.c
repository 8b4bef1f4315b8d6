// Memory and registers of the machine, whose elements are tags: a half of the test of lowering on
// every compile.
#include "machine/values.h"

#include <stdlib.h>

#include "base/session.h"
#include "hw/sizes.h"
#include "image/elem.h"
#include "layout/algebra.h"
#include "machine/machine.h"
#include "machine/reach.h"
#include "machine/trace.h"

enum { FIRST_FLIGHTS = 1024, MOST_ELEMENTS = 128 };  // MOST_ELEMENTS: of one access

// An asynchronous access of one thread that was issued.
struct in_flight {
    const struct kir_node *node;
    int64_t thread, at, to;
    int read;         // elements that it reads; the others are filled
    int role, group;  // of the machine; number of the role's commits before it
};

struct values {
    struct image *img;
    const struct sample_set *what;
    const struct kir_kernel *k;
    const struct kir_trace *trace;  // or NULL
    bool full;                      // more pages were needed than allowed
    struct reach of;
    int64_t *stage;  // registers of all threads
    int64_t stage_cap;
    struct in_flight *flight;  // accesses in flight, in the order of issue
    int nflight, flight_cap;
};

// -- where ----------------------------------------------------------------------------------------

static int64_t buffer_id(const struct kir_buffer *b) {
    if (b->outside) return image_global(b->tensor);
    switch (b->space) {
    case MEM_GLOBAL: return image_global(b->tensor);
    case MEM_SHARED: return image_shared(b->tensor);
    case MEM_FRAG: return image_frag(b->tensor);
    case MEM_STAGE: break;
    }
    BUG("a stage is no memory");
}

static int64_t place(const struct kir_buffer *b, int64_t thread, int64_t at) {
    if (b->space != MEM_FRAG) return at;
    return image_own(thread, b->outside ? IMAGE_OUTSIDE : b->count, at);
}

// Whether another page is allowed; otherwise stops the machine.
static bool has_pages(struct values *v, struct machine *m) {
    int64_t made = v->img->made;
    if (!v->what->left || !v->what->pages) return true;
    if (v->trace) made += v->trace->writer->made + v->trace->readers->made;
    if (made <= v->what->pages) return true;
    v->full = true;
    return machine_fail(m, "more pages than there may be");
}

// -- accesses -------------------------------------------------------------------------------------

// The distances of the elements of an access to "b"; NULL: consecutive.
static inline const int64_t *step_in(const struct kir_node *n, const struct kir_buffer *b) {
    return n->apart == b ? n->step : NULL;
}

// The multiple at which an access must begin, in elements.
static inline int unit_of(const int64_t *step, int elements) {
    return step ? 1 : elements;
}

static inline int end_of(const int64_t *step, int elements) {
    return step ? 1 + (int)kir_step_to(step, elements - 1) : elements;
}

static inline void load(struct values *v, int64_t buf, int64_t off, const int64_t *step,
                        int elements, int64_t *tag) {
    if (elements == 1 || step)
        for (int e = 0; e < elements; ++e)
            tag[e] = image_load(v->img, buf, off + (step ? kir_step_to(step, e) : 0));
    else
        image_load_run(v->img, buf, off, elements, tag);
}

static inline void store(struct values *v, int64_t buf, int64_t off, const int64_t *step,
                         int elements, const int64_t *tag) {
    if (elements == 1 || step)
        for (int e = 0; e < elements; ++e)
            image_store(v->img, buf, off + (step ? kir_step_to(step, e) : 0), tag[e]);
    else
        image_store_run(v->img, buf, off, elements, tag);
}

// Converts "n" tags of elements of "from" to those of "to".
static void as_stored(const struct kir_buffer *from, const struct kir_buffer *to, int64_t *tag,
                      int n) {
    if (!kir_converts(from, to)) return;
    for (int e = 0; e < n; ++e) tag[e] = elem_convert_tag(tag[e], from->elem, to->elem);
}

// "read": how many elements to read; an asynchronous copy fills the others with its constant.
static void move(struct values *v, const struct kir_node *n, int64_t t, int64_t at, int64_t to,
                 int read) {
    int elements = n->bits / n->buf->elem->bits;
    const int64_t *from_step = step_in(n, n->buf), *to_step = step_in(n, n->to_buf);
    for (int done = 0, some; done < elements; done += some, at += some, to += some) {
        int64_t tag[MOST_ELEMENTS];
        some = n->align ? n->align / n->buf->elem->bits : elements;
        int here = read - done < some ? read - done : some;
        for (int e = here > 0 ? here : 0; e < some; ++e) tag[e] = image_constant(n->constant);
        if (here > 0) load(v, buffer_id(n->buf), place(n->buf, t, at), from_step, here, tag);
        for (int e = 0; n->reduces && e < some; ++e)
            tag[e] =
                image_reduced(n->reduces, image_load(v->img, buffer_id(n->to_buf), to + e), tag[e]);
        store(v, buffer_id(n->to_buf), place(n->to_buf, t, to), to_step, some, tag);
    }
}

// Whether an access of "elements" at "at" is aligned to them and begins at "end" or before.
static inline bool is_sure(int64_t at, int64_t end, int elements) {
    return at >= 0 && at <= end && (at & (elements - 1)) == 0;
}

// Whether a lane may access "elements" elements from "at" on.
static bool lane_access(struct values *v, struct machine *m, const struct kir_buffer *b, int64_t at,
                        int elements) {
    return is_sure(at, reach_sure(&v->of, b, elements), elements) ||
           reach_check(&v->of, m, b, at, elements, elements);
}

// The lanes of a warp move elements together: the node says which of the addressed elements each
// gets.
static bool move_together(struct values *v, struct machine *m, const struct machine_access *a) {
    const struct kir_node *n = a->node;
    const struct kir_together *x = n->together;
    int reads = x->src_bits / n->buf->elem->bits, writes = x->dst_bits / n->to_buf->elem->bits;
    int64_t tag[LANES * MOST_ELEMENTS];
    for (int64_t t = 0; t < m->k->threads; t += LANES) {
        int on = 0;
        for (int64_t l = 0; l < LANES && t + l < m->active; ++l) on += machine_goes_on(m, t + l);
        if (on == 0) continue;
        if (on < LANES)
            return machine_fail(m, "a warp's lanes do not all reach what they do together");
        for (int64_t l = t; l < t + x->src_lanes; ++l) {
            int64_t from = column_value(&a->from.at, l);
            if (!lane_access(v, m, n->buf, from, reads)) return false;
            load(v, buffer_id(n->buf), place(n->buf, l, from), NULL, reads, &tag[(l - t) * reads]);
        }
        for (int64_t l = t; l < t + x->dst_lanes; ++l) {
            int64_t mine[MOST_ELEMENTS], to = column_value(&a->to.at, l);
            for (int e = 0; e < writes; ++e) {
                int from = x->from[l - t + LANES * e];
                mine[e] = tag[from % LANES * reads + from / LANES];
            }
            if (!lane_access(v, m, n->to_buf, to, writes)) return false;
            store(v, buffer_id(n->to_buf), place(n->to_buf, l, to), NULL, writes, mine);
        }
    }
    return true;
}

static void issue(struct values *v, const struct machine *m, const struct kir_node *n, int64_t t,
                  int64_t at, int64_t to, int read) {
    if (v->what->early) {
        move(v, n, t, at, to, read);
        return;
    }
    if (v->nflight == v->flight_cap) {
        int cap = v->flight_cap ? 2 * v->flight_cap : FIRST_FLIGHTS;
        v->flight = memory_again(v->flight, sizeof *v->flight * (size_t)cap);
        v->flight_cap = cap;
    }
    v->flight[v->nflight++] = (struct in_flight){n, t, at, to, read, m->role, m->commits[m->role]};
}

// Completes all groups of the present role except the "pending" newest ones, or with "one" that which
// a barrier in memory has counted.
static void arrive(struct values *v, const struct machine *m, int pending, bool one) {
    int kept = 0;
    for (int i = 0; i < v->nflight; ++i) {
        const struct in_flight *f = &v->flight[i];
        bool own = m->role == 0 || f->role == m->role;
        if (one ? f->role == m->arrived_by && f->group == m->arrived
                : own && f->group < m->commits[f->role] - pending)
            move(v, f->node, f->thread, f->at, f->to, f->read);
        else
            v->flight[kept++] = *f;
    }
    v->nflight = kept;
}

static void wait(void *user, struct machine *m, struct arrival a) {
    if (a.kind == ARRIVAL_GROUP) arrive(user, m, a.count, false);
    if (a.kind == ARRIVAL_MEMORY) arrive(user, m, 0, true);
}

// An access from memory to memory.
static bool moves(struct values *v, struct machine *m, const struct machine_access *a) {
    const struct kir_node *n = a->node;
    if (n->together) return move_together(v, m, a);
    int elements = n->bits / n->buf->elem->bits;
    const int64_t *from_step = step_in(n, n->buf), *to_step = step_in(n, n->to_buf);
    int from_unit = unit_of(from_step, elements), to_unit = unit_of(to_step, elements);
    if (n->align) from_unit = to_unit = n->align / n->buf->elem->bits;
    int to_reach = end_of(to_step, elements), from_reach = end_of(from_step, elements);
    int64_t from_end = reach_sure(&v->of, n->buf, from_reach),
            to_end = reach_sure(&v->of, n->to_buf, to_reach);
    for (int64_t t = 0; t < m->active; ++t) {
        if (!machine_goes_on(m, t)) continue;
        int64_t from = column_value(&a->from.at, t), to = column_value(&a->to.at, t);
        bool idle = a->idle && a->idle[t];
        int reads = machine_reads(a, t, elements);
        if (!idle && !is_sure(from, from_end, from_unit) &&
            !reach_check(&v->of, m, n->buf, from, from_unit, from_step ? from_reach : reads))
            return false;
        if (!is_sure(to, to_end, to_unit) &&
            !reach_check(&v->of, m, n->to_buf, to, to_unit, to_reach))
            return false;
        if (n->kind == KIR_ASYNC)
            issue(v, m, n, t, from, to, reads);
        else
            move(v, n, t, from, to, reads);
    }
    return true;
}

// The first of "elements" registers of a thread, from number "at" on, or NULL.
static int64_t *register_of(struct values *v, struct machine *m, const struct kir_buffer *stage,
                            int64_t thread, int64_t at, int elements) {
    int64_t each = stage->count * (stage->access_bits / stage->elem->bits);
    if (at < 0 || at + elements > each) {
        machine_fail(m, "a register beyond its batch");
        return NULL;
    }
    int64_t slot = thread * each + at;
    if (slot + elements > v->stage_cap) {
        machine_fail(m, "a register that is not declared");
        return NULL;
    }
    return &v->stage[slot];
}

// An access between memory and registers.
static bool loads_or_stores(struct values *v, struct machine *m, const struct machine_access *a) {
    const struct kir_node *n = a->node;
    bool is_load = n->kind == KIR_LOAD;
    const struct column *where = is_load ? &a->from.at : &a->to.at;
    const struct column *slot = is_load ? &a->to.at : &a->from.at;
    int elements = n->bits / n->buf->elem->bits;
    const int64_t *step = step_in(n, n->buf), *turn = step_in(n, n->stage);
    bool turns = n->apart == n->stage;  // otherwise its index counts accesses
    if (!turns && n->stage->access_bits != elements * n->stage->elem->bits)
        return machine_fail(m, "as many elements are not stored as are loaded");
    bool converts = kir_converts(n->buf, n->stage);
    int unit = unit_of(step, elements), reach = end_of(step, elements);
    int64_t buf = buffer_id(n->buf), end = reach_sure(&v->of, n->buf, reach);
    for (int64_t t = 0; t < m->active; ++t) {
        if (!machine_goes_on(m, t)) continue;
        int64_t at = column_value(where, t);
        if (!is_sure(at, end, unit) && !reach_check(&v->of, m, n->buf, at, unit, reach))
            return false;
        int64_t place_of = column_value(slot, t) * (turns ? 1 : elements), mine[MOST_ELEMENTS];
        int64_t *tag = register_of(v, m, n->stage, t, place_of, end_of(turn, elements));
        if (!tag) return false;
        for (int e = 0; turns && e < elements; ++e) mine[e] = tag[kir_step_to(turn, e)];
        if (turns) tag = mine;
        at = place(n->buf, t, at);
        if (is_load) load(v, buf, at, step, elements, tag);
        if (converts && is_load) as_stored(n->buf, n->stage, tag, elements);
        if (converts && !is_load) as_stored(n->stage, n->buf, tag, elements);
        if (!is_load) store(v, buf, at, step, elements, tag);
    }
    return true;
}

static bool fills(struct values *v, struct machine *m, const struct machine_access *a) {
    const struct kir_node *n = a->node;
    int elements = n->bits / n->elem_bits;
    int64_t tag = image_constant(n->constant);
    for (int64_t t = 0; t < m->active; ++t) {
        if (!machine_goes_on(m, t)) continue;
        int64_t at = column_value(&a->to.at, t);
        if (n->stage) {
            int64_t *slot = register_of(v, m, n->stage, t, at * elements, elements);
            if (!slot) return false;
            for (int e = 0; e < elements; ++e) slot[e] = tag;
            continue;
        }
        const int64_t *step = step_in(n, n->to_buf);
        int unit = unit_of(step, elements), reach = end_of(step, elements);
        if (!reach_check(&v->of, m, n->to_buf, at, unit, reach)) return false;
        for (int e = 0; e < elements; ++e) {
            int64_t to = at + (step ? kir_step_to(step, e) : e);
            image_store(v->img, buffer_id(n->to_buf), place(n->to_buf, t, to), tag);
        }
    }
    return true;
}

static bool access(void *user, struct machine *m, const struct machine_access *a) {
    if (!has_pages(user, m)) return false;
    switch (a->node->kind) {
    case KIR_LOAD:
    case KIR_STORE: return loads_or_stores(user, m, a);
    case KIR_FILL: return fills(user, m, a);
    default: return moves(user, m, a);
    }
}

static bool wants(void *user, const struct kir_buffer *b) {
    (void)user;
    (void)b;
    return true;
}

static void registers(void *user, struct machine *m, const struct kir_buffer *stage) {
    struct values *v = user;
    int64_t need = stage->count * m->k->threads * (stage->access_bits / stage->elem->bits);
    if (need > v->stage_cap) {
        memory_free(v->stage);
        v->stage = memory_new(sizeof *v->stage * (size_t)need);
        v->stage_cap = need;
    }
    for (int64_t i = 0; i < v->stage_cap; ++i) v->stage[i] = IMAGE_POISON;
}

// -- calls ----------------------------------------------------------------------------------------

// Thread "t" called a function that wrote the elements of "a" from "at" on.
static void write_opaque(struct values *v, const struct kir_node *n, const struct kir_arg *a,
                         int64_t t, const struct machine_elements *x) {
    int64_t buf = buffer_id(a->buf), at = column_value(&x->at, t), count = x->count;
    const int64_t *off = x->off;
    bool swizzled = a->layout.sw.b != 0;
    for (int64_t e = 0; e < count;) {
        int64_t first = swizzled ? lay_swizzle_apply(a->layout.sw, at + off[e]) : at + off[e];
        int64_t to = place(a->buf, t, first), room = IMAGE_PAGE - (to & (IMAGE_PAGE - 1));
        int64_t *tag = image_at(v->img, buf, to, true), begin = e;
        do {
            tag[e - begin] = image_opaque(n->callee_id, a->place, to + e - begin);
            ++e;
        } while (!swizzled && e < count && off[e] == off[begin] + e - begin && e - begin < room);
    }
}

// What an extern function writes is unknown, so the elements that it may write become opaque.
static bool call(void *user, struct machine *m, const struct kir_node *n) {
    for (int i = 0; i < n->nargs; ++i) {
        const struct kir_arg *a = &n->arg[i];
        struct machine_elements x;
        if (!a->written) continue;
        if (!machine_elements(m, a, &x)) return false;
        for (int64_t t = 0; t < m->active; ++t) {
            if (!has_pages(user, m)) return false;
            if (machine_goes_on(m, t)) write_opaque(user, n, a, t, &x);
        }
    }
    return true;
}

// -- blocks ---------------------------------------------------------------------------------------

// The plan's own loops may be sampled.  Loops inside a copy, whose variables lowering made, may
// not.
static int loop(void *user, const struct kir_node *n, int64_t begin, int64_t *end,
                int64_t pick[SAMPLE_AXIS]) {
    const struct values *v = user;
    if (n->whole || n->var->id >= v->k->first_own_var) return -1;
    return sample_axis(*end - begin, pick);
}

static int64_t let(void *user, const struct kir_node *n, int depth, int64_t value, int64_t most) {
    (void)user;
    (void)n;
    (void)depth;
    return value < most ? value : most;
}

static bool run_block(struct values *v, struct machine *m, const int64_t block[3]) {
    image_drop_local(v->img);
    bool ok = machine_run(m, block);
    for (int i = 0; i < MACHINE_ROLES; ++i) ++m->commits[i];
    arrive(v, m, 0, false);  // what the program did not wait for is completed too
    ++m->block;
    return ok;
}

static void run_blocks(struct values *v, struct machine *m, const int64_t grid[3], int64_t total) {
    if (!v->what->all_blocks) {
        int64_t block[SAMPLE_BLOCKS][3];
        int n = sample_chosen(v->what, grid, block);
        for (int i = 0; i < n && run_block(v, m, block[i]); ++i) {
        }
        return;
    }
    bool ok = true;
    for (int64_t i = 0; ok && i < total && m->operations < m->schedule->limit; ++i) {
        int64_t b[3] = {i % grid[0], i / grid[0] % grid[1], i / grid[0] / grid[1]};
        ok = run_block(v, m, b);
    }
}

bool kir_has_ends(const struct kir_kernel *k, const int64_t *sym) {
    struct ix_env env = {NULL, sym};
    int64_t span;
    for (int i = 0; i < k->ntensors; ++i)
        if (!ix_eval(k->tensor[i].span, &env, &span)) return false;
    return true;
}

const char *kir_run(struct session *s, const struct kir_kernel *k, const int64_t *sym,
                    const struct sample_set *what, struct image *img, struct kir_trace *trace) {
    struct values v = {.img = img, .what = what, .k = k, .trace = trace};
    int64_t *span = ARENA_ARRAY(&s->arena, int64_t, k->ntensors + 1);
    v.of = (struct reach){k, span};
    int64_t grid[3], total = 1;
    for (int i = 0; i < 3; ++i) {
        if (!lay_int_eval(k->grid[i], sym, &grid[i])) return "the grid has no value";
        if (grid[i] < 0 || __builtin_mul_overflow(total, grid[i], &total))
            return "the grid is too large";
    }
    for (int i = 0; i < k->ntensors; ++i) {
        struct ix_env env = {NULL, sym};
        if (!ix_eval(k->tensor[i].span, &env, &span[i])) return "a tensor has no end";
    }
    struct observer observer[2] = {
        {&v, .wants = wants, .access = access, .call = call, .registers = registers, .wait = wait}};
    if (trace) observer[1] = trace_observer(trace);
    struct schedule schedule = {.user = &v,
                                .loop = what->all_iterations ? NULL : loop,
                                .let = what->all_iterations ? NULL : let,
                                .last_first = !what->early,
                                .limit = what->left ? *what->left : INT64_MAX};
    struct machine m;
    machine_init(&m, s, k, sym, &schedule, observer, trace ? 2 : 1);
    run_blocks(&v, &m, grid, total);
    memory_free(v.stage);
    memory_free(v.flight);
    machine_release(&m);
    if (what->left) *what->left -= v.full ? *what->left : m.operations;
    return v.full ? NULL : m.error;
}
