// Prints Kernel IR for --emit=kernel and --dump-after.
#include <inttypes.h>

#include "base/buf.h"
#include "base/session.h"
#include "kernel/kernel_ir.h"

// The distances of the elements of an access, if they are not consecutive.
static const char *steps(struct session *s, const struct kir_node *n) {
    const char *text = "";
    for (int i = 0; n->step && 1 << i < n->bits / n->apart->elem->bits; ++i)
        text = arena_printf(&s->arena, "%s%s%" PRId64, text, i ? "," : " by ", n->step[i]);
    return text;
}

static const char *hints(struct session *s, const struct kir_node *n) {
    const char *ld = n->ld ? arena_printf(&s->arena, ", ld %s", n->ld) : "";
    return n->st ? arena_printf(&s->arena, "%s, st %s", ld, n->st) : ld;
}

static void put_boxes(struct session *s, struct buf *b, const struct kir_node *n) {
    const struct kir_boxes *x = n->boxes;
    buf_printf(b, "boxes ");
    for (int i = 0; i < x->map->rank; ++i)
        buf_printf(b, "%s%" PRId64, i ? "x" : "", x->map->box[i]);
    buf_printf(b, " of %s at (", x->map->c_name);
    for (int i = 0; i < x->map->rank; ++i)
        buf_printf(b, "%s%s", i ? "," : "", ix_text(s, x->at[i]));
    if (n->buf)
        buf_printf(b, ") from %s[%s]", n->buf->name, ix_text(s, n->at));
    else
        buf_printf(b, ") to %s[%s]", n->to_buf->name, ix_text(s, n->to_at));
    for (int i = 0; i < x->nloops; ++i)
        buf_printf(b, ", %" PRId64 " times dimension %d by %" PRId64 " %s %" PRId64,
                   x->loop[i].extent, x->loop[i].dim, x->loop[i].step, n->buf ? "from" : "to",
                   x->loop[i].dst);
    if (n->body->reduces) buf_printf(b, ", by %s", n->function);
    buf_printf(b, "%s\n", hints(s, n));
}

static void put_list(struct session *s, struct buf *b, const struct kir_node *list, int depth) {
    char text[ARRIVAL_TEXT];
    for (const struct kir_node *n = list; n; n = n->next) {
        if (n->kind == KIR_COMMENT) {
            for (int i = 0; i < n->nlines; ++i) {
                buf_fill(b, ' ', 2 * depth);
                buf_printf(b, "; %s\n", n->line[i]);
            }
            continue;
        }
        buf_fill(b, ' ', 2 * depth);
        switch (n->kind) {
        case KIR_LET: buf_printf(b, "let %s = %s\n", n->var->name, ix_text(s, n->index)); break;
        case KIR_TURN:
            buf_printf(b, "turn %s by %s round %" PRId64 "\n", n->var->c_name,
                       n->index ? ix_text(s, n->index) : "0", n->count);
            break;
        case KIR_NAME: buf_printf(b, "name %s\n", n->name); break;
        case KIR_FOR:
            buf_printf(b, "for %s in %s .. %s%s", n->var->c_name, ix_text(s, n->begin),
                       ix_text(s, n->end), n->unroll ? " unroll" : "");
            for (int i = 0; i < n->nrings; ++i)
                buf_printf(b, ", %s from %s%s%" PRId64 " round %" PRId64, n->ring[i].var->c_name,
                           n->ring[i].from ? n->ring[i].from->c_name : "",
                           n->ring[i].from ? " + " : "", n->ring[i].first, n->ring[i].size);
            for (int i = 0; i < n->ncarries; ++i)
                buf_printf(b, ", %s from %s by %s", n->carry[i].var->c_name,
                           ix_text(s, n->carry[i].first), ix_text(s, n->carry[i].step));
            buf_char(b, '\n');
            break;
        case KIR_GUARD:
            buf_printf(b, "if %s < %" PRId64 "\n", n->index ? ix_text(s, n->index) : "tid",
                       n->count);
            break;
        case KIR_IF:
            buf_puts(b, n->roles ? "roles " : "if ");
            for (int i = 0; i < n->nconds; ++i)
                buf_printf(b, "%s%s %s %s", i ? ", " : "", ix_text(s, n->cond[i].a),
                           n->cond[i].least ? ">=" : "<", ix_text(s, n->cond[i].b));
            buf_char(b, '\n');
            break;
        case KIR_BLOCK: buf_puts(b, "scope\n"); break;
        case KIR_STAGE_DECL:
            buf_printf(b, "stage %s : tcp_b%d[%" PRId64 "]\n", n->stage->name,
                       n->stage->access_bits, n->stage->count);
            break;
        case KIR_LOAD:
            buf_printf(b, "load.%d %s[%s] = %s[%s]%s%s\n", n->bits, n->stage->name,
                       ix_text(s, n->stage_at), n->buf->name, ix_text(s, n->at), steps(s, n),
                       hints(s, n));
            break;
        case KIR_STORE:
            buf_printf(b, "store.%d %s[%s] = %s[%s]%s%s\n", n->bits, n->buf->name,
                       ix_text(s, n->at), n->stage->name, ix_text(s, n->stage_at), steps(s, n),
                       hints(s, n));
            break;
        case KIR_MOVE:
            buf_printf(b, "move.%d%s%s %s[%s] = %s[%s]%s%s\n", n->bits, n->together ? "." : "",
                       n->together ? n->function : "", n->to_buf->name, ix_text(s, n->to_at),
                       n->buf->name, ix_text(s, n->at), steps(s, n), hints(s, n));
            break;
        case KIR_FILL:
            buf_printf(b, "fill.%d %s[%s] = 0x%" PRIx64 "%s\n", n->bits,
                       n->stage ? n->stage->name : n->to_buf->name,
                       ix_text(s, n->stage ? n->stage_at : n->to_at), n->value, steps(s, n));
            break;
        case KIR_ASYNC:
            buf_printf(b, "%s.%d%s%s %s[%s] = %s[%s]%s", n->reduces ? n->function : "async",
                       n->bits, n->cache ? "." : "", n->cache ? n->cache : "", n->to_buf->name,
                       ix_text(s, n->to_at), n->buf->name, ix_text(s, n->at), hints(s, n));
            if (n->cut)
                buf_printf(b, " below %s from %s on", ix_text(s, n->cut->b), ix_text(s, n->cut->a));
            for (int i = 0; i < n->nconds; ++i)
                buf_printf(b, "%s%s %s %s", i ? " and " : " if ", ix_text(s, n->cond[i].a),
                           n->cond[i].least ? ">=" : "<", ix_text(s, n->cond[i].b));
            buf_puts(b, n->nconds || n->cut ? " else 0\n" : "\n");
            break;
        case KIR_BOXES: put_boxes(s, b, n); break;
        case KIR_ANNOUNCE: buf_printf(b, "announce %" PRId64 " bytes\n", n->count); break;
        case KIR_FENCE: buf_puts(b, "fence\n"); break;
        case KIR_ARRIVE:
        case KIR_WAIT:
            if (n->index)
                buf_printf(b, "%s of %d threads at %s\n",
                           n->kind == KIR_ARRIVE ? "arrive" : "barrier", n->arrival.count,
                           ix_text(s, n->index));
            else
                buf_printf(b, "%s\n", arrival_text(n->arrival, n->kind == KIR_ARRIVE, text));
            break;
        case KIR_CALL:
            buf_printf(b, "call %s(", n->callee);
            for (int i = 0; i < n->nargs; ++i) {
                if (i > 0) buf_puts(b, ", ");
                if (n->arg[i].buf)
                    buf_printf(b, "%s[%s]", n->arg[i].buf->name, ix_text(s, n->arg[i].at));
                else
                    buf_puts(b, ix_text(s, n->arg[i].at));
            }
            buf_puts(b, ")\n");
            break;
        case KIR_COMMENT: break;
        }
        if (n->body && !n->boxes) put_list(s, b, n->body, depth + 1);
        if (!n->orelse) continue;
        buf_fill(b, ' ', 2 * depth);
        buf_puts(b, "else\n");
        put_list(s, b, n->orelse, depth + 1);
    }
}

static const char *const space[] = {"global", "shared", "frag", "stage"};

static void put_formals(struct session *s, struct buf *b, const struct kir_kernel *x) {
    for (int i = 0; i < x->nformals; ++i) {
        const struct kir_formal *f = &x->formal[i];
        if (f->index) {
            buf_printf(b, "  index %s\n", f->index->name);
        } else {
            buf_printf(b, "  %s %s : %s%s%s align %d\n", space[f->buffer->space], f->buffer->name,
                       f->buffer->elem->name,
                       f->buffer->constant ? " readonly"
                       : f->buffer->read   ? " in"
                                           : "",
                       f->buffer->written ? " out" : "", f->align);
        }
    }
    for (int i = 0; i < x->nduties; ++i) {
        buf_printf(b, "  caller %s <= %s\n", ix_text(s, x->duty[i].a), ix_text(s, x->duty[i].b));
    }
}

static void put_variant(struct session *s, struct buf *b, const struct kir_variant *x) {
    buf_printf(b, "  variant %d", x->bits);
    for (int i = 0; i < x->nwhen; ++i) {
        const struct kir_condition *c = &x->when[i];
        const char *what = c->tensor ? c->tensor->name : ix_text(s, c->value);
        buf_puts(b, i ? " and" : " when");
        if (c->unless) buf_printf(b, " %s <= 1 or", ix_text(s, c->unless));
        buf_printf(b, " %s %% %" PRId64, what, c->by);
    }
    buf_char(b, '\n');
}

static void put_kernel(struct session *s, struct buf *b, const struct kir_kernel *x) {
    if (x->device) {
        buf_printf(b, "device %s threads %" PRId64 "\n", x->name, x->threads);
        put_formals(s, b, x);
    } else {
        buf_printf(b, "kernel %s grid (", x->name);
        for (int i = 0; i < 3; ++i)
            buf_printf(b, "%s%s", i ? ", " : "", lay_int_text(&s->lay, x->grid[i]));
        buf_printf(b, ") threads %" PRId64 " shared %" PRId64 "\n", x->threads, x->smem_bytes);
    }
    if (x->variant && x->variant->bits) put_variant(s, b, x->variant);
    for (int i = 0; i < x->nparams; ++i) {
        buf_printf(b, "  param %s in %" PRId64 " .. %" PRId64 " %% %" PRId64 "\n", x->param[i].name,
                   x->param[i].lo, x->param[i].hi, x->param[i].mul);
    }
    for (int i = 0; i < x->ntensors; ++i) {
        const struct kir_tensor *t = &x->tensor[i];
        buf_printf(b, "  global %s : %s%s%s align %d span %s\n", t->name, t->elem->name,
                   t->read ? " in" : "", t->written ? " out" : "", t->align, ix_text(s, t->span));
    }
    for (int i = 0; i < x->nbuffers; ++i) {
        const struct kir_buffer *t = x->buffer[i];
        buf_printf(b, "  %s %s : %s[%" PRId64 "]", space[t->space], t->name, t->elem->name,
                   t->count);
        if (space_is_shared(t->space)) buf_printf(b, " at %" PRId64, t->smem_offset);
        buf_char(b, '\n');
    }
    put_list(s, b, x->body, 1);
}

void kir_print_kernel(struct session *s, const struct kir_kernel *x, struct buf *b) {
    for (; x; x = x->narrower) put_kernel(s, b, x);
}

void kir_print(struct session *s, const struct kir *k, struct buf *b) {
    for (const struct kir_kernel *x = k->kernels; x; x = x->next) kir_print_kernel(s, x, b);
}
