// Banks of shared memory (see banks.h).
#include "cost/banks.h"

#include <string.h>

#include "base/session.h"
#include "layout/algebra.h"

// The words of the first access of lane "lane" to side "part".
static const char *find_words(int vec, const struct part *part, const struct tensor *t,
                              const struct ix_env *env, int lane, struct banks *w) {
    int64_t base;
    if (!ix_eval(part->offset, env, &base)) return "its place has no value";
    for (int e = 0; e < vec; ++e) {  // those of a vector lie one behind the other
        int64_t x = lay_swizzle_apply(part->sw, base + e);
        if (x < 0 || x > INT32_MAX) return "its place lies outside of shared memory";
        int64_t word = (x * t->elem->bits / 8 + t->smem_offset) / 4;
        int first = e * t->elem->bits / 32, n = (t->elem->bits + 31) / 32;
        for (int k = 0; k < n && first + k < BANKS_WORDS; ++k) w->word[lane][first + k] = word + k;
    }
    return NULL;
}

// Puts "word" of "lane" into the first wavefront from row "first" on in which its bank is free.
static bool put(struct banks *w, int first, int64_t word, int lane, int phase) {
    for (int row = first; row < BANKS_ROWS; ++row) {
        struct bank_slot *s = &w->slot[row][word % BANKS];
        if (row >= w->nrows) {
            w->nrows = row + 1;
            w->phase_of[row] = phase;
        }
        if (s->used && s->word == word) {
            s->shared |= s->lane != lane;
            return true;
        }
        if (!s->used) {
            *s = (struct bank_slot){word, lane, false, true};
            return true;
        }
    }
    return false;
}

// 32 bits a lane go at once, 64 in halves of the warp, 128 in quarters.
static void split(struct banks *w, int bits) {
    int group = bits <= 32 ? BANKS_LANES : bits == 64 ? BANKS_LANES / 2 : BANKS_LANES / 4;
    for (int begin = 0; begin < w->lanes; begin += group) {
        int first = w->nrows;
        for (int lane = begin; lane < begin + group && lane < w->lanes; ++lane)
            for (int k = 0; k < w->nwords; ++k) put(w, first, w->word[lane][k], lane, w->nphases);
        ++w->nphases;
    }
}

const char *banks_count(struct session *s, const struct plan *plan, const struct kernel *k,
                        const struct copy *c, const int64_t *sym_values, bool dst,
                        struct banks *w) {
    const struct copy_facts *f = &c->facts;
    const struct tensor *t = copy_side(c, !dst)->base;
    int64_t *var = ARENA_ARRAY(&s->arena, int64_t, plan->nvars + 1);
    const struct ix_env env = {var, sym_values};
    memset(w, 0, sizeof *w);
    w->slot = arena_alloc(&s->arena, sizeof(struct bank_slot[BANKS]) * BANKS_ROWS);
    w->lanes = f->threads < BANKS_LANES ? (int)f->threads : BANKS_LANES;
    if (f->lanes && f->lanes < w->lanes) w->lanes = (int)f->lanes;
    w->bits = copy_side_bits(c, !dst, f->vec);
    w->nwords = w->bits < 32 ? 1 : w->bits / 32;
    if (w->nwords > BANKS_WORDS) return "its accesses are too wide";
    for (int lane = 0; lane < w->lanes; ++lane) {
        var[k->tid->id] = lane;
        const char *why = find_words(f->vec, copy_part(f, !dst), t, &env, lane, w);
        if (why) return why;
    }
    split(w, w->bits);
    return NULL;
}
