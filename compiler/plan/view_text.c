// Modes in messages, and the text of a view.
#include <string.h>

#include "base/session.h"
#include "layout/algebra.h"
#include "plan/view.h"

// Whether the parts of "mode" other than number "part" have one coordinate each.
static bool is_only_part(struct session *s, const struct lay_tuple *mode, int part) {
    const struct lay_tuple *flat = lay_tuple_flatten(&s->lay, mode);
    for (int i = 0; i < lay_tuple_leaves(mode); ++i)
        if (i != part && !lay_int_is(lay_tuple_get(&s->lay, flat, i)->leaf, 1)) return false;
    return true;
}

const char *view_mode_text(struct session *s, const struct tensor *t, int leaf) {
    const struct lay_tuple *shape = t->layout.shape;
    int n = lay_tuple_rank(shape), at = 0;
    for (int i = 0; i < n && at <= leaf; ++i) {
        const struct lay_tuple *mode = lay_tuple_get(&s->lay, shape, i);
        int parts = lay_tuple_leaves(mode);
        if (leaf < at + parts) {
            const char *name = t->names && t->names[i] ? t->names[i] : NULL;
            const char *text = name ? arena_printf(&s->arena, "mode %d ('%s')", i, name)
                                    : arena_printf(&s->arena, "mode %d", i);
            return is_only_part(s, mode, leaf - at)
                       ? text
                       : arena_printf(&s->arena, "part %d of %s", leaf - at, text);
        }
        at += parts;
    }
    return arena_printf(&s->arena, "mode %d", leaf);
}

bool view_is_select(struct session *s, const struct view *v) {
    return strncmp(source_line(s, v->at), "select(", 7) == 0;
}

const char *view_turned_text(struct session *s, const struct view *v) {
    const char *text = source_line(s, v->at), *comma = NULL;
    char order[3] = {0};
    int n = 0, open = 0;
    for (const char *p = text; *p && view_is_select(s, v); ++p) {
        open += (*p == '(') - (*p == ')');
        if (*p == ',' && open == 1) comma = p;
    }
    for (const char *p = comma; p && *p; ++p)
        if (*p >= '0' && *p <= '9' && n < 2) order[n++] = *p;
    const char *inner =
        comma ? arena_printf(&s->arena, "%.*s", (int)(comma - text - 7), text + 7) : text;
    if (strcmp(order, "10") == 0) return inner;
    return arena_printf(&s->arena, "select(%s, (1,0))", strcmp(order, "01") == 0 ? inner : text);
}
