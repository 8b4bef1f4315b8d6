// CUDA C from Kernel IR.
#ifndef TCPC_EMIT_EMIT_H
#define TCPC_EMIT_EMIT_H

struct session;
struct buf;
struct kir;

// Appends the whole of a .cu file: a kernel and a launcher each.  Needs runtime/ alone; a fixed point of clang-format.
void emit_cuda(struct session *s, const struct kir *k, struct buf *out);

#endif
