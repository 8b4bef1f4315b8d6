// What --print shows: a tensor as the runs saw it, whose numbers are put together from the digits
// of each run. Part of tcp_harness.cpp; separate because it checks nothing.
#ifndef TCP_HARNESS_PRINT_H
#define TCP_HARNESS_PRINT_H

#include <stdio.h>
#include <string.h>

#include <algorithm>
#include <vector>

#include "tcp_backend.h"
#include "tcp_harness_expected.h"

// Records what the view "v" of the elements at "data" holds in this run, for --print.
inline void harness_record(harness_session &s, const tcp_harness_view &v, tcp_element element,
                           const unsigned char *data, size_t bytes, int digit,
                           unsigned char poison) {
    const int64_t n = harness_view_size(v);
    const int each = tcp_element_bytes(element);
    if (s.printed.empty()) {
        s.printed.assign((size_t)n, 0);
        s.was_poison.assign((size_t)n, 0);
    }
    for (int64_t c = 0; c < n; ++c) {
        const int64_t e = harness_view_at(v, c);
        if (e < 0 || (size_t)(e + 1) * (size_t)each > bytes) continue;
        const unsigned char *at = data + e * each;
        if (digit == 0 &&
            std::all_of(at, at + each, [=](unsigned char b) { return b == poison; })) {
            ++s.was_poison[(size_t)c];
        }
        if (poison != harness_poisons[0] || digit >= s.digits) continue;
        int64_t number = std::max<int64_t>(harness_get_number(element, at), 0);
        for (int i = 0; i < digit; ++i) number *= harness_base_in(s, element);
        s.printed[(size_t)c] += number;
    }
}

inline void harness_record_tensor(harness_session &s, const char *name, int digit,
                                  unsigned char poison) {
    for (int i = 0; i < s.k.tensor_count; ++i) {
        const tcp_harness_tensor &t = s.k.tensors[i];
        if (strcmp(t.name, name)) continue;
        std::vector<unsigned char> is(harness_bytes_of(t));
        if (tcp_download(is.data(), s.memory[(size_t)i].at, is.size(), nullptr) == TCP_OK)
            harness_record(s, t.view, t.element, is.data(), is.size(), digit, poison);
        return;
    }
    for (int i = 0; i < s.k.shared_count; ++i) {
        const tcp_harness_shared &t = s.k.shared[i];
        size_t bytes = 0;
        const unsigned char *data = strcmp(t.name, name) ? nullptr : tcp_backend_shared(&bytes);
        if (!data || (size_t)t.at > bytes) continue;
        harness_record(s, t.view, t.element, data + t.at, bytes - (size_t)t.at, digit, poison);
    }
}

// Prints the elements of "v": a line for each row of the first two modes, with a heading for each
// coordinate of the other modes.
inline void harness_print_view(const harness_session &s, const tcp_harness_view &v) {
    const int64_t rows = v.rank > 0 ? v.shape[0] : 0, columns = v.rank > 1 ? v.shape[1] : 1;
    const int64_t slice = rows * columns, n = harness_view_size(v);
    for (int64_t first = 0; first < n; first += slice) {
        if (v.rank > 2) {
            printf("(_,_");
            int64_t rest = first / slice;
            for (int i = 2; i < v.rank; ++i) {
                printf(",%lld", (long long)(rest % v.shape[i]));
                rest /= v.shape[i];
            }
            printf(")\n");
        }
        // A vector is printed in one line.
        const int64_t lines = v.rank == 1 ? 1 : rows, length = v.rank == 1 ? rows : columns;
        const int64_t step = v.rank == 1 ? 1 : rows;
        for (int64_t r = 0; r < lines; ++r) {
            for (int64_t c = 0; c < length; ++c) {
                const size_t at = (size_t)(first + r + c * step);
                if (c) putchar(' ');
                if (s.was_poison[at] == 2) {
                    putchar('-');
                } else {
                    printf("%lld", (long long)s.printed[at]);
                }
            }
            putchar('\n');
        }
    }
}

// Says how many elements of tensor "i", which is 'inout', the plan leaves as they were: they look like
// copies of the same element of a source.
inline void harness_print_kept(const harness_session &s, int i) {
    const tcp_harness_tensor &t = s.k.tensors[i];
    const int64_t n = harness_view_size(t.view);
    int64_t kept = 0;
    for (int64_t c = 0; c < n; ++c) {
        int64_t tag = 0;
        const int64_t e = harness_view_at(t.view, c);
        if (e < 0 || e >= t.count || !harness_read_tags(s, i, e, 1, &tag)) continue;
        kept += tag == harness_untouched;
    }
    if (kept)
        printf("%lld of these %lld elements are as before the launch\n", (long long)kept,
               (long long)n);
}

// Prints tensor --print of the kernel of "s".  Returns whether the kernel has it.
inline bool harness_print_tensor(const harness_session &s, const char *where) {
    const tcp_harness_view *view = nullptr;
    int tensor = -1;
    for (int i = 0; i < s.k.tensor_count; ++i) {
        if (strcmp(s.k.tensors[i].name, s.opt.print)) continue;
        view = &s.k.tensors[i].view;
        tensor = i;
    }
    for (int i = 0; i < s.k.shared_count && !view; ++i) {
        if (!strcmp(s.k.shared[i].name, s.opt.print)) view = &s.k.shared[i].view;
    }
    if (!view) return false;
    if (s.printed.empty() && harness_view_size(*view) > 0) {
        printf("%s: '%s' cannot be seen on %s\n", s.k.name, s.opt.print, where);
        return true;
    }
    harness_print_view(s, *view);
    if (tensor >= 0 && s.k.tensors[tensor].role == TCP_HARNESS_INOUT) harness_print_kept(s, tensor);
    return true;
}

#endif
