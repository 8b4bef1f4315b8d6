// Doing a command again and again.
#ifndef TCPC_DRIVER_WATCH_H
#define TCPC_DRIVER_WATCH_H

// Calls "command" with the words of "argv" but for --watch, each time in a process of its own: now,
// and whenever the plan at "path" or what it imports changes.  Returns an exit status when that is
// not possible, else never.
int watch(const char *path, int (*command)(int, char **), int argc, char **argv);

#endif
