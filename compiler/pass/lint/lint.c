// Pass "lint": warns of kernels that are right, and probably not what was meant or much slower than
// necessary.
//
// Requires: all facts.  Fills nothing.  What it says about elements is so for all sizes, or there is a
// witness; what is not known is not said.  Costs are those of whole tiles in the widest variant.
#include "pass/lint/lint.h"

#include "base/session.h"
#include "cost/memo.h"
#include "pass/instances/instances.h"
#include "pass/pass.h"
#include "plan/bind.h"

// Functions that look at a kernel, and the warnings that they give.
static const struct row {
    void (*look)(struct lint *l);
    enum warning gives[3];
    bool wanted;  // of a kernel that the planner wrote: by the copies that it was written for
} rows[] = {
    {lint_conversion, {W_CONVERSION}},
    {lint_arguments, {W_UNUSED}},
    {lint_declared, {W_UNUSED}},
    {lint_idle_blocks, {W_IDLE_BLOCKS}},
    {lint_overlap, {W_OVERLAP}, true},
    {lint_unread, {W_UNREAD, W_REMAINDER}, true},
    {lint_turned_tiles, {W_TURNED_TILES}},
    {lint_mirrored, {W_TURNED_TILES}},
    {lint_reversed, {W_TURNED_TILES}},
    {lint_reshaped, {W_TURNED_TILES}, true},
    {lint_partners, {W_TURNED_TILES}},
    {lint_fixed_tile, {W_FIXED_TILE}},
    {lint_axes, {W_FIXED_TILE}},
    {lint_siblings, {W_FIXED_TILE, W_UNREAD}},
    {lint_still, {W_FIXED_TILE}},
    {lint_sums, {W_FIXED_TILE}},
    {lint_exchanged, {W_UNREAD}},
    {lint_only_pads, {W_UNREAD}},
    {lint_windows, {W_FIXED_TILE, W_UNREAD}},
    {lint_shares, {W_UNREAD}},
    {lint_indices, {W_UNREAD}},
    {lint_counters, {W_UNREAD}},
    {lint_unreset, {W_STALE}},
    {lint_behind, {W_IN_ORDER}},
    {lint_thread_order, {W_THREAD_ORDER}},
    {lint_half_warp, {W_IDLE_THREADS}},
    {lint_spill, {W_SPILL}},
    {lint_rounding, {W_ROUNDING}},
    {lint_dead_copy, {W_DEAD_COPY}},
    {lint_pitch, {W_UNREAD}, true},
    {lint_begin, {W_UNREAD}, true},
    {lint_swapped, {W_SWAPPED_ARGUMENTS}},
    {lint_contraction, {W_CONTRACTION}},
    {lint_costs, {W_COALESCE, W_BANK_CONFLICT, W_IDLE_THREADS}},
};

enum { ROWS = sizeof rows / sizeof *rows };

struct prover *lint_prover(struct lint *l) {
    if (!l->prover) l->prover = instances_prover(l->s, l->p, l->k);
    return l->prover;
}

// Whether a warning of "row" is on, for kernels that the planner wrote if "planned".
static bool is_on(const struct session *s, const struct row *row, bool planned) {
    for (int i = 0; i < 3 && row->gives[i] && !s->diags.off_all; ++i)
        if (!s->diags.off[row->gives[i]] &&
            (!planned || row->wanted || warning_row(row->gives[i])->planned))
            return true;
    return false;
}

static bool gives_reads(const struct row *row) {
    return row->gives[0] == W_UNREAD || row->gives[0] == W_FIXED_TILE;
}

static const struct row *row_of_costs(void) {
    const struct row *row = rows;
    while (row->look != lint_costs) ++row;
    return row;
}

static void lint_kernel(struct lint *l, const struct row *first, const struct row *end) {
    struct session_mark mark = session_mark(l->s);  // only messages stay
    for (const struct row *row = first; row < end; ++row) {
        int before = l->s->diags.nwarnings + l->s->diags.nerrors;
        if (is_on(l->s, row, l->k->planned)) row->look(l);
        l->told |= gives_reads(row) && l->s->diags.nwarnings + l->s->diags.nerrors > before;
    }
    if (l->prover) prover_free(l->prover);
    session_rewind(l->s, mark);
}

static void lint_plan(struct session *s, struct plan *p, const struct row *first,
                      const struct row *end) {
    bool costs = is_on(s, row_of_costs(), false);
    const int64_t *value = costs && p->nparams ? plan_choose(s, p, NULL, 1) : NULL;
    struct cost_memo *begun = costs ? cost_memo_begin(s) : NULL;
    for (struct kernel *k = plan_next(p, NULL); k; k = plan_next(p, k))
        lint_kernel(&(struct lint){s, p, k, value, NULL, false}, first, end);
    if (costs) cost_memo_end(s, begun);
    lay_clear_error(&s->lay);
}

bool pass_lint(struct session *s, struct plan *p) {
    lint_plan(s, p, rows, rows + ROWS);
    return true;
}

void lint_only_costs(struct session *s, struct plan *p) {
    lint_plan(s, p, row_of_costs(), row_of_costs() + 1);
}
