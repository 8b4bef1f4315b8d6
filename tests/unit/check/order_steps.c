// Which steps of pipelines and which iterations of loops the race checker goes through.
#include "check/program.h"

// A pipeline's last steps touch nothing, so that no barrier is needed behind it.  With steps left
// out the last one that is gone through reads; step by step it does not, unless all do.
static void test_confirmed(void) {
    static const struct {
        const char *program;
        bool in_order;
    } row[] = {
        {"steps v N 2 200; for i 0 2 { w s t; wide for j 0 v { bar; if j N-2 { r s t+1 } } }",
         true},
        {"steps v N 2 200; for i 0 2 { w s t; wide for j 0 v { bar; if j N { r s t+1 } } }", false},
    };
    for (int i = 0; i < 2; ++i) {
        struct test x = {.at = row[i].program};
        struct order_fault f;
        int64_t sym[8] = {0};
        begin(&x);
        x.k.body = list(&x);
        sym[x.param->id] = 9;
        CHECK(!order_check(&x.s, &x.k, sym, false, &f), "%s", row[i].program);
        CHECK(order_confirm(&x.s, &x.k, sym, &f) == row[i].in_order, "%s", row[i].program);
        session_release(&x.s);
    }
}

// How many steps of a pipeline are gone through: of "stages" stages, that has "steps" steps (text)
// with N, and in a loop, is entered again.
static void check_steps(const char *steps, int stages, int most, int64_t param, bool beyond,
                        bool again, int from, const char *want) {
    char got[256] = "";
    for (int m = 0; m < 60; ++m) {
        struct test x = {0};
        struct order_fault f;
        int64_t sym[8] = {0};
        begin(&x);
        x.at =
            arena_printf(&x.s.arena,
                         "for j 0 %d { steps v %s %d %d from %d; if %d v { if v %d { w s 0 } } }",
                         again ? 2 : 1, steps, stages, most, from, m - 1, m + 1);
        x.k.body = list(&x);
        if (!again) x.k.body = x.k.body->body;
        sym[x.param->id] = param;
        if (!order_check(&x.s, &x.k, sym, beyond, &f)) sprintf(got + strlen(got), "%d ", m);
        session_release(&x.s);
    }
    CHECK(strcmp(got, want) == 0, "%s steps of %d stages, %d at most, N %d%s%s\n  are %s\n  not %s",
          steps, stages, most, (int)param, beyond ? ", beyond" : "", again ? ", again" : "", got,
          want);
}

static void test_steps(void) {
    // none, one, as many as there are stages, and more, with which another slot is the last
    check_steps("N", 1, 200, 50, false, false, 0, "0 1 3 ");
    check_steps("N", 2, 200, 50, false, false, 0, "0 1 2 5 ");
    check_steps("N", 3, 200, 50, false, false, 0, "0 1 3 5 ");
    check_steps("N", 5, 200, 50, false, false, 0, "0 1 5 7 ");
    check_steps("N", 3, 200, 50, false, true, 0, "0 1 3 5 ");
    // no more than there are, or can be
    check_steps("N", 3, 200, 4, false, false, 0, "0 1 3 4 ");
    check_steps("N", 3, 200, 2, false, true, 0, "0 1 2 ");
    check_steps("N", 3, 200, 5, false, true, 0, "0 1 3 5 ");
    check_steps("N", 3, 200, 2, true, true, 0, "0 1 3 5 ");
    check_steps("N", 3, 200, 2, true, false, 0, "0 1 3 5 ");
    check_steps("N", 3, 4, 2, true, true, 0, "0 1 3 4 ");
    check_steps("N", 3, 3, 2, true, true, 0, "0 1 3 ");
    check_steps("N-197", 3, 200, 199, true, true, 0, "0 1 3 ");
    check_steps("N-191", 3, 200, 193, true, true, 0, "0 1 3 5 ");
    // some are certain
    check_steps("N+2", 3, 200, 40, false, false, 0, "2 3 5 ");
    check_steps("N+3", 3, 200, 40, false, false, 0, "3 5 ");
    check_steps("N+4", 3, 200, 40, false, true, 0, "4 5 ");
    check_steps("N+5", 3, 200, 40, false, true, 0, "5 6 ");
    check_steps("N+20", 3, 200, 40, false, false, 0, "20 21 ");
    // of a pipeline that begins at 2
    check_steps("N+2", 3, 200, 50, false, false, 2, "2 3 5 7 ");
    check_steps("N+2", 3, 200, 3, false, false, 2, "2 3 5 ");
    check_steps("N-190", 3, 200, 193, true, false, 2, "2 3 5 7 ");
    check_steps("N-194", 3, 200, 196, true, true, 2, "2 3 5 6 ");
    // all of them are certain: the last slot is as it would be
    check_steps("4", 3, 4, 0, false, true, 0, "4 ");
    check_steps("5", 3, 5, 0, false, true, 0, "5 ");
    check_steps("20", 3, 20, 0, false, false, 0, "5 ");
    check_steps("21", 3, 21, 0, false, true, 0, "6 ");
    check_steps("22", 3, 22, 0, true, true, 0, "7 ");
}

// Pipelines with N steps, of 200 at most.
static const struct row pipelines[] = {
    // one within another one: as many as there are stages, two more, and none
    {"steps v N 3 200; wide for i 0 v { steps j N 3 200; if -1 j { if j 1 { w s 0 } } }",
     "6w1 after 6w0: s 0..3, barrier"},
    {"steps v N 3 200; wide for i 0 v { steps j N 3 200; if 0 j { if j 3 { w s 0 } } }", "ok"},
    {"steps v N 3 200; wide for i 0 v { steps j N 3 200; if 2 j { if j 4 { w s 0 } } }",
     "6w1 after 6w0: s 0..3, barrier"},
    {"steps v N 3 200; wide for i 0 v { steps j N 3 200; if 3 j { if j 5 { w s 0 } } }", "ok"},
    {"steps v N 3 200; wide for i 0 v { steps j N 3 200; if 4 j { if j 6 { w s 0 } } }",
     "6w1 after 6w0: s 0..3, barrier"},
    // with as many as the outer one has none
    {"steps v N 3 200; wide for i 0 v { steps j N 3 200; if v 2 { if 2 j { w s 0 } } }",
     "6w1 after 6w0: s 0..3, barrier"},
    {"steps v N 3 200; wide for i 0 v { steps j N 3 200; if v 2 { if 3 j { w s 0 } } }", "ok"},
    {"steps v N 3 200; wide for i 0 v { steps j N 3 200; if 2 v { if v 4 { if 4 j { w s 0 } } } }",
     "7w1 after 7w0: s 0..3, barrier"},
    {"steps v N 3 200; wide for i 0 v { steps j N 3 200; if 4 v { if 0 j { w s 0 } } }", "ok"},
    // one behind the loop of another one is not within it
    {"steps v N 3 200; wide for i 0 v { bar } steps j N 3 200; if 0 j { if j 2 { w s 0 } }",
     "7w1 after 7w0: s 0..3, barrier"},
    // and one deeper
    {"steps v N 3 200; wide for i 0 v { steps j N 3 200; wide for k 0 j { steps l N 3 200; "
     "if 4 l { w s 0 } } }",
     "7w1 after 7w0: s 0..3, barrier"},
    {"steps v N 3 200; wide for i 0 v { steps j N 3 200; wide for k 0 j { steps l N 3 200; "
     "if 0 l { if l 2 { w s 0 } } } }",
     "8w1 after 8w0: s 0..3, barrier"},
    {"steps v N 3 200; wide for i 0 v { steps j N 3 200; wide for k 0 j { steps l N 3 200; "
     "if 1 l { if l 5 { w s 0 } } } }",
     "ok"},
    // of each thread its own
    {"steps v 4t 3 200; if 4 v { w s 0 }", "3w3 after 3w2: s 0..3, barrier"},
    {"steps v 4t 3 200; if 5 v { w s 0 }", "ok"},
    // loops that may have more iterations than the params say
    {"for i 0 N { w s 0 }", "2w1 after 2w0: s 0..3, barrier"},
    // global memory is at stake: no more steps than the params say
    {"steps v N-38 3 200; if 3 v { w s 0 }", "ok"},
};

// The same where the params say two of them, and there may be more.
static const struct row beyond[] = {
    {"steps v N-38 3 200; if 3 v { w s 0 }", "3w1 after 3w0: s 0..3, barrier"},
    {"steps v N-38 3 200; if 3 v { w s 0; r c t }", "3w1 after 3w0: s 0..3, barrier"},
    {"steps v N-38 3 200; if 3 v { w s 0; r g t }", "ok"},
    {"steps v N-38 3 200; if 3 v { w s 0; w g t }", "3w1 after 3w0: s 0..3, barrier"},
    {"steps v N-38 3 200; if 3 v { w s 0 } m g t s t", "ok"},
    {"steps v N-38 3 200; if 3 v { w s 0 } a g t s t", "ok"},
    {"steps v N-38 3 200; if 3 v { w s 0 } call g 0 4 r", "ok"},
    {"steps v N-38 3 200; if 3 v { w s 0 } call c 0 4 r", "3w1 after 3w0: s 0..3, barrier"},
    {"steps v N-38 3 200; if 3 v { w s 0 } if t 0 { } else { r g t }", "ok"},
    {"steps v N-38 3 200; if 3 v { w s 0 } m s t g t", "3w1 after 3w0: s 0..3, barrier"},
    {"for i 0 N-39 { if 0 i { lt 2 { w s 0 } } }", "4w1 after 4w0: s 0..3, barrier"},
    {"for i 0 N-39 { if 1 i { lt 2 { w s 0 } } }", "ok"},
    {"for i 5 N-35 { if 5 i { lt 2 { w s 0 } } }", "4w1 after 4w0: s 0..3, barrier"},
    {"for i 5 N-194 { if 5 i { lt 2 { w s 0 } } }", "ok"},
    {"for i 5 N-194 { if 4 i { lt 2 { w s 0 } } }", "4w1 after 4w0: s 0..3, barrier"},
    {"for i 0 N-40 { if -1 i { lt 2 { w s 0 } } }", "4w1 after 4w0: s 0..3, barrier"},
    {"most 2 for i 0 N-39 { if 0 i { lt 2 { w s 0 } } }", "4w1 after 4w0: s 0..3, barrier"},
    {"most 1 for i 0 N-39 { if 0 i { lt 2 { w s 0 } } }", "ok"},
    {"for i 0 N-199 { if 0 i { lt 2 { w s 0 } } }", "ok"},
    {"for i 0 N-199 { if -1 i { lt 2 { w s 0 } } }", "4w1 after 4w0: s 0..3, barrier"},
    {"for i 0 1 { if 0 i { lt 2 { w s 0 } } }", "ok"},
    {"for i 0 N-39 { if 0 i { lt 2 { w s 0 } } } r g t", "ok"},
};

int main(void) {
    CHECK_EACH(pipelines, 40, false, false);
    CHECK_EACH(beyond, 40, true, false);
    test_steps();
    test_confirmed();
    return check_done();
}
