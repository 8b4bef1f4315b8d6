// The launcher of a kernel in C, printed from its data (kernel/launch.h).
#include <inttypes.h>

#include "base/buf.h"
#include "base/session.h"
#include "emit/emit_private.h"
#include "emit/write.h"

// -- checks ---------------------------------------------------------------------------------------

static struct call check(const struct emission *o, int indent, const char *fn) {
    struct call c = emit_call_of(o, indent, arena_printf(&o->s->arena, "TCP_CHECK(%s(", fn), "));");
    call_arg(&c, "\"%s\"", o->k->launch->name);
    return c;
}

// Text such as "N == 0 || M == 0".
static const char *extents(const struct emission *o, struct kir_extents x, const char *is,
                           const char *join) {
    struct buf b;
    buf_init(&b);
    for (int i = 0; i < x.n; ++i)
        buf_printf(&b, "%s%s %s 0", i ? join : "", emit_host_ix(o->s, o->k, x.extent[i]), is);
    return buf_finish(&b, &o->s->arena);
}

static void put_nothing(const struct emission *o, const struct kir_check *x) {
    if (x->nempty == 1) {
        buf_printf(o->b, "    if (%s) return TCP_OK;\n", extents(o, x->empty[0], "==", " || "));
        return;
    }
    struct call c = emit_call_of(o, 4, "const bool nothing_to_write = tcp_all(", ");");
    for (int i = 0; i < x->nempty; ++i) call_arg(&c, "%s", extents(o, x->empty[i], "==", " || "));
    call_write(o->b, &c);
    buf_puts(o->b, "    if (nothing_to_write) return TCP_OK;\n");
}

// "n" as C; a large power of two is easier to read as a shift.
static const char *number(const struct emission *o, int64_t n) {
    if (n > INT32_MAX && (n & (n - 1)) == 0)
        return arena_printf(&o->s->arena, "1LL << %d", __builtin_ctzll((uint64_t)n));
    return arena_printf(&o->s->arena, "%" PRId64, n);
}

static void put_param(const struct emission *o, const struct kir_check *x) {
    const struct kir_param *p = x->param;
    bool range = x->kind == KIR_CHECK_RANGE;
    struct call c = check(o, 4, range ? "tcp_check_range" : "tcp_check_multiple");
    call_arg(&c, "\"%s\"", p->name);
    call_arg(&c, "%s", p->c_name);
    call_arg(&c, "%s", number(o, range ? p->lo : p->mul));
    if (range) call_arg(&c, "%s", number(o, p->hi));
    call_write(o->b, &c);
}

static void put_exact(const struct emission *o, const struct kir_check *x) {
    struct call c = check(o, 4, "tcp_check_exact");
    call_arg(&c, "\"%s\"", x->what);
    call_arg(&c, "%s", emit_exact_ix(o->s, o->k, x->value));
    call_write(o->b, &c);
}

// "exact": as a tcp_exact, before the arguments were checked.  A number is no constant of C++: nvcc
// warns of what follows a return that is always taken.
static void put_sum(const struct emission *o, const struct kir_param *p, bool exact) {
    const char *value =
        exact ? emit_exact_ix(o->s, o->k, p->sum) : emit_host_ix(o->s, o->k, p->sum);
    statement_write(o->b, 4,
                    arena_printf(&o->s->arena, "%s%s %s = %s;",
                                 ix_static(p->sum, NULL) ? "" : "const ",
                                 exact ? "tcp_exact" : "int64_t", p->c_name, value));
}

static void put_relation(const struct emission *o, const struct kir_relation *r) {
    const char *a = emit_host_ix(o->s, o->k, r->a), *b = emit_host_ix(o->s, o->k, r->b);
    struct call c = check(o, 4, "tcp_check_relation");
    call_arg(&c, "\"%s\"", r->text);
    call_arg(&c, "%s %s %s", a, r->op, b);
    call_arg(&c, "%s", a);
    call_arg(&c, "%s", b);
    call_write(o->b, &c);
}

// The extents and strides of "t": {{M, 512}, {64, 4}}.
static const char *modes_text(const struct emission *o, const struct kir_tensor *t) {
    const char *text = "{";
    for (int i = 0; i < t->nextents; ++i) {
        const char *extent = emit_host_ix(o->s, o->k, t->extent[i]);
        const char *stride = emit_host_ix(o->s, o->k, t->stride[i]);
        text = arena_printf(&o->s->arena, "%s%s{%s, %s}", text, i ? ", " : "", extent, stride);
    }
    return arena_printf(&o->s->arena, "%s}", text);
}

static void put_tensors(const struct emission *o, const struct kir_check *x) {
    bool overlap = x->kind == KIR_CHECK_OVERLAP, asked = x->unless.n > 0;
    if (asked) buf_printf(o->b, "    if (%s) {\n", extents(o, x->unless, "!=", " && "));
    struct call c = check(o, asked ? 8 : 4, overlap ? "tcp_check_distinct" : "tcp_check_tensor");
    for (int i = 0; i < 1 + overlap; ++i) {
        call_arg(&c, "\"%s\"", x->tensor[i]->name);
        call_arg(&c, "%s", x->tensor[i]->c_name);
        if (overlap) call_arg(&c, "0");
        if (overlap) call_arg(&c, "%s", emit_host_ix(o->s, o->k, x->bytes[i]));
    }
    if (!overlap) call_arg(&c, "%d", x->tensor[0]->align);
    for (int i = 0; i < 2 && x->between; ++i) {
        call_arg(&c, "%d", x->tensor[i]->elem->bits / 8);
        call_arg(&c, "%s", modes_text(o, x->tensor[i]));
    }
    call_write(o->b, &c);
    if (asked) buf_puts(o->b, "    }\n");
}

static void put_check(const struct emission *o, const struct kir_check *x) {
    switch (x->kind) {
    case KIR_CHECK_RANGE:
    case KIR_CHECK_MULTIPLE: put_param(o, x); return;
    case KIR_CHECK_SUM: put_sum(o, x->param, false); return;
    case KIR_CHECK_EXACT: put_exact(o, x); return;
    case KIR_CHECK_RELATION: put_relation(o, x->relation); return;
    case KIR_CHECK_NOTHING: put_nothing(o, x); return;
    case KIR_CHECK_POINTER:
    case KIR_CHECK_OVERLAP: put_tensors(o, x); return;
    }
}

// -- variants -------------------------------------------------------------------------------------

// Whether some variant has a condition on "t", or on a product with "y".
static bool asked(const struct kir_launch *l, const struct kir_tensor *t, const struct lay_sym *y) {
    for (int n = 0; n < l->nvariants; ++n)
        for (int i = 0; i < l->variant[n].nwhen; ++i) {
            const struct kir_condition *c = &l->variant[n].when[i];
            if (c->tensor ? c->tensor == t
                          : y && (ix_speaks_of(c->value, y) || ix_speaks_of(c->unless, y)))
                return true;
        }
    return false;
}

// Whether a variant asks for param "i", or for a sum in which it is.
static bool asks_for(const struct kir_launch *l, int i) {
    bool is = asked(l, NULL, l->param[i].sym);
    for (int k = l->ngiven > i ? l->ngiven : i + 1; k < l->nparams && !is; ++k)
        is = ix_speaks_of(l->param[k].sum, l->param[i].sym) && asks_for(l, k);
    return is;
}

// Prints the parameters of both functions.
static void put_parameters(const struct kir_launch *l, struct call *c) {
    for (int i = 0; i < l->ntensors; ++i) {
        const struct kir_tensor *t = &l->tensor[i];
        call_arg(c, "%s%s *%s", t->written ? "" : "const ", t->elem->c_name, t->c_name);
    }
    for (int i = 0; i < l->ngiven; ++i) call_arg(c, "int64_t %s", l->param[i].c_name);
}

// Prints its head, which ends with "end": ") {" or ");".
static void put_variant_head(const struct emission *o, const char *end) {
    struct arena *m = &o->s->arena;
    const struct kir_launch *l = o->k->launch;
    struct call c =
        emit_call_of(o, 0, arena_printf(m, "TCP_EXTERN_C int %s_variant(", l->c_name), end);
    buf_char(o->b, '\n');
    comment_write(o->b, 0,
                  arena_printf(m,
                               o->k->next_case
                                   ? "The number of the case that %s_launch takes with these "
                                     "arguments, from 1 on."
                                   : "The bits of the widest variant that %s_launch may take with "
                                     "these arguments.",
                               l->c_name),
                  0);
    put_parameters(l, &c);
    call_write(o->b, &c);
}

static void put_condition(const struct emission *o, const struct kir_condition *w, struct call *c) {
    if (w->tensor) {
        call_arg(c, "tcp_aligned(%s, %" PRId64 ")", w->tensor->c_name, w->by);
    } else {
        const char *idle = "";
        if (w->unless)
            idle = arena_printf(&o->s->arena, "%s <= 1 || ",
                                ix_may_overflow(w->unless) ? emit_exact_ix(o->s, o->k, w->unless)
                                                           : emit_host_ix(o->s, o->k, w->unless));
        call_arg(c, "%stcp_multiple(%s, %" PRId64 ")", idle,
                 w->may_overflow ? emit_exact_ix(o->s, o->k, w->value)
                                 : emit_host_ix(o->s, o->k, w->value),
                 w->by);
    }
}

// Prints NAME_variant: which variant these arguments get.
static void put_variant(const struct emission *o) {
    const struct kir_launch *l = o->k->launch;
    put_variant_head(o, ") {");
    for (int i = 0; i < l->ntensors; ++i) {
        if (!asked(l, &l->tensor[i], NULL))
            buf_printf(o->b, "    (void)%s;\n", l->tensor[i].c_name);
    }
    for (int i = 0; i < l->ngiven; ++i)
        if (!asks_for(l, i)) buf_printf(o->b, "    (void)%s;\n", l->param[i].c_name);
    for (int i = l->ngiven; i < l->nparams; ++i)
        if (l->param[i].sum && asks_for(l, i)) put_sum(o, &l->param[i], true);
    for (int n = 0; n < l->nvariants; ++n) {
        const struct kir_variant *v = &l->variant[n];
        if (v->nwhen == 0) {
            buf_printf(o->b, "    return %d;\n}\n", v->tag);
            continue;
        }
        struct call c =
            emit_call_of(o, 4, arena_printf(&o->s->arena, "const bool fits_%d = tcp_all(", v->tag),
                         ");");
        for (int i = 0; i < v->nwhen; ++i) put_condition(o, &v->when[i], &c);
        call_write(o->b, &c);
        buf_printf(o->b, "    if (fits_%d) return %d;\n", v->tag, v->tag);
    }
}

// With "only_maps" nothing is launched.
static void put_launch(const struct emission *o, int indent, const struct kir_variant *v,
                       bool only_maps) {
    bool mesh = o->k->devices > 0;
    for (int i = 0; i < v->kernel->nmaps; ++i) emit_map(o, indent, v->kernel->map[i]);
    if (only_maps) {
        buf_fill(o->b, ' ', indent);
        buf_puts(o->b, "return TCP_OK;\n");
        return;
    }
    struct call c =
        emit_call_of(o, indent, mesh ? "return TCP_MESH_LAUNCH(" : "return TCP_LAUNCH(", ");");
    call_arg(&c, "%s", v->function);
    const char *blocks[3];
    for (int i = 0; i < 3; ++i)
        blocks[i] = emit_host_ix(o->s, o->k, ix_lay(o->s, v->kernel->grid[i]));
    call_arg(&c, "tcp_blocks(%s, %s, %s)", blocks[0], blocks[1], mesh ? "1" : blocks[2]);
    call_arg(&c, "%" PRId64, v->kernel->threads);
    call_arg(&c, "%" PRId64, v->kernel->smem_bytes);
    call_arg(&c, "stream");
    if (mesh) call_arg(&c, "%s", o->k->mesh);
    for (int i = 0; i < v->nargs; ++i) {
        const struct kir_argument *x = &v->arg[i];
        call_arg(&c, "%s%s", x->narrow ? "(int)" : "",
                 x->tensor  ? x->tensor->c_name
                 : x->param ? x->param->c_name
                            : x->map->c_name);
    }
    if (mesh) call_arg(&c, "%s_call", o->k->mesh);
    call_write(o->b, &c);
}

static void put_choice(const struct emission *o, bool only_maps) {
    const struct kir_launch *l = o->k->launch;
    const char *name = o->k->next_case ? "which" : "bits";
    struct call c = emit_call_of(
        o, 4, arena_printf(&o->s->arena, "const int %s = %s_variant(", name, l->c_name), ");");
    for (int i = 0; i < l->ntensors; ++i) call_arg(&c, "%s", l->tensor[i].c_name);
    for (int i = 0; i < l->ngiven; ++i) call_arg(&c, "%s", l->param[i].c_name);
    call_write(o->b, &c);
    for (int i = 0; i < l->nvariants - 1; ++i) {
        buf_printf(o->b, "    if (%s == %d) {\n", name, l->variant[i].tag);
        put_launch(o, 8, &l->variant[i], only_maps);
        buf_puts(o->b, "    }\n");
    }
}

// -- the launcher ---------------------------------------------------------------------------------

// The tensors that the kernel writes, or those that it only reads: "A, B"; NULL if there are none.
static const char *tensor_names(const struct emission *o, bool written) {
    const struct kir_launch *l = o->k->launch;
    struct buf b;
    int n = 0;
    buf_init(&b);
    for (int i = 0; i < l->ntensors; ++i) {
        const struct kir_tensor *t = &l->tensor[i];
        if (t->written == written) buf_printf(&b, "%s%s", n++ ? ", " : "", t->name);
    }
    const char *names = buf_finish(&b, &o->s->arena);
    return n ? names : NULL;
}

// Prints what the caller must guarantee and a launcher cannot check.
static void put_contract(const struct emission *o) {
    const char *in = tensor_names(o, false), *out = tensor_names(o, true);
    struct arena *m = &o->s->arena;
    const char *text = "";
    if (!in && !out) return;
    if (out) text = arena_printf(m, "read or write %s", out);
    if (in) text = arena_printf(m, "write %s%s%s", in, out ? ", or " : "", text);
    text = arena_printf(m, "While the kernel runs, no other code may %s.", text);
    if (!o->k->launch->nvariants)
        comment_write(o->b, 0, "Launches the kernel for these numbers of devices.", 0);
    if (out && o->k->launch->ntensors > 1)
        text =
            arena_printf(m, "No tensor that the kernel writes may overlap another one. %s", text);
    comment_write(o->b, 0, text, 0);
}

static void put_launcher_head(const struct emission *o, const char *end) {
    const struct kir_launch *l = o->k->launch;
    struct call c = emit_call_of(
        o, 0, arena_printf(&o->s->arena, "TCP_EXTERN_C tcp_status %s_launch(", l->c_name), end);
    buf_char(o->b, '\n');
    put_contract(o);
    put_parameters(l, &c);
    if (o->k->devices) call_arg(&c, "tcp_mesh *%s", o->k->mesh);
    call_arg(&c, "tcp_stream stream");
    call_write(o->b, &c);
}

// Whether there is a NAME_prepare; devices of a mesh make their maps together.
static bool has_maps(const struct emission *o) {
    const struct kir_launch *l = o->k->launch;
    bool any = false;
    for (int i = 0; i < l->nvariants; ++i) any |= l->variant[i].kernel->nmaps > 0;
    return any && !o->k->devices;
}

// Prints the head of NAME_prepare.
static void put_prepare_head(const struct emission *o, const char *end) {
    const struct kir_launch *l = o->k->launch;
    struct arena *a = &o->s->arena;
    struct call c =
        emit_call_of(o, 0, arena_printf(a, "TCP_EXTERN_C tcp_status %s_prepare(", l->c_name), end);
    buf_char(o->b, '\n');
    comment_write(o->b, 0,
                  arena_printf(a,
                               "Makes the tensor maps that %s_launch takes with these arguments. A "
                               "launch by the same thread finds them, one of the last 16.",
                               l->c_name),
                  0);
    put_parameters(l, &c);
    call_write(o->b, &c);
}

void emit_launcher_declaration(const struct emission *o) {
    if (o->k->launch->nvariants > 1) put_variant_head(o, ");");
    put_launcher_head(o, ");");
    if (has_maps(o)) put_prepare_head(o, ");");
    if (!o->k->numbers) return;
    struct emission x = *o;
    x.k = o->k->numbers->head;
    put_launcher_head(&x, ");");
}

// Prints the launcher that chooses a kernel by the number of devices.
static void put_numbers(const struct emission *o) {
    const struct kir_numbers *all = o->k->numbers;
    const struct kir_launch *l = all->head->launch;
    struct arena *a = &o->s->arena;
    struct emission x = *o;
    x.k = all->head;
    put_launcher_head(&x, ") {");
    for (int i = 0; i < l->nchecks; ++i) put_check(&x, &l->check[i]);
    for (int n = 0; n < all->n; ++n) {
        const struct kir_numbered *one = &all->at[n];
        const char *when = "";
        for (int i = 0; i < one->nvalues && n + 1 < all->n; ++i)
            when = arena_printf(a, "%s%s%s == %" PRId64, when, i ? " && " : "if (",
                                one->by[i]->c_name, one->value[i]);
        when = arena_printf(a, "%s%sreturn %s_launch(", when, *when ? ") " : "", one->c_name);
        struct call c = emit_call_of(&x, 4, when, ");");
        for (int i = 0; i < l->ntensors; ++i) call_arg(&c, "%s", l->tensor[i].c_name);
        for (int i = 0; i < one->nargs; ++i) call_arg(&c, "%s", one->arg[i]->c_name);
        call_arg(&c, "%s", all->head->mesh);
        call_arg(&c, "stream");
        call_write(o->b, &c);
    }
    buf_puts(o->b, "}\n");
}

// Prints what a kernel between devices needs: its end of the mesh, where peers write, and what has to be
// equal on all devices.
static void put_mesh(const struct emission *o) {
    const struct kir_kernel *k = o->k;
    const struct kir_launch *l = k->launch;
    buf_printf(o->b, "    tcp_mesh_call %s_call;\n", k->mesh);
    buf_printf(o->b, "    TCP_CHECK(tcp_mesh_enter(\"%s\", %s, %" PRId64 ", &%s_call));\n", l->name,
               k->mesh, k->devices, k->mesh);
    for (int i = 0; i < l->ntensors; ++i) {
        const struct kir_tensor *t = &l->tensor[i];
        if (!t->device) continue;
        struct call c = check(o, 4, "tcp_mesh_tensor");
        call_arg(&c, "\"%s\"", t->name);
        call_arg(&c, "%s", k->mesh);
        call_arg(&c, "&%s_call", k->mesh);
        call_arg(&c, "%s", t->c_name);
        const struct ix *bytes = ix_scale(o->s, t->part_span, lay_int(t->elem->bits / 8));
        call_arg(&c, "(size_t)(%s)", emit_host_ix(o->s, k, bytes));
        call_write(o->b, &c);
    }
    buf_printf(o->b, "    tcp_mesh_mix(&%s_call, 0x%016" PRIx64 ");\n", k->mesh, k->digest);
    for (int i = 0; i < l->ngiven; ++i)
        buf_printf(o->b, "    tcp_mesh_mix(&%s_call, (uint64_t)%s);\n", k->mesh,
                   l->param[i].c_name);
}

static void put_body(const struct emission *o, bool only_maps) {
    const struct kir_launch *l = o->k->launch;
    for (int i = 0; i < l->nchecks; ++i) put_check(o, &l->check[i]);
    if (o->k->devices) put_mesh(o);
    if (l->nvariants > 1) put_choice(o, only_maps);
    put_launch(o, 4, &l->variant[l->nvariants - 1], only_maps);
    buf_puts(o->b, "}\n");
}

void emit_launcher(const struct emission *o) {
    const struct kir_launch *l = o->k->launch;
    if (l->nvariants > 1) put_variant(o);
    put_launcher_head(o, ") {");
    put_body(o, false);
    if (has_maps(o)) {
        put_prepare_head(o, ") {");
        put_body(o, true);
    }
    if (o->k->numbers) put_numbers(o);
}
