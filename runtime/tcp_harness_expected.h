// The state of a kernel's runs, and their expected results: the files of expected tags, and the
// elements that the tags identify. Part of tcp_harness.cpp; separate because it launches nothing.
#ifndef TCP_HARNESS_EXPECTED_H
#define TCP_HARNESS_EXPECTED_H

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tcp_backend.h"
#include "tcp_harness.h"
#include "tcp_harness_convert.h"
#include "tcp_harness_values.h"

static const size_t harness_guard_bytes = 1024;
static const unsigned char harness_poisons[2] = {0xcb, 0x34};
static const int64_t harness_untouched = -1, harness_anything = INT64_MIN;

struct harness_options {
    const char *data = ".", *kernel = nullptr, *print = nullptr;
    int repeats = 0;  // 0: no timing
    bool check = true;
    bool guards = true;
    bool until_failed = false;
    bool json = false;
    FILE *told() const {
        return json ? stderr : stdout;
    }  // the stream for failures
};

// The parts of a tag; see tcp_harness.h.
inline int harness_tensor_in(int64_t tag) {
    return (int)(tag >> 40 & 0x3fff);
}
inline int64_t harness_element_in(int64_t tag) {
    return tag & (((int64_t)1 << 40) - 1);
}
inline int harness_types_in(int64_t tag) {
    return (int)(tag >> 54 & 255);
}

// The buffers of one kernel and the results of its runs.
struct harness_session {
    const tcp_harness_kernel &k;
    const harness_options &opt;
    std::vector<tcp_backend_memory> memory;
    std::vector<int> expected;  // by tensor: the open file of an output's tags, or -1
    int digits = 1;
    bool tell_tensors = false;  // one more run, with the numbers of the tensors
    bool converts = false;      // one more run, with arbitrary bits
    // with conversions: all types represent the numbers below this
    int64_t common_base = 0;
    // For --print: the numbers seen in each digit's run, and which elements held the poison in each
    // of two runs.
    std::vector<int64_t> printed;
    std::vector<unsigned char> was_poison;
    int runs = 0, failed = 0;
    // mismatches have been reported in this run; one report is enough
    bool told = false;
    FILE *out;  // the stream for reports

    harness_session(const tcp_harness_kernel &kernel, const harness_options &chosen)
        : k(kernel), opt(chosen), expected((size_t)kernel.tensor_count, -1), out(chosen.told()) {}
    ~harness_session() {
        for (const int file : expected)
            if (file >= 0) close(file);
    }
    harness_session(const harness_session &) = delete;
    harness_session &operator=(const harness_session &) = delete;
};

// The number of elements filled and compared at a time, which limits the memory needed.
static const int64_t harness_at_once = 1 << 16;

// Reads the "n" tags of output "i" that start at element "e".
inline bool harness_read_tags(const harness_session &s, int i, int64_t e, int64_t n, int64_t *out) {
    char *at = (char *)out;
    size_t left = (size_t)n * sizeof *out;
    off_t from = (off_t)e * (off_t)sizeof *out;
    while (left > 0) {
        const ssize_t got = pread(s.expected[(size_t)i], at, left, from);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        at += got;
        from += got;
        left -= (size_t)got;
    }
    return true;
}

inline size_t harness_bytes_of(const tcp_harness_tensor &t) {
    return (size_t)t.count * (size_t)tcp_element_bytes(t.element);
}

// The numbers 0 .. base - 1 are exact in "element" and in every type that it is converted to.
inline int64_t harness_base_in(const harness_session &s, tcp_element element) {
    return s.converts ? s.common_base : harness_base_of(element);
}

// Stores at "to" what element "e" of input "t" holds in run "digit". The run after the digits has
// tensor numbers, the one after that arbitrary bits.
inline void harness_put_input(const harness_session &s, int t, int64_t e, int digit,
                              unsigned char *to) {
    const tcp_element element = s.k.tensors[t].element;
    const int64_t base = harness_base_in(s, element);
    if (s.converts && digit == s.digits + s.tell_tensors) {
        harness_put_any(element, t, e, to);
        return;
    }
    const int bits = __builtin_ctzll((unsigned long long)base) * digit;
    if (digit == s.digits)
        e = t + 1;
    else
        e = bits < 63 ? e >> bits : 0;
    harness_put_number(element, e & (base - 1), to);
}

// Converts the element at "at" through the types in "types", whose first one is its own, to "to".
inline void harness_convert_all(int types, tcp_element to, unsigned char *at) {
    unsigned char was[16];
    for (; types; types >>= 4) {
        const tcp_element is = (tcp_element)((types & 15) - 1);
        const tcp_element next = types >> 4 ? (tcp_element)((types >> 4) - 1) : to;
        memcpy(was, at, sizeof was);
        harness_convert(is, was, next, at);  // also back to its own type, which changes a NaN
    }
}

// Stores at "out" the element that "tag" identifies, as an element of type "to".
inline void harness_put_expected(const harness_session &s, int64_t tag, int digit, tcp_element to,
                                 unsigned char *out) {
    harness_put_input(s, harness_tensor_in(tag), harness_element_in(tag), digit, out);
    harness_convert_all(harness_types_in(tag), to, out);
}

// Stores at "out" the constant that "tag" identifies, as an element of "t".
inline void harness_put_constant(const tcp_harness_tensor &t, int64_t tag, unsigned char *out) {
    const int64_t which = (-2 - tag) & (((int64_t)1 << 54) - 1);
    memcpy(out, &t.constants[which], sizeof t.constants[which]);
    harness_convert_all(harness_types_in(-2 - tag), t.element, out);
}

// Notes which types are converted, to find the numbers that all of them represent.
inline void harness_note_types(harness_session &s, int64_t tag) {
    for (int types = harness_types_in(tag); types; types >>= 4) {
        const int64_t base = harness_base_of((tcp_element)((types & 15) - 1));
        s.common_base = s.converts ? std::min(s.common_base, base) : base;
        s.converts = true;
    }
}

// Whether "tag" of output "t" is valid: it identifies an element or a constant, or says that there
// is nothing to compare.
inline bool harness_known(const harness_session &s, const tcp_harness_tensor &t, int64_t tag) {
    if (tag < 0) return tag == harness_untouched || tag == harness_anything || t.constants;
    const int from = harness_tensor_in(tag);
    return from < s.k.tensor_count && harness_element_in(tag) < s.k.tensors[from].count;
}

// Opens the files of tags and checks every tag.
inline bool harness_read_expected(harness_session &s) {
    std::vector<int64_t> tags((size_t)harness_at_once);
    for (int i = 0; i < s.k.tensor_count; ++i) {
        const tcp_harness_tensor &t = s.k.tensors[i];
        if (!(t.role & TCP_HARNESS_OUT)) continue;
        const std::string path = std::string(s.opt.data) + "/" + (t.expected ? t.expected : "");
        const int in = s.expected[(size_t)i] = open(path.c_str(), O_RDONLY | O_CLOEXEC);
        struct stat about;
        if (in < 0 || fstat(in, &about) != 0 ||
            about.st_size != (off_t)t.count * (off_t)sizeof tags[0]) {
            fprintf(stderr, "error: '%s': %s\n", path.c_str(),
                    in < 0 ? strerror(errno) : "is not one tag for each element");
            return false;
        }
        for (int64_t e = 0; e < t.count; e += harness_at_once) {
            const int64_t n = std::min(harness_at_once, t.count - e);
            if (!harness_read_tags(s, i, e, n, tags.data())) {
                fprintf(stderr, "error: '%s' cannot be read\n", path.c_str());
                return false;
            }
            for (int64_t at = 0; at < n; ++at) {
                const int64_t tag = tags[(size_t)at];
                if (!harness_known(s, t, tag)) {
                    fprintf(stderr, "error: '%s': the tag %lld names no element\n", path.c_str(),
                            (long long)tag);
                    return false;
                }
                if (tag >= 0) harness_note_types(s, tag);
            }
        }
    }
    for (int i = 0; i < s.k.tensor_count && s.converts; ++i)
        s.common_base = std::min(s.common_base, harness_base_of(s.k.tensors[i].element));
    return true;
}

#endif
