// Applies fix-its (see fix.h).
#include "driver/fix.h"

#include <string.h>
#include <sys/stat.h>

#include "base/session.h"
#include "driver/options.h"
#include "run/output.h"

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
static bool fits(const struct fixit *e, const struct fixit *list, uint32_t file) {
    for (const struct fixit *f = list; f; f = f->next) {
        if (f->at.file != file) return false;
        for (const struct fixit *x = e; x; x = x->next)
            if (meet(x, f)) return false;
    }
    return list != NULL;
}

static bool has_all(const struct fixit *e, const struct fixit *list) {
    for (const struct fixit *f = list; f; f = f->next) {
        const struct fixit *x = e;
        while (x && !same(x, f)) x = x->next;
        if (!x) return false;
    }
    return list != NULL;
}

int fix_apply(struct session *s, const char *path) {
    uint32_t file = 0;
    while ((int)file < s->sources.n && strcmp(s->sources.file[file].path, path) != 0) ++file;
    if ((int)file == s->sources.n) return EXIT_USAGE;
    int n, applied = 0, left = 0;
    struct diag **all = diag_sorted(s, &n);
    struct fixit *e = NULL;
    for (int i = 0; i < n; ++i) {
        const struct fixit *list = all[i]->fixit;
        if (has_all(e, list)) continue;
        bool taken = fits(e, list, file);
        for (const struct fixit *f = list; taken && f; f = f->next)
            fixit_add(&s->arena, &e, f->at, f->replacement);
        applied += taken;
        left += list && !taken;
    }
    size_t size;
    const char *text = fixit_text(s, file, e, &size);
    int status = e ? output_replace(s, path, text, size) : EXIT_RIGHT;
    if (status != EXIT_RIGHT) return status;
    if (left > 0)
        option_say(
            "%d of %d fix-its applied to '%s'; the others overlap them, or are in other files",
            applied, applied + left, path);
    else
        option_say("%d fix-it%s applied to '%s'", applied, applied == 1 ? "" : "s", path);
    return EXIT_RIGHT;
}
