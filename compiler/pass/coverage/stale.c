// Stale elements: a copy in a loop leaves out what its source does not have, and the same step reads
// there what an earlier step wrote.
//
// Only elements count that the copy would write if its source had them, so buffers that keep elements
// from step to step on purpose are not meant.  Nor are those that another statement of the loop
// writes, such as a fill.
#include <inttypes.h>

#include "base/session.h"
#include "base/warnings.h"
#include "layout/algebra.h"
#include "pass/coverage/coverage.h"
#include "pass/coverage/defined.h"
#include "plan/view.h"

enum { MOST_CHAIN = 4 };

const struct copy *defined_padded(const struct uses *u, const struct copy *c) {
    for (const struct use *x = u->at; x < u->at + u->n; ++x)
        if (x->write && x->copy && x->copy->pad && x->copy->src.base == c->src.base &&
            x->copy->dst.base == c->dst.base)
            return x->copy;
    return NULL;
}

const char *defined_pad_text(const struct uses *u, const struct copy *c) {
    const struct copy *other = defined_padded(u, c);
    int line = 0, col;
    if (!other) return "'pad 0' after the copy writes zeros";
    source_place(u->s, other->at, &line, &col);
    return arena_printf(&u->s->arena,
                        "'pad %s' after the copy writes what the copy in line %d writes",
                        other->pad->text, line);
}

// The use "w" of a copy, which becomes "all", as if its source had all elements.
static struct use as_if_whole(const struct use *w, struct copy *all) {
    static const struct constant none = {0};
    struct use would = *w;
    *all = *w->copy;
    all->pad = &none;
    would.copy = all;
    would.view = &all->dst;
    would.x = NULL;
    return would;
}

// Whether "w" may leave out elements of its destination, because its source ends.
static bool leaves_out(const struct use *w) {
    return w->write && w->copy && !w->copy->pad && w->copy->src.overhang;
}

// The loop number "loops" around "r", from the outermost on.
static const struct stmt *loop_of(const struct use *r, int loops) {
    for (int i = 0; i < r->around.n; ++i)
        if (stmt_loops(r->around.stmt[i]) && --loops == 0) return r->around.stmt[i];
    return NULL;
}

// Whether what "r" reads leaves the memory of the kernel.  A function with an index that depends on the
// step may know where elements end.
static bool carried(const struct uses *u, const struct use *r, const struct ix_var *step,
                    int chain) {
    for (int i = 0; r->call && i < r->call->fn->nindexes; ++i)
        if (ix_depends_on(r->call->index[i], step)) return false;
    if (r->call) return true;
    const struct tensor *to = r->copy->dst.base;
    if (!defined_own(u->k, to)) return true;
    for (const struct use *x = u->at; x < u->at + u->n && chain < MOST_CHAIN; ++x)
        if (!x->write && x->view->base == to && !(x->copy && x->copy->dst.overhang) &&
            carried(u, x, step, chain + 1))
            return true;
    return false;
}

// The mode other than "but" of which "v" is always the first of "n" tiles; -1: there is none.
static int mode_of_tiles(struct session *s, const struct view *v, int but, int64_t n) {
    for (int i = 0; i < lay_tuple_leaves(v->base->layout.shape); ++i) {
        const struct ix *end = view_limit(s, v, i);
        int64_t at, all, tile = view_along(s, v, i);
        if (i != but && tile > 0 && end && ix_static(end, &all) && v->coord_off[i] &&
            ix_static(v->coord_off[i], &at) && at == 0 && (all + tile - 1) / tile == n)
            return i;
    }
    return -1;
}

// Notes that a loop takes more tiles of the kernel's own buffer than there are; returns false if it does not.
static bool note_too_many(struct uses *u, const struct use *w) {
    struct session *s = u->s;
    const struct view *v = &w->copy->src;
    int64_t n, steps;
    struct mover m;
    if (!defined_own(u->k, v->base) || !lay_valid(v->coord)) return false;
    for (int i = 0; i < lay_tuple_leaves(v->base->layout.shape); ++i) {
        const struct ix *end = view_limit(s, v, i);
        if (!end || !ix_static(end, &n) ||
            !coverage_outermost(s, u->k, &w->around, v->coord_off[i], &m) || !m.loop ||
            !ix_static(m.end, &steps) || m.step < 1 || (steps - 1) * m.step < n)
            continue;
        int64_t tiles = (n + m.step - 1) / m.step;
        int other = mode_of_tiles(s, v, i, steps);
        if (other >= 0) {
            diag_note(s, v->at,
                      "'%s' counts the %" PRId64 " tiles of '%s' along %s, where this is always "
                      "the first: are the coordinates swapped?",
                      m.v->name, steps, v->base->name, view_mode_text(s, v->base, other));
            return true;
        }
        diag_note(s, m.end_at, "'%s' has %s along %s, and '%s' counts %" PRId64, v->base->name,
                  arena_count(&s->arena, tiles, "tile"), view_mode_text(s, v->base, i), m.v->name,
                  steps);
        diag_fixit(s, m.end_at, arena_printf(&s->arena, "%" PRId64, tiles));
        return true;
    }
    return false;
}

// "back": of how many steps before the read the copy is.
static void warn(struct uses *u, struct use *w, const struct use *r, const struct stmt *loop,
                 int back, const struct prove_witness *found) {
    struct session *s = u->s;
    const struct copy *c = w->copy;
    const struct tensor *t = r->view->base;
    bool frag = t->space == MEM_FRAG;
    const char *element =
        frag ? arena_printf(&s->arena, "register %lld of '%s' in thread %lld",
                            (long long)found->out[0], t->name,
                            (long long)found->var[0][u->k->tid->id])
             : arena_printf(&s->arena, "element %s of '%s'", instances_element(s, found), t->name);
    w->told = true;
    diag_warn(s, W_STALE, c->at,
              "where '%s' ends, this copy leaves in '%s' what an earlier step of '%s' wrote, and "
              "it is read %s",
              c->src.base->name, t->name, loop->var->name,
              back    ? arena_printf(&s->arena, "%s later", arena_count(&s->arena, back, "step"))
              : w < r ? "below"
                      : "above");
    diag_note(s, r->view->at, "%s%s is read %s %s, and was not written in %s step",
              instances_params(s, u->plan, u->k, found), element, frag || !r->copy ? "in" : "by",
              instances_where(r->x, &r->around, frag ? NULL : r->copy, found, 0),
              back ? "this or that" : "that");
    if (back) {
        diag_note(s, r->view->at,
                  "is this the right part of '%s'? if it is, write 'pad %s' after the copy that "
                  "fills it",
                  t->name, defined_padded(u, c) ? defined_padded(u, c)->pad->text : "0");
        return;
    }
    if (note_too_many(u, w)) return;
    diag_note(s, c->at, "%s there", defined_pad_text(u, c));
    uint32_t end = c->at.end - 1;  // before the semicolon
    const struct copy *other = defined_padded(u, c);
    diag_fixit(s, (struct range){c->at.file, end, end},
               arena_printf(&s->arena, " pad %s", other ? other->pad->text : "0"));
}

// Whether "x" is a function that changes what is there, and does not get the step of "loop", by which it could
// know where elements end.
static bool only_changes(const struct use *x, const struct stmt *loop) {
    if (!defined_adds(x)) return false;
    for (int i = 0; i < x->call->fn->nindexes; ++i)
        if (ix_depends_on(x->call->index[i], loop->var)) return false;
    return true;
}

// Asks about steps of the first "loops" loops around "r", and what "w" leaves out.
static bool ask(struct uses *u, struct prover *prover, struct use *r, struct use *w, int loops) {
    struct prove_write write[MOST_USES + 1];
    enum prove_role role[MOST_USES + 1];
    struct prove_witness found;
    bool full = r->x->full;
    int n = 0;
    for (int i = 0; i < u->n; ++i) {
        struct use *x = &u->at[i];
        struct prove_write one;
        if (!x->write || x->view->base != r->view->base || !defined_relate(r, x, &one)) continue;
        if (one.equal > 0) return false;  // a slot: only its own step counts
        if (one.common < loops) continue;
        defined_set(u, x);
        full = full || x->x->full;
        one.equal = loops - 1;
        if (only_changes(x, loop_of(r, loops))) continue;
        role[n] = x->copy && !x->copy->pad ? PROVE_COPIES : PROVE_WRITES;
        write[n++] = one;
    }
    struct copy all;
    struct use would = as_if_whole(w, &all);
    if (!defined_relate(r, w, &write[n])) return false;
    defined_set(u, &would);
    write[n].set = &would.set;
    write[n].equal = loops - 1;
    role[n++] = PROVE_WOULD_WRITE;
    const struct stmt *loop = loop_of(r, loops);
    if (full || would.x->full || !carried(u, r, loop->var, 0)) return false;
    if (prove_not_stale(prover, &r->set, write, role, n, loops, &found) != PROVE_NO) return false;
    warn(u, w, r, loop, 0, &found);
    return true;
}

// -- slots that an earlier step fills -------------------------------------------------------------

enum { MOST_BACK = 3 };

// "set" of the loop's step "back" before: the variable number "at" is that of the loop.
static struct prove_set shifted(struct session *s, struct prove_set set, int at, int back) {
    const struct ix_var *x = set.var[at].var;
    const struct ix *by = ix_sub(s, ix_var(s, x), ix_int(s, back));
    struct prove_var *var = ARENA_ARRAY(&s->arena, struct prove_var, set.nvars + 1);
    const struct ix **cond = ARENA_ARRAY(&s->arena, const struct ix *, set.nconds + 1);
    const struct ix **out = ARENA_ARRAY(&s->arena, const struct ix *, set.nouts + 1);
    for (int i = 0; i < set.nvars; ++i) {
        var[i] = set.var[i];
        if (i <= at) continue;
        var[i].begin = ix_substitute(s, var[i].begin, x, by);
        var[i].end = ix_substitute(s, var[i].end, x, by);
    }
    for (int i = 0; i < set.nconds; ++i) cond[i] = ix_substitute(s, set.cond[i], x, by);
    for (int i = 0; i < set.nouts; ++i) out[i] = ix_substitute(s, set.out[i], x, by);
    cond[set.nconds++] = ix_sub(s, by, set.var[at].begin);
    set.var = var;
    set.cond = cond;
    set.out = out;
    return set;
}

static bool is_complete(const struct prove_set *set) {
    bool all = true;
    for (int i = 0; i < set->nvars; ++i) all &= set->var[i].begin && set->var[i].end;
    for (int i = 0; i < set->nconds; ++i) all &= set->cond[i] != NULL;
    for (int i = 0; i < set->nouts; ++i) all &= set->out[i] != NULL;
    return all;
}

static bool moves(const struct ix_var *x, const struct view *v) {
    for (int i = 0; lay_valid(v->coord) && i < lay_tuple_leaves(v->base->layout.shape); ++i)
        if (v->coord_off[i] && ix_depends_on(v->coord_off[i], x)) return true;
    return false;
}

// Asks about a ring of slots by hand: what "w" left out some steps before "r", in the innermost loop around both.
static bool ask_back(struct uses *u, struct prover *prover, struct use *r, struct use *w) {
    struct prove_write write[MOST_BACK + 2];
    enum prove_role role[MOST_BACK + 2];
    struct prove_set set[MOST_BACK + 2];
    struct prove_write one;
    if (!defined_relate(r, w, &one) || one.equal > 0 || !one.common) return false;
    int loops = one.common;
    const struct stmt *loop = loop_of(r, loops);
    if (!moves(loop->var, &w->copy->dst) || !carried(u, r, loop->var, 0)) return false;
    for (int i = 0; i < u->n; ++i) {
        struct prove_write other;
        if (!u->at[i].write || &u->at[i] == w || u->at[i].view->base != r->view->base) continue;
        if (only_changes(&u->at[i], loop) || !defined_relate(r, &u->at[i], &other)) continue;
        if (other.equal > 0 || other.common >= loops) return false;
    }
    struct copy all;
    struct use would = as_if_whole(w, &all);
    defined_set(u, w);
    defined_set(u, &would);
    if (r->x->full || w->x->full || would.x->full || w->set.nvars < loops) return false;
    if (would.set.nvars < loops || w->set.time || would.set.time) return false;
    int first = w < r ? 0 : 1;  // of this step, or of the one before
    for (int back = 1; back <= MOST_BACK; ++back) {
        int n = 0;
        struct prove_witness found;
        for (int i = first; i <= back + 1; ++i) {
            bool last = i > back;
            set[n] = shifted(u->s, last ? would.set : w->set, loops - 1, last ? back : i);
            role[n] = last ? PROVE_WOULD_WRITE : PROVE_COPIES;
            if (!is_complete(&set[n])) return false;
            write[n] = (struct prove_write){&set[n], loops, loops - 1, true};
            ++n;
        }
        if (prove_not_stale(prover, &r->set, write, role, n, loops, &found) != PROVE_NO) continue;
        warn(u, w, r, loop, back, &found);
        return true;
    }
    return false;
}

void defined_stale(struct uses *u, struct prover *prover, struct use *r) {
    for (struct use *w = u->at; w < u->at + u->n; ++w) {
        struct prove_write one;
        if (!leaves_out(w) || w->told || w->view->base != r->view->base) continue;
        if (!defined_relate(r, w, &one)) continue;
        defined_set(u, r);
        // what stands below comes before in the same step of a loop only with a loop inside it
        for (int loops = one.common - !one.before; loops > 0; --loops)
            if (ask(u, prover, r, w, loops)) break;
        if (!w->told) ask_back(u, prover, r, w);
    }
}
