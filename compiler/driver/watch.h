// Repeats a command.
#ifndef TCPC_DRIVER_WATCH_H
#define TCPC_DRIVER_WATCH_H

// Calls "command" with the words of "argv" without --watch, each time in a process of its own:
// first now, and then whenever the plan at "path" or one of its imports changes.  Returns an exit
// status if that is not possible; otherwise it does not return.
int watch(const char *path, int (*command)(int, char **), int argc, char **argv);

#endif
