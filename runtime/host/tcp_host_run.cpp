// Runs a kernel on the CPU: one block after another, with the block's threads as fibers that meet
// at barriers.
//
// A barrier that some thread does not reach is reported and then opened. So a launch always ends,
// unless a single thread does not.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <algorithm>

#include "host/tcp_host_state.h"

tcp_host_launch_state tcp_host;
tcp_host_thread *tcp_host_self;
std::mutex tcp_host_mutex;

// The reports on this thread's last launch.
static thread_local struct {
    int count;
    char text[TCP_HOST_MAX_REPORTS][sizeof(tcp_host_report_item::text)];
} own;

void tcp_host_set_schedule(tcp_host_schedule schedule) {
    const std::lock_guard<std::mutex> lock(tcp_host_mutex);
    tcp_host.schedule = schedule;
    tcp_host.schedule_is_set = true;
}

// Applies "word" of TCP_HOST_SCHEDULE. Returns whether it is valid.
static bool take_word(const char *word, size_t length) {
    static const struct {
        const char *word;
        bool tcp_host_schedule::*what;
        bool value;
    } known[] = {{"forward", &tcp_host_schedule::backward, false},
                 {"backward", &tcp_host_schedule::backward, true},
                 {"early", &tcp_host_schedule::late, false},
                 {"late", &tcp_host_schedule::late, true}};
    for (const auto &k : known) {
        if (strlen(k.word) != length || memcmp(k.word, word, length) != 0) continue;
        tcp_host.schedule.*k.what = k.value;
        return true;
    }
    if (length < 8 || memcmp(word, "poison=", 7) != 0) return false;
    char *end;
    const unsigned long byte = strtoul(word + 7, &end, 0);
    tcp_host.schedule.poison = (unsigned char)byte;
    return end == word + length && byte <= 255;
}

void tcp_host_ask_environment() {
    const char *text = getenv("TCP_HOST_SCHEDULE");
    if (tcp_host.schedule_is_set) return;
    tcp_host.schedule_is_set = true;
    tcp_host.schedule = {false, false, 0xcb};
    for (const char *word = text ? text : ""; *word;) {
        const size_t length = strcspn(word, " ,");
        if (length && !take_word(word, length) && !tcp_host.no_schedule) {
            tcp_host.no_schedule = word;
        }
        word += length + strspn(word + length, " ,");
    }
}

// Fails a launch because TCP_HOST_SCHEDULE has an unknown word.
static tcp_status report_schedule() {
    snprintf(own.text[0], sizeof own.text[0],
             "TCP_HOST_SCHEDULE: '%.*s' is none of forward, backward, early, late and poison=BYTE",
             (int)strcspn(tcp_host.no_schedule, " ,"), tcp_host.no_schedule);
    own.count = 1;
    return TCP_ERR_PRECONDITION;
}

int tcp_host_report_count() {
    return own.count;
}

const char *tcp_host_report(int i) {
    return i >= 0 && i < own.count ? own.text[i] : "";
}

const char *tcp_host_first_report(void) {
    return own.count ? own.text[0] : "no report";
}

const unsigned char *tcp_host_shared_snapshot(size_t *bytes) {
    const std::lock_guard<std::mutex> lock(tcp_host_mutex);
    *bytes = (size_t)tcp_host.snapshot_bytes;
    return tcp_host.snapshot;
}

void tcp_host_name_shared(const char *name, int64_t first, int64_t end) {
    const std::lock_guard<std::mutex> lock(tcp_host_mutex);
    if (!name) {
        tcp_host.shared_names = 0;
    } else if (tcp_host.shared_names < TCP_HOST_MAX_NAMES) {
        tcp_host.shared_name[tcp_host.shared_names++] = {name, first, end};
    }
}

tcp_host_byte_text tcp_host_shared_byte(int64_t offset) {
    tcp_host_byte_text t;
    snprintf(t.text, sizeof t.text, "byte %lld of shared memory", (long long)offset);
    for (int i = 0; i < tcp_host.shared_names; ++i) {
        const auto &n = tcp_host.shared_name[i];
        if (offset < n.first || offset >= n.end) continue;
        snprintf(t.text, sizeof t.text, "byte %lld of '%.32s'", (long long)(offset - n.first),
                 n.name);
        break;
    }
    return t;
}

void tcp_host_fail(tcp_host_place at, const char *kind, const char *format, ...) {
    ++tcp_host.failures;
    for (int i = 0; i < tcp_host.reports; ++i) {
        tcp_host_report_item *known = &tcp_host.report[i];
        if (known->line == at.line && !strcmp(known->kind, kind) && !strcmp(known->file, at.file)) {
            ++known->more;
            return;
        }
    }
    if (tcp_host.reports == TCP_HOST_MAX_REPORTS) return;
    tcp_host_report_item *item = &tcp_host.report[tcp_host.reports++];
    item->kind = kind;
    item->file = at.file;
    item->line = at.line;
    item->more = 0;
    const tcp_host_index b = tcp_host.fiber->self.block;
    char device[32] = "";
    if (tcp_host.device >= 0) snprintf(device, sizeof device, "of device %d ", tcp_host.device);
    int n = snprintf(item->text, sizeof item->text, "%s:%d: %s: thread %d of block (%u,%u,%u) %s",
                     at.file, at.line, kind, tcp_host.fiber->id, b.x, b.y, b.z, device);
    if (n < 0 || (size_t)n >= sizeof item->text) return;
    va_list args;
    va_start(args, format);
    vsnprintf(item->text + n, sizeof item->text - (size_t)n, format, args);
    va_end(args);
}

static void wait_in(tcp_host_fiber_state state, tcp_host_place at) {
    tcp_host.fiber->state = state;
    tcp_host.fiber->at = at;
    tcp_host_yield();
}

void tcp_host_sync(tcp_host_place at) {
    wait_in(TCP_FIBER_AT_SYNC, at);
}

void tcp_host_sync_warp(tcp_host_place at) {
    wait_in(TCP_FIBER_AT_WARP, at);
}

// Offers the row address "row" to the other lanes of the warp. A lane can be one instruction ahead
// of another, but not two: so two slots per lane are enough. Returns the slot used.
static int offer_row(const void *row, tcp_host_place at) {
    tcp_host_fiber *fiber = tcp_host.fiber;
    const int turn = fiber->turn;
    fiber->row[turn] = row;
    fiber->turn ^= 1;
    wait_in(TCP_FIBER_AT_MATRIX, at);
    return turn;
}

// Returns the row that lane "lane" of this thread's warp offered, or NULL when the block has no
// such thread.
static const void *offered_row(int lane, int turn) {
    const int id = tcp_host.fiber->id / TCP_HOST_WARP * TCP_HOST_WARP + lane;
    return id < tcp_host.threads ? tcp_host_fiber_of(id)->row[turn] : nullptr;
}

// Waits for the warp to exchange the rows of "count" 8x8 matrices of 16-bit elements, which lanes 0
// .. 8 * count - 1 provide. Returns false when the instruction cannot run.
static bool meet_for_matrices(const char *verb, const void *row, int count, int *turn,
                              tcp_host_place at) {
    const int lane = tcp_host.fiber->id % TCP_HOST_WARP;
    const bool good = lane >= 8 * count || tcp_host_check_shared(verb, row, 16, 16, at);
    *turn = offer_row(good ? row : nullptr, at);
    if (tcp_host.fiber->id - lane + TCP_HOST_WARP > tcp_host.threads) {
        tcp_host_fail(at, "partial warp", "%s matrices in a warp of %d threads", verb,
                      tcp_host.threads % TCP_HOST_WARP);
        return false;
    }
    for (int i = 0; i < 8 * count; ++i) {
        if (!offered_row(i, *turn)) return false;
    }
    return true;
}

void tcp_host_ldmatrix(void *to, const void *row, int count, bool trans, tcp_host_place at) {
    int turn;
    const bool good = meet_for_matrices("reads", row, count, &turn, at);
    const int lane = tcp_host.fiber->id % TCP_HOST_WARP, high = lane / 4, low = lane % 4 * 2;
    for (int i = 0; i < count; ++i) {
        uint16_t half[2] = {0, 0};
        for (int k = 0; k < 2 && good; ++k) {
            const int r = trans ? low + k : high, c = trans ? high : low + k;
            const uint16_t *from = (const uint16_t *)offered_row(8 * i + r, turn) + c;
            tcp_host_load(TCP_HOST_SHARED, from, &half[k], 2, at);
        }
        memcpy((uint16_t *)to + 2 * i, half, sizeof half);
    }
}

void tcp_host_stmatrix(void *row, const void *from, int count, bool trans, tcp_host_place at) {
    int turn;
    if (!meet_for_matrices("writes", row, count, &turn, at)) return;
    const int lane = tcp_host.fiber->id % TCP_HOST_WARP, high = lane / 4, low = lane % 4 * 2;
    for (int i = 0; i < count; ++i) {
        uint16_t half[2];
        memcpy(half, (const uint16_t *)from + 2 * i, sizeof half);
        for (int k = 0; k < 2; ++k) {
            const int r = trans ? low + k : high, c = trans ? high : low + k;
            uint16_t *to = (uint16_t *)const_cast<void *>(offered_row(8 * i + r, turn)) + c;
            tcp_host_store(TCP_HOST_SHARED, to, &half[k], 2, at);
        }
    }
}

// Lets those warps continue whose lanes all wait for each other. Returns whether there was one.
static bool open_warps() {
    bool opened = false;
    for (int first = 0; first < tcp_host.threads; first += TCP_HOST_WARP) {
        const int end = std::min(first + TCP_HOST_WARP, tcp_host.threads);
        const tcp_host_fiber_state state = tcp_host_fiber_of(first)->state;
        int alike = 0;
        for (int i = first; i < end; ++i) alike += tcp_host_fiber_of(i)->state == state;
        if (alike < end - first) continue;
        if (state != TCP_FIBER_AT_WARP && state != TCP_FIBER_AT_MATRIX) continue;
        for (int i = first; i < end; ++i) tcp_host_fiber_of(i)->state = TCP_FIBER_READY;
        if (state == TCP_FIBER_AT_WARP) {
            ++tcp_host.warp_epoch[first / TCP_HOST_WARP];
            tcp_host_mbarrier_meet(first, end);
        }
        opened = true;
    }
    return opened;
}

// Reports which thread waits for which, in the name of a waiting one: no thread can continue, and
// they do not all wait at a barrier.
static void report_divergence() {
    tcp_host_fiber *waiting = nullptr, *other = nullptr;
    for (int i = 0; i < tcp_host.threads; ++i) {
        tcp_host_fiber *f = tcp_host_fiber_of(i);
        if (f->state == TCP_FIBER_AT_NAMED) return tcp_host_named_stuck(f);
        if (f->state == TCP_FIBER_AT_MEMORY) return tcp_host_mbarrier_stuck(f);
    }
    for (int i = 0; i < tcp_host.threads && !waiting; ++i) {
        tcp_host_fiber *f = tcp_host_fiber_of(i);
        if (f->state != TCP_FIBER_DONE) waiting = f;
    }
    const bool in_warp = waiting->state != TCP_FIBER_AT_SYNC;
    for (int i = 0; i < tcp_host.threads && !other; ++i) {
        tcp_host_fiber *f = tcp_host_fiber_of(i);
        if (f->state == waiting->state) continue;
        if (!in_warp || i / TCP_HOST_WARP == waiting->id / TCP_HOST_WARP) other = f;
    }
    tcp_host.fiber = waiting;
    const char *what = in_warp ? "its warp" : "a barrier";
    if (!other || other->state == TCP_FIBER_DONE) {
        tcp_host_fail(waiting->at, "divergent barrier",
                      "waits for %s that thread %d does not reach: it has ended", what,
                      other ? other->id : 0);
    } else {
        tcp_host_fail(waiting->at, "divergent barrier",
                      "waits for %s that thread %d does not reach: it waits at line %d", what,
                      other->id, other->at.line);
    }
}

enum next { GO_ON, ENDED, AWAITS_PEER };

// Lets threads continue that may; those that a named barrier opened for are ready already.
static next open_barriers() {
    int at_sync = 0, done = 0, at_peer = 0;
    for (int i = 0; i < tcp_host.threads; ++i) {
        const tcp_host_fiber_state state = tcp_host_fiber_of(i)->state;
        at_sync += state == TCP_FIBER_AT_SYNC;
        done += state == TCP_FIBER_DONE;
        at_peer += state == TCP_FIBER_AT_PEER;
        if (state == TCP_FIBER_READY) return GO_ON;
    }
    if (done == tcp_host.threads) return ENDED;
    if (at_sync + done < tcp_host.threads && (open_warps() || tcp_host_tma_deliver())) return GO_ON;
    if (at_peer) return AWAITS_PEER;
    if (at_sync < tcp_host.threads) report_divergence();
    for (int i = 0; i < tcp_host.threads; ++i) {
        tcp_host_fiber *f = tcp_host_fiber_of(i);
        if (f->state != TCP_FIBER_DONE) f->state = TCP_FIBER_READY;
    }
    ++tcp_host.epoch;
    tcp_host_mbarrier_meet(0, tcp_host.threads);
    tcp_host_mesh_met();
    return GO_ON;
}

// Shared memory and all that is known of it are those of a block that begins.
static void clear_shared() {
    tcp_host.block_epoch = ++tcp_host.epoch;
    memset(tcp_host.shared, tcp_host.schedule.poison, (size_t)tcp_host.shared_bytes);
    tcp_host_named_begin();
    tcp_host_mbarrier_begin();
    tcp_host_tma_begin();
    tcp_host_store_begin();
}

void tcp_host_block_begin(tcp_host_index block, tcp_host_index blocks) {
    const int n = tcp_host.threads;
    for (int i = 0; i < n; ++i) {
        tcp_host_fiber *f = tcp_host_fiber_of(i);
        f->id = i;
        f->self = tcp_host_thread{
            {(unsigned)i, 0, 0}, block, {(unsigned)n, 1, 1}, blocks, tcp_host.shared};
        f->state = TCP_FIBER_READY;
        f->chunks.count = f->chunks.commits = 0;
        f->turn = 0;
        f->row[0] = f->row[1] = nullptr;
    }
    clear_shared();
}

bool tcp_host_block_run() {
    const int n = tcp_host.threads;
    next what;
    do {
        for (int i = 0; i < n; ++i) {
            tcp_host_fiber *f = tcp_host_fiber_of(tcp_host.schedule.backward ? n - 1 - i : i);
            if (f->state == TCP_FIBER_READY) tcp_host_resume(f);
        }
        what = open_barriers();
    } while (what == GO_ON);
    return what == ENDED;
}

void tcp_host_block_return() {
    clear_shared();
    for (int i = 0; i < tcp_host.threads; ++i) {
        tcp_host_fiber *f = tcp_host_fiber_of(i);
        if (f->state == TCP_FIBER_AT_PEER) f->state = TCP_FIBER_READY;
    }
}

void tcp_host_block_leave() {
    tcp_host_named_end();
    while (tcp_host_tma_deliver()) {
    }
    tcp_host_mbarrier_end();
    tcp_host_store_end();
    for (int i = 0; i < tcp_host.threads; ++i) {  // complete the cp.async that nobody waited for
        tcp_host_fiber *f = tcp_host_fiber_of(i);
        tcp_host_finish_chunks(f, f->chunks.commits + 1);
    }
    const tcp_host_index block = tcp_host_fiber_of(0)->self.block;
    if (block.x == 0 && block.y == 0 && block.z == 0) {
        memcpy(tcp_host.snapshot, tcp_host.shared, (size_t)tcp_host.shared_bytes);
        tcp_host.snapshot_bytes = tcp_host.shared_bytes;
    }
}

// Appends the number of further failures to each report, and keeps the reports for this thread.
static void end_reports() {
    for (int i = 0; i < tcp_host.reports; ++i) {
        tcp_host_report_item *item = &tcp_host.report[i];
        const size_t length = strlen(item->text);
        if (item->more > 0)
            snprintf(item->text + length, sizeof item->text - length, " (and %lld more here)",
                     (long long)item->more);
        memcpy(own.text[i], item->text, sizeof own.text[i]);
    }
    own.count = tcp_host.reports;
}

tcp_status tcp_host_begin(const char *name, int fibers) {
    own.count = 0;
    if (!tcp_host.shared) {
        tcp_host.shared = (unsigned char *)aligned_alloc(1024, TCP_HOST_MAX_SHARED);
        tcp_host.epoch = 1;
    }
    if (!tcp_host.shared || !tcp_host_make_fibers(fibers)) return TCP_ERR_MEMORY;
    tcp_host.name = name;
    tcp_host.device = -1;
    tcp_host.reports = 0;
    tcp_host.failures = 0;
    tcp_host.used_async = false;
    tcp_host_ask_environment();
    if (tcp_host.no_schedule) return report_schedule();
    tcp_host_begin_launch();
    return TCP_OK;
}

tcp_status tcp_host_end() {
    end_reports();
    return tcp_host.failures ? TCP_ERR_DEVICE : TCP_OK;
}

tcp_status tcp_host_launch(const char *name, tcp_grid grid, int threads, int64_t shared_bytes,
                           void (*entry)(void *), void *context) {
    const std::lock_guard<std::mutex> lock(tcp_host_mutex);
    TCP_CHECK(tcp_host_begin(name, threads));
    tcp_host.threads = threads;
    tcp_host.shared_bytes = (int)shared_bytes;
    tcp_host.entry = entry;
    tcp_host.context = context;
    const tcp_host_index blocks = {(unsigned)grid.x, (unsigned)grid.y, (unsigned)grid.z};
    const int64_t count = grid.x * grid.y * grid.z;
    for (int64_t i = 0; i < count; ++i) {
        const int64_t at = tcp_host.schedule.backward ? count - 1 - i : i;
        tcp_host_block_begin({(unsigned)(at % grid.x), (unsigned)(at / grid.x % grid.y),
                              (unsigned)(at / grid.x / grid.y)},
                             blocks);
        tcp_host_block_run();
        tcp_host_block_leave();
    }
    return tcp_host_end();
}
