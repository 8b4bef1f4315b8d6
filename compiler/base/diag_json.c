// Prints diagnostics as one JSON array, for editors: in the order of the text, with everything that
// the text has, and with the ends of ranges.
#include "base/buf.h"
#include "base/escape.h"
#include "base/session.h"

static void print_range(struct session *s, struct buf *out, struct range r) {
    if (!source_known(s, r)) {
        buf_puts(out, "\"file\": null");
        return;
    }
    struct range end = {r.file, r.end > r.begin ? r.end : r.begin, 0};
    int line, col;
    buf_puts(out, "\"file\": ");
    buf_json_string(out, s->sources.file[r.file].path);
    source_place(s, r, &line, &col);
    buf_printf(out, ", \"line\": %d, \"column\": %d", line, col);
    source_place(s, end, &line, &col);
    buf_printf(out, ", \"end_line\": %d, \"end_column\": %d", line, col);
}

static void print_one(struct session *s, struct buf *out, const struct diag *d) {
    static const char severity[][8] = {"error", "warning", "note"};
    buf_printf(out, "{\"severity\": \"%s\", ", severity[d->severity]);
    print_range(s, out, d->at);
    buf_puts(out, ", \"message\": ");
    buf_json_string(out, d->message);
    const char *name = diag_warning_name(d->warning), *page = name ? name : d->page;
    if (name) buf_printf(out, ", \"warning\": \"%s\"", name);
    if (page) buf_printf(out, ", \"explain\": \"%s\"", page);
    if (d->fixit) {
        buf_puts(out, ", \"fixits\": [");
        for (const struct fixit *f = d->fixit; f; f = f->next) {
            buf_puts(out, "{");
            print_range(s, out, f->at);
            buf_puts(out, ", \"text\": ");
            buf_json_string(out, f->replacement);
            buf_puts(out, f->next ? "}, " : "}");
        }
        buf_puts(out, "]");
    }
    if (d->note) {
        buf_puts(out, ", \"notes\": [");
        for (const struct diag *n = d->note; n; n = n->next) {
            print_one(s, out, n);
            if (n->next) buf_puts(out, ", ");
        }
        buf_puts(out, "]");
    }
    buf_puts(out, "}");
}

void diag_print_json(struct session *s, struct buf *out) {
    int n;
    struct diag **sorted = diag_sorted(s, &n);
    buf_puts(out, "[");
    for (int i = 0; i < n; i++) {
        buf_puts(out, i ? ",\n " : "\n ");
        print_one(s, out, sorted[i]);
    }
    buf_puts(out, n ? "\n]\n" : "]\n");
}
