// What the check of the order knows of memory: who accessed each piece of a buffer last.
#ifndef TCPC_CHECK_SHADOW_H
#define TCPC_CHECK_SHADOW_H

#include "kernel/kernel_ir.h"

// An access by one thread.
struct mark {
    int32_t event;  // index of its event; 0: none
    int32_t thread;
};

// One who read, of a list.
struct reader {
    struct mark at;
    int32_t next;  // 0: none
};

struct cell {
    struct mark write;
    int32_t readers;  // since then, of each role two at most
};

// The record for a buffer.  If its size does not belong to this function, it is a hash table by
// piece.
struct shadow {
    const struct kir_buffer *buf;
    int64_t piece;  // its length in bytes
    int64_t cells, used;
    struct cell *cell;
    int64_t *key;  // hash table: the piece of each entry, -1: free; otherwise NULL
};

struct shadows {
    struct shadow *of;
    int n;
};

// Of all buffers in "list" whose accesses must be ordered.
void shadows_init(struct shadows *x, const struct kir_node *list);
void shadows_release(struct shadows *x);
// That of "b"; NULL: it has none.
struct shadow *shadow_of(const struct shadows *x, const struct kir_buffer *b);
// NULL: the buffer has no such piece.
struct cell *shadow_cell(struct shadow *x, int64_t piece);

#endif
