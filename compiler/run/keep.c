// Keeps a list in a kept folder of the files that belong to tcpc (see keep.h).
#include "run/keep.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/command.h"
#include "base/session.h"
#include "run/output.h"

static const char list_name[] = "made-by-tcpc",
                  list_head[] = "tcpc run made these files here, and writes over them:\n";

static bool is_there(const char *path) {
    struct stat st;
    return lstat(path, &st) == 0;
}

// Appends the file at "path" to "out", if it is such a list.
static void read_list(const char *path, struct buf *out) {
    enum { LONGEST = 1 << 20 };
    FILE *f = source_open(path);
    for (int c; f && (c = getc(f)) != EOF && out->len < LONGEST;) buf_char(out, (char)c);
    if (f) fclose(f);
    if (out->len == 0 || strncmp(out->text, list_head, sizeof list_head - 1) != 0) buf_clear(out);
}

// Whether "name" is a line of "list".
static bool lists(const struct buf *list, const char *name) {
    size_t n = strlen(name);
    const char *at = list->len ? strchr(list->text, '\n') : NULL;
    for (; at && at[1]; at = strchr(at + 1, '\n'))
        if (strncmp(at + 1, name, n) == 0 && at[1 + n] == '\n') return true;
    return false;
}

static const char *name_of(const struct made *file) {
    return strrchr(file->path, '/') + 1;
}

static bool foreign(const char *path) {
    option_error("'%s' was not made by tcpc; it is not overwritten", path);
    return false;
}

static bool claim_kept(struct session *s, struct keep *k) {
    struct buf list;
    const char *path = k->file[k->n - 1].path;
    bool ok = true, all = true;
    buf_init(&list);
    read_list(path, &list);
    if (list.len == 0 && is_there(path)) ok = foreign(path);
    if (list.len == 0) buf_puts(&list, list_head);
    for (int i = 0; i + 1 < k->n && ok; ++i) {
        struct made *m = &k->file[i];
        bool known = lists(&list, name_of(m));
        m->was_there = is_there(m->path);
        if (m->was_there && !known) ok = foreign(m->path);
        if (!known) buf_printf(&list, "%s\n", name_of(m));
        all &= known;
    }
    k->file[k->n - 1].was_there = is_there(path);
    k->claimed = ok;
    if (ok && !all) ok = output_write(s, path, list.text, list.len) == EXIT_RIGHT;
    buf_release(&list);
    return ok;
}

void keep_init(struct session *s, struct keep *k, const char *folder, int most) {
    *k = (struct keep){.folder = folder, .file = ARENA_ARRAY(&s->arena, struct made, most + 1)};
}

void keep_add(struct session *s, struct keep *k, const char *name, bool in_place) {
    const char *path = arena_printf(&s->arena, "%s/%s", k->folder, name);
    k->file[k->n++] = (struct made){.path = path, .in_place = in_place};
}

bool keep_claim(struct session *s, struct keep *k, bool kept) {
    for (int i = 0; i < k->n; ++i)
        if (!output_spares_inputs(s, k->file[i].path)) return false;
    if (!kept) return true;
    keep_add(s, k, list_name, false);
    return claim_kept(s, k);
}

void keep_undo(const struct keep *k) {
    for (int i = 0; k->claimed && i < k->n; ++i)
        if (!k->file[i].was_there || k->file[i].in_place) unlink(k->file[i].path);
}
