// Calls with a cache: what did not change is not proven again, and every result is the same as without one.
//
//   cache [--plans N] [--seed N]
//
// N random plans of several kernels, each with one thing changed.
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "gen_plans.h"
#include "shown.h"

static struct tcpc_result *compile(const char *text, struct tcpc_options o) {
    struct tcpc_result *r;
    o.size = sizeof o;
    tcpc_compile("plan.tcp", text, strlen(text), &o, &r);
    return r;
}

// Whether the calls with and without a cache say the same; shows where not.
static int same(const char *text, struct tcpc_options o, struct tcpc_result **with) {
    *with = compile(text, o);
    o.cache = NULL;
    struct tcpc_result *from_nothing = compile(text, o);
    char *a = shown(*with), *b = shown(from_nothing);
    int is = strcmp(a, b) == 0;
    size_t at = 0;
    while (!is && a[at] == b[at]) ++at;
    if (!is) fprintf(stderr, "-- with a cache: %.300s\n-- without: %.300s\n", a + at, b + at);
    free(a);
    free(b);
    tcpc_free(from_nothing);
    return is;
}

// -- one kernel of many ---------------------------------------------------------------------------

enum { KERNELS = 40 };

// Transposes of several sizes, of which number "changed" has another text.
static void write_plan(char *out, int changed, const char *head) {
    out += sprintf(out, "tcp 1;\n%sparam M : index %% 64 in 64 .. 8192;\n", head);
    for (int i = 0; i < KERNELS; ++i) {
        int n = 64 * (i % 4 + 1);
        out +=
            sprintf(out,
                    "tensor a%d : f32 global row(M,%d) align 16;\n"
                    "tensor b%d : f32 global row(%d,M) align 16;\n"
                    "tiled_copy t%d = tile(%s(128), thr=(16,%d):(%d,1), val=(4,4):(4,1));\n",
                    i, n, i, n, i, i == changed ? "auto" : "universal", 16 >> i % 2, 16 >> i % 2);
        out +=
            sprintf(out,
                    "kernel k%d(a%d, out b%d) grid (%d, M/64) threads %d {\n"
                    "  shared s : f32 Sw<3,2,6> o 0 o row(64,64);\n  frag r : f32 like t%d;\n"
                    "  for i in 0 .. %d {\n"
                    "    copy local_tile(local_tile(a%d, (64,64), (block.y, block.x)), (64,%d),"
                    " (0, i)) -> r with t%d;\n"
                    "    copy r -> local_tile(select(s, (1,0)), (64,%d), (0, i)) with t%d;\n  }\n"
                    "  copy s -> local_tile(b%d, (64,64), (block.x, block.y)) with t%d;\n}\n",
                    i, i, i, n / 64, 256 >> i % 2, i, 1 << i % 2, i, 64 >> i % 2, i, 64 >> i % 2, i,
                    i, i);
    }
}

static void one_of_many(void) {
    static char text[1 << 16];
    struct tcpc_cache *cache = tcpc_cache_new(0);
    struct tcpc_options o = {.cache = cache, .names = 1};
    struct tcpc_result *r;
    write_plan(text, -1, "");
    HOLDS(same(text, o, &r));
    for (size_t i = 0; i < r->nmessages; ++i)
        CHECK(r->message[i]->severity, "%s", r->message[i]->text);
    if (!HOLDS(r->status == TCPC_OK && r->nworks == KERNELS && r->work[3]->done > 0)) exit(1);
    tcpc_free(r);
    enum { CHANGED = 7 };
    write_plan(text, CHANGED, "// another line, so all kernels move\n");
    HOLDS(same(text, o, &r));
    for (int i = 0; i < (int)r->nworks; ++i) {
        const struct tcpc_work *w = r->work[i];
        CHECK(i == CHANGED ? w->done > 0 : w->done == 0 && w->kept > 0, "%s, case %d: %d done",
              w->kernel, w->number, (int)w->done);
    }
    tcpc_free(r);
    HOLDS(tcpc_cache_bytes(cache) > 1000);
    tcpc_cache_free(cache);
}

// A kernel for each number of devices, each kept by itself.
static void numbers_of_devices(void) {
    static const char *const most[] = {"2", "3"};
    struct tcpc_cache *cache = tcpc_cache_new(0);
    struct tcpc_options o = {.cache = cache, .names = 1};
    for (int i = 0; i < 2; ++i) {
        char text[512];
        struct tcpc_result *r;
        snprintf(text, sizeof text,
                 "tcp 1;\nparam G : index in 1 .. %s;\nmesh g (G);\nparam M : index in 1 .. 99;\n"
                 "tensor A : f16 global row(m=M, n=8*G) over (g: m);\n"
                 "tensor B : f16 global row(m=M, n=8*G) over (g: n);\n"
                 "kernel k(A, out B) { copy A -> B; }\n",
                 most[i]);
        HOLDS(same(text, o, &r));
        HOLDS(r->status == TCPC_OK && r->nworks == (size_t)i + 2);
        for (size_t k = 0; k < r->nworks; ++k)
            CHECK(r->work[k]->kernel[2] == '1' + (char)k && r->work[k]->done > 0, "%s",
                  r->work[k]->kernel);
        tcpc_free(r);
        HOLDS(same(text, o, &r));
        for (size_t k = 0; k < r->nworks; ++k)
            CHECK(r->work[k]->done == 0 && r->work[k]->kept > 0, "%s", r->work[k]->kernel);
        tcpc_free(r);
    }
    tcpc_cache_free(cache);
}

// -- random plans ---------------------------------------------------------------------------------

// "from" with a part of it that "what" begins, up to "until", of another plan; or as it is.
static char *exchanged(const char *from, const char *other, const char *what, const char *until) {
    const char *a = strstr(from, what), *b = strstr(other, what);
    const char *a_end = a ? strstr(a, until) : NULL, *b_end = b ? strstr(b, until) : NULL;
    if (!a_end || !b_end) return strdup(from);
    char *out = malloc(strlen(from) + strlen(other) + 1);
    sprintf(out, "%.*s%.*s%s", (int)(a - from), from, (int)(b_end - b), b, a_end);
    return out;
}

static char *change(const char *text, unsigned long seed) {
    char *other = gen_plan(seed + 1, 3, GEN_ALL), *out;
    switch (seed % 4) {
    case 0: out = exchanged(text, other, "\nparam ", "\n"); break;
    case 1: out = exchanged(text, other, "\ntensor ", "\n"); break;
    case 2: out = exchanged(text, text, "\nkernel ", "\n}"); break;
    default: out = gen_mutant(seed, text);
    }
    free(other);
    return out;
}

static void random_plans(int n, unsigned long seed, size_t most) {
    struct tcpc_cache *cache = tcpc_cache_new(most);
    int right = 0, kept = 0;
    for (int i = 0; i < n; ++i, ++seed) {
        struct tcpc_options o = {.cache = cache,
                                 .emit = seed % 5 == 4 ? TCPC_EMIT_DEVICE : TCPC_EMIT_CUDA,
                                 .names = seed % 3 == 0};
        char *text = gen_plan(seed, 3, GEN_ALL);
        for (int turn = 0; turn < 3; ++turn) {
            struct tcpc_result *r;
            CHECK(same(text, o, &r), "seed %lu, turn %d", seed, turn);
            right += r->status == TCPC_OK;
            for (size_t k = 0; k < r->nworks; ++k) kept += r->work[k]->done == 0;
            tcpc_free(r);
            if (turn == 2) break;
            char *next = turn == 0 ? change(text, seed) : gen_mutant(seed + 7, text);
            free(text);
            text = next;
        }
        free(text);
    }
    CHECK(tcpc_cache_bytes(cache) <= (most ? most : 64 << 20), "%zu", tcpc_cache_bytes(cache));
    tcpc_cache_free(cache);
    printf("%d plans: %d of %d compile, %d kernels are kept\n", n, right, 3 * n, kept);
    if (n >= 10) HOLDS(right > n && kept > n / 2);
}

int main(int argc, char **argv) {
    int plans = 4;
    unsigned long seed = 1;
    for (int at = 1; at + 1 < argc; at += 2) {
        if (strcmp(argv[at], "--plans") == 0) plans = atoi(argv[at + 1]);
        if (strcmp(argv[at], "--seed") == 0) seed = strtoul(argv[at + 1], NULL, 10);
    }
    one_of_many();
    numbers_of_devices();
    random_plans(plans, seed, 0);
    random_plans(plans / 4, seed, 1 << 16);  // most of it is dropped again
    tcpc_cache_free(NULL);
    return check_done();
}
