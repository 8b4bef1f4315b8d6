// Other programs and the folder they work in: started without a shell, waited for with a time
// limit, and cleaned up after on every way out, also when this process is told to end.
#ifndef TCPC_DRIVER_PROCESS_H
#define TCPC_DRIVER_PROCESS_H

#include <signal.h>
#include <stdbool.h>

// While it is open, the signals that end a process are taken when it is safe: between steps, and
// while waiting.
struct workplace {
    char path[512];     // the folder, "" when there is none
    char scratch[512];  // a fresh one for files of a moment, which may be that; "": none
    bool made;          // a folder to be kept was not there before
    sigset_t old_mask, ours;
};

// Makes a new folder: "dir" (made if missing, and kept), or when it is NULL a fresh one under
// TMPDIR; with "scratch" one of files of a moment too.  Returns false, with errno set, when that
// fails.
bool workplace_open(struct workplace *w, const char *dir, bool scratch);
// Removes the folder unless it is to be kept; then lets the process end if a signal asked for that.
void workplace_close(struct workplace *w);
// Whether a signal asks this process to end; "w" is a struct workplace.
bool workplace_interrupted(const void *w);

enum process_end {
    PROCESS_EXITED,
    PROCESS_SIGNALLED,
    PROCESS_TIMED_OUT,
    PROCESS_INTERRUPTED,  // we were told to end; the signal is still pending
    PROCESS_NOT_STARTED,  // errno says why
};
struct process_result {
    enum process_end end;
    int code;  // exit status, or the signal
};

// Runs argv[0] (looked up in PATH; "argv" ends in NULL) for at most "seconds"; its output and
// errors go to the file "log" unless that is NULL.
struct process_result process_run(const struct workplace *w, const char *const *argv, int seconds,
                                  const char *log);

// Writes the path of program "name" (a path, or a name to look up in PATH) to "out"; false when
// there is none.
bool process_find(const char *name, char *out, int size);

#endif
