// The numbers that a relayout by params is planned for, and what is promised of them: near the usual size and as the params are declared, multiples
// of what a case asks for and of no more, and which access is right for all that they may be.
#include <stdint.h>

#include "base/session.h"
#include "check.h"
#include "planner/private.h"

static uint32_t state = 20261128;

static int draw(int n) {  // of 0 .. n - 1
    state = state * 1664525u + 1013904223u;
    return (int)((state >> 8) % (uint32_t)n);
}

static int64_t lcm(int64_t a, int64_t b) {
    return a / lay_gcd(a, b) * b;
}

static void check_size(struct session *s) {
    static const int64_t most[] = {65536, 65536, 4096, 512, 64, 64, 64, 16, 16};  // by how many
    int n = 1 + draw(8);
    struct relayout r = {.rank = n};
    int64_t mul[8], lo[8], hi[8], size = most[n];
    for (int m = 0; m < n; ++m) {
        mul[m] = 1 + draw(2) * draw(40);
        lo[m] = draw(2) ? mul[m] : mul[m] * (1 + draw(300));
        hi[m] = draw(3)   ? INT32_MAX / mul[m] * mul[m]
                : draw(2) ? lo[m] + mul[m] * (1 + draw(1000))
                          : lo[m] + mul[m] + draw(3000);
        char *name = arena_printf(&s->arena, "S%d", m);
        const struct lay_sym *y = lay_param(&s->lay, name, mul[m], lo[m], hi[m]);
        r.mode[m] = (struct relayout_mode){.extent = 1, .src = 1, .dst = 1};
        r.mode[m].run[RELAYOUT_EXTENT] = lay_int_sym(&s->lay, y);
        r.mode[m].run[RELAYOUT_SRC] = lay_int(7);
    }
    double all = 1;  // elements of the usual size
    for (int m = 0; m < n; ++m)
        all *= (double)(lo[m] + mul[m] * 16 > size ? lo[m] + mul[m] * 16 : size);
    const char *why = relayout_size(s, &r, false);
    if (!CHECK(!why, "%s", why)) return;
    for (int m = 0; m < n; ++m) {
        int64_t e = r.mode[m].extent, both = 16 / lay_gcd(16, mul[m]) * mul[m];
        CHECK(e >= lo[m] && e <= hi[m] && (e % mul[m] == 0 || e == hi[m] || e == lo[m]),
              "%d of %d .. %d, a multiple of %d", (int)e, (int)lo[m], (int)hi[m], (int)mul[m]);
        if (all > (double)((int64_t)1 << 36)) continue;  // then it may be less
        // near the size, and a multiple of 16, where it may be
        if (lo[m] <= size - size % both && size <= hi[m] && both <= size)
            CHECK(e % 16 == 0 && e <= size && e > size - both, "%d is far from %d", (int)e,
                  (int)size);
        // as many divisors as a number of the range has, whatever its ends are
        int64_t grain = 16;
        while (grain > 1 && hi[m] / lcm(grain, mul[m]) * lcm(grain, mul[m]) < lo[m]) grain /= 2;
        CHECK(e % grain == 0, "%d of %d .. %d is no multiple of %d", (int)e, (int)lo[m], (int)hi[m],
              (int)grain);
        CHECK(r.mode[m].src == 7 && !lay_int_valid(r.mode[m].run[RELAYOUT_SRC]), "mode %d", m);
        CHECK(strstr(r.usual, arena_printf(&s->arena, "S%d = %d", m, (int)e)), "%s", r.usual);
    }
}

// In a case a stride is a multiple of what is asked for, and of no more.
static void check_asked(struct session *s) {
    int64_t mul = (int64_t)1 << draw(5), by = (int64_t)1 << draw(4), least = mul > by ? mul : by;
    int64_t hi = draw(2) ? INT32_MAX / mul * mul : 64 * mul + draw(10000);
    const struct lay_sym *y = lay_param(&s->lay, "T", mul, mul, hi);
    struct relayout r = {.rank = 1, .nwhen = 1, .mode = {{.extent = 64, .src = 1, .dst = 1}}};
    r.mode[0].run[RELAYOUT_DST] = lay_int_sym(&s->lay, y);
    r.when[0] = (struct relayout_when){lay_int_sym(&s->lay, y), by};
    HOLDS(!relayout_size(s, &r, true));
    CHECK(lay_gcd(r.mode[0].dst, 16) == lay_gcd(least, 16) && r.mode[0].dst % least == 0,
          "%d of multiples of %d, and of %d asked for", (int)r.mode[0].dst, (int)mul, (int)by);
}

// The first mode with a stride by params that is not promised to be a multiple of the vector.
static void check_promised(struct session *s) {
    struct relayout r = {.rank = 1 + draw(4)};
    int64_t mul[4][2];
    for (int m = 0; m < r.rank; ++m)
        for (int src = 0; src < 2; ++src) {
            mul[m][src] = draw(2) ? 0 : (int64_t)1 << draw(6);
            if (!mul[m][src]) continue;  // a number
            char *name = arena_printf(&s->arena, "U%d%d", m, src);
            const struct lay_sym *y = lay_param(&s->lay, name, mul[m][src], mul[m][src], 1 << 20);
            r.mode[m].run[src ? RELAYOUT_SRC : RELAYOUT_DST] = lay_int_sym(&s->lay, y);
        }
    for (int vector = 1; vector <= 16; vector *= 2)
        for (int src = 0; src < 2; ++src) {
            int first = -1;
            for (int m = r.rank - 1; m >= 0; --m)
                if (mul[m][src] % vector) first = m;
            CHECK(unpromised(&r, vector, src) == first &&
                      vector_proven(&r, vector, src) == (first < 0),
                  "mode %d, not %d, is no multiple of %d", unpromised(&r, vector, src), first,
                  vector);
        }
}

int main(void) {
    for (int i = 0; i < 3000; ++i) {
        struct session s;
        session_init(&s);
        check_size(&s);
        check_asked(&s);
        check_promised(&s);
        session_release(&s);
    }
    return check_done();
}
