// The launcher of a kernel: checks what was promised, and launches.
#include <inttypes.h>
#include <string.h>

#include "base/buf.h"
#include "base/session.h"
#include "emit/emit_private.h"
#include "emit/write.h"

// -- the launcher ---------------------------------------------------------------------------------

static void check_in(const struct emission *o, struct call *c, int indent, const char *fn) {
    *c = emit_call_of(o, indent, arena_printf(&o->s->arena, "TCP_CHECK(%s(", fn), "));");
    call_arg(c, "\"%s\"", o->k->name);
}

static void check(const struct emission *o, struct call *c, const char *fn) {
    check_in(o, c, 4, fn);
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

// -- tensors without elements ---------------------------------------------------------------------

// Whether "a", an extent, is zero when "n" is.
static bool zero_with(const struct ix *a, const struct ix *n) {
    struct lay_int x, y;
    if (ix_equal(a, n)) return true;
    if (!ix_monomial(a, &x) || !ix_monomial(n, &y) || x.nsyms != 1 || y.nsyms != 1) return false;
    return !x.syms[0]->name && lay_int_equal(x.syms[0]->of, y);
}

static bool has_extent(const struct kir_tensor *t, const struct ix *n) {
    for (int i = 0; i < t->nextents; ++i) {
        if (zero_with(t->extent[i], n)) return true;
    }
    return false;
}

// Whether nothing is written when "n" is zero.
static bool empties_all(const struct kir_kernel *k, const struct ix *n) {
    bool any = false;
    for (int i = 0; i < k->ntensors; ++i) {
        const struct kir_tensor *t = &k->tensor[i];
        any |= t->written;
        if (t->written && !has_extent(t, n)) return false;
    }
    return any;
}

// "N == 0 || M == 0": of the extents of "t" that may be zero, those that empty all that is written,
// or the others.
static const char *empties(const struct emission *o, const struct kir_tensor *t, bool all,
                           const char *is, const char *join) {
    struct buf b;
    int n = 0;
    buf_init(&b);
    for (int i = 0; i < t->nextents; ++i) {
        const struct ix *e = t->extent[i];
        bool again = false;
        for (int j = 0; j < i; ++j) again |= ix_equal(t->extent[j], e);
        if (again || e->lo > 0 || empties_all(o->k, e) != all) continue;
        buf_printf(&b, "%s%s %s 0", n++ ? join : "", emit_host_ix(o->s, o->k, e), is);
    }
    return buf_finish(&b, &o->s->arena);
}

// Whether a tensor before the "n"-th one that is written has the extent "e", too.
static bool is_earlier(const struct kir_kernel *k, int n, const struct ix *e) {
    for (int i = 0; i < n; ++i)
        for (int j = 0; k->tensor[i].written && j < k->tensor[i].nextents; ++j)
            if (ix_equal(k->tensor[i].extent[j], e)) return true;
    return false;
}

// Without elements to write there is nothing to do, and nothing that a pointer must be.
static void put_nothing_to_do(const struct emission *o) {
    const struct kir_kernel *k = o->k;
    struct call c = emit_call_of(o, 4, "const bool nothing_to_write = tcp_all(", ");");
    int written = 0;
    bool may_be = true;
    for (int i = 0; i < k->ntensors; ++i) {
        const struct kir_tensor *t = &k->tensor[i];
        for (int j = 0; t->written && j < t->nextents; ++j) {
            struct kir_tensor one = {.extent = &t->extent[j], .nextents = 1};
            const char *zero =
                is_earlier(k, i, t->extent[j]) ? "" : empties(o, &one, true, "==", "");
            if (*zero) buf_printf(o->b, "    if (%s) return TCP_OK;\n", zero);
        }
        if (!t->written) continue;
        const char *zero = empties(o, t, false, "==", " || ");
        may_be &= *zero != 0;
        call_arg(&c, "%s", zero);
        ++written;
    }
    if (written < 2 || !may_be) return;
    call_write(o->b, &c);
    buf_puts(o->b, "    if (nothing_to_write) return TCP_OK;\n");
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
    put_nothing_to_do(o);
    for (int i = 0; i < k->ntensors; ++i) check_fits(o, k->tensor[i].name, bytes(o, &k->tensor[i]));
    for (int i = 0; i < 3; ++i) check_fits(o, "grid", ix_lay(o->s, k->grid[i]));
    for (int i = 0; i < k->ntensors; ++i) {
        const struct kir_tensor *t = &k->tensor[i];
        const char *some = empties(o, t, false, "!=", " && ");
        if (*some) buf_printf(o->b, "    if (%s) {\n", some);
        check_in(o, &c, *some ? 8 : 4, "tcp_check_tensor");
        call_arg(&c, "\"%s\"", t->name);
        call_arg(&c, "%s", t->c_name);
        call_arg(&c, "%d", t->align);
        call_write(o->b, &c);
        if (*some) buf_puts(o->b, "    }\n");
    }
    for (int i = 0; i < k->ntensors; ++i) {
        for (int j = 0; j < i; ++j) {
            const struct kir_tensor *one = &k->tensor[j], *two = &k->tensor[i];
            if (!one->written && !two->written) continue;
            // what has no elements shares none
            const char *some = empties(o, one, false, "!=", " && ");
            const char *others = empties(o, two, false, "!=", " && ");
            bool asked = *some || *others;
            if (*others && strcmp(some, others) != 0)
                some = *some ? arena_printf(&o->s->arena, "%s && %s", some, others) : others;
            if (asked) buf_printf(o->b, "    if (%s) {\n", some);
            check_in(o, &c, asked ? 8 : 4, "tcp_check_distinct");
            for (int side = 0; side < 2; ++side) {
                const struct kir_tensor *t = side ? two : one;
                call_arg(&c, "\"%s\"", t->name);
                call_arg(&c, "%s", t->c_name);
                call_arg(&c, "0");
                call_arg(&c, "%s", emit_host_ix(o->s, k, bytes(o, t)));
            }
            call_write(o->b, &c);
            if (asked) buf_puts(o->b, "    }\n");
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

// Its head, which "end" ends: ") {" or ");".
static void put_variant_head(const struct emission *o, const char *end) {
    struct arena *m = &o->s->arena;
    struct call c =
        emit_call_of(o, 0, arena_printf(m, "TCP_EXTERN_C int %s_variant(", o->k->c_name), end);
    buf_char(o->b, '\n');
    comment_write(o->b, 0,
                  arena_printf(m,
                               "The bits of the widest variant that %s_launch may take with these "
                               "arguments.",
                               o->k->c_name),
                  0);
    emit_parameters(o, &c, true);
    call_write(o->b, &c);
}

// NAME_variant: which of the variants these arguments get.
static void put_variant(const struct emission *o) {
    const struct kir_kernel *k = o->k;
    struct session *s = o->s;
    struct call c;
    put_variant_head(o, ") {");
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

// The tensors that the kernel writes, or those that it reads alone: "A, B"; NULL when there are
// none.
static const char *tensor_names(const struct emission *o, bool written) {
    struct buf b;
    int n = 0;
    buf_init(&b);
    for (int i = 0; i < o->k->ntensors; ++i) {
        const struct kir_tensor *t = &o->k->tensor[i];
        if (t->written == written) buf_printf(&b, "%s%s", n++ ? ", " : "", t->name);
    }
    const char *names = buf_finish(&b, &o->s->arena);
    return n ? names : NULL;
}

// What the caller owes and no launcher can check.
static void put_contract(const struct emission *o) {
    const char *in = tensor_names(o, false), *out = tensor_names(o, true);
    struct arena *m = &o->s->arena;
    const char *text = "";
    if (!in && !out) return;
    if (out) text = arena_printf(m, "reads or writes %s", out);
    if (in) text = arena_printf(m, "writes %s%s%s", in, out ? ", or " : "", text);
    text = arena_printf(m, "While the kernel runs nobody else %s.", text);
    if (out && o->k->ntensors > 1)
        text = arena_printf(m, "What is written overlaps no other tensor. %s", text);
    comment_write(o->b, 0, text, 0);
}

static void put_launcher_head(const struct emission *o, const char *end) {
    struct call c = emit_call_of(
        o, 0, arena_printf(&o->s->arena, "TCP_EXTERN_C tcp_status %s_launch(", o->k->c_name), end);
    buf_char(o->b, '\n');
    put_contract(o);
    emit_parameters(o, &c, true);
    call_arg(&c, "tcp_stream stream");
    call_write(o->b, &c);
}

void emit_launcher_declaration(const struct emission *o) {
    if (o->k->narrower) put_variant_head(o, ");");
    put_launcher_head(o, ");");
}

void emit_launcher(const struct emission *o) {
    const struct kir_kernel *k = o->k;
    if (k->narrower) put_variant(o);
    put_launcher_head(o, ") {");
    put_checks(o);
    if (k->narrower)
        put_choice(o);
    else
        put_launch(o, 4, "return TCP_LAUNCH(");
    buf_puts(o->b, "}\n");
}
