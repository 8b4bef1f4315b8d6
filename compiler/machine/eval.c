// Executing Kernel IR on tagged memory: the other half of the test of lowering that every compile
// makes.
#include "machine/eval.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/session.h"
#include "image/elem.h"
#include "layout/algebra.h"
#include "machine/columns.h"

enum { FIRST_MIX = 30, SECOND_MIX = 27, LAST_MIX = 31, MARK_UNUSED = 2 };  // splitmix64, 62 bits
enum { FIRST_FLIGHTS = 1024 };

struct run {
    struct session *s;
    const struct kir_kernel *k;
    const struct sample_set *what;
    struct image *img;
    struct columns *columns;
    int64_t active;  // threads below this go on
    bool *off;       // but for these; NULL: all do
    const int64_t *sym;
    int64_t *span;   // of global tensors, by place in k->tensor
    int64_t *stage;  // of all threads
    int64_t stage_cap;
    struct kir_trace *trace;   // or NULL
    bool early;                // asynchronous copies at once, else when they are waited for
    struct in_flight *flight;  // those that are in flight, in order
    int nflight, flight_cap, commits;
    int64_t block;  // number of the one that runs
    const char *error;
};

// An asynchronous access of one thread that has been issued.
struct in_flight {
    const struct kir_node *node;
    int64_t thread, at, to;
    int read;   // elements, the others are filled
    int group;  // commits before it
};

static bool fail(struct run *r, const char *why) {
    if (!r->error) r->error = why;
    return false;
}

// The value for each thread below "active" that is not "off".
static bool value_for(struct run *r, const struct ix *e, int64_t active, const bool *off,
                      struct column *out) {
    if (columns_eval(r->columns, e, active, off, out)) return true;
    return fail(r, arena_printf(&r->s->arena, "'%s' has no value", ix_text(r->s, e)));
}

static bool value_of(struct run *r, const struct ix *e, struct column *out) {
    return value_for(r, e, r->active, r->off, out);
}

static bool goes_on(const struct run *r, int64_t t) {
    return !r->off || !r->off[t];
}

static bool run_list(struct run *r, const struct kir_node *list);

// The body for those threads whose index is below the count.
static bool run_guard(struct run *r, const struct kir_node *n) {
    bool *before = r->off;
    struct arena_mark mark = arena_mark(&r->s->arena);
    struct column x;
    if (!value_of(r, n->index, &x)) return false;
    bool *off = ARENA_ARRAY(&r->s->arena, bool, r->k->threads);
    for (int64_t t = 0; t < r->active; ++t)
        off[t] = column_value(&x, t) >= n->count || (before && before[t]);
    r->off = off;
    bool ok = run_list(r, n->body);
    r->off = before;
    if (ok) arena_rewind(&r->s->arena, mark);
    return ok;
}

static int64_t buffer_id(const struct kir_buffer *b, int64_t thread) {
    if (b->outside) return image_global(b->tensor);
    switch (b->space) {
    case KIR_GLOBAL: return image_global(b->tensor);
    case KIR_SHARED: return image_shared(b->tensor);
    case KIR_FRAG: return image_frag(b->tensor, (int)thread);
    case KIR_STAGE: break;
    }
    BUG("a stage is no memory");
}

// Where the bytes of a shared buffer end: at the next buffer, or where the block's do.
static int64_t shared_end(const struct kir_kernel *k, const struct kir_buffer *b) {
    int64_t end = k->smem_bytes;
    for (int i = 0; i < k->nbuffers; ++i) {
        const struct kir_buffer *o = k->buffer[i];
        if (o->space == KIR_SHARED && o->smem_offset > b->smem_offset && o->smem_offset < end)
            end = o->smem_offset;
    }
    return end;
}

// Elements of a global tensor, from its pointer on.
static int64_t span_of(const struct run *r, const struct kir_buffer *b) {
    for (int i = 0; i < r->k->ntensors; ++i) {
        if (r->k->tensor[i].id == b->tensor) return r->span[i];
    }
    return INT64_MAX;  // a device function's: its caller's affair
}

// Where an access of "elements" to "b" is in order; an access elsewhere may be.
static int64_t sure_of(const struct run *r, const struct kir_buffer *b, int elements) {
    int64_t count = b->space == KIR_GLOBAL ? span_of(r, b) : b->count;
    if (b->outside) return INT64_MAX - elements;
    if (b->space == KIR_SHARED) {
        int64_t end = (shared_end(r->k, b) - b->smem_offset) * 8 / b->elem_bits;
        if (end < count) count = end;
    }
    return count - elements;
}

// An access must lie at a multiple of its width; "touched" elements of it inside what they are of.
static bool check_access(struct run *r, const struct kir_buffer *b, int64_t at, int elements,
                         int touched) {
    if (at % elements != 0) {
        return fail(r, arena_printf(&r->s->arena,
                                    "element %" PRId64
                                    " of '%s' is not at a multiple of the %d of an access",
                                    at, b->name, elements));
    }
    int64_t count = b->space == KIR_GLOBAL ? span_of(r, b) : b->count;
    if (at < 0 || (!b->outside && at + touched > count)) {
        return fail(r, arena_printf(&r->s->arena, "element %" PRId64 " lies outside '%s'", at,
                                    b->name));
    }
    if (b->space == KIR_SHARED && !b->outside &&
        b->smem_offset + (at + touched) * b->elem_bits / 8 > shared_end(r->k, b)) {
        return fail(r, arena_printf(&r->s->arena,
                                    "element %" PRId64 " lies beyond the shared memory of '%s'", at,
                                    b->name));
    }
    return true;
}

static int64_t place(const struct kir_buffer *b, int64_t thread, int64_t at) {
    return b->outside && b->space == KIR_FRAG ? image_outside((int)thread, at) : at;
}

// Spreads block and thread over 62 bits, so that sums of different readers differ.
static int64_t reader_mark(int64_t block, int64_t thread) {
    uint64_t x = (uint64_t)kir_writer(block, thread) + 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> FIRST_MIX)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> SECOND_MIX)) * 0x94d049bb133111ebu;
    return (int64_t)((x ^ (x >> LAST_MIX)) >> MARK_UNUSED);
}

// "reads" of its elements; they are the first ones.
static void trace_access(struct run *r, const struct kir_node *n, int64_t t, int64_t at, int64_t to,
                         int elements, int reads) {
    const struct kir_buffer *read = n->kind == KIR_STORE ? NULL : n->buf;
    const struct kir_buffer *written = n->kind == KIR_LOAD    ? NULL
                                       : n->kind == KIR_STORE ? n->buf
                                                              : n->to_buf;
    int64_t where = n->kind == KIR_MOVE || n->kind == KIR_ASYNC ? to : at;
    for (int e = 0; e < elements; ++e) {
        if (read && read->space == KIR_GLOBAL && e < reads) {
            int64_t buf = image_global(read->tensor),
                    sum = image_load(r->trace->readers, buf, at + e);
            uint64_t mark =
                (uint64_t)reader_mark(r->block, t) + (sum == IMAGE_POISON ? 0 : (uint64_t)sum);
            image_store(r->trace->readers, buf, at + e, (int64_t)(mark & INT64_MAX));
        }
        if (written && written->space == KIR_GLOBAL) {
            image_store(r->trace->writer, image_global(written->tensor), where + e,
                        kir_writer(r->block, t));
        }
    }
}

static inline void load(struct run *r, int64_t buf, int64_t off, int elements, int64_t *tag) {
    if (elements == 1)
        *tag = image_load(r->img, buf, off);
    else
        image_load_run(r->img, buf, off, elements, tag);
}

static inline void store(struct run *r, int64_t buf, int64_t off, int elements,
                         const int64_t *tag) {
    if (elements == 1)
        image_store(r->img, buf, off, *tag);
    else
        image_store_run(r->img, buf, off, elements, tag);
}

// Makes "n" tags of elements of "from" those of "to".
static void as_stored(const struct kir_buffer *from, const struct kir_buffer *to, int64_t *tag,
                      int n) {
    if (!kir_converts(from, to)) return;
    const struct elem_type *a = elem_type_find(from->elem), *b = elem_type_find(to->elem);
    for (int e = 0; e < n; ++e) tag[e] = elem_convert_tag(tag[e], a, b);
}

// "read": elements, those behind them an asynchronous copy fills with its constant.
static void move(struct run *r, const struct kir_node *n, int64_t t, int64_t at, int64_t to,
                 int read) {
    int64_t tag[128];
    int elements = n->bits / n->buf->elem_bits;
    for (int e = read; e < elements; ++e) tag[e] = image_constant(n->constant);
    if (read) load(r, buffer_id(n->buf, t), place(n->buf, t, at), read, tag);
    store(r, buffer_id(n->to_buf, t), place(n->to_buf, t, to), elements, tag);
}

// -- asynchronous copies --------------------------------------------------------------------------

static bool issue(struct run *r, const struct kir_node *n, int64_t t, int64_t at, int64_t to,
                  int read) {
    if (r->early) {
        move(r, n, t, at, to, read);
        return true;
    }
    if (r->nflight == r->flight_cap) {
        int cap = r->flight_cap ? 2 * r->flight_cap : FIRST_FLIGHTS;
        r->flight = memory_again(r->flight, sizeof *r->flight * (size_t)cap);
        r->flight_cap = cap;
    }
    r->flight[r->nflight++] = (struct in_flight){n, t, at, to, read, r->commits};
    return true;
}

// Ends the groups before the "pending" newest ones.
static void arrive(struct run *r, int pending) {
    int kept = 0;
    for (int i = 0; i < r->nflight; ++i) {
        const struct in_flight *f = &r->flight[i];
        if (f->group < r->commits - pending)
            move(r, f->node, f->thread, f->at, f->to, f->read);
        else
            r->flight[kept++] = *f;
    }
    r->nflight = kept;
}

// Adds to "off" the threads for which a condition of "n" does not hold.
static bool leave_out(struct run *r, const struct kir_node *n, bool *off) {
    for (int i = 0; i < n->nconds; ++i) {
        struct column a, b;
        if (!value_for(r, n->cond[i].a, r->k->threads, off, &a) ||
            !value_for(r, n->cond[i].b, r->k->threads, off, &b))
            return false;
        for (int64_t t = 0; t < r->k->threads; ++t)
            off[t] = off[t] || column_value(&a, t) >= column_value(&b, t);
    }
    return true;
}

// How many elements each thread reads that is not "idle"; one that reads none becomes it.
static bool read_by(struct run *r, const struct kir_node *n, bool *idle, int *read) {
    struct column a, b;
    if (!value_for(r, n->cut->a, r->k->threads, idle, &a) ||
        !value_for(r, n->cut->b, r->k->threads, idle, &b))
        return false;
    for (int64_t t = 0; t < r->k->threads; ++t) {
        if (idle[t]) continue;
        read[t] = kir_cut(n, column_value(&a, t), column_value(&b, t));
        idle[t] = read[t] == 0;
    }
    return true;
}

// "idle": threads that read nothing, NULL: none.  "read": elements that each other thread reads,
// NULL: all.
static bool access_by(struct run *r, const struct kir_node *n, const bool *idle, const int *read) {
    bool moves = n->kind == KIR_MOVE || n->kind == KIR_ASYNC;
    int elements = n->bits / n->buf->elem_bits;
    struct column at, to;  // to: or the register
    if (!moves && n->stage->access_bits != elements * n->stage->elem_bits)
        return fail(r, "as many elements are not stored as are loaded");
    if (!value_for(r, n->at, r->active, idle ? idle : r->off, &at) ||
        !value_of(r, moves ? n->to_at : n->stage_at, &to))
        return false;
    bool own = n->buf->space == KIR_FRAG;  // each thread's
    bool converts = !moves && kir_converts(n->buf, n->stage);
    int64_t buf = buffer_id(n->buf, 0);
    int64_t at_end = sure_of(r, n->buf, elements);
    int64_t to_end = moves ? sure_of(r, n->to_buf, elements) : n->stage->count - 1;
    int64_t room = moves ? 0 : r->stage_cap / elements;
    for (int64_t t = 0; t < r->active; ++t) {
        if (!goes_on(r, t)) continue;
        int64_t from = column_value(&at, t), where = column_value(&to, t);
        bool sure = from >= 0 && from <= at_end && (from & (elements - 1)) == 0;
        bool none = idle && idle[t];
        int reads = none ? 0 : read ? read[t] : elements;
        if (!none && !sure && !check_access(r, n->buf, from, elements, reads)) return false;
        if (moves) {
            sure = where >= 0 && where <= to_end && (where & (elements - 1)) == 0;
            if (!sure && !check_access(r, n->to_buf, where, elements, elements)) return false;
        } else {
            if (where < 0 || where > to_end) return fail(r, "a register beyond its batch");
            where += t * n->stage->count;
            if (where >= room) return fail(r, "a register that is not declared");
        }
        if (r->trace) trace_access(r, n, t, from, where, elements, reads);
        if (n->kind == KIR_ASYNC) {
            if (!issue(r, n, t, from, where, reads)) return false;
        } else if (n->kind == KIR_MOVE) {
            move(r, n, t, from, where, reads);
        } else {
            int64_t *stage = &r->stage[where * elements];
            if (own) {
                buf = buffer_id(n->buf, t);
                from = place(n->buf, t, from);
            }
            if (n->kind == KIR_LOAD) {
                load(r, buf, from, elements, stage);
                if (converts) as_stored(n->buf, n->stage, stage, elements);
            } else {
                if (converts) as_stored(n->stage, n->buf, stage, elements);
                store(r, buf, from, elements, stage);
            }
        }
    }
    return true;
}

static bool run_access(struct run *r, const struct kir_node *n) {
    if (n->nconds == 0 && !n->cut) return access_by(r, n, NULL, NULL);
    struct arena_mark mark = arena_mark(&r->s->arena);
    bool *idle = ARENA_ARRAY(&r->s->arena, bool, r->k->threads);
    for (int64_t t = 0; t < r->k->threads; ++t) idle[t] = t >= r->active || !goes_on(r, t);
    int *read = n->cut ? ARENA_ARRAY(&r->s->arena, int, r->k->threads) : NULL;
    if (!leave_out(r, n, idle) || (read && !read_by(r, n, idle, read)) ||
        !access_by(r, n, idle, read))
        return false;
    arena_rewind(&r->s->arena, mark);
    return true;
}

// Brings the offsets that go along with loop "n" to its next iteration, or its first.
static bool run_carry(struct run *r, const struct kir_node *n, bool first) {
    for (int j = 0; j < n->ncarries; ++j) {
        const struct kir_carry *c = &n->carry[j];
        struct column by;
        if (!value_for(r, first ? c->first : c->step, r->k->threads, r->off, &by)) return false;
        if (first)
            columns_let(r->columns, c->var, &by, r->off);
        else if (!columns_add(r->columns, c->var, &by, r->off))
            return fail(r, "an offset that goes along with a loop goes too far");
    }
    return true;
}

static bool run_fill(struct run *r, const struct kir_node *n) {
    int elements = n->bits / n->elem_bits;
    int64_t tag = image_constant(n->constant);
    struct column to;
    if (!value_of(r, n->stage ? n->stage_at : n->to_at, &to)) return false;
    for (int64_t t = 0; t < r->active; ++t) {
        if (!goes_on(r, t)) continue;
        int64_t at = column_value(&to, t);
        if (n->stage) {
            int64_t slot = (t * n->stage->count + at) * elements;
            if (at < 0 || at >= n->stage->count || slot + elements > r->stage_cap)
                return fail(r, "a register beyond its batch");
            for (int e = 0; e < elements; ++e) r->stage[slot + e] = tag;
            continue;
        }
        if (!check_access(r, n->to_buf, at, elements, elements)) return false;
        for (int e = 0; e < elements; ++e)
            image_store(r->img, buffer_id(n->to_buf, t), place(n->to_buf, t, at + e), tag);
    }
    return true;
}

static bool run_loop(struct run *r, const struct kir_node *n) {
    struct column first, last;
    int64_t pick[SAMPLE_AXIS];
    if (!value_for(r, n->begin, 1, NULL, &first) || !value_for(r, n->end, 1, NULL, &last))
        return false;
    int64_t begin = column_value(&first, 0), end = column_value(&last, 0);
    // the plan's own loops may be sampled, those inside a copy may not: their variables are
    // lowering's
    bool all =
        r->what->all_iterations || n->whole || n->unroll || n->var->id >= r->k->first_own_var;
    if (all) {
        for (int64_t i = begin; i < end; ++i) {
            columns_set(r->columns, n->var, i);
            for (int j = 0; j < n->nrings; ++j)
                columns_set(r->columns, n->ring[j].var,
                            (n->ring[j].first + i - begin) % n->ring[j].size);
            if (!run_carry(r, n, i == begin)) return false;
            if (!run_list(r, n->body)) return false;
        }
        return true;
    }
    int count = sample_axis(end - begin, pick);
    for (int i = 0; i < count; ++i) {
        columns_set(r->columns, n->var, begin + pick[i]);
        if (!run_list(r, n->body)) return false;
    }
    return true;
}

// Where the elements of an argument lie from its first on, without its swizzle, and how many there
// are.
static const int64_t *elements_of(struct run *r, const struct kir_arg *a, int64_t *count) {
    struct lay_int n = lay_size(&r->s->lay, a->layout);
    struct lay plain = lay_inner(a->layout);
    if (!lay_int_static(n)) {
        fail(r, "an argument whose size is not known");
        return NULL;
    }
    int64_t *off = ARENA_ARRAY(&r->s->arena, int64_t, n.num + 1);
    for (int64_t e = 0; e < n.num; ++e) {
        if (lay_eval(&r->s->lay, plain, e, &off[e])) continue;
        fail(r, "an argument without values");
        return NULL;
    }
    *count = n.num;
    return off;
}

// Thread "t" has called a function that wrote the elements of "a" from "at" on.
static void write_opaque(struct run *r, const struct kir_node *n, const struct kir_arg *a,
                         int64_t t, int64_t at, const int64_t *off, int64_t count) {
    int64_t buf = buffer_id(a->buf, t);
    bool swizzled = a->layout.sw.b != 0;
    for (int64_t e = 0; e < count;) {
        int64_t first = swizzled ? lay_swizzle_apply(a->layout.sw, at + off[e]) : at + off[e];
        int64_t to = place(a->buf, t, first), room = IMAGE_PAGE - (to & (IMAGE_PAGE - 1));
        int64_t *tag = image_at(r->img, buf, to, true), begin = e;
        do {
            tag[e - begin] = image_opaque(n->callee_id, a->place, to + e - begin);
            ++e;
        } while (!swizzled && e < count && off[e] == off[begin] + e - begin && e - begin < room);
    }
}

// What an extern function writes is its own affair; that it may have written is not.
static bool run_call(struct run *r, const struct kir_node *n) {
    struct arena_mark mark = arena_mark(&r->s->arena);
    for (int i = 0; i < n->nargs; ++i) {
        const struct kir_arg *a = &n->arg[i];
        struct column at;
        int64_t count;
        if (!a->written) continue;
        const int64_t *off = elements_of(r, a, &count);
        if (!off || !value_of(r, a->at, &at)) return false;
        for (int64_t t = 0; t < r->active; ++t) {
            if (goes_on(r, t)) write_opaque(r, n, a, t, column_value(&at, t), off, count);
        }
    }
    arena_rewind(&r->s->arena, mark);
    return true;
}

// The threads for which all conditions of "n" hold take its body, the others its other way.
static bool run_if(struct run *r, const struct kir_node *n) {
    int64_t threads = r->k->threads, on = 0, hold = 0;
    struct arena_mark mark = arena_mark(&r->s->arena);
    bool *before = r->off, ok = true;
    bool *off = ARENA_ARRAY(&r->s->arena, bool, threads);
    bool *other = ARENA_ARRAY(&r->s->arena, bool, threads);
    for (int64_t t = 0; t < threads; ++t) {
        other[t] = off[t] = t >= r->active || !goes_on(r, t);
        on += !off[t];
    }
    if (!leave_out(r, n, off)) return false;
    for (int64_t t = 0; t < threads; ++t) {
        other[t] = other[t] || !off[t];
        hold += !off[t];
    }
    if (hold > 0) {
        r->off = hold == on ? before : off;
        ok = run_list(r, n->body);
    }
    if (hold < on && ok) {
        r->off = hold == 0 ? before : other;
        ok = run_list(r, n->orelse);
    }
    r->off = before;
    if (ok) arena_rewind(&r->s->arena, mark);
    return ok;
}

static bool run_let(struct run *r, const struct kir_node *n) {
    int64_t threads = r->k->threads;
    struct column x, most;
    if (!value_for(r, n->index, threads, r->off, &x)) return false;
    if (!n->sampled || r->what->all_iterations) {
        columns_let(r->columns, n->var, &x, r->off);
        return true;
    }
    if (!value_for(r, n->sampled, threads, r->off, &most)) return false;
    struct arena_mark mark = arena_mark(&r->s->arena);
    int64_t *least = ARENA_ARRAY(&r->s->arena, int64_t, threads);
    struct column column = {.at = least};
    for (int64_t t = 0; t < threads; ++t) {
        int64_t a = column_value(&x, t), b = column_value(&most, t);
        least[t] = a < b ? a : b;
    }
    if (!x.at && !most.at) column = (struct column){.base = least[0]};
    columns_let(r->columns, n->var, &column, r->off);
    arena_rewind(&r->s->arena, mark);
    return true;
}

static bool run_list(struct run *r, const struct kir_node *list) {
    for (const struct kir_node *n = list; n; n = n->next) {
        int64_t before = r->active;
        switch (n->kind) {
        case KIR_COMMENT:
        case KIR_BARRIER: break;
        case KIR_COMMIT: ++r->commits; break;
        case KIR_WAIT: arrive(r, n->pending); break;
        case KIR_LET:
            if (!run_let(r, n)) return false;
            break;
        case KIR_FOR:
            if (!run_loop(r, n)) return false;
            break;
        case KIR_GUARD:
            if (n->index) {
                if (!run_guard(r, n)) return false;
                break;
            }
            if (n->count < r->active) r->active = n->count;
            if (!run_list(r, n->body)) return false;
            r->active = before;
            break;
        case KIR_IF:
            if (!run_if(r, n)) return false;
            break;
        case KIR_BLOCK:
            if (!run_list(r, n->body)) return false;
            break;
        case KIR_STAGE_DECL: {
            int64_t need =
                n->stage->count * r->k->threads * (n->stage->access_bits / n->stage->elem_bits);
            if (need > r->stage_cap) {
                memory_free(r->stage);
                r->stage = memory_new(sizeof *r->stage * (size_t)need);
                r->stage_cap = need;
            }
            for (int64_t i = 0; i < r->stage_cap; ++i) r->stage[i] = IMAGE_POISON;
            break;
        }
        case KIR_CALL:
            if (!run_call(r, n)) return false;
            break;
        case KIR_FILL:
            if (!run_fill(r, n)) return false;
            break;
        case KIR_LOAD:
        case KIR_STORE:
        case KIR_MOVE:
        case KIR_ASYNC:
            if (!run_access(r, n)) return false;
            break;
        }
    }
    return true;
}

static bool run_block(struct run *r, const int64_t block[3]) {
    columns_set_thread(r->columns, r->k->tid);
    for (int i = 0; i < 3; ++i) {
        if (r->k->block[i]) columns_set(r->columns, r->k->block[i], block[i]);
    }
    image_drop_local(r->img);
    r->active = r->k->threads;
    r->off = NULL;
    bool ok = run_list(r, r->k->body);
    ++r->commits;
    arrive(r, 0);  // what nobody waited for arrives all the same
    ++r->block;
    return ok;
}

const char *kir_run(struct session *s, const struct kir_kernel *k, const int64_t *sym,
                    const struct sample_set *what, struct image *img) {
    return kir_run_traced(s, k, sym, what, img, NULL);
}

const char *kir_run_traced(struct session *s, const struct kir_kernel *k, const int64_t *sym,
                           const struct sample_set *what, struct image *img,
                           struct kir_trace *trace) {
    struct run r = {
        .s = s, .k = k, .what = what, .img = img, .sym = sym, .trace = trace, .early = what->early};
    int64_t grid[3], total = 1;
    for (int i = 0; i < 3; ++i) {
        if (!lay_int_eval(k->grid[i], sym, &grid[i])) return "the grid has no value";
        if (grid[i] < 0 || __builtin_mul_overflow(total, grid[i], &total))
            return "the grid is too large";
    }
    r.span = ARENA_ARRAY(&s->arena, int64_t, k->ntensors + 1);
    for (int i = 0; i < k->ntensors; ++i) {
        struct ix_env env = {NULL, sym};
        if (!ix_eval(k->tensor[i].span, &env, &r.span[i])) return "a tensor has no end";
    }
    r.columns = columns_new(s, k->threads, sym);
    if (what->all_blocks) {
        bool ok = true;
        for (int64_t i = 0; ok && i < total; ++i) {
            int64_t b[3] = {i % grid[0], i / grid[0] % grid[1], i / grid[0] / grid[1]};
            ok = run_block(&r, b);
        }
    } else {
        int64_t block[SAMPLE_BLOCKS][3];
        int n = sample_chosen(what, grid, block);
        for (int i = 0; i < n && run_block(&r, block[i]); ++i) {
        }
    }
    memory_free(r.stage);
    memory_free(r.flight);
    columns_free(r.columns);
    return r.error;
}
