// Variants of a kernel: one for each set of widths that unpromised facts allow.
//
// Requires: the copies' facts under the assumption that everything holds.  Fills: kernel.variant,
// facts.variant.  The launcher checks the conditions of the widest variant first, then those of the
// next one.  The last one has no conditions.
#include "pass/vectorize/variants.h"

#include <inttypes.h>
#include <string.h>

#include "base/session.h"
#include "base/warnings.h"
#include "pass/walk.h"
#include "plan/bind.h"

enum { CAPS = 5 };  // 128, 64, 32, 16 and 8 bits

struct copies {
    struct copy **at;
    int n, cap;
};

static bool collect(struct session *s, struct kernel *k, struct copy *c, void *user) {
    struct copies *l = user;
    (void)k;
    l->at = arena_more(&s->arena, l->at, sizeof *l->at, l->n, &l->cap);
    l->at[l->n++] = c;
    return true;
}

static bool exact(const struct copy *c) {
    return copy_atom(c)->row->exact;
}

static int64_t assumed(const struct copy *c, int cap) {
    return exact(c) ? 0 : VARIANT_BYTES >> cap;
}

// -- what to say ----------------------------------------------------------------------------------

// The param in "value" to promise a divisor of: one without, or if all have one the first.
static const struct param *to_promise(const struct kernel *k, struct lay_int value) {
    const struct lay_sym *y = assume_unpromised(value);
    int i = 0;
    for (struct lay_int x = value; !y; x = x.syms[0]->of)
        if (x.syms[0]->name) y = x.syms[0];
    while (k->param[i]->sym != y) ++i;
    return k->param[i];
}

// Where and what to write to promise "c"; false if it is not a single word at a single place.
static bool mend(struct session *s, const struct kernel *k, const struct condition *c,
                 struct range *at, const char **text) {
    if (c->tensor) {
        *at = c->tensor->align_at;
        *text = arena_printf(&s->arena, " align %" PRId64, c->by);
        return true;
    }
    const struct param *q = to_promise(k, c->value);
    if (!q->mod_free || c->value.nsyms != 1 || c->value.syms[0] != q->sym) return false;
    *at = q->mod_at;
    *text = arena_printf(&s->arena, " %% %" PRId64, c->by);
    return true;
}

static void note_fact(struct session *s, const struct kernel *k, const struct condition *c) {
    if (c->tensor) {
        diag_note(s, c->tensor->at,
                  "'%s' is not promised to be aligned to %" PRId64
                  " bytes; declare it 'align %" PRId64 "' if it is",
                  c->tensor->name, c->by, c->by);
        return;
    }
    const struct param *q = to_promise(k, c->value);
    if (q->sum) {
        diag_note(s, q->at,
                  "'%s' is not promised to be a multiple of %" PRId64
                  "; if it is, say so where one of its params is declared: 'where (%s) %% %" PRId64
                  " == 0'",
                  q->name, c->by, q->name, c->by);
    } else if (c->value.nsyms == 1 && c->value.syms[0] == q->sym) {
        diag_note(s, q->at,
                  "'%s' is not promised to be a multiple of %" PRId64
                  "; declare it 'index %% %" PRId64 "' if it is%s",
                  q->name, c->by, c->by,
                  k->nwhen == 0
                      ? ""
                      : arena_printf(&s->arena,
                                     ", or for this case alone say 'when %s %% %" PRId64 " == 0'",
                                     q->name, c->by));
    } else {
        diag_note(s, q->at,
                  "'%s' is not promised to be a multiple of %" PRId64
                  "; a promise about '%s' that makes it one is enough",
                  lay_int_text(&s->lay, c->value), c->by, q->name);
    }
}

void note_promises(struct session *s, const struct kernel *k, const struct conditions *list,
                   const char *then) {
    struct range at;
    const char *text;
    bool all = true;
    for (int i = 0; i < list->n; ++i) {
        note_fact(s, k, &list->at[i]);
        all &= mend(s, k, &list->at[i], &at, &text);
    }
    if (!all) return;
    // no single promise is enough
    if (list->n > 1) diag_note(s, k->at, "with all of this promised %s", then);
    for (int i = 0; i < list->n; ++i) {
        mend(s, k, &list->at[i], &at, &text);
        diag_fixit(s, at, text);
    }
}

// Such as "'align 16' of 'A', 'index % 4' of 'p' and a promise of 'q' that makes 'q*r' a multiple
// of 4".
static const char *facts_text(struct session *s, const struct kernel *k,
                              const struct conditions *list) {
    const char *text = "";
    for (int i = 0; i < list->n; ++i) {
        const struct condition *c = &list->at[i];
        const char *comma = i == 0 ? "" : i == list->n - 1 ? " and " : ", ";
        const struct param *q = c->tensor ? NULL : to_promise(k, c->value);
        if (c->tensor)
            text = arena_printf(&s->arena, "%s%s'align %" PRId64 "' of '%s'", text, comma, c->by,
                                c->tensor->name);
        else if (q->sum)
            text = arena_printf(&s->arena, "%s%s'where (%s) %% %" PRId64 " == 0'", text, comma,
                                q->name, c->by);
        else if (c->value.nsyms == 1 && c->value.syms[0] == q->sym)
            text = arena_printf(&s->arena, "%s%s'index %% %" PRId64 "' of '%s'", text, comma, c->by,
                                q->name);
        else
            text = arena_printf(&s->arena,
                                "%s%sa promise about '%s' that makes '%s' a multiple of %" PRId64,
                                text, comma, q->name, lay_int_text(&s->lay, c->value), c->by);
    }
    return text;
}

// Adds one note for all facts, at the first place where a promise would be.
static void note_facts(struct session *s, const struct kernel *k, const struct conditions *list) {
    const struct condition *first = &list->at[0];
    struct range at;
    const char *text;
    bool all = true;
    for (int i = 0; i < list->n; ++i) all &= mend(s, k, &list->at[i], &at, &text);
    diag_note(s, first->tensor ? first->tensor->at : to_promise(k, first->value)->at,
              "%s would leave one version; if that cannot be promised, as for ragged sizes, the "
              "plan is right as it is: write allow \"versioned\" before it, or use -Wno-versioned",
              facts_text(s, k, list));
    for (int i = 0; all && i < list->n; ++i) {
        mend(s, k, &list->at[i], &at, &text);
        diag_fixit(s, at, text);
    }
}

static const char *widths_text(struct session *s, const struct kernel *k) {
    const char *text = "";
    for (int i = 0; i < k->nvariants; ++i) {
        const char *comma = i == 0 ? "" : i == k->nvariants - 1 ? " and " : ", ";
        text = arena_printf(&s->arena, "%s%s%d", text, comma, k->variant[i].bits);
    }
    return text;
}

// Sorts tensors before params, each in their old order.
static void sort(struct session *s, struct conditions *list) {
    struct condition *sorted = ARENA_ARRAY(&s->arena, struct condition, list->n + 1);
    int n = 0;
    for (int tensors = 1; tensors >= 0; --tensors) {
        for (int i = 0; i < list->n; ++i) {
            if ((list->at[i].tensor != NULL) == (tensors == 1)) sorted[n++] = list->at[i];
        }
    }
    list->at = sorted;
}

// -- the variants ---------------------------------------------------------------------------------

// Whether some values of the params keep all promises and conditions.
static bool can_hold(struct session *s, const struct plan *p, const struct conditions *list) {
    bool params = false;
    for (int i = 0; i < list->n; ++i) params |= !list->at[i].tensor;
    struct session_mark mark = session_mark(s);
    bool can = !params || plan_choose_when(s, p, NULL, list->at, list->n, 0) != NULL;
    session_rewind(s, mark);
    return can;
}

// Gives "c" its widths under the assumptions of the "n" caps in "chosen".
static void give_widths(struct session *s, const struct kernel *k, struct copy *c,
                        const int *chosen, const struct variant *made, int n) {
    struct copy_width *by = ARENA_ARRAY(&s->arena, struct copy_width, n);
    const struct copy_facts as_it_was = c->facts;
    for (int v = 0; v < n; ++v) {
        struct copy_facts f = vectorize_variant(s, k, c, assumed(c, chosen[v]), &made[v]);
        vectorize_finish(s, c, &f);
        by[v] = (struct copy_width){f.bits,      f.vec,      f.won,       f.mode,  f.nmodes,
                                    f.pred,      f.pred_vec, f.edge_mode, f.nedge, f.edge_vec,
                                    f.edge_bits, f.step,     f.edge_step, f.turn};
    }
    c->facts = vectorize_variant(s, k, c, assumed(c, chosen[0]), &made[0]);
    memcpy(c->facts.why, as_it_was.why, sizeof as_it_was.why);
    if (n == 1 && !k->first_case) return;
    c->facts.variant = by;
    c->facts.nvariants = n;
}

// The conditions that all variants of "k" have.
static struct conditions of_case(struct session *s, const struct kernel *k) {
    struct conditions list = {NULL, 0, 0};
    for (int i = 0; i < k->nwhen; ++i) {
        list.at = arena_more(&s->arena, list.at, sizeof *list.at, list.n, &list.cap);
        list.at[list.n++] = k->when[i];
    }
    return list;
}

// Whether "list" has no more than the conditions of the case.
static bool nothing_more(const struct kernel *k, const struct conditions *list) {
    bool same = list->n == k->nwhen;
    for (int i = 0; same && i < k->nwhen; ++i)
        same = list->at[i].tensor == k->when[i].tensor && list->at[i].by == k->when[i].by &&
               !lay_int_valid(list->at[i].unless) &&
               (list->at[i].tensor || lay_int_equal(list->at[i].value, k->when[i].value));
    return same;
}

// Sets the tags of variants: their bits, or for several cases numbers from 1 on.
static void number(struct kernel *k) {
    int before = 0;
    for (const struct kernel *x = k->first_case; x && x != k; x = x->next_case)
        before += x->nvariants;
    for (int i = 0; i < k->nvariants; ++i) {
        struct variant *v = (struct variant *)&k->variant[i];
        v->tag = k->first_case ? before + i + 1 : v->bits;
    }
}

static void never_holds(struct session *s, const struct kernel *k) {
    diag_error(s, k->at,
               "no values of the params were found that satisfy the 'when' of kernel '%s'",
               k->name);
}

// The width of "c" under the assumptions of cap "cap"; CAPS: without assumptions.
static int bits_under(struct session *s, const struct kernel *k, const struct copy *c, int cap) {
    struct session_mark mark = session_mark(s);
    int bits = vectorize_facts(s, k, c, cap < CAPS ? assumed(c, cap) : 0, NULL).bits;
    session_rewind(s, mark);
    return bits;
}

void make_variants(struct session *s, const struct plan *p, struct kernel *k) {
    struct copies copies = {NULL, 0, 0};
    int chosen[CAPS];
    struct variant *made = ARENA_ARRAY(&s->arena, struct variant, CAPS);
    walk_copies(s, k, collect, &copies);
    int(*bits)[CAPS] = (int(*)[CAPS])ARENA_ARRAY(&s->arena, int, copies.n *CAPS + 1);
    int widest = 0;  // the widest access that depends on conditions
    for (int i = 0; i < copies.n; ++i) {
        const struct copy *c = copies.at[i];
        bits[i][0] = bits_under(s, k, c, 0);
        if (k->first_case && bits[i][0] > widest) widest = bits[i][0];
        if (exact(c) || bits_under(s, k, c, CAPS) == bits[i][0]) continue;
        if (bits[i][0] > widest) widest = bits[i][0];
    }
    if (widest == 0) return;
    int n = 0;
    for (int cap = 0; cap < CAPS; ++cap) {
        struct conditions list = of_case(s, k);
        bool differs = n == 0;
        for (int i = 0; i < copies.n; ++i) {
            const struct copy *c = copies.at[i];
            bits[i][cap] = vectorize_facts(s, k, c, assumed(c, cap), &list).bits;
            differs |= n > 0 && bits[i][cap] != bits[i][chosen[n - 1]];
        }
        if (!differs || !can_hold(s, p, &list)) continue;
        bool last = nothing_more(k, &list);
        sort(s, &list);
        chosen[n] = cap;
        int most = 8 * VARIANT_BYTES >> cap;
        made[n++] = (struct variant){
            .bits = most < widest ? most : widest, .when = list.at, .nwhen = list.n};
        if (last) break;
    }
    if (n == 0) return never_holds(s, k);
    for (int i = 0; i < copies.n; ++i) give_widths(s, k, copies.at[i], chosen, made, n);
    if (n == 1 && !k->first_case) return;
    k->variant = made;
    k->nvariants = n;
    number(k);
    // no promise helps where parts may be shorter
    if (n == 1 || (k->nformals && k->formal[0].tensor->shorter)) return;
    diag_warn(s, W_VERSIONED, k->at,
              "kernel '%s' is compiled %d times, for accesses of up to %s bits; a launch takes the "
              "widest that its arguments allow",
              k->name, n, widths_text(s, k));
    struct conditions missing = {(struct condition *)made[0].when, made[0].nwhen, 0};
    note_facts(s, k, &missing);
}
