// Prints copies of boxes, and the tensor maps of launchers.
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "base/session.h"
#include "emit/emit_private.h"
#include "emit/write.h"

// "e", plus "by" times "var".
static const char *more(const struct emission *o, const char *e, int64_t by, const char *var) {
    const char *times = by == 1 ? var : arena_printf(&o->s->arena, "%" PRId64 " * %s", by, var);
    return strcmp(e, "0") == 0 ? times : arena_printf(&o->s->arena, "%s + %s", e, times);
}

static const char *in_capitals(struct arena *a, const char *name) {
    char *up = ARENA_ARRAY(a, char, strlen(name) + 1);
    for (size_t i = 0; name[i]; ++i) up[i] = (char)toupper((unsigned char)name[i]);
    return up;
}

void emit_boxes(const struct emission *o, const struct kir_node *n, int indent) {
    static const char *const var[BOX_LOOPS] = {"b0", "b1", "b2", "b3", "b4", "b5", "b6", "b7"};
    struct arena *a = &o->s->arena;
    const struct kir_boxes *x = n->boxes;
    const struct kir_buffer *shared = n->buf ? n->buf : n->to_buf;
    const char *at[BOX_RANK], *to = emit_ix(o->s, o->k, n->buf ? n->at : n->to_at);
    for (int i = 0; i < x->map->rank; ++i) at[i] = emit_ix(o->s, o->k, x->at[i]);
    if (n->fence) statement_write(o->b, indent, o->k->fence);
    for (int i = x->nloops - 1; i >= 0; --i) {
        const struct box_loop *l = &x->loop[i];
        statement_write(o->b, indent,
                        arena_printf(a, "for (int %s = 0; %s < %" PRId64 "; ++%s)", var[i], var[i],
                                     l->extent, var[i]));
        indent += 4;
        at[l->dim] = more(o, at[l->dim], l->step, var[i]);
        to = more(o, to, l->dst, var[i]);
    }
    int64_t bytes = shared->elem->bits / 8;
    for (int i = 0; i < x->map->rank; ++i) bytes *= x->map->box[i];
    struct call c = emit_call_of(o, indent,
                                 arena_printf(a, "%s<%" PRId64 "%s%s>(", n->function, bytes,
                                              n->ld ? ", " : "", n->ld ? n->ld : ""),
                                 ");");
    call_arg(&c, strcmp(to, "0") == 0 ? "%s" : "&%s[%s]", shared->c_name, to);
    call_arg(&c, "%s", x->map->c_name);
    for (int i = 0; i < x->map->rank; ++i) {
        bool wide = x->at[i]->bits == 64;
        call_arg(&c, wide ? "tcp_coordinate(%s)" : "%s", at[i]);
    }
    call_write(o->b, &c);
}

// Whether "list" has an access to tensor "id" that is none by a map.
static bool accesses(const struct kir_node *list, int id) {
    for (const struct kir_node *n = list; n; n = n->next) {
        bool found = (n->buf && n->buf->tensor == id) || (n->to_buf && n->to_buf->tensor == id);
        for (int i = 0; i < n->nargs; ++i) found |= n->arg[i].buf && n->arg[i].buf->tensor == id;
        if (found || (!n->boxes && accesses(n->body, id)) || accesses(n->orelse, id)) return true;
    }
    return false;
}

bool emit_is_mapped(const struct kir_kernel *k, int i) {
    bool mapped = false;
    for (int n = 0; n < k->nmaps; ++n) mapped |= k->map[n]->tensor == i;
    return mapped && !accesses(k->body, k->device ? k->formal[i].buffer->tensor : k->tensor[i].id);
}

void emit_map(const struct emission *o, int indent, const struct kir_map *m) {
    const struct kir_kernel *k = o->k;
    const struct kir_tensor *of = k->device ? NULL : &k->launch->tensor[m->tensor];
    const struct kir_buffer *t = k->device ? k->formal[m->tensor].buffer : NULL;
    const char *name = of ? of->name : t->name, *c_name = of ? of->c_name : t->c_name;
    bool written = of ? of->written : t->written;
    struct arena *a = &o->s->arena;
    static const char *const swizzle[] = {"NONE", "32", "64", "", "128"};
    const char *extent = "", *stride = "", *box = "";
    int bytes = (of ? of->elem : t->elem)->bits / 8;
    for (int i = 0; i < m->rank; ++i) {
        const char *comma = i ? ", " : "";
        extent = arena_printf(a, "%s%s%s", extent, comma, emit_host_ix(o->s, k, m->extent[i]));
        stride = arena_printf(a, "%s%s%s", stride, comma,
                              emit_host_ix(o->s, k, ix_scale(o->s, m->stride[i], lay_int(bytes))));
        box = arena_printf(a, "%s%s%" PRId64, box, comma, m->box[i]);
    }
    struct call c =
        emit_call_of(o, indent, arena_printf(a, "const tcp_tma_box %s_box = {", m->c_name), "};");
    int64_t at;
    if (!ix_static(m->offset, &at))
        call_arg(&c, "%s + (%s)", c_name, emit_host_ix(o->s, k, m->offset));
    else if (at)
        call_arg(&c, "%s %c %" PRId64, c_name, at < 0 ? '-' : '+', at < 0 ? -at : at);
    else
        call_arg(&c, "%s", c_name);
    call_arg(&c, "%d", m->rank);
    call_arg(&c, "%d", bytes);
    call_arg(&c, "{%s}", extent);
    call_arg(&c, "{%s}", stride);
    call_arg(&c, "{%s}", box);
    call_arg(&c, "TCP_TMA_SWIZZLE_%s", swizzle[m->swizzle / 32]);
    if (m->l2 || written) call_arg(&c, "%d", m->l2 ? m->l2 : 128);
    if (written) call_arg(&c, "true");
    if (m->elem) call_arg(&c, "TCP_TMA_%s", in_capitals(a, m->elem->name));
    call_write(o->b, &c);
    statement_write(o->b, indent, arena_printf(a, "tcp_tensor_map %s;", m->c_name));
    c = emit_call_of(o, indent, "TCP_CHECK(tcp_make_map(", "));");
    call_arg(&c, "\"%s\"", k->device ? k->name : k->launch->name);
    call_arg(&c, "\"%s\"", name);
    call_arg(&c, "&%s_box", m->c_name);
    call_arg(&c, "&%s", m->c_name);
    call_write(o->b, &c);
}
