// Applies fix-its (see fix.h).
#include "driver/fix.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/session.h"
#include "driver/options.h"
#include "run/output.h"

struct edits {
    const struct fixit **of;
    int n;
};

bool fix_can(const char *path) {
    struct stat st;
    if (strcmp(path, "-") == 0) {
        option_error("'--fix' changes a file, not standard input");
        return false;
    }
    if (stat(path, &st) != 0 || S_ISREG(st.st_mode) || S_ISDIR(st.st_mode)) return true;
    option_error("'%s' is not a regular file; it is not changed", path);
    return false;
}

static bool same(const struct fixit *a, const struct fixit *b) {
    return a->at.begin == b->at.begin && a->at.end == b->at.end &&
           strcmp(a->replacement, b->replacement) == 0;
}

// Whether two edits touch.  Two insertions at one place do, because their order would be arbitrary.
static bool meet(const struct fixit *a, const struct fixit *b) {
    return a->at.begin <= b->at.end && b->at.begin <= a->at.end;
}

// Whether all of "list" can be applied together with the edits in "e".
static bool fits(const struct edits *e, const struct fixit *list, unsigned file) {
    for (const struct fixit *f = list; f; f = f->next) {
        if (f->at.file != file) return false;
        for (int i = 0; i < e->n; ++i)
            if (meet(e->of[i], f)) return false;
    }
    return list != NULL;
}

static bool has_all(const struct edits *e, const struct fixit *list) {
    for (const struct fixit *f = list; f; f = f->next) {
        int i = 0;
        while (i < e->n && !same(e->of[i], f)) ++i;
        if (i == e->n) return false;
    }
    return list != NULL;
}

static int by_place(const void *a, const void *b) {
    const struct fixit *x = *(const struct fixit *const *)a, *y = *(const struct fixit *const *)b;
    return (x->at.begin > y->at.begin) - (x->at.begin < y->at.begin);
}

int fix_apply(struct session *s, const char *path) {
    unsigned file = 0;
    while ((int)file < s->sources.n && strcmp(s->sources.file[file].path, path) != 0) ++file;
    if ((int)file == s->sources.n) return EXIT_USAGE;
    const struct source *was = &s->sources.file[file];
    int n, cap = 0, applied = 0, left = 0;
    struct diag **all = diag_sorted(s, &n);
    for (int i = 0; i < n; ++i)
        for (const struct fixit *f = all[i]->fixit; f; f = f->next) ++cap;
    struct edits e = {ARENA_ARRAY(&s->arena, const struct fixit *, cap + 1), 0};
    for (int i = 0; i < n; ++i) {
        const struct fixit *list = all[i]->fixit;
        if (has_all(&e, list)) continue;
        bool taken = fits(&e, list, file);
        for (const struct fixit *f = list; taken && f; f = f->next) e.of[e.n++] = f;
        applied += taken;
        left += list && !taken;
    }
    if (e.n > 1) qsort(e.of, (size_t)e.n, sizeof *e.of, by_place);
    struct buf out;
    buf_init(&out);
    uint32_t at = 0;
    for (int i = 0; i < e.n; ++i) {
        buf_write(&out, was->text + at, e.of[i]->at.begin - at);
        buf_puts(&out, e.of[i]->replacement);
        at = e.of[i]->at.end;
    }
    buf_write(&out, was->text + at, was->size - at);
    int status = e.n > 0 ? output_replace(s, path, out.text, out.len) : EXIT_RIGHT;
    buf_release(&out);
    if (status != EXIT_RIGHT) return status;
    if (left > 0)
        option_say(
            "%d of %d fix-its applied to '%s'; the others overlap them, or are in other files",
            applied, applied + left, path);
    else
        option_say("%d fix-it%s applied to '%s'", applied, applied == 1 ? "" : "s", path);
    return EXIT_RIGHT;
}
