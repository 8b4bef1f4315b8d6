// Writes the expected contents of outputs for the program of `tcpc run` (see program.h).
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/session.h"
#include "image/image.h"
#include "oracle/oracle.h"
#include "plan/plan.h"
#include "run/output.h"
#include "run/program.h"

const char *run_expected_name(struct session *s, const struct kernel *k, const struct tensor *t) {
    return arena_printf(&s->arena, "%s.%s.expect", k->name, t->name);
}

// Why the work stops at element "i"; NULL: it continues.
static const char *given_up(const struct session *s, int64_t i) {
    return i % (1 << 16) == 0 && session_given_up(s) ? "given up" : NULL;
}

const char *run_write_expected(struct session *s, const struct run_case *c, const struct kernel *k,
                               const struct image *img, const char *folder) {
    struct image_iter it = image_begin(img);
    struct image_entry e;
    bool more = image_next(&it, &e);
    const char *why = NULL;
    int64_t seen = 0;
    // the image's buffers are sorted by tensor id, the outputs are not: outputs are written in
    // their own order
    int64_t **tags = memory_got(calloc((size_t)k->nformals + 1, sizeof *tags)),
            *count = memory_got(calloc((size_t)k->nformals + 1, sizeof *count));
    for (int i = 0; i < k->nformals && !why; ++i) {
        struct oracle_flat f;
        const struct tensor *t = k->formal[i].tensor;
        if (k->formal[i].dir == ARG_IN) continue;
        if (!oracle_flatten(t->layout, c->sym_values, &f) || (count[i] = run_storage(&f)) < 0)
            why = run_no_size(s, t);
        else if (!(tags[i] = malloc(((size_t)count[i] + 1) * sizeof **tags)))
            why = arena_printf(&s->arena, "out of memory for %" PRId64 " elements of '%s'",
                               count[i], t->name);
        for (int64_t j = 0; j < count[i] && !why; ++j) {
            tags[i][j] = -1;
            why = given_up(s, j);
        }
    }
    for (; more && !why; more = image_next(&it, &e)) {
        why = given_up(s, ++seen);
        int to = -1, from = -1;
        for (int i = 0; i < k->nformals; ++i) {
            to = image_global(k->formal[i].tensor->id) == e.buf ? i : to;
            from = k->formal[i].tensor->id == image_tag_tensor(e.tag) ? i : from;
        }
        if (to < 0 || !tags[to]) continue;
        if (image_is_opaque(e.tag) && e.off >= 0 && e.off < count[to]) {
            tags[to][e.off] = INT64_MIN;  // a value of an extern function
            continue;
        }
        if (e.tag < IMAGE_POISON && e.off >= 0 && e.off < count[to]) {
            tags[to][e.off] = e.tag;
            continue;
        }
        if (from < 0 || e.off < 0 || e.off >= count[to])
            BUG("no source is known for element %lld of '%s'", (long long)e.off,
                k->formal[to].tensor->name);
        tags[to][e.off] = image_tag(from, image_tag_offset(e.tag)) | (int64_t)image_tag_types(e.tag)
                                                                         << 54;
    }
    for (int i = 0; i < k->nformals; ++i) {
        if (why || !tags[i]) continue;
        const char *path =
            arena_printf(&s->arena, "%s/%s", folder, run_expected_name(s, k, k->formal[i].tensor));
        if (!output_bytes(s, path, (const char *)tags[i], (size_t)count[i] * sizeof **tags))
            why = arena_printf(&s->arena, "cannot write '%s': %s", path, source_trouble(errno));
    }
    for (int i = 0; i < k->nformals; ++i) free(tags[i]);
    free(tags);
    free(count);
    image_end(&it);
    return why;
}
