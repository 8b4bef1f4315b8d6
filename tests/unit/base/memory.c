// The arena, text buffers and interned names.
#include <stdint.h>
#include <string.h>

#include "base/buf.h"
#include "base/escape.h"
#include "base/session.h"
#include "check.h"

static void arena_gives_zeroed_aligned_memory(void) {
    struct arena a;
    arena_init(&a);
    for (size_t bytes = 0; bytes < 5000; bytes += 7) {
        unsigned char *p = arena_alloc(&a, bytes);
        CHECK((uintptr_t)p % 16 == 0, "%zu bytes at %p", bytes, (void *)p);
        size_t sum = 0;
        for (size_t i = 0; i < bytes; i++) sum += p[i];
        CHECK(sum == 0, "%zu bytes hold something", bytes);
        memset(p, 0xee, bytes);
    }
    char *big = arena_alloc(&a, 3 << 20);
    big[(3 << 20) - 1] = 1;
    CHECK_STR(arena_strndup(&a, "abcdef", 3), "abc");
    CHECK_STR(arena_printf(&a, "%d-%s", 12, "x"), "12-x");
    arena_release(&a);
}

static void arena_makes_room(void) {
    struct arena a;
    arena_init(&a);
    int *at = NULL, cap = 0, moves = 0;
    for (int n = 0; n < 1000; ++n) {
        int *more = arena_more(&a, at, sizeof *at, n, &cap);
        CHECK(cap > n, "room for %d things, %d are there", cap, n);
        moves += more != at;
        at = more;
        at[n] = n;
    }
    for (int n = 0; n < 1000; ++n) CHECK(at[n] == n, "thing %d became %d", n, at[n]);
    CHECK(moves < 10, "the array moved %d times", moves);
    arena_release(&a);
}

static void arena_rewinds(void) {
    struct arena a;
    arena_init(&a);
    char *kept = arena_strndup(&a, "kept", 4);
    struct arena_mark mark = arena_mark(&a);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 1000; i++) memset(arena_alloc(&a, 1000), 0xcc, 1000);
        arena_rewind(&a, mark);
        CHECK(a.total == mark.total, "total %zu, at the mark %zu", a.total, mark.total);
        unsigned char *p = arena_alloc(&a, 64);
        CHECK(p[0] == 0 && p[63] == 0, "memory given again is not zero");
    }
    CHECK_STR(kept, "kept");
    struct arena_mark empty = {0};
    arena_rewind(&a, empty);
    CHECK(a.total == 0 && !a.head, "a rewind to the start leaves nothing");
    arena_release(&a);
}

static void buffers_grow(void) {
    struct buf b;
    buf_init(&b);
    CHECK_STR(b.text, "");
    for (int i = 0; i < 1000; i++) buf_printf(&b, "%d,", i);
    CHECK(b.len == 3890, "length %zu", b.len);
    CHECK(strlen(b.text) == b.len, "the NUL stands at %zu", strlen(b.text));
    CHECK(strncmp(b.text + b.len - 8, "998,999,", 8) == 0, "ends in %s", b.text + b.len - 8);
    buf_clear(&b);
    buf_fill(&b, 'x', 3);
    buf_fill(&b, 'y', -1);
    buf_char(&b, 'z');
    CHECK_STR(b.text, "xxxz");
    buf_clear(&b);
    buf_printf(&b, "%0300d", 1);
    CHECK(b.len == 300 && b.text[299] == '1', "one long conversion");
    struct arena a;
    arena_init(&a);
    CHECK(strlen(buf_finish(&b, &a)) == 300, "finished");
    arena_release(&a);
}

static void json_strings(void) {
    struct buf b;
    buf_init(&b);
    buf_json_string(&b, "a\"b\\c\nd\te\x01\x7f\xc3\xa4\xff\xe2\x86");
    CHECK_STR(b.text, "\"a\\\"b\\\\c\\nd\\u0009e\\u0001\\u007f\xc3\xa4\\ufffd\\ufffd\\ufffd\"");
    buf_release(&b);
}

static void equal_names_are_one(void) {
    struct session s;
    session_init(&s);
    const char *first[2000];
    char name[32];
    for (int i = 0; i < 2000; i++) {
        snprintf(name, sizeof name, "name%d", i);
        first[i] = intern(&s, name);
    }
    for (int i = 0; i < 2000; i++) {
        snprintf(name, sizeof name, "name%dtail", i);
        CHECK(intern_n(&s, name, strlen(name) - 4) == first[i], "%s", name);
        CHECK_STR(first[i], (name[strlen(name) - 4] = '\0', name));
    }
    CHECK(intern(&s, "") == intern(&s, ""), "the empty name");
    CHECK(intern_n(&s, "ab\0cd", 5) == intern(&s, "ab"), "a name ends at its zero byte");
    CHECK(intern(&s, "a") != intern(&s, "b"), "different names");
    struct arena_mark mark = arena_mark(&s.arena);
    const char *late = intern(&s, "late");
    arena_rewind(&s.arena, mark);
    arena_alloc(&s.arena, 100);
    CHECK_STR(late, "late");
    CHECK(intern(&s, "late") == late, "a name outlives a rewind");
    session_release(&s);
}

// What was allocated since a trap was set is given back; a trap within another is of its own.
static void traps_catch(void) {
    struct trap outer, inner;
    char *volatile kept = NULL;
    trap_set(&outer);
    int why = setjmp(outer.at);
    if (!why) {
        kept = memory_new(10);
        strcpy(kept, "kept");
        trap_set(&inner);
        int again = setjmp(inner.at);
        if (!again) {
            memory_zeroed(3, 1000);
            memory_new(SIZE_MAX / 2);
        }
        CHECK(again == TRAPPED_MEMORY, "%d", again);
        trap_free(&inner);
        trap_end(&inner);
        CHECK_STR(kept, "kept");
        BUG("the number is %d", 5);
    }
    CHECK(why == TRAPPED_BUG, "%d", why);
    CHECK(strstr(outer.bug, "memory.c:") && strstr(outer.bug, ": the number is 5"), "%s",
          outer.bug);
    trap_free(&outer);
    trap_end(&outer);
}

int main(void) {
    traps_catch();
    arena_gives_zeroed_aligned_memory();
    arena_makes_room();
    arena_rewinds();
    buffers_grow();
    json_strings();
    equal_names_are_one();
    return check_done();
}
