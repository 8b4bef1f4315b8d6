// JSON: what is taken and what it is, what is refused and where, the limits, and changed texts.
#include "base/json.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/buf.h"
#include "check.h"

static void put(struct buf *b, const struct json_value *v) {
    if (v->key) buf_printf(b, "%s=", v->key);
    switch (v->kind) {
    case JSON_NULL: buf_puts(b, "null"); return;
    case JSON_BOOL: buf_puts(b, v->number ? "true" : "false"); return;
    case JSON_NUMBER: buf_printf(b, v->whole ? "%lld" : "~%lld", (long long)v->number); break;
    case JSON_TEXT: buf_printf(b, "<%s>", v->text); return;
    case JSON_LIST:
    case JSON_OBJECT: break;
    }
    if (v->kind == JSON_NUMBER) return;
    buf_char(b, v->kind == JSON_LIST ? '[' : '{');
    for (const struct json_value *x = v->first; x; x = x->next) {
        put(b, x);
        buf_char(b, ';');
    }
    buf_char(b, v->kind == JSON_LIST ? ']' : '}');
}

static void reads(const char *text, const char *want) {
    struct arena a;
    struct buf b;
    struct json_error e;
    arena_init(&a);
    buf_init(&b);
    const struct json_value *v = json_read(&a, text, strlen(text), &e);
    if (CHECK(v != NULL, "%s: %s", text, v ? "" : e.what)) {
        put(&b, v);
        CHECK_STR(b.text, want);
    }
    buf_release(&b);
    arena_release(&a);
}

static void refuses(const char *text, size_t size, int line, int column, const char *want) {
    struct arena a;
    struct json_error e = {0};
    arena_init(&a);
    if (CHECK(!json_read(&a, text, size, &e), "taken: %.40s", text)) {
        CHECK_STR(e.what, want);
        CHECK(e.line == line && e.column == column, "%.40s: at %d:%d", text, e.line, e.column);
    }
    arena_release(&a);
}
#define REFUSES(text, line, column, want) refuses(text, sizeof text - 1, line, column, want)

static void taken(void) {
    reads(" null\r\n", "null");
    reads("[true, false]", "[true;false;]");
    reads("{ }", "{}");
    reads("{\"a\":[],\"b\" : {\"c\":-12}}", "{a=[];b={c=-12;};}");
    reads("0", "0");
    reads("-0", "0");
    reads("9223372036854775807", "9223372036854775807");
    reads("-9223372036854775808", "-9223372036854775808");
    reads("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "<\"\\/\b\f\n\r\t>");
    reads("\"\\u0041\\u00e4\\u20aC\\ud83d\\uDE00\"", "<A\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80>");
    reads("\"\xe2\x82\xac\x7f\"", "<\xe2\x82\xac\x7f>");
}

// Numbers that are no integers of 64 bits are there as they are written.
static void numbers(void) {
    static const char *const texts[] = {
        "9223372036854775808",
        "-9223372036854775809",
        "1.0",
        "1e3",
        "-0.5E-7",
        "1e+999999999",
        "123456789012345678901234567890123456789012345678901234567"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
        struct arena a;
        struct json_error e;
        arena_init(&a);
        const struct json_value *v = json_read(&a, texts[i], strlen(texts[i]), &e);
        if (CHECK(v && v->kind == JSON_NUMBER && !v->whole, "%s", texts[i]))
            CHECK_STR(v->text, texts[i]);
        arena_release(&a);
    }
}

static void refused(void) {
    REFUSES("", 1, 1, "it ends too early");
    REFUSES("\n [1,\n  ", 3, 3, "it ends too early");
    REFUSES("nul", 1, 1, "a value is expected");
    REFUSES("[1,]", 1, 4, "a value is expected");
    REFUSES("[1 2]", 1, 4, "',' or ']' is expected");
    REFUSES("[1", 1, 3, "',' or ']' is expected");
    REFUSES("{\"a\":1 \"b\":2}", 1, 8, "',' or '}' is expected");
    REFUSES("{\"a\":1,}", 1, 8, "a text in quotes is expected");
    REFUSES("{a:1}", 1, 2, "a text in quotes is expected");
    REFUSES("{\"a\" 1}", 1, 6, "':' is expected");
    REFUSES("{\"a\":1,\"b\":2,\"a\":3}", 1, 20, "an object has a key twice");
    REFUSES("1 2", 1, 3, "something follows the value");
    REFUSES("01", 1, 2, "a number begins with a needless 0");
    REFUSES("-", 1, 2, "a digit is expected");
    REFUSES("1.", 1, 3, "a digit is expected");
    REFUSES("1e+", 1, 4, "a digit is expected");
    REFUSES("+1", 1, 1, "a value is expected");
    REFUSES("NaN", 1, 1, "a value is expected");
    REFUSES("\"a", 1, 3, "a text has no end");
    REFUSES("\"a\\", 1, 4, "this escape does not exist");
    REFUSES("\"\\x\"", 1, 3, "this escape does not exist");
    REFUSES("\"\\u12g4\"", 1, 6, "an escape \\u has four hexadecimal digits");
    REFUSES("\"\\u0000\"", 1, 8, "a text has the character U+0000");
    REFUSES("\"\\ud800x\"", 1, 8, "half of a pair of surrogates");
    REFUSES("\"\\udc00\\udc00\"", 1, 8, "half of a pair of surrogates");
    REFUSES("\"\\ud800\\ud800\"", 1, 14, "half of a pair of surrogates");
    REFUSES("\"a\nb\"", 1, 3, "a control character in a text");
    REFUSES("\"\0\"", 1, 2, "a control character in a text");
    REFUSES("\0", 1, 1, "a value is expected");
    REFUSES("\"\xc0\xaf\"", 1, 2, "a text is not UTF-8");
    REFUSES("\"\xed\xa0\x80\"", 1, 2, "a text is not UTF-8");
    REFUSES("\xef\xbb\xbf{}", 1, 1, "a value is expected");
    REFUSES("{} // none", 1, 4, "something follows the value");
}

// "n" times "open".
static void repeated(const char *open, size_t n, const char *want) {
    struct buf b;
    struct arena a;
    struct json_error e = {0};
    buf_init(&b);
    arena_init(&a);
    for (size_t i = 0; i < n; ++i) buf_puts(&b, open);
    HOLDS(!json_read(&a, b.text, b.len, &e));
    CHECK_STR(e.what, want);
    arena_release(&a);
    buf_release(&b);
}

static void limits(void) {
    repeated("[", JSON_DEPTH, "it ends too early");
    repeated("[", JSON_DEPTH + 1, "lists and objects are nested too deeply");
    repeated("[", 10000000, "lists and objects are nested too deeply");
    repeated("{\"a\":", 10000000, "lists and objects are nested too deeply");
    struct buf b;
    buf_init(&b);
    for (int i = 0; i < 2 * JSON_VALUES; ++i) buf_puts(&b, i ? ",0" : "[0");
    refuses(b.text, b.len, 1, 2 * (JSON_VALUES - 1) + 2, "there are too many values");
    buf_release(&b);
}

// Changed and cut texts are taken or refused, and reading ends.
static void changed(void) {
    static const char text[] =
        "{\"schema\": 1, \"kernels\": [{\"name\": \"k\\u00e4\\ud83d\\ude00\", \"copies\": [],"
        "\"bytes\": {\"least\": -12, \"most\": 3.5e7}, \"no\": null, \"yes\": [true, false]}]}";
    static const char with[] = "{}[]\",:\\u0e-.\x80\xc3 9n";
    unsigned state = 1;
    for (int i = 0; i < 50000; ++i) {
        struct arena a;
        struct json_error e = {0};
        size_t n = sizeof text - 1;
        arena_init(&a);
        char *x = malloc(n);  // of just this size, so that a step beyond it is seen
        memcpy(x, text, n);
        for (int k = 0; k <= i % 3; ++k) {
            state = state * 1664525 + 1013904223;
            x[(state >> 8) % n] = with[(state >> 16) % (sizeof with - 1)];
        }
        if (i % 5 == 0) {
            n = (state >> 9) % n;
            x = realloc(x, n + 1);
        }
        const struct json_value *v = json_read(&a, x, n, &e);
        CHECK(v ? v->kind <= JSON_OBJECT : e.what && e.line > 0 && e.column > 0, "%.*s", (int)n, x);
        free(x);
        arena_release(&a);
    }
}

int main(void) {
    taken();
    numbers();
    refused();
    limits();
    changed();
    return check_done();
}
