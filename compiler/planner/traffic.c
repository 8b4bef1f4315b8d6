// The cost of a tile's accesses for caches and shared memory, from the addresses of some warps.
#include "planner/private.h"

enum { WARPS = 3, PHASES = 4 };

enum end { SOURCE, DESTINATION, SHARED };

// The offset of coordinate "k" of mode "m", in elements.
static int64_t place(const struct relayout *r, const struct choice *c, enum end end, int m,
                     int64_t k) {
    if (end != SHARED) return k * (end == SOURCE ? r->mode[m].src : r->mode[m].dst);
    return m == c->split ? k % c->part * c->room[m] + k / c->part * c->rest : k * c->room[m];
}

static int bytes_in(const struct relayout *r, enum end end) {
    return end == SHARED ? held_bytes(r) : bytes_of(r, end == SOURCE);
}

// Sets "at" to the begin of each lane's access in warp "warp", in bytes; threads are numbered along
// the modes in "order".
static int addresses(const struct relayout *r, const struct choice *c, const struct share *s,
                     const int *order, enum end end, int warp, int64_t at[LANES]) {
    int n = 0, modes = 0, mode[RELAYOUT_MODES];
    int64_t left = warp * LANES, digit[RELAYOUT_MODES], part[RELAYOUT_MODES], sum = 0;
    for (int i = 0; i < r->rank; ++i) {
        int m = order[i];
        if (s->thr[m] == 1) continue;
        mode[modes] = m;
        digit[modes] = left % s->thr[m];
        left /= s->thr[m];
        sum += part[modes] = place(r, c, end, m, digit[modes] * s->val[m]);
        ++modes;
    }
    for (int t = warp * LANES; t < s->threads && n < LANES; ++t) {
        at[n++] = sum * bytes_in(r, end);
        for (int i = 0; i < modes; ++i) {  // the next thread
            bool carries = ++digit[i] == s->thr[mode[i]];
            if (carries) digit[i] = 0;
            sum -= part[i];
            sum += part[i] = place(r, c, end, mode[i], digit[i] * s->val[mode[i]]);
            if (!carries) break;
        }
    }
    return n;
}

int64_t bank_passes(const int64_t *at, int from, int end, int bytes) {
    int most = 1;
    uint64_t word[BANKS][LANES];
    int n[BANKS] = {0};
    for (int l = from; l < end; ++l) {
        uint64_t last = (uint64_t)(at[l] + bytes - 1) / WORD;
        for (uint64_t w = (uint64_t)at[l] / WORD; w <= last; ++w) {
            int bank = (int)(w % BANKS), k = n[bank];
            while (k > 0 && word[bank][k - 1] != w) --k;  // usually the last one
            if (k > 0) continue;
            word[bank][n[bank]++] = w;
            if (n[bank] > most) most = n[bank];
        }
    }
    return most;
}

// How many lanes' accesses of "bytes" go together.
static int lanes_together(int bytes) {
    return bytes <= WORD ? LANES : LANES * WORD / bytes;
}

int64_t warp_passes(const int64_t at[], int lanes, int bytes) {
    int together = lanes_together(bytes);
    int64_t n = 0;
    for (int l = 0; l < lanes; l += together)
        n += bank_passes(at, l, l + together < lanes ? l + together : lanes, bytes);
    return n;
}

// How many pieces of "size" bytes the lanes touch if all addresses are moved by "phase" bytes.
static int64_t pieces(const int64_t *at, int lanes, int bytes, int size, int64_t phase) {
    int64_t seen[2 * LANES], n = 0;
    for (int l = 0; l < lanes; ++l)
        for (int64_t p = (at[l] + phase) / size; p <= (at[l] + phase + bytes - 1) / size; ++p) {
            int64_t k = n;
            while (k > 0 && seen[k - 1] != p) --k;  // usually the last one
            if (k == 0) seen[n++] = p;
        }
    return n;
}

// The distance at which the tiles and rows of a side begin in a line; LINE: all at its beginning.
static int64_t step_of(const struct relayout *r, const struct choice *c, bool src) {
    int64_t es = bytes_of(r, src), step = LINE;
    for (int m = 0; m < r->rank; ++m) {
        int64_t stride = step_along(&r->mode[m], src) * es;
        if (c->tile[m] >= r->mode[m].extent) continue;
        stride *= c->tile[m];
        while (stride % step) step /= 2;
    }
    int align = src ? r->src_align : r->dst_align;
    return align < 16 && align < step ? align : step;
}

int64_t warp_lines(const struct relayout *r, const struct choice *c, const int64_t at[], int lanes,
                   int bytes, bool src) {
    int64_t step = step_of(r, c, src), n = 0;
    int phases = step >= LINE ? 1 : PHASES;
    for (int p = 0; p < phases; ++p) {
        int64_t phase = phases == 1 ? 0 : (p * 37 + 5) % (LINE / step) * step;
        n += AVERAGE / phases * pieces(at, lanes, bytes, LINE, phase);
    }
    return n;
}

// The average of an access of a warp, times AVERAGE.  The last warp of a block may have few lanes:
// its weight is their number, and its cost is as if all of them were active.
static void sample(const struct relayout *r, const struct choice *c, const struct share *s,
                   bool by_src, enum end end, int vector, struct access *out) {
    int es = bytes_in(r, end), warps = (s->threads + LANES - 1) / LANES;
    int order[RELAYOUT_MODES], next = warps < WARPS ? 1 : warps / WARPS;
    int64_t at[LANES], all = 0;
    *out = (struct access){0, 0};
    order_of(r, by_src, order);
    for (int w = 0; w < warps; w += next) {
        int lanes = addresses(r, c, s, order, end, w, at);
        all += lanes;
        if (end == SHARED)
            out->passes += AVERAGE * warp_passes(at, lanes, vector * es);
        else
            out->lines += warp_lines(r, c, at, lanes, vector * es, end == SOURCE);
    }
    out->lines = out->lines * LANES / all;
    out->passes = out->passes * LANES / all;
}

void traffic_of_memory(const struct relayout *r, const struct choice *c, struct traffic *out) {
    bool staged = c->way == WAY_STAGED;
    *out = (struct traffic){0};
    sample(r, c, &c->rd, staged, SOURCE, c->rd.vector, &out->read);
    sample(r, c, staged ? &c->wr : &c->rd, false, DESTINATION, staged ? c->wr.vector : c->rd.vector,
           &out->write);
}

// Like the passes of sample, without any bank conflicts.
static int64_t least_passes(const struct relayout *r, const struct share *s, int vector) {
    int warps = (s->threads + LANES - 1) / LANES, together = lanes_together(vector * held_bytes(r));
    int next = warps < WARPS ? 1 : warps / WARPS;
    int64_t passes = 0, all = 0;
    for (int w = 0; w < warps; w += next) {
        int lanes = s->threads - w * LANES < LANES ? s->threads - w * LANES : LANES;
        passes += AVERAGE * ((lanes + together - 1) / together);
        all += lanes;
    }
    return passes * LANES / all;
}

// Whether all elements of a tile have different places on the side, judged by the strides.  A tile
// may continue beyond the end of a mode.
static bool apart_on(const struct relayout *r, const struct choice *c, bool src) {
    int order[RELAYOUT_MODES];
    int64_t last = 0;  // of the faster modes
    order_of(r, src, order);
    for (int i = 0; i < r->rank; ++i) {
        const struct relayout_mode *m = &r->mode[order[i]];
        int64_t stride = src ? m->src : m->dst;
        if (stride <= last) return false;
        last += stride * (c->tile[order[i]] - 1);
    }
    return true;
}

// Like the lines of sample, if lanes touch each byte of the lines.
static int64_t least_lines(const struct relayout *r, const struct choice *c, const struct share *s,
                           bool src, int vector) {
    int warps = (s->threads + LANES - 1) / LANES, n = 0, next = warps < WARPS ? 1 : warps / WARPS;
    int64_t lines = 0, phases = step_of(r, c, src) >= LINE ? 1 : PHASES;
    bool apart = apart_on(r, c, src);
    for (int w = 0; w < warps; w += next) {
        int lanes = s->threads - w * LANES < LANES ? s->threads - w * LANES : LANES;
        int64_t bytes = apart ? (int64_t)lanes * vector * bytes_of(r, src) : 1;
        lines += phases * (AVERAGE / phases * ((bytes + LINE - 1) / LINE));
        ++n;
    }
    return lines / n;
}

void traffic_least(const struct relayout *r, const struct choice *c, struct traffic *out) {
    *out = (struct traffic){0};
    out->read.lines = least_lines(r, c, &c->rd, true, c->rd.vector);
    out->write.lines = least_lines(r, c, &c->wr, false, c->wr.vector);
    traffic_of_shared_least(r, c, out);
}

void traffic_of_shared_least(const struct relayout *r, const struct choice *c,
                             struct traffic *out) {
    out->put = (struct access){0, least_passes(r, &c->rd, c->block)};
    out->get = (struct access){0, least_passes(r, &c->wr, c->wr.vector)};
}

void traffic_of_put(const struct relayout *r, const struct choice *c, struct traffic *out) {
    sample(r, c, &c->rd, true, SHARED, c->block, &out->put);
}

void traffic_of_get(const struct relayout *r, const struct choice *c, struct traffic *out) {
    sample(r, c, &c->wr, false, SHARED, c->wr.vector, &out->get);
}
