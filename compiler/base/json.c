// Reading JSON (see json.h).
#include "base/json.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/escape.h"

struct reader {
    struct arena *arena;
    const char *begin, *at, *end;
    const char *why;  // NULL: no error so far
    int depth, values;
};

static bool fail(struct reader *r, const char *why) {
    if (!r->why) r->why = why;
    return false;
}

static int peek(const struct reader *r) {
    return r->at < r->end ? (unsigned char)*r->at : -1;
}

static void blanks(struct reader *r) {
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\t' || *r->at == '\n' || *r->at == '\r'))
        ++r->at;
}

static bool take(struct reader *r, char c) {
    if (peek(r) != (unsigned char)c) return false;
    ++r->at;
    return true;
}

// -- texts ----------------------------------------------------------------------------------------

static int hex(int c) {
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

static int32_t unit(struct reader *r) {
    int32_t u = 0;
    for (int i = 0; i < 4; ++i) {
        int d = hex(peek(r));
        if (d < 0) return -1;
        u = u * 16 + d;
        ++r->at;
    }
    return u;
}

static char *encode(char *to, int32_t c) {
    int n = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    static const unsigned char head[4] = {0, 0xc0, 0xe0, 0xf0};
    *to++ = (char)(head[n] | c >> 6 * n);
    while (n-- > 0) *to++ = (char)(0x80 | (c >> 6 * n & 0x3f));
    return to;
}

// Reads the character after a backslash and writes what it stands for to "*to".
static bool escaped(struct reader *r, char **to) {
    static const char from[] = "\"\\/bfnrt", is[] = "\"\\/\b\f\n\r\t";
    int c = peek(r);
    const char *known = c > 0 ? strchr(from, c) : NULL;
    if (known) {
        ++r->at;
        *(*to)++ = is[known - from];
        return true;
    }
    if (!take(r, 'u')) return fail(r, "this escape does not exist");
    int32_t u = unit(r);
    if (u < 0) return fail(r, "an escape \\u has four hexadecimal digits");
    if (u == 0) return fail(r, "a text has the character U+0000");
    if (u >= 0xd800 && u < 0xe000) {
        int32_t low = u < 0xdc00 && take(r, '\\') && take(r, 'u') ? unit(r) : -1;
        if (low < 0xdc00 || low >= 0xe000) return fail(r, "half of a pair of surrogates");
        u = 0x10000 + ((u - 0xd800) << 10) + (low - 0xdc00);
    }
    *to = encode(*to, u);
    return true;
}

static const char *quoted(struct reader *r) {
    if (!take(r, '"')) return fail(r, "a text in quotes is expected"), NULL;
    const char *close = r->at;  // a decoded string is never longer than its source
    while (close < r->end && *close != '"') close += *close == '\\' && close + 1 < r->end ? 2 : 1;
    char *out = arena_room(r->arena, (size_t)(close - r->at) + 1), *to = out;
    while (!take(r, '"')) {
        int n, c = peek(r);
        if (c < 0) return fail(r, "a text has no end"), NULL;
        if (c < 0x20) return fail(r, "a control character in a text"), NULL;
        if (take(r, '\\')) {
            if (!escaped(r, &to)) return NULL;
            continue;
        }
        if (utf8_decode((const unsigned char *)r->at, (const unsigned char *)r->end, &n) < 0)
            return fail(r, "a text is not UTF-8"), NULL;
        memcpy(to, r->at, (size_t)n);
        to += n;
        r->at += n;
    }
    *to = 0;
    return out;
}

// -- numbers and words ----------------------------------------------------------------------------

static bool digits(struct reader *r) {
    const char *from = r->at;
    while (peek(r) >= '0' && peek(r) <= '9') ++r->at;
    return r->at > from || fail(r, "a digit is expected");
}

static bool number(struct reader *r, struct json_value *v) {
    const char *from = r->at;
    bool minus = take(r, '-');
    const char *first = r->at;
    if (take(r, '0') && peek(r) >= '0' && peek(r) <= '9')
        return fail(r, "a number begins with a needless 0");
    if (r->at == first && !digits(r)) return false;
    v->kind = JSON_NUMBER;
    v->whole = true;
    // counts down from 0, because INT64_MIN is further from 0 than INT64_MAX
    for (const char *p = first; p < r->at && v->whole; ++p)
        v->whole = !__builtin_mul_overflow(v->number, 10, &v->number) &&
                   !__builtin_sub_overflow(v->number, *p - '0', &v->number);
    if (v->whole && !minus) v->whole = !__builtin_sub_overflow(0, v->number, &v->number);
    if (take(r, '.')) {
        v->whole = false;
        if (!digits(r)) return false;
    }
    if (take(r, 'e') || take(r, 'E')) {
        v->whole = false;
        if (!take(r, '+')) take(r, '-');
        if (!digits(r)) return false;
    }
    v->text = arena_strndup(r->arena, from, (size_t)(r->at - from));
    return true;
}

static bool word(struct reader *r, const char *name) {
    size_t n = strlen(name);
    if ((size_t)(r->end - r->at) < n || memcmp(r->at, name, n) != 0) return false;
    r->at += n;
    return true;
}

// -- values ---------------------------------------------------------------------------------------

static struct json_value *value(struct reader *r);

static int by_key(const void *a, const void *b) {
    const struct json_value *const *x = a, *const *y = b;
    return strcmp((*x)->key, (*y)->key);
}

static bool keys_differ(struct reader *r, const struct json_value *first, int n) {
    struct arena_mark mark = arena_mark(r->arena);
    const struct json_value **all = ARENA_ROOM(r->arena, const struct json_value *, n + 1);
    bool differ = true;
    n = 0;
    for (const struct json_value *v = first; v; v = v->next) all[n++] = v;
    qsort(all, (size_t)n, sizeof *all, by_key);
    for (int i = 1; i < n; ++i) differ &= strcmp(all[i - 1]->key, all[i]->key) != 0;
    arena_rewind(r->arena, mark);
    return differ || fail(r, "an object has a key twice");
}

// Reads the values of a list or an object after its opening bracket.
static bool items(struct reader *r, struct json_value *v, bool object) {
    const struct json_value **last = &v->first;
    char close = object ? '}' : ']';
    int n = 0;
    v->kind = object ? JSON_OBJECT : JSON_LIST;
    if (++r->depth > JSON_DEPTH) return fail(r, "lists and objects are nested too deeply");
    for (blanks(r); !take(r, close); blanks(r)) {
        const char *key = NULL;
        if (n && !take(r, ','))
            return fail(r, object ? "',' or '}' is expected" : "',' or ']' is expected");
        blanks(r);
        if (object) {
            if (!(key = quoted(r))) return false;
            blanks(r);
            if (!take(r, ':')) return fail(r, "':' is expected");
        }
        struct json_value *x = value(r);
        if (!x) return false;
        x->key = key;
        *last = x;
        last = &x->next;
        ++n;
    }
    --r->depth;
    return !object || keys_differ(r, v->first, n);
}

static struct json_value *value(struct reader *r) {
    if (++r->values > JSON_VALUES) return fail(r, "there are too many values"), NULL;
    struct json_value *v = ARENA_NEW(r->arena, struct json_value);
    blanks(r);
    int c = peek(r);
    bool right = true;
    if (take(r, '{') || take(r, '[')) {
        right = items(r, v, c == '{');
    } else if (c == '"') {
        v->kind = JSON_TEXT;
        right = (v->text = quoted(r)) != NULL;
    } else if (c == '-' || (c >= '0' && c <= '9')) {
        right = number(r, v);
    } else if (word(r, "true") || word(r, "false")) {
        v->kind = JSON_BOOL;
        v->number = c == 't';
    } else if (!word(r, "null")) {
        right = fail(r, c < 0 ? "it ends too early" : "a value is expected");
    }
    return right ? v : NULL;
}

const struct json_value *json_read(struct arena *a, const char *text, size_t size,
                                   struct json_error *e) {
    struct reader r = {.arena = a, .begin = text, .at = text, .end = text + size};
    const struct json_value *v = value(&r);
    if (v) blanks(&r);
    if (v && r.at < r.end) fail(&r, "something follows the value");
    if (!r.why) return v;
    *e = (struct json_error){r.why, 1, 1};
    for (const char *p = r.begin; p < r.at; ++p) {
        e->column = *p == '\n' ? 1 : e->column + 1;
        e->line += *p == '\n';
    }
    return NULL;
}

const struct json_value *json_member(const struct json_value *v, const char *key) {
    const struct json_value *x = v && v->kind == JSON_OBJECT ? v->first : NULL;
    while (x && strcmp(x->key, key) != 0) x = x->next;
    return x;
}
