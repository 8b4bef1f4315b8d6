// The commands of tcpc.  Each gets the words after its name and returns the exit status.
#ifndef TCPC_DRIVER_COMMANDS_H
#define TCPC_DRIVER_COMMANDS_H

int command_run(int argc, char **argv);       // tcpc run PLAN: compile, build, run, compare
int command_relayout(int argc, char **argv);  // tcpc relayout TYPE SOURCE DESTINATION: plan a copy
int command_tune(int argc, char **argv);      // tcpc tune PLAN: time candidates, write the best
int command_explain(int argc, char **argv);   // tcpc explain PLAN [NAME]: what was chosen, and why
int command_count(int argc, char **argv);     // tcpc count PLAN [KERNEL]: what the profiler counts
int command_draw(int argc, char **argv);      // tcpc draw PLAN NAME
int command_eval(int argc, char **argv);      // tcpc eval EXPRESSION | -
int command_fmt(int argc, char **argv);       // tcpc fmt PLAN...

#endif
