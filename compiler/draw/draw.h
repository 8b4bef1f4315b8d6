// Drawings of layouts and plans: who owns which element, where an element is and in which bank,
// what a kernel moves.  They are made by evaluating layouts point by point.
#ifndef TCPC_DRAW_DRAW_H
#define TCPC_DRAW_DRAW_H

#include <stdbool.h>
#include <stdint.h>

#include "plan/plan.h"

struct buf;
struct tiled_mma;

enum draw_view {
    DRAW_OWNERS,    // tiled copy: the thread of each element of the tile
    DRAW_TV,        // tiled copy: the element of each thread and value
    DRAW_INVERSE,   // tiled copy: the thread and the value of each element
    DRAW_LAYOUT,    // layout, tensor: the offset of each element
    DRAW_SWIZZLE,   // layout, tensor: where a swizzle takes each piece of a row
    DRAW_BANKS,     // layout, tensor: the bank of each element; copy: the banks a warp touches
    DRAW_SECTORS,   // copy: the sectors of global memory a warp touches
    DRAW_PATH,      // copy: what one thread moves, round by round
    DRAW_FLOW,      // kernel: its copies, from tensor to tensor
    DRAW_TIMELINE,  // kernel: the schedule of its pipelines
    DRAW_OPERAND,   // operand of a tiled MMA: threads and values, as the instruction's tables
    N_DRAW_VIEWS
};

// The name of "view", as --view= takes it.
const char *draw_view_name(enum draw_view view);

enum draw_format { DRAW_TEXT, DRAW_SVG, DRAW_TIKZ };

// What to draw.  One of the subjects is set; the comment of each says which views need it.
struct draw_request {
    enum draw_view view;
    enum draw_format format;
    const char *name;             // of the subject
    const struct tiled_copy *tc;  // OWNERS, TV, INVERSE
    const struct tiled_mma *mma;  // OPERAND; "tc" is the operand's tile then
    int operand;                  // enum mma_operand
    struct lay layout;            // LAYOUT, SWIZZLE, BANKS; invalid if there is none
    const struct tensor *tensor;  // the tensor with "layout", or NULL
    const char *const *names;     // of the modes of the subject, or NULL
    const struct copy *copy;      // PATH, BANKS, SECTORS; after the passes
    const struct kernel *kernel;  // FLOW, TIMELINE, after the passes; the kernel of "copy"
    bool values;                  // OWNERS: show the values too
    int64_t thread;               // PATH
    int bits;                     // BANKS of a layout: bits of an element, 0: not known
    const int64_t *sym_values;    // of the params, by lay_sym.id
    bool color;                   // of text, by escape sequences
    int wide;                     // columns of the terminal that text goes to; 0: none
};

// Appends the drawing to "out".  "p" may be NULL for a layout.  Returns NULL, or why there is no
// drawing; nothing is then appended.
const char *draw(struct session *s, const struct plan *p, const struct draw_request *r,
                 struct buf *out);

#endif
