// The cases of a relayout whose strides are params, or whose sides may begin at any address: the
// possible width of accesses depends on their divisors, and so does the best tile.  Each case is
// planned separately.
#include <inttypes.h>
#include <string.h>

#include "base/session.h"
#include "planner/form.h"

// Whether all factors of "x" are factors of "y"; both are sorted.
static bool divides(struct lay_int x, struct lay_int y) {
    int i = 0;
    for (int j = 0; i < x.nsyms && j < y.nsyms; ++j)
        i += lay_sym_compare(x.syms[i], y.syms[j]) == 0;
    return i == x.nsyms;
}

int64_t divisor_of(const struct relayout *r, struct lay_int x) {
    int64_t d = lay_int_divisor(x), more;
    for (int i = 0; i < r->nwhen && d != 0; ++i) {
        const struct relayout_when *w = &r->when[i];
        if (!divides(w->value, x) || x.den != 1 || x.num < 1 || d % x.num) continue;
        // "d" is a multiple of the constant, and the rest of "x" is one of the condition's divisor
        if (!__builtin_mul_overflow(d, w->by / lay_gcd(d / x.num, w->by), &more)) d = more;
    }
    return d;
}

// Whether "x" may be a multiple of "by", given its promises.
static bool can_be(struct lay_int x, int64_t by) {
    int64_t lo, hi;
    lay_int_range(x, &lo, &hi);
    return hi / by * by >= (lo > 1 ? lo : 1);
}

// Adds the condition that "x" is a multiple of "by"; false if that is impossible, or too much.
static bool ask(struct relayout *r, struct lay_int x, int64_t by) {
    if (x.den != 1 || x.num < 1) return false;
    struct relayout_when w = {.value = x, .by = by / lay_gcd(by, x.num)};
    w.value.num = 1;
    if (!can_be(w.value, w.by)) return false;
    int n = 0;
    for (int i = 0; i < r->nwhen; ++i)
        if (!divides(w.value, r->when[i].value) || w.by % r->when[i].by != 0)
            r->when[n++] = r->when[i];
    r->nwhen = n;
    if (n == RELAYOUT_WHEN) return false;
    r->when[r->nwhen++] = w;
    return true;
}

// Adds the conditions that make accesses of "vector" elements valid on a side; false if they do not
// suffice, as for strides whose divisors are too large to be computed.
static bool ask_side(struct relayout *r, int vector, bool src) {
    int before = -1;
    for (int m; (m = unpromised(r, vector, src)) >= 0; before = m)
        if (m <= before || !ask(r, r->mode[m].run[src ? RELAYOUT_SRC : RELAYOUT_DST], vector))
            return false;
    return true;
}

// Requires an alignment that is not promised, as far as the begin of the side allows.
static void ask_align(struct relayout *r, bool open, bool src, int bytes) {
    const struct relayout_begin *b = &r->begin[!src];
    int *align = src ? &r->src_align : &r->dst_align;
    if (b->text && b->most < bytes) bytes = b->most;
    if (open && *align < bytes) *align = bytes;
}

// Whether a side begins at an offset of params, which a condition can make a multiple.
static bool begins_at_params(const struct relayout *r) {
    return r->begin[0].nparts > 0 || r->begin[1].nparts > 0;
}

// Adds the conditions that let a side begin at a multiple of "bytes", if it begins at params; false if
// that cannot be.
static bool ask_begin(struct relayout *r, bool src, int bytes) {
    struct relayout_begin *b = &r->begin[!src];
    int *align = src ? &r->src_align : &r->dst_align, vector = bytes / bytes_of(r, src);
    bool open = src ? r->src_open : r->dst_open;
    if (b->nparts == 0 || vector < 2 || *align >= bytes || (b->align < bytes && !open)) return true;
    if (b->at % vector) return false;
    for (int i = 0; i < b->nparts; ++i) {
        struct lay_int x = b->part[i];
        if (x.num < 0) x.num = -x.num;
        if (divisor_of(r, x) % vector && !ask(r, x, vector)) return false;
    }
    *align = bytes;
    if (b->align < bytes) b->align = bytes;
    return true;
}

enum { GAIN = 32 };  // a case by address has to gain one part in so many

// Most bytes of a case's accesses on either side; 0: as promised.
static const struct { int src, dst; } widths[] = {{16, 16}, {8, 8}, {4, 4}, {0, 16}, {16, 0}};

static bool same(const struct relayout *a, const struct relayout *b) {
    bool same =
        a->nwhen == b->nwhen && a->src_align == b->src_align && a->dst_align == b->dst_align;
    for (int i = 0; same && i < a->nwhen; ++i)
        same = lay_int_equal(a->when[i].value, b->when[i].value) && a->when[i].by == b->when[i].by;
    return same;
}

// Whether "a" holds whenever "b" does, so that no launch takes "b" after it.
static bool covers(const struct relayout *a, const struct relayout *b) {
    bool all = a->src_align <= b->src_align && a->dst_align <= b->dst_align;
    for (int i = 0; all && i < a->nwhen; ++i)
        all = divisor_of(b, a->when[i].value) % a->when[i].by == 0;
    return all;
}

// Gives "r" typical strides that are multiples of only what the case requires.  A tile whose rows
// begin inside sectors and lines differs from the best one for rows that do not: 0.74 instead of
// 0.65 of memcpy for f16 of 8191x8193, and 0.86 instead of 0.77 for f32; no gain for bytes.
static bool tear(struct session *s, struct relayout *r) {
    return held_bytes(r) == 1 || !relayout_size(s, r, true);
}

// Whether some values of the params meet the conditions of "x"; otherwise adds these to *left_out.
static bool can_hold(struct session *s, const struct relayout *x, const char **left_out) {
    if (!x->can_hold || x->can_hold(x->by, x)) return true;
    *left_out = arena_printf(&s->arena, "%s%s%s", *left_out ? *left_out : "", *left_out ? ", " : "",
                             when_text(s, x, true));
    return false;
}

// -- params ---------------------------------------------------------------------------------------

static bool is_staged(const struct candidate *c) {
    return c->form == &form_torn || (c->form == &form_tile && c->tile.c.way == WAY_STAGED);
}

// Makes "x" the case whose accesses have these widths; false if there is none.
static bool by_params(struct relayout *x, int src, int dst, int src_bytes, int dst_bytes,
                      bool straight) {
    if (!ask_begin(x, true, src_bytes) || !ask_begin(x, false, dst_bytes)) return false;
    int load = vector_along(x, src, true), store = vector_along(x, dst, false);
    int rd = src_bytes / bytes_of(x, true), wr = dst_bytes / bytes_of(x, false);
    if (rd > load) rd = load;
    if (wr > store) wr = store;
    if (straight) rd = wr = rd < wr ? rd : wr;
    return (rd <= 1 || ask_side(x, rd, true)) && (wr <= 1 || ask_side(x, wr, false));
}

// -- numbers --------------------------------------------------------------------------------------

// The elements of both accesses; 0 for a form whose shape depends on more than these.
static int width_of(const struct candidate *c) {
    if (c->form == &form_rows) return c->rows.load + c->rows.store;
    if (c->form == &form_line) return c->line.load + c->line.store;
    if (c->form != &form_tile && c->form != &form_flat) return 0;
    const struct choice *t = &c->tile.c;
    return t->rd.vector + (t->way == WAY_STAGED ? t->wr.vector : t->rd.vector);
}

// Whether "a" is predicted to be faster than "b" by enough for a case of its own.
static bool gains(const struct candidate *a, const struct candidate *b) {
    int wide = width_of(a), than = width_of(b);
    if (a->form == b->form && wide && wide <= than) return false;
    return !a->cost || !b->cost || a->cost < b->cost - b->cost / GAIN;
}

// Plans the "n" cases, and removes those whose torn tile a later one has, too.  Returns their number.
static int without_torn(struct relayout list[], struct candidate of[], struct flat row[],
                        int count[], int n) {
    int kept = 0, torn = -1;
    const char *left_out = list[n - 1].left_out;
    for (int i = 0; i < n; ++i) {
        if (!candidate_of(&list[i], 0, &of[i], &row[i], &count[i])) count[i] = 0;
        if (count[i] > 0 && of[i].form == &form_torn) torn = i;
    }
    for (int i = 0; i < n; ++i) {
        bool same_tile = i < torn && count[i] > 0 && of[i].form == &form_torn;
        if (same_tile && covers(&list[torn], &list[i])) continue;
        list[kept] = list[i];
        of[kept] = of[i];
        row[kept] = row[i];
        count[kept++] = count[i];
    }
    list[kept - 1].left_out = left_out;
    return kept;
}

// Makes "x" the case of rows of any length in aligned tensors; false if that is none.
static bool by_address(struct session *s, struct relayout *x) {
    struct candidate c;
    struct flat row;
    int count, src = x->src_align, dst = x->dst_align;
    ask_align(x, x->src_open, true, WIDE);
    ask_align(x, x->dst_open, false, WIDE);
    return (x->src_align > src || x->dst_align > dst) && tear(s, x) &&
           candidate_of(x, 0, &c, &row, &count) && c.form == &form_torn;
}

int cases_of(struct session *s, const struct relayout *r, struct relayout list[RELAYOUT_CASES],
             struct candidate of[RELAYOUT_CASES], struct flat row[RELAYOUT_CASES],
             int count[RELAYOUT_CASES]) {
    int n = 0, src[RELAYOUT_MODES], dst[RELAYOUT_MODES];
    const char *left_out = NULL;
    bool open = !r->index && !r->several && (r->src_open || r->dst_open);
    struct candidate best;
    struct flat best_row;
    for (int i = 0; i < RELAYOUT_CASES; ++i) count[i] = 0;
    list[0] = *r;
    if ((!r->usual && !open) || !candidate_of(r, 0, &best, &best_row, &count[0])) return 1;
    bool staged = is_staged(&best);
    if (!staged && !open && !begins_at_params(r)) {  // variants are as good
        of[0] = best;
        row[0] = best_row;
        return 1;
    }
    int found = count[0];
    count[0] = 0;
    order_of(r, true, src);
    order_of(r, false, dst);
    for (unsigned i = 0; i < sizeof widths / sizeof widths[0]; ++i) {
        struct relayout *x = &list[n];
        *x = *r;
        ask_align(x, r->src_open, true, widths[i].src);
        ask_align(x, r->dst_open, false, widths[i].dst);
        bool narrow = widths[i].src == 0 || widths[i].dst == 0, middle = widths[i].src == 8;
        // where addresses decide, multiples of 8 alone are rare, and each case takes time to plan
        if (r->usual ? narrow && !staged : middle || (narrow && n == 0)) continue;
        // storing single bytes loses more than wide loads gain: 0.53 of memcpy, and 0.62 without
        if (widths[i].dst == 0 && bytes_of(r, false) == 1) continue;
        bool made =
            !r->usual || by_params(x, src[0], dst[0], widths[i].src, widths[i].dst, !staged);
        made = made && (x->nwhen > 0 || x->src_align > r->src_align || x->dst_align > r->dst_align);
        for (int j = 0; made && j < n; ++j) made = !same(x, &list[j]) && !covers(&list[j], x);
        made = made && can_hold(s, x, &left_out);
        if (made && r->usual && i > 0) made = tear(s, x);
        if (made && !r->usual) {
            made = candidate_of(x, 0, &of[n], &row[n], &count[n]) && gains(&of[n], &best);
            // what asks for more is not needed if it gains nothing
            if (made && n > 0 && covers(x, &list[n - 1]) && !gains(&of[n - 1], &of[n])) {
                --n;
                list[n] = list[n + 1];
                of[n] = of[n + 1];
                row[n] = row[n + 1];
                count[n] = count[n + 1];
            }
        }
        n += made;
    }
    list[n] = *r;
    if (r->usual && open && n + 1 < RELAYOUT_CASES && by_address(s, &list[n])) ++n;
    list[n] = *r;
    count[n] = 0;
    if (n > 0 && r->usual && !tear(s, &list[n])) list[n] = *r;
    list[n].left_out = left_out;
    if (n == 0 || !r->usual) {
        of[n] = best;
        row[n] = best_row;
        count[n] = found;
        return n + 1;
    }
    return without_torn(list, of, row, count, n + 1);
}

// Makes "x" one of several copies in the case whose accesses have at most "bytes"; adds its conditions
// to those of all, "u".  False if nothing changes.
static bool ask_member(struct relayout *x, int bytes, struct relayout *u) {
    struct candidate best;
    struct flat row;
    int found, src[RELAYOUT_MODES], dst[RELAYOUT_MODES];
    const struct relayout was = *x;
    if (x->index) return false;
    ask_align(x, x->src_open, true, bytes);
    ask_align(x, x->dst_open, false, bytes);
    bool staged = x->usual && candidate_of(x, 0, &best, &row, &found) && is_staged(&best);
    if (staged || begins_at_params(x)) {
        struct relayout wide = *x;
        order_of(x, true, src);
        order_of(x, false, dst);
        if (by_params(&wide, src[0], dst[0], bytes, bytes, !staged)) *x = wide;
    }
    for (int i = 0; i < x->nwhen; ++i)
        if (!ask(u, x->when[i].value, x->when[i].by)) *x = was;
    return !same(x, &was);
}

// The elements of all accesses of the copies "r", and the sum of their costs.
static int widths_of(const struct relayout *r, int n, int64_t *cost) {
    int sum = 0, found;
    struct candidate c;
    struct flat row;
    *cost = 0;
    for (int i = 0; i < n; ++i) {
        if (!candidate_of(&r[i], 0, &c, &row, &found)) continue;
        sum += width_of(&c);
        *cost += c.cost;
    }
    return sum;
}

int relayout_several_cases(struct session *s, const struct relayout *r, int n,
                           struct relayout_case list[RELAYOUT_CASES]) {
    static const int bytes[] = {WIDE, 4};
    int cases = 0;
    const char *left_out = NULL;
    bool open = false;
    int64_t least, cost;
    for (int i = 0; i < n; ++i) open |= r[i].usual != NULL;
    int narrow = widths_of(r, n, &least);
    for (unsigned k = 0; k < sizeof bytes / sizeof bytes[0]; ++k) {
        struct relayout u = r[0], *x = ARENA_ARRAY(&s->arena, struct relayout, n);
        bool asks = false;
        u.nwhen = 0;
        for (int i = 0; i < n; ++i) {
            x[i] = r[i];
            asks |= ask_member(&x[i], bytes[k], &u);
        }
        for (int i = 0; i < n && asks; ++i) {  // what one of them asks for is good for all
            if (!x[i].usual) continue;
            memcpy(x[i].when, u.when, sizeof u.when);
            x[i].nwhen = u.nwhen;
            if (!tear(s, &x[i])) x[i] = r[i];
        }
        bool again = cases > 0 && asks;
        for (int i = 0; again && i < n; ++i) again = same(&x[i], &list[cases - 1].r[i]);
        if (!asks || again || widths_of(x, n, &cost) <= narrow) continue;
        if ((!open && cost >= least - least / GAIN) || !can_hold(s, &u, &left_out)) continue;
        list[cases++] = (struct relayout_case){x, when_text(s, &u, false)};
    }
    struct relayout *all = ARENA_ARRAY(&s->arena, struct relayout, n);
    for (int i = 0; i < n; ++i) {
        all[i] = r[i];
        if (cases > 0 && r[i].usual && !tear(s, &all[i])) all[i] = r[i];
    }
    list[cases] = (struct relayout_case){all, ""};
    return cases + 1;
}

int relayout_cases(struct session *s, const struct relayout *r,
                   struct relayout list[RELAYOUT_CASES]) {
    struct candidate *of = ARENA_ARRAY(&s->arena, struct candidate, RELAYOUT_CASES);
    struct flat *row = ARENA_ARRAY(&s->arena, struct flat, RELAYOUT_CASES);
    int count[RELAYOUT_CASES];
    return cases_of(s, r, list, of, row, count);
}

const char *when_text(struct session *s, const struct relayout *r, bool last) {
    if (!last && r->nwhen == 0) return " when aligned";
    const char *text = r->nwhen > 1 ? " when (" : r->nwhen ? " when " : "";
    for (int i = 0; i < r->nwhen; ++i)
        text = arena_printf(&s->arena, "%s%s%s %% %" PRId64 " == 0", text, i ? ", " : "",
                            lay_int_operand(&s->lay, r->when[i].value), r->when[i].by);
    return r->nwhen > 1 ? arena_printf(&s->arena, "%s)", text) : text;
}
