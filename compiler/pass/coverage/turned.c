// Proposes a transposition where a tensor goes to one with the extents the other way round.
#include <string.h>

#include "base/session.h"
#include "layout/algebra.h"
#include "pass/coverage/coverage.h"

// Whether "v" has several elements along a mode of its tensor other than "a" and "b".
static bool runs_elsewhere(struct session *s, const struct view *v, int a, int b) {
    for (int i = 0; i < lay_tuple_leaves(v->base->layout.shape); ++i) {
        const struct ix *lo, *hi;
        if (i == a || i == b) continue;
        view_reach(s, v, i, &lo, &hi);
        if (!lo || !hi || !ix_equal(lo, hi)) return true;
    }
    return false;
}

// Whether the destination of "c" has the shape of "a" with two modes the other way round, and is a
// tile along these.
static bool reversed(struct session *s, const struct tensor *a, const struct copy *c) {
    const struct lay_tuple *x = a->layout.shape, *y = c->dst.base->layout.shape;
    int n = lay_tuple_rank(x), at[2], differ = 0;
    if (a->space != MEM_GLOBAL || c->dst.base->space != MEM_GLOBAL || n < 2 ||
        lay_tuple_rank(y) != n)
        return false;
    for (int i = 0; i < n; ++i) {
        if (lay_tuple_equal(lay_tuple_get(&s->lay, x, i), lay_tuple_get(&s->lay, y, i))) continue;
        if (differ == 2) return false;
        at[differ++] = i;
    }
    if (differ < 2) return false;
    for (int i = 0; i < 2; ++i)
        if (!lay_tuple_equal(lay_tuple_get(&s->lay, x, at[i]),
                             lay_tuple_get(&s->lay, y, at[1 - i])))
            return false;
    if (n == 2) return true;
    return lay_tuple_leaves(y) == n && lay_rank(c->src.layout) == 2 &&
           lay_rank(c->dst.layout) == 2 && lay_valid(c->dst.coord) &&
           !runs_elsewhere(s, &c->dst, at[0], at[1]);
}

const char *coverage_turned_text(struct session *s, const struct view *v) {
    const char *text = s->sources.file[v->at.file].text + v->at.begin;
    return arena_printf(&s->arena, "select(%.*s, (1,0))", (int)(v->at.end - v->at.begin), text);
}

// The text of "v", a select, with the modes in the other order; NULL if it is not a plain one.
static const char *other_select(struct session *s, const struct view *v) {
    const char *at = s->sources.file[v->at.file].text + v->at.begin, *last = NULL;
    const char *end = s->sources.file[v->at.file].text + v->at.end;
    char order[4] = {0};  // the two digits
    int n = 0;
    for (const char *p = at; p < end; ++p)
        if (*p == '(') last = p;
    const char *comma = last;
    while (comma > at && *comma != ',') --comma;
    for (const char *p = last; p && p < end; ++p)
        if (*p >= '0' && *p <= '9' && n < 3) order[n++] = *p;
    if (!last || comma == at || n != 2) return NULL;
    const char *inner = arena_printf(&s->arena, "%.*s", (int)(comma - at - 7), at + 7);
    if (strcmp(order, "10") == 0) return inner;
    return strcmp(order, "01") == 0 ? arena_printf(&s->arena, "select(%s, (1,0))", inner) : NULL;
}

static bool is_select(struct session *s, const struct view *v) {
    return strncmp(s->sources.file[v->at.file].text + v->at.begin, "select(", 7) == 0;
}

bool coverage_note_turned(struct session *s, const struct kernel *k, const struct copy *first,
                          const struct copy *c) {
    const struct tensor *a = first->src.base, *b = c->dst.base;
    if (!reversed(s, a, c) || k->planned) return false;
    const char *text = coverage_turned_text(s, &c->src);
    if (is_select(s, &c->src)) {
        text = other_select(s, &c->src);
        // one select is right; two, or one that keeps the order, are not
        if (!text || first == c || is_select(s, &first->dst) == (strncmp(text, "select(", 7) == 0))
            return false;
    }
    diag_note(s, c->src.at,
              "'%s' has shape %s and '%s' %s, so this is a transposition: '%s' has the modes in "
              "the other order",
              a->name, lay_tuple_text(&s->lay, a->layout.shape), b->name,
              lay_tuple_text(&s->lay, b->layout.shape), text);
    diag_fixit(s, c->src.at, text);
    diag_claim(s, (struct claim){.function = k->name, .right = true});
    return true;
}
