// Counting what a launch does (see counters.h).
#include "counters/counters.h"

#include <stdlib.h>
#include <string.h>

#include "base/session.h"
#include "base/trap.h"
#include "counters/classes.h"
#include "launch/launch.h"
#include "machine/machine.h"

enum { MOST_DEAD = 64 };
// the limits: threads' operations in all executed blocks, which take several seconds, and in one of
// them, which take about one
#define OPERATIONS       ((int64_t)1 << 28)
#define BLOCK_OPERATIONS ((int64_t)1 << 25)

// State of a count. nvcc may emit fewer instructions than the source has where it sees that a value
// is in a register already: those counts are ranges that start at 0.
struct count {
    int arch;
    struct counters *out;
    // for each byte of shared memory, the last thread that read it and that wrote it, and the
    // number of barriers before that access
    struct byte_of {
        int32_t thread, barriers;
    } * last[2];
    int64_t bytes;
    int32_t barriers;
    // accesses in both branches of an if, ordered by address of their nodes
    const struct kir_node **in_ways;
    int nin_ways;
    const struct kir_buffer *dead[MOST_DEAD];  // fragments that are never read
    int ndead;
};

const char *counter_metric(enum counter c) {
    static const char *const metric[N_COUNTERS] = {
        [COUNT_REQUESTS_LD] = "l1tex__t_requests_pipe_lsu_mem_global_op_ld",
        [COUNT_REQUESTS_ST] = "l1tex__t_requests_pipe_lsu_mem_global_op_st",
        [COUNT_SECTORS_LD] = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld",
        [COUNT_SECTORS_ST] = "l1tex__t_sectors_pipe_lsu_mem_global_op_st",
        [COUNT_WAVEFRONTS_LD] = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld",
        [COUNT_WAVEFRONTS_ST] = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st",
        [COUNT_WAVEFRONTS_ASYNC] = "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldgsts",
    };
    return metric[c];
}

// -- one instruction ------------------------------------------------------------------------------

static bool wants(void *user, const struct kir_buffer *b) {
    (void)user;
    return b->space == MEM_GLOBAL || space_is_shared(b->space);
}

static void add(struct cost_range *to, struct cost_range r) {
    to->least += r.least;
    to->most += r.most;
}

// The class of the instruction of node "n" that reads "b", or writes it if "store".
static enum cost_class class_of(const struct kir_node *n, const struct kir_buffer *b, bool store) {
    if (n->cost) return n->cost;
    if (b->space == MEM_GLOBAL) return store ? COST_ST_GLOBAL : COST_LD_GLOBAL;
    return store ? COST_ST_SHARED : COST_LD_SHARED;
}

static int64_t byte_of(const struct machine_side *side, int64_t thread) {
    return column_value(&side->at, thread) * (side->buf->elem->bits / 8) + side->buf->smem_offset;
}

static void count_warp(struct count *c, const struct warp_access *a, int64_t filled, bool may_go) {
    struct cost_range *of = c->out->of;
    struct warp_cost cost;
    cost_of_warp(c->arch, a, &cost);
    cost.wavefronts.most += filled;
    // nvcc may drop the instruction, or join it with another one; at most it costs one wavefront
    // for each of its words
    if (may_go) {
        int64_t words = (int64_t)__builtin_popcount(a->lanes) * (a->bits <= 32 ? 1 : a->bits / 32);
        cost.requests.least = cost.sectors.least = cost.wavefronts.least = 0;
        if (cost.wavefronts.most && cost.wavefronts.most < words) cost.wavefronts.most = words;
    }
    switch (a->class) {
    case COST_LD_GLOBAL:
        add(&of[COUNT_REQUESTS_LD], cost.requests);
        add(&of[COUNT_SECTORS_LD], cost.sectors);
        break;
    case COST_ST_GLOBAL:
        add(&of[COUNT_REQUESTS_ST], cost.requests);
        add(&of[COUNT_SECTORS_ST], cost.sectors);
        break;
    case COST_LD_SHARED:
    case COST_LDMATRIX: add(&of[COUNT_WAVEFRONTS_LD], cost.wavefronts); break;
    case COST_ST_SHARED:
    case COST_STMATRIX: add(&of[COUNT_WAVEFRONTS_ST], cost.wavefronts); break;
    case COST_CP_ASYNC_CA:
    case COST_CP_ASYNC_CG:
        // executed alone it takes this many wavefronts; with others in flight its data may arrive
        // in pieces
        if (cost.wavefronts.most < __builtin_popcount(a->lanes) + filled)
            cost.wavefronts.most = __builtin_popcount(a->lanes) + filled;
        if (filled) cost.wavefronts.least = 0;
        if (filled) cost.requests = (struct cost_range){0, 1};
        add(&of[COUNT_REQUESTS_LD], cost.requests);
        add(&of[COUNT_SECTORS_LD], cost.sectors);
        add(&of[COUNT_WAVEFRONTS_ASYNC], cost.wavefronts);
        break;
    case COST_BULK:
    case COST_NONE:
    case N_COST_CLASSES: break;
    }
}

enum { READ, WRITTEN };

// Whether thread "t" has read (WRITTEN: written) all these bytes since the last barrier.
static bool touched(const struct count *c, int how, int64_t at, int64_t bytes, int64_t t) {
    if (at < 0 || at + bytes > c->bytes) return false;
    for (int64_t b = at; b < at + bytes; ++b)
        if (c->last[how][b].thread != t || c->last[how][b].barriers != c->barriers) return false;
    return true;
}

static void touch(struct count *c, int how, int64_t at, int64_t bytes, int64_t t) {
    for (int64_t b = at < 0 ? 0 : at; b < at + bytes && b < c->bytes; ++b)
        c->last[how][b] = (struct byte_of){(int32_t)t, c->barriers};
}

// Looks for accesses of thread "t", of the same kind and since the last barrier, that nvcc may join
// with this one: to the same bytes, or to adjacent ones in the same 16 bytes. Returns one bit for
// each of these places, because nvcc joins two instructions only if all lanes have the other access
// at the same place.
static unsigned may_join(const struct count *c, int how, int64_t at, int64_t bytes, int64_t t) {
    const int64_t block = at / 16;
    bool same = touched(c, how, at, bytes, t),
         before = at > 0 && (at - 1) / 16 == block && touched(c, how, at - bytes, bytes, t),
         after = (at + bytes) / 16 == block && touched(c, how, at + bytes, bytes, t);
    return (unsigned)same | (unsigned)before << 1 | (unsigned)after << 2;
}

static int by_address(const void *a, const void *b) {
    uintptr_t x = (uintptr_t) * (const struct kir_node *const *)a;
    uintptr_t y = (uintptr_t) * (const struct kir_node *const *)b;
    return (x > y) - (x < y);
}

static bool in_a_way(const struct count *c, const struct kir_node *n) {
    return c->nin_ways &&
           bsearch(&n, c->in_ways, (size_t)c->nin_ways, sizeof n, by_address) != NULL;
}

static int find_ways(struct count *c, const struct kir_node *list, bool inside) {
    int n = 0;
    for (const struct kir_node *x = list; x; x = x->next) {
        bool two = inside || (x->kind == KIR_IF && x->orelse);
        if (inside && c->in_ways) c->in_ways[c->nin_ways++] = x;
        n += inside + find_ways(c, x->body, two) + find_ways(c, x->orelse, two);
    }
    return n;
}

static bool reads(const struct kir_node *list, const struct kir_buffer *b) {
    for (const struct kir_node *n = list; n; n = n->next) {
        if (n->buf == b && n->kind != KIR_STORE) return true;
        for (int i = 0; i < n->nargs; ++i)
            if (n->arg[i].buf == b) return true;
        if (reads(n->body, b) || reads(n->orelse, b)) return true;
    }
    return false;
}

static bool is_dead(const struct count *c, const struct kir_buffer *b) {
    for (int i = 0; i < c->ndead; ++i)
        if (c->dead[i] == b) return true;
    return false;
}

static void find_dead(struct count *c, const struct kir_kernel *k) {
    for (int i = 0; i < k->nbuffers && c->ndead < MOST_DEAD; ++i)
        if (k->buffer[i]->space == MEM_FRAG && !reads(k->body, k->buffer[i]))
            c->dead[c->ndead++] = k->buffer[i];
}

// Counts one side of an access by all warps; with "other", both sides of a cp.async.
static void count_side(struct count *c, struct machine *m, const struct machine_access *a,
                       const struct machine_side *side, const struct machine_side *other,
                       bool store) {
    const struct kir_node *n = a->node;
    const struct kir_together *warp = n->together;
    const bool dead = !store && n->to_buf && is_dead(c, n->to_buf);
    for (int64_t first = 0; first < m->active; first += LANES) {
        struct warp_access x = {.class = class_of(n, side->buf, store), .bits = n->bits};
        int64_t filled = 0;
        bool cut = false, split = false,
             back = !store && !other && space_is_shared(side->buf->space) && !warp;
        // one bit for each place, see may_join
        unsigned joins = !other && space_is_shared(side->buf->space) && !warp ? 7 : 0;
        if (warp) {
            x.bits = 128;
            x.matrices = (store ? warp->dst_lanes : warp->src_lanes) / 8;
        }
        for (int lane = 0; lane < LANES && first + lane < m->active; ++lane) {
            int64_t t = first + lane;
            split |= !machine_goes_on(m, t);
            if (!machine_goes_on(m, t)) continue;
            // writes zeros; how the hardware counts this is unknown
            if (other && a->idle && a->idle[t]) {
                ++filled;
                continue;
            }
            // nor how it counts a partial access
            cut |= a->read && a->read[t] < n->bits / n->buf->elem->bits;
            x.lanes |= (uint32_t)1 << lane;
            int64_t *at = side->buf->space == MEM_GLOBAL ? x.global : x.shared;
            at[lane] = byte_of(side, t);
            if (other) x.shared[lane] = byte_of(other, t);
            int64_t from = x.shared[lane], bytes = n->bits / 8;
            if (back) back = touched(c, WRITTEN, from, bytes, t);
            if (joins) joins &= may_join(c, store ? WRITTEN : READ, from, bytes, t);
            if (!other && space_is_shared(side->buf->space))
                touch(c, store ? WRITTEN : READ, from, bytes, warp ? -2 : t);
        }
        if (x.lanes || filled)
            count_warp(c, &x, filled, back || joins || dead || cut || (split && in_a_way(c, n)));
    }
}

static bool access(void *user, struct machine *m, const struct machine_access *a) {
    struct count *c = user;
    if (a->node->kind == KIR_ASYNC) {
        count_side(c, m, a, &a->from, &a->to, false);
        return true;
    }
    if (a->from.buf && wants(NULL, a->from.buf)) count_side(c, m, a, &a->from, NULL, false);
    if (a->to.buf && wants(NULL, a->to.buf)) count_side(c, m, a, &a->to, NULL, true);
    return true;
}

static void wait(void *user, struct machine *m, struct arrival a) {
    (void)m;
    ((struct count *)user)->barriers += arrival_row(a)->joins;
}

// -- a launch -------------------------------------------------------------------------------------

// The cost of a block with known facts.
enum { MOST_KNOWN = 1 << 14 };
struct known {
    int n;  // number of facts + 1; 0: unused
    int64_t fact[CLASS_FACTS];
    struct cost_range of[N_COUNTERS];
};

struct launch {
    struct count *count;
    struct session *s;
    struct machine *m;
    const struct classes *classes;  // or NULL
    struct known *known;            // hash table
    int nknown;
    struct cost_range of[N_COUNTERS];  // sum over the blocks so far
    int64_t done, most;                // operations executed so far, and the limit
};

// The entry with these facts, or a free one for them; NULL: there is none, and the table is full.
static struct known *find_known(const struct launch *l, const int64_t *fact, int n) {
    uint64_t hash = 1469598103934665603u;
    for (int i = 0; i < n; ++i) hash = (hash ^ (uint64_t)fact[i]) * 1099511628211u;
    for (unsigned i = (unsigned)(hash >> 32) % MOST_KNOWN;; i = (i + 1) % MOST_KNOWN) {
        struct known *x = &l->known[i];
        if (x->n == 0) return l->nknown < MOST_KNOWN / 2 ? x : NULL;
        if (x->n == n + 1 && memcmp(x->fact, fact, (size_t)n * sizeof *fact) == 0) return x;
    }
}

static bool add_times(struct cost_range *to, const struct cost_range *of, int64_t times) {
    for (int i = 0; i < N_COUNTERS; ++i) {
        struct cost_range x;
        if (__builtin_mul_overflow(of[i].least, times, &x.least) ||
            __builtin_mul_overflow(of[i].most, times, &x.most) ||
            __builtin_add_overflow(to[i].least, x.least, &to[i].least) ||
            __builtin_add_overflow(to[i].most, x.most, &to[i].most))
            return false;
    }
    return true;
}

// Adds the counts of "times" blocks with the same facts as "block".
static bool run_block(struct launch *l, const int64_t block[3], int64_t times) {
    struct counters *out = l->count->out;
    int64_t fact[CLASS_FACTS];
    int n = l->classes ? classes_facts(l->classes, block, fact) : -1;
    struct known *known = n < 0 ? NULL : find_known(l, fact, n);
    l->done += 1 + (n < 0 ? 0 : n);
    if (!known || known->n == 0) {
        struct arena_mark mark = arena_mark(&l->s->arena);
        memset(out->of, 0, sizeof out->of);
        ++l->count->barriers;  // so that accesses of earlier blocks do not count
        if (!machine_run(l->m, block)) {
            out->why = l->m->error ? l->m->error : "it was stopped";
            return false;
        }
        arena_rewind(&l->s->arena, mark);
        // the machine stops at its limit
        l->done += l->m->operations < BLOCK_OPERATIONS ? l->m->operations : l->most;
        l->m->operations = 0;
        if (known) {
            known->n = n + 1;
            memcpy(known->fact, fact, (size_t)n * sizeof *fact);
            memcpy(known->of, out->of, sizeof out->of);
            ++l->nknown;
        }
    }
    if (l->done >= l->most)
        out->why = "it has too many threads and steps to count; give smaller values with "
                   "--param";
    else if (!add_times(l->of, known ? known->of : out->of, times))
        out->why = "its counts do not fit into 64 bits; give smaller values with --param";
    return !out->why;
}

static bool run_blocks(struct launch *l) {
    const int64_t *g = l->count->out->grid;
    int64_t step[3], n[3];
    for (int i = 0; i < 3; ++i) {
        step[i] = l->classes ? classes_period(l->classes, i) : 0;
        n[i] = step[i] && step[i] < g[i] ? step[i] : g[i];
    }
    for (int64_t z = 0; z < n[2]; ++z) {
        for (int64_t y = 0; y < n[1]; ++y) {
            for (int64_t x = 0; x < n[0]; ++x) {
                const int64_t block[3] = {x, y, z};
                int64_t times = 1;
                bool fits = true;
                for (int i = 0; i < 3; ++i)
                    if (n[i] < g[i])
                        fits &= !__builtin_mul_overflow(times, (g[i] - 1 - block[i]) / n[i] + 1,
                                                        &times);
                if (!fits) {
                    l->count->out->why = "its counts do not fit into 64 bits; give smaller values "
                                         "with --param";
                    return false;
                }
                if (!run_block(l, block, times)) return false;
            }
        }
    }
    return true;
}

// Advances "*k" to its next case, and returns it.
static const struct kir_kernel *next_case(const struct kir_kernel **k) {
    return *k = (*k)->next_case;
}

const struct kir_kernel *counters_variant(struct session *s, const struct kir_kernel *k,
                                          const int64_t *sym, int64_t grid[3], const char **why) {
    const struct kir_launch *l = k->launch;
    const struct kir_kernel *head = k;
    *why = l ? NULL : "a device function has no launch";
    if (!l) return NULL;
    int64_t *param = ARENA_ARRAY(&s->arena, int64_t, l->nparams + 1);
    uint64_t *address = ARENA_ARRAY(&s->arena, uint64_t, l->ntensors + 1);
    for (int i = 0; i < l->ngiven; ++i) param[i] = sym[l->param[i].sym->id];
    for (int i = 0; i < l->ntensors; ++i) address[i] = (uint64_t)(i + 1) << 48;
    const struct tcpc_launch *data = launch_new(s, l);
    struct tcpc_call r = {.size = sizeof r};
    if (tcpc_launch_evaluate(data, param, address, NULL, &r) != TCPC_LAUNCH_OK)
        *why = arena_printf(&s->arena, "%s", r.message);
    if (r.variant) {
        for (int i = 0; i < 3; ++i) grid[i] = r.grid[i];
        while (k && strcmp(k->variant->function, r.variant->symbol) != 0)
            k = k->narrower ? k->narrower : next_case(&head);
        if (!k) BUG("a launch without its kernel");
    }
    tcpc_launch_free(data);
    return r.variant ? k : NULL;
}

void counters_of_launch(struct session *s, const struct kir_kernel *k, int arch, const int64_t *sym,
                        int64_t most, struct counters *out) {
    *out = (struct counters){0};
    k = counters_variant(s, k, sym, out->grid, &out->why);
    if (!k) return;
    out->variant = k;
    if (k->counter || k->wait_written) {
        out->why = "what bulk costs was not measured";
        return;
    }
    struct count c = {.arch = arch, .out = out, .bytes = k->smem_bytes};
    for (int i = 0; i < 2; ++i) c.last[i] = memory_zeroed((size_t)c.bytes + 1, sizeof *c.last[i]);
    c.in_ways = memory_zeroed((size_t)find_ways(&c, k->body, false) + 1, sizeof *c.in_ways);
    find_ways(&c, k->body, false);
    find_dead(&c, k);
    qsort(c.in_ways, (size_t)c.nin_ways, sizeof *c.in_ways, by_address);
    // an access counts as 16 operations at least
    struct schedule schedule = {.limit = most < BLOCK_OPERATIONS ? most : BLOCK_OPERATIONS,
                                .least_access = 16};
    struct observer observer = {&c, wants, access, NULL, NULL, NULL, wait};
    struct machine m;
    machine_init(&m, s, k, sym, &schedule, &observer, 1);
    struct launch launch = {&c, s, &m, classes_new(s, k, sym), .most = most};
    launch.known = memory_zeroed(MOST_KNOWN, sizeof *launch.known);
    run_blocks(&launch);
    memcpy(out->of, launch.of, sizeof out->of);
    memory_free(launch.known);
    machine_release(&m);
    for (int i = 0; i < 2; ++i) memory_free(c.last[i]);
    memory_free(c.in_ways);
}
