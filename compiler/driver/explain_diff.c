// Comparing two explanations (see explain_diff.h).  Files are anybody's: what is read is checked.
#include "driver/explain_diff.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/escape.h"
#include "base/json.h"
#include "base/session.h"
#include "driver/options.h"

enum { OLD, NEW, N_SIDES };
enum { SCHEMA = 1, MOST_PATH = 3 };

// -- what is compared -----------------------------------------------------------------------------

enum better { EITHER, MORE, FEWER };

// A key that is missing where "where" says INNER means null: it is there when there is such a
// thing.
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
    {"bytes of a block", "", {"bytes", "block_once"}, EITHER},
    {"bytes of all blocks", "", {"bytes", "all"}, FEWER},
};

// -- amounts --------------------------------------------------------------------------------------

enum amount_kind { MISSING, NONE, RANGE, WORDS, NO_AMOUNT };

struct amount {
    enum amount_kind kind;
    int64_t least, most;  // RANGE; equal where it is certain
    const char *words;    // an expression of the params, a name
};

static struct amount whole(int64_t n) {
    return (struct amount){RANGE, n, n, NULL};
}

// null, an integer, text, or an object of the integers "least" and "most".
static struct amount amount_of(const struct json_value *v) {
    if (!v) return (struct amount){MISSING};
    if (v->kind == JSON_NULL) return (struct amount){NONE};
    if (v->kind == JSON_NUMBER && v->whole) return whole(v->number);
    if (v->kind == JSON_TEXT || v->kind == JSON_NUMBER)
        return (struct amount){WORDS, .words = v->text};
    const struct json_value *least = json_member(v, "least"), *most = json_member(v, "most");
    if (!least || !most || !least->whole || !most->whole || least->number > most->number)
        return (struct amount){NO_AMOUNT};
    return (struct amount){RANGE, least->number, most->number, NULL};
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
    const char *who;  // "kernel.label", of what is compared now
    int worse, better, other;
};

static void put_amount(struct diff *d, const struct amount *a, const char *unit) {
    switch (a->kind) {
    case RANGE:
        buf_printf(d->out, "%" PRId64, a->least);
        if (a->most != a->least) buf_printf(d->out, " .. %" PRId64, a->most);
        buf_puts(d->out, unit);
        return;
    case WORDS: buf_shown(d->out, a->words, strlen(a->words)); return;
    case NONE: buf_puts(d->out, "none"); return;
    case MISSING:
    case NO_AMOUNT: return;
    }
}

static void tell(struct diff *d, const char *name, const char *unit, enum better better,
                 const struct amount *a, const struct amount *b) {
    if (same(a, b)) return;
    buf_printf(d->out, "%s: %s: ", d->who, name);
    if (a->kind == MISSING || b->kind == MISSING) {
        put_amount(d, a->kind == MISSING ? b : a, unit);
        buf_printf(d->out, ", which is not in the %s file\n", a->kind == MISSING ? "old" : "new");
        ++d->other;
        return;
    }
    bool ranges = a->kind == RANGE && b->kind == RANGE && better != EITHER;
    bool more = ranges && b->least >= a->least && b->most >= a->most;
    bool fewer = ranges && b->least <= a->least && b->most <= a->most;
    bool worse = better == MORE ? fewer : more, improved = better == MORE ? more : fewer;
    put_amount(d, a, b->kind == RANGE ? "" : unit);  // told once
    buf_puts(d->out, " -> ");
    put_amount(d, b, unit);
    buf_puts(d->out, worse ? ": worse\n" : improved ? ": better\n" : "\n");
    *(worse ? &d->worse : improved ? &d->better : &d->other) += 1;
}

static int wrong(const struct diff *d, int side, const char *what) {
    return option_error("'%s' is nothing that 'tcpc explain --json' prints: %s", d->path[side],
                        what);
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
            if (a[i].kind == NO_AMOUNT)
                return wrong(
                    d, i, arena_printf(&d->s->arena, "'%s' of '%s' is no amount", q->name, d->who));
        }
        tell(d, q->name, q->unit, q->better, &a[OLD], &a[NEW]);
    }
    return EXIT_RIGHT;
}

// -- what the numbers of several fields make ------------------------------------------------------

// Registers of a thread that the fragments of kernel "k" take.
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

// The width in the narrowest of the kernel's variants.
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

// -- which is which -------------------------------------------------------------------------------

struct item {
    const struct json_value *v;
    const char *key;
    int at, mate;  // -1: none
    bool labelled;
};

struct items {
    struct item *item;  // in the order of the file
    int n;
};

static struct items items_of(struct session *s, const struct json_value *list) {
    struct items x = {NULL, 0};
    for (const struct json_value *v = list->first; v; v = v->next) ++x.n;
    x.item = ARENA_ARRAY(&s->arena, struct item, x.n + 1);
    x.n = 0;
    for (const struct json_value *v = list->first; v; v = v->next, ++x.n)
        x.item[x.n] = (struct item){.v = v, .at = x.n, .mate = -1};
    return x;
}

static const char *text_of(const struct json_value *v, const char *key) {
    const struct json_value *x = json_member(v, key);
    return x && x->kind == JSON_TEXT ? x->text : NULL;
}

static int by_key(const void *a, const void *b) {
    const struct item *const *x = a, *const *y = b;
    int c = strcmp((*x)->key, (*y)->key);
    return c ? c : (*x)->at - (*y)->at;
}

enum label { ANY, WITH, WITHOUT };

// Those of "x" that have a key and no mate yet, by key.
static struct item **free_ones(struct session *s, const struct items *x, enum label l, int *n) {
    struct item **list = ARENA_ARRAY(&s->arena, struct item *, x->n + 1);
    *n = 0;
    for (struct item *i = x->item; i < x->item + x->n; ++i)
        if (i->key && i->mate < 0 && (l == ANY || i->labelled == (l == WITH))) list[(*n)++] = i;
    qsort(list, (size_t)*n, sizeof(struct item *), by_key);
    return list;
}

// Makes mates of those of one key, the first of the first; with "even" only where as many are left
// on both sides.
static void pair(struct session *s, struct items x[N_SIDES], enum label old, enum label new,
                 bool even) {
    int n, m;
    struct item **a = free_ones(s, &x[OLD], old, &n), **b = free_ones(s, &x[NEW], new, &m);
    if (even && n != m) return;
    for (int i = 0, j = 0; i < n && j < m;) {
        int c = strcmp(a[i]->key, b[j]->key);
        if (c == 0) {
            a[i]->mate = b[j]->at;
            b[j]->mate = a[i]->at;
        }
        i += c <= 0;
        j += c >= 0;
    }
}

static const char *label_key(struct session *s, const struct json_value *v) {
    (void)s;
    return text_of(v, "label");
}

static const char *text_key(struct session *s, const struct json_value *v) {
    (void)s;
    return text_of(v, "text");
}

static const char *tensors_key(struct session *s, const struct json_value *v) {
    const char *from = text_of(json_member(v, "source"), "tensor");
    const char *to = text_of(json_member(v, "destination"), "tensor");
    return from && to ? arena_printf(&s->arena, "%s -> %s", from, to) : NULL;
}

static const char *no_key(struct session *s, const struct json_value *v) {
    (void)s;
    (void)v;
    return "";
}

// A label says which copy it is.  Where one of the two has none, the text does, then what is
// copied to what, then the order.
static void pair_copies(struct session *s, struct items x[N_SIDES]) {
    static const struct {
        const char *(*key)(struct session *s, const struct json_value *v);
        enum label old, new;
        bool even;
    } step[] = {{label_key, ANY, ANY},           {text_key, WITHOUT, WITHOUT},
                {text_key, WITHOUT, WITH},       {text_key, WITH, WITHOUT},
                {tensors_key, WITHOUT, WITHOUT}, {tensors_key, WITHOUT, WITH},
                {tensors_key, WITH, WITHOUT},    {no_key, WITHOUT, WITHOUT, true}};
    for (size_t k = 0; k < sizeof step / sizeof *step; ++k) {
        for (int i = 0; i < N_SIDES; ++i) {
            for (int j = 0; j < x[i].n; ++j) {
                struct item *c = &x[i].item[j];
                c->key = step[k].key(s, c->v);
                c->labelled = text_of(c->v, "label") != NULL;
            }
        }
        pair(s, x, step[k].old, step[k].new, step[k].even);
    }
}

// -- copies and kernels ---------------------------------------------------------------------------

static const char *copy_name(struct diff *d, const char *kernel, const struct json_value *c) {
    const char *label = text_of(c, "label");
    const struct json_value *line = json_member(c, "line");
    if (label) return shown(&d->s->arena, arena_printf(&d->s->arena, "%s.%s", kernel, label));
    return shown(&d->s->arena, arena_printf(&d->s->arena, "%s:%" PRId64, kernel, line->number));
}

// What is of one side alone.
static void put_alone(struct diff *d, const char *what, int side) {
    buf_printf(d->out, "%s: %s %s\n", d->who, what, side == OLD ? "removed" : "added");
    ++d->other;
}

static int compare_copies(struct diff *d, const char *kernel,
                          const struct json_value *const list[N_SIDES]) {
    struct items x[N_SIDES] = {items_of(d->s, list[OLD]), items_of(d->s, list[NEW])};
    int status = EXIT_RIGHT;
    pair_copies(d->s, x);
    for (int i = 0; i < x[NEW].n && !status; ++i) {
        const struct item *c = &x[NEW].item[i];
        d->who = copy_name(d, kernel, c->v);
        if (c->mate < 0) {
            put_alone(d, "the copy was", NEW);
            continue;
        }
        const struct json_value *const v[N_SIDES] = {x[OLD].item[c->mate].v, c->v};
        status = compare(d, of_copy, sizeof of_copy / sizeof *of_copy, v);
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
    for (int i = 0; i < N_SIDES; ++i) {
        x[i] = items_of(d->s, json_member(file[i], "kernels"));
        for (int j = 0; j < x[i].n; ++j) x[i].item[j].key = text_of(x[i].item[j].v, "name");
    }
    pair(d->s, x, ANY, ANY, false);
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

// What is missing in "v"; NULL: it has all that the comparison rests on.
static const char *lack(const struct json_value *v) {
    if (!is(v, "schema", JSON_NUMBER)) return "it has no 'schema'";
    if (json_member(v, "schema")->number != SCHEMA) return "its 'schema' is not 1";
    if (!is(v, "kernels", JSON_LIST)) return "it has no list 'kernels'";
    for (const struct json_value *k = json_member(v, "kernels")->first; k; k = k->next) {
        if (!is(k, "name", JSON_TEXT)) return "a kernel has no 'name'";
        if (!is(k, "copies", JSON_LIST)) return "a kernel has no list 'copies'";
        if (json_member(k, "tensors") && !is(k, "tensors", JSON_LIST))
            return "the 'tensors' of a kernel are no list";
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
        option_error("'%s' is no JSON: line %d, column %d: %s", d->path[side], e.line, e.column,
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
