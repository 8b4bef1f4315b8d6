// Do the integers of the Kernel IR have the widths that they need?  Computes them for params as
// large as possible, in the first and the last block, and in the last and the first iteration of
// each loop; for a pipeline also in the last iteration with loads.  There is no memory, so tensors
// may be of any size.
#include "base/session.h"
#include "check/verify.h"
#include "machine/machine.h"
#include "plan/bind.h"

// operations of threads in a block; beyond it no iteration begins
#define OPERATIONS ((int64_t)1 << 14)

// Upper bounds to try for the params: with larger ones, their products may not fit 64 bits, or a grid an int.
static const int64_t most[] = {INT64_MAX,        (int64_t)1 << 31, (int64_t)1 << 21,
                               (int64_t)1 << 16, 1 << 10,          1 << 6};

static bool wants(void *user, const struct kir_buffer *b) {
    (void)user;
    (void)b;
    return true;
}

static bool call(void *user, struct machine *m, const struct kir_node *n) {
    struct column x;
    (void)user;
    for (int i = 0; i < n->nargs; ++i) {
        if (!machine_value(m, n->arg[i].at, &x)) return false;
    }
    return true;
}

// Picks the last iteration first.
static int loop(void *user, const struct kir_node *n, int64_t begin, int64_t *end,
                int64_t pick[SAMPLE_AXIS]) {
    (void)user;
    int64_t last, ahead = n->whole ? 1 : 0;  // how many steps loads run ahead, at least
    int picks = 0;
    if (begin >= *end || __builtin_sub_overflow(*end - 1, begin, &last)) return 0;
    for (int i = 0; i < n->nrings; ++i)
        if (n->ring[i].size > ahead) ahead = n->ring[i].size;
    pick[picks++] = last;
    if (ahead > 0 && last > ahead) pick[picks++] = last - ahead;
    if (last > 0) pick[picks++] = 0;
    return picks;
}

// Returns false if numbers did not fit 64 bits, or parts of a grid that is too large did not fit an
// int: nobody can launch with these params.
static bool try_values(struct session *s, const struct kir_kernel *x, const int64_t *sym,
                       const char **trouble) {
    const struct schedule schedule = {.loop = loop, .apart = true, .limit = OPERATIONS};
    const struct observer observer = {.wants = wants, .call = call};
    int64_t block[2][3] = {{0}};
    bool beyond = false;
    for (int i = 0; i < 3; ++i) {
        int64_t blocks;
        if (!lay_int_eval(x->grid[i], sym, &blocks)) return false;
        if (blocks < 1) return true;
        beyond |= blocks > INT32_MAX;
        block[1][i] = (blocks < INT32_MAX ? blocks : INT32_MAX) - 1;
    }
    bool several = block[1][0] || block[1][1] || block[1][2];
    struct arena_mark mark = arena_mark(&s->arena);
    struct machine m;
    machine_init(&m, s, x, sym, &schedule, &observer, 1);
    for (int i = several; i >= 0 && machine_run(&m, block[i]); --i) m.operations = 0;
    machine_release(&m);
    bool impossible = m.no_value || (beyond && m.too_narrow);
    if (m.error && !impossible)
        *trouble = m.error;
    else
        arena_rewind(&s->arena, mark);
    return !impossible;
}

const char *widths_trouble(struct session *s, const struct plan *p, const struct kernel *k,
                           const struct kir_kernel *x) {
    const char *trouble = NULL;
    for (int i = 0; x && !trouble; ++i, x = x->narrower) {
        const struct variant *v = k->nvariants ? &k->variant[i] : NULL;
        for (size_t c = 0; c < sizeof most / sizeof *most; ++c) {
            const int64_t *sym =
                plan_choose_great(s, p, v ? v->when : NULL, v ? v->nwhen : 0, most[c]);
            if (!sym || try_values(s, x, sym, &trouble)) break;
        }
    }
    return trouble;
}
