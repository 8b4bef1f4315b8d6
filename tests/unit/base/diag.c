// Diagnostics: places, carets on tabs and UTF-8, long lines, order, limits, the -W options, JSON,
// suggestions.
#include <errno.h>
#include <string.h>

#include "base/buf.h"
#include "base/session.h"
#include "base/warnings.h"
#include "check.h"

// Reports an error at bytes [begin, end) of "text" and compares what is printed, less the count at
// the end.
static void prints(const char *text, int begin, int end, const char *want) {
    struct session s;
    struct buf b;
    session_init(&s);
    buf_init(&b);
    int file = source_add(&s, "f", text, strlen(text));
    diag_error(&s, (struct range){(uint32_t)file, (uint32_t)begin, (uint32_t)end}, "m");
    diag_print_text(&s, &b, false);
    const char *tail = "1 error generated\n";
    CHECK(b.len > strlen(tail), "%s", b.text);
    b.text[b.len - strlen(tail)] = '\0';
    CHECK_STR(b.text, want);
    buf_release(&b);
    session_release(&s);
}

static void carets(void) {
    prints("abc\ndef\n", 4, 7, "f:2:1: error: m\ndef\n^~~\n");
    prints("abc\ndef", 6, 7, "f:2:3: error: m\ndef\n  ^\n");
    prints("abc\ndef", 5, 5, "f:2:2: error: m\ndef\n ^\n");
    prints("abc\ndef", 1, 6, "f:1:2: error: m\nabc\n ^~\n");    // runs into the next line
    prints("abc\ndef", 3, 4, "f:1:4: error: m\nabc\n   ^\n");   // the newline itself
    prints("abc", 3, 3, "f:1:4: error: m\nabc\n   ^\n");        // the end of the file
    prints("abc", 99, 120, "f:1:4: error: m\nabc\n   ^\n");     // beyond
    prints("", 0, 0, "f:1:1: error: m\n\n^\n");                 // nothing there
    prints("ab\r\ncd\r\n", 4, 6, "f:2:1: error: m\ncd\n^~\n");  // the other line ends
    prints("\tab\tc", 1, 3, "f:1:2: error: m\n        ab      c\n        ^~\n");
    prints("\tab\tc", 2, 5, "f:1:3: error: m\n        ab      c\n         ^~~~~~~~\n");
    prints("a\xc3\xa4"
           "b = x",
           3, 4,
           "f:1:4: error: m\na\xc3\xa4"
           "b = x\n  ^\n");
    prints("a\xc3\xa4"
           "b",
           1, 3,
           "f:1:2: error: m\na\xc3\xa4"
           "b\n ^\n");
    prints("\xe6\xbc\xa2\xe5\xad\x97 x", 3, 6,
           "f:1:4: error: m\n\xe6\xbc\xa2\xe5\xad\x97 x\n  ^~\n");
    prints("e\xcc\x81x", 3, 4, "f:1:4: error: m\ne\xcc\x81x\n ^\n");  // a combining accent
    prints("\xf0\x9f\x98\x80x", 4, 5, "f:1:5: error: m\n\xf0\x9f\x98\x80x\n  ^\n");
    prints("\x01x\xffy", 3, 4, "f:1:4: error: m\n<01>x<FF>y\n         ^\n");
    prints("\xc0\xafx", 2, 3, "f:1:3: error: m\n<C0><AF>x\n        ^\n");  // overlong
    prints("\xed\xa0\x80x", 3, 4,
           "f:1:4: error: m\n<ED><A0><80>x\n            ^\n");             // a surrogate
    prints("x\xe2\x82", 1, 3, "f:1:2: error: m\nx<E2><82>\n ^~~~~~~~\n");  // cut off
}

static void long_lines_are_cut(void) {
    char text[2001];
    memset(text, 'a', 2000);
    text[2000] = '\0';
    memcpy(text + 1000, "HERE", 4);
    struct session s;
    struct buf b;
    session_init(&s);
    buf_init(&b);
    int file = source_add(&s, "f", text, 2000);
    diag_error(&s, (struct range){(uint32_t)file, 1000, 1004}, "m");
    diag_fixit(&s, (struct range){(uint32_t)file, 1000, 1004}, "THERE");
    diag_print_text(&s, &b, false);
    char *line = strchr(b.text, '\n') + 1, *caret = strchr(line, '\n') + 1,
         *fix = strchr(caret, '\n') + 1;
    CHECK(caret - line < 210, "the line has %d bytes", (int)(caret - line));
    int at = (int)(strchr(caret, '^') - caret);
    CHECK(strncmp(line + at, "HERE", 4) == 0, "%s", b.text);
    CHECK(strncmp(caret + at, "^~~~\n", 5) == 0, "%s", b.text);
    CHECK((int)(strstr(fix, "THERE") - fix) == at, "%s", b.text);
    buf_release(&b);
    session_release(&s);
}

static void notes_fixits_and_order(void) {
    struct session s;
    struct buf b;
    session_init(&s);
    buf_init(&b);
    int f = source_add(&s, "f", "one\ntwo\n", 8), g = source_add(&s, "g", "three\n", 6);
    struct range one = {(uint32_t)f, 0, 3}, two = {(uint32_t)f, 4, 7}, three = {(uint32_t)g, 0, 5};
    diag_error(&s, three, "third");
    diag_error(&s, two, "second");
    diag_note(&s, one, "see");
    diag_fixit(&s, one, "ONE");
    diag_warn(&s, W_UNUSED, one, "first");
    diag_fixit(&s, one, "1");
    diag_fixit(&s, (struct range){(uint32_t)f, 3, 3}, ";");
    diag_error(&s, RANGE_NONE, "nowhere");
    diag_print_text(&s, &b, false);
    CHECK_STR(b.text, "tcpc: error: nowhere\n"
                      "f:1:1: warning: first [-Wunused]\none\n^~~\n1  ;\n"
                      "f:2:1: error: second\ntwo\n^~~\n"
                      "f:1:1: note: see\none\n^~~\nONE\n"
                      "g:1:1: error: third\nthree\n^~~~~\n"
                      "3 errors and 1 warning generated\n");
    buf_clear(&b);
    diag_print_json(&s, &b);
    CHECK_STR(
        b.text,
        "[\n {\"severity\": \"error\", \"file\": null, \"message\": \"nowhere\"},\n"
        " {\"severity\": \"warning\", \"file\": \"f\", \"line\": 1, \"column\": 1, \"end_line\": "
        "1, "
        "\"end_column\": 4, \"message\": \"first\", \"warning\": \"unused\", \"explain\": "
        "\"unused\", \"fixits\": "
        "[{\"file\": \"f\", "
        "\"line\": 1, \"column\": 1, \"end_line\": 1, \"end_column\": 4, \"text\": \"1\"}, "
        "{\"file\": \"f\", "
        "\"line\": 1, \"column\": 4, \"end_line\": 1, \"end_column\": 4, \"text\": \";\"}]},\n"
        " {\"severity\": \"error\", \"file\": \"f\", \"line\": 2, \"column\": 1, \"end_line\": 2, "
        "\"end_column\": 4, \"message\": \"second\", \"notes\": [{\"severity\": \"note\", "
        "\"file\": \"f\", "
        "\"line\": 1, \"column\": 1, \"end_line\": 1, \"end_column\": 4, \"message\": \"see\", "
        "\"fixits\": "
        "[{\"file\": \"f\", \"line\": 1, \"column\": 1, \"end_line\": 1, \"end_column\": 4, "
        "\"text\": "
        "\"ONE\"}]}]},\n"
        " {\"severity\": \"error\", \"file\": \"g\", \"line\": 1, \"column\": 1, \"end_line\": 1, "
        "\"end_column\": 6, \"message\": \"third\"}\n]\n");
    buf_clear(&b);
    diag_print_text(&s, &b, true);
    CHECK(strstr(b.text, "\033[1;31merror") && strstr(b.text, "\033[1;32m^"), "colour: %s", b.text);
    buf_release(&b);
    session_release(&s);
}

static void limits(void) {
    struct session s;
    struct buf b;
    session_init(&s);
    buf_init(&b);
    char text[64];
    memset(text, 'x', sizeof text);
    int f = source_add(&s, "f", text, sizeof text);
    s.diags.error_limit = 3;
    for (uint32_t i = 0; i < 10; i++) {
        CHECK(diag_full(&s) == (i > 3), "after %u errors", i);
        struct range at = {(uint32_t)f, 9 - i, 10 - i};
        diag_error(&s, at, "e%u", i);
        diag_error(&s, at, "e%u", i);  // the same again is dropped
    }
    CHECK(s.diags.nerrors == 10, "%d errors", s.diags.nerrors);
    diag_print_text(&s, &b, false);
    CHECK(strstr(b.text, "e9") && strstr(b.text, "e7") && !strstr(b.text, "e6"), "%s", b.text);
    CHECK(strstr(b.text, "too many errors: stopped after 3\n3 errors generated\n"), "%s", b.text);
    buf_clear(&b);
    s.diags.error_limit = 0;
    diag_print_text(&s, &b, false);
    CHECK(strstr(b.text, "e0") && !diag_full(&s), "no limit: %s", b.text);
    buf_release(&b);
    session_release(&s);
}

// What one warning "w" becomes after "options", a blank between two: "warning", "error" or
// "nothing".
static const char *becomes(const char *options, enum warning w) {
    struct session s;
    session_init(&s);
    char words[128], *save = NULL;
    snprintf(words, sizeof words, "%s", options);
    for (char *word = strtok_r(words, " ", &save); word; word = strtok_r(NULL, " ", &save))
        CHECK(diag_option(&s, word), "%s", word);
    diag_warn(&s, w, RANGE_NONE, "m");
    diag_note(&s, RANGE_NONE, "n");
    diag_fixit(&s, RANGE_NONE, "x");
    const char *is = s.diags.nerrors ? "error" : s.diags.nwarnings ? "warning" : "nothing";
    struct buf b;
    buf_init(&b);
    diag_print_text(&s, &b, false);
    CHECK((strstr(b.text, "note: n") != NULL) == (strcmp(is, "nothing") != 0), "notes follow: %s",
          b.text);
    if (s.diags.nerrors) CHECK(strstr(b.text, "error: m [-Werror,-W"), "%s", b.text);
    buf_release(&b);
    session_release(&s);
    return is;
}

static void warning_options(void) {
    CHECK_STR(becomes("", W_UNUSED), "warning");
    CHECK_STR(becomes("-Wno-unused", W_UNUSED), "nothing");
    CHECK_STR(becomes("-Wno-unused", W_VECTORIZE), "warning");
    CHECK_STR(becomes("-Wno-unused -Wunused", W_UNUSED), "warning");
    CHECK_STR(becomes("-Werror", W_UNUSED), "error");
    CHECK_STR(becomes("-Werror -Wno-error", W_UNUSED), "warning");
    CHECK_STR(becomes("-Werror=unused", W_UNUSED), "error");
    CHECK_STR(becomes("-Werror=unused", W_VECTORIZE), "warning");
    CHECK_STR(becomes("-Werror -Wno-error=unused", W_UNUSED), "warning");
    CHECK_STR(becomes("-Wno-error=unused -Werror=unused", W_UNUSED), "error");
    CHECK_STR(becomes("-w", W_UNUSED), "nothing");
    CHECK_STR(becomes("-Wno-unused -Wall", W_UNUSED), "warning");
    CHECK_STR(becomes("-Wall -Wno-unused", W_UNUSED), "nothing");

    struct session s;
    session_init(&s);
    CHECK(!diag_option(&s, "-Wunusd") && !diag_option(&s, "-Wno-frobnicate") &&
              !diag_option(&s, "-Werror="),
          "unknown warnings");
    CHECK_STR(s.diags.first->message, "unknown warning 'unusd'; did you mean 'unused'?");
    CHECK(strncmp(s.diags.first->next->message,
                  "unknown warning 'frobnicate'; there are vectorize, ", 50) == 0,
          "what there is: %s", s.diags.first->next->message);
    session_release(&s);
    for (int w = 1; w < W_COUNT; w++) {
        const struct warning_row *row = warning_row(w);
        CHECK(row->name[0] && row->help[0], "warning %d has a name and help", w);
    }
}

static void suggestions(void) {
    static const char *const names[] = {"copy", "kernel", "tile_to_shape", "o", "sA", "sB", NULL};
    CHECK_STR(diag_did_you_mean("cpy", names, 7), "copy");
    CHECK_STR(diag_did_you_mean("kernal", names, 7), "kernel");
    CHECK_STR(diag_did_you_mean("kerenl", names, 7), "kernel");
    CHECK_STR(diag_did_you_mean("tile_toshape", names, 7), "tile_to_shape");
    CHECK_STR(diag_did_you_mean("sC", names, 7), "sA");
    CHECK(!diag_did_you_mean("x", names, 7), "one letter is near nothing");
    CHECK(!diag_did_you_mean("", names, 7), "nothing is near nothing");
    CHECK(!diag_did_you_mean("frobnicate", names, 7), "too far");
    static const char *const pairs[] = {"u32",           "f32", "partition_dst",
                                        "partition_src", "col", "tid"};
    CHECK_STR(diag_did_you_mean("F32", pairs, 6), "f32");
    CHECK_STR(diag_did_you_mean("partition_S", pairs, 6), "partition_src");
    CHECK_STR(diag_did_you_mean("partition_DST", pairs, 6), "partition_dst");
    CHECK(!diag_did_you_mean("foo", pairs, 6), "of three letters two are otherwise");
    CHECK(!diag_did_you_mean("min", pairs, 6), "of three letters two are otherwise");
    CHECK_STR(diag_did_you_mean("tod", pairs, 6), "tid");
    static const char *const starts[] = {"unused", "vectors"};
    CHECK_STR(diag_did_you_mean("unusual", starts, 2), "unused");
    CHECK(!diag_did_you_mean("abcused", starts, 2), "three letters, and another begin");
    char longest[200];
    memset(longest, 'k', sizeof longest);
    longest[199] = '\0';
    CHECK(!diag_did_you_mean(longest, names, 7), "too long");
    CHECK(!diag_did_you_mean("cpy", names, 0), "no names");
}

static void sources(void) {
    struct session s;
    session_init(&s);
    CHECK(source_read(&s, "no-such-file") < 0 && errno == ENOENT, "a file that is not there: %s",
          strerror(errno));
    CHECK(source_read(&s, "/") < 0 && errno == EISDIR, "a folder: %s", strerror(errno));
    for (int i = 0; i < 20; i++) CHECK(source_add(&s, "f", "a\nb\n\nc", 6) == i, "source %d", i);
    static const int lines[] = {1, 1, 2, 2, 3, 4, 4, 4}, cols[] = {1, 2, 1, 2, 1, 1, 2, 2};
    for (uint32_t at = 0; at < 8; at++) {
        int line, col;
        source_place(&s, (struct range){7, at, at}, &line, &col);
        CHECK(line == lines[at] && col == cols[at], "byte %u is at %d:%d", at, line, col);
    }
    struct range j = range_join((struct range){1, 5, 7}, (struct range){1, 2, 6});
    CHECK(j.file == 1 && j.begin == 2 && j.end == 7, "joined: %u %u", j.begin, j.end);
    j = range_join((struct range){1, 5, 7}, (struct range){2, 2, 6});
    CHECK(j.file == 1 && j.begin == 5 && j.end == 7, "not joined: %u %u", j.begin, j.end);
    CHECK(!source_known(&s, RANGE_NONE), "no place");
    session_release(&s);
}

int main(void) {
    carets();
    long_lines_are_cut();
    notes_fixits_and_order();
    limits();
    warning_options();
    suggestions();
    sources();
    return check_done();
}
