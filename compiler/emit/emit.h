// CUDA C from Kernel IR.
#ifndef TCPC_EMIT_EMIT_H
#define TCPC_EMIT_EMIT_H

struct session;
struct buf;
struct kir;
struct kir_kernel;
struct lines;

// Appends the whole of a .cu file: a kernel and a launcher each.  Needs runtime/ alone; a fixed
// point of clang-format.
void emit_cuda(struct session *s, const struct kir *k, struct buf *out);
// The same, one function after the other: what comes before them, which needs no kernels in "k";
// then each device function, then each kernel with all of its cases.
struct lines *emit_cuda_begin(struct session *s, const struct kir *k, struct buf *out);
void emit_cuda_next(struct session *s, const struct kir_kernel *first, struct lines *lines,
                    struct buf *out);
// Appends a header: the device functions, to be included beside other code, and the launchers'
// declarations.  Needs runtime/tcp_device.cuh for the first, runtime/tcp_runtime.h for the others.
void emit_header(struct session *s, const struct kir *k, struct buf *out);

#endif
