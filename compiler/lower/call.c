// Lowers calls and fills.  A thread's fragment is filled by that thread, shared memory by all
// threads of the block, with accesses as wide as the filled memory is contiguous.
#include "base/buf.h"
#include "base/session.h"
#include "layout/algebra.h"
#include "lower/private.h"
#include "plan/align.h"
#include "plan/view.h"

// Elements of an access: the filled memory is one run whose begin and length are multiples of it.
int lower_fill_elements(struct session *s, const struct kernel *k, const struct view *v) {
    struct lay_ctx *x = &s->lay;
    struct lay run = lay_coalesce(x, lay_inner(v->layout));
    int64_t size = lay_size(x, v->layout).num, align = align_counted_on(k, v->base);
    int n = (int)(8 * (align < ALIGN_ACCESS ? align : ALIGN_ACCESS) / v->base->elem->bits);
    if (!lay_valid(run) || !lay_is_leaf(run.shape) || !lay_int_is(run.stride->leaf, 1)) n = 1;
    lay_clear_error(x);
    int64_t start = ix_divisor(v->offset);
    while (size % n != 0 || start % n != 0 || (v->layout.sw.b && n > (int64_t)1 << v->layout.sw.m))
        n /= 2;
    return n;
}

// The comment: what is filled, and where in the plan.
static void comment(struct lowering *w, const struct plan_call *y) {
    struct session *s = w->s;
    struct kir_node *n = lower_node(w, KIR_COMMENT);
    const char **line = ARENA_ARRAY(&s->arena, const char *, 1);
    int column;
    line[0] = arena_printf(&s->arena, "fill %s = %s", source_line(s, y->view[0].at), y->fill->text);
    n->line = line;
    n->nlines = 1;
    n->path = s->sources.file[y->at.file].path;
    source_place(s, y->at, &n->plan_line, &column);
    n->copy_path = n->path;
    n->copy_line = n->plan_line;
}

static void lower_fill(struct lowering *w, const struct plan_call *y) {
    struct session *s = w->s;
    const struct view *v = &y->view[0];
    int64_t size = lay_size(&s->lay, v->layout).num;
    bool own = v->base->space == MEM_FRAG || ix_depends(v->offset, IX_TID);
    int each = lower_fill_elements(s, w->kernel, v);
    int64_t accesses = size / each, threads = own ? 1 : lower_threads(w);
    int64_t rounds = (accesses + threads - 1) / threads;
    if (size == 0) return;
    comment(w, y);
    struct kir_node *scope = lower_node(w, KIR_BLOCK);
    struct kir_node **outside = lower_open(w, scope);
    const struct ix *i = ix_int(s, 0);
    const char *name = NULL;
    if (rounds > 1) {
        name = names_take_index(&w->names);
        struct kir_node *loop = lower_node(w, KIR_FOR);
        loop->var = lower_var(w, IX_LOOP, name, rounds);
        loop->begin = ix_int(s, 0);
        loop->end = ix_int(s, rounds);
        loop->unroll = true;
        lower_open(w, loop);
        i = ix_scale(s, ix_var(s, loop->var), lay_int(threads));
    }
    if (!own) i = ix_add(s, i, ix_var(s, lower_tid(w)));
    if (accesses % threads != 0) {
        struct kir_node *guard = lower_node(w, KIR_GUARD);
        guard->index = i;
        guard->count = accesses;
        lower_open(w, guard);
    }
    struct kir_node *n = lower_node(w, KIR_FILL);
    const struct ix *at = ix_scale(s, i, lay_int(each));
    if (each == 1) at = view_crd2idx(s, i, v->layout.shape, v->layout.stride);
    n->to_buf = lower_buffer(w, v->base);
    lower_written(w, v->base);
    n->to_at = ix_swizzle(s, lower_index(w, ix_add(s, v->offset, at)), v->layout.sw);
    n->bits = each * v->base->elem->bits;
    n->value = y->fill->bits;
    n->elem_bits = v->base->elem->bits;
    n->constant = y->fill->id;
    if (name) names_release(&w->names, name);
    w->tail = outside;
}

const char *lower_prototype(struct session *s, const struct function *fn) {
    struct names names;
    struct buf b;
    names_init(&names, s);
    buf_init(&b);
    buf_printf(&b, "TCP_DEVICE void %s(int tid", fn->name);
    for (int f = 0, i = 0; f + i < fn->nformals + fn->nindexes;) {
        if (f < fn->nformals && (i == fn->nindexes || fn->formal[f].place < fn->index[i].place)) {
            const struct tensor *t = fn->formal[f].tensor;
            buf_printf(&b, ", %s%s *%s", fn->formal[f++].dir == ARG_IN ? "const " : "",
                       t->elem->c_name, names_take(&names, t->name));
        } else {
            buf_printf(&b, ", int64_t %s", names_take(&names, fn->index[i++].name));
        }
    }
    buf_puts(&b, ");");
    return buf_finish(&b, &s->arena);
}

// The elements from the first to the last of an "out" argument in shared memory.  No access of ours
// writes them, so the host runtime is told.
static int64_t written_apart(struct lowering *w, const struct function *fn, int formal,
                             const struct view *v) {
    if (fn->formal[formal].dir != ARG_OUT || !space_is_shared(v->base->space)) return 0;
    return lay_cosize(&w->s->lay, v->layout).num;
}

void lower_call(struct lowering *w, const struct plan_call *y) {
    const struct function *fn = y->fn;
    if (y->fill) {
        lower_fill(w, y);
        return;
    }
    struct kir_node *n = lower_node(w, KIR_CALL);
    struct kir_arg *arg =
        ARENA_ARRAY(&w->s->arena, struct kir_arg, fn->nformals + fn->nindexes + 1);
    n->callee = fn->name;
    n->callee_id = fn->id;
    if (w->role_tid && w->role_tid != w->kernel->tid) n->index = ix_var(w->s, w->role_tid);
    n->arg = arg;
    for (int f = 0, i = 0; f + i < fn->nformals + fn->nindexes;) {
        struct kir_arg *a = &arg[n->nargs++];
        if (f < fn->nformals && (i == fn->nindexes || fn->formal[f].place < fn->index[i].place)) {
            const struct view *v = &y->view[f];
            enum dir dir = fn->formal[f].dir;
            *a = (struct kir_arg){lower_buffer(w, v->base),
                                  lower_index(w, view_by_tid(w->s, w->kernel, v->offset)),
                                  dir != ARG_OUT,
                                  dir != ARG_IN,
                                  v->layout,
                                  f,
                                  written_apart(w, fn, f, v)};
            ++f;
        } else {
            const struct ix *x = view_by_tid(w->s, w->kernel, y->index[i++]);
            *a = (struct kir_arg){NULL, lower_index(w, x), true, false, lay_layout_invalid(), 0, 0};
        }
    }
}
