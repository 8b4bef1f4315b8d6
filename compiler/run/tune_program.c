// Writes the program of `tcpc tune` (see runtime/tcp_tune.h).
#include <inttypes.h>

#include "base/buf.h"
#include "base/session.h"
#include "oracle/oracle.h"
#include "plan/align.h"
#include "plan/plan.h"
#include "run/program.h"
#include "run/tuned.h"

static const struct formal *side(const struct kernel *k, bool src) {
    return &k->formal[(k->formal[0].dir == ARG_IN) == src ? 0 : 1];
}

void tune_put_launch(const struct kernel *k, const char *name, const int64_t *sym, int i,
                     struct buf *out) {
    buf_printf(out, "TCP_EXTERN_C tcp_status %s(", name);
    for (int f = 0; f < k->nformals; ++f)
        buf_printf(out, "%s%s *, ", k->formal[f].dir == ARG_IN ? "const " : "",
                   k->formal[f].tensor->elem->c_name);
    for (int p = 0; p < k->ngiven; ++p) buf_puts(out, "int64_t, ");
    buf_printf(out,
               "tcp_stream);\nstatic tcp_status run_%d(const void *src, void *dst, tcp_stream "
               "stream)\n{\n    return %s(",
               i, name);
    for (int f = 0; f < k->nformals; ++f) {
        bool in = k->formal[f].dir == ARG_IN;
        buf_printf(out, "(%s%s *)%s, ", in ? "const " : "", k->formal[f].tensor->elem->c_name,
                   in ? "src" : "dst");
    }
    for (int p = 0; p < k->ngiven; ++p)
        buf_printf(out, "INT64_C(%" PRId64 "), ", sym[k->param[p]->sym->id]);
    buf_puts(out, "stream);\n}\n");
}

// Appends an array with a number for each mode.
static void put_numbers(struct buf *out, const char *name, const int64_t *number, int n) {
    buf_printf(out, "static const int64_t %s[] = {", name);
    for (int i = 0; i < n; ++i) buf_printf(out, "%s%" PRId64, i ? ", " : "", number[i]);
    buf_puts(out, "};\n");
}

const char *tune_put_relayout(const struct kernel *k, const int64_t *sym, struct buf *out,
                              int64_t *bytes) {
    const struct tensor *src = side(k, true)->tensor, *dst = side(k, false)->tensor;
    struct oracle_flat a, b;
    int64_t src_count, dst_count, align = align_known(src);
    if (!oracle_flatten(src->layout, sym, &a) || !oracle_flatten(dst->layout, sym, &b) ||
        (src_count = run_storage(&a)) < 0 || (dst_count = run_storage(&b)) < 0)
        return "the tensors have no size with these params, or more than 2^40 elements";
    if (a.size == 0) return "with these params there are no elements to copy";
    if (a.n != b.n || a.size != b.size) BUG("kernel '%s' is not a relayout", k->name);
    if (align < align_known(dst)) align = align_known(dst);
    *bytes = a.size * ((src->elem->bits + dst->elem->bits) / 8);
    put_numbers(out, "extent", a.extent, a.n);
    put_numbers(out, "src", a.stride, a.n);
    put_numbers(out, "dst", b.stride, b.n);
    buf_puts(out, "static const tcp_tune_relayout relayout = {");
    run_put_element(out, src->elem);
    buf_puts(out, ", ");
    run_put_element(out, dst->elem);
    buf_printf(out, ", %d, extent, src, dst, %" PRId64 ", %" PRId64 ", %" PRId64 "};\n", a.n,
               src_count, dst_count, align);
    return NULL;
}

void tune_put_main(int n, struct buf *out) {
    buf_printf(out, "static const tcp_tune_candidate candidates[] = {");
    for (int i = 0; i < n; ++i) buf_printf(out, "%s{run_%d}", i ? ", " : "", i);
    buf_printf(out,
               "};\n\nint main(int argc, char **argv)\n{\n    return tcp_tune_main(argc, argv, "
               "&relayout, candidates, %d);\n}\n",
               n);
}
