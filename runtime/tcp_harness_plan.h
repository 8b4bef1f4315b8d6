// Chooses the runs of a kernel. Part of tcp_harness.cpp; separate because it launches nothing.
#ifndef TCP_HARNESS_PLAN_H
#define TCP_HARNESS_PLAN_H

#include <algorithm>
#include <iterator>
#include <vector>

#include "tcp_harness_expected.h"

// Determines how many runs it takes until every element of every input has shown all digits of its
// number.
inline void harness_plan_digits(harness_session &s) {
    int inputs = 0;
    for (int i = 0; i < s.k.tensor_count; ++i) {
        const tcp_harness_tensor &t = s.k.tensors[i];
        if (!(t.role & TCP_HARNESS_IN)) continue;
        ++inputs;
        int digits = 1;
        const int64_t base = harness_base_in(s, t.element);
        for (int64_t rest = t.count - 1; rest >= base; ++digits) rest /= base;
        s.digits = std::max(s.digits, digits);
    }
    s.tell_tensors = inputs > 1;
}

struct harness_job {
    int digit, schedule;
    unsigned char poison;
};

// Returns the number of elements of all tensors.
inline int64_t harness_elements(const harness_session &s) {
    int64_t elements = 0;
    for (int i = 0; i < s.k.tensor_count; ++i) elements += s.k.tensors[i].count;
    return elements;
}

// Returns how many runs each digit has: one for each of "schedules" schedules with each poison.
// With many elements, each schedule and each poison occurs only once.
inline int harness_runs_of_digit(const harness_session &s, int schedules) {
    static const int64_t many = 1 << 24;
    const int poisons = (int)std::size(harness_poisons);
    return harness_elements(s) < many ? poisons * schedules : std::max(poisons, schedules);
}

// Returns all runs except the first, which determines the number of schedules.
inline std::vector<harness_job> harness_plan_jobs(const harness_session &s) {
    std::vector<harness_job> jobs;
    const int schedules = tcp_backend_schedules(), runs = harness_runs_of_digit(s, schedules);
    const bool paired = runs < (int)std::size(harness_poisons) * schedules;
    for (int digit = 0; digit < s.digits + s.tell_tensors + s.converts; ++digit)
        for (int i = 0; i < runs; ++i) {
            const size_t poison =
                paired ? (size_t)i % std::size(harness_poisons) : (size_t)(i / schedules);
            jobs.push_back({digit, i % schedules, harness_poisons[poison]});
        }
    jobs.erase(jobs.begin());
    return jobs;
}

#endif
