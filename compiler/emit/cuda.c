// Prints a .cu file from Kernel IR: for each kernel of the plan, a __global__ function and a
// launcher with a C ABI.
//
// Makes no decisions.  The text is deterministic.
#include <inttypes.h>
#include <string.h>

#include "base/buf.h"
#include "base/escape.h"
#include "base/session.h"
#include "emit/emit.h"
#include "emit/emit_private.h"
#include "emit/write.h"

// -- the kernel -----------------------------------------------------------------------------------

static void put_parameters(const struct kir_kernel *k, struct call *c) {
    for (int i = 0; i < k->ntensors; ++i) {
        const struct kir_tensor *t = &k->tensor[i];
        call_arg(c, "%s%s *__restrict__ %s", t->written ? "" : "const ", t->elem->c_name,
                 t->device ? t->own_c_name : t->c_name);
    }
    for (int i = 0; i < k->nparams; ++i) {
        const struct kir_param *p = &k->param[i];
        if (!p->in_body || p->apart) continue;  // only the grid uses it
        call_arg(c, "%s %s", p->narrow ? "int" : "int64_t", p->c_name);
    }
    if (k->devices) call_arg(c, "const tcp_mesh_call %s", k->mesh);
    for (int i = 0; i < k->nmaps; ++i)
        call_arg(c, "const __grid_constant__ tcp_tensor_map %s", k->map[i]->c_name);
}

// Whether elements of "x" are accessed that are not consecutive: then it is accessed by words.
static bool stands_apart(const struct kir_node *list, const struct kir_buffer *x) {
    for (const struct kir_node *n = list; n; n = n->next) {
        if ((n->step && n->apart == x) || stands_apart(n->body, x) || stands_apart(n->orelse, x))
            return true;
    }
    return false;
}

// The elements of a fragment, rounded up to whole words if it is accessed by words.
static int64_t elements_of(const struct emission *o, const struct kir_buffer *x) {
    int word = x->elem->bits < 32 && stands_apart(o->k->body, x) ? 32 / x->elem->bits : 1;
    return (x->count + word - 1) / word * word;
}

// The arrivals of a phase, unless that of the thread that issues copies is the only one.
static const char *others(const struct emission *o, const struct kir_memory *x) {
    return x->arrivals == 1 ? "" : arena_printf(&o->s->arena, ", %d", x->arrivals);
}

// Whether the device of a tensor depends on "v".
static bool across(const struct kir_kernel *k, const struct ix_var *v) {
    bool any = false;
    for (int i = 0; i < k->ntensors; ++i)
        any |= k->tensor[i].device && ix_depends_on(k->tensor[i].device, v);
    return any;
}

// Prints what comes before the statements of a kernel between devices: nobody writes before all are
// ready.
static void put_devices_ready(const struct emission *o) {
    const struct kir_kernel *k = o->k;
    struct arena *a = &o->s->arena;
    for (int i = 0; i < k->nparams; ++i)
        if (k->param[i].apart && k->param[i].in_body)
            emit_constant(o, 4, arena_printf(a, "const int64_t %s = 0;", k->param[i].c_name),
                          "each part has its own address");
    if (k->across) buf_printf(o->b, "    if (!tcp_mesh_begin(%s)) return;\n", k->mesh);
    for (int i = 0, n = 0; i < k->ntensors; ++i) {
        const struct kir_tensor *t = &k->tensor[i];
        if (!t->device) continue;
        const char *type = t->elem->c_name;
        statement_write(o->b, 4,
                        arena_printf(a, "%s%s *const %s = tcp_mesh_at(%s, %d, %s, %s);",
                                     t->written ? "" : "const ", type, t->c_name, k->mesh, n++,
                                     emit_ix(o->s, k, t->device), t->own_c_name));
    }
}

// The type of what counts groups by so many barriers in memory.
static const char *counter(const struct emission *o, int barriers) {
    if (barriers == ARRIVAL_BARRIERS) return o->k->counter;
    return arena_printf(&o->s->arena, "%s_of<%d>", o->k->counter, barriers);
}

void emit_body(const struct emission *o) {
    const struct kir_kernel *k = o->k;
    struct buf *b = o->b;
    struct arena *a = &o->s->arena;
    size_t start = b->len;
    for (int i = 0; i < k->ntensors; ++i)
        if (emit_is_mapped(k, i)) buf_printf(b, "    (void)%s;\n", k->tensor[i].c_name);
    if (k->smem_bytes > 0 && !k->device) buf_puts(b, "    TCP_SHARED_BUFFER(smem);\n");
    for (int i = 0; i < k->nmemory; ++i)
        emit_constant(
            o, 4,
            arena_printf(a, "%s tcp_ring%d(smem + %" PRId64 ", threadIdx.x == %" PRId64 "%s);",
                         counter(o, k->memory[i].barriers), k->memory[i].ring, k->memory[i].at,
                         k->memory[i].leader, others(o, &k->memory[i])),
            NULL);
    if (k->counter && k->counter_at >= 0 && !k->device)
        emit_constant(o, 4,
                      arena_printf(a, "%s tcp_ring(smem + %" PRId64 ", threadIdx.x == 0);",
                                   counter(o, k->barriers), k->counter_at),
                      NULL);
    if (k->nmemory || k->all_wait) buf_puts(b, "    tcp_sync();\n");
    for (int i = 0; i < k->nbuffers; ++i) {
        const struct kir_buffer *x = k->buffer[i];
        if (space_is_shared(x->space)) {
            const char *type = x->elem->c_name, *from = "smem";
            if (x->smem_offset) from = arena_printf(a, "(smem + %" PRId64 ")", x->smem_offset);
            emit_constant(o, 4,
                          arena_printf(a, "%s *const %s = (%s *)%s;", type, x->c_name, type, from),
                          x->layout_told);
        } else if (x->space == MEM_FRAG) {
            emit_constant(o, 4,
                          arena_printf(a, "alignas(16) %s %s[%" PRId64 "];", x->elem->c_name,
                                       x->c_name, elements_of(o, x)),
                          x->layout_told);
        }
    }
    if (!k->device && kir_uses(k->body, k->tid))
        buf_puts(b, "    const int tid = (int)threadIdx.x;\n");
    for (int i = 0; i < 3; ++i) {
        if (!k->block[i] || !(kir_uses(k->body, k->block[i]) || across(k, k->block[i]))) continue;
        if (k->devices && i == 2)
            buf_printf(b, "    const int %s = (int)%s.rank;\n", k->block[i]->c_name, k->mesh);
        else
            buf_printf(b, "    const int %s = (int)blockIdx.%c;\n", k->block[i]->c_name, "xyz"[i]);
    }
    if (k->devices) put_devices_ready(o);
    emit_inside(o, k->body, 4);
    if (k->across) buf_printf(b, "    tcp_mesh_end(%s);\n", k->mesh);
    size_t line = start - 1;
    while (line > 0 && b->text[line - 1] != '\n') --line;
    if (b->len == start && start - line <= EMIT_COLUMNS) --b->len;  // {} on one line
    buf_puts(b, "}\n");
}

static void put_kernel(const struct emission *o) {
    const struct kir_kernel *k = o->k;
    const struct kir_variant *v = k->variant;
    struct buf *b = o->b;
    struct session *s = o->s;
    buf_printf(b, "\n// kernel %s, %s:%d\n", k->name, name_in_comment(s, k->path), k->line);
    comment_write(b, 0,
                  arena_printf(&s->arena,
                               "  grid (%s,%s,%s), %" PRId64 " threads, %" PRId64
                               " bytes of shared memory",
                               lay_int_text(&s->lay, k->grid[0]), lay_int_text(&s->lay, k->grid[1]),
                               lay_int_text(&s->lay, k->grid[2]), k->threads, k->smem_bytes),
                  8);
    if (v->bits) {
        comment_write(b, 0,
                      arena_printf(&s->arena, "  variant %d bits: %s", v->bits,
                                   v->when_text ? v->when_text : "whatever holds"),
                      8);
    }
    buf_printf(b, "%s __global__ void __launch_bounds__(%" PRId64 "%s)\n",
               s->options.device ? "extern \"C\"" : "static", k->threads,
               k->blocks ? arena_printf(&s->arena, ", %d", k->blocks) : "");
    struct call c = emit_call_of(o, 0, arena_printf(&s->arena, "%s(", v->function), ") {");
    put_parameters(k, &c);
    call_write(b, &c);
    emit_body(o);
}

static void put_head(struct session *s, const struct kir *ir, struct buf *b) {
    const char *request = s->options.request;
    if (request) {
        comment_write(b, 0,
                      arena_printf(&s->arena, "Made for %s by: tcpc relayout %s", ir->arch,
                                   shown(&s->arena, request)),
                      4);
        buf_puts(
            b, "// The same with --emit=plan-text writes the plan, whose lines are named here.\n");
        return;
    }
    buf_printf(b, "// Made by tcpc from %s for %s: change the plan, not this file.\n",
               name_in_comment(s, ir->path), ir->arch);
}

const char emit_host_begins[] = "#ifndef __CUDACC_RTC__\n";

static const char version[] = "#if TCP_RUNTIME_VERSION != 2\n"
                              "#error \"this file needs version 2 of the tcpc runtime\"\n#endif\n";

static void put_includes(const struct kir *ir, struct buf *b) {
    int widest = 0;
    for (int i = 0; i < ir->nincludes; ++i)
        if ((int)strlen(ir->include[i]) > widest) widest = (int)strlen(ir->include[i]);
    for (int i = 0; i < ir->nincludes; ++i)
        buf_printf(b, "%s#include \"%s\"%*s  // extern\n", i == 0 ? "\n" : "", ir->include[i],
                   widest - (int)strlen(ir->include[i]), "");
    for (int i = 0; i < ir->nprototypes; ++i) comment_write(b, 0, ir->prototype[i], 4);
}

static void put_devices(struct session *s, const struct kir *ir, struct buf *b,
                        struct lines *lines) {
    for (const struct kir_kernel *k = ir->kernels; k; k = k->next) {
        struct emission o = {s, b, k, lines};
        if (k->device) emit_device(&o);
    }
}

// A .cu file being printed.
struct printing {
    struct session *s;
    struct buf *b;
    struct lines *lines;
    struct buf launchers;
};

struct printing *emit_cuda_begin(struct session *s, const struct kir *ir, struct buf *b) {
    struct printing *p = ARENA_NEW(&s->arena, struct printing);
    *p = (struct printing){.s = s, .b = b, .lines = lines_new(s, b, ir->path, ".cu")};
    buf_init(&p->launchers);
    put_head(s, ir, b);
    buf_puts(b, "#include \"tcp_device.cuh\"\n");
    if (ir->header) buf_printf(b, "#include \"%s\"\n", ir->header);
    if (ir->meshes) buf_puts(b, "#include \"tcp_mesh.cuh\"\n");
    if (!s->options.device)
        buf_printf(b, "%s#include \"%s\"\n#endif\n", emit_host_begins,
                   ir->maps     ? "tcp_tma_launch.h"
                   : ir->meshes ? "tcp_mesh_launch.h"
                                : "tcp_launch.h");
    if (ir->maps && ir->meshes && !s->options.device)
        buf_printf(b, "%s#include \"tcp_mesh_launch.h\"\n#endif\n", emit_host_begins);
    buf_printf(b, "\n%s", version);
    put_includes(ir, b);
    return p;
}

void emit_cuda_next(struct printing *p, const struct kir_kernel *first) {
    struct emission o = {p->s, p->b, first, p->lines};
    if (first->device) {
        emit_device(&o);
        return;
    }
    for (const struct kir_kernel *k = first; k; k = k->next_case)
        for (o.k = k; o.k; o.k = o.k->narrower) put_kernel(&o);
    o.k = first;
    o.b = &p->launchers;
    if (!p->s->options.device) emit_launcher(&o);
}

void emit_cuda_end(struct printing *p) {
    if (p->launchers.len) buf_printf(p->b, "\n%s%s\n#endif\n", emit_host_begins, p->launchers.text);
    buf_release(&p->launchers);
}

void emit_cuda(struct session *s, const struct kir *ir, struct buf *b) {
    struct printing *p = emit_cuda_begin(s, ir, b);
    for (int device = 1; device >= 0; --device)
        for (const struct kir_kernel *k = ir->kernels; k; k = k->next)
            if (k->device == device && (device || k->first_case)) emit_cuda_next(p, k);
    emit_cuda_end(p);
}

void emit_header(struct session *s, const struct kir *ir, struct buf *b) {
    struct lines *lines = lines_new(s, b, ir->path, ".cuh");
    put_head(s, ir, b);
    bool devices = false, kernels = false;
    for (const struct kir_kernel *k = ir->kernels; k; k = k->next) {
        devices |= k->device;
        kernels |= !k->device;
    }
    buf_puts(b, "#pragma once\n\n");
    if (devices) buf_puts(b, "#include \"tcp_device.cuh\"\n");
    bool maps = false, counts = false;
    for (const struct kir_kernel *k = ir->kernels; k; k = k->next) {
        counts |= k->device && (k->counter || k->wait_written);
        maps |= k->device && k->nmaps;
    }
    if (counts) buf_printf(b, "#include \"%s\"\n", ir->header);
    if (maps) buf_printf(b, "%s#include \"tcp_tma_launch.h\"\n#endif\n", emit_host_begins);
    bool both = devices && kernels;
    if (both) buf_puts(b, emit_host_begins);
    if (kernels) buf_printf(b, "#include \"%s\"\n", ir->meshes ? "tcp_mesh.h" : "tcp_runtime.h");
    if (both) buf_puts(b, "#endif\n");
    buf_printf(b, "\n%s", version);
    if (devices) put_includes(ir, b);
    put_devices(s, ir, b, lines);
    if (maps) buf_printf(b, "\n%s", emit_host_begins);
    for (const struct kir_kernel *k = ir->kernels; k; k = k->next) {
        struct emission o = {s, b, k, lines};
        if (k->device) emit_state_maps(&o);
    }
    if (maps) buf_puts(b, "\n#endif\n");
    if (both) buf_printf(b, "\n%s", emit_host_begins);
    for (const struct kir_kernel *k = ir->kernels; k; k = k->next) {
        struct emission o = {s, b, k, lines};
        if (!k->device && k->first_case) emit_launcher_declaration(&o);
    }
    if (both) buf_puts(b, "\n#endif\n");
}
