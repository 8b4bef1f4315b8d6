// Blocks that leave half of a warp without threads, or more, though there is work for them; and
// fragments that a thread has no registers for.
#include <inttypes.h>

#include "base/session.h"
#include "hw/sizes.h"
#include "layout/algebra.h"
#include "pass/lint/lint.h"

enum { REGISTERS = 255, REGISTER_BITS = 32 };

static bool is_one_block(const struct kernel *k) {
    for (int i = 0; i < 3; ++i)
        if (!lay_int_is(k->grid[i], 1)) return false;
    return true;
}

// Whether a thread does several things one after the other that others could do.
static bool has_more_work(const struct kernel *k) {
    for (const struct stmt *st = k->body; st; st = stmt_next(k->body, st))
        if (st->kind == STMT_COPY && st->copy->tc && st->copy->facts.nrounds > 1) return true;
    return false;
}

// Warns of a last warp that is incomplete, though no tiled copy has as many threads: 129 threads for 128.
static void last_warp(struct lint *l) {
    struct session *s = l->s;
    const struct kernel *k = l->k;
    int64_t most = 0;
    bool calls = false;  // otherwise costs.c says it
    for (const struct stmt *st = k->body; st; st = stmt_next(k->body, st)) {
        int64_t n = st->kind == STMT_COPY && st->copy->tc ? st->copy->tc->threads : 0;
        if (n > most) most = n;
        calls |= st->kind == STMT_CALL && !st->call->fill;
    }
    int64_t rest = k->threads % LANES;
    if (!calls || rest == 0 || most < LANES || most > k->threads - rest) return;
    diag_warn(s, W_IDLE_THREADS, k->threads_at,
              "a block has %" PRId64 " threads, its last warp %" PRId64
              " of %d lanes, and the tiled copies of '%s' use at most %" PRId64 " threads",
              k->threads, rest, LANES, k->name, most);
    diag_fixit(s, k->threads_at, arena_printf(&s->arena, "%" PRId64, k->threads - rest));
}

void lint_half_warp(struct lint *l) {
    struct session *s = l->s;
    const struct kernel *k = l->k;
    if (!k->device && k->threads > LANES) last_warp(l);
    if (k->device || 2 * k->threads > LANES) return;
    if (is_one_block(k) && !has_more_work(k)) return;
    for (const struct stmt *st = k->body; st; st = stmt_next(k->body, st))
        if (st->kind == STMT_CALL && !st->call->fill) return;
    bool said = k->threads_at.begin != k->threads_at.end;
    diag_warn(s, W_IDLE_THREADS, said ? k->threads_at : k->at,
              "a block has %" PRId64 " thread%s, and a warp has %d lanes: %" PRId64
              " of them have nothing to do",
              k->threads, k->threads == 1 ? "" : "s", LANES, LANES - k->threads);
    diag_note(s, k->at,
              "32 threads or more per block use the whole warp: let each of them have a "
              "part of a larger tile");
}

void lint_spill(struct lint *l) {
    struct session *s = l->s;
    const struct kernel *k = l->k;
    for (int i = 0; i < k->nlocal; ++i) {
        const struct tensor *t = k->local[i];
        if (t->space != MEM_FRAG || !lay_valid(t->layout)) continue;
        struct lay_int n = lay_span(&s->lay, t->layout);
        lay_clear_error(&s->lay);
        if (!lay_int_static(n)) continue;
        int64_t need = (n.num * t->elem->bits + REGISTER_BITS - 1) / REGISTER_BITS;
        if (need <= REGISTERS) continue;
        diag_warn(s, W_SPILL, t->at,
                  "fragment '%s' takes %" PRId64
                  " registers of a thread, which has at most %d: the "
                  "rest is in local memory, which is slow",
                  t->name, need, REGISTERS);
        diag_note(s, t->at,
                  "with more threads, or a tile at a time in a loop, each thread has less "
                  "of it");
    }
}
