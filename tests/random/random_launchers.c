// random_launchers [--calls N] [--first SEED] [--spoil] MAIN.cpp EXPECTED PLAN..: each launcher of
// the plans is called with random arguments, right ones and wrong ones.  MAIN.cpp gets the emitted
// text and the calls, and prints what each launcher says and would launch; EXPECTED gets what
// tcpc_launch_evaluate makes of the same.  With --spoil one fact of each launcher is changed first.
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/session.h"
#include "compile/compile.h"
#include "in_process.h"
#include "kernel/kernel_ir.h"
#include "launch/launch.h"
#include "plan/bind.h"

enum { MOST_ARGUMENTS = 64, CHOICES = 4 };

static uint64_t state;

static int64_t below(int64_t n) {
    return chance_below(&state, n);
}

// -- arguments ------------------------------------------------------------------------------------

static int64_t draw_param(const struct kir_param *p, int64_t right) {
    static const int64_t beyond[] = {
        -1, 0, 1, 3, INT32_MAX, (int64_t)1 << 32, (int64_t)1 << 40, INT64_MAX, INT64_MIN};
    int64_t mul = p->mul > 1 ? p->mul : 1, most = p->hi / mul;
    switch (below(12)) {
    case 0: return beyond[below(9)];
    case 1: return p->lo - below(2);
    case 2: return p->hi == INT64_MAX ? p->hi : p->hi + below(2);
    case 3: return right + below(5) - 2;
    case 4: return most > 0 ? (1 + below(most)) * mul : right;
    case 5: return (1 + below(40)) * mul;
    case 6: return 0;
    default: return right;
    }
}

static void draw_addresses(const struct kir_launch *l, uint64_t *address) {
    for (int i = 0; i < l->ntensors; ++i) {
        address[i] = (uint64_t)(i + 1) << 44;
        int64_t how = below(16);
        if (how == 0)
            address[i] = 0;
        else if (how < 5)
            address[i] += (uint64_t)1 << below(9);
        else if (how == 5 && i > 0)
            address[i] = address[below(i)] + (uint64_t)(below(64) * 64);
    }
}

// -- the program ----------------------------------------------------------------------------------

static const char head[] =
    "#include <stdio.h>\n"
    "#include <string.h>\n"
    "#define tcp_host_launch recorded_launch\n"
    "#include \"tcp_device.cuh\"\n"
    "#include \"tcp_launch.h\"\n"
    "#include \"tcp_mesh.cuh\"\n"
    "#include \"tcp_mesh_launch.h\"\n"
    "#undef TCP_EXTERN_C\n"
    "#define TCP_EXTERN_C\n"
    "static struct { char name[256]; tcp_grid grid; int threads; int64_t shared; } launched;\n"
    "static char arguments[4096];\n"
    "static void record(long long x) {\n"
    "    snprintf(arguments + strlen(arguments), 32, \" %lld\", x);\n"
    "}\n"
    "template <typename T> void record(T *x) { record((long long)(uintptr_t)x); }\n"
    "static void record(const tcp_mesh_call &);\n"
    "template <typename... P> void record_all(void (*)(P...), typename tcp_as<P>::type... x) {\n"
    "    arguments[0] = 0;\n"
    "    (record(x), ...);\n"
    "}\n"
    "#undef TCP_LAUNCH\n"
    "#define TCP_LAUNCH(kernel, grid, threads, shared, stream, ...) \\\n"
    "    (record_all(kernel, ##__VA_ARGS__), \\\n"
    "     tcp_launch(#kernel, kernel, grid, threads, shared, stream, ##__VA_ARGS__))\n"
    "tcp_status recorded_launch(const char *name, tcp_grid grid, int threads, int64_t shared,\n"
    "                           void (*)(void *), void *) {\n"
    "    snprintf(launched.name, sizeof launched.name, \"%s\", name);\n"
    "    launched.grid = grid;\n"
    "    launched.threads = threads;\n"
    "    launched.shared = shared;\n"
    "    return TCP_OK;\n"
    "}\n"
    "static void show(const char *launcher, tcp_status status, int bits) {\n"
    "    printf(\"%s: %d '%s' %d bits: %s(%lld,%lld,%lld) %d %lld%s\\n\", launcher, status,\n"
    "           status ? tcp_last_error() : \"\", bits, launched.name, (long "
    "long)launched.grid.x,\n"
    "           (long long)launched.grid.y, (long long)launched.grid.z, launched.threads,\n"
    "           (long long)launched.shared, launched.name[0] ? arguments : \"\");\n"
    "    memset(&launched, 0, sizeof launched);\n"
    "}\n"
    // an end of a mesh: the launch data have nothing of it
    "static tcp_mesh *const an_end = (tcp_mesh *)arguments;\n"
    "static tcp_status entered(tcp_mesh *end, tcp_mesh_call *out) {\n"
    "    *out = tcp_mesh_call();\n"
    "    return end == an_end ? TCP_OK : tcp_fail(TCP_ERR_PRECONDITION, \"another end\");\n"
    "}\n"
    "static void record(const tcp_mesh_call &) {}\n"
    "#define tcp_mesh_enter(kernel, end, size, call) entered(end, call)\n"
    "#define tcp_mesh_tensor(kernel, name, end, call, at, bytes) entered(end, call)\n"
    "#define tcp_mesh_mix(call, value) ((void)(value))\n"
    "#undef TCP_MESH_LAUNCH\n"
    "#define TCP_MESH_LAUNCH(kernel, grid, threads, shared, stream, end, ...) \\\n"
    "    TCP_LAUNCH(kernel, grid, threads, shared, stream, ##__VA_ARGS__)\n";

static void put_caller(FILE *to, int plan, const struct kir_launch *l) {
    fprintf(to, "static void plan%d_%s(const uint64_t *a, const int64_t *p) {\n", plan, l->c_name);
    fputs("    (void)a, (void)p;\n", to);
    for (int which = 0; which < 2; ++which) {
        const char *comma = "";
        if (which == 0)
            fprintf(to, "    const tcp_status status = plan%d::%s_launch(", plan, l->c_name);
        else if (l->nvariants > 1)
            fprintf(to, "    const int bits = status ? 0 : plan%d::%s_variant(", plan, l->c_name);
        else
            break;
        for (int i = 0; i < l->ntensors; ++i, comma = ", ")
            fprintf(to, "%s(%s *)a[%d]", comma, l->tensor[i].elem->c_name, i);
        for (int i = 0; i < l->ngiven; ++i, comma = ", ") fprintf(to, "%sp[%d]", comma, i);
        if (l->nvariants && l->variant[0].kernel->devices && which == 0) fputs(", an_end", to);
        fprintf(to, "%s);\n", which ? "" : *comma ? ", nullptr" : "nullptr");
    }
    fprintf(to, "    show(\"%s\", status, %s);\n}\n", l->name, l->nvariants > 1 ? "bits" : "0");
}

// The table of the calls: what is called, with what.
struct table {
    struct buf calls, addresses, params;
    int naddresses, nparams;
};

static void put_call(struct table *t, int plan, const struct kir_launch *l, const int64_t *param,
                     const uint64_t *address) {
    buf_printf(&t->calls, "{plan%d_%s, %d, %d},\n", plan, l->c_name, t->naddresses, t->nparams);
    for (int i = 0; i < l->ntensors; ++i) buf_printf(&t->addresses, "%" PRIu64 "u, ", address[i]);
    for (int i = 0; i < l->ngiven; ++i) {
        if (param[i] == INT64_MIN)
            buf_puts(&t->params, "INT64_MIN, ");
        else
            buf_printf(&t->params, "%" PRId64 ", ", param[i]);
    }
    t->naddresses += l->ntensors;
    t->nparams += l->ngiven;
}

static void put_table(FILE *to, struct table *t) {
    fprintf(to,
            "static const uint64_t addresses[] = {%s0};\n"
            "static const int64_t params[] = {%s0};\n"
            "static const struct {\n    void (*call)(const uint64_t *, const int64_t *);\n"
            "    int address, param;\n} calls[] = {\n%s};\n"
            "int main() {\n"
            "    for (const auto &c : calls) c.call(addresses + c.address, params + c.param);\n"
            "}\n",
            t->addresses.text, t->params.text, t->calls.text);
    buf_release(&t->addresses);
    buf_release(&t->params);
    buf_release(&t->calls);
}

// The arguments of the kernel as they are in memory: "a80.. 7".
static void put_arguments(FILE *to, const struct tcpc_variant *v, const char *arguments) {
    for (size_t i = 0; i < v->narguments; ++i) {
        int64_t wide;
        int32_t narrow;
        memcpy(&wide, arguments + v->argument[i]->offset, sizeof wide);
        memcpy(&narrow, arguments + v->argument[i]->offset, sizeof narrow);
        fprintf(to, " %" PRId64, v->argument[i]->bytes == 4 ? narrow : wide);
    }
}

static void put_expected(FILE *to, const struct tcpc_launch *l, const int64_t *param,
                         const uint64_t *address) {
    struct tcpc_call r = {.size = sizeof r};
    int64_t arguments[MOST_ARGUMENTS + 1];
    tcpc_launch_evaluate(l, param, address, arguments, &r);
    bool many = l->nvariants > 1 && r.status == TCPC_LAUNCH_OK, runs = r.variant != NULL;
    fprintf(to, "%s: %d '%s' %d bits: %s(%u,%u,%u) %d %" PRId64, l->name, r.status, r.message,
            many ? tcpc_launch_variant(l, param, address)->number : 0,
            runs ? r.variant->symbol : "", runs ? r.grid[0] : 0, runs ? r.grid[1] : 0,
            runs ? r.grid[2] : 0, runs ? (int)r.variant->threads : 0,
            runs ? r.variant->shared_bytes : 0);
    if (runs) put_arguments(to, r.variant, (char *)arguments);
    fputc('\n', to);
}

// -- plans ----------------------------------------------------------------------------------------

// What only wrong data says.
static void spoil(struct session *s, struct kir_launch *l) {
    struct kir_check *check = ARENA_ARRAY(&s->arena, struct kir_check, l->nchecks + 1);
    struct kir_variant *v = ARENA_ARRAY(&s->arena, struct kir_variant, l->nvariants);
    for (int i = 0; i < l->nvariants; ++i) {
        v[i] = l->variant[i];
        struct kir_kernel *k = ARENA_NEW(&s->arena, struct kir_kernel);
        *k = *v[i].kernel;
        k->threads += 1;
        v[i].kernel = k;
    }
    l->variant = v;
    for (int i = 0; i < l->nchecks; ++i) check[i] = l->check[i];
    l->check = check;
    if (l->nchecks) l->nchecks -= 1;
}

struct work {
    FILE *main, *expected;
    struct table table;
    int calls;
    bool spoil;
};

static bool try_plan(struct work *w, int plan, const char *path) {
    struct session s;
    struct compiled c;
    session_init(&s);
    s.options.no_line = true;
    bool ok = compile_product(&s, path, PRODUCT_CUDA, &c) == 0;
    if (!ok) diag_print(&s, stderr);
    const int64_t *right[CHOICES] = {NULL};
    int n = ok ? plan_choices(&s, c.plan, CHOICES, right) : 0;
    if (ok) fprintf(w->main, "namespace plan%d {\n%s}\n", plan, c.text);
    for (struct kir_kernel *k = ok ? c.kir->kernels : NULL; k; k = k->next) {
        struct kir_launch *l = (struct kir_launch *)k->launch;
        if (l && k->first_case) put_caller(w->main, plan, l);
        if (l && k->first_case && w->spoil) spoil(&s, l);
    }
    for (const struct kir_kernel *k = ok ? c.kir->kernels : NULL; k; k = k->next) {
        const struct kir_launch *l = k->launch;
        const struct tcpc_launch *data = l && k->first_case ? launch_new(&s, l) : NULL;
        for (int i = 0; data && i < w->calls; ++i) {
            int64_t param[MOST_ARGUMENTS];
            uint64_t address[MOST_ARGUMENTS];
            if (l->ngiven > MOST_ARGUMENTS || l->ntensors > MOST_ARGUMENTS) return false;
            const int64_t *base = n ? right[below(n)] : NULL;
            bool all_right = below(3) == 0;
            for (int j = 0; j < l->ngiven; ++j) {
                int64_t v = base ? base[l->param[j].sym->id] : l->param[j].lo;
                param[j] = all_right ? v : draw_param(&l->param[j], v);
            }
            draw_addresses(l, address);
            put_call(&w->table, plan, l, param, address);
            put_expected(w->expected, data, param, address);
        }
        tcpc_launch_free(data);
    }
    session_release(&s);
    return ok;
}

int main(int argc, char **argv) {
    struct work w = {.calls = 40};
    int i = 1, first;
    for (; i < argc && strncmp(argv[i], "--", 2) == 0; ++i) {
        if (strcmp(argv[i], "--spoil") == 0)
            w.spoil = true;
        else if (strcmp(argv[i], "--calls") == 0 && i + 1 < argc)
            w.calls = atoi(argv[++i]);
        else if (strcmp(argv[i], "--first") == 0 && i + 1 < argc)
            state = (uint64_t)atoi(argv[++i]);
    }
    if (argc - i < 3 || !(w.main = fopen(argv[i], "w")) ||
        !(w.expected = fopen(argv[i + 1], "w"))) {
        fputs("usage: random_launchers [--calls N] [--first SEED] [--spoil] MAIN EXPECTED PLAN..\n",
              stderr);
        return 2;
    }
    first = i += 2;
    bool ok = true;
    buf_init(&w.table.calls);
    buf_init(&w.table.addresses);
    buf_init(&w.table.params);
    fputs(head, w.main);
    for (; i < argc && ok; ++i) ok = try_plan(&w, i - first, argv[i]);
    put_table(w.main, &w.table);
    bool written = !ferror(w.main) && !ferror(w.expected);
    written = fclose(w.main) == 0 && fclose(w.expected) == 0 && written;
    return ok && written ? 0 : 1;
}
