// What an expression of a question (ask.h) is, worked out from its text alone: it shares nothing with index/ix.h.
#ifndef TCPC_TESTS_UNIT_PROVE_BRUTE_H
#define TCPC_TESTS_UNIT_PROVE_BRUTE_H

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

struct values {
    int64_t of[128];  // by letter
};

static int64_t quotient(int64_t a, int64_t b) {
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

static int64_t sum_at(const char **at, const struct values *v);
static int64_t product_at(const char **at, const struct values *v);

// "M*K/8]", rounded up
static int64_t rounded_up_at(const char **at, const struct values *v) {
    int64_t n = v->of[(int)*(*at)++];
    while (*(*at)++ == '*') n *= v->of[(int)*(*at)++];
    int64_t by = product_at(at, v);
    ++*at;
    return -quotient(-n, by);
}

static int64_t atom_at(const char **at, const struct values *v) {
    while (**at == ' ') ++*at;
    if (**at == '(') {
        ++*at;
        int64_t n = sum_at(at, v);
        ++*at;
        return n;
    }
    if (**at == '[') {
        ++*at;
        return rounded_up_at(at, v);
    }
    if (isdigit(**at)) {
        char *end;
        int64_t n = strtoll(*at, &end, 10);
        *at = end;
        return n;
    }
    return v->of[(int)*(*at)++];
}

static int64_t product_at(const char **at, const struct values *v) {
    int64_t n = atom_at(at, v);
    while (**at == '*' || **at == '/' || **at == '%') {
        char op = *(*at)++;
        int64_t by = atom_at(at, v);
        n = op == '*' ? n * by : op == '/' ? quotient(n, by) : n - by * quotient(n, by);
    }
    return n;
}

static int64_t sum_at(const char **at, const struct values *v) {
    int64_t n = product_at(at, v);
    while (**at == '+' || (**at == '-' && (*at)[1] != '>')) {
        bool minus = *(*at)++ == '-';
        int64_t term = product_at(at, v);
        n += minus ? -term : term;
    }
    return n;
}

static inline int64_t value_of(const char *text, const struct values *v) {
    return sum_at(&text, v);
}

#endif
