// Runs the kernels of a table and judges them; see tcp_harness.h.  Knows nothing of where it runs
// but tcp_backend.h.
#include "tcp_harness.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tcp_backend.h"
#include "tcp_harness_convert.h"
#include "tcp_harness_values.h"

static const size_t guard_bytes = 1024;
static const unsigned char poisons[2] = {0xcb, 0x34};
static const int64_t untouched = -1, anything = INT64_MIN;
static const int most_mismatches = 8;

struct options {
    const char *data = ".", *kernel = nullptr, *print = nullptr;
    int repeats = 0;  // 0: no timing
    bool check = true;
};

// A tag's parts; see tcp_harness.h.
static int tensor_in(int64_t tag) {
    return (int)(tag >> 40 & 0x3fff);
}
static int64_t element_in(int64_t tag) {
    return tag & (((int64_t)1 << 40) - 1);
}
static int types_in(int64_t tag) {
    return (int)(tag >> 54 & 255);
}

// One kernel's buffers and what its runs found.
struct session {
    const tcp_harness_kernel &k;
    const options &opt;
    std::vector<tcp_backend_memory> memory;
    std::vector<std::vector<int64_t>> expected;  // of each output
    int digits = 1;
    bool tell_tensors = false;  // one more run, with the numbers of the tensors
    bool converts = false;      // and one with bits of all sorts
    int64_t common_base = 0;    // where elements are converted: numbers below it are exact in all
    // For --print: what was read in each digit's run, and which elements held the poison of each of
    // two runs.
    std::vector<int64_t> printed;
    std::vector<unsigned char> was_poison;
    int runs = 0, failed = 0;
    bool told = false;  // mismatches of one run are enough

    session(const tcp_harness_kernel &kernel, const options &chosen) : k(kernel), opt(chosen) {}
};

static size_t bytes_of(const tcp_harness_tensor &t) {
    return (size_t)t.count * (size_t)tcp_element_bytes(t.element);
}

// The numbers 0 .. base - 1 are exact in whatever an element becomes.
static int64_t base_of(const session &s, tcp_element element) {
    return s.converts ? s.common_base : harness_base_of(element);
}

// Puts what element "e" of input "t" holds in run "digit" to "to".  The run after the digits holds
// tensor numbers, the one after that anything.
static void put_input(const session &s, int t, int64_t e, int digit, unsigned char *to) {
    const tcp_element element = s.k.tensors[t].element;
    const int64_t base = base_of(s, element);
    if (s.converts && digit == s.digits + s.tell_tensors) {
        harness_put_any(element, t, e, to);
        return;
    }
    if (digit == s.digits) e = t + 1;
    for (int i = 0; i < digit && digit < s.digits; ++i) e /= base;
    harness_put_number(element, e % base, to);
}

// Converts the element at "at" through "types", of which the first one is its own, to "to".
static void convert_all(int types, tcp_element to, unsigned char *at) {
    unsigned char was[16];
    for (; types; types >>= 4) {
        const tcp_element is = (tcp_element)((types & 15) - 1);
        const tcp_element next = types >> 4 ? (tcp_element)((types >> 4) - 1) : to;
        memcpy(was, at, sizeof was);
        harness_convert(is, was, next, at);  // back to its own type, too: NaN is another one then
    }
}

// Puts what the element that "tag" names is as a "to" element to "out".
static void put_expected(const session &s, int64_t tag, int digit, tcp_element to,
                         unsigned char *out) {
    put_input(s, tensor_in(tag), element_in(tag), digit, out);
    convert_all(types_in(tag), to, out);
}

// Puts the constant that "tag" names to "out", as it stands in "t".
static void put_constant(const tcp_harness_tensor &t, int64_t tag, unsigned char *out) {
    const int64_t which = (-2 - tag) & (((int64_t)1 << 54) - 1);
    memcpy(out, &t.constants[which], sizeof t.constants[which]);
    convert_all(types_in(-2 - tag), t.element, out);
}

// Finds out what all conversions have in common.
static void note_types(session &s, int64_t tag) {
    for (int types = types_in(tag); types; types >>= 4) {
        const int64_t base = harness_base_of((tcp_element)((types & 15) - 1));
        s.common_base = s.converts ? std::min(s.common_base, base) : base;
        s.converts = true;
    }
}

static bool read_expected(session &s) {
    s.expected.resize((size_t)s.k.tensor_count);
    for (int i = 0; i < s.k.tensor_count; ++i) {
        const tcp_harness_tensor &t = s.k.tensors[i];
        if (!(t.role & TCP_HARNESS_OUT)) continue;
        const std::string path = std::string(s.opt.data) + "/" + (t.expected ? t.expected : "");
        std::vector<int64_t> &tags = s.expected[(size_t)i];
        tags.resize((size_t)t.count);
        FILE *in = fopen(path.c_str(), "rb");
        const size_t got = in ? fread(tags.data(), sizeof(int64_t), tags.size(), in) : 0;
        const bool more = in && fgetc(in) != EOF;
        if (in) fclose(in);
        if (!in || got != tags.size() || more) {
            fprintf(stderr, "error: '%s': %s\n", path.c_str(),
                    in ? "is not one tag for each element" : strerror(errno));
            return false;
        }
        for (const int64_t tag : tags) {
            const int from = tensor_in(tag);
            const bool known =
                tag < 0 ? tag == untouched || tag == anything || t.constants
                        : from < s.k.tensor_count && element_in(tag) < s.k.tensors[from].count;
            if (known && tag >= 0) note_types(s, tag);
            if (known) continue;
            fprintf(stderr, "error: '%s': the tag %lld names no element\n", path.c_str(),
                    (long long)tag);
            return false;
        }
    }
    for (int i = 0; i < s.k.tensor_count && s.converts; ++i)
        s.common_base = std::min(s.common_base, harness_base_of(s.k.tensors[i].element));
    return true;
}

static bool allocate(session &s) {
    for (int i = 0; i < s.k.tensor_count; ++i) {
        const tcp_harness_tensor &t = s.k.tensors[i];
        tcp_backend_memory m = {nullptr, nullptr};
        if (tcp_backend_alloc(&m, t.name, bytes_of(t), t.align ? (size_t)t.align : 256,
                              guard_bytes) != TCP_OK) {
            fprintf(stderr, "error: no memory for the %zu bytes of '%s'\n", bytes_of(t), t.name);
            return false;
        }
        s.memory.push_back(m);
    }
    return true;
}

static void release(session &s) {
    for (const tcp_backend_memory &m : s.memory) tcp_backend_free(m);
    s.memory.clear();
}

// Fills tensor "i" and its guard zones as they stand before the run of "digit".
static std::vector<unsigned char> before(const session &s, int i, int digit, unsigned char poison) {
    const tcp_harness_tensor &t = s.k.tensors[i];
    std::vector<unsigned char> data(bytes_of(t) + 2 * guard_bytes, poison);
    const size_t each = (size_t)tcp_element_bytes(t.element);
    if (!(t.role & TCP_HARNESS_IN)) return data;
    for (int64_t e = 0; e < t.count; ++e) {
        put_input(s, i, e, digit, &data[guard_bytes + (size_t)e * each]);
    }
    return data;
}

static void tell(session &s, int schedule, int digit) {
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
static int64_t compare(session &s, int i, const std::vector<unsigned char> &was,
                       const std::vector<unsigned char> &is, int schedule, int digit,
                       unsigned char poison) {
    const tcp_harness_tensor &t = s.k.tensors[i];
    const size_t each = (size_t)tcp_element_bytes(t.element), bytes = bytes_of(t);
    const bool first_time = !s.told;
    int64_t wrong = 0;
    for (size_t b = 0; b < was.size(); ++b) {
        if (b == guard_bytes) b += bytes;  // the tensor itself follows below
        if (b >= was.size() || was[b] == is[b]) continue;
        if (wrong++ == 0 && first_time) {
            tell(s, schedule, digit);
            printf("  '%s': byte %lld, outside its %zu bytes, was written\n", t.name,
                   (long long)b - (long long)guard_bytes, bytes);
        }
    }
    const std::vector<int64_t> &tags = s.expected[(size_t)i];
    for (int64_t e = 0; e < t.count; ++e) {
        unsigned char want[16];
        const unsigned char *got = &is[guard_bytes + (size_t)e * each];
        const int64_t tag = t.role & TCP_HARNESS_OUT ? tags[(size_t)e] : untouched;
        const int from = tensor_in(tag);
        const int64_t source = element_in(tag);
        if (tag == anything) continue;
        if (tag == untouched) {
            memcpy(want, &was[guard_bytes + (size_t)e * each], each);
        } else if (tag < 0) {
            put_constant(t, tag, want);
        } else {
            put_expected(s, tag, digit, t.element, want);
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
            printf(tag == untouched ? ", as before the launch\n" : ", a constant\n");
        }
    }
    if (wrong > most_mismatches && first_time) {
        printf("  '%s': %lld mismatches in all\n", t.name, (long long)wrong);
    }
    return wrong;
}

// Adds what the view "v" of elements at "data" holds in this run to what --print shows.
static void record(session &s, const tcp_harness_view &v, tcp_element element,
                   const unsigned char *data, size_t bytes, int digit, unsigned char poison) {
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
        if (poison != poisons[0] || digit >= s.digits) continue;
        int64_t number = std::max<int64_t>(harness_get_number(element, at), 0);
        for (int i = 0; i < digit; ++i) number *= base_of(s, element);
        s.printed[(size_t)c] += number;
    }
}

static void record_tensor(session &s, const char *name, const std::vector<unsigned char> *after,
                          int digit, unsigned char poison) {
    for (int i = 0; i < s.k.tensor_count; ++i) {
        const tcp_harness_tensor &t = s.k.tensors[i];
        if (strcmp(t.name, name)) continue;
        record(s, t.view, t.element, after[i].data() + guard_bytes, bytes_of(t), digit, poison);
        return;
    }
    for (int i = 0; i < s.k.shared_count; ++i) {
        const tcp_harness_shared &t = s.k.shared[i];
        size_t bytes = 0;
        const unsigned char *data = strcmp(t.name, name) ? nullptr : tcp_backend_shared(&bytes);
        if (!data || (size_t)t.at > bytes) continue;
        record(s, t.view, t.element, data + t.at, bytes - (size_t)t.at, digit, poison);
    }
}

// One launch and its judgement.
static void run_once(session &s, int schedule, int digit, unsigned char poison) {
    const int n = s.k.tensor_count;
    std::vector<std::vector<unsigned char>> was((size_t)n), is((size_t)n);
    std::vector<void *> pointers((size_t)n + 1);
    bool good = true;
    for (int i = 0; i < n; ++i) {
        const size_t at = (size_t)i;
        unsigned char *start = (unsigned char *)s.memory[at].at - guard_bytes;
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
            unsigned char *start = (unsigned char *)s.memory[at].at - guard_bytes;
            if (tcp_download(is[at].data(), start, is[at].size(), nullptr) != TCP_OK) {
                good = false;
                break;
            }
            good = compare(s, i, was[at], is[at], schedule, digit, poison) == 0 && good;
        }
        if (s.opt.print && schedule == 0) record_tensor(s, s.opt.print, is.data(), digit, poison);
    }
    s.failed += !good;
}

// How many runs it takes until each element of each input has shown all digits of its number.
static void plan_runs(session &s) {
    int inputs = 0;
    for (int i = 0; i < s.k.tensor_count; ++i) {
        const tcp_harness_tensor &t = s.k.tensors[i];
        if (!(t.role & TCP_HARNESS_IN)) continue;
        ++inputs;
        int digits = 1;
        const int64_t base = base_of(s, t.element);
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

static bool check_kernel(session &s, const char *where) {
    name_shared(s.k);
    if (!allocate(s)) {
        release(s);
        return false;
    }
    plan_runs(s);
    for (int digit = 0; digit < s.digits + s.tell_tensors + s.converts; ++digit) {
        for (const unsigned char poison : poisons) {
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
    tcp_backend_set_schedule(0, poisons[0]);
    for (int i = 0; i < k.tensor_count && status == TCP_OK; ++i) {
        const tcp_harness_tensor &t = k.tensors[i];
        tcp_backend_memory m = {nullptr, nullptr};
        const size_t align = t.no_better ? (size_t)t.align : std::max<size_t>((size_t)t.align, 256);
        status = tcp_backend_alloc(&m, t.name, bytes_of(t), align, 0);
        if (status != TCP_OK) break;
        memory.push_back(m);
        pointers[(size_t)i] = m.at;
        status = tcp_memset(m.at, 0, bytes_of(t), nullptr);
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

// Prints the elements of "v": a line a row of the first two modes, a heading for each coordinate of
// the others.
static void print_view(const session &s, const tcp_harness_view &v) {
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
        // A vector is one line.
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

// Prints tensor --print of the kernel of "s".  Returns whether the kernel has it.
static bool print_tensor(const session &s, const char *where) {
    const tcp_harness_view *view = nullptr;
    for (int i = 0; i < s.k.tensor_count; ++i) {
        if (!strcmp(s.k.tensors[i].name, s.opt.print)) view = &s.k.tensors[i].view;
    }
    for (int i = 0; i < s.k.shared_count && !view; ++i) {
        if (!strcmp(s.k.shared[i].name, s.opt.print)) view = &s.k.shared[i].view;
    }
    if (!view) return false;
    if (s.printed.empty() && harness_view_size(*view) > 0) {
        printf("%s: '%s' cannot be seen on %s\n", s.k.name, s.opt.print, where);
        return true;
    }
    print_view(s, *view);
    return true;
}

static bool parse(int argc, char **argv, options *opt) {
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
    options opt;
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
        session s(kernels[i], opt);
        if (opt.check) {
            if (!read_expected(s)) return 2;
            good = check_kernel(s, where) && good;
            if (opt.print) shown_one = print_tensor(s, where) || shown_one;
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
