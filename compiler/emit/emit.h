// CUDA C from Kernel IR.
#ifndef TCPC_EMIT_EMIT_H
#define TCPC_EMIT_EMIT_H

struct session;
struct buf;
struct kir;

// Appends the whole of a .cu file: a kernel and a launcher each.  Needs runtime/ alone; a fixed
// point of clang-format.
void emit_cuda(struct session *s, const struct kir *k, struct buf *out);
// Appends a header of the device functions alone, to be included beside other code.  Needs
// runtime/tcp_device.cuh.
void emit_header(struct session *s, const struct kir *k, struct buf *out);

#endif
