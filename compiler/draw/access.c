// The banks that a warp touches: the first access of a copy to shared memory, split into the
// wavefronts that its conflicts make of it.
#include <inttypes.h>
#include <string.h>

#include "draw/domain.h"

enum { LANES = 32, BANKS = 32, MAX_WORDS = 16, MAX_ROWS = 256 };

// What one bank gives in one wavefront.
struct slot {
    int64_t word;
    int lane;  // the first that wants the word
    bool shared, used;
};

struct warp {
    int lanes, nwords;
    int64_t word[LANES][MAX_WORDS];
    struct slot (*slot)[BANKS];  // by row
    int nrows, nphases, phase_of[MAX_ROWS];
};

// The words of the first access of lane "lane" to side "part".
static const char *find_words(const struct draw_request *r, const struct part *part,
                              const struct tensor *t, int64_t *var, int lane, struct warp *w) {
    const struct copy_facts *f = &r->copy->facts;
    const struct ix_env env = {var, r->sym_values};
    int64_t base;
    var[r->kernel->tid->id] = lane;
    if (!ix_eval(part->offset, &env, &base)) return "its place has no value";
    for (int e = 0; e < f->vec; ++e) {  // those of a vector lie one behind the other
        int64_t x = oracle_swizzle(part->sw, base + e);
        if (x < 0 || x > INT32_MAX) return "its place lies outside of shared memory";
        int64_t word = (x * t->elem->bits / 8 + t->smem_offset) / 4;
        int first = e * t->elem->bits / 32, n = (t->elem->bits + 31) / 32;
        for (int k = 0; k < n && first + k < MAX_WORDS; ++k) w->word[lane][first + k] = word + k;
    }
    return NULL;
}

// Puts "word" of "lane" into the first wavefront from row "first" on in which its bank is free.
static bool put(struct warp *w, int first, int64_t word, int lane, int phase) {
    for (int row = first; row < MAX_ROWS; ++row) {
        struct slot *s = &w->slot[row][word % BANKS];
        if (row >= w->nrows) {
            w->nrows = row + 1;
            w->phase_of[row] = phase;
        }
        if (s->used && s->word == word) {
            s->shared |= s->lane != lane;
            return true;
        }
        if (!s->used) {
            *s = (struct slot){word, lane, false, true};
            return true;
        }
    }
    return false;
}

// 32 bits a lane go at once, 64 in halves of the warp, 128 in quarters.
static void split(struct warp *w, int bits) {
    int group = bits <= 32 ? LANES : bits == 64 ? LANES / 2 : LANES / 4;
    for (int begin = 0; begin < w->lanes; begin += group) {
        int first = w->nrows;
        for (int lane = begin; lane < begin + group && lane < w->lanes; ++lane)
            for (int k = 0; k < w->nwords; ++k) put(w, first, w->word[lane][k], lane, w->nphases);
        ++w->nphases;
    }
}

static const char *side(struct picture *p, const struct plan *plan, const struct draw_request *r,
                        bool dst, struct warp *w) {
    const struct copy_facts *f = &r->copy->facts;
    const struct view *v = copy_side(r->copy, !dst);
    int64_t *var = ARENA_ARRAY(&p->s->arena, int64_t, plan->nvars + 1);
    memset(w, 0, sizeof *w);
    w->slot = arena_alloc(&p->s->arena, sizeof(struct slot[BANKS]) * MAX_ROWS);
    w->lanes = f->threads < LANES ? (int)f->threads : LANES;
    if (f->lanes && f->lanes < w->lanes) w->lanes = (int)f->lanes;
    int bits = copy_side_bits(r->copy, !dst, f->vec);
    w->nwords = bits < 32 ? 1 : bits / 32;
    if (w->nwords > MAX_WORDS) return "its accesses are too wide";
    for (int lane = 0; lane < w->lanes; ++lane) {
        const char *why = find_words(r, copy_part(f, !dst), v->base, var, lane, w);
        if (why) return why;
    }
    split(w, bits);
    return NULL;
}

const char *view_access(struct picture *p, const struct plan *plan, const struct draw_request *r) {
    const struct copy *c = r->copy;
    bool dst = c->dst.base->space == MEM_SHARED;
    if (!dst && c->src.base->space != MEM_SHARED)
        return "neither side of this copy lies in shared memory";
    int bits = copy_side_bits(c, !dst, c->facts.vec);
    if (bits == 0 || !c->facts.src.offset) return "it has no accesses";
    struct warp *w = ARENA_NEW(&p->s->arena, struct warp);
    const char *why = side(p, plan, r, dst, w);
    if (!why) why = picture_grids(p, "the access", 1, w->nrows, BANKS);
    if (why) return why;
    const struct tensor *t = dst ? c->dst.base : c->src.base;
    p->title = picture_text(p, "Banks of %s '%s': %d wavefront%s, %d at least",
                            dst ? "a store to" : "a load from", t->name, w->nrows,
                            w->nrows == 1 ? "" : "s", w->nphases);
    picture_note(p,
                 "the first access of warp 0, %d lanes of %d bits; a row is what 32 banks give at "
                 "once, a cell the thread that its bank serves",
                 w->lanes, bits);
    if (bits > 32)
        picture_note(p, "%d-bit accesses go by %s of the warp", bits,
                     bits == 64 ? "halves" : "quarters");
    const struct atom *atom = copy_atom(c);
    if (atom && atom->row->completes == COMPLETES_BY_GROUP)
        picture_note(p, "%s counts otherwise: this is what a plain store would need",
                     atom->row->family);
    struct pic_grid *g = p->grid;
    g->row_prefix = "w";
    g->column_prefix = "b";
    g->row_axis = "wavefront";
    g->column_axis = "bank";
    for (int row = 0; row < g->rows; ++row)
        for (int b = 0; b < g->columns; ++b) {
            const struct slot *s = &w->slot[row][b];
            if (s->used)
                picture_cell(p, pic_at(g, row, b), pic_hue(s->lane), s->lane, "T%02d%s", s->lane,
                             s->shared ? "+" : "");
            else
                picture_cell(p, pic_at(g, row, b), -1, -1, p->format == DRAW_TEXT ? "-" : "");
        }
    return NULL;
}
