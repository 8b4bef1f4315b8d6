// CUDA C from Kernel IR.
#ifndef TCPC_EMIT_EMIT_H
#define TCPC_EMIT_EMIT_H

struct session;
struct buf;
struct kir;

// Appends the whole of a .cu file: a kernel and a launcher each.  Needs runtime/ alone; a fixed
// point of clang-format.
void emit_cuda(struct session *s, const struct kir *k, struct buf *out);
// Appends a header: the device functions, to be included beside other code, and the launchers'
// declarations.  Needs runtime/tcp_device.cuh for the first, runtime/tcp_runtime.h for the others.
void emit_header(struct session *s, const struct kir *k, struct buf *out);

#endif
