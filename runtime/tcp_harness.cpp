// Runs the kernels of a table and checks their results; see tcp_harness.h. It uses the machine only
// through tcp_backend.h.
#include "tcp_harness.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tcp_backend.h"
#include "tcp_harness_expected.h"
#include "tcp_harness_jobs.h"
#include "tcp_harness_plan.h"
#include "tcp_harness_print.h"
#include "tcp_harness_values.h"

static const int most_mismatches = 8;

static bool allocate(harness_session &s) {
    for (int i = 0; i < s.k.tensor_count; ++i) {
        const tcp_harness_tensor &t = s.k.tensors[i];
        tcp_backend_memory m = {nullptr, nullptr};
        if (tcp_backend_alloc(&m, t.name, harness_bytes_of(t), t.align ? (size_t)t.align : 256,
                              s.opt.guards ? harness_guard_bytes : 0) != TCP_OK) {
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

// Stores at "data" the initial contents of "count" elements, from "first" on, of tensor "i" in the
// run of "digit".
static void fill(const harness_session &s, int i, int64_t first, int64_t count, int digit,
                 unsigned char poison, unsigned char *data) {
    const tcp_harness_tensor &t = s.k.tensors[i];
    const size_t each = (size_t)tcp_element_bytes(t.element);
    if (!(t.role & TCP_HARNESS_IN)) {
        memset(data, poison, (size_t)count * each);
        return;
    }
    for (int64_t e = 0; e < count; ++e)
        harness_put_input(s, i, first + e, digit, data + (size_t)e * each);
}

static bool upload(void *to, const std::vector<unsigned char> &data, size_t bytes) {
    return tcp_upload(to, data.data(), bytes, nullptr) == TCP_OK;
}

static bool download(std::vector<unsigned char> &data, const void *from, size_t bytes) {
    return tcp_download(data.data(), from, bytes, nullptr) == TCP_OK;
}

// Fills tensor "i" and its guard zones with their initial contents.
static bool prepare(const harness_session &s, int i, int digit, unsigned char poison) {
    const tcp_harness_tensor &t = s.k.tensors[i];
    unsigned char *at = (unsigned char *)s.memory[(size_t)i].at;
    const size_t each = (size_t)tcp_element_bytes(t.element);
    std::vector<unsigned char> data(std::max((size_t)harness_at_once * each, harness_guard_bytes));
    memset(data.data(), poison, harness_guard_bytes);
    bool good = !s.opt.guards || (upload(at - harness_guard_bytes, data, harness_guard_bytes) &&
                                  upload(at + harness_bytes_of(t), data, harness_guard_bytes));
    for (int64_t e = 0; e < t.count && good; e += harness_at_once) {
        const int64_t n = std::min(harness_at_once, t.count - e);
        fill(s, i, e, n, digit, poison, data.data());
        good = upload(at + (size_t)e * each, data, (size_t)n * each);
    }
    return good;
}

static void tell(harness_session &s, int schedule, int digit) {
    if (s.told) return;
    s.told = true;
    fprintf(s.out, "%s: first failure (%s, ", s.k.name, tcp_backend_schedule_text(schedule));
    if (digit < s.digits) {
        fprintf(s.out, "digit %d of the element numbers)\n", digit);
    } else if (digit == s.digits && s.tell_tensors) {
        fprintf(s.out, "tensor numbers)\n");
    } else {
        fprintf(s.out, "numbers of all sorts)\n");
    }
}

// Reports that element "e" of tensor "i" holds "got" instead of "want", whose origin is "tag".
static void tell_element(const harness_session &s, int i, int64_t e, const unsigned char *got,
                         const unsigned char *want, int64_t tag, unsigned char poison) {
    const tcp_harness_tensor &t = s.k.tensors[i];
    fprintf(s.out, "  '%s'[%lld]%s holds %s, expected %s", t.name, (long long)e,
            harness_place_of(t.view, e).c_str(), harness_shown(t.element, got, poison).c_str(),
            harness_shown(t.element, want, poison).c_str());
    if (tag >= 0) {
        const tcp_harness_tensor &from = s.k.tensors[harness_tensor_in(tag)];
        fprintf(s.out, ", from '%s'[%lld]%s\n", from.name, (long long)harness_element_in(tag),
                harness_place_of(from.view, harness_element_in(tag)).c_str());
    } else {
        fprintf(s.out, tag == harness_untouched ? ", as before the launch\n" : ", a constant\n");
    }
}

// Checks the guard zone of tensor "i" that begins "begin" bytes from its start, and reports writes
// to it.
static int64_t compare_guard(harness_session &s, int i, int64_t begin, bool first, int schedule,
                             int digit, unsigned char poison) {
    const tcp_harness_tensor &t = s.k.tensors[i];
    std::vector<unsigned char> data(harness_guard_bytes);
    int64_t wrong = 0;
    if (!s.opt.guards) return 0;
    if (!download(data, (unsigned char *)s.memory[(size_t)i].at + begin, data.size())) return 1;
    for (size_t b = 0; b < data.size(); ++b) {
        if (data[b] == poison || wrong++ > 0 || !first) continue;
        tell(s, schedule, digit);
        fprintf(s.out, "  '%s': byte %lld, outside its %zu bytes, was written\n", t.name,
                (long long)b + (long long)begin, harness_bytes_of(t));
    }
    return wrong;
}

// Stores at "want" what element "e" of tensor "i" has to hold according to its tag. False when it
// may hold anything.
static bool expect(const harness_session &s, int i, int64_t tag, int digit,
                   const unsigned char *was, unsigned char *want) {
    const tcp_harness_tensor &t = s.k.tensors[i];
    if (tag == harness_anything) return false;
    if (tag == harness_untouched)
        memcpy(want, was, (size_t)tcp_element_bytes(t.element));
    else if (tag < 0)
        harness_put_constant(t, tag, want);
    else
        harness_put_expected(s, tag, digit, t.element, want);
    return true;
}

// Compares tensor "i" after a run with the expected contents. Returns the number of mismatches, and
// reports the first ones.
static int64_t compare(harness_session &s, int i, int schedule, int digit, unsigned char poison) {
    const tcp_harness_tensor &t = s.k.tensors[i];
    const unsigned char *from = (unsigned char *)s.memory[(size_t)i].at;
    const size_t each = (size_t)tcp_element_bytes(t.element);
    const bool first_time = !s.told, written = t.role & TCP_HARNESS_OUT;
    // for a part of the tensor: the tags, and the contents now, before and expected; the last two
    // have room for the 16 bytes of a tag after the last element
    std::vector<int64_t> tags((size_t)harness_at_once, harness_untouched);
    std::vector<unsigned char> is((size_t)harness_at_once * each), was(is.size() + 16),
        want(is.size() + 16);
    int64_t wrong =
        compare_guard(s, i, -(int64_t)harness_guard_bytes, first_time, schedule, digit, poison);
    wrong += compare_guard(s, i, (int64_t)harness_bytes_of(t), first_time && !wrong, schedule,
                           digit, poison);
    for (int64_t begin = 0; begin < t.count; begin += harness_at_once) {
        const int64_t n = std::min(harness_at_once, t.count - begin);
        fill(s, i, begin, n, digit, poison, was.data());
        if (!download(is, from + (size_t)begin * each, (size_t)n * each)) return wrong + 1;
        if (written && !harness_read_tags(s, i, begin, n, tags.data())) return wrong + 1;
        for (size_t e = 0; e < (size_t)n; ++e)
            if (!expect(s, i, tags[e], digit, &was[e * each], &want[e * each]))
                memcpy(&want[e * each], &is[e * each], each);
        if (memcmp(is.data(), want.data(), (size_t)n * each) == 0) continue;
        for (size_t e = 0; e < (size_t)n; ++e) {
            if (memcmp(&is[e * each], &want[e * each], each) == 0) continue;
            if (++wrong > most_mismatches || !first_time) continue;
            tell(s, schedule, digit);
            tell_element(s, i, begin + (int64_t)e, &is[e * each], &want[e * each], tags[e], poison);
        }
    }
    if (wrong > most_mismatches && first_time) {
        fprintf(s.out, "  '%s': %lld mismatches in all\n", t.name, (long long)wrong);
    }
    return wrong;
}

// Does one launch and checks its results.
static void run_once(harness_session &s, int schedule, int digit, unsigned char poison) {
    const int n = s.k.tensor_count;
    std::vector<void *> pointers((size_t)n + 1);
    bool good = true;
    for (int i = 0; i < n; ++i) {
        pointers[(size_t)i] = s.memory[(size_t)i].at;
        good = prepare(s, i, digit, poison) && good;
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
            fprintf(s.out, "  %s: %s\n", tcp_status_text(status),
                    refused ? tcp_last_error() : s.k.name);
        }
        for (int i = 0; (report = tcp_backend_report(i)) != nullptr; ++i)
            fprintf(s.out, "  %s\n", report);
        good = false;
    }
    good = good && status == TCP_OK;
    if (status == TCP_OK || status == TCP_ERR_DEVICE) {
        for (int i = 0; i < n; ++i) good = compare(s, i, schedule, digit, poison) == 0 && good;
        if (s.opt.print && schedule == 0) harness_record_tensor(s, s.opt.print, digit, poison);
    }
    s.failed += !good;
}

// Gives the backend the names and places of the shared tensors, for its reports.
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

// On a terminal, shows which run is in progress, in a line that the next call overwrites.
static void tell_run(const harness_session &s, int run, int total) {
    const char *term = getenv("TERM");
    if (!isatty(STDERR_FILENO) || !term || !strcmp(term, "dumb")) return;
    fprintf(stderr, run <= total ? "\r\033[K%s: run %d of %d" : "\r\033[K", s.k.name, run, total);
    fflush(stderr);
}

// Returns in how many processes to do "jobs" jobs. With --print it is one, which collects what is
// shown.
static int processes_for(const harness_session &s, int jobs) {
    static const int64_t worth_it = 1 << 20;
    size_t bytes = 0;
    for (int i = 0; i < s.k.tensor_count; ++i) bytes += harness_bytes_of(s.k.tensors[i]);
    if (s.opt.print || harness_elements(s) * jobs < worth_it) return 1;
    // memory for the contents and for who wrote them
    return std::min(tcp_backend_processes(3 * bytes), jobs);
}

static void run_at_once(harness_session &s, const std::vector<harness_job> &jobs, int processes) {
    const int before = s.runs, total = (int)jobs.size() + before;
    const auto run = [&](int i, FILE *out) {
        const int failed = s.failed;
        s.out = out;
        run_once(s, jobs[(size_t)i].schedule, jobs[(size_t)i].digit, jobs[(size_t)i].poison);
        return s.failed == failed;
    };
    const auto tell = [&](int done) { tell_run(s, std::min(before + done + 1, total), total); };
    tell(0);
    for (const harness_job_result &r : harness_run_jobs((int)jobs.size(), processes, run, tell)) {
        ++s.runs;
        s.failed += r.failed || !r.done;
        if (!r.done) fprintf(stderr, "error: a process of '%s' ended too early\n", s.k.name);
        if (r.failed && !s.told) {
            fputs(r.text.c_str(), s.out);
            s.told = true;
        }
    }
}

static bool check_kernel(harness_session &s, const char *where) {
    name_shared(s.k);
    if (!allocate(s)) {
        release(s);
        return false;
    }
    harness_plan_digits(s);
    tell_run(s, 1,
             (s.digits + s.tell_tensors + s.converts) *
                 harness_runs_of_digit(s, tcp_backend_schedules()));
    run_once(s, 0, 0, harness_poisons[0]);
    const std::vector<harness_job> jobs = harness_plan_jobs(s);
    const int processes = s.opt.until_failed ? 1 : processes_for(s, (int)jobs.size());
    if (processes > 1) {
        run_at_once(s, jobs, processes);
    } else {
        for (const harness_job &j : jobs) {
            if (s.opt.until_failed && s.failed) break;
            tell_run(s, s.runs + 1, (int)jobs.size() + 1);
            run_once(s, j.schedule, j.digit, j.poison);
        }
    }
    tell_run(s, 1, 0);
    release(s);
    if (s.opt.json) return s.failed == 0;
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

static bool time_kernel(const tcp_harness_kernel &k, const harness_options &opt, double *median) {
    const int repeats = opt.repeats;
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
        fprintf(opt.told(), "%s: FAILED (%s: %s)\n", k.name, tcp_status_text(status),
                tcp_last_error());
        return false;
    }
    std::sort(ms.begin(), ms.end());
    *median = ms[ms.size() / 2];
    return true;
}

// Prints one kernel's results as a JSON object. Names of kernels need no escaping.
static void print_json(const harness_session &s, const char *where, bool good, double median) {
    printf("  {\"kernel\": \"%s\", \"where\": \"%s\", \"ok\": %s", s.k.name, where,
           good ? "true" : "false");
    if (s.opt.check) printf(", \"runs\": %d, \"failed\": %d", s.runs, s.failed);
    if (median > 0)
        printf(", \"gb_per_s\": %.3f, \"ms\": %.6f, \"bytes\": %lld",
               (double)s.k.bytes / (median * 1e6), median, (long long)s.k.bytes);
    printf("}");
}

static bool parse(int argc, char **argv, harness_options *opt) {
    for (int i = 1; i < argc; ++i) {
        const std::string a = argv[i];
        const char *next = i + 1 < argc ? argv[i + 1] : nullptr;
        if (a == "--no-check") {
            opt->check = false;
        } else if (a == "--json") {
            opt->json = true;
        } else if (a == "--until-failed") {
            opt->until_failed = true;
        } else if (a == "--no-guards") {
            opt->guards = false;
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
    int lost = 0;  // why something was not written
    for (int i = 0; i < count; ++i) {
        if (opt.kernel && strcmp(opt.kernel, kernels[i].name)) continue;
        harness_session s(kernels[i], opt);
        bool right = true;
        double median = 0;
        if (opt.check) {
            if (!harness_read_expected(s)) return 2;
            right = check_kernel(s, where);
            if (opt.print) shown_one = harness_print_tensor(s, where) || shown_one;
        }
        if (opt.repeats) right = time_kernel(kernels[i], opt, &median) && right;
        if (opt.json) {
            printf(found ? ",\n" : "[\n");
            print_json(s, where, right, median);
        } else if (median > 0) {
            printf("%s: %.1f GB/s (%.4f ms, %lld bytes)\n", s.k.name,
                   (double)s.k.bytes / (median * 1e6), median, (long long)s.k.bytes);
        }
        found = true;
        good = right && good;
        if (fflush(stdout) != 0) lost = errno;
    }
    if (opt.json) printf(found ? "\n]\n" : "[]\n");
    if (fflush(stdout) != 0) lost = errno;
    if (lost || ferror(stdout)) {
        fprintf(stderr, "tcpc: error: cannot write to standard output: %s\n",
                lost ? strerror(lost) : "not all of it was written");
        return 2;
    }
    const char *missing = opt.kernel && !found      ? "kernel"
                          : opt.print && !shown_one ? "tensor"
                                                    : nullptr;
    if (missing)
        fprintf(stderr, "error: there is no %s '%s'\n", missing,
                opt.kernel && !found ? opt.kernel : opt.print);
    return missing ? 2 : good ? 0 : 1;
}
