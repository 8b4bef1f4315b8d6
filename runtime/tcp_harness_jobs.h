// Distributes the runs of one kernel over several processes. Part of tcp_harness.cpp; separate
// because it does not know what a run does.
//
// Runs do not depend on each other, so that they may run at the same time; several processes are
// needed because the host runtime does one launch at a time. The report of each run is kept, and
// the first failed run in their order is the one that is shown.
#ifndef TCP_HARNESS_JOBS_H
#define TCP_HARNESS_JOBS_H

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <string>
#include <vector>

struct harness_job_result {
    bool done = false, failed = false;
    std::string text;
};

// The header of a process's message about a job; the text follows.
struct harness_job_head {
    int job, failed, length;
};

inline void harness_write(int to, const void *data, size_t bytes) {
    const char *at = (const char *)data;
    while (bytes > 0) {
        const ssize_t n = write(to, at, bytes);
        if (n <= 0) _exit(2);
        at += n;
        bytes -= (size_t)n;
    }
}

// Does the jobs "first", "first" + "step", .. in this process, and then exits.
inline void harness_do_jobs(int first, int step, int jobs, int to,
                            const std::function<bool(int, FILE *)> &run) {
    for (int i = first; i < jobs; i += step) {
        char *text = nullptr;
        size_t length = 0;
        FILE *out = open_memstream(&text, &length);
        if (!out) _exit(2);
        const bool good = run(i, out);
        fclose(out);
        const harness_job_head head = {i, !good, (int)length};
        harness_write(to, &head, sizeof head);
        harness_write(to, text, length);
        free(text);
    }
    _exit(0);
}

// Removes the complete messages from the front of "data".
inline int harness_take_results(std::string &data, std::vector<harness_job_result> &results) {
    int taken = 0;
    harness_job_head head;
    while (data.size() >= sizeof head) {
        memcpy(&head, data.data(), sizeof head);
        if (data.size() < sizeof head + (size_t)head.length) break;
        results[(size_t)head.job] = {true, head.failed != 0,
                                     data.substr(sizeof head, (size_t)head.length)};
        data.erase(0, sizeof head + (size_t)head.length);
        ++taken;
    }
    return taken;
}

// Calls "run" for each of "jobs" jobs in "processes" processes, and "tell" with the number of jobs
// done so far. A job without a result was not done, because its process ended early. If a process
// was killed by a signal, this process ends with the same signal.
inline std::vector<harness_job_result> harness_run_jobs(int jobs, int processes,
                                                        const std::function<bool(int, FILE *)> &run,
                                                        const std::function<void(int)> &tell) {
    std::vector<harness_job_result> results((size_t)jobs);
    std::vector<pollfd> from;
    std::vector<pid_t> child;
    std::vector<std::string> data((size_t)processes);
    int done = 0, open = 0, by_signal = 0;
    fflush(nullptr);
    for (int p = 0; p < processes; ++p) {
        int ends[2];
        if (pipe(ends) != 0) break;
        const pid_t id = fork();
        if (id == 0) {
            close(ends[0]);
            harness_do_jobs(p, processes, jobs, ends[1], run);
        }
        close(ends[1]);
        from.push_back({id < 0 ? -1 : ends[0], POLLIN, 0});
        child.push_back(id);
        open += id > 0;
        if (id < 0) close(ends[0]);
    }
    while (open > 0 && poll(from.data(), from.size(), -1) > 0) {
        for (size_t p = 0; p < from.size(); ++p) {
            char piece[4096];
            if (from[p].fd < 0 || !from[p].revents) continue;
            const ssize_t n = read(from[p].fd, piece, sizeof piece);
            if (n > 0) {
                data[p].append(piece, (size_t)n);
                done += harness_take_results(data[p], results);
                tell(done);
                continue;
            }
            int status = 0;
            close(from[p].fd);
            from[p].fd = -1;
            --open;
            if (waitpid(child[p], &status, 0) == child[p] && WIFSIGNALED(status))
                by_signal = WTERMSIG(status);
        }
    }
    if (by_signal) {
        signal(by_signal, SIG_DFL);
        raise(by_signal);
    }
    return results;
}

#endif
