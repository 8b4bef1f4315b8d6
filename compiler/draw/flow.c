// Draws what a kernel moves: each copy from tensor to tensor, with bytes, loops and barriers.
#include <inttypes.h>

#include "draw/picture.h"
#include "layout/algebra.h"

struct flow {
    struct picture *p;
    const struct kernel *k;
    const struct tensor *tensor[PIC_LANES];
    struct pic_lane *lane;
    struct pic_step *step;
    const char *why;
};

static const char *bytes_text(struct flow *f, struct lay_int elements, int bits) {
    struct lay_ctx *x = &f->p->s->lay;
    struct lay_int n = lay_int_mul(x, elements, lay_int(bits / 8));
    if (!lay_int_valid(n)) {
        lay_clear_error(x);
        return "bytes not known";
    }
    return picture_text(f->p, "%s byte%s", lay_int_text(x, n), lay_int_is(n, 1) ? "" : "s");
}

const char *const pic_column_names[FLOW_COLUMNS] = {"global memory", "shared memory", "registers"};
const int pic_column_colours[FLOW_COLUMNS] = {20, 12, 5};

static int column_of(enum space s) {
    return s == MEM_GLOBAL ? 0 : space_is_shared(s) ? 1 : 2;
}

static int lane_of(struct flow *f, const struct tensor *t) {
    struct picture *p = f->p;
    for (int i = 0; i < p->nlanes; ++i)
        if (f->tensor[i] == t) return i;
    if (p->nlanes == PIC_LANES) {
        f->why = picture_text(p, "it has more than %d tensors", PIC_LANES);
        return 0;
    }
    struct pic_lane *l = &f->lane[p->nlanes];
    struct lay_int n = lay_valid(t->layout) ? lay_size(&p->s->lay, t->layout) : LAY_INT_INVALID;
    const char *shape = lay_valid(t->layout) ? lay_tuple_text(&p->s->lay, t->layout.shape) : "?";
    l->name = t->name;
    l->space = space_name(t->space);
    l->text = picture_text(p, "%s %s, %s%s", t->elem->name, shape, bytes_text(f, n, t->elem->bits),
                           t->space == MEM_FRAG ? " a thread" : "");
    l->column = column_of(t->space);
    f->tensor[p->nlanes] = t;
    return p->nlanes++;
}

static struct pic_step *add_step(struct flow *f, enum pic_step_kind kind) {
    if (f->p->nsteps == PIC_STEPS) {
        f->why = picture_text(f->p, "it has more than %d steps", PIC_STEPS);
        return &f->step[PIC_STEPS - 1];
    }
    struct pic_step *t = &f->step[f->p->nsteps++];
    *t = (struct pic_step){.kind = kind, .text = {"", ""}};
    return t;
}

static void add_wait(struct flow *f, struct arrival a) {
    int n = a.count;
    if (arrival_row(a)->joins) add_step(f, STEP_BARRIER);
    if (a.kind != ARRIVAL_GROUP) return;
    // copies that store are groups, too
    const char *stores = !f->k->stored ? ""
                         : a.written   ? ", stores until written"
                                       : ", stores until read";
    add_step(f, STEP_WAIT)->text[0] =
        n == 0 ? picture_text(f->p, "wait for all groups%s", stores)
               : picture_text(f->p, "wait for all but %d group%s%s", n, n == 1 ? "" : "s", stores);
}

static void add_waits(struct flow *f, struct sync_wait x) {
    add_wait(f, x.copies);
    add_wait(f, x.threads);
}

static void add_copy(struct flow *f, const struct copy *c) {
    struct lay_ctx *x = &f->p->s->lay;
    const struct copy_facts *facts = &c->facts;
    int from = lane_of(f, c->src.base), to = lane_of(f, c->dst.base);
    // for a frag and another tensor, the latter is what the block moves
    const struct view *v = copy_tiled_side(c);
    struct lay_int n = lay_valid(v->layout) ? lay_size(x, v->layout) : LAY_INT_INVALID;
    if (facts->level == LEVEL_THREAD) n = lay_int_mul(x, n, lay_int(facts->threads));
    struct pic_step *t = add_step(f, STEP_COPY);
    const char *how = c->tc     ? c->tc->name ? c->tc->name : "tile(..)"
                      : c->atom ? c->atom->row->name
                                : "the compiler's choice";
    t->from = from;
    t->to = to;
    t->text[0] = picture_text(f->p, "%s%swith %s, %d-bit", c->label ? c->label : "",
                              c->label ? ": " : "", how, facts->bits);
    t->text[1] =
        picture_text(f->p, "%s, %" PRId64 " round%s", bytes_text(f, n, c->src.base->elem->bits),
                     facts->nrounds, facts->nrounds == 1 ? "" : "s");
}

static void add_call(struct flow *f, const struct plan_call *y) {
    static const char how[][7] = {[ARG_IN] = "", [ARG_OUT] = "out ", [ARG_INOUT] = "inout "};
    struct picture *p = f->p;
    int n = y->fill ? 1 : y->fn->nformals;
    struct pic_arg *arg = ARENA_ARRAY(&p->s->arena, struct pic_arg, n);
    for (int i = 0; i < n; ++i) {
        const struct tensor *t = y->view[i].base;
        arg[i].lane = lane_of(f, t);
        arg[i].text = picture_text(p, "%s%s", y->fill ? "" : how[y->fn->formal[i].dir], t->name);
    }
    struct pic_step *t = add_step(f, STEP_CALL);
    t->text[0] = y->fill ? picture_text(p, "fill %s = %s", arg[0].text, y->fill->text)
                         : picture_text(p, "call %s", y->fn->name);
    t->fill = y->fill != NULL;
    t->arg = arg;
    t->nargs = n;
}

static const char *block_text(struct flow *f, const struct stmt *st) {
    struct picture *p = f->p;
    int64_t role = stmt_threads(st, 0);
    if (role) return picture_text(p, "%s, by %" PRId64 " threads", stmt_role(st), role);
    if (st->kind == STMT_PART) return stmt_role(st);
    const char *range = picture_text(p, "%s in %s .. %s", st->var->name, ix_text(p->s, st->begin),
                                     ix_text(p->s, st->end));
    if (st->kind == STMT_FOR) return picture_text(p, "for %s", range);
    if (st->pipe->nroles) return picture_text(p, "roles %s", range);
    return picture_text(p, "pipeline %s, %" PRId64 " stage%s", range, st->pipe->stages,
                        st->pipe->stages == 1 ? "" : "s");
}

static void add_steps(struct flow *f, const struct stmt *list) {
    for (const struct stmt *st = list; st && !f->why; st = st->next) {
        if (st->kind == STMT_COPY) {
            add_waits(f, st->before.wait);
            add_copy(f, st->copy);
            continue;
        }
        if (st->kind == STMT_CALL) {
            add_waits(f, st->before.wait);
            add_call(f, st->call);
            continue;
        }
        if (stmt_orders(st)) {
            if (st->barrier)
                add_step(f, STEP_WAIT)->text[0] = stmt_named(f->p->s, st);
            else if (st->kind == STMT_WAIT)
                add_wait(f, st->arrival);
            continue;
        }
        if (st->kind != STMT_PART) add_waits(f, st->before.wait);
        add_step(f, STEP_OPEN)->text[0] = block_text(f, st);
        if (st->kind == STMT_PART) add_waits(f, st->before.wait);
        add_steps(f, st->body);
        add_waits(f, st->behind.wait);
        if (!f->why) add_step(f, STEP_CLOSE);
    }
}

const char *view_flow(struct picture *p, const struct draw_request *r) {
    struct flow f = {.p = p, .k = r->kernel};
    struct lay_ctx *x = &p->s->lay;
    f.lane = ARENA_ARRAY(&p->s->arena, struct pic_lane, PIC_LANES);
    f.step = ARENA_ARRAY(&p->s->arena, struct pic_step, PIC_STEPS);
    p->lane = f.lane;
    p->step = f.step;
    add_steps(&f, r->kernel->body);
    if (r->kernel->wait_last && r->kernel->stored && !f.why) {
        struct arrival all = arrival_groups(0);
        all.written = r->kernel->device;
        add_wait(&f, all);
    }
    if (!f.why && p->nlanes == 0) f.why = "it copies nothing";
    if (f.why) return f.why;
    if (r->kernel->device) {
        p->title = picture_text(p, "Device function %s, %" PRId64 " threads", r->kernel->name,
                                r->kernel->threads);
        return NULL;
    }
    p->title = picture_text(p, "Kernel %s, %" PRId64 " threads, %" PRId64 " bytes of shared memory",
                            r->kernel->name, r->kernel->threads, r->kernel->smem_bytes);
    struct buf grid;
    buf_init(&grid);
    int axes = 3;
    while (axes > 1 && lay_int_is(r->kernel->grid[axes - 1], 1)) --axes;
    for (int i = 0; i < axes; ++i)
        buf_printf(&grid, "%s%s", i ? "," : "", lay_int_text(x, r->kernel->grid[i]));
    picture_note(p, "bytes are per block; the grid is (%s)", grid.text);
    buf_release(&grid);
    return NULL;
}
