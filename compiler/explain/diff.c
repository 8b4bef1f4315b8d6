// Compares two explanations (see diff.h).  The files are untrusted: everything is checked.
#include "explain/diff.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/buf.h"
#include "base/command.h"
#include "base/escape.h"
#include "base/json.h"
#include "base/session.h"
#include "explain/explain.h"
#include "explain/mates.h"

enum { OLD, NEW, N_SIDES };
enum { MOST_PATH = 3 };

// -- what is compared -----------------------------------------------------------------------------

enum better { EITHER, MORE, FEWER };

// An "inner" key is missing if the thing does not exist; any other key, if another version of tcpc
// wrote the file.
struct quantity {
    const char *name, *unit;
    const char *path[MOST_PATH];
    enum better better;
    bool inner;
};

static const struct quantity of_kernel[] = {
    {"threads", "", {"threads"}, EITHER},
    {"shared memory", " bytes", {"shared_bytes"}, FEWER},
};

static const struct quantity of_copy[] = {
    {"atom", "", {"atom"}, EITHER},
    {"width", " bits", {"width", "bits"}, MORE},
    {"width at the edge", " bits", {"edge", "bits"}, MORE, true},
    {"bytes per block", "", {"bytes", "block_once"}, EITHER},
    {"bytes in all blocks", "", {"bytes", "all"}, FEWER},
};

// -- amounts --------------------------------------------------------------------------------------

enum amount_kind { MISSING, NONE, RANGE, WORDS, NO_AMOUNT };

struct amount {
    enum amount_kind kind;
    int64_t least, most;  // RANGE; equal if it is exact
    const char *words;    // an expression of the params, or a name
    // RANGE: the amount to which it is relative; 0: not known
    int64_t of;
};

static struct amount whole(int64_t n) {
    return (struct amount){RANGE, n, n, NULL, 0};
}

static struct amount range_of(const struct json_value *least, const struct json_value *most) {
    if (!least || !most || !least->whole || !most->whole || least->number > most->number)
        return (struct amount){NO_AMOUNT};
    return (struct amount){RANGE, least->number, most->number, NULL, 0};
}

// Converts null, an integer or text.
static struct amount amount_of(const struct json_value *v) {
    if (!v) return (struct amount){MISSING};
    if (v->kind == JSON_NULL) return (struct amount){NONE};
    if (v->kind == JSON_NUMBER && v->whole) return whole(v->number);
    if (v->kind == JSON_TEXT || v->kind == JSON_NUMBER)
        return (struct amount){WORDS, .words = v->text};
    return (struct amount){NO_AMOUNT};
}

static bool same(const struct amount *a, const struct amount *b) {
    if (a->kind != b->kind) return false;
    if (a->kind == RANGE) return a->least == b->least && a->most == b->most;
    return a->kind != WORDS || strcmp(a->words, b->words) == 0;
}

// -- telling --------------------------------------------------------------------------------------

struct diff {
    struct session *s;
    struct buf *out;
    const char *path[N_SIDES];
    const char *who;  // what is being compared: "kernel.label"
    int worse, better, other;
};

static void put_amount(struct diff *d, const struct amount *a, const char *unit) {
    switch (a->kind) {
    case RANGE:
        buf_printf(d->out, "%" PRId64, a->least);
        if (a->most != a->least) buf_printf(d->out, " to %" PRId64, a->most);
        buf_puts(d->out, unit);
        return;
    case WORDS: buf_shown(d->out, a->words, strlen(a->words)); return;
    case NONE: buf_puts(d->out, "none"); return;
    case MISSING:
    case NO_AMOUNT: return;
    }
}

// Compares "a" relative to "a_of" with "b" relative to "b_of": -1, 0 or 1 if a is less, equal or
// more.
static int relation(int64_t a, int64_t a_of, int64_t b, int64_t b_of) {
    int64_t x, y;
    if (a_of == b_of || a_of <= 0 || b_of <= 0) return (a > b) - (a < b);
    if (__builtin_mul_overflow(a, b_of, &x) || __builtin_mul_overflow(b, a_of, &y)) return 0;
    return (x > y) - (x < y);
}

// "of": what the amounts are relative to, as text.
static void tell_of(struct diff *d, const char *name, const char *unit, enum better better,
                    const struct amount *a, const struct amount *b, const char *of) {
    bool missing = a->kind == MISSING || b->kind == MISSING;
    if (same(a, b) || (missing && (a->kind == NONE || b->kind == NONE))) return;
    buf_printf(d->out, "%s: %s: ", d->who, name);
    if (missing) {
        put_amount(d, a->kind == MISSING ? b : a, unit);
        buf_printf(d->out, ", which is not in the %s file\n", a->kind == MISSING ? "old" : "new");
        ++d->other;
        return;
    }
    bool ranges = a->kind == RANGE && b->kind == RANGE && better != EITHER;
    int least = relation(b->least, b->of, a->least, a->of);
    int most = relation(b->most, b->of, a->most, a->of);
    bool more = ranges && least >= 0 && most >= 0 && (least || most);
    bool fewer = ranges && least <= 0 && most <= 0 && (least || most);
    bool worse = better == MORE ? fewer : more, improved = better == MORE ? more : fewer;
    put_amount(d, a, b->kind == RANGE ? "" : unit);  // once
    buf_puts(d->out, " -> ");
    put_amount(d, b, unit);
    if (ranges && a->of > 0 && b->of > 0 && a->of != b->of)
        buf_printf(d->out, ", %s %" PRId64 " -> %" PRId64, of, a->of, b->of);
    buf_puts(d->out, worse ? ": worse\n" : improved ? ": better\n" : "\n");
    *(worse ? &d->worse : improved ? &d->better : &d->other) += 1;
}

static void tell(struct diff *d, const char *name, const char *unit, enum better better,
                 const struct amount *a, const struct amount *b) {
    tell_of(d, name, unit, better, a, b, "");
}

static int wrong(const struct diff *d, int side, const char *what) {
    return option_error("'%s' is not an output of 'tcpc explain --json': %s", d->path[side], what);
}

static int no_amount(const struct diff *d, int side, const char *name) {
    return wrong(d, side,
                 arena_printf(&d->s->arena, "'%s' of '%s' is not an amount", name, d->who));
}

static int compare(struct diff *d, const struct quantity *q, int n,
                   const struct json_value *const v[N_SIDES]) {
    for (; n > 0; --n, ++q) {
        struct amount a[N_SIDES];
        for (int i = 0; i < N_SIDES; ++i) {
            const struct json_value *x = v[i];
            for (int k = 0; k < MOST_PATH && q->path[k]; ++k) x = json_member(x, q->path[k]);
            a[i] = amount_of(x);
            if (a[i].kind == MISSING && q->inner) a[i].kind = NONE;
            if (a[i].kind == NO_AMOUNT) return no_amount(d, i, q->name);
        }
        tell(d, q->name, q->unit, q->better, &a[OLD], &a[NEW]);
    }
    return EXIT_RIGHT;
}

// -- what the numbers of several fields make ------------------------------------------------------

// The registers of a thread for the fragments of kernel "k".
static struct amount registers(const struct json_value *k) {
    const struct json_value *list = json_member(k, "tensors");
    int64_t sum = 0;
    if (!list) return (struct amount){MISSING};
    for (const struct json_value *t = list->first; t; t = t->next) {
        const struct json_value *space = json_member(t, "space"), *n = json_member(t, "bytes");
        if (!space || space->kind != JSON_TEXT || strcmp(space->text, "frag") != 0 || !n) continue;
        if (!n->whole || n->number < 0 || n->number > INT32_MAX)
            return (struct amount){WORDS, .words = "unknown"};
        sum += (n->number + 3) / 4;
    }
    return whole(sum);
}

// The width in the narrowest variant of the kernel.
static struct amount narrowest(const struct json_value *copy) {
    const struct json_value *width = json_member(copy, "width");
    const struct json_value *list = json_member(width, "variants");
    struct amount a = amount_of(json_member(width, "bits"));
    for (const struct json_value *v = list ? list->first : NULL; v; v = v->next)
        if (v->whole && a.kind == RANGE && v->number < a.most) a = whole(v->number);
    return a;
}

static bool has_variants(const struct json_value *copy) {
    const struct json_value *list = json_member(json_member(copy, "width"), "variants");
    return list && list->first && list->first->next;
}

// -- what the hardware counts ---------------------------------------------------------------------

static int64_t integer(const struct json_value *v) {
    return v && v->kind == JSON_NUMBER && v->whole ? v->number : 0;
}

// The count "what" of side "side" of "copy": of one access of a warp, relative to the minimum for
// its lanes; or the "total", relative to the bytes that a block copies.
static struct amount count_of(const struct json_value *copy, const char *side, const char *what,
                              bool total) {
    const struct json_value *x = json_member(copy, side), *cost = json_member(x, "cost");
    const char *space = mates_text(x, "space");
    if (!cost) return (struct amount){space && strcmp(space, "frag") == 0 ? NONE : MISSING};
    const struct json_value *list = json_member(cost, "counts");
    const struct json_value *c = list ? list->first : NULL;
    for (; c; c = c->next) {
        const char *name = mates_text(c, "what");
        const struct json_value *least = json_member(c, total ? "total_min" : "access_min");
        const struct json_value *most = json_member(c, total ? "total_max" : "access_max");
        if (!name || strcmp(name, what) != 0) continue;
        struct amount a = range_of(least, most);
        a.of = integer(total ? json_member(json_member(copy, "bytes"), "block_once")
                             : json_member(c, "access_least"));
        return a;
    }
    return (struct amount){NONE};
}

static const char *cost_values(const struct json_value *copy, const char *side) {
    const char *text = mates_text(json_member(json_member(copy, side), "cost"), "values");
    return text ? text : "";
}

// Counts for different values of params cannot be compared.
static int compare_counts(struct diff *d, const struct json_value *const v[N_SIDES]) {
    static const struct {
        const char *name, *side, *what;
        bool total;
    } count[] = {{"sectors(src)", "source", "sectors", false},
                 {"sectors_total(src)", "source", "sectors", true},
                 {"requests_total(src)", "source", "requests", true},
                 {"wavefronts(src)", "source", "wavefronts", false},
                 {"wavefronts_total(src)", "source", "wavefronts", true},
                 {"sectors(dst)", "destination", "sectors", false},
                 {"sectors_total(dst)", "destination", "sectors", true},
                 {"requests_total(dst)", "destination", "requests", true},
                 {"wavefronts(dst)", "destination", "wavefronts", false},
                 {"wavefronts_total(dst)", "destination", "wavefronts", true}};
    for (size_t k = 0; k < sizeof count / sizeof *count; ++k) {
        const char *side = count[k].side;
        bool alike = strcmp(cost_values(v[OLD], side), cost_values(v[NEW], side)) == 0;
        struct amount a[N_SIDES];
        for (int i = 0; i < N_SIDES; ++i) {
            a[i] = count_of(v[i], side, count[k].what, count[k].total);
            if (a[i].kind == NO_AMOUNT) return no_amount(d, i, count[k].name);
        }
        tell_of(d, count[k].name, "", alike ? FEWER : EITHER, &a[OLD], &a[NEW],
                count[k].total ? "for so many bytes:" : "and at least:");
    }
    return EXIT_RIGHT;
}

// -- copies and kernels ---------------------------------------------------------------------------

static const char *copy_name(struct diff *d, const char *kernel, const struct json_value *c) {
    const char *label = mates_text(c, "label");
    const struct json_value *line = json_member(c, "line");
    if (label) return shown(&d->s->arena, arena_printf(&d->s->arena, "%s.%s", kernel, label));
    return shown(&d->s->arena, arena_printf(&d->s->arena, "%s:%" PRId64, kernel, line->number));
}

// Prints something that exists on only one side.
static void put_alone(struct diff *d, const char *what, int side) {
    buf_printf(d->out, "%s: %s %s\n", d->who, what, side == OLD ? "removed" : "added");
    ++d->other;
}

static int compare_copies(struct diff *d, const char *kernel,
                          const struct json_value *const list[N_SIDES]) {
    struct items x[N_SIDES] = {mates_of(d->s, list[OLD]), mates_of(d->s, list[NEW])};
    int status = EXIT_RIGHT;
    mates_copies(d->s, x);
    for (int i = 0; i < x[NEW].n && !status; ++i) {
        const struct item *c = &x[NEW].item[i];
        d->who = copy_name(d, kernel, c->v);
        if (c->mate < 0) {
            put_alone(d, "the copy was", NEW);
            continue;
        }
        const struct json_value *const v[N_SIDES] = {x[OLD].item[c->mate].v, c->v};
        status = compare(d, of_copy, sizeof of_copy / sizeof *of_copy, v);
        if (!status) status = compare_counts(d, v);
        struct amount a[N_SIDES] = {narrowest(v[OLD]), narrowest(v[NEW])};
        if (has_variants(v[OLD]) || has_variants(v[NEW]))
            tell(d, "width of the narrowest variant", " bits", MORE, &a[OLD], &a[NEW]);
    }
    for (int i = 0; i < x[OLD].n; ++i) {
        d->who = copy_name(d, kernel, x[OLD].item[i].v);
        if (x[OLD].item[i].mate < 0) put_alone(d, "the copy was", OLD);
    }
    return status;
}

static int compare_kernels(struct diff *d, const struct json_value *const file[N_SIDES]) {
    struct items x[N_SIDES];
    int status = EXIT_RIGHT;
    for (int i = 0; i < N_SIDES; ++i) x[i] = mates_of(d->s, json_member(file[i], "kernels"));
    mates_kernels(d->s, x);
    for (int i = 0; i < x[NEW].n && !status; ++i) {
        const struct item *k = &x[NEW].item[i];
        const char *name = shown(&d->s->arena, k->key);
        d->who = name;
        if (k->mate < 0) {
            put_alone(d, "it was", NEW);
            continue;
        }
        const struct json_value *const v[N_SIDES] = {x[OLD].item[k->mate].v, k->v};
        const struct json_value *const copies[N_SIDES] = {json_member(v[OLD], "copies"),
                                                          json_member(v[NEW], "copies")};
        status = compare(d, of_kernel, sizeof of_kernel / sizeof *of_kernel, v);
        struct amount a[N_SIDES] = {registers(v[OLD]), registers(v[NEW])};
        tell(d, "fragments", " registers", FEWER, &a[OLD], &a[NEW]);
        if (!status) status = compare_copies(d, k->key, copies);
    }
    for (int i = 0; i < x[OLD].n; ++i) {
        d->who = shown(&d->s->arena, x[OLD].item[i].key);
        if (x[OLD].item[i].mate < 0) put_alone(d, "it was", OLD);
    }
    return status;
}

// -- the files ------------------------------------------------------------------------------------

static bool is(const struct json_value *v, const char *key, enum json_kind kind) {
    const struct json_value *x = json_member(v, key);
    return x && x->kind == kind && (kind != JSON_NUMBER || x->whole);
}

// What is missing in "v"; NULL: it has everything that is compared.
static const char *lack(const struct json_value *v) {
    if (!is(v, "schema", JSON_NUMBER)) return "it has no 'schema'";
    if (json_member(v, "schema")->number != EXPLAIN_SCHEMA) return "its 'schema' is not 1";
    if (!is(v, "kernels", JSON_LIST)) return "it has no list 'kernels'";
    for (const struct json_value *k = json_member(v, "kernels")->first; k; k = k->next) {
        if (!is(k, "name", JSON_TEXT)) return "a kernel has no 'name'";
        if (!is(k, "copies", JSON_LIST)) return "a kernel has no list 'copies'";
        if (json_member(k, "tensors") && !is(k, "tensors", JSON_LIST))
            return "the 'tensors' of a kernel are not a list";
        for (const struct json_value *c = json_member(k, "copies")->first; c; c = c->next)
            if (!is(c, "line", JSON_NUMBER)) return "a copy has no 'line'";
    }
    return NULL;
}

static const struct json_value *read_file(struct diff *d, int side) {
    int file = source_read(d->s, d->path[side]);
    if (file < 0) {
        option_error("cannot read '%s': %s", d->path[side], source_trouble(errno));
        return NULL;
    }
    const struct source *text = &d->s->sources.file[file];
    struct json_error e;
    const struct json_value *v = json_read(&d->s->arena, text->text, text->size, &e);
    if (!v) {
        option_error("'%s' is not JSON: line %d, column %d: %s", d->path[side], e.line, e.column,
                     e.what);
        return NULL;
    }
    const char *why = lack(v);
    if (why) wrong(d, side, why);
    return why ? NULL : v;
}

int explain_diff(struct session *s, const char *old, const char *new, struct buf *out) {
    struct diff d = {.s = s, .out = out, .path = {old, new}, .who = "all"};
    const struct json_value *file[N_SIDES];
    for (int i = 0; i < N_SIDES; ++i)
        if (!(file[i] = read_file(&d, i))) return EXIT_USAGE;
    static const struct quantity of_all[] = {{"architecture", "", {"arch"}, EITHER}};
    const struct json_value *const v[N_SIDES] = {file[OLD], file[NEW]};
    int status = compare(&d, of_all, 1, v);
    if (!status) status = compare_kernels(&d, v);
    if (status) {
        buf_clear(out);
        return status;
    }
    if (d.worse + d.better + d.other == 0)
        buf_puts(out, "nothing changed\n");
    else
        buf_printf(out, "%d worse, %d better, %d other change%s\n", d.worse, d.better, d.other,
                   d.other == 1 ? "" : "s");
    return d.worse ? EXIT_WRONG : EXIT_RIGHT;
}
