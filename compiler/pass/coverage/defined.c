// Pass "defined": each element that a copy or a call reads from shared memory or a fragment was
// written before, for all blocks, threads, iterations and params.
//
// Requires: facts of predicate.  Fills nothing.
//
// "Before" refers to the meaning of the plan: statements in order, and a pipeline as a loop over
// its parts.  A step of a pipeline reads from its slot what the same step wrote.  An element of
// shared memory is a coordinate, whichever thread writes it.  An element of a fragment belongs to a
// thread.
#include <string.h>

#include "base/session.h"
#include "layout/algebra.h"
#include "pass/coverage/coverage.h"
#include "pass/coverage/defined.h"
#include "pass/instances/instances.h"
#include "pass/lint/lint.h"
#include "pass/pass.h"
#include "pass/walk.h"
#include "plan/view.h"

bool defined_own(const struct kernel *k, const struct tensor *t) {
    if (t->space == MEM_GLOBAL) return false;
    const struct formal *f = kernel_formal(k, t);
    return f ? f->dir == ARG_OUT : !t->outside;
}

static void add_use(struct uses *u, struct use x) {
    if (!defined_own(u->k, x.view->base)) return;
    if (u->n == MOST_USES) {
        u->more = true;
        return;
    }
    x.around = u->around;
    u->at[u->n++] = x;
}

static void gather(struct uses *u, const struct stmt *list) {
    for (const struct stmt *st = list; st; st = st->next) {
        const struct copy *c = st->copy;
        if (stmt_nests(st)) {
            u->around.stmt[u->around.n++] = st;
            gather(u, st->body);
            --u->around.n;
        }
        if (st->kind == STMT_COPY) {
            add_use(u, (struct use){.copy = c, .view = &c->src, .stmt = st});
            add_use(u, (struct use){.copy = c, .view = &c->dst, .write = true, .stmt = st});
        }
        for (int write = 0; st->kind == STMT_CALL && write < 2; ++write) {
            for (int i = 0; i < st->call->fn->nformals; ++i) {
                enum dir dir = st->call->fn->formal[i].dir;
                if (dir == (write ? ARG_IN : ARG_OUT)) continue;
                add_use(u, (struct use){.call = st->call,
                                        .view = &st->call->view[i],
                                        .write = write,
                                        .stmt = st});
            }
        }
    }
}

void defined_set(struct uses *u, struct use *x) {
    if (x->x) return;
    x->x = ARENA_NEW(&u->s->arena, struct instances);
    if (x->view->base->space != MEM_FRAG && x->copy) {
        x->set = instances_access(u->s, u->k, &x->around, x->copy, !x->write, false, x->x);
    } else if (x->view->base->space != MEM_FRAG) {
        instances_begin(u->s, u->k, &x->around, false, x->x);
        instances_of(x->x, NULL, x->view);
        x->set = instances_settled(x->x, &x->around, x->view);
    } else if (x->copy) {
        x->set = instances_registers(u->s, u->k, &x->around, x->copy, !x->write, x->x);
    } else {
        x->set = instances_argument(u->s, u->k, &x->around, x->view, x->x);
    }
}

bool defined_relate(const struct use *r, const struct use *w, struct prove_write *out) {
    int i = 0;
    *out = (struct prove_write){.set = &w->set, .before = w < r && w->stmt != r->stmt};
    for (; i < r->around.n && i < w->around.n && r->around.stmt[i] == w->around.stmt[i]; ++i)
        out->common += stmt_loops(r->around.stmt[i]);
    int loops = 0;
    for (int j = 0; j < r->around.n; ++j) {
        const struct stmt *st = r->around.stmt[j];
        loops += stmt_loops(st);
        for (int t = 0; st->kind == STMT_PIPELINE && t < st->pipe->ntensors; ++t) {
            if (st->pipe->tensor[t] != r->view->base) continue;
            if (j >= i) return false;
            out->equal = loops;
        }
    }
    return true;
}

// A write below "r", not by a function that reads it too, to the buffer that "r" reads; or NULL.
static const struct use *written_below(const struct uses *u, const struct use *r) {
    for (const struct use *w = r + 1; w < u->at + u->n; ++w) {
        if (w->write && !defined_adds(w) && w->stmt != r->stmt && w->view->base == r->view->base)
            return w;
    }
    return NULL;
}

// Whether the text at "at" is one call of 'local_tile'.
static bool is_tile_text(struct session *s, struct range at) {
    const char *text = s->sources.file[at.file].text;
    int open = 0;
    if (at.end - at.begin < 11 || memcmp(text + at.begin, "local_tile(", 11) != 0) return false;
    for (uint32_t i = at.begin; i + 1 < at.end; ++i) {
        open += (text[i] == '(') - (text[i] == ')');
        if (open == 0 && text[i] == ')') return false;
    }
    return true;
}

// Whether "w", a copy of a complete tile to a complete buffer, does not write the first element of
// the tile, according to "found".  Then the tile is probably at a wrong place.
static bool begins_outside(struct session *s, const struct use *w, bool step,
                           const struct prove_witness *found) {
    const struct range dst = w->view->at, src = w->copy->src.at;
    const struct stmt *part = w->stmt->up;
    const char *element = instances_element(s, found);
    if (element[strspn(element, "(0, )")] || dst.end - dst.begin != strlen(w->view->base->name))
        return false;
    if (!is_tile_text(s, src)) return false;
    return step ? part && part->kind == STMT_PART && part->up->kind == STMT_PIPELINE : !part;
}

// Notes a mode along which a block moves the source of "w" beyond its end, if there is one: no step is to blame.
static bool note_moved_by_block(const struct uses *u, const struct use *w) {
    struct session *s = u->s;
    const struct view *v = &w->copy->src;
    for (int i = 0; lay_valid(v->coord) && i < lay_tuple_leaves(v->base->layout.shape); ++i) {
        const struct ix *end = NULL, *limit = view_limit(s, v, i);
        struct mover m;
        struct lay_int of, count;
        int64_t tile;
        if (!coverage_outermost(s, u->k, &w->around, v->coord_off[i], &m) || m.loop || !limit ||
            !coverage_reach(s, v, &w->around, i, &end, &tile) || !ix_monomial(limit, &of) ||
            !ix_monomial(m.end, &count))
            continue;
        struct lay_int tiles = lay_int_ceil_div(&s->lay, of, lay_int(m.step));
        lay_clear_error(&s->lay);
        if (!lay_int_valid(tiles) || lay_int_equal(tiles, count)) continue;
        diag_note(s, v->at,
                  "along %s this begins at %s, up to %s, and '%s' ends at %s: is '%s' meant there?",
                  view_mode_text(s, v->base, i), ix_text(s, v->coord_off[i]),
                  ix_text(s, ix_sub(s, end, ix_int(s, tile))), v->base->name, ix_text(s, limit),
                  m.v->name);
        return true;
    }
    return false;
}

// Whether "read" copies what "load" has filled to an output with the shape of the source of "load".
static bool fills_same_shape(const struct uses *u, const struct copy *load,
                             const struct copy *read) {
    const struct tensor *to = read ? read->dst.base : NULL;
    const struct formal *f = to && to->space == MEM_GLOBAL ? kernel_formal(u->k, to) : NULL;
    return f && f->dir == ARG_OUT &&
           lay_tuple_equal(load->src.base->layout.shape, to->layout.shape);
}

// "step": only writes in the same step of a pipeline count.
static void refuse(struct uses *u, const struct use *r, const struct use *only, bool step,
                   const struct prove_witness *found) {
    struct session *s = u->s;
    const struct tensor *t = r->view->base;
    bool frag = t->space == MEM_FRAG;
    const char *element =
        frag ? arena_printf(&s->arena, "register %lld of '%s' in thread %lld",
                            (long long)found->out[0], t->name,
                            (long long)found->var[0][u->k->tid->id])
             : arena_printf(&s->arena, "element %s of '%s'", instances_element(s, found), t->name);
    if (r->stmt)
        diag_error(s, r->view->at, "elements of '%s' are read here that were not written %s",
                   t->name, step ? "in that step of the pipeline" : "before");
    else
        diag_error(s, r->view->at,
                   "'%s' is not written completely by device function '%s'; 'inout %s' would keep "
                   "what is not written",
                   t->name, u->k->name, t->name);
    diag_page(s, "unwritten");
    if (r->stmt)
        diag_note(s, r->view->at, "%s%s is read %s %s, and was not written%s",
                  instances_params(s, u->plan, u->k, found), element,
                  frag || !r->copy ? "in" : "by",
                  instances_where(r->x, &r->around, frag ? NULL : r->copy, found, 0),
                  step ? " in that step" : "");
    else
        diag_note(s, r->view->at, "%s%s is never written",
                  instances_params(s, u->plan, u->k, found), element);
    const struct copy *c = only ? only->copy : NULL;
    bool outside = c && !c->pad && c->src.overhang && begins_outside(s, only, step, found);
    bool scaled = outside && coverage_scaled(s, &c->src);
    if (outside && !step && coverage_note_tile(s, &c->src)) return;
    if (outside && step && coverage_note_more(s, u->k, &only->around, &c->src)) return;
    if (outside && step && note_moved_by_block(u, only)) return;
    if (outside)
        diag_note(s, c->src.at,
                  step ? "in that step the tile begins outside '%s'; coordinates of 'local_tile' "
                         "count tiles, and a pipeline loads ahead by itself: step '%s' loads what "
                         "step '%s' uses"
                  : scaled
                      ? "in that block the tile begins outside '%s'; coordinates of 'local_tile' "
                        "count tiles, not elements: (block.x, block.y)"
                      : "in that block the tile begins outside '%s'",
                  c->src.base->name, step ? only->stmt->up->up->var->name : "",
                  step ? only->stmt->up->up->var->name : "");
    if (outside && step) return;  // filling with zeros would not help
    if (c && r->copy && !c->pad && coverage_note_turned(s, u->k, c, r->copy)) return;
    const struct use *below = r->stmt ? written_below(u, r) : NULL;
    bool partly = only && (only->view->part || only->view->limit);  // 'pad' is for this part only
    if (c && !c->pad && c->src.overhang && !scaled &&
        coverage_note_place(s, u->k, &only->around, &c->src))
        return;
    if (outside && !scaled && note_moved_by_block(u, only)) return;
    bool same = c && !c->pad && c->src.overhang && !partly && fills_same_shape(u, c, r->copy);
    if (same && !scaled)
        diag_note(s, r->view->at,
                  "'%s' and '%s' have the same shape, and that element of '%s' would not get the "
                  "one at its place: is another part meant here, or in the copy to '%s'?",
                  c->src.base->name, r->copy->dst.base->name, r->copy->dst.base->name, t->name);
    if (c && !c->pad && c->src.overhang && !partly)
        diag_note(s, only->view->at,
                  "'%s' is written here, but only where '%s' has elements; %s elsewhere%s", t->name,
                  c->src.base->name, defined_pad_text(u, c),
                  same ? arena_printf(&s->arena, ", which '%s' then gets", r->copy->dst.base->name)
                       : "");
    else if (only && only != below)
        diag_note(s, only->view->at,
                  partly ? "only this part of '%s' is written" : "'%s' is written here", t->name);
    if (below && !step)
        diag_note(s, below->view->at, "'%s' is written here, after that read", t->name);
    int64_t thread = frag ? found->var[0][u->k->tid->id] : 0;
    if (frag && c && c->tc && c->facts.level == LEVEL_BLOCK && thread >= c->tc->threads)
        diag_note(s, c->tc->at,
                  "the tiled copy has %lld threads, and '%s' has %lld, which all come here; give "
                  "them a part, or write 'threads %lld'",
                  (long long)c->tc->threads, u->k->name, (long long)u->k->threads,
                  (long long)c->tc->threads);
    if (c && frag) copy_note_beyond(s, c);
    if (!step && r->stmt)
        diag_note(s, t->at, "'%s' is declared here, and holds nothing at first", t->name);
}

// Whether the writes, which are all before the read "r" and in no loop around it, write each element
// of its tensor.  Then the read has no part in the proof, however it finds its elements.
static bool writes_all(struct uses *u, struct prover *prover, const struct use *r,
                       const struct prove_write write[], int n) {
    struct session *s = u->s;
    struct session_mark mark = session_mark(s);
    const struct lay_tuple *flat = lay_tuple_flatten(&s->lay, r->view->base->layout.shape);
    int rank = lay_tuple_rank(flat);
    const struct ix **extent = ARENA_ARRAY(&s->arena, const struct ix *, rank + 1);
    struct prove_set *set = ARENA_ARRAY(&s->arena, struct prove_set, n + 1);
    bool apart = space_is_shared(r->view->base->space) && n > 0;
    for (int i = 0; i < rank; ++i) extent[i] = ix_lay(s, lay_tuple_get(&s->lay, flat, i)->leaf);
    for (int i = 0; i < n; ++i) {
        apart = apart && write[i].before && !write[i].common && !write[i].equal;
        set[i] = *write[i].set;
    }
    bool all = apart && prove_whole(prover, extent, rank, set, n, NULL) == PROVE_YES;
    session_rewind(s, mark);
    return all;
}

static bool check_read(struct uses *u, struct prover *prover, struct use *r) {
    struct session *s = u->s;
    struct prove_write write[MOST_USES];
    struct prove_witness found;
    const struct use *only = NULL;
    int n = 0, others = 0;
    bool step = false, filled = false;
    defined_set(u, r);
    bool full = r->x->full;
    for (int i = 0; i < u->n; ++i) {
        struct use *w = &u->at[i];
        struct prove_write one;
        if (!w->write || w->view->base != r->view->base || !defined_relate(r, w, &one)) continue;
        if (!one.before && one.common <= one.equal) continue;  // nothing precedes the read
        defined_set(u, w);
        full = full || w->x->full;
        filled = filled || !defined_adds(w);
        // a function that reads it first is not what should have written it
        if (w->stmt != r->stmt) only = others++ ? NULL : w;
        write[n++] = one;
        step = step || one.equal > 0;
    }
    enum prove_answer a = full ? PROVE_UNKNOWN : prove_written(prover, &r->set, write, n, &found);
    if (!full && a == PROVE_UNKNOWN) {
        const char *why = prover_why(prover);
        if (writes_all(u, prover, r, write, n)) return true;
        prover_set_why(prover, why);
    }
    // what only functions write that read it first has never been written, whatever the loops do
    if (a != PROVE_YES && r->stmt && !filled) {
        defined_nothing(u, r, n > 0);
    } else if (a == PROVE_NO) {
        refuse(u, r, only, step, &found);
    } else if (a == PROVE_UNKNOWN) {
        diag_error(s, r->view->at, "'%s' is not known to be written before %s: %s",
                   r->view->base->name, r->stmt ? "it is read here" : "the function returns",
                   instances_why(prover, full));
        diag_page(s, "unwritten");
        instances_advice(s, prover, full, r->view->at);
    }
    return a == PROVE_YES;
}

// Whether "f", a fragment that a device function returns, is written in all its registers and threads:
// asked as if the caller read it after the last statement.
static bool check_returned(struct uses *u, struct prover *prover, const struct formal *f) {
    struct session *s = u->s;
    struct view *all = ARENA_NEW(&s->arena, struct view);
    *all = view_of_tensor(s, f->tensor, f->at);
    u->at[u->n] = (struct use){.view = all};
    return check_read(u, prover, &u->at[u->n]);
}

bool pass_defined(struct session *s, struct plan *p) {
    bool ok = true;
    for (struct kernel *k = plan_next(p, NULL); k; k = plan_next(p, k)) {
        struct session_mark mark = session_mark(s);
        struct uses *u = ARENA_ROOM(&s->arena, struct uses, 1);
        u->s = s;
        u->plan = p;
        u->k = k;
        u->around.n = u->n = 0;
        u->more = false;
        gather(u, k->body);
        if (u->more) {
            diag_error(s, k->at, "kernel '%s' has more than %d accesses to its own memory", k->name,
                       MOST_USES);
            ok = false;
            continue;
        }
        struct prover *prover = instances_prover(s, p, k);
        for (int i = 0; i < u->n; ++i)
            if (!u->at[i].write && !check_read(u, prover, &u->at[i])) ok = false;
        for (int i = 0; i < k->nformals && k->device; ++i) {
            const struct formal *f = &k->formal[i];
            if (f->dir == ARG_OUT && f->tensor->space == MEM_FRAG)
                ok &= check_returned(u, prover, f);
        }
        for (int i = 0; i < u->n && ok && !k->planned; ++i)
            if (!u->at[i].write) defined_stale(u, prover, &u->at[i]);
        prover_free(prover);
        session_rewind(s, mark);
    }
    return ok;
}
