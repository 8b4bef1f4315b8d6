// Slices of views divided by partition_src and partition_dst, in the modes of the block's view.
#include <string.h>

#include "base/buf.h"
#include "base/session.h"
#include "layout/algebra.h"
#include "plan/view.h"

static bool keeps(const struct coord *c) {
    return c->rank < 0 && !c->ix;
}

const struct divided *divided_slice(struct session *s, const struct divided *d,
                                    const struct coord *c) {
    if (!d || keeps(c)) return d;
    struct coord *kid = ARENA_ARRAY(&s->arena, struct coord, d->at.rank);
    int n = 0;
    for (int i = 0; i < d->at.rank; ++i) {
        kid[i] = d->at.kid[i];
        if (!keeps(&kid[i])) continue;
        if (n == c->rank || c->kid[n].rank >= 0) return NULL;  // a part of a mode
        kid[i] = c->kid[n++];
    }
    if (n != c->rank || !keeps(&kid[0])) return NULL;
    struct divided *made = ARENA_NEW(&s->arena, struct divided);
    *made = *d;
    made->at.kid = kid;
    return made;
}

struct view divided_tiles(struct session *s, const struct divided *d, struct range at) {
    int n = d->at.rank - 1, tiled = lay_tuple_rank(d->by->tiler);
    struct coord *kid = ARENA_ARRAY(&s->arena, struct coord, n + 1);
    for (int i = 0; i < n; ++i) {
        kid[i] = d->at.kid[i + 1];
        if (i >= tiled || keeps(&kid[i])) continue;
        struct coord *pair = ARENA_ARRAY(&s->arena, struct coord, 2);
        pair[0] = (struct coord){.rank = -1};
        pair[1] = kid[i];
        kid[i] = (struct coord){.rank = 2, .kid = pair};
    }
    struct view v = view_slice(s, d->all, &(struct coord){.rank = n, .kid = kid}, at);
    v.divided = NULL;
    return v;
}

// Adds a note for "A(0)" of a matrix, which is a row in numpy.
static bool note_element(struct session *s, const struct view *v) {
    const char *text = s->sources.file[v->at.file].text + v->at.begin;
    size_t length = v->at.end - v->at.begin, name = strlen(v->base->name);
    int rank = lay_valid(v->base->layout) ? lay_rank(v->base->layout) : 0;
    if (rank < 2 || !lay_valid(v->layout) || lay_rank(v->layout) > 0 || length < name + 3 ||
        memcmp(text, v->base->name, name) != 0 || text[name] != '(' || text[length - 1] != ')' ||
        memchr(text, ',', length))
        return false;
    struct buf b;
    buf_init(&b);
    for (int i = 1; i < rank; ++i) buf_printf(&b, ",_");
    int inside = (int)(length - name - 2);
    const char *rest = buf_finish(&b, &s->arena);
    diag_note(s, v->at,
              "one coordinate of several modes counts all elements, mode 0 first, and this is one "
              "element; '%s(%.*s%s)' has index %.*s along mode 0, and all of the others",
              v->base->name, inside, text + name + 1, rest, inside, text + name + 1);
    diag_fixit(s, (struct range){v->at.file, v->at.end - 1, v->at.end - 1}, rest);
    return true;
}

void view_note_tile(struct session *s, const struct view *v) {
    if (note_element(s, v)) return;
    static const char call[] = "local_tile(";
    const char *text = s->sources.file[v->at.file].text + v->at.begin;
    int rank = lay_valid(v->base->layout) ? lay_rank(v->base->layout) : 0,
        has = lay_valid(v->layout) ? lay_rank(v->layout) : rank;
    if (v->at.end - v->at.begin < sizeof call || strncmp(text, call, sizeof call - 1) != 0 ||
        has >= rank)
        return;
    diag_note(s, v->at,
              "'%s' has %d modes, and this tile is of %d: a tile has an extent for each mode, "
              "'local_tile(%s, (64,64), (0,0))' of two",
              v->base->name, rank, has, v->base->name);
}
