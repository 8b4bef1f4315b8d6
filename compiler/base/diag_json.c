// Prints diagnostics as one JSON array, for editors: in the order of the text, with everything that
// the text has, and with the ends of ranges.
#include "base/buf.h"
#include "base/json_write.h"
#include "base/session.h"

static void print_range(struct session *s, struct json *j, struct range r) {
    if (!source_known(s, r)) {
        json_text(j, "file", NULL);
        return;
    }
    struct range end = {r.file, r.end > r.begin ? r.end : r.begin, 0};
    int line, col;
    json_text(j, "file", s->sources.file[r.file].path);
    source_place(s, r, &line, &col);
    json_int(j, "line", line);
    json_int(j, "column", col);
    source_place(s, end, &line, &col);
    json_int(j, "end_line", line);
    json_int(j, "end_column", col);
}

static void print_one(struct session *s, struct json *j, const struct diag *d) {
    static const char severity[][8] = {"error", "warning", "note"};
    const char *warning = diag_warning_name(d->warning);
    const char *page = warning ? warning : d->page;
    json_enter(j, NULL, '{');
    json_text(j, "severity", severity[d->severity]);
    print_range(s, j, d->at);
    json_text(j, "message", d->message);
    if (warning) json_text(j, "warning", warning);
    if (page) json_text(j, "explain", page);
    if (d->fixit) {
        json_enter(j, "fixits", '[');
        for (const struct fixit *f = d->fixit; f; f = f->next) {
            json_enter(j, NULL, '{');
            print_range(s, j, f->at);
            json_text(j, "text", f->replacement);
            json_leave(j, '}');
        }
        json_leave(j, ']');
    }
    if (d->note) {
        json_enter(j, "notes", '[');
        for (const struct diag *n = d->note; n; n = n->next) print_one(s, j, n);
        json_leave(j, ']');
    }
    json_leave(j, '}');
}

void diag_print_json(struct session *s, struct buf *out) {
    int n;
    struct diag **sorted = diag_sorted(s, &n);
    struct json j = json_to(out, JSON_ROW);
    json_enter(&j, NULL, '[');
    for (int i = 0; i < n; i++) {
        json_line(&j, 1);
        print_one(s, &j, sorted[i]);
    }
    if (n) json_line(&j, 0);
    json_leave(&j, ']');
    buf_char(out, '\n');
}
