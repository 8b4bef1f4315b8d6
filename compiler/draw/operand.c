// Draws an operand of a tiled MMA like the instruction's own tables (PTX ISA, "Matrix Fragments for
// mma.m16n8k16"): rows and columns of the matrix, with the thread and its values in each cell.
#include <inttypes.h>

#include "draw/domain.h"
#include "layout/algebra.h"
#include "plan/mma.h"
#include "plan/view.h"

enum { MAX_VALUES = 1 << 24 };

struct holder {
    int32_t thread, value;  // the first one that has the element; -1: none
    bool shared;            // several threads have it
};

struct table {
    const struct tiled_copy *tc;
    int64_t extent[2];
    struct holder *of;  // by place in the tile, mode 0 the fastest
    int64_t together;   // values in a cell, along mode 1
};

static const struct holder *held(const struct table *x, int64_t a, int64_t b) {
    return &x->of[a + x->extent[0] * b];
}

static const char *find_holders(struct picture *p, struct table *x) {
    const struct tiled_copy *tc = x->tc;
    int64_t size = x->extent[0] * x->extent[1];
    if (size > PIC_TEXT_CELLS)
        return picture_text(p, "its tile has more than %d coordinates", PIC_TEXT_CELLS);
    if (tc->threads > MAX_VALUES / tc->values)
        return picture_text(p, "its threads have more than %d values", MAX_VALUES);
    x->of = ARENA_ARRAY(&p->s->arena, struct holder, size);
    for (int64_t i = 0; i < size; ++i) x->of[i].thread = -1;
    for (int64_t t = 0; t < tc->threads; ++t) {
        for (int64_t v = 0; v < tc->values; ++v) {
            int64_t i;
            if (!tiled_place(p->s, tc, false, t, v, &i)) BUG("an operand without a value");
            struct holder *c = &x->of[i];
            if (c->thread < 0)
                *c = (struct holder){(int32_t)t, (int32_t)v, false};
            else
                c->shared = true;
        }
    }
    return NULL;
}

// Whether each "n" values of a thread, from a multiple of it on, are consecutive along mode 1.
static bool are_together(const struct table *x, int64_t n) {
    for (int64_t b = 0; b < x->extent[1]; ++b) {
        for (int64_t a = 0; a < x->extent[0]; ++a) {
            const struct holder *first = held(x, a, b - b % n), *c = held(x, a, b);
            if (x->extent[1] % n != 0 || first->value % n != 0 || c->thread != first->thread ||
                c->value != first->value + b % n)
                return false;
        }
    }
    return true;
}

static const char *const *labels(struct picture *p, char prefix, int64_t n, int64_t each) {
    const char **name = ARENA_ARRAY(&p->s->arena, const char *, n);
    for (int64_t i = 0; i < n; ++i)
        name[i] = each == 1 ? picture_text(p, "%c%" PRId64, prefix, i)
                            : picture_text(p, "%c%" PRId64 "-%" PRId64, prefix, i * each,
                                           i * each + each - 1);
    return name;
}

static void fill(struct picture *p, const struct table *x, char letter, bool turned,
                 struct pic_grid *g) {
    for (int row = 0; row < g->rows; ++row) {
        for (int col = 0; col < g->columns; ++col) {
            int64_t a = turned ? col : row, b = (turned ? row : col) * x->together;
            const struct holder *c = held(x, a, b);
            struct buf text;
            buf_init(&text);
            for (int64_t i = 0; i < x->together; ++i)
                buf_printf(&text, "%s%c%" PRId64, i ? "," : "", letter, c->value + i);
            picture_cell(p, pic_at(g, row, col), 0, c->thread, "T%d:{%s}%s", (int)c->thread,
                         text.text, c->shared ? "+" : "");
            buf_release(&text);
        }
    }
}

const char *view_operand(struct picture *p, const struct draw_request *r) {
    static const char axes[MMA_OPERANDS][3] = {"mk", "nk", "mn"};
    const struct tiled_mma *mma = r->mma;
    enum mma_operand which = (enum mma_operand)r->operand;
    bool turned = which == MMA_B;  // B is (N,K), and the tables of B have rows along K
    struct table x = {.tc = r->tc};
    for (int i = 0; i < 2; ++i)
        x.extent[i] = lay_tuple_product(&p->s->lay, lay_tuple_get(&p->s->lay, x.tc->tiler, i)).num;
    const char *why = find_holders(p, &x);
    if (why) return why;
    x.together = which == MMA_C ? 2 : 32 / mma_elem(mma, which)->bits;
    if (x.together < 1 || !are_together(&x, x.together)) x.together = 1;
    int64_t cells = x.extent[1] / x.together;
    why = picture_grids(p, "the operand", 1, turned ? cells : x.extent[0],
                        turned ? x.extent[0] : cells);
    if (why) return why;
    p->title =
        picture_text(p, "%s, %c of %s: %" PRId64 " x %" PRId64 ", %" PRId64 " threads",
                     mma_operand_name(p->s, mma, which), "ABC"[which], mma_name(p->s, mma->row),
                     x.extent[turned ? 1 : 0], x.extent[turned ? 0 : 1], x.tc->threads);
    bool shared = false;
    for (int64_t i = 0; i < x.extent[0] * x.extent[1]; ++i) shared |= x.of[i].shared;
    if (shared) picture_note(p, "+: further threads hold it too");
    struct pic_grid *g = &p->grid[0];
    const char *const *first = labels(p, axes[which][0], x.extent[0], 1);
    const char *const *second = labels(p, axes[which][1], cells, x.together);
    g->row_name = turned ? second : first;
    g->column_name = turned ? first : second;
    fill(p, &x, "abc"[which], turned, g);
    picture_threads(p);
    return NULL;
}
