// The colours of pictures, and the colour of each thread.
#include "draw/picture.h"
#include "hw/sizes.h"

enum { N_WHEEL = 32, N_RAMP = 16 };

// Lightness and chroma (OKLCH) are equal in each list, so that no colour stands out.
const struct pic_shade pic_shades[N_COLOURS] = {
    // the wheel, in 32 steps
    {0xFFBBBA, 0x6E3334},
    {0xFFBDAF, 0x6E342A},
    {0xFFBFA5, 0x6D3620},
    {0xFEC29D, 0x6A3914},
    {0xF8C696, 0x663C08},
    {0xF1CA92, 0x614000},
    {0xE9CE90, 0x5B4400},
    {0xDFD291, 0x544800},
    {0xD4D695, 0x4B4B04},
    {0xC8DA9B, 0x414E11},
    {0xBCDDA4, 0x35511D},
    {0xB0E0AE, 0x285328},
    {0xA4E2B9, 0x175533},
    {0x9AE3C5, 0x00563D},
    {0x92E4D0, 0x005647},
    {0x8CE3DC, 0x005651},
    {0x8AE2E7, 0x00555A},
    {0x8CE0F1, 0x005362},
    {0x91DEF9, 0x005168},
    {0x98DBFF, 0x004E6E},
    {0xA2D8FF, 0x174B72},
    {0xADD4FF, 0x274875},
    {0xB8D0FF, 0x334575},
    {0xC4CCFF, 0x3E4275},
    {0xD0C8FF, 0x483F72},
    {0xDAC5FF, 0x503C6E},
    {0xE4C1FA, 0x573968},
    {0xEDBFF1, 0x5E3762},
    {0xF5BCE7, 0x63355A},
    {0xFBBBDD, 0x683351},
    {0xFFBAD1, 0x6B3248},
    {0xFFBAC5, 0x6D323E},
    // the same, deeper
    {0xE88E8E, 0x94494C},
    {0xE89080, 0x944B3F},
    {0xE59373, 0x924E33},
    {0xE19767, 0x8F5126},
    {0xDB9C5D, 0x8A561A},
    {0xD3A156, 0x845A0E},
    {0xC9A653, 0x7C5F06},
    {0xBDAC54, 0x72630A},
    {0xAFB15A, 0x676815},
    {0xA1B564, 0x5B6B22},
    {0x91BA70, 0x4D6F2F},
    {0x80BD7D, 0x3D723C},
    {0x6FBF8C, 0x2A7449},
    {0x5EC19B, 0x0E7556},
    {0x4EC1AA, 0x037462},
    {0x43C1B8, 0x04736D},
    {0x3EC0C6, 0x007176},
    {0x42BDD2, 0x03707F},
    {0x4DBADC, 0x026E89},
    {0x5BB6E5, 0x0D6C93},
    {0x6BB2EB, 0x286898},
    {0x7CADEF, 0x3B649B},
    {0x8CA8F1, 0x4A609C},
    {0x9BA4F0, 0x575C9B},
    {0xA99FEC, 0x625898},
    {0xB69AE6, 0x6D5593},
    {0xC296DD, 0x76518C},
    {0xCD93D3, 0x7E4E84},
    {0xD690C7, 0x854C7A},
    {0xDD8EBA, 0x8B4A6F},
    {0xE38DAC, 0x8F4964},
    {0xE68D9D, 0x924958},
    // the ramp
    {0xF0F8FF, 0x192029},
    {0xE7F3FC, 0x1A242F},
    {0xDEEDF9, 0x1B2835},
    {0xD4E8F6, 0x1C2D3B},
    {0xCAE3F2, 0x1C3141},
    {0xC0DFEF, 0x1C3648},
    {0xB5DAEB, 0x1B3B4D},
    {0xABD5E6, 0x1A4053},
    {0xA0D1E1, 0x174559},
    {0x95CCDC, 0x144A5F},
    {0x8AC8D7, 0x0E4F64},
    {0x7EC3D1, 0x055569},
    {0x72BFCB, 0x005A6E},
    {0x66BAC5, 0x006073},
    {0x59B6BE, 0x006677},
    {0x4BB2B7, 0x006B7B},
};

int pic_wheel(int64_t i, int64_t n) {
    return (int)(n <= N_WHEEL ? i % n * N_WHEEL / n : i % N_WHEEL);
}

int pic_ramp(int64_t i, int64_t n) {
    if (i < 0) i = 0;
    if (n < 2) n = 2;
    if (i >= n) i = n - 1;
    return 2 * N_WHEEL + (int)((double)i * (N_RAMP - 1) / (double)(n - 1));
}

// Steps around the wheel of 32 colours.  13 times 1, 2, 3, 4, 6, 8 or 16 is at least 6 steps away
// from the start.
enum { LANE_STEPS = 13, WARP_STEPS = 28 };

int pic_hue(int64_t i) {
    return (int)(i % N_WHEEL * LANE_STEPS % N_WHEEL);
}

// -- threads --------------------------------------------------------------------------------------

void pic_beside(struct pic_neighbours *n, int64_t a, int64_t b) {
    int64_t lanes = a % LANES - b % LANES, warps = a / LANES - b / LANES;
    n->apart[(lanes + LANES) % LANES][(warps % N_WHEEL + N_WHEEL) % N_WHEEL] = true;
}

// The smallest distance of the colours of neighbours, squared, in steps of the wheel.  The other
// depth counts as 7 steps.
static int nearest(const struct pic_neighbours *n, struct pic_scheme m) {
    int least = N_WHEEL * N_WHEEL;
    for (int l = 0; l < LANES; ++l) {
        for (int w = 0; w < N_WHEEL; ++w) {
            int way = (l * m.lane + w * m.warp) % N_WHEEL;
            if (way > N_WHEEL / 2) way = N_WHEEL - way;
            if (n->apart[l][w] && way * way + w % 2 * 49 < least) least = way * way + w % 2 * 49;
        }
    }
    return least;
}

struct pic_scheme pic_scheme_for(const struct pic_neighbours *n) {
    enum { ENOUGH = 25 };
    struct pic_scheme best = {LANE_STEPS, WARP_STEPS};
    int far = nearest(n, best);
    for (int lane = 1; lane < N_WHEEL && far < ENOUGH; lane += 2) {
        for (int warp = 0; warp < N_WHEEL; ++warp) {
            struct pic_scheme m = {lane, warp};
            if (nearest(n, m) <= far) continue;
            far = nearest(n, m);
            best = m;
        }
    }
    return best;
}

int pic_thread(struct pic_scheme m, int64_t t) {
    int64_t lane = t % LANES, warp = t / LANES;
    return (int)((lane * m.lane + warp % N_WHEEL * m.warp) % N_WHEEL + warp % 2 * N_WHEEL);
}

// Calls pic_beside for cell "a" and the one at (row, column) if they belong to different threads.
static void look(struct pic_neighbours *n, const struct pic_grid *g, const struct pic_cell *a,
                 int row, int column) {
    if (row >= g->rows || column < 0 || column >= g->columns) return;
    const struct pic_cell *b = pic_at(g, row, column);
    if (a->colour < 0 || b->colour < 0 || a->group == b->group) return;
    pic_beside(n, a->group, b->group);
    pic_beside(n, b->group, a->group);
}

void picture_threads(struct picture *p) {
    struct pic_neighbours n = {0};
    int64_t least = INT64_MAX, most = 0;
    for (int k = 0; k < p->ngrids; ++k) {
        struct pic_grid *g = &p->grid[k];
        g->threads = g->merged = true;
        for (int r = 0; r < g->rows; ++r) {
            for (int c = 0; c < g->columns; ++c) {
                const struct pic_cell *a = pic_at(g, r, c);
                look(&n, g, a, r, c + 1);
                for (int d = -1; d <= 1; ++d) look(&n, g, a, r + 1, c + d);
                if (a->colour < 0) continue;
                if (a->group > most) most = a->group;
                if (a->group < least) least = a->group;
            }
        }
    }
    struct pic_scheme m = pic_scheme_for(&n);
    for (int k = 0; k < p->ngrids; ++k)
        for (int i = 0; i < p->grid[k].rows * p->grid[k].columns; ++i) {
            struct pic_cell *c = &p->grid[k].cell[i];
            if (c->colour >= 0) c->colour = pic_thread(m, c->group);
        }
    if (most < LANES || least / LANES == most / LANES || p->format == DRAW_TEXT) return;
    picture_key(p, pic_thread(m, 0), "even warps");
    picture_key(p, pic_thread(m, LANES), "odd warps, deeper; a thick line separates warps");
}
