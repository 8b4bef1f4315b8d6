// Runs the kernels of a table and judges them; see tcp_harness.h.  Knows nothing of where it runs
// but tcp_backend.h.
#include "tcp_harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tcp_backend.h"
#include "tcp_harness_expected.h"
#include "tcp_harness_print.h"
#include "tcp_harness_values.h"

static const int most_mismatches = 8;

static bool allocate(harness_session &s) {
    for (int i = 0; i < s.k.tensor_count; ++i) {
        const tcp_harness_tensor &t = s.k.tensors[i];
        tcp_backend_memory m = {nullptr, nullptr};
        if (tcp_backend_alloc(&m, t.name, harness_bytes_of(t), t.align ? (size_t)t.align : 256,
                              harness_guard_bytes) != TCP_OK) {
            fprintf(stderr, "error: no memory for the %zu bytes of '%s'\n", harness_bytes_of(t),
                    t.name);
            return false;
        }
        s.memory.push_back(m);
    }
    return true;
}

static void release(harness_session &s) {
    for (const tcp_backend_memory &m : s.memory) tcp_backend_free(m);
    s.memory.clear();
}

// Fills tensor "i" and its guard zones as they stand before the run of "digit".
static std::vector<unsigned char> before(const harness_session &s, int i, int digit,
                                         unsigned char poison) {
    const tcp_harness_tensor &t = s.k.tensors[i];
    std::vector<unsigned char> data(harness_bytes_of(t) + 2 * harness_guard_bytes, poison);
    const size_t each = (size_t)tcp_element_bytes(t.element);
    if (!(t.role & TCP_HARNESS_IN)) return data;
    for (int64_t e = 0; e < t.count; ++e) {
        harness_put_input(s, i, e, digit, &data[harness_guard_bytes + (size_t)e * each]);
    }
    return data;
}

static void tell(harness_session &s, int schedule, int digit) {
    if (s.told) return;
    s.told = true;
    printf("%s: first failure (%s, ", s.k.name, tcp_backend_schedule_text(schedule));
    if (digit < s.digits) {
        printf("digit %d of the element numbers)\n", digit);
    } else if (digit == s.digits && s.tell_tensors) {
        printf("tensor numbers)\n");
    } else {
        printf("numbers of all sorts)\n");
    }
}

// Compares tensor "i" after a run with what it should hold; returns the number of mismatches and
// tells the first ones.
static int64_t compare(harness_session &s, int i, const std::vector<unsigned char> &was,
                       const std::vector<unsigned char> &is, int schedule, int digit,
                       unsigned char poison) {
    const tcp_harness_tensor &t = s.k.tensors[i];
    const size_t each = (size_t)tcp_element_bytes(t.element), bytes = harness_bytes_of(t);
    const bool first_time = !s.told;
    int64_t wrong = 0;
    for (size_t b = 0; b < was.size(); ++b) {
        if (b == harness_guard_bytes) b += bytes;  // the tensor itself follows below
        if (b >= was.size() || was[b] == is[b]) continue;
        if (wrong++ == 0 && first_time) {
            tell(s, schedule, digit);
            printf("  '%s': byte %lld, outside its %zu bytes, was written\n", t.name,
                   (long long)b - (long long)harness_guard_bytes, bytes);
        }
    }
    const std::vector<int64_t> &tags = s.expected[(size_t)i];
    for (int64_t e = 0; e < t.count; ++e) {
        unsigned char want[16];
        const unsigned char *got = &is[harness_guard_bytes + (size_t)e * each];
        const int64_t tag = t.role & TCP_HARNESS_OUT ? tags[(size_t)e] : harness_untouched;
        const int from = harness_tensor_in(tag);
        const int64_t source = harness_element_in(tag);
        if (tag == harness_anything) continue;
        if (tag == harness_untouched) {
            memcpy(want, &was[harness_guard_bytes + (size_t)e * each], each);
        } else if (tag < 0) {
            harness_put_constant(t, tag, want);
        } else {
            harness_put_expected(s, tag, digit, t.element, want);
        }
        if (!memcmp(got, want, each)) continue;
        if (++wrong > most_mismatches || !first_time) continue;
        tell(s, schedule, digit);
        printf("  '%s'[%lld]%s holds %s, expected %s", t.name, (long long)e,
               harness_place_of(t.view, e).c_str(), harness_shown(t.element, got, poison).c_str(),
               harness_shown(t.element, want, poison).c_str());
        if (tag >= 0) {
            printf(", from '%s'[%lld]%s\n", s.k.tensors[from].name, (long long)source,
                   harness_place_of(s.k.tensors[from].view, source).c_str());
        } else {
            printf(tag == harness_untouched ? ", as before the launch\n" : ", a constant\n");
        }
    }
    if (wrong > most_mismatches && first_time) {
        printf("  '%s': %lld mismatches in all\n", t.name, (long long)wrong);
    }
    return wrong;
}

// One launch and its judgement.
static void run_once(harness_session &s, int schedule, int digit, unsigned char poison) {
    const int n = s.k.tensor_count;
    std::vector<std::vector<unsigned char>> was((size_t)n), is((size_t)n);
    std::vector<void *> pointers((size_t)n + 1);
    bool good = true;
    for (int i = 0; i < n; ++i) {
        const size_t at = (size_t)i;
        unsigned char *start = (unsigned char *)s.memory[at].at - harness_guard_bytes;
        pointers[at] = s.memory[at].at;
        was[at] = before(s, i, digit, poison);
        is[at].resize(was[at].size());
        good = tcp_upload(start, was[at].data(), was[at].size(), nullptr) == TCP_OK && good;
    }
    tcp_backend_set_schedule(schedule, poison);
    ++s.runs;
    tcp_status status = s.k.launch(pointers.data(), nullptr);
    const bool refused = status != TCP_OK;
    if (!refused) status = tcp_wait(nullptr);
    if (status != TCP_OK && !s.told) {
        tell(s, schedule, digit);
        const char *report = tcp_backend_report(0);
        if (!report) {
            printf("  %s: %s\n", tcp_status_text(status), refused ? tcp_last_error() : s.k.name);
        }
        for (int i = 0; (report = tcp_backend_report(i)) != nullptr; ++i) printf("  %s\n", report);
        good = false;
    }
    good = good && status == TCP_OK;
    if (status == TCP_OK || status == TCP_ERR_DEVICE) {
        for (int i = 0; i < n; ++i) {
            const size_t at = (size_t)i;
            unsigned char *start = (unsigned char *)s.memory[at].at - harness_guard_bytes;
            if (tcp_download(is[at].data(), start, is[at].size(), nullptr) != TCP_OK) {
                good = false;
                break;
            }
            good = compare(s, i, was[at], is[at], schedule, digit, poison) == 0 && good;
        }
        if (s.opt.print && schedule == 0)
            harness_record_tensor(s, s.opt.print, is.data(), digit, poison);
    }
    s.failed += !good;
}

// How many runs it takes until each element of each input has shown all digits of its number.
static void plan_runs(harness_session &s) {
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

// Tells the backend where the shared tensors lie, for its reports.
static void name_shared(const tcp_harness_kernel &k) {
    tcp_backend_name_shared(nullptr, 0, 0);
    for (int i = 0; i < k.shared_count; ++i) {
        const tcp_harness_shared &t = k.shared[i];
        const int64_t n = harness_view_size(t.view);
        int64_t end = 0;
        for (int64_t c = 0; c < n; ++c) end = std::max(end, harness_view_at(t.view, c) + 1);
        tcp_backend_name_shared(t.name, t.at, t.at + end * tcp_element_bytes(t.element));
    }
}

static bool check_kernel(harness_session &s, const char *where) {
    name_shared(s.k);
    if (!allocate(s)) {
        release(s);
        return false;
    }
    plan_runs(s);
    for (int digit = 0; digit < s.digits + s.tell_tensors + s.converts; ++digit) {
        for (const unsigned char poison : harness_poisons) {
            run_once(s, 0, digit, poison);
            for (int i = 1; i < tcp_backend_schedules(); ++i) run_once(s, i, digit, poison);
        }
    }
    release(s);
    if (s.failed) {
        printf("%s: FAILED (%s, %d of %d runs)\n", s.k.name, where, s.failed, s.runs);
    } else {
        printf("%s: ok (%s, %d runs)\n", s.k.name, where, s.runs);
    }
    return s.failed == 0;
}

struct timed {
    const tcp_harness_kernel *k;
    void *const *pointers;
};

static tcp_status launch_timed(void *context) {
    const timed *t = (const timed *)context;
    return t->k->launch(t->pointers, nullptr);
}

static bool time_kernel(const tcp_harness_kernel &k, int repeats) {
    std::vector<tcp_backend_memory> memory;
    std::vector<void *> pointers((size_t)k.tensor_count + 1);
    std::vector<double> ms((size_t)repeats);
    tcp_status status = TCP_OK;
    tcp_backend_set_schedule(0, harness_poisons[0]);
    for (int i = 0; i < k.tensor_count && status == TCP_OK; ++i) {
        const tcp_harness_tensor &t = k.tensors[i];
        tcp_backend_memory m = {nullptr, nullptr};
        const size_t align = t.no_better ? (size_t)t.align : std::max<size_t>((size_t)t.align, 256);
        status = tcp_backend_alloc(&m, t.name, harness_bytes_of(t), align, 0);
        if (status != TCP_OK) break;
        memory.push_back(m);
        pointers[(size_t)i] = m.at;
        status = tcp_memset(m.at, 0, harness_bytes_of(t), nullptr);
    }
    timed t = {&k, pointers.data()};
    if (status == TCP_OK) status = tcp_backend_time(launch_timed, &t, repeats, ms.data());
    for (const tcp_backend_memory &m : memory) tcp_backend_free(m);
    if (status != TCP_OK) {
        printf("%s: FAILED (%s: %s)\n", k.name, tcp_status_text(status), tcp_last_error());
        return false;
    }
    std::sort(ms.begin(), ms.end());
    const double median = ms[ms.size() / 2];
    printf("%s: %.1f GB/s (%.4f ms, %lld bytes)\n", k.name, (double)k.bytes / (median * 1e6),
           median, (long long)k.bytes);
    return true;
}

static bool parse(int argc, char **argv, harness_options *opt) {
    for (int i = 1; i < argc; ++i) {
        const std::string a = argv[i];
        const char *next = i + 1 < argc ? argv[i + 1] : nullptr;
        if (a == "--no-check") {
            opt->check = false;
        } else if (a == "--time") {
            opt->repeats = 20;
            if (next && next[0] >= '0' && next[0] <= '9') {
                opt->repeats = std::clamp(atoi(next), 1, 100000);
                ++i;
            }
        } else if (next && (a == "--data" || a == "--kernel" || a == "--print")) {
            (a == "--data" ? opt->data : a == "--kernel" ? opt->kernel : opt->print) = next;
            ++i;
        } else {
            fprintf(stderr, "error: '%s' is no option, or lacks its value\n", argv[i]);
            return false;
        }
    }
    if (!opt->check && opt->print) {
        fprintf(stderr,
                "error: '--print' shows what the comparing runs saw; leave '--no-check' out\n");
        return false;
    }
    return true;
}

int tcp_harness_main(int argc, char **argv, const tcp_harness_kernel *kernels, int count) {
    harness_options opt;
    tcp_status status;
    if (!parse(argc, argv, &opt)) return 2;
    const char *where = tcp_backend_name(&status);
    if (status != TCP_OK) {
        fprintf(stderr, "error: no device to run on: %s\n", where);
        return 2;
    }
    bool good = true, found = false, shown_one = false;
    for (int i = 0; i < count; ++i) {
        if (opt.kernel && strcmp(opt.kernel, kernels[i].name)) continue;
        found = true;
        harness_session s(kernels[i], opt);
        if (opt.check) {
            if (!harness_read_expected(s)) return 2;
            good = check_kernel(s, where) && good;
            if (opt.print) shown_one = harness_print_tensor(s, where) || shown_one;
        }
        if (opt.repeats) good = time_kernel(kernels[i], opt.repeats) && good;
        fflush(stdout);
    }
    if (opt.kernel && !found) {
        fprintf(stderr, "error: there is no kernel '%s'\n", opt.kernel);
        return 2;
    }
    if (opt.print && !shown_one) {
        fprintf(stderr, "error: there is no tensor '%s'\n", opt.print);
        return 2;
    }
    return good ? 0 : 1;
}
