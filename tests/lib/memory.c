// Each allocation of the library's own fails once: what it took is given back, and the next
// compilation is not disturbed.  isl's allocations are its own, and do not fail here: the linker
// leads the library's calls alone to __wrap_malloc and its like.
//
//   memory [STEP]
//
// Of questions and relayouts one allocation in STEP fails.
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "tcpc.h"

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t n, size_t bytes);
void *__real_realloc(void *old, size_t bytes);
void __real_free(void *p);

static long left = -1;  // allocations until one fails; negative: none does
static long taken;      // and not given back

static int fails(void) {
    return left >= 0 && left-- == 0;
}

void *__wrap_malloc(size_t bytes) {
    void *p = fails() ? NULL : __real_malloc(bytes);
    taken += p != NULL;
    return p;
}

void *__wrap_calloc(size_t n, size_t bytes) {
    void *p = fails() ? NULL : __real_calloc(n, bytes);
    taken += p != NULL;
    return p;
}

void *__wrap_realloc(void *old, size_t bytes) {
    void *p = fails() ? NULL : __real_realloc(old, bytes);
    taken += p && !old;
    return p;
}

void __wrap_free(void *p) {
    taken -= p != NULL;
    __real_free(p);
}

static const char plan[] = "tcp 1;\nparam M : index % 4;\nconst UNUSED = 1;\n"
                           "tensor A : f32 global (M);\ntensor B : f32 global (M) align "
                           "16;\ntensor s : f32 shared (128);\n"
                           "tiled_copy tc = tile(auto(128), thr=(32), val=(4));\n"
                           "kernel k(A, out B) grid (ceil_div(M, 128)) threads 32 {\n"
                           "  copy local_tile(A, (128), (block.x)) -> s with tc pad 0;\n"
                           "  copy s -> local_tile(B, (128), (block.x)) with tc;\n}\n";
static const char wrong[] = "tcp 1;\ntensor A : f32 shared (4,4)\nconst N = M;\n";

// What is asked for: a plan, or a question about it, or a relayout.
struct call {
    int cached;  // twice, with a cache
    const char *text;
    const struct tcpc_question *question;
    const struct tcpc_relayout *relayout;
    const struct tcpc_block *block;
};

static enum tcpc_status run_cached(const struct call *c, struct tcpc_result **out) {
    struct tcpc_options o = {.size = sizeof o, .cache = tcpc_cache_new(0)};
    enum tcpc_status status = TCPC_NO_MEMORY;
    *out = NULL;
    for (int i = 0; i < 2 && o.cache; ++i) {
        tcpc_free(*out);
        status = tcpc_compile("a.tcp", c->text, strlen(c->text), &o, out);
        if (status == TCPC_NO_MEMORY) break;
    }
    tcpc_cache_free(o.cache);
    return status;
}

static enum tcpc_status run(const struct call *c, struct tcpc_result **out) {
    if (c->cached) return run_cached(c, out);
    if (c->block) return tcpc_trace_block("a.tcp", c->text, strlen(c->text), NULL, c->block, out);
    return c->relayout   ? tcpc_compile_relayout(c->relayout, NULL, out)
           : c->question ? tcpc_ask("a.tcp", c->text, strlen(c->text), NULL, c->question, out)
                         : tcpc_compile("a.tcp", c->text, strlen(c->text), NULL, out);
}

// Fails allocation 0, "step", 2 * "step", ..
static void each_fails_once(struct call call, long step, enum tcpc_status want) {
    struct tcpc_result *r;
    enum tcpc_status status = run(&call, &r);
    CHECK(status == want, "status %d: %s", (int)status,
          r->nmessages ? r->message[r->nmessages - 1]->text : "");
    size_t size = r->output.size, n = r->nmessages;
    tcpc_free(r);
    CHECK(taken == 0, "%ld allocations are kept", taken);
    for (long at = 0;; at += step) {
        left = at;
        status = run(&call, &r);
        int failed = left < 0;
        left = -1;
        if (!failed) break;
        int well = call.cached && status == want;  // it was to keep something
        if (well) tcpc_free(r);
        CHECK(well || (status == TCPC_NO_MEMORY && !r), "allocation %ld: status %d", at,
              (int)status);
        CHECK(taken == 0, "allocation %ld: %ld are kept", at, taken);
        taken = 0;
    }
    CHECK(status == want && r->output.size == size && r->nmessages == n, "status %d", (int)status);
    tcpc_free(r);
}

int main(int argc, char **argv) {
    const long step = argc > 1 ? atol(argv[1]) : 31;
    static const struct tcpc_integer numbers[] = {{96, NULL}, {64, NULL}},
                                     turned[] = {{1, NULL}, {96, NULL}},
                                     params[] = {{0, "M"}, {64, NULL}};
    static const struct tcpc_side from = {.size = sizeof from, .element = "f16", .align = 16},
                                  to = {.size = sizeof to, .element = "f16", .stride = turned};
    static const struct tcpc_open m = {.size = sizeof m, .name = "M", .multiple = 8};
    static const struct tcpc_open *const open[] = {&m};
    struct tcpc_relayout t = {
        .size = sizeof t, .rank = 2, .extent = numbers, .from = &from, .to = &to};
    struct tcpc_question explain = {.size = sizeof explain, .about = TCPC_EXPLAIN},
                         draw = {.size = sizeof draw, .about = TCPC_DRAW, .name = "tc"},
                         nothing = {.size = sizeof nothing, .about = TCPC_DRAW, .name = "td"};
    each_fails_once((struct call){.text = plan}, 1, TCPC_OK);
    each_fails_once((struct call){.cached = 1, .text = plan}, 5, TCPC_OK);
    each_fails_once((struct call){.text = wrong}, 1, TCPC_WRONG);
    each_fails_once((struct call){.text = plan, .question = &explain}, step, TCPC_OK);
    each_fails_once((struct call){.text = plan, .question = &draw}, step, TCPC_OK);
    each_fails_once((struct call){.text = plan, .question = &nothing}, step, TCPC_BAD_OPTION);
    const struct tcpc_block block = {.size = sizeof block};
    each_fails_once((struct call){.text = plan, .block = &block}, step, TCPC_OK);
    each_fails_once((struct call){.relayout = &t}, step, TCPC_OK);
    t.extent = params;
    t.to = &from;
    t.open = open;
    t.nopen = 1;
    each_fails_once((struct call){.relayout = &t}, step, TCPC_OK);
    return check_done();
}
