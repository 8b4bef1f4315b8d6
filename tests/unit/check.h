// What the unit tests have in common: a check that says where and what failed and goes on, and the
// exit status.
#ifndef TCPC_TESTS_UNIT_CHECK_H
#define TCPC_TESTS_UNIT_CHECK_H

#include <stdio.h>
#include <string.h>

static long check_count, check_failures;

// Counts a check of "condition"; when it does not hold, prints the place and the message "...".
// Returns "condition".
#define CHECK(condition, ...) check_that((condition), #condition, __FILE__, __LINE__, __VA_ARGS__)
// The same without a message.
#define HOLDS(condition)     check_that((condition), #condition, __FILE__, __LINE__, "does not hold")
#define CHECK_STR(got, want) check_str((got), (want), __FILE__, __LINE__)

#define check_that(condition, text, file, line, ...)                                               \
    ((condition)                                                                                   \
         ? (++check_count, 1)                                                                      \
         : (++check_count, ++check_failures, fprintf(stderr, "%s:%d: %s: ", file, line, text),     \
            fprintf(stderr, "" __VA_ARGS__), fputc('\n', stderr), 0))

// Checks that "got" is the text "want".
static inline int check_str(const char *got, const char *want, const char *file, int line) {
    ++check_count;
    if (got && strcmp(got, want) == 0) return 1;
    ++check_failures;
    fprintf(stderr, "%s:%d: got  %s\n%s:%d: want %s\n", file, line, got ? got : "(null)", file,
            line, want);
    return 0;
}

// Prints the counts; the value that main returns.
static inline int check_done(void) {
    printf("%ld checks, %ld failures\n", check_count, check_failures);
    return check_failures != 0;
}

#endif
