// What `tcpc explain` tells about costs: counts of sectors and wavefronts, with the possible
// minimum.
#include <inttypes.h>
#include <string.h>

#include "base/buf.h"
#include "base/session.h"
#include "cost/copy.h"
#include "explain/private.h"
#include "plan/bind.h"

// -- gathering ------------------------------------------------------------------------------------

static bool is_exact(const struct side_cost *x) {
    return !x->why && cost_exact(x->most.sectors) && cost_exact(x->total.sectors) &&
           cost_exact(x->most.wavefronts) && cost_exact(x->total.wavefronts);
}

static bool same_range(struct cost_range a, struct cost_range b) {
    return a.least == b.least && a.most == b.most;
}

static bool is_same(const struct side_cost *a, const struct side_cost *b) {
    return !a->why == !b->why && same_range(a->most.sectors, b->most.sectors) &&
           same_range(a->total.sectors, b->total.sectors) &&
           same_range(a->most.wavefronts, b->most.wavefronts) &&
           same_range(a->total.wavefronts, b->total.wavefronts);
}

// Such as "lda = 1032, M = 128".
static const char *values_text(struct session *s, const struct plan *p, const struct kernel *k,
                               const int64_t *value) {
    const char *text = NULL;
    for (int i = 0; i < p->nparams; ++i) {
        bool used = false;
        for (int n = 0; n < k->nparams; ++n) used |= k->param[n] == p->param[i];
        if (!used || p->param[i]->sum) continue;
        text = arena_printf(&s->arena, "%s%s%s = %" PRId64, text ? text : "", text ? ", " : "",
                            p->param[i]->name, value[p->param[i]->sym->id]);
    }
    return text;
}

// What to promise so that the cost of this side of "of" is exact; NULL if no alignment does that.
static const char *promise_text(struct session *s, const struct costed *of, bool src,
                                const struct side_cost *x) {
    if (x->why || is_exact(x) || !x->missing.tensor) return NULL;
    struct tensor aligned = *x->missing.tensor;
    struct copy y = *of->c;
    struct costed then = *of;
    then.c = &y;
    aligned.align = (int)x->missing.by;
    if (y.src.base == x->missing.tensor) y.src.base = &aligned;
    if (y.dst.base == x->missing.tensor) y.dst.base = &aligned;
    struct copy_cost *with = ARENA_NEW(&s->arena, struct copy_cost);
    cost_of_copy(s, &then, with);
    if (!is_exact(cost_side(with, src))) return NULL;
    return arena_printf(&s->arena, "promise 'align %d' of '%s', and it is exact", aligned.align,
                        aligned.name);
}

void explain_costs(struct session *s, const struct plan *p, const struct kernel *k,
                   const struct copy *c, const int64_t *given, struct explained_copy *x) {
    struct copy_cost *all = ARENA_NEW(&s->arena, struct copy_cost), *now = NULL;
    struct copy_facts f = c->facts;
    const int64_t *value = given;
    // the widest variant, or the one for these params
    for (int i = 0; given && i < k->nvariants; ++i) {
        if (!plan_holds(k->variant[i].when, k->variant[i].nwhen, given)) continue;
        f = copy_facts_in(c, i);
        break;
    }
    struct costed y = {p, k, c, &f, NULL};
    cost_of_copy(s, &y, all);
    for (int i = 0; i < 2; ++i) {
        struct explained_cost *e = &(i ? &x->dst : &x->src)->cost;
        const struct side_cost *of_all = cost_side(all, i == 0);
        if (!of_all->there) continue;
        *e = (struct explained_cost){.cost = of_all,
                                     .loose = of_all->why ? of_all->why : of_all->loose,
                                     .arch = cost_rules_of(p->arch),
                                     .measured = cost_calibrated(p->arch),
                                     .arch_name = p->arch_name};
        bool src = i == 0;
        y.values = NULL;
        e->promise = promise_text(s, &y, src, of_all);
        if (is_exact(of_all) || k->nparams == 0) continue;
        if (!value)
            value = k->nvariants
                        ? plan_choose_when(s, p, NULL, k->variant[0].when, k->variant[0].nwhen, 1)
                        : plan_choose(s, p, NULL, 1);
        if (!now && value) {
            now = ARENA_NEW(&s->arena, struct copy_cost);
            y.values = value;
            cost_of_copy(s, &y, now);
        }
        const struct side_cost *of_values = now ? cost_side(now, i == 0) : NULL;
        if (!of_values || of_values->why || (!given && is_same(of_values, of_all))) continue;
        e->cost = of_values;
        e->loose = of_values->loose;
        y.values = value;
        e->promise = promise_text(s, &y, src, of_values);
        e->chosen = !given;
        e->other_params = of_all->why ? of_all->why : of_all->loose;
        e->values = values_text(s, p, k, value);
    }
}

int explain_counts(const struct explained_cost *c, struct explained_count out[EXPLAINED_COUNTS]) {
    static const char names[EXPLAINED_COUNTS][12] = {"requests", "sectors", "wavefronts"};
    const struct side_cost *x = c->cost;
    int n = 0;
    if (x->why) return 0;
    for (int i = 0; i < EXPLAINED_COUNTS; ++i) {
        struct cost_range r[4];
        const struct warp_cost *of[] = {&x->most, &x->least, &x->total, &x->least_total};
        for (int k = 0; k < 4; ++k)
            r[k] = i == 0 ? of[k]->requests : i == 1 ? of[k]->sectors : of[k]->wavefronts;
        if (r[2].most == 0) continue;
        out[n++] =
            (struct explained_count){names[i],   r[0].least, r[0].most, r[1].most,
                                     r[2].least, r[2].most,  r[3].most, cost_percent(r[3], r[2])};
    }
    return n;
}

// -- printing -------------------------------------------------------------------------------------

static const char *range_text(struct session *s, int64_t least, int64_t most) {
    return cost_range_text(s, (struct cost_range){least, most});
}

// Such as "32 wavefronts per access, 4 at least: 8-way bank conflict; 1024 per block, 128 at least
// (12 %)".
static void put_count(struct session *s, struct buf *b, const struct explained_count *x,
                      enum cost_class class) {
    bool waves = x->name[0] == 'w';
    int64_t least = x->access_least ? x->access_least : 1;
    int64_t ways = x->access_max / least;
    bool sure = x->access_min / least == ways;
    int name = (int)strlen(x->name) - (x->access_max == 1);  // "sectors"
    buf_printf(b, "%s %.*s per access, %" PRId64 " at least",
               range_text(s, x->access_min, x->access_max), name, x->name, x->access_least);
    if (waves && ways > 1)
        buf_printf(b, ": %s%s", sure ? "" : "up to ", cost_conflict_text(s, class, ways));
    buf_printf(b, "; %s per block, %" PRId64 " at least: %d%%",
               range_text(s, x->total_min, x->total_max), x->total_least, x->percent);
}

static void put_side(struct session *s, struct buf *b, const struct explained_side *x) {
    const struct explained_cost *c = &x->cost;
    struct explained_count count[EXPLAINED_COUNTS];
    if (!c->cost) return;
    int n = explain_counts(c, count);
    const char *class = cost_class_name(c->cost->class);
    buf_printf(b, "  %-12s  %s: ", "cost", x->tensor);
    if (c->cost->why) {
        buf_printf(b, "not known, as %s\n", c->cost->why);
        return;
    }
    for (int i = 0; i < n; ++i) {
        bool requests = count[i].name[0] == 'r';
        if (requests) continue;
        put_count(s, b, &count[i], c->cost->class);
    }
    buf_printf(b, " (%" PRId64 " %s)\n", c->cost->instructions, class);
    if (c->loose)
        buf_printf(b, "  %-12s  a range, as %s%s%s\n", "", c->loose, c->promise ? "; " : "",
                   c->promise ? c->promise : "");
    if (c->values)
        buf_printf(b, "  %-12s  with %s%s; with other values the cost may differ, because %s\n", "",
                   c->values, c->chosen ? " (--param NAME=N sets one)" : "", c->other_params);
}

void explain_print_costs(struct session *s, const struct explained_copy *x, struct buf *out) {
    if (!x->src.cost.cost && !x->dst.cost.cost) return;
    buf_char(out, '\n');
    put_side(s, out, &x->src);
    put_side(s, out, &x->dst);
    const struct explained_cost *c = x->src.cost.cost ? &x->src.cost : &x->dst.cost;
    if (!c->measured)
        buf_printf(out, "  %-12s  counted by sm_%d's rules; not measured on %s\n", "", c->arch,
                   c->arch_name);
}
