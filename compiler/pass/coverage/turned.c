// Proposes a transposition where a tensor goes to one with the extents the other way round.
#include "base/session.h"
#include "layout/algebra.h"
#include "pass/coverage/coverage.h"

bool coverage_reversed(struct session *s, const struct tensor *a, const struct tensor *b) {
    const struct lay_tuple *x = a->layout.shape, *y = b->layout.shape;
    if (a->space != MEM_GLOBAL || b->space != MEM_GLOBAL || lay_tuple_rank(x) != 2 ||
        lay_tuple_rank(y) != 2)
        return false;
    const struct lay_tuple *m = lay_tuple_get(&s->lay, x, 0), *n = lay_tuple_get(&s->lay, x, 1);
    return lay_tuple_equal(m, lay_tuple_get(&s->lay, y, 1)) &&
           lay_tuple_equal(n, lay_tuple_get(&s->lay, y, 0)) && !lay_tuple_equal(m, n);
}

const char *coverage_turned_text(struct session *s, const struct view *v) {
    const char *text = s->sources.file[v->at.file].text + v->at.begin;
    return arena_printf(&s->arena, "select(%.*s, (1,0))", (int)(v->at.end - v->at.begin), text);
}

bool coverage_note_turned(struct session *s, const struct kernel *k, const struct tensor *a,
                          const struct copy *c) {
    const struct tensor *b = c->dst.base;
    if (!coverage_reversed(s, a, b) || k->planned) return false;
    const char *text = coverage_turned_text(s, &c->src);
    diag_note(s, c->src.at,
              "'%s' has shape %s and '%s' %s, so this is a transposition: '%s' has the modes in "
              "the other order",
              a->name, lay_tuple_text(&s->lay, a->layout.shape), b->name,
              lay_tuple_text(&s->lay, b->layout.shape), text);
    diag_fixit(s, c->src.at, text);
    diag_claim(s, (struct claim){.function = k->name, .right = true});
    return true;
}
