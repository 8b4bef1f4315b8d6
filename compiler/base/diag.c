// Collects diagnostics; has the options of warnings.  diag_print.c prints them.
#include "base/diag.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/agree.h"
#include "base/buf.h"
#include "base/session.h"
#include "base/warnings.h"

// Most diagnostics that are kept, whatever the limit of errors is: printing sorts them.
enum { MOST_KEPT = 100000 };

void diags_init(struct diags *d) {
    *d = (struct diags){.error_limit = 20, .color = -1};
    arena_init(&d->arena);
    for (int i = 1; i < W_COUNT; i++) d->off[i] = !warning_row(i)->on;
    d->werror[W_REMAINDER] = true;
}

void diags_release(struct diags *d) {
    arena_release(&d->arena);
}

bool diag_full(const struct session *s) {
    return s->diags.error_limit > 0 && s->diags.nerrors > s->diags.error_limit;
}

static const char *format(struct arena *a, const char *fmt, va_list ap) {
    struct buf b;
    buf_init(&b);
    buf_vprintf(&b, fmt, ap);
    agree(b.text);
    b.len = strlen(b.text);
    return buf_finish(&b, a);
}

static bool same_range(struct range a, struct range b) {
    return a.file == b.file && a.begin == b.begin && a.end == b.end;
}

// Whether a diagnostic like "x" was given for this place before: the statements of a device function
// are checked on their own and at each call.  One warning of a kind is enough; its numbers and names
// may differ from call to call.
static bool given_before(const struct session *s, const struct diag *x) {
    const struct range at = source_origin(s, x->at);
    const struct diag *d = s->diags.first;
    if (!s->sources.ncalls) return false;
    for (; d; d = d->next)
        if (d->at.file != x->at.file && d->warning == x->warning &&
            same_range(source_origin(s, d->at), at) &&
            (d->warning || strcmp(d->message, x->message) == 0))
            return true;
    return false;
}

static void add(struct session *s, struct diag proto, const char *fmt, va_list ap) {
    struct diags *d = &s->diags;
    proto.message = format(&d->arena, fmt, ap);
    const struct diag *last = d->last;
    bool again = last && same_range(last->at, proto.at) && last->warning == proto.warning &&
                 strcmp(last->message, proto.message) == 0;
    again = again || given_before(s, &proto);
    d->muted = again || d->nerrors + d->nwarnings >= MOST_KEPT;
    if (again) return;
    *(proto.severity == SEV_ERROR ? &d->nerrors : &d->nwarnings) += 1;
    if (d->muted) return;
    struct diag *copy = ARENA_NEW(&d->arena, struct diag);
    *copy = proto;
    if (d->last)
        d->last->next = copy;
    else
        d->first = copy;
    d->last = copy;
}

void diag_error(struct session *s, struct range at, const char *fmt, ...) {
    va_list ap;
    ++s->diags.told;
    va_start(ap, fmt);
    add(s, (struct diag){.severity = SEV_ERROR, .at = at}, fmt, ap);
    va_end(ap);
}

// Whether the plan silences "w" at "at", or at a call through which it was reached.
static bool silenced(const struct session *s, int w, struct range at) {
    do {
        struct range here = source_origin(s, at);
        for (const struct silence *x = s->diags.silences; x; x = x->next)
            if (x->warning == w && x->at.file == here.file && x->at.begin <= here.begin &&
                here.begin < x->at.end)
                return true;
    } while (source_called(s, &at));
    return false;
}

void diag_warn(struct session *s, int w, struct range at, const char *fmt, ...) {
    struct diags *d = &s->diags;
    ++d->told;
    if (d->off_all || d->off[w] || silenced(s, w, at)) {
        d->muted = true;
        return;
    }
    bool error = (d->werror_all || d->werror[w]) && !d->no_werror[w];
    va_list ap;
    va_start(ap, fmt);
    add(s, (struct diag){.severity = error ? SEV_ERROR : SEV_WARNING, .warning = w, .at = at}, fmt,
        ap);
    va_end(ap);
}

static void add_note(struct session *s, struct diag *to, struct range at, const char *fmt,
                     va_list ap) {
    struct diags *d = &s->diags;
    struct diag *note = ARENA_NEW(&d->arena, struct diag);
    *note = (struct diag){.severity = SEV_NOTE, .at = at, .message = format(&d->arena, fmt, ap)};
    struct diag **end = &to->note;
    while (*end) end = &(*end)->next;
    *end = note;
}

void diag_note(struct session *s, struct range at, const char *fmt, ...) {
    if (s->diags.muted || !s->diags.last) return;
    va_list ap;
    va_start(ap, fmt);
    add_note(s, s->diags.last, at, fmt, ap);
    va_end(ap);
}

void diag_note_of(struct session *s, struct diag *to, struct range at, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    add_note(s, to, at, fmt, ap);
    va_end(ap);
}

void diag_page(struct session *s, const char *name) {
    struct diags *d = &s->diags;
    if (!d->muted && d->last) d->last->page = name;
}

void diag_fixit(struct session *s, struct range at, const char *replacement) {
    struct diags *d = &s->diags;
    if (d->muted || !d->last) return;
    struct diag *to = d->last;
    for (struct diag *n = d->last->note; n; n = n->next) to = n;
    fixit_add(&d->arena, &to->fixit, source_origin(s, at), replacement);
}

void fixit_add(struct arena *a, struct fixit **list, struct range at, const char *replacement) {
    struct fixit *f = ARENA_NEW(a, struct fixit);
    f->at = at;
    f->replacement = arena_strndup(a, replacement, strlen(replacement));
    while (*list && (*list)->at.begin <= at.begin) list = &(*list)->next;
    f->next = *list;
    *list = f;
}

const char *fixit_text(struct session *s, uint32_t file, const struct fixit *list, size_t *size) {
    const struct source *f = &s->sources.file[file];
    struct buf b;
    uint32_t at = 0;
    buf_init(&b);
    for (const struct fixit *x = list; x; x = x->next) {
        if (x->at.file != file) continue;
        if (x->at.begin > at) buf_write(&b, f->text + at, x->at.begin - at);
        buf_puts(&b, x->replacement);
        at = x->at.end;
    }
    buf_write(&b, f->text + at, f->size - at);
    *size = b.len;
    return buf_finish(&b, &s->arena);
}

void diag_claim(struct session *s, struct claim c) {
    struct diags *d = &s->diags;
    if (d->muted || !d->last || !d->last->note) return;
    struct diag *to = d->last->note;
    while (to->next) to = to->next;
    struct claim *copy = ARENA_NEW(&d->arena, struct claim);
    *copy = c;
    if (c.function) copy->function = arena_strndup(&d->arena, c.function, strlen(c.function));
    to->claim = copy;
}

void diag_if_mended(struct session *s) {
    struct diags *d = &s->diags;
    if (!d->muted && d->last) d->last->if_mended = true;
}

void diag_drop_claims(struct diag *d) {
    struct diag **at = &d->note;
    while (*at) {
        const struct claim *claim = (*at)->claim;
        if (claim && !claim->right) {
            *at = (*at)->next;
            continue;
        }
        if (claim) (*at)->fixit = NULL;
        (*at)->claim = NULL;
        at = &(*at)->next;
    }
}

void diag_drop_unmended(struct session *s) {
    struct diags *d = &s->diags;
    struct diag **at = &d->first;
    d->last = NULL;
    while (*at) {
        if ((*at)->if_mended) {
            *((*at)->severity == SEV_ERROR ? &d->nerrors : &d->nwarnings) -= 1;
            *at = (*at)->next;
        } else {
            d->last = *at;
            at = &(*at)->next;
        }
    }
}

const char *diag_warning_name(int w) {
    return w ? warning_row(w)->name : NULL;
}

static int find_warning(const char *name) {
    for (int i = 1; i < W_COUNT; i++)
        if (strcmp(warning_row(i)->name, name) == 0) return i;
    return W_NONE;
}

// The number of the warning "name".  Reports an error at "at" and returns 0 if there is none.
static int named(struct session *s, const char *name, struct range at) {
    const char *names[W_COUNT - 1];
    int w = find_warning(name);
    if (w) return w;
    for (int i = 1; i < W_COUNT; i++) names[i - 1] = warning_row(i)->name;
    const char *near = diag_did_you_mean(name, names, W_COUNT - 1);
    struct buf list;
    buf_init(&list);
    for (int i = 0; i < W_COUNT - 1; i++) buf_printf(&list, "%s%s", i ? ", " : "", names[i]);
    if (near)
        diag_error(s, at, "unknown warning '%s'; did you mean '%s'?", name, near);
    else
        diag_error(s, at, "unknown warning '%s'; there are %s", name, list.text);
    buf_release(&list);
    return W_NONE;
}

void diag_silence(struct session *s, const char *name, struct range at, struct range where) {
    enum { MOST_SILENCES = 1000 };  // each warning is compared with all of them
    int w = named(s, name, at), n = 0;
    if (!w) return;
    for (const struct silence *x = s->diags.silences; x; x = x->next) n++;
    if (n == MOST_SILENCES) {
        diag_error(s, at,
                   "more than %d names of warnings after 'allow'; -Wno-%s silences one everywhere",
                   MOST_SILENCES, name);
        return;
    }
    struct silence *x = ARENA_NEW(&s->diags.arena, struct silence);
    *x = (struct silence){w, where, s->diags.silences};
    s->diags.silences = x;
}

static bool starts(const char *text, const char *with, const char **rest) {
    size_t n = strlen(with);
    if (strncmp(text, with, n) != 0) return false;
    *rest = text + n;
    return true;
}

bool diag_option(struct session *s, const char *option) {
    struct diags *d = &s->diags;
    if (strcmp(option, "-w") == 0) return d->off_all = true;
    if (strcmp(option, "-Werror") == 0) return d->werror_all = true;
    if (strcmp(option, "-Wall") == 0) {
        memset(d->off, 0, sizeof d->off);
        return true;
    }
    if (strcmp(option, "-Wno-error") == 0) return !(d->werror_all = false);
    const char *name = option;
    enum { ON, OFF, ERROR, NO_ERROR } what = ON;
    if (starts(option, "-Werror=", &name))
        what = ERROR;
    else if (starts(option, "-Wno-error=", &name))
        what = NO_ERROR;
    else if (starts(option, "-Wno-", &name))
        what = OFF;
    else
        starts(option, "-W", &name);
    int w = named(s, name, RANGE_NONE);
    if (!w) return false;
    if (what != NO_ERROR) d->off[w] = what == OFF;
    if (what == ERROR) d->werror[w] = true;
    if (what == ERROR || what == NO_ERROR) d->no_werror[w] = what == NO_ERROR;
    if (what == NO_ERROR) d->werror[w] = false;
    return true;
}

// The longest name, in bytes, that diag_did_you_mean compares.
enum { LONGEST = 40 };

static bool same_letter(char a, char b) {
    return tolower((unsigned char)a) == tolower((unsigned char)b);
}

static int distance(const char *a, int na, const char *b, int nb) {
    int row[3][LONGEST + 1];
    for (int j = 0; j <= nb; j++) row[0][j] = j;
    for (int i = 1; i <= na; i++) {
        int *now = row[i % 3], *up = row[(i + 2) % 3], *upup = row[(i + 1) % 3];
        now[0] = i;
        for (int j = 1; j <= nb; j++) {
            int best = up[j - 1] + !same_letter(a[i - 1], b[j - 1]);
            if (up[j] + 1 < best) best = up[j] + 1;
            if (now[j - 1] + 1 < best) best = now[j - 1] + 1;
            if (i > 1 && j > 1 && same_letter(a[i - 1], b[j - 2]) &&
                same_letter(a[i - 2], b[j - 1]) && upup[j - 2] + 1 < best)
                best = upup[j - 2] + 1;
            now[j] = best;
        }
    }
    return row[na % 3][nb];
}

// Twice the number of leading letters that "a" and "b" share, ignoring case; one less if their
// first letters differ in case.
static int alike(const char *a, const char *b) {
    int n = 0;
    while (a[n] && same_letter(a[n], b[n])) n++;
    return 2 * n - (n > 0 && a[0] != b[0]);
}

const char *diag_did_you_mean(const char *wrong, const char *const *names, int n) {
    size_t len = strlen(wrong);
    if (len > LONGEST) return NULL;
    const char *best = NULL;
    int least = len < 5 ? 1 : len < 6 ? 2 : 3;
    for (int i = 0; i < n; i++) {
        size_t to = names[i] ? strlen(names[i]) : 0;
        if (to == 0 || to > LONGEST) continue;
        int d = distance(wrong, (int)len, names[i], (int)to);
        // both share something with the other, and short names also share their first letters
        bool near = d < (int)to && d < (int)len && (d < 3 || len > 7 || alike(wrong, names[i]) > 4);
        if (!near || d > least) continue;
        if (d < least || !best || alike(wrong, names[i]) > alike(wrong, best)) best = names[i];
        least = d;
    }
    return best;
}
