// What is chosen of given times, and what is read and printed of results.
#include "run/tuned.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/session.h"
#include "check.h"

static int chosen(const double *ms, const bool *right, int n) {
    struct tuned of[8] = {{0}};
    for (int i = 0; i < n; ++i) of[i] = (struct tuned){.number = i, .right = right[i], .ms = ms[i]};
    return tune_choose(of, n);
}

static void choosing(void) {
    static const bool all[] = {true, true, true, true}, not_last[] = {true, true, true, false},
                      not_first[] = {false, true, true, true};
    HOLDS(chosen((const double[]){1}, all, 1) == 0);
    HOLDS(chosen((const double[]){1, 2, 3, 4}, all, 4) == 0);
    HOLDS(chosen((const double[]){4, 3, 1, 2}, all, 4) == 2);
    // the first of equals
    HOLDS(chosen((const double[]){4, 3, 2, 2}, all, 4) == 2);
    // no more than 1% is as good
    HOLDS(chosen((const double[]){1.0, 0.995, 0.991, 1}, all, 4) == 0);
    HOLDS(chosen((const double[]){1.01, 1.0, 1.0, 1.0}, all, 4) == 0);
    HOLDS(chosen((const double[]){1.0101, 1.0, 1.0, 1.0}, all, 4) == 1);
    HOLDS(chosen((const double[]){1.0, 0.995, 0.98, 0.979}, all, 4) == 3);
    // what is wrong does not count, nor what was not timed
    HOLDS(chosen((const double[]){4, 3, 2, 1}, not_last, 4) == 2);
    HOLDS(chosen((const double[]){4, 0, 3, 5}, all, 4) == 2);
    HOLDS(chosen((const double[]){0, 0, 0, 0}, all, 4) == 0);
    // the planner's choice may be refused
    HOLDS(chosen((const double[]){0, 3, 2.98, 4}, not_first, 4) == 1);
    HOLDS(chosen((const double[]){0, 3, 2, 4}, not_first, 4) == 2);
    HOLDS(chosen((const double[]){0, 0, 0, 0}, (const bool[]){false, false, false, false}, 4) == 4);
}

static bool reads(struct session *s, struct tuning *t, const char *text) {
    char path[] = "/tmp/tcpc-tune-XXXXXX";
    int fd = mkstemp(path);
    size_t n = strlen(text);
    bool written = fd >= 0 && write(fd, text, n) == (ssize_t)n;
    if (fd >= 0) close(fd);
    *t = (struct tuning){.kernel = "turned",
                         .params = "",
                         .bytes = 1000000,
                         .of = ARENA_ARRAY(&s->arena, struct tuned, 3),
                         .n = 3};
    t->of[0] = (struct tuned){.number = 0, .how = "tile 64x64"};
    t->of[1] = (struct tuned){.number = 1, .how = "tile 32x64"};
    t->of[2] = (struct tuned){.number = 3, .how = "tile 16x64"};
    bool ok = written && tune_read(s, path, t);
    unlink(path);
    return ok;
}

static const char whole[] = "device NVIDIA H200\n"
                            "versions driver 580.1, CUDA 13.0\n"
                            "buffers 4\n"
                            "rounds 7\n"
                            "memcpy 4000.0\n"
                            "right 0 0.000400\n"
                            "right 1 0.000500\n"
                            "right 2 0.000250\n";

static void reading(struct session *s) {
    struct tuning t;
    HOLDS(reads(s, &t, whole));
    CHECK_STR(t.device, "NVIDIA H200");
    CHECK_STR(t.versions, "driver 580.1, CUDA 13.0");
    HOLDS(t.buffers == 4 && t.rounds == 7 && t.copy == 4000 && t.of[1].ms == 0.0005);
    HOLDS(reads(s, &t,
                "wrong 1 element 3 is 0x0, expected 0x1\nright 2 1\nrefused 0 too many blocks\n"));
    HOLDS(!t.of[0].right && t.of[0].refused && !t.of[1].right && !t.of[1].refused && t.of[2].right);
    CHECK_STR(t.of[0].why, "too many blocks");
    CHECK_STR(t.of[1].why, "element 3 is 0x0, expected 0x1");
    // one is missing, one too many, a word that is none
    HOLDS(!reads(s, &t, "device x\nright 0 1\nright 1 1\n"));
    HOLDS(!reads(s, &t, "right 0 1\nright 1 1\nright 2 1\nright 3 1\n"));
    HOLDS(!reads(s, &t, "right 0 1\nright 1 1\nright -2 1\n"));
    HOLDS(!reads(s, &t, "right 0 1\nright 1 1\nleft 2 1\n"));
    HOLDS(!tune_read(s, "/nowhere/at/all", &t));
}

static void printing(struct session *s) {
    struct tuning t;
    struct buf b;
    HOLDS(reads(s, &t, whole));
    t.chosen = tune_choose(t.of, t.n);
    buf_init(&b);
    tune_print(&t, &b);
    CHECK_STR(
        b.text,
        "turned on NVIDIA H200, driver 580.1, CUDA 13.0: 1000000 bytes, 7 rounds, a plain copy "
        "reaches 4000.0 GB/s\n\n"
        "  candidate      GB/s  of copy\n"
        "          0    2500.0    0.625  tile 64x64\n"
        "          1    2000.0    0.500  tile 32x64\n"
        "*         3    4000.0    1.000  tile 16x64\n\n");
    buf_clear(&b);
    tune_head(&t, &b);
    CHECK_STR(
        b.text,
        "// Kernel 'turned' is candidate 3, chosen of 3 by tcpc tune.\n"
        "// Measured on NVIDIA H200, driver 580.1, CUDA 13.0: 4000 GB/s, a plain copy 4000, the "
        "planner's own choice 2500; medians of 7 rounds.\n");
    buf_clear(&b);
    t.params = "M = 64";
    tune_print_json(&t, &b);
    CHECK_STR(b.text,
              "{\"kernel\": \"turned\", \"params\": \"M = 64\", \"device\": \"NVIDIA H200\", "
              "\"versions\": \"driver 580.1, CUDA 13.0\",\n"
              " \"bytes\": 1000000, \"buffers\": 4, \"rounds\": 7, \"copy_gb_per_s\": 4000.0, "
              "\"chosen\": 3,\n"
              " \"candidates\": [\n"
              "  {\"candidate\": 0, \"ok\": true, \"ms\": 0.000400, \"gb_per_s\": 2500.0, "
              "\"how\": \"tile 64x64\"},\n"
              "  {\"candidate\": 1, \"ok\": true, \"ms\": 0.000500, \"gb_per_s\": 2000.0, "
              "\"how\": \"tile 32x64\"},\n"
              "  {\"candidate\": 3, \"ok\": true, \"ms\": 0.000250, \"gb_per_s\": 4000.0, "
              "\"how\": \"tile 16x64\"}\n ]}\n");
    buf_release(&b);
}

int main(void) {
    struct session s;
    session_init(&s);
    choosing();
    reading(&s);
    printing(&s);
    session_release(&s);
    return check_done();
}
