// Prints a device function: the preconditions for its caller, its constants, its body.
#include <inttypes.h>
#include <stdarg.h>

#include "base/buf.h"
#include "base/session.h"
#include "emit/emit_private.h"
#include "emit/write.h"

// -- device functions -----------------------------------------------------------------------------

static bool has(const struct kir_kernel *k, enum space space) {
    for (int i = 0; i < k->nformals; ++i) {
        if (k->formal[i].buffer && k->formal[i].buffer->space == space) return true;
    }
    return false;
}

// Whether other threads may write the global memory that it reads, or read what it writes.
static bool shares_global(const struct kir_kernel *k) {
    for (int i = 0; i < k->nformals; ++i) {
        const struct kir_buffer *x = k->formal[i].buffer;
        if (x && x->space == MEM_GLOBAL && !x->constant) return true;
    }
    return false;
}

static void owe(const struct emission *o, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
static void owe(const struct emission *o, const char *fmt, ...) {
    struct buf line;
    buf_init(&line);
    buf_puts(&line, "    - ");
    va_list ap;
    va_start(ap, fmt);
    buf_vprintf(&line, fmt, ap);
    va_end(ap);
    comment_write(o->b, 0, line.text, 6);
    buf_release(&line);
}

void emit_duty(const struct emission *o, const char *text) {
    owe(o, "%s", text);
}

static bool joins(const struct kir_node *n) {
    return n->kind == KIR_WAIT && arrival_row(n->arrival)->joins;
}

static bool completes(const struct kir_node *n) {
    return n->kind == KIR_WAIT && arrival_row(n->arrival)->completes;
}

static bool commits(const struct kir_node *n) {
    return n->kind == KIR_ARRIVE && n->arrival.kind == ARRIVAL_GROUP;
}

static int count(const struct kir_node *list, bool (*is)(const struct kir_node *n)) {
    int n = 0;
    for (const struct kir_node *x = list; x; x = x->next)
        n += is(x) + count(x->body, is) + count(x->orelse, is);
    return n;
}

// Whether another argument than "f" is in the same memory space.
static bool has_neighbour(const struct kir_kernel *k, const struct kir_formal *f) {
    for (int i = 0; i < k->nformals; ++i) {
        const struct kir_formal *x = &k->formal[i];
        if (x != f && x->buffer && x->buffer->space == f->buffer->space) return true;
    }
    return false;
}

// Says what the caller's other code may do with the memory: the loads of a copy come before its
// stores, and loads of constant memory may come at any time.
static void put_sharing(const struct emission *o) {
    const struct kir_kernel *k = o->k;
    for (int i = 0; i < k->nformals; ++i) {
        const struct kir_formal *f = &k->formal[i];
        if (!f->buffer || !f->buffer->written || !has_neighbour(k, f)) continue;
        owe(o, "%s, which the function writes, overlaps no other argument", f->buffer->name);
    }
    for (int i = 0; i < k->nformals; ++i) {
        const struct kir_formal *f = &k->formal[i];
        if (!f->buffer || !f->buffer->constant) continue;
        owe(o,
            "no other code writes %s while the kernel runs: the loads may miss such writes "
            "(readonly)",
            f->buffer->name);
    }
}

// Prints what the proofs assumed, as a list for the caller.
static void put_duties(const struct emission *o) {
    const struct kir_kernel *k = o->k;
    struct session *s = o->s;
    buf_puts(o->b, "//   The caller guarantees that:\n");
    owe(o, "threads 0 .. %" PRId64 " of a block call it, each with its own number as 'tid'",
        k->threads - 1);
    for (int i = 0; i < k->nformals; ++i) {
        const struct kir_formal *f = &k->formal[i];
        if (!f->buffer) continue;
        const char *what = f->buffer->space == MEM_GLOBAL      ? "in global memory"
                           : space_is_shared(f->buffer->space) ? "in shared memory"
                                                               : "an array of each thread";
        if (f->buffer->space == MEM_GLOBAL) {
            owe(o, "%s is %s, %s %s, aligned to %d bytes", f->buffer->name, what,
                f->buffer->elem->name, f->buffer->layout, f->align);
        } else {
            owe(o, "%s is %s, %s %s, %" PRId64 " elements, aligned to %d bytes", f->buffer->name,
                what, f->buffer->elem->name, f->buffer->layout, f->buffer->count, f->align);
        }
    }
    put_sharing(o);
    for (int i = 0; i < k->nparams; ++i) {
        const struct kir_param *p = &k->param[i];
        if (p->sum && p->sum->lo >= p->lo && p->sum->hi <= p->hi) continue;
        if (p->mul > 1)
            owe(o, "%s is a multiple of %" PRId64 " in %" PRId64 " .. %" PRId64, p->name, p->mul,
                p->lo, p->hi);
        else
            owe(o, "%s is in %" PRId64 " .. %" PRId64, p->name, p->lo, p->hi);
    }
    for (int i = 0; i < k->nrelations; ++i) owe(o, "%s", k->relation[i].text);
    for (int i = 0; i < k->nformals; ++i) {
        if (k->formal[i].index) owe(o, "%s >= 0", k->formal[i].index->name);
    }
    for (int i = 0; i < k->nduties; ++i)
        owe(o, "%s <= %s", ix_text(s, k->duty[i].a), ix_text(s, k->duty[i].b));
    if (shares_global(k)) {
        owe(o,
            "a barrier separates this call from what other threads do with its tensors, before and "
            "after it; reads need none between them");
    } else if (has(k, MEM_SHARED)) {
        owe(o, "a barrier separates this call from what other threads do with the shared memory, "
               "before and after it");
    }
    emit_state_duties(o);
    int barriers = count(k->body, joins);
    const char *holds = barriers == 0   ? "contains no barrier"
                        : barriers == 1 ? "contains a barrier, which all threads must reach"
                                        : "contains barriers, which all threads must reach";
    if (k->counter) {
        emit_state_end(o, holds);
        return;
    }
    if (k->leaves_group) {
        comment_write(
            o->b, 0,
            arena_printf(&s->arena,
                         "  It %s. When it returns, one group of %s is committed and in "
                         "flight, which counts as %s_GROUPS for %s. The shared "
                         "arguments hold the data after a wait for this group and a barrier. The "
                         "wait may leave later groups in flight.",
                         holds, k->family, k->c_name, k->wait[0]),
            2);
    } else {
        comment_write(o->b, 0,
                      arena_printf(&s->arena,
                                   "  It %s. When it returns, this thread's accesses are complete.",
                                   holds),
                      2);
    }
    bool waits = count(k->body, completes) > 0;
    if (waits || count(k->body, commits) > 0) {
        comment_write(
            o->b, 0,
            arena_printf(&s->arena,
                         "  Each thread counts its groups of %s.%s Copies that the caller has "
                         "not committed become part of the first group here.",
                         k->family,
                         waits ? " The waits here also wait for older groups of the caller." : ""),
            2);
    }
}

void emit_device(const struct emission *o) {
    const struct kir_kernel *k = o->k;
    struct session *s = o->s;
    struct buf *b = o->b;
    int64_t bytes = 0;
    int align = 1;
    buf_printf(b, "\n// device %s, %s:%d\n", k->name, name_in_comment(s, k->path), k->line);
    put_duties(o);
    for (int i = 0; i < k->nformals; ++i) {
        const struct kir_formal *f = &k->formal[i];
        if (!f->buffer || !space_is_shared(f->buffer->space)) continue;
        bytes += f->buffer->count * f->buffer->elem->bits / 8;
        if (f->align > align) align = f->align;
    }
    comment_write(b, 0,
                  arena_printf(&s->arena,
                               "  %s_SMEM_BYTES is the size of its shared arguments, and %s_ALIGN "
                               "the alignment of each, in bytes.",
                               k->c_name, k->c_name),
                  2);
    buf_printf(b,
               "enum : int {\n    %s_THREADS = %" PRId64 ",\n    %s_SMEM_BYTES = %" PRId64
               ",\n    %s_ALIGN = %d,\n",
               k->c_name, k->threads, k->c_name, bytes, k->c_name, align);
    if (k->leaves_group) buf_printf(b, "    %s_GROUPS = 1,\n", k->c_name);
    if (k->counter) buf_printf(b, "    %s_STATE_BYTES = %" PRId64 ",\n", k->c_name, k->smem_bytes);
    buf_puts(b, "};\n");
    emit_state_init(o);
    if (k->counter) buf_char(b, '\n');
    struct call c =
        emit_call_of(o, 0, arena_printf(&s->arena, "TCP_DEVICE void %s(", k->c_name), ") {");
    call_arg(&c, "int tid");
    if (k->counter) call_arg(&c, "%s &tcp_ring", k->counter);
    for (int i = 0; i < k->nformals; ++i) {
        const struct kir_formal *f = &k->formal[i];
        if (f->index) {
            call_arg(&c, "%s %s", f->bits == 32 ? "int" : "int64_t", f->index->c_name);
        } else if (!emit_is_mapped(k, i)) {
            call_arg(&c, "%s%s *%s%s", f->buffer->written ? "" : "const ", f->buffer->elem->c_name,
                     f->buffer->constant ? "__restrict__ " : "", f->buffer->c_name);
        }
    }
    for (int i = 0; i < k->nmaps; ++i) call_arg(&c, "const tcp_tensor_map &%s", k->map[i]->c_name);
    for (int i = 0; i < k->ngiven; ++i) {
        if (!k->param[i].in_body) continue;
        call_arg(&c, "%s %s", k->param[i].narrow ? "int" : "int64_t", k->param[i].c_name);
    }
    call_write(b, &c);
    if (!kir_uses(k->body, k->tid)) buf_puts(b, "    (void)tid;\n");
    for (int i = 0; i < k->nformals; ++i) {
        const struct kir_formal *f = &k->formal[i];
        if (f->index && !kir_uses(k->body, f->index))
            buf_printf(b, "    (void)%s;\n", f->index->c_name);
    }
    for (int i = k->ngiven; i < k->nparams; ++i) {
        const struct kir_param *p = &k->param[i];
        if (!p->in_body) continue;
        statement_write(b, 4,
                        arena_printf(&s->arena, "const %s %s = %s;", p->narrow ? "int" : "int64_t",
                                     p->c_name, emit_ix(s, k, p->sum)));
    }
    emit_body(o);
}
