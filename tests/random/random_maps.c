// random_maps [--first SEED] [--maps N] [--misses N]: random tilings written twice, as an index map
// and as a TV layout, have to be one tiled copy, which is that of the digits they were made of.
// Then one number of each map is changed: what differs has to be told apart, by a coordinate or by
// an error whose witness is true.  All in this process.
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/session.h"
#include "in_process.h"
#include "sema/sema.h"
#include "syntax/parse.h"

enum { MOST_DIGITS = 8, MOST_MODES = 3, MOST_SIZE = 600 };

// One digit of a thread's or a value's number, and where it goes: coordinate "mode" of the tile
// gets number / div % mod * coef.
struct digit {
    bool value;  // else of the thread
    int mode;
    int64_t div, mod, coef;
    bool last;  // of the number, so that % is not needed
};

struct tiling {
    struct digit digit[MOST_DIGITS];
    int ndigits, modes;
    int64_t extent[MOST_MODES], threads, values;
    bool tile;        // tile= is written
    bool flat;        // one coordinate for the whole tile
    bool remainders;  // % is written for the last digit too
};

static uint64_t state;

static int below(int n) {
    return (int)chance_below(&state, n);
}

static void draw(struct tiling *t) {
    static const int sizes[] = {2, 2, 2, 4, 4, 8, 3, 5};
    *t = (struct tiling){.modes = 1 + below(MOST_MODES), .threads = 1, .values = 1};
    t->tile = below(2);
    t->flat = below(4) == 0;
    t->remainders = below(4) == 0;
    int want = 1 + below(MOST_DIGITS);
    int64_t size = 1;
    for (int m = 0; m < t->modes; ++m) t->extent[m] = 1;
    for (int i = 0; i < want; ++i) {
        int64_t n = sizes[below(8)];
        if (size * n > MOST_SIZE) break;
        size *= n;
        struct digit *d = &t->digit[t->ndigits++];
        *d = (struct digit){.value = below(2), .mode = below(t->modes), .mod = n};
        d->coef = t->extent[d->mode];
        t->extent[d->mode] *= n;
    }
    // the digits of the tile in another order are those of thread and value
    for (int i = t->ndigits - 1; i > 0; --i) {
        int j = below(i + 1);
        struct digit other = t->digit[i];
        t->digit[i] = t->digit[j];
        t->digit[j] = other;
    }
    for (int i = 0; i < t->ndigits; ++i) {
        struct digit *d = &t->digit[i];
        int64_t *n = d->value ? &t->values : &t->threads;
        d->div = *n;
        *n *= d->mod;
        d->last = true;
        for (int j = i + 1; j < t->ndigits; ++j) d->last &= t->digit[j].value != d->value;
    }
    if (!t->flat) return;
    for (int i = 0; i < t->ndigits; ++i)
        for (int m = 0; m < t->digit[i].mode; ++m) t->digit[i].coef *= t->extent[m];
}

// The coordinate of (thread, value), an integer a mode; only the first when the tiling is flat.
static void coordinate(const struct tiling *t, int64_t thread, int64_t value, int64_t *crd) {
    for (int m = 0; m < t->modes; ++m) crd[m] = 0;
    for (int i = 0; i < t->ndigits; ++i) {
        const struct digit *d = &t->digit[i];
        int64_t x = (d->value ? value : thread) / d->div;
        if (!d->last || t->remainders) x %= d->mod;
        crd[t->flat ? 0 : d->mode] += x * d->coef;
    }
}

static int64_t place(const struct tiling *t, const int64_t *extent, const int64_t *crd) {
    int64_t at = 0, step = 1;
    for (int m = 0; m < (t->flat ? 1 : t->modes); ++m) {
        at += crd[m] * step;
        step *= extent[m];
    }
    return at;
}

// -- as text --------------------------------------------------------------------------------------

static void put_map(struct buf *b, const struct tiling *t) {
    int last = t->flat ? 1 : t->modes;
    buf_printf(b, "tiled_copy m = tile(universal(8), map=(t:%lld, v:%lld) -> (",
               (long long)t->threads, (long long)t->values);
    for (int m = 0; m < last; ++m) {
        bool any = false;
        for (int i = 0; i < t->ndigits; ++i) {
            const struct digit *d = &t->digit[i];
            if (!t->flat && d->mode != m) continue;
            buf_printf(b, "%s%s / %lld", any ? " + " : "", d->value ? "v" : "t", (long long)d->div);
            if (!d->last || t->remainders) buf_printf(b, " %% %lld", (long long)d->mod);
            buf_printf(b, " * %lld", (long long)d->coef);
            any = true;
        }
        buf_printf(b, "%s%s", any ? "" : "0", m + 1 < last ? ", " : ")");
    }
    if (t->tile) {
        buf_puts(b, ", tile=(");
        int64_t size = 1;
        for (int m = 0; m < t->modes; ++m) size *= t->extent[m];
        for (int m = 0; m < last; ++m)
            buf_printf(b, "%s%lld", m ? "," : "", (long long)(t->flat ? size : t->extent[m]));
        buf_char(b, ')');
    }
    buf_puts(b, ");\n");
}

static void put_side(struct buf *b, const struct tiling *t, bool value, bool stride) {
    bool any = false;
    buf_char(b, '(');
    for (int i = 0; i < t->ndigits; ++i) {
        const struct digit *d = &t->digit[i];
        int64_t step = d->coef;
        if (d->value != value) continue;
        for (int m = 0; !t->flat && m < d->mode; ++m) step *= t->extent[m];
        buf_printf(b, "%s%lld", any ? "," : "", (long long)(stride ? step : d->mod));
        any = true;
    }
    buf_puts(b, any ? ")" : stride ? "0)" : "1)");
}

static void put_tv(struct buf *b, const struct tiling *t) {
    int64_t size = 1;
    buf_puts(b, "tiled_copy w = tile(universal(8), tv=(");
    put_side(b, t, false, false);
    buf_char(b, ',');
    put_side(b, t, true, false);
    buf_puts(b, "):(");
    put_side(b, t, false, true);
    buf_char(b, ',');
    put_side(b, t, true, true);
    buf_puts(b, "), tile=(");
    for (int m = 0; m < t->modes; ++m) size *= t->extent[m];
    for (int m = 0; m < (t->flat ? 1 : t->modes); ++m)
        buf_printf(b, "%s%lld", m ? "," : "", (long long)(t->flat ? size : t->extent[m]));
    buf_puts(b, "));\n");
}

// -- in process -----------------------------------------------------------------------------------

static struct plan *compile(struct session *s, const char *text) {
    int file = source_add(s, "map.tcp", text, strlen(text));
    struct ast_file *tree = parse_source(s, file);
    return tree ? sema_file(s, tree) : NULL;
}

static bool complain(struct session *s, const char *text, const char *what) {
    printf("%s:\n%s", what, text);
    diag_print(s, stdout);
    return false;
}

// Whether the tiled copy is "t", point by point, in a tile of "extent".
static bool same(struct session *s, const struct tiled_copy *tc, const struct tiling *t,
                 const int64_t *extent) {
    if (tc->threads != t->threads || tc->values != t->values) return false;
    for (int64_t v = 0; v < t->values; ++v)
        for (int64_t x = 0; x < t->threads; ++x) {
            int64_t crd[MOST_MODES], at;
            coordinate(t, x, v, crd);
            if (!lay_eval(&s->lay, tc->tv, x + t->threads * v, &at) || at != place(t, extent, crd))
                return false;
        }
    return true;
}

static bool check_equal(const struct tiling *t, uint64_t seed) {
    struct session s;
    struct buf b;
    session_init(&s);
    buf_init(&b);
    buf_printf(&b, "tcp 1; // %llu\n", (unsigned long long)seed);
    put_map(&b, t);
    put_tv(&b, t);
    const char *text = buf_finish(&b, &s.arena);
    struct plan *p = compile(&s, text);
    bool ok = p && p->ntiled == 2;
    if (!ok) complain(&s, text, "a tiling that is right was refused");
    for (int i = 0; i < 2 && ok; ++i)
        if (!same(&s, p->tiled[i], t, t->extent))
            ok = complain(&s, text,
                          i ? "the layout is another tiling" : "the map is another tiling");
    if (ok && !lay_tuple_equal(p->tiled[0]->tiler, p->tiled[1]->tiler))
        ok = complain(&s, text, "the tiles differ");
    session_release(&s);
    return ok;
}

// -- near misses ----------------------------------------------------------------------------------

static bool read_crd(const char *text, int n, int64_t *crd) {
    for (int m = 0; m < n; ++m) {
        while (*text == '(' || *text == ',') ++text;
        char *end;
        crd[m] = strtoll(text, &end, 10);
        if (end == text) return false;
        text = end;
    }
    return true;
}

// Whether (thread, value) is at "crd", as the digits have it.
static bool is_at(const struct tiling *t, long long thread, long long value, const int64_t *crd) {
    int64_t real[MOST_MODES];
    if (thread < 0 || thread >= t->threads || value < 0 || value >= t->values) return false;
    coordinate(t, thread, value, real);
    return memcmp(real, crd, sizeof *crd * (size_t)(t->flat ? 1 : t->modes)) == 0;
}

// Whether what the error "d" says of the map "t" is so; "extent" is the tile of its points.
static bool witness_true(const struct tiling *t, const struct diag *d, const int64_t *extent) {
    long long a, b, c, e, x, y;
    int n = t->flat ? 1 : t->modes, at = 0;
    int64_t crd[MOST_MODES];
    const char *m = d->message;
    if (sscanf(m, "no thread has element %n", &at) == 0 && at) {
        if (!read_crd(m + at, n, crd)) return false;
        for (int k = 0; k < n; ++k)
            if (crd[k] < 0 || crd[k] >= extent[k]) return false;
        for (int64_t i = 0; i < t->threads * t->values; ++i)
            if (is_at(t, i % t->threads, i / t->threads, crd)) return false;
        return true;
    }
    if (strncmp(m, "element ", 8) == 0) {
        const char *to = strstr(m, "belongs to ");
        return to && read_crd(m + 8, n, crd) &&
               sscanf(to, "belongs to thread %lld, value %lld and to thread %lld, value %lld", &a,
                      &b, &c, &e) == 4 &&
               (a != c || b != e) && is_at(t, a, b, crd) && is_at(t, c, e, crd);
    }
    if (sscanf(m, "thread %lld, value %lld is element %n", &a, &b, &at) == 2 && at) {
        if (!read_crd(m + at, n, crd) || !is_at(t, a, b, crd)) return false;
        for (int k = 0; k < n; ++k)
            if (crd[k] < 0 || crd[k] >= extent[k]) return true;
        return false;
    }
    const char *to = d->note ? strstr(d->note->message, "has it at ") : NULL;
    if (!to || sscanf(d->note->message, "thread %lld, value %lld is place %lld", &a, &b, &x) != 3)
        return false;
    if (sscanf(to, "has it at %lld", &y) != 1 || x == y) return false;
    coordinate(t, a, b, crd);
    return place(t, extent, crd) == x;
}

// Changes one number of "t", or where two of its digits go, which is a tiling again; returns false
// when it has none.
static bool spoil(struct tiling *t) {
    if (!t->ndigits) return false;
    struct digit *one = &t->digit[below(t->ndigits)], *two = &t->digit[below(t->ndigits)];
    if (one->mod == two->mod && below(2)) {
        struct digit old = *one;
        one->mode = two->mode;
        one->coef = two->coef;
        two->mode = old.mode;
        two->coef = old.coef;
        return true;
    }
    struct digit *d = &t->digit[below(t->ndigits)];
    int64_t *number = below(4) ? &d->coef : below(2) ? &d->div : &d->mod, old = *number;
    static const int step[] = {-1, 1, 2};
    *number = below(3) ? *number + step[below(3)] : *number * 2;
    if (*number < 1) *number = old + 1;
    return true;
}

// The tile that the points of "t" fill, or the one that is written for it.
static void tile_of(const struct tiling *t, int64_t *extent) {
    for (int m = 0; m < MOST_MODES; ++m) extent[m] = 1;
    for (int m = 0; m < t->modes; ++m) {
        if (t->tile && !t->flat) extent[m] = t->extent[m];
        if (t->tile && t->flat) extent[0] *= t->extent[m];
    }
    for (int64_t i = 0; !t->tile && i < t->threads * t->values; ++i) {
        int64_t crd[MOST_MODES];
        coordinate(t, i % t->threads, i / t->threads, crd);
        for (int m = 0; m < t->modes; ++m)
            if (crd[m] >= extent[m]) extent[m] = crd[m] + 1;
    }
}

// Whether two tilings are one: "other" differs from "t" in its digits alone.
static bool same_points(const struct tiling *t, const struct tiling *other) {
    for (int64_t i = 0; i < t->threads * t->values; ++i) {
        int64_t crd[MOST_MODES];
        coordinate(t, i % t->threads, i / t->threads, crd);
        if (!is_at(other, i % t->threads, i / t->threads, crd)) return false;
    }
    return true;
}

// Counts into "errors" the misses that were refused.
static bool check_miss(const struct tiling *t, const struct tiling *miss, uint64_t seed,
                       long *errors) {
    struct session s;
    struct buf b;
    int64_t extent[MOST_MODES];
    session_init(&s);
    buf_init(&b);
    buf_printf(&b, "tcp 1; // miss %llu\n", (unsigned long long)seed);
    put_map(&b, miss);
    put_tv(&b, t);
    const char *text = buf_finish(&b, &s.arena);
    struct plan *p = compile(&s, text);
    bool ok = true;
    tile_of(miss, extent);
    if (!p) {
        ++*errors;
        if (s.diags.nerrors != 1 || !witness_true(miss, s.diags.first, extent))
            ok = complain(&s, text, "the witness is not true");
    } else if (s.diags.first) {  // a warning: it is no layout, and the copy goes by its expressions
        if (!witness_true(miss, s.diags.first, extent))
            ok = complain(&s, text, "the witness is not true");
    } else if (!same(&s, p->tiled[0], miss, extent)) {
        ok = complain(&s, text, "the map is another tiling than it says");
    } else if (same(&s, p->tiled[1], miss, t->extent) &&
               lay_tuple_equal(p->tiled[0]->tiler, p->tiled[1]->tiler)) {
        ok = complain(&s, text, "two tilings that differ were taken for one");
    }
    session_release(&s);
    return ok;
}

int main(int argc, char **argv) {
    long first = 1, maps = 10000, misses = 1000, failed = 0, errors = 0;
    for (int i = 1; i + 1 < argc; i += 2) {
        long n = atol(argv[i + 1]);
        if (strcmp(argv[i], "--first") == 0)
            first = n;
        else if (strcmp(argv[i], "--maps") == 0)
            maps = n;
        else if (strcmp(argv[i], "--misses") == 0)
            misses = n;
    }
    struct tiling t;
    for (long i = 0; i < maps && failed < 10; ++i) {
        state = (uint64_t)(first + i) * 0x9e3779b97f4a7c15u;
        draw(&t);
        failed += !check_equal(&t, (uint64_t)(first + i));
    }
    long missed = 0;
    for (long i = 0; missed < misses && failed < 10 && i < 10 * misses; ++i) {
        state = (uint64_t)(first + i) * 0x9e3779b97f4a7c15u + 1;
        draw(&t);
        struct tiling miss = t;
        if (!spoil(&miss) || same_points(&t, &miss)) continue;
        ++missed;
        failed += !check_miss(&t, &miss, (uint64_t)(first + i), &errors);
    }
    printf("%ld maps, %ld near misses of which %ld were refused, %ld failures\n", maps, missed,
           errors, failed);
    return failed > 0 || missed < misses;
}
