// Relayouts as text: random names, and random layouts of as many elements, give the pairs of elements that they mean; what is wrong is said in
// these words, which name what is wrong.
#include <stdint.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/session.h"
#include "check.h"
#include "layout/algebra.h"
#include "planner/private.h"

enum { MOST_MODES = 6, MOST_ELEMENTS = 3000 };

static uint32_t state = 20261128;

static int draw(int n) {  // of 0 .. n - 1
    state = state * 1664525u + 1013904223u;
    return (int)((state >> 8) % (uint32_t)n);
}

// A name has no value here.
static struct lay layout(struct session *s, const char *text) {
    return lay_parse(&s->lay, strpbrk(text, "mnk") ? "" : text);
}

// -- names ----------------------------------------------------------------------------------------

static void check_names(struct session *s) {
    static const char *const between[] = {" ", ",", ", ", "  ", " ,"};
    static const char *const names[] = {"a", "b2", "_c", "n_0", "M", "mm"};
    int n = 1 + draw(MOST_MODES), order[MOST_MODES];
    int64_t extent[MOST_MODES];
    struct buf src, dst;
    struct relayout r = {0};
    buf_init(&src);
    buf_init(&dst);
    for (int i = 0; i < n; ++i) {
        extent[i] = 1 + draw(draw(2) ? 9 : 1200);
        order[i] = i;
        buf_printf(&src, "%s%s=%d", i ? between[draw(5)] : "", names[i], (int)extent[i]);
    }
    for (int i = 0; i < n; ++i) {
        int k = i + draw(n - i), m = order[k];
        order[k] = order[i];
        order[i] = m;
        buf_printf(&dst, "%s%s", i ? between[draw(5)] : "", names[m]);
    }
    const char *from = buf_finish(&src, &s->arena), *to = buf_finish(&dst, &s->arena);
    const char *why = relayout_read(s, from, to, layout, &r);
    if (!CHECK(!why && r.rank == n, "'%s' '%s': %s", from, to, why ? why : "another rank")) return;
    int64_t stride = 1;
    for (int i = n - 1; i >= 0; --i) {
        CHECK(r.mode[i].extent == extent[i] && r.mode[i].src == stride, "'%s': mode %d", from, i);
        stride *= extent[i];
    }
    stride = 1;
    for (int i = n - 1; i >= 0; --i) {
        CHECK(r.mode[order[i]].dst == stride, "'%s': mode %d", to, order[i]);
        stride *= extent[order[i]];
    }
}

// -- layouts --------------------------------------------------------------------------------------

struct flat {
    int n;
    int64_t extent[MOST_MODES], stride[MOST_MODES];
};

// Extents of which the product is "size", and any strides.
static void draw_flat(struct flat *f, int64_t size) {
    f->n = 0;
    while (size > 1 || f->n == 0) {
        int64_t e = size;
        for (int tries = 0; tries < 9 && f->n + 1 < MOST_MODES; ++tries) {
            int64_t d = 1 + draw((int)size);
            if (size % d == 0 && d < e) e = d;
        }
        f->extent[f->n] = e;
        f->stride[f->n++] = draw(40);
        size /= e;
        if (f->n == MOST_MODES) return;
    }
}

static const char *text_of(struct session *s, const struct flat *f, bool nested) {
    struct buf b;
    buf_init(&b);
    for (int part = 0; part < 2; ++part) {
        const int64_t *x = part ? f->stride : f->extent;
        buf_puts(&b, part ? ":(" : "(");
        for (int i = 0; i < f->n; ++i)
            buf_printf(&b, "%s%s%d%s", i ? "," : "", nested && i == 0 && f->n > 1 ? "(" : "",
                       (int)x[i], nested && i == 1 ? ")" : "");
        buf_puts(&b, ")");
    }
    return buf_finish(&b, &s->arena);
}

static int64_t size_of(const struct flat *f) {
    int64_t n = 1;
    for (int i = 0; i < f->n; ++i) n *= f->extent[i];
    return n;
}

static int64_t at(const struct flat *f, int64_t i) {
    int64_t sum = 0;
    for (int k = 0; k < f->n; ++k) {
        sum += i % f->extent[k] * f->stride[k];
        i /= f->extent[k];
    }
    return sum;
}

// Whether two coordinates have one element.
static bool overlaps(const struct flat *f) {
    int64_t n = size_of(f);
    for (int64_t i = 1; i < n; ++i)
        for (int64_t k = 0; k < i; ++k)
            if (at(f, i) == at(f, k)) return true;
    return false;
}

// Whether the two fall apart into the same modes: what ends within a mode of the other divides what is left of it.
static bool cut_alike(struct flat a, struct flat b) {
    int i = 0, k = 0;
    while (i < a.n && k < b.n) {
        int64_t x = a.extent[i], y = b.extent[k], least = x < y ? x : y;
        if (x % least || y % least) return false;
        a.extent[i] /= least;
        b.extent[k] /= least;
        if (a.extent[i] == 1) ++i;
        if (b.extent[k] == 1) ++k;
    }
    return true;
}

static void check_layouts(struct session *s) {
    static const int sizes[] = {1, 12, 16, 60, 64, 72, 96, 120, 210, 256, 360};
    struct flat a, b;
    struct relayout r = {0};
    int64_t size = sizes[draw(11)];
    draw_flat(&a, size);
    draw_flat(&b, draw(6) ? size : sizes[draw(11)]);
    const char *from = text_of(s, &a, draw(2)), *to = text_of(s, &b, draw(2));
    const char *why = relayout_read(s, from, to, layout, &r);
    bool same = size_of(&a) == size_of(&b);
    bool still = why && (strstr(why, "elements go to the same place") ||
                         (strstr(why, "gives two coordinates one element") && overlaps(&b)));
    CHECK(!why == same || still, "'%s' '%s': %s", from, to, why ? why : "it is taken");
    if (why) {
        CHECK(still || strstr(why, size_of(&a) > size_of(&b)
                                       ? "the source has more elements than the destination"
                                       : "the destination has more elements than the source"),
              "'%s' '%s': %s", from, to, why);
        return;
    }
    // modes that continue each other are merged before the sides are counted one by one
    CHECK(!r.index || !cut_alike(a, b), "'%s' '%s' have modes in common", from, to);
    for (int64_t i = 0; i < size && r.index; ++i) {
        for (int k = 0; k < 2; ++k) {
            int64_t rest = i, sum = 0;
            for (int m = 0; m < r.index->rank[k]; ++m) {
                sum += rest % r.index->extent[k][m].num * r.index->stride[k][m].num;
                rest /= r.index->extent[k][m].num;
            }
            CHECK(rest == 0 && sum == at(k ? &b : &a, i), "'%s' '%s': element %d of side %d", from,
                  to, (int)i, k);
        }
    }
    if (r.index) return;
    for (int64_t i = 0; i < size; ++i) {
        int64_t rest = i, src = 0, dst = 0;
        for (int m = 0; m < r.rank; ++m) {
            src += rest % r.mode[m].extent * r.mode[m].src;
            dst += rest % r.mode[m].extent * r.mode[m].dst;
            rest /= r.mode[m].extent;
        }
        CHECK(rest == 0 && src == at(&a, i) && dst == at(&b, i), "'%s' '%s': element %d", from, to,
              (int)i);
    }
}

// -- what is wrong --------------------------------------------------------------------------------

#define HINT "; modes with names are 'm=4 n=8' in the source, 'n m' in the destination"

static const struct wrong {
    const char *src, *dst, *why;
} wrong[] = {
    {"m=8 n", "n m", "the source is written NAME=EXTENT NAME=EXTENT ..; 'n' is not"},
    {"m=8 4=n", "n m", "the source is written NAME=EXTENT NAME=EXTENT ..; '4=n' is not"},
    {"m=8 =4", "m", "the source is written NAME=EXTENT NAME=EXTENT ..; '=4' is not"},
    {"m=8 a-b=4", "m", "the source is written NAME=EXTENT NAME=EXTENT ..; 'a-b=4' is not"},
    {"m=8 n=2 m=4", "m n", "mode 'm' appears twice in the source"},
    {"m=8 n=", "n m", "the extent of 'n' is not an integer"},
    {"m=8 n=-4", "n m", "the extent of 'n' is not an integer"},
    {"m=8 n=9223372036854775808", "n m", "the extent of 'n' is not an integer"},
    {"m=8 n=N", "n m",
     "the extent of 'n' is not an integer; for sizes that come with the call write a plan "
     "of "
     "one copy: 'kernel k(A, out B) { copy A -> B; }'"},
    {"m=8 n=4 k=2", "n m n k", "mode 'n' appears twice in the destination"},
    {"m=8 n=4", "m=8 n", "the destination is written as names alone; the extents go in the source"},
    {"m=8 n=4 k=2", "n k",
     "the source has a mode 'm', the destination does not; the destination names each of 'm', 'n' "
     "and 'k' once"},
    // the names without blanks, or in another case: as they are meant; else no order is guessed
    {"m=8 n=4 k=2", "N K M",
     "the destination has a mode 'N', the source does not; the destination is the names of the "
     "source in another order: 'n k m'"},
    {"m=8 n=4 k=2", "nkm",
     "the destination has a mode 'nkm', the source does not; the destination is the names of the "
     "source in another order: 'n k m'"},
    {"m=8 n=4 k=2", "nkx",
     "the destination has a mode 'nkx', the source does not; the destination names each of 'm', "
     "'n' and 'k' once"},
    {"m=8 n=4 k=2", "nk",
     "the destination has a mode 'nk', the source does not; the destination names each of 'm', "
     "'n' and 'k' once"},
    {"m=4294967296 n=4294967296", "n m", "the tensors have more than 2^62 elements"},
    {"NHWC", "NCHW",
     "'NHWC' has no extents; write the source with them, as 'N=4 H=8 W=12 C=16', and the "
     "destination "
     "as 'N C H W'"},
    {"mn", "nm",
     "'mn' has no extents; write the source with them, as 'm=4 n=8', and the destination as 'n m'"},
    {"mm", "mm", "the source 'mm' is not a layout: "},
    {"mn", "nk", "the source 'mn' is not a layout: "},
    {"mnk", "nm", "the source 'mnk' is not a layout: "},
    {"(4,8):(8,1)", "(4,8", "the destination '(4,8' is not a layout: "},
    {"Sw<1,0,2> o 0 o (4,8):(8,1)", "33:1",
     "the destination has more elements than the source: 33 and 32"},
    {"33:1", "Sw<1,0,2> o 0 o (4,8):(8,1)",
     "the source has more elements than the destination: 33 and 32"},
    {"(4,6):(6,1)", "(3,9):(9,1)", "the destination has more elements than the source: 27 and 24"},
    {"(2,6):(6,1)", "(2,4,3):(1,2,8)",
     "the destination has more elements than the source: 24 and 12"},
    {"(2,8):(8,1)", "(2,4):(4,1)", "the source has more elements than the destination: 16 and 8"},
    {"8:1", "(8,3):(1,8)", "the destination has more elements than the source: 24 and 8"},
    {"(4,4):(1,4611686018427387904)", "(4,4):(4,1)", "the tensors have more than 2^62 elements"},
};

static void check_wrong(struct session *s, const char *src, const char *dst, const char *want) {
    struct relayout r = {0};
    const char *why = relayout_read(s, src, dst, layout, &r);
    if (!why) why = relayout_coalesce(s, &r);
    // of what is no layout the reason follows
    if (!CHECK(why, "'%s' '%s' is taken", src, dst)) return;
    size_t n = strlen(want), least = want[n - 1] == ' ' ? n : n + 1;
    CHECK(strncmp(why, want, least) == 0, "'%s' '%s': %s", src, dst, why);
    bool word =
        strstr(want, "is not a layout") && !strpbrk(strstr(want, "source") ? src : dst, "(:");
    CHECK(!strstr(want, "is not a layout") || !strstr(why, HINT) == !word, "%s", why);
}

// 32 modes are taken, and one more is not: of names, of a layout, of what both are cut into.
static void check_most(struct session *s) {
    for (int more = 0; more < 2; ++more) {
        struct buf src, dst, shape, fine;
        struct relayout r = {0};
        buf_init(&src);
        buf_init(&dst);
        buf_init(&shape);
        buf_init(&fine);
        int n = RELAYOUT_MODES + more;
        for (int i = 0; i < n; ++i) {
            buf_printf(&src, "m%d=2 ", i);
            buf_printf(&dst, "m%d ", n - 1 - i);
            buf_printf(&shape, "%s2", i ? "," : "(");
        }
        const char *from = buf_finish(&src, &s->arena), *to = buf_finish(&dst, &s->arena);
        buf_puts(&shape, ")");
        const char *all = buf_finish(&shape, &s->arena);
        buf_printf(&fine, "%lld:1", 1ll << n);
        const char *one = buf_finish(&fine, &s->arena);
        const char *why[] = {relayout_read(s, from, to, layout, &r),
                             relayout_read(s, all, one, layout, &r),
                             relayout_read(s, one, all, layout, &r)};
        for (int i = 0; i < 3; ++i)
            CHECK(!why[i] == !more && (!more || strncmp(why[i], "more than 32 modes", 18) == 0),
                  "%d modes: %s", n, why[i] ? why[i] : "taken");
    }
}

int main(void) {
    struct session s;
    session_init(&s);
    for (int i = 0; i < (int)(sizeof wrong / sizeof *wrong); ++i)
        check_wrong(&s, wrong[i].src, wrong[i].dst, wrong[i].why);
    check_most(&s);
    for (int i = 0; i < 1500; ++i) {
        check_names(&s);
        check_layouts(&s);
    }
    session_release(&s);
    return check_done();
}
