// A quick search for an element of a set.  It narrows the bounds of each column by the constraints,
// and then tries values for a column that still has several.  isl needs a hundred times as long to
// find an integer point in a polyhedron.
#include <isl/mat.h>
#include <isl/val.h>

#include "base/session.h"
#include "prove/private.h"

enum {
    LEAST_COLS = 10,  // with fewer columns isl is as fast
    MOST_COLS = 64,
    MOST_TRIED = 96,  // values tried for columns in all
    ROUNDS = 12,      // of each narrowing
    TRIES = 4         // values tried for one column
};
#define MOST_COEF  ((int64_t)1 << 50)
#define MOST_VALUE ((int64_t)1 << 31)  // larger values are not examined

struct entry {
    int col;
    int64_t coef;
};
// constant + sum of entries >= 0
struct row {
    int64_t constant;
    int n;
    struct entry *entry;
};
struct box {
    int64_t lo[MOST_COLS], hi[MOST_COLS];
};
struct search {
    int ncols, nrows, left;
    struct row *row;
};

static __int128 greatest(const struct row *r, const struct box *b) {
    __int128 sum = r->constant;
    for (int i = 0; i < r->n; ++i) {
        const struct entry *e = &r->entry[i];
        sum += (__int128)e->coef * (e->coef > 0 ? b->hi[e->col] : b->lo[e->col]);
    }
    return sum;
}

// Narrows "b" to values that may satisfy the constraints; false if none remain.
static bool narrow(const struct search *q, struct box *b) {
    bool changed = true;
    for (int round = 0; changed && round < ROUNDS; ++round) {
        changed = false;
        for (int i = 0; i < q->nrows; ++i) {
            const struct row *r = &q->row[i];
            __int128 most = greatest(r, b);
            if (most < 0) return false;
            for (int k = 0; k < r->n; ++k) {
                int64_t a = r->entry[k].coef, *lo = &b->lo[r->entry[k].col],
                        *hi = &b->hi[r->entry[k].col];
                // largest distance of the column from the value that makes the sum largest
                if (most >= (a > 0 ? a : -a) * (__int128)(*hi - *lo)) continue;
                int64_t far = (int64_t)(most / (a > 0 ? a : -a));
                if (a > 0)
                    *lo = *hi - far;
                else
                    *hi = *lo + far;
                changed = true;
            }
        }
    }
    return true;
}

static bool found(struct search *q, const struct box *from) {
    struct box b = *from;
    int col = -1;
    if (!narrow(q, &b)) return false;
    for (int i = 0; i < q->ncols; ++i)
        if (b.lo[i] < b.hi[i] && (col < 0 || b.hi[i] - b.lo[i] < b.hi[col] - b.lo[col])) col = i;
    if (col < 0) {
        for (int i = 0; i < q->nrows; ++i)
            if (greatest(&q->row[i], &b) < 0) return false;
        return true;
    }
    int64_t lo = b.lo[col], hi = b.hi[col];
    for (int k = 0; k < TRIES && k <= hi - lo && q->left > 0; ++k) {
        --q->left;
        b.lo[col] = b.hi[col] = k == 1 ? hi : lo + k - (k > 1);
        if (found(q, &b)) return true;
    }
    return false;
}

// -- the constraints ------------------------------------------------------------------------------

static bool entry_of(isl_mat *m, int i, int j, int64_t *x) {
    isl_val *v = isl_mat_get_element_val(m, i, j);
    bool ok = val_number(v, x) && -MOST_COEF <= *x && *x <= MOST_COEF;
    isl_val_free(v);
    return ok;
}

// Adds the rows of "m" (equalities twice, with both signs) and frees it.
static bool add(struct search *q, struct session *s, isl_mat *m, bool equal) {
    bool ok = m != NULL;
    int n = ok ? (int)isl_mat_rows(m) : 0;
    for (int i = 0; ok && i < n; ++i) {
        struct row *r = &q->row[q->nrows];
        r->entry = ARENA_ARRAY(&s->arena, struct entry, q->ncols + 1);
        ok = entry_of(m, i, 0, &r->constant);
        for (int j = 0; ok && j < q->ncols; ++j) {
            int64_t x;
            ok = entry_of(m, i, j + 1, &x);
            if (ok && x) r->entry[r->n++] = (struct entry){j, x};
        }
        ++q->nrows;
        if (!ok || !equal) continue;
        struct row *other = &q->row[q->nrows++];
        *other = (struct row){-r->constant, r->n, ARENA_ARRAY(&s->arena, struct entry, r->n + 1)};
        for (int k = 0; k < r->n; ++k)
            other->entry[k] = (struct entry){r->entry[k].col, -r->entry[k].coef};
    }
    isl_mat_free(m);
    return ok;
}

struct some {
    struct session *s;
    bool is;
};

static isl_stat in_part(isl_basic_set *b, void *user) {
    struct some *some = user;
    struct session *s = some->s;
    int equal = (int)isl_basic_set_n_constraint(b), cols = (int)isl_basic_set_total_dim(b);
    if (!some->is && cols >= LEAST_COLS && cols <= MOST_COLS && equal >= 0) {
        struct arena_mark mark = arena_mark(&s->arena);
        struct search q = {.ncols = cols, .left = MOST_TRIED};
        q.row = ARENA_ARRAY(&s->arena, struct row, 2 * equal + 1);
        struct box all;
        for (int i = 0; i < cols; ++i) {
            all.lo[i] = -MOST_VALUE;
            all.hi[i] = MOST_VALUE;
        }
        bool ok = add(&q, s,
                      isl_basic_set_equalities_matrix(b, isl_dim_cst, isl_dim_param, isl_dim_set,
                                                      isl_dim_div),
                      true);
        ok = ok && add(&q, s,
                       isl_basic_set_inequalities_matrix(b, isl_dim_cst, isl_dim_param, isl_dim_set,
                                                         isl_dim_div),
                       false);
        some->is = ok && found(&q, &all);
        arena_rewind(&s->arena, mark);
    }
    isl_basic_set_free(b);
    return some->is ? isl_stat_error : isl_stat_ok;
}

bool sample_found(struct session *s, isl_set *x) {
    struct some some = {s, false};
    isl_set_foreach_basic_set(x, in_part, &some);
    return some.is;
}
