// Writes a kernel of several copies.  Each has its own blocks: those of numbers follow one another
// along the first axis; if params count tiles, the third axis counts the copies, and blocks beyond
// the tiles of a copy do nothing.
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

// Sets "grid" to the sums of the extents of all copies; false if their params do not go together.
static bool open_grid(const struct relayout *r, struct member *m, int n, const char *grid[AXES]) {
    for (int i = 0; i < n; ++i) {
        int last = m[i].g.digits[0] - 1;
        bool counted = last >= 0 && r[i].mode[m[i].g.digit[0][last]].text[RELAYOUT_EXTENT];
        if (!r[i].usual || !counted || m[i].g.axes != m[0].g.axes || m[i].g.axes == AXES)
            return false;
        for (int a = 0; a < m[i].g.axes; ++a)
            grid[a] = sum(&m[i].t, grid[a], text_blocks_along(&m[i].t, &r[i], &m[i].of.tile.c, a));
    }
    return true;
}

const char *relayout_several(struct session *s, const struct relayout *r, const char *const src[],
                             const char *const dst[], int n, const char *head, struct buf *out) {
    static const struct hole none[] = {{0}};
    struct member *m = ARENA_ARRAY(&s->arena, struct member, n);
    const char *grid[AXES] = {NULL};
    int64_t all = 0;
    int threads = 0;
    bool open = false;
    const char *under = "_";  // no argument has it before a number
    for (int i = 0; i < n; ++i)
        while (strstr(head, arena_printf(&s->arena, "%s%d", under, i)))
            under = arena_printf(&s->arena, "%s_", under);
    for (int i = 0; i < n; ++i) {
        struct flat row;
        int found;
        m[i] = (struct member){.begin = all, .blocks = 1};
        if (!candidate_of(&r[i], 0, &m[i].of, &row, &found))
            return "one of its copies takes more than 2^31 blocks";
        const struct choice *c = &m[i].of.tile.c;
        m[i].names.src = arena_printf(&s->arena, "from%s%d", under, i);
        m[i].names.dst = arena_printf(&s->arena, "to%s%d", under, i);
        m[i].t = (struct text){.s = s, .r = &r[i], .of = &m[i].of, .names = &m[i].names};
        m[i].t.end = arena_printf(&s->arena, "%s%d", under, i);
        axes_of(&r[i], c, &m[i].g);
        for (int k = 0; k < r[i].rank && !r[i].usual; ++k) m[i].blocks *= tiles_along(&r[i], c, k);
        all += m[i].blocks;
        if (all > INT32_MAX) return "its copies take more than 2^31 blocks";
        if (m[i].of.threads > threads) threads = m[i].of.threads;
        open |= r[i].usual != NULL;
    }
    if (open && !open_grid(r, m, n, grid))
        return "several copies need the same number of extents that are params in each, at most "
               "two";
    buf_printf(out, "kernel %s grid (", head);
    if (open)
        buf_printf(out, "%s, %s, %d", grid[0], grid[1] ? grid[1] : "1", n);
    else
        buf_printf(out, "%" PRId64, all);
    buf_printf(out, ") threads %d {\n", threads);
    for (int i = 0; i < n; ++i) {
        const char *end = m[i].t.end;
        buf_printf(out, "  let %s = %s;\n  let %s = %s;\n", m[i].names.src, src[i], m[i].names.dst,
                   dst[i]);
        m[i].t.block = open ? NULL : arena_printf(&s->arena, "block%s", end);
        // once in its blocks, and never in others
        if (open)
            buf_printf(out, "  for on%s in 0 .. (%d - (block.z + %d) %% %d) / %d {\n", end, n,
                       n - i, n, n);
        else
            buf_printf(out,
                       "  let block%s = (block.x + %" PRId64 ") %% %" PRId64
                       ";\n  for on%s in 0 .. (%" PRId64 " - block%s) / %" PRId64 " {\n",
                       end, all - m[i].begin, all, end, m[i].blocks - 1 + all, end, all);
        m[i].t.hole = m[i].of.form->holes(&m[i].t);
        buf_puts(out, text_fill(&m[i].t, m[i].of.form->body, none));
        buf_puts(out, "  }\n");
    }
    buf_puts(out, "}\n");
    return NULL;
}
