// Runs other programs in a folder: without a shell, with a time limit.  The folder is removed at
// the end, even if a signal ends this process.
#ifndef TCPC_RUN_PROCESS_H
#define TCPC_RUN_PROCESS_H

#include <signal.h>
#include <stdbool.h>

// While it is open, signals that end the process are handled only when it is safe: between steps,
// and during waits.
struct workplace {
    char path[512];  // the folder; "" if there is none
    // a fresh folder for temporary files, which may be the same; "": none
    char scratch[512];
    bool made;  // a folder to be kept did not exist before
    sigset_t old_mask, ours;
};

// Makes a new folder: "dir" (made if missing, and kept), or if it is NULL, a fresh one under
// TMPDIR. "scratch": also makes one for temporary files.  Returns false, with errno set, on
// failure.
bool workplace_open(struct workplace *w, const char *dir, bool scratch);
// Removes the folder unless it is to be kept; then ends the process if a signal has asked for that.
void workplace_close(struct workplace *w);
// Whether a signal asks this process to end; "w" is a struct workplace.
bool workplace_interrupted(const void *w);

enum process_end {
    PROCESS_EXITED,
    PROCESS_SIGNALLED,
    PROCESS_TIMED_OUT,
    PROCESS_INTERRUPTED,  // a signal told us to end; it is still pending
    PROCESS_NOT_STARTED,  // errno has the reason
};
struct process_result {
    enum process_end end;
    int code;  // exit status, or the signal
};

// Runs argv[0] (searched in PATH; "argv" ends in NULL) for at most "seconds".  Its output and
// errors go to the file "log", unless that is NULL.
struct process_result process_run(const struct workplace *w, const char *const *argv, int seconds,
                                  const char *log);

// Writes the path of program "name" (a path, or a name to search in PATH) to "out"; false if there
// is none.
bool process_find(const char *name, char *out, int size);

#endif
