// What the caller of a device function with bulk copies has: the barriers in memory that count their bytes,
// as a state that it passes on, and the tensor maps that it passes.
#include <inttypes.h>
#include <string.h>

#include "base/session.h"
#include "emit/emit_private.h"
#include "emit/write.h"

static const char *map_function(const struct emission *o, const struct kir_map *m) {
    return arena_printf(&o->s->arena, "%s_%s", o->k->c_name, m->c_name);
}

// "A, M and N": what a map is made of.
static const char *made_of(const struct emission *o, const struct kir_map *m) {
    const char *text = o->k->formal[m->tensor].buffer->name;
    for (int i = 0; i < o->k->ngiven; ++i)
        text = arena_printf(&o->s->arena, "%s, %s", text, o->k->param[i].name);
    return text;
}

void emit_state_duties(const struct emission *o) {
    const struct kir_kernel *k = o->k;
    struct arena *a = &o->s->arena;
    if (k->counter)
        emit_duty(o,
                  arena_printf(a,
                               "tcp_ring is a state that %s_init made in all these threads, with a "
                               "barrier behind it; one state does for all functions",
                               k->c_name));
    for (int i = 0; i < k->nmaps; ++i)
        emit_duty(o, arena_printf(a,
                                  "%s is a parameter of the kernel, 'const __grid_constant__ "
                                  "tcp_tensor_map', which %s made of %s before the launch",
                                  k->map[i]->c_name, map_function(o, k->map[i]),
                                  made_of(o, k->map[i])));
    if (k->counter || k->wait_written)
        emit_duty(o, arena_printf(a,
                                  "before the barrier that precedes this call, each thread that "
                                  "has used the %smemory calls %.*s",
                                  strstr(k->fence, "all") ? "" : "shared ",
                                  (int)strlen(k->fence) - 1, k->fence));
    if (k->wait_written)
        emit_duty(
            o, "the kernel reads what is stored here only past the L1 cache, by ld.global.cg: that "
               "keeps what was there before");
}

// Whether groups of cp.async end in "list", too.
static bool also_async(const struct kir_node *list) {
    for (const struct kir_node *n = list; n; n = n->next) {
        bool is =
            n->kind == KIR_ARRIVE && n->arrival.kind == ARRIVAL_GROUP && n->counts & COUNTS_PLAIN;
        if (is || also_async(n->body) || also_async(n->orelse)) return true;
    }
    return false;
}

void emit_state_end(const struct emission *o, const char *holds) {
    const struct kir_kernel *k = o->k;
    struct arena *a = &o->s->arena;
    bool both = also_async(k->body);
    const char *text =
        k->leaves_group
            ? arena_printf(a,
                           "  It %s. When it returns, one group is committed and in flight, which "
                           "counts as %s_GROUPS for tcp_ring.wait<N>(), which waits for all groups "
                           "of the state but the N newest.%s All threads call that, and a barrier "
                           "follows: then the shared arguments hold the data. Wait for all groups "
                           "before the block ends.",
                           holds, k->c_name,
                           both ? " One group of cp.async is in flight as well, for "
                                  "tcp_cp_async_wait<N>()."
                                : "")
            : arena_printf(
                  a,
                  "  It %s. When it returns, its copies are complete for thread 0, and "
                  "after a barrier for all. It also waits for older groups of the state%s.",
                  holds, both ? " and of cp.async" : "");
    comment_write(o->b, 0, text, 2);
}

void emit_state_init(const struct emission *o) {
    const struct kir_kernel *k = o->k;
    struct arena *a = &o->s->arena;
    if (!k->counter) return;
    buf_char(o->b, '\n');
    comment_write(
        o->b, 0,
        arena_printf(a,
                     "The state of the copies of %s. 'memory' is %s_STATE_BYTES of shared "
                     "memory, aligned to 16, which nothing else uses. All threads call it "
                     "once, each with its own number, and a barrier follows.",
                     k->c_name, k->c_name),
        0);
    struct call c =
        emit_call_of(o, 0, arena_printf(a, "TCP_DEVICE %s %s_init(", k->counter, k->c_name), ") {");
    call_arg(&c, "int tid");
    call_arg(&c, "void *memory");
    call_write(o->b, &c);
    buf_printf(o->b, "    return %s(memory, tid == 0);\n}\n", k->counter);
}

void emit_state_maps(const struct emission *o) {
    const struct kir_kernel *k = o->k;
    struct arena *a = &o->s->arena;
    for (int n = 0; n < k->nmaps; ++n) {
        const struct kir_map *m = k->map[n];
        const struct kir_buffer *t = k->formal[m->tensor].buffer;
        buf_char(o->b, '\n');
        comment_write(o->b, 0,
                      arena_printf(a,
                                   "Makes the map that %s takes as %s. It checks the rules of maps "
                                   "and nothing else that %s asks of its caller.",
                                   k->c_name, m->c_name, k->c_name),
                      0);
        struct call c =
            emit_call_of(o, 0, arena_printf(a, "inline tcp_status %s(", map_function(o, m)), ") {");
        call_arg(&c, "%s%s *%s", t->written ? "" : "const ", t->elem->c_name, t->c_name);
        for (int i = 0; i < k->ngiven; ++i) call_arg(&c, "int64_t %s", k->param[i].c_name);
        call_arg(&c, "tcp_tensor_map *map");
        call_write(o->b, &c);
        for (int i = 0; i < k->ngiven; ++i) buf_printf(o->b, "    (void)%s;\n", k->param[i].c_name);
        for (int i = k->ngiven; i < k->nparams; ++i)
            statement_write(o->b, 4,
                            arena_printf(a, "const int64_t %s = %s;", k->param[i].c_name,
                                         emit_host_ix(o->s, k, k->param[i].sum)));
        emit_map(o, 4, m);
        buf_printf(o->b, "    *map = %s;\n    return TCP_OK;\n}\n", m->c_name);
    }
}
