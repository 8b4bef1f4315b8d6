// Writes a relayout as the text of a kernel, or of its cases.
#include <string.h>

#include "base/buf.h"
#include "planner/form.h"

// A suffix for the kernel's own names with which none equals an argument's name.
static const char *ending(const struct relayout_names *n) {
    static const char *const own[] = {"a", "b", "c", "d", "e", "f",   "i",   "j",  "p", "q",
                                      "r", "s", "t", "u", "v", "get", "put", "rd", "wr"};
    static const char *const ends[] = {"", "_", "__"};  // two arguments exclude at most two of them
    for (int e = 0; e < 3; ++e) {
        bool taken = false;
        for (unsigned i = 0; i < sizeof own / sizeof own[0]; ++i)
            for (int k = 0; k < 2; ++k) {
                const char *name = k ? n->dst : n->src;
                size_t len = strlen(own[i]);
                if (strncmp(name, own[i], len) != 0) continue;
                if (!own[i][1]) len += strspn(name + len, "0123456789");
                taken |= strcmp(name + len, ends[e]) == 0;
            }
        if (!taken) return ends[e];
    }
    BUG("two arguments with three endings");
}

static const char kernel[] = "<reasons><predicted>kernel <name>(<first>,\n    <second>)\n"
                             "   <when> grid <grid> threads <threads> {\n<body>}\n";

// A form's hole that is called as one of the kernel's would be filled by that one.
static void check_holes(const struct hole *of_form, const struct hole *of_kernel) {
    for (const struct hole *h = of_form; h->name; ++h)
        for (const struct hole *k = of_kernel; k->name; ++k)
            if (k->text && strcmp(h->name, k->name) == 0)
                BUG("a form has a hole <%s>, which is the kernel's", h->name);
}

// Writes one case by candidate "of", and says what was taken in "*out".
static const char *one_case(struct session *s, const struct relayout *r,
                            const struct relayout_names *n, const struct candidate *of,
                            const struct flat *row, bool last, struct relayout_chosen *out) {
    struct text t = {s, r, of->in_row ? row : NULL, of, n, ending(n), NULL};
    struct relayout sides[2] = {*r, t.row ? t.row->r : *r};
    for (int i = 0; i < 2 && of->form->side; ++i) of->form->side(&t, i == 0, &sides[i]);
    const char *from = text_formal(&t, &sides[0], true);
    const char *to = text_print(&t, "out %s", text_formal(&t, &sides[1], false));
    const struct hole holes[] = {{"reasons", 0, of->form->reasons},
                                 {"predicted", 0, predicted_text(&t, out)},
                                 {"name", 0, n->kernel},
                                 {"first", 0, n->dst_first ? to : from},
                                 {"second", 0, n->dst_first ? from : to},
                                 {"when", 0, when_text(s, r, last)},
                                 {"grid", 0, of->form->grid},
                                 {"threads", of->threads, NULL},
                                 {"body", 0, of->form->body},
                                 {0}};
    t.hole = of->form->holes(&t);
    check_holes(t.hole, holes);
    out->how = text_fill(&t, of->form->how, t.hole);
    return text_fill(&t, kernel, holes);
}

// Why no candidate is written where there are "found".
static const char *none(struct session *s, const struct relayout *r, int found) {
    if (found > 0)
        return arena_printf(&s->arena, "there is no candidate %d; there are %d, counted from 0",
                            r->candidate, found);
    return "this relayout takes more than 2^31 blocks";
}

// Writes which candidates were refused, a line for each.
static void put_refused(struct buf *b, const char *why) {
    for (size_t n; why && *why; why += n + 1) {
        n = strcspn(why, "\n");
        buf_printf(b, "// Of the planner's choices, %.*s.\n", (int)n, why);
    }
}

const char *relayout_kernel(struct session *s, const struct relayout *r,
                            const struct relayout_names *n, struct buf *b,
                            struct relayout_chosen chosen[RELAYOUT_CASES]) {
    struct relayout *list = ARENA_ARRAY(&s->arena, struct relayout, RELAYOUT_CASES);
    struct candidate *of = ARENA_ARRAY(&s->arena, struct candidate, RELAYOUT_CASES);
    struct flat *row = ARENA_ARRAY(&s->arena, struct flat, RELAYOUT_CASES);
    int found[RELAYOUT_CASES], cases = cases_of(s, r, list, of, row, found);
    bool there[RELAYOUT_CASES], any = false;
    for (int i = 0; i < cases; ++i) {
        int number = chosen[i].candidate = r->fallback ? r->fallback->candidate[i] : r->candidate;
        any |= there[i] = (number == 0 && found[i] > 0) ||
                          candidate_of(&list[i], number, &of[i], &row[i], &found[i]);
    }
    // a case without so many candidates uses its best one
    for (int i = 0; i < cases; ++i) {
        if (!there[i] && !(any && candidate_of(&list[i], 0, &of[i], &row[i], &found[i])))
            return none(s, &list[i], found[i]);
        if (!there[i]) chosen[i].candidate = 0;
        chosen[i].cost = of[i].cost;
        chosen[i].refused = r->fallback ? r->fallback->why[i] : NULL;
        put_refused(b, chosen[i].refused);
        buf_puts(b, one_case(s, &list[i], n, &of[i], &row[i], i == cases - 1, &chosen[i]));
    }
    return NULL;
}
