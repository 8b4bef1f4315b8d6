// Describes candidates: their number, and a line that distinguishes each from the others.
#include <inttypes.h>

#include "base/buf.h"
#include "base/session.h"
#include "planner/candidate.h"

int relayout_candidates(const struct relayout *r) {
    struct candidate c;
    int n;
    candidate_of(r, RELAYOUT_CANDIDATES - 1, &c, &n);
    return n;
}

const char relayout_too_slow[] =
    "its best plans are refused, and no other is predicted to be nearly as fast";

enum { MOST_LOSS = 30 };

int relayout_loss(struct session *s, const struct relayout *r) {
    struct relayout list[RELAYOUT_CASES];
    struct candidate best, other;
    int found, cases = r->fallback ? relayout_cases(s, r, list) : 0, loss = 0;
    for (int i = 0; i < cases; ++i) {
        int number = r->fallback->candidate[i];
        if (number == 0) continue;
        if (number >= RELAYOUT_CANDIDATES || !candidate_of(&list[i], 0, &best, &found) ||
            !candidate_of(&list[i], number, &other, &found))
            return -1;
        int64_t least = candidate_cost(&best) / 100, most = candidate_cost(&other);
        if (least < 1 || most < 1 || most / least - 100 > MOST_LOSS) return -1;
        if (most / least - 100 > loss) loss = (int)(most / least - 100);
    }
    return loss;
}

static void put_skewed(const struct relayout *r, const struct skewed *k, struct buf *b) {
    buf_printf(b,
               "windows of %" PRId64 ", %" PRId64 " across, %d threads, %d and %d bytes, "
               "shared memory%s",
               k->window, k->across, k->threads, k->load * bytes_of(r, true),
               k->vector * bytes_of(r, false), k->async ? " by cp.async" : "");
}

static void put_rows(const struct relayout *r, const struct rows *k, struct buf *b) {
    buf_printf(b, "windows of %" PRId64 ", %d threads, %d and %d bytes, %s", rows_window(k),
               rows_threads(k), k->load * bytes_of(r, true), k->store * bytes_of(r, false),
               k->staged ? "shared memory" : "registers");
}

static void put_choice(const struct relayout *r, const struct choice *c, struct buf *b) {
    buf_puts(b, "tile ");
    for (int m = 0; m < r->rank; ++m) buf_printf(b, "%s%" PRId64, m ? "x" : "", c->tile[m]);
    buf_printf(b, ", %d threads, ", c->threads);
    if (c->way == WAY_STRAIGHT)
        buf_printf(b, "%d bytes, registers", c->rd.vector * wider_bytes(r));
    else
        buf_printf(b, "%d and %d bytes, shared memory by %d", c->rd.vector * bytes_of(r, true),
                   c->wr.vector * bytes_of(r, false), c->block * held_bytes(r));
    buf_printf(b, ", grid along the %s", c->grid.by_src ? "source" : "destination");
    if (c->grid.lead >= 0)
        buf_printf(b, ", %" PRId64 " of mode %d first", c->grid.lead_tiles, c->grid.lead);
}

static void put_flat(const struct flat *f, const struct choice *c, struct buf *b) {
    buf_printf(b, "%d modes in a row, ", f->parts);
    put_choice(&f->r, c, b);
}

static void put_line(const struct relayout *r, const struct line *k, struct buf *b) {
    buf_printf(b, "%" PRId64 " in a row, %d threads, %d and %d bytes, registers", line_elements(k),
               k->threads, k->load * bytes_of(r, true), k->store * bytes_of(r, false));
}

const char *relayout_how(struct session *s, const struct relayout *r) {
    struct candidate c;
    struct buf b;
    int n;
    if (!candidate_of(r, r->candidate, &c, &n)) return NULL;
    buf_init(&b);
    if (c.form == FORM_ROWS)
        put_rows(r, &c.rows, &b);
    else if (c.form == FORM_SKEWED)
        put_skewed(c.in_row ? &c.flat.r : r, &c.skewed, &b);
    else if (c.form == FORM_FLAT)
        put_flat(&c.flat, &c.tile.c, &b);
    else if (c.form == FORM_LINE)
        put_line(r, &c.line, &b);
    else
        put_choice(r, &c.tile.c, &b);
    return buf_finish(&b, &s->arena);
}
