// Ownership maps as text.  Everything comes from evaluating the TV layout at each thread and value.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "draw/draw.h"
#include "plan/plan.h"
#include "plan/plan_run.h"

enum { MAX_CELLS = 1 << 20, MAX_VALUES = 1 << 24, CELL_TEXT = 48 };

struct cell {
    int32_t thread;  // the first that holds it, -1: none
    int32_t value;
    bool shared;
};

struct map {
    const struct tiled_copy *tc;
    struct cell *cell;
    int64_t size, extent[LAY_MAX_RANK];
    int rank;
    bool values;
    int thread_digits, value_digits;
};

static int digits(int64_t n) {
    int d = 1;
    for (; n >= 10; n /= 10) ++d;
    return d;
}

static int cell_text(const struct map *m, int64_t i, char text[CELL_TEXT]) {
    const struct cell *c = &m->cell[i];
    if (c->thread < 0) return snprintf(text, CELL_TEXT, "-");
    int n = snprintf(text, CELL_TEXT, "T%0*d", m->thread_digits, (int)c->thread);
    if (m->values)
        n += snprintf(text + n, CELL_TEXT - (size_t)n, ".V%0*d", m->value_digits, (int)c->value);
    if (c->shared) n += snprintf(text + n, CELL_TEXT - (size_t)n, "+");
    return n;
}

// Appends "text" to "out", after as many blanks as bring the line that started at "begin" to
// "column".
static void put_at(struct buf *out, size_t begin, int column, const char *text) {
    buf_fill(out, ' ', column - (int)(out->len - begin));
    buf_puts(out, text);
}

// Appends the rows of the two-dimensional slice whose first cell is number "first"; a cell takes
// "width" columns.
static void draw_slice(struct buf *out, const struct map *m, int64_t first, int width) {
    int64_t rows = m->rank > 0 ? m->extent[0] : 1, columns = m->rank > 1 ? m->extent[1] : 1;
    int label = digits(rows - 1) + 1;
    char text[CELL_TEXT];
    size_t begin = out->len;
    for (int64_t c = 0; c < columns; ++c) {
        snprintf(text, sizeof text, "c%lld", (long long)c);
        put_at(out, begin, label + 1 + (int)c * (width + 1), text);
    }
    buf_char(out, '\n');
    for (int64_t r = 0; r < rows; ++r) {
        begin = out->len;
        buf_printf(out, "r%lld", (long long)r);
        for (int64_t c = 0; c < columns; ++c) {
            cell_text(m, first + r + c * rows, text);
            put_at(out, begin, label + 1 + (int)c * (width + 1), text);
        }
        buf_char(out, '\n');
    }
}

static void draw_map(struct buf *out, const struct map *m) {
    int width = digits(m->rank > 1 ? m->extent[1] - 1 : 0) + 1;
    for (int64_t i = 0; i < m->size; ++i) {
        char text[CELL_TEXT];
        int n = cell_text(m, i, text);
        width = n > width ? n : width;
    }
    buf_puts(out, "Tile ownership map (");
    for (int i = 0; i < m->rank; ++i)
        buf_printf(out, "%s%lld", i ? " x " : "", (long long)m->extent[i]);
    buf_printf(out, "), %lld threads:\n", (long long)m->tc->threads);
    int64_t slice = 1;
    for (int i = 0; i < m->rank && i < 2; ++i) slice *= m->extent[i];
    for (int64_t first = 0; first < m->size; first += slice) {
        if (m->rank > 2) {
            buf_puts(out, first ? "\n(_,_" : "(_,_");
            int64_t rest = first / slice;
            for (int i = 2; i < m->rank; rest /= m->extent[i++])
                buf_printf(out, ",%lld", (long long)(rest % m->extent[i]));
            buf_puts(out, ")\n");
        }
        draw_slice(out, m, first, width);
    }
}

// One mode of the top level of "l" as a layout; "l" itself when it is a single leaf.
static struct lay mode_of(const struct lay *l, int i) {
    if (l->shape->rank < 0) return *l;
    return (struct lay){.shape = l->shape->kid[i], .stride = l->stride->kid[i]};
}

static const char *fill_cells(struct map *m) {
    const struct lay *tv = &m->tc->tv;
    struct plan_flat thr, val;
    if (!lay_valid(*tv) || tv->shape->rank != 2 || !plan_flatten(mode_of(tv, 0), NULL, &thr) ||
        !plan_flatten(mode_of(tv, 1), NULL, &val))
        return "its TV layout has no value";
    if (thr.size < 1 || val.size < 1 || thr.size > MAX_VALUES / val.size)
        return "its TV layout has more than 16777216 values";
    m->thread_digits = digits(thr.size - 1) < 2 ? 2 : digits(thr.size - 1);
    m->value_digits = digits(val.size - 1);
    for (int64_t i = 0; i < m->size; ++i) m->cell[i].thread = -1;
    for (int64_t t = 0; t < thr.size; ++t) {
        for (int64_t v = 0; v < val.size; ++v) {
            int64_t i = plan_flat_at(&thr, t) + plan_flat_at(&val, v);
            if (i < 0 || i >= m->size) return "its TV layout leaves the tile";
            struct cell *c = &m->cell[i];
            if (c->thread < 0)
                *c = (struct cell){(int32_t)t, (int32_t)v, false};
            else if (c->thread != t)
                c->shared = true;
        }
    }
    return NULL;
}

const char *draw_ownership(struct buf *out, const struct tiled_copy *tc, bool values) {
    struct map m = {.tc = tc, .size = 1, .values = values};
    const struct lay tiler = {.shape = tc->tiler, .stride = tc->tiler};
    m.rank = tc->tiler->rank < 0 ? 1 : tc->tiler->rank;
    for (int i = 0; i < m.rank; ++i) {
        struct plan_flat f;
        if (i == LAY_MAX_RANK || !plan_flatten(mode_of(&tiler, i), NULL, &f))
            return "its tile has no value";
        m.extent[i] = f.size;
        if (f.size < 1 || f.size > MAX_CELLS || (m.size *= f.size) > MAX_CELLS)
            return "its tile has more than 1048576 coordinates";
    }
    m.cell = calloc((size_t)m.size, sizeof *m.cell);
    if (!m.cell) return "memory is out";
    const char *why = fill_cells(&m);
    if (!why) draw_map(out, &m);
    free(m.cell);
    return why;
}
