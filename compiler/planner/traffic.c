// Bank conflicts of a tile in shared memory: the accesses of a warp, address by address.
#include "image/elem.h"
#include "planner/private.h"

enum { LANES = 32, BANKS = 32, WORD = 4 };

// Where in shared memory stands what thread "t" has first, in elements; threads are numbered along
// the modes in "order".
static int64_t place(const struct relayout *r, const struct choice *c, const struct share *s,
                     const int *order, int t) {
    int64_t at = 0;
    for (int i = 0; i < r->rank; ++i) {
        int m = order[i];
        int64_t k = t % s->thr[m] * s->val[m];
        t = (int)(t / s->thr[m]);
        at += m == c->split ? k % c->part * c->room[m] + k / c->part * c->rest : k * c->room[m];
    }
    return at;
}

// Passes of lanes "from" .. "end" at these bytes, of which each lane touches "bytes".
static int64_t passes(const int64_t *at, int from, int end, int bytes) {
    int most = 1;
    int64_t word[BANKS][LANES];
    int n[BANKS] = {0};
    for (int l = from; l < end; ++l)
        for (int64_t w = at[l] / WORD; w <= (at[l] + bytes - 1) / WORD; ++w) {
            int bank = (int)(w % BANKS), k = 0;
            while (k < n[bank] && word[bank][k] != w) ++k;
            if (k < n[bank]) continue;
            word[bank][n[bank]++] = w;
            if (n[bank] > most) most = n[bank];
        }
    return most;
}

// Passes that one access of warp 0 needs beyond those without conflicts.
static int64_t beyond(const struct relayout *r, const struct choice *c, const struct share *s,
                      bool src, int vector) {
    int bytes = vector * r->type->bits / 8, lanes = s->threads < LANES ? s->threads : LANES;
    int together = bytes <= WORD ? LANES : LANES * WORD / bytes;
    int order[RELAYOUT_MODES];
    int64_t at[LANES], n = 0;
    order_of(r, src, order);
    for (int l = 0; l < lanes; ++l) at[l] = place(r, c, s, order, l) * (r->type->bits / 8);
    for (int l = 0; l < lanes; l += together)
        n += passes(at, l, l + together < lanes ? l + together : lanes, bytes) - 1;
    return n;
}

int64_t conflicts_of(const struct relayout *r, const struct choice *c) {
    int64_t values = 1, all = 1, owned = 1;
    for (int m = 0; m < r->rank; ++m) {
        values *= c->rd.val[m];
        all *= c->tile[m];
        owned *= c->wr.thr[m];
    }
    int64_t stores = values / c->block * ((c->rd.threads + LANES - 1) / LANES);
    int64_t loads = all / owned / c->wr.vector * ((c->wr.threads + LANES - 1) / LANES);
    return stores * beyond(r, c, &c->rd, true, c->block) +
           loads * beyond(r, c, &c->wr, false, c->wr.vector);
}
