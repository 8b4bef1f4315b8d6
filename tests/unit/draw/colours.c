// Threads that stand side by side look unlike, whatever the tile is, and so do the lanes of a warp.
#include "draw/picture.h"

#include <math.h>

#include "check.h"

enum { LANES = 32, HUES = 32 };

static double linear(unsigned c) {
    double x = c / 255.0;
    return x <= 0.04045 ? x / 12.92 : pow((x + 0.055) / 1.055, 2.4);
}

// How far apart two colours look (OKLab).
static double distance(uint32_t a, uint32_t b) {
    double lab[2][3];
    for (int i = 0; i < 2; ++i) {
        uint32_t c = i ? b : a;
        double r = linear(c >> 16), g = linear(c >> 8 & 255), u = linear(c & 255);
        double l = cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * u);
        double m = cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * u);
        double s = cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * u);
        lab[i][0] = 0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s;
        lab[i][1] = 1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s;
        lab[i][2] = 0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s;
    }
    double sum = 0;
    for (int k = 0; k < 3; ++k) sum += (lab[0][k] - lab[1][k]) * (lab[0][k] - lab[1][k]);
    return sqrt(sum);
}

static double apart(int a, int b) {
    double light = distance(pic_shades[a].light, pic_shades[b].light);
    double dark = distance(pic_shades[a].dark, pic_shades[b].dark);
    return light < dark ? light : dark;
}

// Threads in "rows" rows of "columns", thread (r,c) being r * down + c * right.
static double nearest(int rows, int columns, int down, int right) {
    struct pic_neighbours n = {0};
    double least = 1;
    for (int pass = 0; pass < 2; ++pass) {
        struct pic_scheme m = pic_scheme_for(&n);
        for (int r = 0; r < rows; ++r) {
            for (int c = 0; c < columns; ++c) {
                int a = r * down + c * right;
                int beside[] = {c + 1 < columns ? a + right : -1, r + 1 < rows ? a + down : -1};
                for (int i = 0; i < 2; ++i) {
                    if (beside[i] < 0) continue;
                    double d = apart(pic_thread(m, a), pic_thread(m, beside[i]));
                    if (pass == 0)
                        pic_beside(&n, a, beside[i]), pic_beside(&n, beside[i], a);
                    else if (d < least)
                        least = d;
                }
            }
        }
    }
    return least;
}

int main(void) {
    // 0.02 is what one just sees
    static const int size[] = {1, 2, 3, 4, 5, 7, 8, 12, 16, 24, 32, 48, 64, 128};
    const int n = sizeof size / sizeof *size;
    for (int i = 0; i < n * n; ++i) {
        int rows = size[i / n], columns = size[i % n];
        if (rows * columns > 1024) continue;
        CHECK(nearest(rows, columns, 1, rows) > 0.06, "%d x %d, down", rows, columns);
        CHECK(nearest(rows, columns, columns, 1) > 0.06, "%d x %d, across", rows, columns);
    }
    for (int lane = 1; lane < HUES; lane += 2) {
        struct pic_scheme m = {lane, 27};
        for (int a = 0; a < LANES; ++a)
            for (int b = 0; b < a; ++b) CHECK(pic_thread(m, a) != pic_thread(m, b), "%d %d", a, b);
    }
    return check_done();
}
