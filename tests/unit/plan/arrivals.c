// Rows of arrivals: what a kind does, its words, and when one wait serves for another.
#include "hw/arrival.h"

#include "check.h"

enum { SOME = 8 };

int main(void) {
    const struct arrival all[SOME] = {
        arrival_none,  arrival_groups(0),    arrival_groups(1),    arrival_groups(63),
        arrival_block, arrival_named(1, 64), arrival_named(1, 96), arrival_named(2, 64),
    };
    static const char *const wait[SOME] = {"",
                                           "wait 0",
                                           "wait 1",
                                           "wait 63",
                                           "barrier",
                                           "barrier of 64 threads at 1",
                                           "barrier of 96 threads at 1",
                                           "barrier of 64 threads at 2"};
    char text[ARRIVAL_TEXT];
    for (int i = 0; i < SOME; ++i) {
        struct arrival a = all[i];
        const struct arrival_row *row = arrival_row(a);
        CHECK_STR(arrival_text(a, false, text), wait[i]);
        // each wait is for copies or for threads, and a count that may be raised is of groups
        HOLDS(arrival_is(a) == (row->completes || row->joins) && !(row->completes && row->joins));
        HOLDS((row->most > 0) == (a.kind == ARRIVAL_GROUP));
        HOLDS(arrival_serves(a, a) && arrival_serves(a, arrival_none));
        HOLDS(arrival_strictest(a) == (arrival_is(a) && (a.kind != ARRIVAL_GROUP || a.count == 0)));
        for (int j = 0; j < SOME; ++j) {
            // of different ones, only a wait that leaves fewer groups in flight
            bool fewer = a.kind == ARRIVAL_GROUP && all[j].kind == a.kind && a.count < all[j].count;
            if (i != j && arrival_is(all[j])) HOLDS(arrival_serves(a, all[j]) == fewer);
        }
    }
    CHECK_STR(arrival_text(arrival_groups(0), true, text), "commit");
    CHECK_STR(arrival_text(arrival_named(3, 64), true, text), "arrive of 64 threads at 3");
    return check_done();
}
