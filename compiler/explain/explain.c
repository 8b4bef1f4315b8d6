// Collects what `tcpc explain` tells (see explain.h).
#include "explain/private.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/command.h"
#include "base/session.h"
#include "draw/subject.h"
#include "kernel/kernel_ir.h"
#include "layout/algebra.h"
#include "plan/align.h"
#include "plan/family.h"
#include "plan/print.h"
#include "plan/view.h"
#include "planner/planner.h"

// -- texts ----------------------------------------------------------------------------------------

static const char *layout_text(struct session *s, struct lay l) {
    return lay_valid(l) ? lay_text(&s->lay, l) : NULL;
}

static const char *file_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static const char *level_text(enum level l) {
    static const char *const names[] = {"grid", "block", "warp", "thread"};
    return names[l];
}

// -- one copy -------------------------------------------------------------------------------------

static bool is_constant(const struct kernel *k, const struct tensor *t) {
    for (int i = 0; i < k->nformals; ++i)
        if (k->formal[i].tensor == t) return formal_is_constant(k, &k->formal[i]);
    return false;
}

// The runtime's function, such as "tcp_cp_async_cg_16<TCP_L2_128B>", if one instruction does both
// sides.  It is that for whole tiles, if there are any.
static const char *instruction_text(struct session *s, const struct copy *c) {
    const struct copy_facts *f = &c->facts;
    const struct atom *atom = copy_atom(c);
    bool edge = copy_edge(f) == EDGE_ALWAYS;
    bool zeros = false;
    for (int i = 0; i < f->npred; ++i) zeros |= edge && c->pad && f->pred[i].src;
    if (f->boxes) {
        int bytes = c->src.base->elem->bits / 8;
        for (int i = 0; i < f->boxes->rank; ++i) bytes *= (int)f->boxes->box[i];
        return atom_function(s, atom, 8 * bytes, false);
    }
    return atom_function(s, atom, edge ? f->edge_bits : f->bits, zeros);
}

static struct explained_side explain_side(struct session *s, const struct kernel *k,
                                          const struct copy *c, bool src) {
    const struct view *v = copy_side(c, src);
    const struct part *p = copy_part(&c->facts, src);
    const struct tensor *t = v->base;
    bool nc = src && t->space == MEM_GLOBAL && is_constant(k, t);
    struct explained_side x = {
        .tensor = t->name,
        .space = space_name(t->space),
        .view = source_line(s, v->at),
        .layout =
            lay_valid(v->layout) ? plan_named_layout(s, lay_inner(v->layout), v->names) : NULL,
        .offset = v->offset ? ix_text(s, v->offset) : "0",
        .tv = layout_text(s, p->tv),
        .part_offset = ix_text(s, p->offset),
        .part = layout_text(s, p->layout),
        .elem = t->elem->name,
        .bits = copy_side_bits(c, src, c->facts.vec),
        .align = src ? c->facts.src_align : c->facts.dst_align,
    };
    if (p->sw.b) x.swizzle = arena_printf(&s->arena, "Sw<%d,%d,%d>", p->sw.b, p->sw.m, p->sw.s);
    x.instruction = arena_printf(&s->arena, "tcp_%s_%s%s_%d", src ? "ld" : "st", x.space,
                                 nc ? "_nc" : "", copy_side_bits(c, src, c->facts.vec));
    const struct atom *atom = copy_atom(c);
    const char *hints = src ? hints_in_c(s, atom->ld, atom->l2) : hints_in_c(s, atom->st, 0);
    if (hints) x.instruction = arena_printf(&s->arena, "%s<%s>", x.instruction, hints);
    if (t->space == MEM_FRAG && c->facts.step && !c->facts.turn)
        x.instruction = arena_printf(&s->arena, "tcp_%s_%d", src ? "gather" : "scatter", x.bits);
    if (copy_atom(c)->row->function) x.instruction = instruction_text(s, c);
    return x;
}

// Such as "thread 1 takes (0,8) .. (0,15) of each tile": the first and the last value of a thread
// if its values are adjacent in one mode, otherwise the first few.
static const char *example(struct session *s, const struct tiled_copy *tc, bool src) {
    struct buf b;
    buf_init(&b);
    int64_t t = tc->threads > 1 ? 1 : 0;
    enum { SHOWN = 4 };
    int64_t values = tiled_values(tc, src);
    buf_printf(&b, "thread %" PRId64 " takes", t);
    for (int64_t v = 0; v < values && v < SHOWN; ++v) {
        int64_t at;
        const struct lay_tuple *crd = NULL;
        if (tiled_place(s, tc, src, t, v, &at))
            crd = lay_idx2crd(&s->lay, lay_leaf_of(&s->lay, at), tc->tiler, NULL);
        if (!crd) {
            buf_release(&b);
            lay_clear_error(&s->lay);
            return NULL;
        }
        buf_printf(&b, "%s %s", v ? "," : "", lay_tuple_text(&s->lay, crd));
    }
    if (values > SHOWN) buf_printf(&b, " .. (%" PRId64 " elements)", values);
    return buf_finish(&b, &s->arena);
}

static void explain_tiled(struct session *s, const struct copy *c, struct explained_copy *x) {
    const struct tiled_copy *tc = c->tc;
    x->tiled = tc->name;
    x->tiler = lay_tuple_text(&s->lay, tc->tiler);
    x->thr = layout_text(s, tc->thr);
    x->val = layout_text(s, tc->val);
    x->tv = lay_valid(tc->tv) ? lay_text(&s->lay, tc->tv) : NULL;
    x->tv_sides = lay_valid(tc->tv) ? plan_tv_text(s, tc) : NULL;
    x->map = tc->map && c->facts.by_map ? tc->map->text : NULL;
    x->rounds = lay_tuple_text(&s->lay, c->facts.rounds);
    x->values = tc->values;
    x->example = example(s, tc, copy_tiled_side(c) == &c->src);
}

// How many of the participating threads are lanes that copy.
static int64_t threads_that_copy(const struct copy_facts *f) {
    if (!f->lanes) return f->threads;
    int64_t rest = f->threads % 32;
    return f->threads / 32 * f->lanes + (rest < f->lanes ? rest : f->lanes);
}

const struct ix *explain_bytes(struct session *s, const struct kernel *k, const struct copy *c) {
    const struct copy_facts *f = &c->facts;
    const struct view *tile = copy_tiled_side(c);
    // a copy between thread parts moves what each thread has
    struct lay_int n = lay_size(&s->lay, c->tc ? tile->layout : f->src.layout);
    int64_t warps = (k->threads + 31) / 32;
    int64_t times_each = c->tc ? 1 : threads_that_copy(f);
    if (f->level == LEVEL_WARP) times_each = warps;
    n = lay_int_mul(&s->lay, n, lay_int(times_each));
    n = lay_int_mul(&s->lay, n, lay_int(tile->base->elem->bits / 8));
    const struct ix *bytes = lay_int_valid(n) ? ix_lay(s, n) : NULL;
    lay_clear_error(&s->lay);
    return bytes;
}

// "times": how often a block executes it; NULL: not a single known expression.
static struct explained_copy explain_copy(struct session *s, const struct plan *p,
                                          const int64_t *value, const struct kernel *k,
                                          const struct copy *c, const struct ix *times) {
    const struct copy_facts *f = &c->facts;
    const struct view *tile = copy_tiled_side(c);
    const struct atom *atom = copy_atom(c);
    const struct stmt *role = kernel_role_of(k, c);
    bool one_warp = f->level == LEVEL_THREAD && f->threads <= 32;
    struct explained_copy x = {
        .label = c->label,
        .text = arena_printf(&s->arena, "copy %s -> %s", source_line(s, c->src.at),
                             source_line(s, c->dst.at)),
        .path = file_name(s->sources.file[c->at.file].path),
        .level = role ? "role" : level_text(f->level),
        .role = role ? stmt_role(role) : NULL,
        .whose = role ? arena_printf(&s->arena, "role '%s'", stmt_role(role)) : "a block",
        .role_threads = role ? stmt_threads(role, 0) : k->threads,
        .threads = one_warp ? threads_that_copy(f) : f->threads,
        .lanes = f->level == LEVEL_WARP ? c->tc->threads
                 : one_warp             ? 0
                                        : f->lanes,
        .shape = plan_named_shape(s, tile->layout.shape, tile->names),
        .elem = tile->base->elem->name,
        .atom = atom_text(s, atom),
        .nrounds = f->nrounds,
        .src = explain_side(s, k, c, true),
        .dst = explain_side(s, k, c, false),
        .bits = f->bits,
        .wider = copy_wider(c)->name,
        .vec = f->vec,
        .together = atom_is_collective(copy_atom(c)->row),
        .variant = f->variant,
        .nvariants = f->nvariants,
        .accesses = 1,
        .won = f->won,
        .times = times,
        .barrier = explain_barrier(s, k, c),
        .reads_late = c->facts.async && copy_atom(c)->row->reads_late,
        .group = f->group,
        .edge = plan_edge_text(s, c),
        .edge_always = f->edge == EDGE_ALWAYS,
        .edge_apart = copy_edge(f) == EDGE_SOME,
        .edge_bits = f->edge_bits,
        .edge_vec = f->edge_vec,
        .edge_why = f->why_pred,
        .pad = c->pad ? c->pad->text : NULL,
    };
    x.wait = explain_wait(s, k, c, &x.pending, &x.wait_at_head);
    source_place(s, c->at, &x.line, &x.column);
    if (c->tc) explain_tiled(s, c, &x);
    for (int i = 0; i < f->nmodes; ++i) x.accesses *= f->mode[i].extent;
    if (f->by_map) x.accesses *= f->neach;
    if (f->boxes) {
        x.accesses = plan_nboxes(f->boxes);
        x.boxes = plan_boxes_text(s, c);
    }
    for (int i = 0; i < N_BOUNDS; ++i)
        x.bound[i] = (struct explained_bound){bound_name((enum bound)i), f->why[i], f->bound[i]};
    explain_costs(s, p, k, c, value, &x);
    x.bytes = explain_bytes(s, k, c);
    if (!c->tc) {
        x.values = lay_size(&s->lay, f->src.layout).num;
        x.shape = lay_tuple_text(&s->lay, f->src.layout.shape);
    }
    struct lay_int blocks =
        lay_int_mul(&s->lay, k->grid[0], lay_int_mul(&s->lay, k->grid[1], k->grid[2]));
    if (!k->device && x.bytes && times && lay_int_valid(blocks)) {
        const struct ix *block = ix_mul(s, x.bytes, times);
        x.all_bytes = block ? ix_scale(s, block, blocks) : NULL;
    }
    lay_clear_error(&s->lay);
    return x;
}

// -- one kernel -----------------------------------------------------------------------------------

static int count(const struct stmt *list, enum stmt_kind kind) {
    int n = 0;
    for (const struct stmt *st = list; st; st = stmt_next(list, st)) n += st->kind == kind;
    return n;
}

// How often the body of "st" is executed if the loop is executed "times" times.
static const struct ix *trips(struct session *s, const struct stmt *st, const struct ix *times) {
    const struct ix *n = ix_sub(s, st->end, st->begin);
    if (!times || !n || !ix_constant(n)) return NULL;
    return ix_mul(s, times, n);
}

struct wanted {
    const char *label;  // NULL: any
    int line;           // 0: any
    const struct plan *plan;
    const int64_t *value;  // params for costs
};

static void explain_list(struct session *s, const struct kernel *k, const struct stmt *list,
                         const struct ix *times, struct wanted want, struct explained_kernel *x) {
    for (const struct stmt *st = list; st; st = st->next) {
        if (stmt_nests(st))
            explain_list(s, k, st->body, stmt_loops(st) ? trips(s, st, times) : times, want, x);
        int line, column;
        if (st->kind == STMT_CALL && !want.label && !want.line) {
            source_place(s, st->at, &line, &column);
            x->call[x->ncalls++] = (struct explained_call){source_line(s, st->at), line,
                                                           arrival_is(st->before.wait.threads)};
        }
        if (st->kind != STMT_COPY) continue;
        const struct copy *c = st->copy;
        source_place(s, c->at, &line, &column);
        if (want.label && (!c->label || strcmp(c->label, want.label) != 0)) continue;
        if (want.line && want.line != line) continue;
        x->copy[x->ncopies++] = explain_copy(s, want.plan, want.value, k, c, times);
    }
}

static struct explained_tensor explain_tensor(struct session *s, const struct tensor *t) {
    struct explained_tensor x = {
        .name = t->name,
        .elem = t->elem->name,
        .space = space_name(t->space),
        .layout = lay_valid(t->layout) ? plan_named_layout(s, t->layout, t->names) : NULL,
        .align = t->space == MEM_FRAG ? 0 : align_known(t),
        .local = true,
        .at = t->smem_offset,
    };
    struct lay_int n = lay_valid(t->layout) ? lay_span(&s->lay, t->layout) : LAY_INT_INVALID;
    if (lay_int_static(n)) x.nbytes = n.num * t->elem->bits / 8;
    lay_clear_error(&s->lay);
    return x;
}

int explain_align(const struct kir_kernel *k, const struct tensor *t) {
    for (int i = 0; i < k->ntensors; ++i)
        if (k->tensor[i].id == t->id && strcmp(k->tensor[i].name, t->name) == 0)
            return k->tensor[i].align;
    for (int i = 0; i < k->nformals; ++i) {
        const struct kir_buffer *b = k->formal[i].buffer;
        if (b && b->tensor == t->id && b->space != MEM_FRAG && strcmp(b->name, t->name) == 0)
            return k->formal[i].align;
    }
    return 0;
}

static const char *const *explain_duties(struct session *s, const struct kernel *k, int *n) {
    *n = 0;
    for (const struct duty *d = k->duties; d; d = d->next) ++*n;
    const char **text = ARENA_ARRAY(&s->arena, const char *, *n + 1);
    int i = 0;
    for (const struct duty *d = k->duties; d; d = d->next)
        text[i++] = arena_printf(&s->arena, "%s <= %s", ix_text(s, d->a), ix_text(s, d->b));
    return text;
}

// Collects what the launcher launches.
static void explain_launch(struct session *s, const struct kernel *k, const struct kir_kernel *ir,
                           struct explained_kernel *x) {
    for (int i = 0; i < 3; ++i) {
        x->blocks[i] = ix_lay(s, k->grid[i]);
        x->grid[i] = ix_text(s, x->blocks[i]);
    }
    x->variant = ir->variant;
    x->nvariants = k->nvariants;
    x->is_case = k->first_case != NULL;
}

static struct explained_kernel explain_kernel(struct session *s, const struct kernel *k,
                                              const struct kir_kernel *ir, struct wanted want) {
    static const char direction[3][8] = {"in", "out", "inout"};
    struct explained_kernel x = {
        .name = k->name,
        .path = file_name(s->sources.file[k->at.file].path),
        .threads = k->threads,
        .smem_bytes = k->smem_bytes,
    };
    if (ir->launch) explain_launch(s, k, ir, &x);
    int column;
    source_place(s, k->at, &x.line, &column);
    x.planned = relayout_reasons(s, k->planned);
    x.family = k->family;
    x.numbers = k->family ? family_numbers(s, k->mesh) : NULL;
    x.device = k->device;
    for (int i = 0; i < k->nindexes && i < 64; ++i) x.index[x.nindexes++] = k->index[i].var->name;
    x.duty = explain_duties(s, k, &x.nduties);
    x.tensor = ARENA_ARRAY(&s->arena, struct explained_tensor, k->nformals + k->nlocal + 1);
    for (int i = 0; i < k->nformals; ++i) {
        struct explained_tensor *t = &x.tensor[x.ntensors++];
        *t = explain_tensor(s, k->formal[i].tensor);
        t->direction = k->formal[i].readonly ? "readonly" : direction[k->formal[i].dir];
        t->local = false;
        t->align = explain_align(ir, k->formal[i].tensor);
        if (k->formal[i].declared) {
            const char *layout = explain_tensor(s, k->formal[i].declared).layout;
            if (layout && t->layout && strcmp(layout, t->layout) != 0) t->declared = layout;
        }
    }
    for (int i = 0; i < k->nlocal; ++i) x.tensor[x.ntensors++] = explain_tensor(s, k->local[i]);
    x.copy = ARENA_ARRAY(&s->arena, struct explained_copy, count(k->body, STMT_COPY) + 1);
    x.call = ARENA_ARRAY(&s->arena, struct explained_call, count(k->body, STMT_CALL) + 1);
    explain_list(s, k, k->body, ix_int(s, 1), want, &x);
    if (!want.label && !want.line) explain_order(s, k, &x);
    return x;
}

// -- the plan -------------------------------------------------------------------------------------

static void add_labels(const struct stmt *list, struct option_names *names) {
    for (const struct stmt *st = list; st; st = stmt_next(list, st))
        if (st->kind == STMT_COPY) option_names_add(names, st->copy->label);
}

// Whether "name" is a line number.
static bool is_line(const char *name) {
    size_t n = strspn(name, "0123456789");
    return n > 0 && n < 9 && !name[n];
}

static void unknown(struct session *s, const struct plan *p, const char *name) {
    struct option_names known = {.n = 0};
    for (const struct kernel *k = plan_next(p, NULL); k; k = plan_next(p, k)) {
        option_names_add(&known, k->name);
        add_labels(k->body, &known);
    }
    for (int i = 0; i < p->ntiled; ++i)
        if (p->tiled[i]->name && strcmp(p->tiled[i]->name, name) == 0) {
            option_error("'%s' is a tiled copy; 'tcpc draw %s %s' draws it, and 'explain' "
                         "describes its copies, by their labels",
                         name, p->path, name);
            return;
        }
    for (const struct kernel *k = plan_next(p, NULL); k; k = plan_next(p, k)) {
        for (int i = 0; i < k->nformals + k->nlocal; ++i) {
            const struct tensor *t =
                i < k->nformals ? k->formal[i].tensor : k->local[i - k->nformals];
            if (!t->name || strcmp(t->name, name) != 0) continue;
            option_error("'%s' is a tensor; 'explain' describes functions, and copies by their "
                         "labels",
                         name);
            return;
        }
    }
    option_error(is_line(name) ? "'%s' has no copy that begins in line %s%s"
                               : "'%s' has no function and no copy '%s'%s",
                 p->path, name,
                 is_line(name) ? copy_lines(s, p) : option_names_text(&s->arena, &known, name));
}

const struct explanation *explain_plan(struct session *s, const struct plan *p,
                                       const struct kir *ir, const char *name, const int64_t *value,
                                       const int64_t *fixed) {
    struct explanation *e = ARENA_NEW(&s->arena, struct explanation);
    int n = 0;
    bool found = name == NULL;
    for (const struct kernel *k = plan_next(p, NULL); k; k = plan_next(p, k)) ++n;
    *e = (struct explanation){p, ARENA_ARRAY(&s->arena, struct explained_kernel, n + 1), 0};
    const struct kir_kernel *x = ir->kernels, *head = x;  // in the plan's order
    for (const struct kernel *k = plan_next(p, NULL); k; k = plan_next(p, k), x = x->next) {
        struct wanted want = {NULL, 0, p, value};
        if (!k->first_case || k->first_case == k) head = x;
        size_t len = strlen(k->name);
        bool whole = !name || family_is(k, name);
        if (fixed && family_leaves_out(k, fixed)) continue;
        if (!whole && strncmp(name, k->name, len) == 0 && name[len] == '.')
            want.label = name + len + 1;
        else if (!whole && strncmp(name, k->name, len) == 0 && name[len] == ':')
            want.line = atoi(name + len + 1);
        else if (!whole && is_line(name))
            want.line = atoi(name);
        else if (!whole)
            want.label = name;
        if (!whole && !want.label && want.line <= 0) continue;
        struct explained_kernel told = explain_kernel(s, k, x, want);
        if (!whole && told.ncopies == 0) continue;
        found = true;
        if (whole) explain_moves(s, p, k, head, x, value, &told.moves);
        if (whole) explain_cases(s, k, x, value, &told);
        e->kernel[e->nkernels++] = told;
    }
    if (found) return e;
    unknown(s, p, name);
    return NULL;
}
