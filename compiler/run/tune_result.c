// The results of the candidates: reads them, chooses the best, and prints them.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/json_write.h"
#include "base/session.h"
#include "run/tuned.h"

// -- reading --------------------------------------------------------------------------------------

// The rest of "line" after the word "name" and a blank; NULL if it begins differently.
static const char *behind(const char *line, const char *name) {
    size_t n = strlen(name);
    return strncmp(line, name, n) == 0 && line[n] == ' ' ? line + n + 1 : NULL;
}

// Reads "3 REST": returns the candidate and sets "*rest"; NULL if there is no such candidate.
static struct tuned *candidate_at(struct tuning *t, const char *text, const char **rest) {
    char *end;
    long i = strtol(text, &end, 10);
    if (end == text || *end != ' ' || i < 0 || i >= t->n) return NULL;
    *rest = end + 1;
    return &t->of[i];
}

static bool take_line(struct session *s, struct tuning *t, const char *line, int *seen) {
    const char *rest;
    struct tuned *c;
    if ((rest = behind(line, "device"))) {
        t->device = arena_strndup(&s->arena, rest, strlen(rest));
    } else if ((rest = behind(line, "versions"))) {
        t->versions = arena_strndup(&s->arena, rest, strlen(rest));
    } else if ((rest = behind(line, "buffers"))) {
        t->buffers = atoi(rest);
    } else if ((rest = behind(line, "rounds"))) {
        t->rounds = atoi(rest);
    } else if ((rest = behind(line, "memcpy"))) {
        t->copy = strtod(rest, NULL);
    } else if ((rest = behind(line, "right")) && (c = candidate_at(t, rest, &rest))) {
        c->right = true;
        c->ms = strtod(rest, NULL);
        ++*seen;
    } else if (((rest = behind(line, "wrong")) || (rest = behind(line, "refused"))) &&
               (c = candidate_at(t, rest, &rest))) {
        c->refused = line[0] == 'r';
        c->why = arena_strndup(&s->arena, rest, strlen(rest));
        ++*seen;
    } else {
        return false;
    }
    return true;
}

bool tune_read(struct session *s, const char *path, struct tuning *t) {
    char line[1024];
    FILE *f = source_open(path);
    bool ok = f != NULL;
    int seen = 0;
    while (ok && fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = 0;
        ok = take_line(s, t, line, &seen);
    }
    if (f) fclose(f);
    return ok && seen == t->n;
}

// -- choosing -------------------------------------------------------------------------------------

int tune_choose(const struct tuned *of, int n) {
    int first = 0;
    while (first < n && !of[first].right) ++first;
    int best = first;
    for (int i = first + 1; i < n; ++i)
        if (of[i].right && of[i].ms > 0 && of[i].ms < of[best].ms) best = i;
    return first < n && of[best].ms * 1.01 < of[first].ms ? best : first;
}

// -- printing -------------------------------------------------------------------------------------

static double rate(const struct tuning *t, const struct tuned *c) {
    return c->ms > 0 ? (double)t->bytes / (c->ms * 1e6) : 0;
}

static const char *blank_before(const char *text) {
    return *text ? ", " : "";
}

void tune_print(const struct tuning *t, struct buf *b) {
    buf_printf(b, "%s on %s%s%s: %" PRId64 " bytes", t->kernel, t->device,
               blank_before(t->versions), t->versions, t->bytes);
    if (*t->params) buf_printf(b, ", %s", t->params);
    if (t->copy > 0)
        buf_printf(b, ", %d rounds, a plain copy reaches %.1f GB/s", t->rounds, t->copy);
    buf_puts(b, "\n\n  candidate      GB/s  of copy\n");
    for (int i = 0; i < t->n; ++i) {
        const struct tuned *c = &t->of[i];
        buf_printf(b, "%c %9d", i == t->chosen ? '*' : ' ', c->number);
        if (!c->right)
            buf_printf(b, "   refused         ");
        else if (c->ms > 0)
            buf_printf(b, " %9.1f %8.3f", rate(t, c), t->copy > 0 ? rate(t, c) / t->copy : 0);
        else
            buf_puts(b, "     right         ");
        buf_printf(b, "  %s\n", c->how);
    }
    buf_char(b, '\n');
}

void tune_print_json(const struct tuning *t, struct buf *b) {
    struct json j = json_to(b, JSON_ROW);
    json_enter(&j, NULL, '{');
    json_text(&j, "kernel", t->kernel);
    json_text(&j, "params", t->params);
    json_text(&j, "device", t->device);
    json_text(&j, "versions", t->versions);
    json_line(&j, 1);
    json_int(&j, "bytes", t->bytes);
    json_int(&j, "buffers", t->buffers);
    json_int(&j, "rounds", t->rounds);
    json_real(&j, "copy_gb_per_s", t->copy, 1);
    json_int(&j, "chosen", t->of[t->chosen].number);
    json_line(&j, 1);
    json_enter(&j, "candidates", '[');
    for (int i = 0; i < t->n; ++i) {
        const struct tuned *c = &t->of[i];
        json_line(&j, 2);
        json_enter(&j, NULL, '{');
        json_int(&j, "candidate", c->number);
        json_bool(&j, "ok", c->right);
        if (c->ms > 0) {
            json_real(&j, "ms", c->ms, 6);
            json_real(&j, "gb_per_s", rate(t, c), 1);
        }
        json_text(&j, "how", c->how);
        json_leave(&j, '}');
    }
    json_line(&j, 1);
    json_leave(&j, ']');
    json_leave(&j, '}');
    buf_char(b, '\n');
}

void tune_head(const struct tuning *t, struct buf *b) {
    const struct tuned *c = &t->of[t->chosen];
    buf_printf(b, "// Kernel '%s' is candidate %d, chosen of %d by tcpc tune%s%s.\n", t->kernel,
               c->number, t->n, *t->params ? ", with " : "", t->params);
    if (c->ms > 0) {
        buf_printf(b, "// Measured on %s%s%s: %.0f GB/s, a plain copy %.0f", t->device,
                   blank_before(t->versions), t->versions, rate(t, c), t->copy);
        if (t->chosen && t->of[0].right)
            buf_printf(b, ", the planner's own choice %.0f", rate(t, &t->of[0]));
        buf_printf(b, "; medians of %d rounds.\n", t->rounds);
    } else {
        buf_puts(b,
                 "// All were checked on the host and not timed: this is the planner's choice.\n");
    }
}
