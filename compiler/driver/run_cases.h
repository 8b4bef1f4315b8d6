// The cases of kernels that a run leaves out.
#ifndef TCPC_DRIVER_RUN_CASES_H
#define TCPC_DRIVER_RUN_CASES_H

struct run_case;
struct session;

// Tells on standard error which cases and widths the params of "c" do not take, and params that do.
void run_tell_left_out(struct session *s, const struct run_case *c);

#endif
