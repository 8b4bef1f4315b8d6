// The launcher of a kernel: checks what was promised, and launches.
#include <inttypes.h>
#include <string.h>

#include "base/buf.h"
#include "base/session.h"
#include "emit/emit_private.h"
#include "emit/write.h"

// -- the launcher ---------------------------------------------------------------------------------

static void check(const struct emission *o, struct call *c, const char *fn) {
    *c = emit_call_of(o, 4, arena_printf(&o->s->arena, "TCP_CHECK(%s(", fn), "));");
    call_arg(c, "\"%s\"", o->k->name);
}

static const struct ix *bytes(const struct emission *o, const struct kir_tensor *t) {
    return ix_scale(o->s, t->span, lay_int(t->elem_bits / 8));
}

// What follows is computed in 64 bits: "e" must fit.
static void check_fits(const struct emission *o, const char *what, const struct ix *e) {
    const char *exact = emit_exact_ix(o->s, o->k, e);
    if (!exact) return;
    struct call c;
    check(o, &c, "tcp_check_exact");
    call_arg(&c, "\"%s\"", what);
    call_arg(&c, "%s", exact);
    call_write(o->b, &c);
}

static void put_checks(const struct emission *o) {
    const struct kir_kernel *k = o->k;
    struct call c;
    for (int i = 0; i < k->nparams; ++i) {
        const struct kir_param *p = &k->param[i];
        check(o, &c, "tcp_check_range");
        call_arg(&c, "\"%s\"", p->name);
        call_arg(&c, "%s", p->c_name);
        call_arg(&c, "%" PRId64, p->lo);
        call_arg(&c, "%" PRId64, p->hi);
        call_write(o->b, &c);
        if (p->mul <= 1) continue;
        check(o, &c, "tcp_check_multiple");
        call_arg(&c, "\"%s\"", p->name);
        call_arg(&c, "%s", p->c_name);
        call_arg(&c, "%" PRId64, p->mul);
        call_write(o->b, &c);
    }
    for (int i = 0; i < k->nrelations; ++i) {
        const struct kir_relation *r = &k->relation[i];
        const char *x = emit_host_ix(o->s, k, r->a), *y = emit_host_ix(o->s, k, r->b);
        check_fits(o, r->text, r->a);
        check_fits(o, r->text, r->b);
        check(o, &c, "tcp_check_relation");
        call_arg(&c, "\"%s\"", r->text);
        call_arg(&c, "%s %s %s", x, r->op, y);
        call_arg(&c, "%s", x);
        call_arg(&c, "%s", y);
        call_write(o->b, &c);
    }
    // without elements there is nothing to do, and nothing that a pointer must be
    for (int i = 0; i < k->ntensors; ++i) {
        const struct kir_tensor *t = &k->tensor[i];
        for (int j = 0; t->written && j < t->nextents; ++j) {
            if (t->extent[j]->lo > 0) continue;
            buf_printf(o->b, "    if (%s == 0) return TCP_OK;\n",
                       emit_host_ix(o->s, k, t->extent[j]));
        }
    }
    for (int i = 0; i < k->ntensors; ++i) check_fits(o, k->tensor[i].name, bytes(o, &k->tensor[i]));
    for (int i = 0; i < 3; ++i) check_fits(o, "grid", ix_lay(o->s, k->grid[i]));
    for (int i = 0; i < k->ntensors; ++i) {
        const struct kir_tensor *t = &k->tensor[i];
        check(o, &c, "tcp_check_tensor");
        call_arg(&c, "\"%s\"", t->name);
        call_arg(&c, "%s", t->c_name);
        call_arg(&c, "%d", t->align);
        call_write(o->b, &c);
    }
    for (int i = 0; i < k->ntensors; ++i) {
        for (int j = 0; j < i; ++j) {
            const struct kir_tensor *one = &k->tensor[j], *two = &k->tensor[i];
            if (!one->written && !two->written) continue;
            check(o, &c, "tcp_check_distinct");
            for (int side = 0; side < 2; ++side) {
                const struct kir_tensor *t = side ? two : one;
                call_arg(&c, "\"%s\"", t->name);
                call_arg(&c, "%s", t->c_name);
                call_arg(&c, "0");
                call_arg(&c, "%s", emit_host_ix(o->s, k, bytes(o, t)));
            }
            call_write(o->b, &c);
        }
    }
}

// -- variants -------------------------------------------------------------------------------------

// Whether the launcher of "k" asks for facts about "t", or about a product with "y".
static bool asked(const struct kir_kernel *k, const struct kir_tensor *t, const struct lay_sym *y) {
    for (int i = 0; i < k->nwhen; ++i) {
        const struct kir_condition *c = &k->when[i];
        if (c->tensor ? t && c->tensor->id == t->id : y && ix_speaks_of(c->value, y)) return true;
    }
    return false;
}

// NAME_variant: which of the variants these arguments get.
static void put_variant(const struct emission *o) {
    const struct kir_kernel *k = o->k;
    struct session *s = o->s;
    struct call c =
        emit_call_of(o, 0, arena_printf(&s->arena, "TCP_EXTERN_C int %s_variant(", k->c_name),
                     ") {");
    buf_char(o->b, '\n');
    comment_write(o->b, 0,
                  arena_printf(&s->arena,
                               "The bits of the widest variant that %s_launch may take with these "
                               "arguments.",
                               k->c_name),
                  0);
    emit_parameters(o, &c, true);
    call_write(o->b, &c);
    // the widest asks about all that the others do
    for (int i = 0; i < k->ntensors; ++i) {
        if (!asked(k, &k->tensor[i], NULL))
            buf_printf(o->b, "    (void)%s;\n", k->tensor[i].c_name);
    }
    for (int i = 0; i < k->nparams; ++i) {
        if (!asked(k, NULL, k->param[i].sym))
            buf_printf(o->b, "    (void)%s;\n", k->param[i].c_name);
    }
    for (const struct kir_kernel *v = k; v; v = v->narrower) {
        if (v->nwhen == 0) {
            buf_printf(o->b, "    return %d;\n}\n", v->bits);
            continue;
        }
        c = emit_call_of(o, 4, arena_printf(&s->arena, "const bool fits_%d = tcp_all(", v->bits),
                         ");");
        for (int i = 0; i < v->nwhen; ++i) {
            const struct kir_condition *w = &v->when[i];
            const char *exact = w->tensor ? NULL : emit_exact_ix(s, k, w->value);
            if (w->tensor)
                call_arg(&c, "tcp_aligned(%s, %" PRId64 ")", w->tensor->c_name, w->by);
            else
                call_arg(&c, "tcp_multiple(%s, %" PRId64 ")",
                         exact ? exact : emit_host_ix(s, k, w->value), w->by);
        }
        call_write(o->b, &c);
        buf_printf(o->b, "    if (fits_%d) return %d;\n", v->bits, v->bits);
    }
}

static void put_launch(const struct emission *o, int indent, const char *head) {
    const struct kir_kernel *k = o->k;
    struct session *s = o->s;
    struct call c = emit_call_of(o, indent, head, ");");
    call_arg(&c, "%s", emit_kernel_name(o));
    const char *blocks[3];
    for (int i = 0; i < 3; ++i) blocks[i] = emit_host_ix(s, k, ix_lay(s, k->grid[i]));
    call_arg(&c, "tcp_blocks(%s, %s, %s)", blocks[0], blocks[1], blocks[2]);
    call_arg(&c, "%" PRId64, k->threads);
    call_arg(&c, "%" PRId64, k->smem_bytes);
    call_arg(&c, "stream");
    for (int i = 0; i < k->ntensors; ++i) call_arg(&c, "%s", k->tensor[i].c_name);
    for (int i = 0; i < k->nparams; ++i) {
        const struct kir_param *p = &k->param[i];
        if (!p->in_body) continue;
        call_arg(&c, "%s%s", p->narrow ? "(int)" : "", p->c_name);
    }
    call_write(o->b, &c);
}

static void put_choice(const struct emission *o) {
    const struct kir_kernel *k = o->k;
    struct session *s = o->s;
    struct call c =
        emit_call_of(o, 4, arena_printf(&s->arena, "const int bits = %s_variant(", k->c_name),
                     ");");
    for (int i = 0; i < k->ntensors; ++i) call_arg(&c, "%s", k->tensor[i].c_name);
    for (int i = 0; i < k->nparams; ++i) call_arg(&c, "%s", k->param[i].c_name);
    call_write(o->b, &c);
    struct emission of = *o;
    for (; of.k; of.k = of.k->narrower) {
        bool last = !of.k->narrower;
        if (!last) buf_printf(o->b, "    if (bits == %d) {\n", of.k->bits);
        put_launch(&of, last ? 4 : 8, "return TCP_LAUNCH(");
        if (!last) buf_puts(o->b, "    }\n");
    }
}

void emit_launcher(const struct emission *o) {
    const struct kir_kernel *k = o->k;
    if (k->narrower) put_variant(o);
    struct call c = emit_call_of(
        o, 0, arena_printf(&o->s->arena, "TCP_EXTERN_C tcp_status %s_launch(", k->c_name), ") {");
    buf_char(o->b, '\n');
    emit_parameters(o, &c, true);
    call_arg(&c, "tcp_stream stream");
    call_write(o->b, &c);
    put_checks(o);
    if (k->narrower)
        put_choice(o);
    else
        put_launch(o, 4, "return TCP_LAUNCH(");
    buf_puts(o->b, "}\n");
}
