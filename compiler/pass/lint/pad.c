// Layouts with padded rows, as notes with fix-its.
#include "base/session.h"
#include "hw/sizes.h"
#include "layout/algebra.h"
#include "pass/lint/advice.h"

enum { BANK_BITS = 8 * WORD, CHUNK_BITS = 8 * WIDE };

// A buffer of two modes, of which one is contiguous: "n" elements, "rows" times, "pitch" apart.
struct rows {
    bool second;  // the contiguous mode is mode 1
    int64_t n, rows, pitch;
};

static bool rows_of(struct session *s, const struct tensor *t, struct rows *out) {
    struct lay l = lay_inner(t->layout);
    if (t->stages || t->layout.sw.b || lay_is_leaf(l.shape) || lay_tuple_rank(l.shape) != 2)
        return false;
    struct lay_int n[2], d[2];
    for (int i = 0; i < 2; ++i) {
        const struct lay_tuple *x = lay_tuple_get(&s->lay, l.shape, i);
        const struct lay_tuple *y = lay_tuple_get(&s->lay, l.stride, i);
        if (!lay_is_leaf(x) || !lay_is_leaf(y)) return false;
        n[i] = x->leaf;
        d[i] = y->leaf;
    }
    int one = lay_int_is(d[0], 1) ? 0 : lay_int_is(d[1], 1) ? 1 : -1;
    if (one < 0) return false;
    *out = (struct rows){one == 1, n[one].num, n[!one].num, d[!one].num};
    return true;
}

// How many rows in a row begin in different banks.
static int64_t apart(const struct rows *r, int64_t pitch, int bits) {
    int64_t step = pitch * bits, all = (int64_t)BANKS * BANK_BITS;
    int64_t n = all / lay_gcd(step, all);
    return n < r->rows ? n : r->rows;
}

static void offer(const struct costly *a, const struct rows *r, int64_t pitch) {
    struct session *s = a->s;
    const struct tensor *t = copy_side(a->c, a->src)->base;
    const char *text =
        arena_printf(&s->arena, r->second ? "(%lld,%lld):(%lld,1)" : "(%lld,%lld):(1,%lld)",
                     (long long)(r->second ? r->rows : r->n),
                     (long long)(r->second ? r->n : r->rows), (long long)pitch);
    int64_t n = apart(r, pitch, t->elem->bits);
    const char *many =
        n == r->rows ? "" : arena_printf(&s->arena, "%lld neighbouring ", (long long)n);
    diag_note(s, t->at, "with the layout %s, %srows begin in different banks", text, many);
    diag_fixit(s, t->layout_at, text);
    advice_claim(a, false);
}

void advise_padding(const struct costly *a) {
    const struct tensor *t = copy_side(a->c, a->src)->base;
    struct rows r;
    if (!rows_of(a->s, t, &r)) return;
    offer(a, &r, r.pitch + CHUNK_BITS / t->elem->bits);
    // an odd number of words, which only narrow accesses can have
    if (t->elem->bits > BANK_BITS) return;
    int64_t word = BANK_BITS / t->elem->bits, words = (r.n + word - 1) / word;
    if (r.pitch % word == 0 && r.pitch / word % 2 != 0) return;
    offer(a, &r, (words | 1) * word);
}
