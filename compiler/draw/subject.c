// Finds what `tcpc draw` should draw (see subject.h).
#include "draw/subject.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/command.h"
#include "base/session.h"
#include "plan/mma.h"
#include "plan/plan.h"

enum { MAX_NAMES = 256, MOST_TOLD = 8 };

static bool same(const char *a, const char *b) {
    return a && b && strcmp(a, b) == 0;
}

// -- copies and tensors of functions --------------------------------------------------------------

struct wanted {
    struct session *s;
    const char *name;  // a label or a tensor, or
    int line;          // line where a copy begins, or
    // file of that line, "nfile" bytes; NULL: any
    const char *file;
    size_t nfile;
    const struct tiled_copy *tc;  // the tiled copy that it uses
    struct subject *first;
    int n;  // found so far; the first ones are reported
    struct {
        const struct kernel *k;
        const char *label;
    } all[MOST_TOLD];
};

static void found(struct wanted *w, const struct kernel *k, const struct copy *c,
                  const struct tensor *t) {
    if (w->n == 0) *w->first = (struct subject){.kernel = k, .copy = c, .tensor = t};
    if (w->n < MOST_TOLD) {
        w->all[w->n].k = k;
        w->all[w->n].label = c ? c->label : t->name;
    }
    ++w->n;
}

static bool ends_in(const char *path, size_t n, const char *end, size_t nend) {
    return n >= nend && memcmp(path + n - nend, end, nend) == 0 &&
           (n == nend || path[n - nend - 1] == '/');
}

// Whether copy "c" begins at the wanted line.
static bool begins_there(const struct wanted *w, const struct copy *c) {
    int line, column;
    source_place(w->s, c->at, &line, &column);
    if (line != w->line || line == 0) return false;
    const char *path = w->s->sources.file[c->at.file].path;
    size_t n = strlen(path);
    return !w->file || ends_in(path, n, w->file, w->nfile) || ends_in(w->file, w->nfile, path, n);
}

static void find_copies(struct wanted *w, const struct kernel *k, const struct stmt *list) {
    for (; list; list = list->next) {
        if (list->kind != STMT_COPY) {
            find_copies(w, k, list->body);
            continue;
        }
        const struct copy *c = list->copy;
        if (w->tc ? c->tc == w->tc : w->line ? begins_there(w, c) : same(c->label, w->name))
            found(w, k, c, NULL);
    }
}

static void find_tensors(struct wanted *w, const struct kernel *k) {
    for (int i = 0; i < k->nlocal + k->nformals; ++i) {
        const struct tensor *t = i < k->nlocal ? k->local[i] : k->formal[i - k->nlocal].tensor;
        if (!same(t->name, w->name)) continue;
        if (w->n == 0 || w->first->tensor != t) found(w, k, NULL, t);
        return;
    }
}

bool find_copy_by(const struct plan *p, const struct tiled_copy *tc, struct subject *out) {
    struct subject first;
    struct wanted w = {.tc = tc, .first = &first};
    for (const struct kernel *k = plan_next(p, NULL); k; k = plan_next(p, k))
        find_copies(&w, k, k->body);
    if (w.n == 0) return false;
    out->copy = first.copy;
    out->kernel = first.kernel;
    return true;
}

// Which of the cases of its name "k" is, from 1 on.
static int case_number(const struct kernel *k) {
    int n = 1;
    for (const struct kernel *c = k->first_case; c && c != k; c = c->next_case) ++n;
    return n;
}

// The function that "name" begins with, before '.' or ':', and "*number" a case of it, as in
// "k.2.s", or 0; "*rest" is what follows.
static const struct kernel *function_of(const struct plan *p, const char *name, int *number,
                                        const char **rest) {
    size_t n = strcspn(name, ".:"), digits;
    *number = 0;
    *rest = name + n;
    for (const struct kernel *k = plan_next(p, NULL); name[n] && k; k = plan_next(p, k)) {
        if (strlen(k->name) != n || memcmp(k->name, name, n) != 0) continue;
        digits = strspn(*rest + 1, "0123456789");
        char after = (*rest)[digits + 1];
        if (k->first_case && digits && digits < 6 && (after == '.' || after == ':')) {
            *number = atoi(*rest + 1);
            *rest += digits + 1;
        }
        return k;
    }
    return NULL;
}

// Whether "k" is "of", or a case of that name; "number": that one alone.
static bool is_of(const struct kernel *k, const struct kernel *of, int number) {
    return !of || (strcmp(k->name, of->name) == 0 && (!number || case_number(k) == number));
}

static bool read_line(const char *text, int *line) {
    size_t n = strspn(text, "0123456789");
    *line = n > 0 && n < 9 && !text[n] ? atoi(text) : 0;
    return *line > 0;
}

// If "name" is LINE (of the plan itself) or FILE:LINE, sets "w" to it and returns true.
static bool take_place(struct wanted *w, const struct plan *p, const char *name) {
    const char *colon = strrchr(name, ':');
    if (!read_line(colon ? colon + 1 : name, &w->line)) return false;
    w->file = colon ? name : p->path;
    w->nfile = colon ? (size_t)(colon - name) : strlen(p->path);
    return true;
}

// -- names that are not there, or twice -----------------------------------------------------------

static void add_name(const char **names, int *n, const char *name) {
    for (int i = 0; name && i < *n; ++i)
        if (strcmp(names[i], name) == 0) return;
    if (name && *n < MAX_NAMES) names[(*n)++] = name;
}

static void add_labels(const char **names, int *n, const struct stmt *list) {
    for (; list; list = list->next) {
        if (list->kind == STMT_COPY)
            add_name(names, n, list->copy->label);
        else
            add_labels(names, n, list->body);
    }
}

// The names of everything that can be drawn, except copies without a label.
static int all_names(struct session *s, const struct plan *p, const char **known) {
    int n = 0;
    for (int i = 0; i < p->ntiled; ++i) add_name(known, &n, p->tiled[i]->name);
    for (int i = 0; i < p->nlayouts; ++i) add_name(known, &n, p->layout[i].name);
    for (int i = 0; i < MMA_OPERANDS * p->nmmas; ++i)
        add_name(known, &n,
                 mma_operand_name(s, p->mma[i / MMA_OPERANDS],
                                  (enum mma_operand)(i % MMA_OPERANDS)));
    for (int i = 0; i < p->ntensors; ++i) add_name(known, &n, p->tensor[i]->name);
    for (const struct kernel *k = plan_next(p, NULL); k; k = plan_next(p, k)) {
        if (!k->first_case || k->first_case == k) add_name(known, &n, k->name);
        add_labels(known, &n, k->body);
        for (int i = 0; i < k->nlocal; ++i) add_name(known, &n, k->local[i]->name);
    }
    return n;
}

// The line of each copy, for one of a planned kernel with the kernel's name before it.
static void add_lines(struct session *s, struct buf *out, const struct kernel *k,
                      const struct stmt *list, int *n) {
    for (; list && *n < MOST_TOLD; list = list->next) {
        if (list->kind != STMT_COPY) {
            add_lines(s, out, k, list->body, n);
            continue;
        }
        int line, column;
        bool planned = s->sources.file[list->copy->at.file].path[0] == '<';
        source_place(s, list->copy->at, &line, &column);
        buf_puts(out, (*n)++ ? ", " : "");
        if (planned)
            buf_printf(out, "'%s:%d'", k->name, line);
        else
            buf_printf(out, "%d", line);
    }
}

const char *copy_lines(struct session *s, const struct plan *p) {
    struct buf b;
    int n = 0;
    buf_init(&b);
    for (const struct kernel *k = plan_next(p, NULL); k; k = plan_next(p, k))
        add_lines(s, &b, k, k->body, &n);
    const char *lines = buf_finish(&b, &s->arena);
    return n == 0   ? ""
           : n == 1 ? arena_printf(&s->arena, "; a copy is in line %s", lines)
                    : arena_printf(&s->arena, "; copies are in the lines %s", lines);
}

// Such as "there are 'tc', 'k' and 's'; copies are in the lines 7, 8".
static const char *what_there_is(struct session *s, const struct plan *p, const char *const *known,
                                 int n) {
    struct buf b;
    buf_init(&b);
    int told = n < MOST_TOLD ? n : MOST_TOLD;
    for (int i = 0; i < told; ++i)
        buf_printf(&b, "%s'%s'", i == 0 ? (n == 1 ? "there is " : "there are ") : ", ", known[i]);
    if (n > told) buf_puts(&b, " ..");
    if (n == 0) buf_puts(&b, "it has nothing to draw");
    buf_puts(&b, copy_lines(s, p));
    return buf_finish(&b, &s->arena);
}

int no_subject(struct session *s, const struct plan *p) {
    const char *known[MAX_NAMES];
    int n = all_names(s, p, known);
    return option_error("say what of '%s' to draw; %s", p->path, what_there_is(s, p, known, n));
}

// "g2s" of "operand_A(g2s)", where that is a tiled copy; or NULL.
static const char *operand_of_copy(struct session *s, const struct plan *p, const char *name) {
    const char *open = strchr(name, '(');
    size_t n = open ? strcspn(open + 1, ")") : 0;
    if (!open || strncmp(name, "operand_", 8) != 0) return NULL;
    const char *inner = arena_strndup(&s->arena, open + 1, n);
    return plan_find_tiled(p, inner) ? inner : NULL;
}

static int unknown_name(struct session *s, const struct plan *p, const char *name) {
    const char *known[MAX_NAMES], *tiled = operand_of_copy(s, p, name);
    if (tiled)
        return option_error("'%s' is a tiled copy; operands are of a tiled MMA, and 'tcpc draw %s "
                            "%s' draws the tiled copy",
                            tiled, p->path, tiled);
    int n = all_names(s, p, known);
    const char *near = diag_did_you_mean(name, known, n);
    if (near)
        option_error("'%s' has nothing called '%s' to draw; did you mean '%s'?", p->path, name,
                     near);
    else
        option_error("'%s' has nothing called '%s' to draw; %s", p->path, name,
                     what_there_is(s, p, known, n));
    return EXIT_USAGE;
}

// Such as "say 'one.ld', 'two.ld' or 'three.ld'"; omits copies without a label.
static const char *ways_out(const struct wanted *w) {
    struct buf b;
    int n = 0, named = 0, told = w->n < MOST_TOLD ? w->n : MOST_TOLD;
    buf_init(&b);
    for (int i = 0; i < told; ++i) named += w->all[i].label != NULL;
    for (int i = 0; i < told; ++i) {
        if (!w->all[i].label) continue;
        const struct kernel *k = w->all[i].k;
        const char *between = n == 0 ? "say " : n + 1 == named ? " or " : ", ";
        if (k->first_case)
            buf_printf(&b, "%s'%s.%d.%s'", between, k->name, case_number(k), w->all[i].label);
        else
            buf_printf(&b, "%s'%s.%s'", between, k->name, w->all[i].label);
        ++n;
    }
    if (w->n > told) buf_puts(&b, " ..");
    if (named < told)
        buf_printf(&b, "%sgive %s", n ? ", or " : "", n ? "the others labels" : "them labels");
    return buf_finish(&b, &w->s->arena);
}

static int several(const struct wanted *w, const char *name) {
    if (w->line)
        option_error("%d copies begin at line %d; %s", w->n, w->line, ways_out(w));
    else
        option_error("%d things are called '%s'; %s", w->n, name, ways_out(w));
    return EXIT_USAGE;
}

// -- operands -------------------------------------------------------------------------------------

bool find_operand(struct session *s, const struct plan *p, const char *name, struct subject *out) {
    for (int i = 0; i < p->nmmas; ++i) {
        for (int k = 0; k < MMA_OPERANDS; ++k) {
            enum mma_operand which = (enum mma_operand)k;
            if (!same(mma_operand_name(s, p->mma[i], which), name)) continue;
            out->tc = mma_operand_tile(s, p->mma[i], which);
            out->mma = p->mma[i];
            out->operand = k;
            return true;
        }
    }
    return false;
}

// -- all ------------------------------------------------------------------------------------------

int find_subject(struct session *s, const struct plan *p, const char *name, struct subject *out) {
    *out = (struct subject){0};
    if ((out->tc = plan_find_tiled(p, name)) || find_operand(s, p, name, out)) return EXIT_RIGHT;
    for (int i = 0; i < p->nlayouts; ++i)
        if (same(p->layout[i].name, name) && (out->layout = &p->layout[i])) return EXIT_RIGHT;
    int ntensors = 0;  // several functions may have one with this name
    for (int i = 0; i < p->ntensors; ++i) {
        if (!same(p->tensor[i]->name, name)) continue;
        out->tensor = p->tensor[i];
        ++ntensors;
    }
    if (ntensors == 1) return EXIT_RIGHT;
    out->tensor = NULL;
    for (const struct kernel *k = plan_next(p, NULL); k; k = plan_next(p, k))
        if (same(k->name, name) && (out->kernel = k)) return EXIT_RIGHT;
    const char *rest;
    int number;
    const struct kernel *of = function_of(p, name, &number, &rest);
    struct wanted w = {.s = s, .name = of ? rest + 1 : name, .first = out};
    if (of && *rest == ':' && !read_line(rest + 1, &w.line)) return unknown_name(s, p, name);
    if (!w.line && take_place(&w, p, name)) of = NULL;
    for (const struct kernel *k = plan_next(p, NULL); k; k = plan_next(p, k))
        if (is_of(k, of, number)) find_copies(&w, k, k->body);
    bool tensors = w.n == 0 && !w.line;
    for (const struct kernel *k = plan_next(p, NULL); tensors && k; k = plan_next(p, k))
        if (is_of(k, of, number)) find_tensors(&w, k);
    if (w.n == 0) return unknown_name(s, p, name);
    return w.n == 1 ? EXIT_RIGHT : several(&w, name);
}
