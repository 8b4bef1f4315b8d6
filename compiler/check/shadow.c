#include "check/shadow.h"

#include "base/session.h"
#include "check/order_steps.h"

enum { FIRST_PIECES = 1024, HASH_SHIFT = 20 };
#define HASH_FACTOR ((uint64_t)0x9e3779b97f4a7c15u)

struct shadow *shadow_of(const struct shadows *x, const struct kir_buffer *b) {
    for (int i = 0; i < x->n; ++i) {
        if (x->of[i].buf == b) return &x->of[i];
    }
    return NULL;
}

static void add_shadow(struct shadows *all, const struct kir_buffer *b, int64_t bytes) {
    if (!order_tracks(b)) return;
    struct shadow *x = shadow_of(all, b);
    if (!x) {
        x = &all->of[all->n++];
        *x = (struct shadow){.buf = b, .piece = bytes};
    }
    if (bytes < x->piece) x->piece = bytes;
}

static void find_buffers(struct shadows *x, const struct kir_node *list) {
    for (const struct kir_node *n = list; n; n = n->next) {
        if (n->bits) {
            add_shadow(x, n->buf, n->bits / 8);
            add_shadow(x, n->to_buf, n->bits / 8);
        }
        for (int i = 0; i < n->nargs; ++i) {
            if (n->arg[i].buf) add_shadow(x, n->arg[i].buf, n->arg[i].buf->elem->bits / 8);
        }
        find_buffers(x, n->body);
        find_buffers(x, n->orelse);
    }
}

static void make_cells(struct shadow *x) {
    if (x->buf->space == MEM_GLOBAL || x->buf->outside) {
        x->cells = FIRST_PIECES;
        x->key = memory_new(sizeof *x->key * (size_t)x->cells);
        for (int64_t i = 0; i < x->cells; ++i) x->key[i] = -1;
    } else {
        int64_t bytes = x->buf->count * x->buf->elem->bits / 8;
        x->cells = (bytes + x->piece - 1) / x->piece;
    }
    x->cell = memory_zeroed((size_t)x->cells, sizeof *x->cell);
}

static int64_t slot_of(const struct shadow *x, int64_t piece) {
    uint64_t i = (uint64_t)piece * HASH_FACTOR >> HASH_SHIFT, mask = (uint64_t)x->cells - 1;
    while (x->key[i & mask] >= 0 && x->key[i & mask] != piece) ++i;
    return (int64_t)(i & mask);
}

static void grow(struct shadow *x) {
    struct shadow old = *x;
    x->cells *= 2;
    x->key = memory_new(sizeof *x->key * (size_t)x->cells);
    x->cell = memory_zeroed((size_t)x->cells, sizeof *x->cell);
    for (int64_t i = 0; i < x->cells; ++i) x->key[i] = -1;
    for (int64_t i = 0; i < old.cells; ++i) {
        if (old.key[i] < 0) continue;
        int64_t to = slot_of(x, old.key[i]);
        x->key[to] = old.key[i];
        x->cell[to] = old.cell[i];
    }
    memory_free(old.key);
    memory_free(old.cell);
}

struct cell *shadow_cell(struct shadow *x, int64_t piece) {
    if (!x->key) return piece >= 0 && piece < x->cells ? &x->cell[piece] : NULL;
    if (2 * x->used >= x->cells) grow(x);
    int64_t i = slot_of(x, piece);
    if (x->key[i] < 0) {
        x->key[i] = piece;
        ++x->used;
    }
    return &x->cell[i];
}

void shadows_init(struct shadows *x, const struct kir_node *list) {
    x->n = 0;
    x->of = memory_zeroed((size_t)order_nodes(list) + 1, sizeof *x->of);
    find_buffers(x, list);
    for (int i = 0; i < x->n; ++i) make_cells(&x->of[i]);
}

void shadows_release(struct shadows *x) {
    for (int i = 0; i < x->n; ++i) {
        memory_free(x->of[i].cell);
        memory_free(x->of[i].key);
    }
    memory_free(x->of);
}
