"""Relayouts in Triton: turned matrices, one or many, and rows of contiguous elements. Each has several tiles, of which the fastest is taken."""
import itertools
import math

import torch
import triton
import triton.language as tl


@triton.jit
def turned(src, dst, M, N, TM: tl.constexpr, TN: tl.constexpr, DOWN: tl.constexpr, WHOLE: tl.constexpr):
    """Matrices of M by N to ones of N by M. DOWN: blocks that follow one another are below one another in the source."""
    matrix = tl.program_id(1).to(tl.int64) * M * N
    block = tl.program_id(0)
    if DOWN:
        m0 = block % tl.cdiv(M, TM) * TM
        n0 = block // tl.cdiv(M, TM) * TN
    else:
        m0 = block // tl.cdiv(N, TN) * TM
        n0 = block % tl.cdiv(N, TN) * TN
    m = m0 + tl.arange(0, TM)
    n = n0 + tl.arange(0, TN)
    read = src + matrix + m.to(tl.int64)[:, None] * N + n[None, :]
    write = dst + matrix + n.to(tl.int64)[:, None] * M + m[None, :]
    if WHOLE:
        tl.store(write, tl.trans(tl.load(read)))
    else:
        tile = tl.load(read, mask=(m < M)[:, None] & (n < N)[None, :])
        tl.store(write, tl.trans(tile), mask=(n < N)[:, None] & (m < M)[None, :])


@triton.jit
def rows(src, dst, N, from_pitch, to_pitch, T: tl.constexpr, WHOLE: tl.constexpr):
    """Rows of N contiguous elements."""
    row = tl.program_id(1).to(tl.int64)
    n = tl.program_id(0) * T + tl.arange(0, T)
    read = src + row * from_pitch + n
    write = dst + row * to_pitch + n
    if WHOLE:
        tl.store(write, tl.load(read))
    else:
        tl.store(write, tl.load(read, mask=n < N), mask=n < N)


@triton.jit
def tiles(src, dst, S, H, D: tl.constexpr, TS: tl.constexpr):
    """(B,S,H,D) to (B,H,S,D): TS rows of D elements a block."""
    s = tl.program_id(0) * TS + tl.arange(0, TS)
    h = tl.program_id(1) % H
    batch = (tl.program_id(1) // H).to(tl.int64) * S * H * D
    d = tl.arange(0, D)
    read = src + batch + (s * H + h)[:, None] * D + d[None, :]
    write = dst + batch + (h * S + s)[:, None] * D + d[None, :]
    tl.store(write, tl.load(read))


@triton.jit
def spaced(src, dst, T: tl.constexpr, STEP: tl.constexpr):
    """Every STEP-th element; the extent is a multiple of T."""
    n = tl.program_id(0).to(tl.int64) * T + tl.arange(0, T)
    tl.store(dst + n, tl.load(src + n * STEP))


WORDS = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}


def turns(case):
    """(matrices, M, N) where the case turns dense matrices."""
    e = list(case.extents)
    dense = [1] * case.rank
    for m in reversed(range(case.rank - 1)):
        dense[m] = dense[m + 1] * e[m + 1]
    if list(case.strides) != dense or case.skip:
        return None
    perm = sorted(range(case.rank), key=lambda m: -case.written[m])
    batch = 0
    while batch < case.rank and perm[batch] == batch:
        batch += 1
    tail = perm[batch:]
    for k in range(1, len(tail)):
        if tail == [*range(batch + k, case.rank), *range(batch, batch + k)]:
            return math.prod(e[:batch]), math.prod(e[batch:batch + k]), math.prod(e[batch + k:])
    return None


def launches(case, source, to):
    """A list of functions of the pair of buffers: what Triton can do for the case."""
    if case.size not in WORDS:
        return []
    source = [x.view(WORDS[case.size])[case.skip:] for x in source]
    to = [x.view(WORDS[case.size]) for x in to]
    found = []

    def add(kernel, grid, *arguments, **constants):
        found.append(lambda pair: kernel[grid](source[pair], to[pair], *arguments, **constants))

    matrices = turns(case)
    if matrices:
        count, M, N = matrices
        sizes = [(64, 64), (128, 64), (64, 128)] + ([(128, 128), (256, 128)] if case.size < 4 else [(32, 64), (64, 32)])
        for (TM, TN), down in itertools.product(sizes, (True, False)):
            whole, warps = M % TM == 0 and N % TN == 0, 4 if TM * TN <= 8192 else 8
            add(turned, (triton.cdiv(M, TM) * triton.cdiv(N, TN), count), M, N, TM=TM, TN=TN, DOWN=down, WHOLE=whole, num_warps=warps)
    elif case.rank == 1 and case.strides[0] == 1:
        for T in (1024, 4096, 8192):
            add(rows, (case.elements // T, 1), case.elements, 0, 0, T=T, WHOLE=True, num_warps=4)
    elif case.rank == 2 and case.strides[1] == case.written[1] == 1:
        N = case.extents[1]
        for T in (1024, 2048):
            add(rows, (triton.cdiv(N, T), case.extents[0]), N, case.strides[0], case.written[0], T=T, WHOLE=N % T == 0, num_warps=4)
    elif case.rank == 2 and case.strides[1] > 1 and case.strides[0] == case.strides[1] * case.extents[1]:
        for T in (512, 1024):
            add(spaced, (case.elements // T,), T=T, STEP=case.strides[1], num_warps=4)
    elif case.rank == 4 and sorted(range(4), key=lambda m: -case.written[m]) == [0, 2, 1, 3]:
        B, S, H, D = case.extents
        if D & (D - 1) == 0:
            for TS in (t for t in (16, 32, 64) if S % t == 0):
                add(tiles, (S // TS, B * H), S, H, D=D, TS=TS, num_warps=4)
    return found
