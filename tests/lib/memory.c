// Each allocation of the library's own fails once: what it took is given back, and the next
// compilation is not disturbed.  isl's allocations are its own, and do not fail here: the linker
// leads the library's calls alone to __wrap_malloc and its like.
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

static void each_fails_once(const char *text, enum tcpc_status want) {
    struct tcpc_result *r;
    enum tcpc_status status = tcpc_compile("a.tcp", text, strlen(text), NULL, &r);
    CHECK(status == want, "status %d: %s", (int)status,
          r->nmessages ? r->message[r->nmessages - 1]->text : "");
    size_t size = r->output.size, n = r->nmessages;
    tcpc_free(r);
    CHECK(taken == 0, "%ld allocations are kept", taken);
    for (long at = 0;; ++at) {
        left = at;
        status = tcpc_compile("a.tcp", text, strlen(text), NULL, &r);
        int failed = left < 0;
        left = -1;
        if (!failed) break;
        CHECK(status == TCPC_NO_MEMORY && !r, "allocation %ld: status %d", at, (int)status);
        CHECK(taken == 0, "allocation %ld: %ld are kept", at, taken);
        taken = 0;
        if (r) tcpc_free(r);
    }
    CHECK(status == want && r->output.size == size && r->nmessages == n, "status %d", (int)status);
    tcpc_free(r);
}

int main(void) {
    each_fails_once(plan, TCPC_OK);
    each_fails_once(wrong, TCPC_WRONG);
    return check_done();
}
