// Chance and text for the generator.
#include "gen_private.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "in_process.h"

uint64_t draw(struct gen *g) {
    return chance(&g->state);
}

int below(struct gen *g, int n) {
    return (int)(draw(g) % (uint64_t)n);
}

bool percent(struct gen *g, int p) {
    return below(g, 100) < p;
}

bool may(struct gen *g, enum gen_feature f, int p) {
    return percent(g, p) && (g->features & f);
}

void put(struct gen *g, const char *format, ...) {
    va_list ap;
    for (;;) {
        va_start(ap, format);
        int n = vsnprintf(g->text + g->len, g->cap - g->len, format, ap);
        va_end(ap);
        if (g->len + (size_t)n < g->cap) {
            g->len += (size_t)n;
            return;
        }
        g->cap = 2 * g->cap + (size_t)n + 1;
        g->text = realloc(g->text, g->cap);
        if (!g->text) abort();
    }
}

void shuffle(struct gen *g, int *v, int n) {
    for (int i = n - 1; i > 0; --i) {
        int j = below(g, i + 1), t = v[i];
        v[i] = v[j];
        v[j] = t;
    }
}
