// Prints Kernel IR as CUDA C.
#ifndef TCPC_EMIT_EMIT_H
#define TCPC_EMIT_EMIT_H

struct session;
struct buf;
struct kir;
struct kir_kernel;
struct printing;

// Appends a complete .cu file: device functions, kernels, and a launcher for each kernel.  The file
// needs only runtime/.
void emit_cuda(struct session *s, const struct kir *k, struct buf *out);
// The same, function by function: first what comes before the functions ("k" needs no kernels),
// then each device function, then each kernel with all its cases, then the launchers.
struct printing *emit_cuda_begin(struct session *s, const struct kir *k, struct buf *out);
void emit_cuda_next(struct printing *p, const struct kir_kernel *first);
void emit_cuda_end(struct printing *p);
// Appends a header: device functions to be included in other code, and declarations of launchers.
// The former need runtime/tcp_device.cuh, the latter runtime/tcp_runtime.h.
void emit_header(struct session *s, const struct kir *k, struct buf *out);

#endif
