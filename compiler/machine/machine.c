// Walks through Kernel IR for the threads of a block (see machine.h).
#include "machine/machine.h"

#include <string.h>

#include "base/session.h"
#include "base/trap.h"
#include "layout/algebra.h"
#include "machine/private.h"
#include "machine/typed.h"

bool machine_fail(struct machine *m, const char *why) {
    if (!m->error) m->error = why;
    return false;
}

// -- values ---------------------------------------------------------------------------------------

// Evaluates "e" for each thread below "active" that is not "off".
static bool value_for(struct machine *m, const struct ix *e, int64_t active, const bool *off,
                      struct column *out) {
    if (columns_eval(m->columns, e, active, off, out)) return true;
    bool narrow = columns_overflow_32(m->columns);
    if (!m->error) *(narrow ? &m->too_narrow : &m->no_value) = true;
    return machine_fail(m, arena_printf(&m->s->arena, "'%s' has no value%s", ix_text(m->s, e),
                                        narrow ? " in 32 bits" : ""));
}

static bool too_narrow(struct machine *m, const struct ix_var *v) {
    m->too_narrow = !m->error;
    return machine_fail(m,
                        arena_printf(&m->s->arena, "'%s' does not fit into its 32 bits", v->name));
}

// Whether the value of "v" fits "bits" bits.
static bool fits(struct machine *m, const struct ix_var *v, int bits) {
    return columns_hold(m->columns, v, bits, m->active, m->off) || too_narrow(m, v);
}

bool machine_value(struct machine *m, const struct ix *e, struct column *out) {
    return value_for(m, e, m->active, m->off, out);
}

bool machine_common(struct machine *m, const struct ix *e, int64_t *out) {
    struct column x;
    int64_t first = 0;  // other threads may not have the variables of this role
    while (m->role && first + 1 < m->active && m->off[first]) ++first;
    if (!value_for(m, e, first + 1, m->role ? m->off : NULL, &x)) return false;
    *out = column_value(&x, first);
    return true;
}

// The inactive threads, as an array in the arena.
bool *machine_left_out(struct machine *m) {
    bool *off = ARENA_ARRAY(&m->s->arena, bool, m->k->threads);
    if (m->off) memcpy(off, m->off, (size_t)m->active * sizeof *off);
    for (int64_t t = m->active; t < m->k->threads; ++t) off[t] = true;
    return off;
}

// Adds to "off" the threads whose "a" is not less than "b".
static void leave_out_above(const struct machine *m, const struct column *a, const struct column *b,
                            bool *off) {
    bool same = !a->at && !b->at;
    if (same && a->base < b->base) return;
    for (int64_t t = 0; t < m->k->threads; ++t)
        off[t] |= same || column_value(a, t) >= column_value(b, t);
}

static void leave_out_below(struct machine *m, const struct column *a, const struct column *b,
                            bool *off) {
    for (int64_t t = 0; t < m->k->threads; ++t) off[t] |= column_value(a, t) < column_value(b, t);
}

// .. and those for which a condition of "n" does not hold.
bool machine_leave_out(struct machine *m, const struct kir_node *n, bool *off) {
    struct column a, b = {.base = n->count};
    int64_t threads = m->k->threads;
    if (n->kind == KIR_GUARD) {
        if (!value_for(m, n->index, threads, off, &a)) return false;
        leave_out_above(m, &a, &b, off);
        return true;
    }
    for (int i = 0; i < n->nconds; ++i) {
        if (!value_for(m, n->cond[i].a, threads, off, &a) ||
            !value_for(m, n->cond[i].b, threads, off, &b))
            return false;
        if (n->cond[i].least)
            leave_out_below(m, &a, &b, off);
        else
            leave_out_above(m, &a, &b, off);
    }
    return true;
}

// -- accesses -------------------------------------------------------------------------------------

// Sets "read" to how many elements each thread reads that is not "idle"; one that reads none
// becomes idle.
static bool read_by(struct machine *m, const struct kir_node *n, bool *idle, int *read) {
    struct column a, b;
    if (!value_for(m, n->cut->a, m->k->threads, idle, &a) ||
        !value_for(m, n->cut->b, m->k->threads, idle, &b))
        return false;
    for (int64_t t = 0; t < m->k->threads; ++t) {
        if (idle[t]) continue;
        read[t] = kir_cut(n, column_value(&a, t), column_value(&b, t));
        idle[t] = read[t] == 0;
    }
    return true;
}

const struct kir_buffer *machine_wanted(const struct machine *m, const struct kir_buffer *b) {
    for (int i = 0; b && i < m->nobservers; ++i) {
        const struct observer *o = &m->observer[i];
        if (o->wants && o->wants(o->user, b)) return b;
    }
    return NULL;
}

static bool run_access(struct machine *m, const struct kir_node *n) {
    bool stores = n->kind == KIR_STORE, fills = n->kind == KIR_FILL, moves = n->to_buf != NULL;
    const struct kir_buffer *from = stores ? n->stage : fills ? NULL : n->buf;
    const struct kir_buffer *to = stores ? n->buf : moves ? n->to_buf : n->stage;
    const struct ix *from_at = stores ? n->stage_at : n->at;
    const struct ix *to_at = stores ? n->at : moves ? n->to_at : n->stage_at;
    struct machine_access a = {
        .node = n, .from.buf = machine_wanted(m, from), .to.buf = machine_wanted(m, to)};
    if (!a.from.buf && !a.to.buf) return true;
    struct arena_mark mark = arena_mark(&m->s->arena);
    if (a.from.buf && (n->nconds || n->cut)) {
        bool *idle = machine_left_out(m);
        int *read = n->cut ? ARENA_ARRAY(&m->s->arena, int, m->k->threads) : NULL;
        if (!machine_leave_out(m, n, idle) || (read && !read_by(m, n, idle, read))) return false;
        a.idle = idle;
        a.read = read;
    }
    const bool *off = a.idle ? a.idle : m->off;
    if (a.from.buf && !value_for(m, from_at, m->active, off, &a.from.at)) return false;
    if (a.to.buf && !machine_value(m, to_at, &a.to.at)) return false;
    for (int i = 0; i < m->nobservers; ++i) {
        const struct observer *o = &m->observer[i];
        if (o->access && !o->access(o->user, m, &a)) return false;
    }
    int least = m->schedule->least_access;
    m->operations += m->active < least ? least : m->active;
    if (a.idle) arena_rewind(&m->s->arena, mark);
    return true;
}

bool machine_elements(struct machine *m, const struct kir_arg *a, struct machine_elements *out) {
    struct lay_int n = lay_size(&m->s->lay, a->layout);
    struct lay plain = lay_inner(a->layout);
    if (!lay_int_static(n)) return machine_fail(m, "an argument whose size is not known");
    if (!machine_value(m, a->at, &out->at)) return false;
    int64_t *off = ARENA_ARRAY(&m->s->arena, int64_t, n.num + 1);
    for (int64_t e = 0; e < n.num; ++e) {
        if (!lay_eval(&m->s->lay, plain, e, &off[e]))
            return machine_fail(m, "an argument without values");
    }
    out->off = off;
    out->count = n.num;
    m->operations += n.num;
    return true;
}

static bool run_call(struct machine *m, const struct kir_node *n) {
    struct arena_mark mark = arena_mark(&m->s->arena);
    for (int i = 0; i < m->nobservers; ++i) {
        const struct observer *o = &m->observer[i];
        if (o->call && !o->call(o->user, m, n)) return false;
    }
    arena_rewind(&m->s->arena, mark);
    return true;
}

// -- loops and ways -------------------------------------------------------------------------------

// Advances the offsets of loop "n" to its next iteration, or initializes them.
bool machine_carry(struct machine *m, const struct kir_node *n, bool first) {
    for (int j = 0; j < n->ncarries; ++j) {
        const struct kir_carry *c = &n->carry[j];
        struct column by;
        if (!machine_value(m, first ? c->first : c->step, &by)) return false;
        if (first)
            columns_let(m->columns, c->var, &by, m->off);
        else if (!columns_add(m->columns, c->var, &by, m->off))
            return machine_fail(m, "an offset that goes along with a loop goes too far");
        if (!fits(m, c->var, c->bits)) return false;
    }
    return true;
}

// Sets the variables of loop "n" for iteration "i", counted from "begin".
bool machine_iteration(struct machine *m, const struct kir_node *n, int64_t begin, int64_t i) {
    columns_set(m->columns, n->var, begin + i);
    for (int j = 0; j < n->nrings; ++j) {
        const struct kir_ring *r = &n->ring[j];
        int64_t from = 0;
        if (r->from && !machine_common(m, ix_var(m->s, r->from), &from)) return false;
        columns_set(m->columns, r->var, (from + r->first + i) % r->size);
    }
    return fits(m, n->var, n->var_bits);
}

// Sets the offsets of loop "n" for its iteration "i".
static bool jump_carry(struct machine *m, const struct kir_node *n, int64_t i) {
    if (!machine_carry(m, n, true)) return false;
    for (int j = 0; i > 0 && j < n->ncarries; ++j) {
        const struct kir_carry *c = &n->carry[j];
        struct column by = {0};
        if (!machine_common(m, c->step, &by.base)) return false;
        if (__builtin_mul_overflow(by.base, i, &by.base) ||
            !columns_add(m->columns, c->var, &by, m->off)) {
            m->no_value = !m->error;
            return machine_fail(m, "an offset that goes along with a loop goes too far");
        }
        if (!fits(m, c->var, c->bits)) return false;
    }
    return true;
}

static bool run_picked(struct machine *m, const struct kir_node *n, int64_t begin,
                       const int64_t *pick, int picks) {
    for (int i = 0; i < picks && m->operations < m->schedule->limit; ++i) {
        if (!machine_iteration(m, n, begin, pick[i]) || !jump_carry(m, n, pick[i]) ||
            !machine_list(m, n->body))
            return false;
    }
    return true;
}

static bool run_loop(struct machine *m, const struct kir_node *n) {
    int64_t begin, end, pick[SAMPLE_AXIS];
    if (!machine_common(m, n->begin, &begin) || !machine_common(m, n->end, &end)) return false;
    if (begin < end && !typed_fits(end, n->var_bits)) return too_narrow(m, n->var);
    const struct schedule *by = m->schedule;
    int picks = by->loop ? by->loop(by->user, n, begin, &end, pick) : -1;
    if (picks >= 0) return run_picked(m, n, begin, pick, picks);
    m->depth += n->whole;
    for (int64_t i = begin; i < end && m->operations < by->limit; ++i) {
        m->operations += 1 + m->active / 16;  // for the loop itself, which may be empty
        if (!machine_iteration(m, n, begin, i - begin) || !machine_carry(m, n, i == begin) ||
            !machine_list(m, n->body))
            return false;
    }
    m->depth -= n->whole;
    return true;
}

// Threads for which all conditions of "n" hold execute its body, the others its else part.
static bool run_ways(struct machine *m, const struct kir_node *n) {
    int64_t on = 0, hold = 0;
    struct arena_mark mark = arena_mark(&m->s->arena);
    const bool *before = m->off;
    bool *off = machine_left_out(m), *other, ok = true;
    for (int64_t t = 0; t < m->active; ++t) on += !off[t];
    if (!machine_leave_out(m, n, off)) return false;
    for (int64_t t = 0; t < m->active; ++t) hold += !off[t];
    if (hold > 0) {
        m->off = hold == on ? before : off;
        ok = machine_list(m, n->body);
        m->off = before;
    }
    if (hold < on && n->orelse && ok) {
        other = machine_left_out(m);
        for (int64_t t = 0; hold > 0 && t < m->active; ++t) other[t] |= !off[t];
        m->off = hold == 0 ? before : other;
        ok = machine_list(m, n->orelse);
        m->off = before;
    }
    if (ok) arena_rewind(&m->s->arena, mark);
    return ok;
}

static bool run_guard(struct machine *m, const struct kir_node *n) {
    if (n->index) return run_ways(m, n);
    int64_t before = m->active;
    if (n->count < m->active) m->active = n->count;
    bool ok = machine_list(m, n->body);
    m->active = before;
    return ok;
}

static bool run_let(struct machine *m, const struct kir_node *n) {
    int64_t threads = m->k->threads;
    const struct schedule *by = m->schedule;
    struct column x, most;
    if (!machine_value(m, n->index, &x)) return false;
    if (!n->sampled || !by->let) {
        columns_let(m->columns, n->var, &x, m->off);
        return fits(m, n->var, n->var_bits);
    }
    if (!machine_value(m, n->sampled, &most)) return false;
    struct arena_mark mark = arena_mark(&m->s->arena);
    int64_t *now = ARENA_ARRAY(&m->s->arena, int64_t, threads);
    struct column column = {.at = now};
    for (int64_t t = 0; t < threads; ++t)
        now[t] = by->let(by->user, n, m->depth, column_value(&x, t), column_value(&most, t));
    if (!x.at && !most.at) column = (struct column){.base = now[0]};
    columns_let(m->columns, n->var, &column, m->off);
    arena_rewind(&m->s->arena, mark);
    return fits(m, n->var, n->var_bits);
}

static bool run_turn(struct machine *m, const struct kir_node *n) {
    int64_t by = 0, now = 0;
    if (n->index &&
        (!machine_common(m, n->index, &by) || !machine_common(m, ix_var(m->s, n->var), &now)))
        return false;
    columns_set(m->columns, n->var, (now + by) % n->count);
    return true;
}

// -- nodes ----------------------------------------------------------------------------------------

static void tell_registers(struct machine *m, const struct kir_node *n) {
    for (int i = 0; i < m->nobservers; ++i) {
        const struct observer *o = &m->observer[i];
        if (o->registers) o->registers(o->user, m, n->stage);
    }
}

// Reports an arrival or a wait.
static void tell(struct machine *m, const struct kir_node *n) {
    bool arrives = n->kind == KIR_ARRIVE;
    for (int i = 0; arrives && n->arrival.kind == ARRIVAL_GROUP && i < MACHINE_ROLES; ++i)
        m->commits[i] += m->role == 0 || i == m->role;
    for (int i = 0; i < m->nobservers; ++i) {
        const struct observer *o = &m->observer[i];
        if (arrives && o->arrive) o->arrive(o->user, m, n->arrival);
        if (!arrives && o->wait) o->wait(o->user, m, n->arrival);
    }
}

static void tell_fence(struct machine *m) {
    for (int i = 0; i < m->nobservers; ++i) {
        const struct observer *o = &m->observer[i];
        if (o->fence) o->fence(o->user, m);
    }
}

bool machine_node(struct machine *m, const struct kir_node *n) {
    ++m->operations;
    m->node = n;
    trap_poll();
    switch (n->kind) {
    case KIR_NAME:
    case KIR_ANNOUNCE:
    case KIR_COMMENT: return true;
    case KIR_ARRIVE:
    case KIR_WAIT:
        if (n->arrival.kind == ARRIVAL_NAMED || n->arrival.kind == ARRIVAL_MEMORY)
            return m->schedule->apart || machine_fail(m, "a barrier of roles outside of roles");
        tell(m, n);
        return true;
    case KIR_FENCE: tell_fence(m); return true;
    case KIR_STAGE_DECL: tell_registers(m, n); return true;
    case KIR_LET: return run_let(m, n);
    case KIR_TURN: return run_turn(m, n);
    case KIR_FOR: return run_loop(m, n);
    case KIR_IF: return n->roles && !m->schedule->apart ? machine_roles(m, n) : run_ways(m, n);
    case KIR_GUARD: return run_guard(m, n);
    case KIR_BOXES: return machine_boxes(m, n);
    case KIR_BLOCK: return machine_list(m, n->body);
    case KIR_CALL: return run_call(m, n);
    case KIR_LOAD:
    case KIR_STORE:
    case KIR_MOVE:
    case KIR_FILL:
    case KIR_ASYNC: return run_access(m, n);
    }
    BUG("a node of no kind");
}

bool machine_list(struct machine *m, const struct kir_node *list) {
    for (const struct kir_node *n = list; n; n = n->next) {
        if (!machine_node(m, n)) return false;
    }
    return true;
}

// -- blocks ---------------------------------------------------------------------------------------

void machine_init(struct machine *m, struct session *s, const struct kir_kernel *k,
                  const int64_t *sym, const struct schedule *schedule,
                  const struct observer *observer, int nobservers) {
    *m = (struct machine){.s = s,
                          .k = k,
                          .schedule = schedule,
                          .observer = observer,
                          .nobservers = nobservers,
                          .columns = columns_new(s, k->threads, sym)};
    for (int i = 0; i < k->nparams; ++i) {
        if (!k->param[i].narrow || columns_narrow(m->columns, k->param[i].sym)) continue;
        m->too_narrow = true;
        m->error = arena_printf(&s->arena, "'%s' does not fit into its 32 bits", k->param[i].name);
    }
}

void machine_release(struct machine *m) {
    columns_free(m->columns);
}

bool machine_run(struct machine *m, const int64_t block[3]) {
    columns_set_thread(m->columns, m->k->tid);
    for (int i = 0; i < 3; ++i) {
        if (m->k->block[i]) columns_set(m->columns, m->k->block[i], block[i]);
    }
    m->active = m->k->threads;
    m->off = NULL;
    m->role = 0;
    m->nroles = 0;
    for (int i = 0; i < MACHINE_NAMED; ++i) m->named[i].came = 0;
    memset(m->memory, 0, sizeof m->memory);
    if (m->error || !machine_list(m, m->k->body)) return false;
    for (int i = 0; i < MACHINE_NAMED && m->operations < m->schedule->limit; ++i)
        if (m->named[i].came)
            return machine_fail(m, "a named barrier at which threads are missing");
    return m->schedule->apart || m->operations >= m->schedule->limit || machine_memory_over(m);
}
