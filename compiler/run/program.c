// Writes the tables for the program of `tcpc run` (see program.h).
#include "run/program.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/session.h"
#include "image/image.h"
#include "kernel/kernel_ir.h"
#include "oracle/oracle.h"
#include "plan/align.h"
#include "plan/bind.h"
#include "plan/c_names.h"
#include "plan/family.h"
#include "run/output.h"

enum { MAX_PRINTED = 1 << 20 };

const char *run_no_size(struct session *s, const struct tensor *t) {
    return arena_printf(&s->arena, "the extents of '%s' have no size with these params", t->name);
}

void run_put_element(struct buf *out, const struct elem_type *e) {
    buf_puts(out, "TCP_");
    for (const char *c = e->name; *c; ++c)
        buf_char(out, *c >= 'a' && *c <= 'z' ? (char)(*c - 32) : *c);
}

// The size of top-level mode "i" of "l".
static int64_t mode_size(const struct lay *l, int i, const int64_t *sym) {
    struct oracle_flat f;
    if (l->shape->rank < 0) return oracle_flatten(*l, sym, &f) ? f.size : -1;
    const struct lay mode = {.shape = l->shape->kid[i], .stride = l->stride->kid[i]};
    return oracle_flatten(mode, sym, &f) ? f.size : -1;
}

// Appends the table of offsets for the view of "t"; put_view then writes the view.
static const char *put_offsets(struct session *s, const struct run_case *c, const struct tensor *t,
                               const char *id, struct buf *out) {
    struct oracle_flat f;
    int rank = t->layout.shape->rank < 0 ? 1 : t->layout.shape->rank;
    if (!oracle_flatten(t->layout, c->sym_values, &f)) return run_no_size(s, t);
    if (f.size > MAX_PRINTED)
        return arena_printf(&s->arena, "'%s' has %" PRId64 " elements; no more than %d are printed",
                            t->name, f.size, MAX_PRINTED);
    buf_printf(out, "static const int64_t shape_%s[] = {", id);
    for (int i = 0; i < rank; ++i)
        buf_printf(out, "%s%" PRId64, i ? ", " : "", mode_size(&t->layout, i, c->sym_values));
    buf_printf(out, "};\nstatic const int64_t offset_%s[] = {", id);
    for (int64_t i = 0; i < f.size; ++i)
        buf_printf(out, "%s%" PRId64,
                   i == 0   ? ""
                   : i % 16 ? ", "
                            : ",\n    ",
                   oracle_swizzle(f.sw, f.offset + oracle_flat_at(&f, i)));
    buf_puts(out, f.size ? "};\n" : "0};\n");
    return NULL;
}

static void put_view(const struct run_case *c, const struct tensor *t, const char *id,
                     struct buf *out) {
    if (!c->print || strcmp(c->print, t->name) != 0)
        buf_puts(out, "{0, nullptr, nullptr, nullptr, 0}");
    else
        buf_printf(out, "{%d, shape_%s, nullptr, offset_%s, 0}",
                   t->layout.shape->rank < 0 ? 1 : t->layout.shape->rank, id, id);
}

static bool is_printed(const struct run_case *c, const struct tensor *t) {
    return c->print && strcmp(c->print, t->name) == 0;
}

static const char *run_id(struct session *s, const struct kernel *k, int v);

static const char *view_id(struct session *s, const struct kernel *k, int v,
                           const struct tensor *t) {
    return arena_printf(&s->arena, "%s_%s", run_id(s, k, v), t->name);
}

// The base of the launcher's name.
static const char *launcher_of(const struct run_case *c, const struct kernel *k) {
    const struct kir_kernel *x = c->kir->kernels;
    for (const struct kernel *i = c->plan->kernels; i != k; i = i->next) x = x->next;
    return x->c_name;
}

// The same of the launcher that chooses a kernel of its family.
static const char *family_launcher(struct session *s, const struct run_case *c,
                                   const struct kernel *k) {
    struct kernel whole = {.name = k->family};
    return c_name_of_kernel(s, c->plan, &whole);
}

// The alignment of the tensor, in bytes, in the run of variant "v" (-1: there are no variants): not
// more than is promised or required.
static int alignment_of(const struct kernel *k, int v, const struct tensor *t) {
    for (int i = 0; v >= 0 && i < k->variant[v].nwhen; ++i)
        if (k->variant[v].when[i].tensor == t) return (int)k->variant[v].when[i].by;
    return (int)align_known(t);
}

// The tensor of "k" that corresponds to tensor "t" of another case.
static const struct tensor *same_argument(const struct kernel *of, const struct tensor *t,
                                          const struct kernel *k) {
    int i = 0;
    while (of->formal[i].tensor != t) ++i;
    return k->formal[i].tensor;
}

bool run_leaves_out(const struct run_case *c, const struct kernel *k) {
    if (c->kernel) return strcmp(c->kernel->name, k->name) != 0;
    if (c->family && c->family != k->family) return true;
    return family_leaves_out(k, c->fixed);
}

// Iterates over what the launcher checks before variant "v" of "k": sets "*x" and "*w" to the next
// case and variant; false if there are no more.
static bool before(const struct kernel *k, int v, const struct kernel **x, int *w) {
    if (!*x) {
        *x = k->first_case ? k->first_case : k;
        *w = -1;
    }
    ++*w;
    while (*x != k && *w >= (*x)->nvariants) {
        *x = (*x)->next_case;
        *w = 0;
    }
    return *x != k || *w < v;
}

bool run_reaches(const struct run_case *c, const struct kernel *k, int v) {
    const struct kernel *of = NULL;
    int w;
    while (before(k, v, &of, &w)) {
        const struct variant *x = &of->variant[w];
        bool holds = plan_holds(x->when, x->nwhen, c->sym_values);
        for (int i = 0; i < x->nwhen; ++i)
            if (x->when[i].tensor)
                holds &=
                    alignment_of(k, v, same_argument(of, x->when[i].tensor, k)) >= x->when[i].by;
        if (holds) return false;
    }
    return plan_holds(k->variant[v].when, k->variant[v].nwhen, c->sym_values);
}

// Whether no variant before "v" requires a better alignment of "t" than "v".
static bool aligned_no_better(const struct kernel *k, int v, const struct tensor *t) {
    const struct kernel *of = NULL;
    int w;
    while (v >= 0 && before(k, v, &of, &w))
        for (int i = 0; i < of->variant[w].nwhen; ++i) {
            const struct condition *x = &of->variant[w].when[i];
            if (x->tensor && same_argument(of, x->tensor, k) == t && x->by > alignment_of(k, v, t))
                return true;
        }
    return false;
}

// Name of the run: the kernel, or one variant of it.  No kernel's name begins with a digit.
static const char *run_id(struct session *s, const struct kernel *k, int v) {
    return v < 0 ? k->name : arena_printf(&s->arena, "%d_%s", k->variant[v].tag, k->name);
}

// "in": the array that has the tensors.
static void put_arguments(const struct run_case *c, const struct kernel *k, const char *in,
                          struct buf *out) {
    const char *comma = "";
    for (int i = 0; i < k->nformals; ++i, comma = ", ")
        buf_printf(out, "%s(%s%s *)%s[%d]", comma, k->formal[i].dir == ARG_IN ? "const " : "",
                   k->formal[i].tensor->elem->c_name, in, i);
    for (int i = 0; i < k->ngiven; ++i, comma = ", ")
        buf_printf(out, "%sINT64_C(%" PRId64 ")", comma, c->sym_values[k->param[i]->sym->id]);
}

// The same for the launcher that chooses a kernel of its family.
static void put_family_arguments(struct session *s, const struct run_case *c,
                                 const struct kernel *k, const char *in, struct buf *out) {
    struct kernel whole = *k;
    int64_t *value = ARENA_ARRAY(&s->arena, int64_t, c->plan->nsyms + 1);
    struct run_case with = *c;
    memcpy(value, c->sym_values, sizeof *value * (size_t)c->plan->nsyms);
    whole.param = (const struct param **)family_params(s, c->plan, k, &whole.ngiven);
    for (int i = 0; i < whole.ngiven; ++i) {
        int64_t n = family_number(k, whole.param[i]);
        if (n) value[whole.param[i]->sym->id] = n;
    }
    with.sym_values = value;
    put_arguments(&with, &whole, in, out);
}

static void put_types(const struct kernel *k, struct buf *out) {
    const char *comma = "";
    for (int i = 0; i < k->nformals; ++i, comma = ", ")
        buf_printf(out, "%s%s%s *", comma, k->formal[i].dir == ARG_IN ? "const " : "",
                   k->formal[i].tensor->elem->c_name);
    for (int i = 0; i < k->ngiven; ++i, comma = ", ") buf_printf(out, "%sint64_t", comma);
}

// Writes declarations of what the emitted file has for "k".
static void put_declarations(struct session *s, const struct run_case *c, const struct kernel *k,
                             struct buf *out) {
    bool none = k->nformals + k->ngiven == 0;
    buf_printf(out, "TCP_EXTERN_C tcp_status %s_launch(", launcher_of(c, k));
    put_types(k, out);
    buf_printf(out, "%s%stcp_stream);\n", none ? "" : ", ", k->mesh ? "tcp_mesh *, " : "");
    if (k->family) {
        struct kernel whole = *k;
        family_params(s, c->plan, k, &whole.ngiven);
        buf_printf(out, "TCP_EXTERN_C tcp_status %s_launch(", family_launcher(s, c, k));
        put_types(&whole, out);
        buf_puts(out, ", tcp_mesh *, tcp_stream);\n");
    }
    if (k->nvariants == 0) return;
    buf_printf(out, "TCP_EXTERN_C int %s_variant(", launcher_of(c, k));
    put_types(k, out);
    buf_puts(out, ");\n");
}

// The number of the device whose part of a tensor device "rank" has.
static int64_t own_part(const struct spread *x, int64_t rank) {
    int64_t sum = 0;
    for (int i = 0; i < x->mesh->naxes; ++i)
        if (x->mode[i] >= 0) sum += rank / x->mesh->step[i] % x->mesh->size[i] * x->mesh->step[i];
    return sum;
}

// Writes the tables of the parts of tensors that are over devices.
static void put_parts(struct session *s, const struct run_case *c, const struct kernel *k, int v,
                      struct buf *out) {
    const char *id = run_id(s, k, v);
    for (int i = 0; i < k->nformals; ++i) {
        const struct spread *x = k->formal[i].declared->spread;
        buf_printf(out, "static const int own_%s_%d[] = {", id, i);
        for (int64_t d = 0; d < x->mesh->devices; ++d)
            buf_printf(out, "%s%" PRId64, d ? ", " : "",
                       k->formal[i].dir == ARG_IN ? own_part(x, d) : d);
        buf_puts(out, "};\n");
    }
    buf_printf(out, "static const tcp_harness_part parts_%s[] = {\n", id);
    for (int i = 0; i < k->nformals; ++i) {
        const struct formal *f = &k->formal[i];
        const struct spread *x = f->declared->spread;
        struct oracle_flat part;
        int64_t size = f->tensor->elem->bits / 8, n = 0;
        if (oracle_flatten(x->part, c->sym_values, &part)) n = part.size;
        buf_printf(out, "    {%" PRId64 ", %" PRId64 ", %s, own_%s_%d},\n",
                   c->sym_values[x->apart->sym->id] * size, n * size,
                   f->dir == ARG_IN ? "false" : "true", id, i);
    }
    buf_puts(out, "};\n");
}

// Writes the call of the launcher by each device.
static void put_launches(struct session *s, const struct run_case *c, const struct kernel *k, int v,
                         struct buf *out) {
    buf_printf(out,
               "    return tcp_harness_on_devices(%" PRId64
               ", t, parts_%s, %d, [&](void *const *p, "
               "tcp_mesh *end) {\n        return %s_launch(",
               k->mesh->devices, run_id(s, k, v), k->nformals,
               k->family ? family_launcher(s, c, k) : launcher_of(c, k));
    if (k->family)
        put_family_arguments(s, c, k, "p", out);
    else
        put_arguments(c, k, "p", out);
    buf_puts(out, ", end, stream);\n    });\n}\n");
}

// Writes the function that calls the launcher with the params' values.  It checks that the intended
// variant is taken.
static void put_launch(struct session *s, const struct run_case *c, const struct kernel *k, int v,
                       struct buf *out) {
    bool none = k->nformals + k->ngiven == 0;
    if (k->mesh) put_parts(s, c, k, v, out);
    buf_printf(out, "static tcp_status run_%s(void *const *t, tcp_stream stream)\n{\n",
               run_id(s, k, v));
    if (k->nformals == 0) buf_puts(out, "    (void)t;\n");
    if (v >= 0) {
        buf_printf(out, "    if (%s_variant(", launcher_of(c, k));
        put_arguments(c, k, "t", out);
        buf_printf(out, ") != %d) return TCP_STATUS_COUNT;\n", k->variant[v].tag);
    }
    if (k->mesh) {
        put_launches(s, c, k, v, out);
        return;
    }
    buf_printf(out, "    return %s_launch(", launcher_of(c, k));
    put_arguments(c, k, "t", out);
    buf_printf(out, "%sstream);\n}\n", none ? "" : ", ");
}

static const char *put_kernel(struct session *s, const struct run_case *c, const struct kernel *k,
                              int v, struct buf *out, int64_t *bytes) {
    put_launch(s, c, k, v, out);
    const char *why;
    for (int i = 0; i < k->nformals; ++i)
        if (is_printed(c, k->formal[i].tensor) &&
            (why = put_offsets(s, c, k->formal[i].tensor, view_id(s, k, v, k->formal[i].tensor),
                               out)))
            return why;
    int nshared = 0;
    for (int i = 0; i < k->nlocal; ++i) {
        const struct tensor *t = k->local[i];
        if (!space_is_shared(t->space) || !is_printed(c, t)) continue;
        if ((why = put_offsets(s, c, t, view_id(s, k, v, t), out))) return why;
        ++nshared;
    }
    *bytes = 0;
    buf_printf(out, "static const tcp_harness_tensor tensors_%s[] = {\n", run_id(s, k, v));
    for (int i = 0; i < k->nformals; ++i) {
        static const char *const roles[] = {"IN", "OUT", "INOUT"};
        const struct tensor *t = k->formal[i].tensor;
        struct oracle_flat f;
        int64_t count;
        if (!oracle_flatten(t->layout, c->sym_values, &f) || (count = run_storage(&f)) < 0)
            return run_no_size(s, t);
        *bytes += f.size * (t->elem->bits / 8) * (k->formal[i].dir == ARG_INOUT ? 2 : 1);
        buf_printf(out, "    {\"%s\", ", t->name);
        run_put_element(out, t->elem);
        buf_printf(out, ", %" PRId64 ", %d, TCP_HARNESS_%s, ", count, alignment_of(k, v, t),
                   roles[k->formal[i].dir]);
        if (k->formal[i].dir == ARG_IN)
            buf_puts(out, "nullptr");
        else
            buf_printf(out, "\"%s\"", run_expected_name(s, k, t));
        buf_puts(out, c->plan->nconstants ? ", constants, " : ", nullptr, ");
        put_view(c, t, view_id(s, k, v, t), out);
        buf_puts(out, aligned_no_better(k, v, t) ? ", true},\n" : ", false},\n");
    }
    buf_puts(out, "};\n");
    if (nshared > 0)
        buf_printf(out, "static const tcp_harness_shared shared_%s[] = {\n", run_id(s, k, v));
    for (int i = 0; i < k->nlocal && nshared > 0; ++i) {
        const struct tensor *t = k->local[i];
        if (!space_is_shared(t->space) || !is_printed(c, t)) continue;
        buf_printf(out, "    {\"%s\", ", t->name);
        run_put_element(out, t->elem);
        buf_printf(out, ", %d, ", t->smem_offset);
        put_view(c, t, view_id(s, k, v, t), out);
        buf_puts(out, "},\n");
    }
    if (nshared > 0) buf_puts(out, "};\n");
    buf_char(out, '\n');
    return NULL;
}

// Writes a row of the table of kernels, and everything that it refers to.
static const char *put_run(struct session *s, const struct run_case *c, const struct kernel *k,
                           int v, struct buf *out, struct buf *table) {
    int64_t bytes;
    int nshared = 0;
    for (int i = 0; i < k->nlocal; ++i)
        nshared += space_is_shared(k->local[i]->space) && is_printed(c, k->local[i]);
    const char *id = run_id(s, k, v), *why = put_kernel(s, c, k, v, out, &bytes);
    const char *name =
        v < 0 ? k->name
              : arena_printf(&s->arena, k->first_case ? "%s (case %d)" : "%s (%d bits)", k->name,
                             k->variant[v].tag);
    buf_printf(table, "    {\"%s\", run_%s, tensors_%s, %d, %s%s, %d, %" PRId64 "},\n", name, id,
               id, k->nformals, nshared ? "shared_" : "nullptr", nshared ? id : "", nshared, bytes);
    return why;
}

// Writes the bits of constants, by number of the constant's tag.
static void put_constants(const struct plan *p, struct buf *out) {
    if (p->nconstants == 0) return;
    buf_puts(out, "static const tcp_b128 constants[] = {\n");
    for (int id = 0; id < p->nconstants; ++id) {
        const struct constant *k = p->constants;
        while (k->id != id) k = k->next;
        buf_printf(out, "    {0x%" PRIx32 ", 0x%" PRIx32 ", 0, 0},\n", (uint32_t)k->bits,
                   (uint32_t)(k->bits >> 32));
    }
    buf_puts(out, "};\n");
}

const char *run_write_main(struct session *s, const struct run_case *c, struct buf *out) {
    struct buf table;
    const char *why = NULL;
    int n = 0;
    buf_init(&table);
    bool mesh = false;
    for (const struct kernel *k = c->plan->kernels; k; k = k->next) mesh |= k->mesh != NULL;
    buf_puts(out, "#include \"tcp_harness.h\"\n");
    buf_puts(out, mesh ? "#include \"tcp_harness_mesh.h\"\n\n" : "\n");
    put_constants(c->plan, out);
    for (const struct kernel *k = c->plan->kernels; k && !why; k = k->next) {
        if (run_leaves_out(c, k)) continue;
        if (!k->first_case || k->first_case == k) put_declarations(s, c, k, out);
        for (int v = k->nvariants ? 0 : -1; v < k->nvariants && !why; ++v) {
            if (v >= 0 && !run_reaches(c, k, v)) continue;
            why = put_run(s, c, k, v, out, &table);
            ++n;
            if (v < 0) break;
        }
    }
    buf_printf(out,
               "static const tcp_harness_kernel kernels[] = {\n%s};\n\nint main(int argc, char "
               "**argv)\n{\n"
               "    return tcp_harness_main(argc, argv, kernels, %d);\n}\n",
               table.text, n);
    buf_release(&table);
    return why;
}
