// The text of a kernel: templates with holes, and parts that several forms share.
#ifndef TCPC_PLANNER_TEXT_H
#define TCPC_PLANNER_TEXT_H

#include "base/session.h"
#include "planner/private.h"

struct candidate;
struct flat;

// A hole of a template: a text, which may be a template itself, or if that is NULL a number.
struct hole {
    const char *name;
    int64_t number;
    const char *text;
};

// What is written, and with what.
struct text {
    struct session *s;         // the texts are in its arena
    const struct relayout *r;  // as given
    const struct flat *row;    // with several modes as one row; NULL: it has none
    const struct candidate *of;
    const struct relayout_names *names;
    const char *end;  // of each name that the kernel makes, so that none is an argument's
    const struct hole *hole;
    const char *block;  // the number of the block among those of the copy; NULL: block.x
};
// Fills a template: "<NAME>", which begins with no digit, is the hole of that name in "holes" or else
// t->hole, both of which end with a name of NULL; "<src>" and "<dst>" are the arguments; "$" is
// t->end.  Other functions below write templates without holes.
const char *text_fill(const struct text *t, const char *template, const struct hole *holes);
// A copy of the holes that stays.
const struct hole *text_keep(const struct text *t, const struct hole *holes);
#define text_print(t, ...) arena_printf(&(t)->s->arena, __VA_ARGS__)
// "(a,b,c)" of texts, and of numbers.
const char *text_tuple(const struct text *t, int n, const char *const each[], const char *between);
const char *text_numbers(const struct text *t, int n, const int64_t each[]);
// Number "k" of mode "m": as the params give it, or digits.
const char *text_number(const struct text *t, const struct relayout_mode *m,
                        enum relayout_number k);
// "(..):(..)" of a side of "r", with its offset.
const char *text_layout(const struct text *t, const struct relayout *r, bool src);
// "NAME : f32 global (..):(..) align 16" of a side of "r".
const char *text_formal(const struct text *t, const struct relayout *r, bool src);
// "tile(universal(128), thr=..:.., val=..:..)" of "r".  Threads and values are numbered along the
// side's fast modes first; the values of a vector come before all others.
const char *text_tiled(const struct text *t, const struct relayout *r, const struct share *s,
                       bool src, const char *atom, int bits, const char *hints);
// The block's tile: "(..), (..)", the end of a local_tile.
const char *text_part(const struct text *t, const struct relayout *r, const struct choice *c);
// "let c0 = ..": the coordinates of a block's tile.
const char *text_coordinates(const struct text *t, const struct relayout *r,
                             const struct choice *c);
// "SRC(e / 8 % 4, e % 8, _)": the source at the coordinates of place "e" of the row that "part" of
// its modes form, the first one fastest.  Other modes and mode "kept" (-1: none) are not sliced.
// "beyond": "e" may be beyond the end of the row.
const char *text_slice(const struct text *t, const int part[], int parts, int kept, bool beyond);
// "3*c0 + ..": the begin of the block's row on a side of "r", without multiples of "step"; modes
// "x" and "y" do not count.  NULL if that is always 0.
const char *text_phase(const struct text *t, const struct relayout *r, int x, int y, bool src,
                       int step);
// Its extent along an axis.
const char *text_blocks_along(const struct text *t, const struct relayout *r,
                              const struct choice *c, int axis);
// The grid: "(8*ceil_div(M,64),16)".
const char *text_blocks(const struct text *t, const struct relayout *r, const struct choice *c);
// "shared s : ..".
const char *text_shared(const struct text *t, const struct relayout *r, const struct choice *c);
// A line that distinguishes the tile from others.
const char *text_choice(const struct text *t, const struct relayout *r, const struct choice *c);

#endif
