// Random sets of a question, as text (ask.h).
#ifndef TCPC_TESTS_UNIT_PROVE_DRAWN_H
#define TCPC_TESTS_UNIT_PROVE_DRAWN_H

#include <ctype.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "brute.h"

enum { MOST_VARS = 4, MOST_OUTS = 2, TEXT = 400 };

static uint32_t state;

static int draw(int n) {  // of 0 .. n - 1
    state = state * 1664525u + 1013904223u;
    return (int)((state >> 8) % (uint32_t)n);
}

struct set {
    int nvars, nouts;
    char name[MOST_VARS], begin[MOST_VARS][TEXT], end[MOST_VARS][TEXT];
    char cond[TEXT], out[MOST_OUTS][TEXT];  // "cond": "" where there is none
};

struct params {
    int n;
    char name[2];
    int64_t lo[2], hi[2], mul[2];
    char text[64];
};

static void add_text(char *to, const char *form, ...) {
    size_t n = strlen(to);
    va_list args;
    va_start(args, form);
    int more = vsnprintf(to + n, TEXT - n, form, args);
    va_end(args);
    if (more < 0 || n + (size_t)more >= TEXT) abort();
}

static void draw_params(struct params *p) {
    *p = (struct params){.n = draw(3), .name = {'N', 'M'}};
    for (int i = 0; i < p->n; ++i) {
        p->mul[i] = draw(5) ? 1 : 2;
        p->lo[i] = 1 + draw(2);
        p->lo[i] += p->lo[i] % p->mul[i];
        p->hi[i] = p->lo[i] + 1 + draw(4);
        p->hi[i] -= p->hi[i] % p->mul[i];
        char *to = p->text + strlen(p->text);
        sprintf(to, "%s%c=%d..%d", i ? " " : "", p->name[i], (int)p->lo[i], (int)p->hi[i]);
        if (p->mul[i] > 1) strcat(to, "%2");
    }
}

// The next values of the params; false after the last ones, where they are the first ones again.
static bool next_params(const struct params *p, struct values *v) {
    for (int i = 0; i < p->n; ++i) {
        int64_t *x = &v->of[(int)p->name[i]];
        if ((*x += p->mul[i]) <= p->hi[i]) return true;
        *x = p->lo[i];
    }
    return false;
}

static void draw_term(char *to, const struct set *s, const struct params *p) {
    char by = p->n ? p->name[draw(p->n)] : 0;
    if (s->nvars == 0 || draw(12) == 0) {
        by ? add_text(to, "%c", by) : add_text(to, "%d", draw(5));
        return;
    }
    char v = s->name[draw(s->nvars)];
    switch (draw(by ? 12 : 8)) {
    case 0:
    case 1: add_text(to, "%c", v); break;
    case 2:
    case 3: add_text(to, "%d*%c", 1 + draw(5), v); break;
    case 4: add_text(to, "%c%c%d", v, "/%"[draw(2)], 2 + draw(3)); break;
    case 5: add_text(to, "%d*(%c/%d)", 2 + draw(3), v, 2 + draw(3)); break;
    case 6: add_text(to, "(%c+%d)%%%d", v, 1 + draw(4), 2 + draw(4)); break;
    case 7:
        add_text(to, "(%d*%c+%c)/%d", 1 + draw(3), v, s->name[draw(s->nvars)], 2 + draw(3));
        break;
    case 8:
    case 9: add_text(to, "%c*%c", by, v); break;
    case 10: add_text(to, "%c%c%c", v, "/%"[draw(2)], by); break;
    default: add_text(to, "%c*(%c/%d)", by, v, 2 + draw(2)); break;
    }
}

static void draw_sum(char *to, const struct set *s, const struct params *p, int most) {
    *to = 0;
    int n = 1 + draw(most);
    for (int i = 0; i < n; ++i) {
        if (i) add_text(to, draw(4) ? "+" : "-");
        draw_term(to, s, p);
    }
    if (draw(4) == 0) add_text(to, "%c%d", "+-"[draw(2)], 1 + draw(3));
}

// The first "nshared" variables are "with"'s.
static void draw_set(struct set *s, const struct params *p, const char *names,
                     const struct set *with, int nshared, int nouts) {
    *s = (struct set){0};
    int n = nshared + 1 + draw(2);
    for (int i = 0; i < n; ++i) {
        if (with && i < nshared && draw(6)) {
            memcpy(s->begin[i], with->begin[i], TEXT);
            memcpy(s->end[i], with->end[i], TEXT);
        } else {
            int kind = draw(8);
            strcpy(s->begin[i], kind == 0 ? "1" : "0");
            if (kind == 1 && i > 0) add_text(s->begin[i], "+%c", s->name[draw(i)]);
            if (p->n && kind < 4)
                sprintf(s->end[i], draw(3) ? "%c" : "2*%c", p->name[draw(p->n)]);
            else if (p->n == 2 && kind == 4)
                strcpy(s->end[i], "N*M");
            else if (i > 0 && kind == 5)
                sprintf(s->end[i], "%c+%d", s->name[draw(i)], 1 + draw(2));
            else
                sprintf(s->end[i], "%d", 1 + draw(6));
        }
        s->name[i] = i < nshared ? with->name[i] : names[i];
        s->nvars = i + 1;
    }
    if (draw(3) == 0) draw_sum(s->cond, s, p, 2);
    s->nouts = nouts;
    for (int i = 0; i < nouts; ++i) draw_sum(s->out[i], s, p, 3);
}

// Sets by which a kernel goes through its tensors, and what they name wholly and once: digits of one number, a sum over a grid, tiles of
// an extent that is no multiple, a chain of parts, digits that are turned.
static const struct form {
    const char *var[2], *cond, *out[MOST_OUTS], *extent[MOST_OUTS];
} forms[] = {
    {{"0..N*M"}, "", {"i%N", "i/N"}, {"N", "M"}},
    {{"0..2*N*M"}, "", {"i/N%M", "i/(N*M)*N+i%N"}, {"M", "2*N"}},
    {{"0..N", "0..M"}, "", {"N*j+i"}, {"N*M"}},
    {{"0..N*M", "0..3"}, "", {"3*(i%N)+j", "i/N"}, {"3*N", "M"}},
    {{"0..(N+3)/4", "0..4"}, "N-1-4*i-j", {"4*i+j"}, {"N"}},
    {{"0..(N+1)/2", "0..2*M"}, "N-1-2*i-j%2", {"2*i+j%2", "j/2"}, {"N", "M"}},
    {{"0..M", "i*N/M..(i+1)*N/M"}, "", {"j"}, {"N"}},
    {{"0..N", "0..M"}, "", {"(i+j)%N", "j"}, {"N", "M"}},
    {{"0..N", "0..4"}, "", {"4*i+3-j"}, {"4*N"}},
    {{"0..N", "0..M"}, "", {"N-1-i", "M-1-j"}, {"N", "M"}},
};

// Another number or another param, at one place of the text; what is divided by stays positive.
static void spoil_text(char *text) {
    int n = (int)strlen(text), i = n ? draw(n) : 0;
    for (int k = 0; k < n; ++k, i = (i + 1) % n) {
        if (isdigit(text[i]) && (i == 0 || (text[i - 1] != '/' && text[i - 1] != '%'))) {
            text[i] = (char)(text[i] + (text[i] == '0' || draw(2) ? 1 : -1));
            return;
        }
        if (text[i] == 'N' || text[i] == 'M') {
            text[i] = (char)(text[i] == 'N' ? 'M' : 'N');
            return;
        }
    }
}

static inline int draw_form(struct set *s, char (*extent)[TEXT]) {
    const struct form *f = &forms[draw((int)(sizeof forms / sizeof *forms))];
    *s = (struct set){.nvars = f->var[1] ? 2 : 1, .nouts = f->out[1] ? 2 : 1, .name = "ij"};
    for (int i = 0; i < s->nvars; ++i) {
        const char *dots = strstr(f->var[i], "..");
        sprintf(s->begin[i], "%.*s", (int)(dots - f->var[i]), f->var[i]);
        strcpy(s->end[i], dots + 2);
    }
    strcpy(s->cond, f->cond);
    for (int i = 0; i < s->nouts; ++i) strcpy(s->out[i], f->out[i]);
    for (int i = 0; i < s->nouts; ++i) strcpy(extent[i], f->extent[i]);
    if (draw(2)) {
        char *const texts[] = {s->end[draw(s->nvars)], s->out[draw(s->nouts)], s->cond};
        spoil_text(texts[draw(3)]);
    }
    return s->nouts;
}

static void put_set(char *to, const struct set *s) {
    for (int i = 0; i < s->nvars; ++i)
        add_text(to, "%s%c=%s..%s", i ? " " : "", s->name[i], s->begin[i], s->end[i]);
    if (*s->cond) add_text(to, " if %s", s->cond);
    for (int i = 0; i < s->nouts; ++i) add_text(to, "%s%s", i ? "," : " -> ", s->out[i]);
}

#endif
