// Writes a kernel of several copies.  Each has its own blocks along the first axis: those of numbers
// follow one another; if params count tiles, the copies take turns.  Blocks beyond the tiles of a copy
// do nothing.  Also writes the kernel of a copy between devices, whose pieces take turns.
#include <inttypes.h>
#include <string.h>

#include "base/buf.h"
#include "planner/form.h"

struct member {
    struct candidate of;
    struct text t;
    struct relayout_names names;
    struct axes g;
    int64_t begin, blocks;  // its blocks, if they are a number
};

// Adds "more" to the sum "text", if it is not one of its terms.
static const char *sum(const struct text *t, const char *text, const char *more) {
    const char *at = text ? strstr(text, more) : NULL;
    size_t n = strlen(more);
    if (!text) return more;
    if (at && (at == text || at[-1] == ' ') && (at[n] == 0 || at[n] == ' ')) return text;
    return text_print(t, "%s + %s", text, more);
}

// The number of blocks of "m" along axis "a"; "*open": params give it, and blocks beyond it are outside
// of the tensors.
static const char *blocks_along(const struct relayout *r, const struct member *m, int a,
                                bool *open) {
    int last = a < m->g.axes ? m->g.digits[a] - 1 : -1;
    *open = !r->index && last >= 0 && r->mode[m->g.digit[a][last]].text[RELAYOUT_EXTENT];
    if (!*open && a > 0) return "1";
    if (!r->usual) return text_print(&m->t, "%" PRId64, m->blocks);
    return text_blocks_along(&m->t, r, &m->of.tile.c, a);
}

// Whether a coordinate is a quotient by a number of tiles that params give.  Proofs know these only
// where the grid has no other blocks.
static bool divides_by_params(const struct relayout *r, const struct member *m) {
    bool any = false;
    for (int a = 0; a < m->g.axes; ++a)
        for (int i = 0; i + 1 < m->g.digits[a]; ++i)
            any |= r->mode[m->g.digit[a][i]].text[RELAYOUT_EXTENT] != NULL;
    return any;
}

// Opens loops without steps in blocks beyond those of "m" along the axes of "grid"; returns their
// number.
static int open_loops(const struct relayout *r, const struct member *m, const char *const grid[],
                      struct buf *out) {
    int n = 0;
    for (int a = 0; a < AXES; ++a) {
        bool open;
        const char *blocks = blocks_along(r, m, a, &open);
        if (open || strcmp(grid[a], blocks) == 0) continue;
        const char *by = strcmp(blocks, "1") == 0 ? "" : text_print(&m->t, " / %s", blocks);
        const char *of = a == 0 ? m->t.block : text_print(&m->t, "block.%c", "xyz"[a]);
        buf_printf(out, "  for on_%c%s in %s%s .. 1 {\n", "xyz"[a], m -> t.end, of, by);
        ++n;
    }
    return n;
}

// Sets "m" to the best candidate for "r", one of several copies, whose blocks begin at "begin".
// False: there is none.
static bool make_member(struct session *s, const struct relayout *r, const char *end, int64_t begin,
                        struct member *m) {
    struct flat row;
    int found;
    *m = (struct member){.begin = begin, .blocks = 1};
    if (!candidate_of(r, 0, &m->of, &row, &found)) return false;
    m->names.src = arena_printf(&s->arena, "from%s", end);
    m->names.dst = arena_printf(&s->arena, "to%s", end);
    m->t = (struct text){.s = s, .r = r, .of = &m->of, .names = &m->names, .end = end};
    m->g.axes = 1;
    if (r->index) return true;
    axes_of(r, &m->of.tile.c, &m->g);
    for (int k = 0; k < r->rank && !r->usual; ++k) m->blocks *= tiles_along(r, &m->of.tile.c, k);
    return true;
}

const char *relayout_several(struct session *s, const struct relayout_several *of,
                             struct buf *out) {
    static const struct hole none[] = {{0}};
    const struct relayout *r = of->r;
    int n = of->n, threads = 0;
    struct member *m = ARENA_ARRAY(&s->arena, struct member, n);
    const char *grid[AXES] = {NULL};
    int64_t all = 0;
    bool open = false, beyond;
    const char *under = "_";  // no argument has it before a number
    for (int i = 0; i < n; ++i)
        while (strstr(of->head, arena_printf(&s->arena, "%s%d", under, i)))
            under = arena_printf(&s->arena, "%s_", under);
    for (int i = 0; i < n; ++i) {
        if (!make_member(s, &r[i], arena_printf(&s->arena, "%s%d", under, i), all, &m[i]))
            return "one of its copies takes more than 2^31 blocks";
        all += m[i].blocks;
        if (all > INT32_MAX) return "its copies take more than 2^31 blocks";
        if (m[i].of.threads > threads) threads = m[i].of.threads;
        open |= r[i].usual != NULL;
    }
    for (int i = 0; i < n && open; ++i) {
        if (divides_by_params(&r[i], &m[i]))
            return "one of several copies has tiles along more than three extents that are params";
        for (int a = 0; a < AXES; ++a)
            grid[a] = sum(&m[i].t, grid[a], blocks_along(&r[i], &m[i], a, &beyond));
    }
    buf_printf(out, "kernel %s grid (", of->head);
    if (open)
        buf_printf(out, "%d*(%s), %s, %s", n, grid[0], grid[1], grid[2]);
    else
        buf_printf(out, "%" PRId64, all);
    buf_printf(out, ") threads %d {\n", threads);
    for (int i = 0; i < n; ++i) {
        const char *end = m[i].t.end;
        int loops = 1;
        // lower/comment.c counts the first of these names
        buf_printf(out, "  let %s = %s;\n  let %s = %s;\n", m[i].names.src, of->src[i],
                   m[i].names.dst, of->dst[i]);
        m[i].t.block = arena_printf(&s->arena, "block%s", end);
        // once in its blocks, and never in others
        if (open)
            buf_printf(out,
                       "  let block%s = block.x / %d;\n"
                       "  for on%s in 0 .. (%d - (block.x + %d) %% %d) / %d {\n",
                       end, n, end, n, n - i, n, n);
        else
            buf_printf(out,
                       "  let block%s = (block.x + %" PRId64 ") %% %" PRId64
                       ";\n  for on%s in 0 .. (%" PRId64 " - block%s) / %" PRId64 " {\n",
                       end, all - m[i].begin, all, end, m[i].blocks - 1 + all, end, all);
        if (open) loops += open_loops(&r[i], &m[i], grid, out);
        m[i].t.hole = m[i].of.form->holes(&m[i].t);
        buf_puts(out, text_fill(&m[i].t, m[i].of.form->body, none));
        while (loops-- > 0) buf_puts(out, "  }\n");
    }
    buf_puts(out, "}\n");
    return NULL;
}

// "body" with the widest accesses that are right instead of its widths: shorter parts may end within an access,
// and then accesses are narrower where no tile is inside.
static const char *as_wide_as_right(const struct text *t, const char *body) {
    static const char exact[] = "universal(";
    const char *at = strstr(body, exact);
    if (!at) return body;
    return text_print(t, "%.*sauto(%s", (int)(at - body), body,
                      as_wide_as_right(t, at + sizeof exact - 1));
}

const char *relayout_pieces(struct session *s, const struct relayout_pieces *of, struct buf *out) {
    static const struct hole none[] = {{0}};
    const struct relayout *r = of->r;
    const char *end = of->end;
    struct member m;
    bool beyond;
    if (!make_member(s, r, end, 0, &m) || m.blocks > INT32_MAX / of->pieces)
        return "a device writes more than 2^31 blocks";
    if (divides_by_params(r, &m))
        return "its pieces have tiles along more than two extents that are params";
    const char *x = blocks_along(r, &m, 0, &beyond), *y = blocks_along(r, &m, 1, &beyond);
    buf_printf(out, "kernel %s grid (%" PRId64 " * (%s), %s, %" PRId64 ") threads %d {\n", of->head,
               of->pieces, x, y, of->devices, m.of.threads);
    if (strstr(of->lets, "rank")) buf_printf(out, "  let rank%s = block.z;\n", end);
    if (of->pieces > 1) {
        // neighbouring blocks write to different devices, so that all links are busy at once
        m.t.block = arena_printf(&s->arena, "block%s", end);
        buf_printf(out, "  let piece%s = block.x %% %" PRId64 ";\n", end, of->pieces);
    }
    if (of->pieces > 1 && strcmp(x, "1") != 0)
        buf_printf(out, "  let %s = block.x / %" PRId64 ";\n", m.t.block, of->pieces);
    buf_printf(out, "%s  let %s = %s;\n  let %s = %s;\n", of->lets, m.names.src, of->src,
               m.names.dst, of->dst);
    m.t.hole = m.of.form->holes(&m.t);
    const char *body = text_fill(&m.t, m.of.form->body, none);
    buf_puts(out, r->shorter ? as_wide_as_right(&m.t, body) : body);
    for (int i = 0; i < of->nlets; ++i) buf_puts(out, "  }\n");
    buf_puts(out, "}\n");
    return NULL;
}
