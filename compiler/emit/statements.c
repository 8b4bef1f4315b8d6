// Prints the statements of a function as CUDA C.  One call of the runtime is one instruction.
#include <inttypes.h>
#include <string.h>

#include "base/buf.h"
#include "base/session.h"
#include "emit/emit_private.h"
#include "emit/write.h"

struct call emit_call_of(const struct emission *o, int indent, const char *head, const char *tail) {
    return (struct call){.s = o->s, .indent = indent, .head = head, .tail = tail};
}

static const char *int_type(int bits) {
    return bits == 32 ? "int" : "int64_t";
}

// The begin of a loop.  Its variable may be an int that holds all values up to the end, although
// the begin may be larger; the loop then has no iterations.
static const char *begin_of(const struct emission *o, const struct kir_node *n) {
    const char *begin = emit_ix(o->s, o->k, n->begin);
    if (!n->may_be_over) return begin;
    const char *end = emit_ix(o->s, o->k, n->end);
    return arena_printf(&o->s->arena, "%s < %s ? %s : %s", begin, end, begin, end);
}

static const char *element(const struct emission *o, const struct kir_buffer *x,
                           const struct ix *at) {
    int64_t zero;
    if (ix_static(at, &zero) && zero == 0 && x->space != MEM_STAGE) return x->c_name;
    return arena_printf(&o->s->arena, "%s%s[%s]", x->space == MEM_STAGE ? "" : "&", x->c_name,
                        emit_ix_within(o->s, o->k, at, o->carry, o->ncarries));
}

static const char *hinted(const struct emission *o, const char *name, const char *hints) {
    return hints ? arena_printf(&o->s->arena, "%s<%s>", name, hints) : name;
}

static const char *load_name(const struct emission *o, const struct kir_node *n,
                             const struct kir_buffer *x) {
    static const char *const space[] = {"global", "shared", "frag"};
    bool nc = x->space == MEM_GLOBAL && x->constant;
    const char *name =
        arena_printf(&o->s->arena, "tcp_ld_%s%s_%d", space[x->space], nc ? "_nc" : "", n->bits);
    return hinted(o, name, n->ld);
}

static const char *store_name(const struct emission *o, const struct kir_node *n,
                              const struct kir_buffer *x) {
    static const char *const space[] = {"global", "shared", "frag"};
    return hinted(o, arena_printf(&o->s->arena, "tcp_st_%s_%d", space[x->space], n->bits), n->st);
}

// Text such as "tcp_gather_128<8, 16, 32, 64, 128>": 128 bits of 8-bit elements with these
// distances.
static const char *apart_name(const struct emission *o, const struct kir_node *n, int bits,
                              const char *what) {
    const char *text = arena_printf(&o->s->arena, "tcp_%s_%d<%d", what, bits, n->apart->elem->bits);
    for (int i = 0; 1 << i < bits / n->apart->elem->bits; ++i)
        text = arena_printf(&o->s->arena, "%s, %" PRId64, text, n->step[i]);
    return arena_printf(&o->s->arena, "%s>", text);
}

static const char *index_of(const struct emission *o, const struct ix *at) {
    return emit_ix_within(o->s, o->k, at, o->carry, o->ncarries);
}

// The value that access "n" reads from "x" at "at".
static const char *loaded(const struct emission *o, const struct kir_node *n,
                          const struct kir_buffer *x, const struct ix *at) {
    if (n->apart == x)
        return arena_printf(&o->s->arena, "%s(%s, %s)", apart_name(o, n, n->bits, "gather"),
                            x->c_name, index_of(o, at));
    if (x->space == MEM_STAGE) return element(o, x, at);
    return arena_printf(&o->s->arena, "%s(%s)", load_name(o, n, x), element(o, x, at));
}

// The call, without its value, that stores what access "n" writes to "x" at "at".
static struct call storing(const struct emission *o, const struct kir_node *n, int indent,
                           const struct kir_buffer *x, const struct ix *at) {
    bool apart = n->apart == x;
    const char *name = apart ? apart_name(o, n, n->bits, "scatter") : store_name(o, n, x);
    struct call c = emit_call_of(o, indent, arena_printf(&o->s->arena, "%s(", name), ");");
    call_arg(&c, "%s", apart ? x->c_name : element(o, x, at));
    if (apart) call_arg(&c, "%s", index_of(o, at));
    return c;
}

// Converts "value", an access with elements as in "from", to elements as in "to".
static const char *converted(const struct emission *o, const struct kir_buffer *from,
                             const struct kir_buffer *to, const char *value) {
    if (!kir_converts(from, to)) return value;
    return arena_printf(&o->s->arena, "tcp_convert<%s, %s>(%s)", to->elem->c_name,
                        from->elem->c_name, value);
}

static void put_comment(const struct emission *o, const struct kir_node *n, int indent) {
    if (!n->path) {
        for (int i = 0; i < n->nlines; ++i) comment_write(o->b, indent, n->line[i], 4);
        return;
    }
    const char *place =
        arena_printf(&o->s->arena, "%s:%d", name_in_comment(o->s, n->path), n->plan_line);
    int room = EMIT_COLUMNS - indent - 3, width = (int)strlen(n->line[0]), pad = 60 - width;
    if (pad < 2) pad = 2;
    if (width + pad + (int)strlen(place) <= room) {
        comment_write(o->b, indent,
                      arena_printf(&o->s->arena, "%s%*s%s", n->line[0], pad, "", place), 0);
    } else {
        comment_write(o->b, indent, n->line[0], 4);
        comment_write(o->b, indent, arena_printf(&o->s->arena, "  %s", place), 0);
    }
    for (int i = 1; i < n->nlines; ++i) comment_write(o->b, indent, n->line[i], 10);
}

static bool declares(const struct kir_node *list) {
    for (const struct kir_node *n = list; n; n = n->next) {
        if (n->kind == KIR_LET || n->kind == KIR_TURN || n->kind == KIR_STAGE_DECL ||
            (n->name && !n->told) || n->nrings + n->ncarries > 0)
            return true;
    }
    return false;
}

// The only statement in "list" besides constants, if it is a block; or NULL.
static const struct kir_node *only_block(const struct kir_node *list) {
    const struct kir_node *only = NULL;
    for (const struct kir_node *n = list; n; n = n->next) {
        bool is_constant = n->kind == KIR_LET || n->kind == KIR_NAME || n->kind == KIR_COMMENT;
        if (is_constant || (n->kind == KIR_BLOCK && !n->body)) continue;
        if (only || n->kind != KIR_BLOCK) return NULL;
        only = n;
    }
    return only;
}

void emit_constant(const struct emission *o, int indent, const char *text, const char *comment) {
    if (comment) {
        const char *both = arena_printf(&o->s->arena, "%s  // %s", text, comment);
        if (indent + (int)strlen(both) > EMIT_COLUMNS) {
            comment_write(o->b, indent, comment, 4);
        } else {
            buf_fill(o->b, ' ', indent);
            buf_printf(o->b, "%s\n", both);
            return;
        }
    }
    statement_write(o->b, indent, text);
}

static const char *condition(const struct emission *o, const struct kir_cond *c) {
    return arena_printf(&o->s->arena, "%s %s %s", emit_ix(o->s, o->k, c->a), c->least ? ">=" : "<",
                        emit_ix(o->s, o->k, c->b));
}

static const char *all_of(const struct emission *o, const struct kir_node *n) {
    const char *all = "";
    for (int i = 0; i < n->nconds; ++i)
        all = arena_printf(&o->s->arena, "%s%s%s", all, i ? " && " : "", condition(o, &n->cond[i]));
    return all;
}

static void put_for(const struct emission *o, const struct kir_node *n, int indent) {
    const char *v = n->var->c_name;
    statement_write(o->b, indent,
                    arena_printf(&o->s->arena, "for (%s %s = %s; %s < %s; ++%s) {",
                                 int_type(n->var_bits), v, begin_of(o, n), v,
                                 emit_ix(o->s, o->k, n->end), v));
}

// As many copies of the value as fit in "bits".
static const char *filling(const struct emission *o, const struct kir_node *n) {
    if (n->value == 0) return arena_printf(&o->s->arena, "tcp_zero_%d()", n->bits);
    uint64_t x = n->value;
    for (int have = n->elem_bits; have < 64; have *= 2) x |= x << have;
    if (n->bits == 128) {
        uint32_t low = (uint32_t)x, high = (uint32_t)(x >> 32);
        if (n->elem_bits == 128)
            return arena_printf(&o->s->arena, "tcp_b128{0x%" PRIx32 ", 0x%" PRIx32 ", 0, 0}", low,
                                high);
        return arena_printf(&o->s->arena,
                            "tcp_b128{0x%" PRIx32 ", 0x%" PRIx32 ", 0x%" PRIx32 ", 0x%" PRIx32 "}",
                            low, high, low, high);
    }
    if (n->bits < 64) x &= ((uint64_t)1 << n->bits) - 1;
    return arena_printf(&o->s->arena, "0x%" PRIx64 "%s", x, n->bits == 64 ? "ull" : "");
}

// The number of bytes that a cp.async at an edge reads.
static const char *source_size(const struct emission *o, const struct kir_node *n) {
    struct arena *m = &o->s->arena;
    const char *holds = "", *size = arena_printf(m, "%d", n->bits / 8);
    for (int i = 0; i < n->nconds; ++i)
        holds = arena_printf(m, "%s%s%s", holds, i ? " && " : "", condition(o, &n->cond[i]));
    if (n->cut) {
        int64_t first;
        const char *left = emit_ix(o->s, o->k, n->cut->b), *a = emit_ix(o->s, o->k, n->cut->a);
        bool sum = strstr(a, " + ") || strstr(a, " - ");
        // neither is negative where the conditions hold, so the difference fits the wider of
        // their types
        if (!ix_static(n->cut->a, &first) || first)
            left = arena_printf(m, sum ? "%s - (%s)" : "%s - %s", left, a);
        size = arena_printf(m, "tcp_clamp(%s, 0, %d)", left, n->bits / n->buf->elem->bits);
        if (n->buf->elem->bits > 8) size = arena_printf(m, "%d * %s", n->buf->elem->bits / 8, size);
    }
    return n->nconds ? arena_printf(m, "%s ? %s : 0", holds, size) : size;
}

static void put_name(const struct emission *o, const struct kir_node *n, int indent) {
    emit_constant(o, indent,
                  arena_printf(&o->s->arena, "const bool %s = %s;", n->name, all_of(o, n)),
                  n->nlines ? n->line[0] : NULL);
}

static void put_list(const struct emission *o, const struct kir_node *list, int indent);

static void put_if(const struct emission *o, const struct kir_node *n, int indent) {
    struct session *s = o->s;
    if (n->name && !n->told) put_name(o, n, indent);
    statement_write(o->b, indent,
                    arena_printf(&s->arena, "if (%s) {", n->name ? n->name : all_of(o, n)));
    emit_inside(o, n->body, indent + 4);
    if (!n->orelse) return;
    buf_fill(o->b, ' ', indent);
    buf_puts(o->b, "} else {\n");
    emit_inside(o, n->orelse, indent + 4);
}

// Prints a loop without its closing brace.
static void put_loop(const struct emission *o, const struct kir_node *n, int indent) {
    struct buf *b = o->b;
    for (int i = 0; i < n->nrings; ++i) {
        const struct kir_ring *r = &n->ring[i];
        buf_fill(b, ' ', indent);
        buf_printf(b, "int %s = ", r->var->c_name);
        if (!r->from)
            buf_printf(b, "%" PRId64 ";\n", r->first);
        else if (r->first == 0)
            buf_printf(b, "%s;\n", r->from->c_name);
        else
            buf_printf(b, "(%s + %" PRId64 ") %% %" PRId64 ";\n", r->from->c_name, r->first,
                       r->size);
    }
    for (int i = 0; i < n->ncarries; ++i) {
        const struct kir_carry *c = &n->carry[i];
        statement_write(b, indent,
                        arena_printf(&o->s->arena, "%s %s = %s;", int_type(c->bits), c->var->c_name,
                                     emit_ix(o->s, o->k, c->first)));
        if (emit_names_stride(c))
            statement_write(b, indent,
                            arena_printf(&o->s->arena, "const int64_t %s = %s;", c->stride->c_name,
                                         emit_ix(o->s, o->k, c->stride_is)));
    }
    if (n->unroll) buf_puts(b, "#pragma unroll\n");
    put_for(o, n, indent);
    struct emission inner = *o;
    if (n->ncarries) {
        inner.carry = n->carry;
        inner.ncarries = n->ncarries;
    }
    emit_inside(&inner, n->body, indent + 4);
    for (int i = 0; i < n->ncarries; ++i) {
        const struct kir_carry *c = &n->carry[i];
        statement_write(b, indent + 4,
                        arena_printf(&o->s->arena, "%s += %s;", c->var->c_name,
                                     emit_ix(o->s, o->k, c->step)));
    }
    for (int i = 0; i < n->nrings; ++i) {
        const char *r = n->ring[i].var->c_name;
        buf_fill(b, ' ', indent + 4);
        buf_printf(b, "%s = %s < %" PRId64 " ? %s + 1 : 0;\n", r, r, n->ring[i].size - 1, r);
    }
}

static void put_turn(const struct emission *o, const struct kir_node *n, int indent) {
    const char *v = n->var->c_name;
    struct arena *a = &o->s->arena;
    statement_write(o->b, indent,
                    n->index ? arena_printf(a,
                                            n->index->bits == 64
                                                ? "%s = (%s + (int)(%s)) %% %" PRId64 ";"
                                                : "%s = (%s + %s) %% %" PRId64 ";",
                                            v, v, emit_ix(o->s, o->k, n->index), n->count)
                             : arena_printf(a, "int %s = 0;", v));
}

static void put_node(const struct emission *o, const struct kir_node *n, int indent) {
    struct buf *b = o->b;
    switch (n->kind) {
    case KIR_COMMENT: put_comment(o, n, indent); return;
    case KIR_NAME: put_name(o, n, indent); return;
    case KIR_LET:
        if (ix_static(n->index, NULL) && n->sampled) return;  // its name is the number
        emit_constant(o, indent,
                      arena_printf(&o->s->arena, "const %s %s = %s;", int_type(n->var_bits),
                                   n->var->c_name, emit_ix(o->s, o->k, n->index)),
                      n->nlines ? n->line[0] : NULL);
        return;
    case KIR_TURN: put_turn(o, n, indent); return;
    case KIR_FOR: put_loop(o, n, indent); break;
    case KIR_GUARD:
        buf_fill(b, ' ', indent);
        buf_printf(b, "if (%s < %" PRId64 ") {\n", n->index ? emit_ix(o->s, o->k, n->index) : "tid",
                   n->count);
        emit_inside(o, n->body, indent + 4);
        break;
    case KIR_IF: put_if(o, n, indent); break;
    case KIR_BLOCK:
        if (!declares(n->body)) {  // braces only if names need a scope
            put_list(o, n->body, indent);
            return;
        }
        buf_fill(b, ' ', indent);
        buf_puts(b, "{\n");
        emit_inside(o, n->body, indent + 4);
        break;
    case KIR_STAGE_DECL:
        buf_fill(b, ' ', indent);
        buf_printf(b, "tcp_b%d %s[%" PRId64 "];\n", n->stage->access_bits, n->stage->c_name,
                   n->stage->count);
        return;
    case KIR_LOAD: {
        const char *slot = element(o, n->stage, n->stage_at);
        if (kir_converts(n->buf, n->stage)) {
            const char *value = converted(o, n->buf, n->stage, loaded(o, n, n->buf, n->at));
            statement_write(b, indent, arena_printf(&o->s->arena, "%s = %s;", slot, value));
            return;
        }
        bool apart = n->apart == n->buf;
        const char *name = apart ? apart_name(o, n, n->bits, "gather") : load_name(o, n, n->buf);
        struct call c =
            emit_call_of(o, indent, arena_printf(&o->s->arena, "%s = %s(", slot, name), ");");
        call_arg(&c, "%s", apart ? n->buf->c_name : element(o, n->buf, n->at));
        if (apart) call_arg(&c, "%s", index_of(o, n->at));
        call_write(b, &c);
        return;
    }
    case KIR_STORE: {
        struct call c = storing(o, n, indent, n->buf, n->at);
        call_arg(&c, "%s", converted(o, n->stage, n->buf, loaded(o, n, n->stage, n->stage_at)));
        call_write(b, &c);
        return;
    }
    case KIR_MOVE: {
        struct call c = storing(o, n, indent, n->to_buf, n->to_at);
        if (n->together) c.head = arena_printf(&o->s->arena, "%s(", n->function);
        call_arg(&c, "%s", n->together ? element(o, n->buf, n->at) : loaded(o, n, n->buf, n->at));
        call_write(b, &c);
        return;
    }
    case KIR_FILL: {
        if (n->stage) {
            const char *slot = element(o, n->stage, n->stage_at), *value = filling(o, n);
            statement_write(b, indent, arena_printf(&o->s->arena, "%s = %s;", slot, value));
            return;
        }
        struct call c = storing(o, n, indent, n->to_buf, n->to_at);
        call_arg(&c, "%s", filling(o, n));
        call_write(b, &c);
        return;
    }
    case KIR_ASYNC: {
        if (n->fence) statement_write(b, indent, o->k->fence);
        struct call c =
            emit_call_of(o, indent, arena_printf(&o->s->arena, "%s(", n->function), ");");
        call_arg(&c, "%s", element(o, n->to_buf, n->to_at));
        call_arg(&c, "%s", element(o, n->buf, n->at));
        if (n->nconds || n->cut) call_arg(&c, "%s", source_size(o, n));
        call_write(b, &c);
        return;
    }
    case KIR_BOXES: emit_boxes(o, n, indent); return;
    case KIR_ANNOUNCE:
    case KIR_FENCE: emit_before_copies(o, n, indent); return;
    case KIR_ARRIVE:
    case KIR_WAIT: emit_arrival(o, n, indent); return;
    case KIR_CALL: {
        struct call c = emit_call_of(o, indent, arena_printf(&o->s->arena, "%s(", n->callee), ");");
        call_arg(&c, "%s", n->index ? emit_ix(o->s, o->k, n->index) : "tid");
        for (int i = 0; i < n->nargs; ++i) {
            const struct kir_arg *a = &n->arg[i];
            const char *arg = a->buf ? element(o, a->buf, a->at) : emit_ix(o->s, o->k, a->at);
            if (a->apart)
                call_arg(&c, "tcp_out(%s, %lld)", arg, (long long)a->apart);
            else
                call_arg(&c, "%s", arg);
        }
        call_write(b, &c);
        return;
    }
    }
    buf_fill(b, ' ', indent);
    buf_puts(b, "}\n");
}

static void put_with_line(const struct emission *o, const struct kir_node *n, int indent) {
    if (n->kind == KIR_COMMENT && n->path && o->lines)
        lines_from(o->s, o->lines, n->copy_path, n->copy_line);
    if (!o->lines || (n->kind != KIR_LOAD && n->kind != KIR_STORE && n->kind != KIR_MOVE &&
                      n->kind != KIR_ASYNC && n->kind != KIR_FILL)) {
        put_node(o, n, indent);
        return;
    }
    struct buf access;
    buf_init(&access);
    struct emission aside = *o;
    aside.b = &access;
    put_node(&aside, n, indent);
    lines_write(o->lines, access.text);
    buf_release(&access);
}

static void put_list(const struct emission *o, const struct kir_node *list, int indent) {
    for (const struct kir_node *n = list; n; n = n->next) put_with_line(o, n, indent);
}

void emit_inside(const struct emission *o, const struct kir_node *list, int indent) {
    const struct kir_node *only = only_block(list);
    for (const struct kir_node *n = list; n; n = n->next) {
        if (n == only)
            emit_inside(o, n->body, indent);
        else
            put_with_line(o, n, indent);
    }
}
