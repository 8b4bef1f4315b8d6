"""Makes the peer of examples/gemm from CuTe's tutorial sgemm_sm80.cu, its kernel for f16 with both operands contiguous along K.

usage: peer.py SGEMM_SM80 -o PEER

What is changed: SM80_16x8x16_F32F16F16F32_TN in the place of SM80_16x8x16_F16F16F16F16_TN, so that sums are f32; C has its rows
contiguous; alpha is a float, 1, and beta 0 as the kernel is compiled; where STAGED is 1, C goes through shared memory (stmatrix, then
rows of 128 bits) as in examples/gemm, and where it is 0, the epilogue is the tutorial's.  The other kernels, main and what prints are
left out; peer_launch starts the kernel.  The text of CUTLASS is read where it lies, and its licence stands in the result.
"""

import pathlib
import re
import sys

EPILOGUE = """#if STAGED
  Tensor half = make_fragment_like<TC>(tCrC);
  CUTE_UNROLL
  for (int i = 0; i < size(tCrC); ++i) half(i) = static_cast<TC>(tCrC(i));
  Tensor sC = make_tensor(make_smem_ptr(smem.A.begin()), CSmemLayout{});
  TiledCopy to_shared = make_tiled_copy_C(Copy_Atom<SM90_U32x4_STSM_N, TC>{}, mma);
  ThrCopy mine = to_shared.get_slice(threadIdx.x);
  cp_async_wait<0>();
  __syncthreads();
  copy(to_shared, mine.retile_S(half), mine.partition_D(sC));
  __syncthreads();
  TiledCopy to_global = make_tiled_copy(Copy_Atom<UniversalCopy<uint128_t>, TC>{}, Layout<Shape<_8, _16>, Stride<_16, _1>>{},
                                        Layout<Shape<_1, _8>>{});
  ThrCopy rows = to_global.get_slice(threadIdx.x);
  copy(to_global, rows.partition_S(sC), rows.partition_D(gC));
#else
  axpby(alpha, tCrC, beta, tCgC);
#endif
"""

LAUNCH = """
extern "C" int peer_launch(const void *A, const void *B, void *C, int64_t m, int64_t n, int64_t k, cudaStream_t stream)
{
  gemm_tn(int(m), int(n), int(k), 1.0f, static_cast<cute::half_t const *>(A), int(k), static_cast<cute::half_t const *>(B), int(k),
          cute::Int<0>{}, static_cast<cute::half_t *>(C), int(n), stream);
  return int(cudaGetLastError());
}
"""


def replace(text, old, new):
    found = len(re.findall(old, text))
    if found != 1:
        sys.exit(f"peer.py: {found} times '{old}' in the tutorial, of which 1 was expected: another version of CUTLASS?")
    return re.sub(old, lambda _: new, text)


def main(tutorial, _, out):
    text = pathlib.Path(tutorial).read_text()
    end = text.index("// Setup params for a NT GEMM\ntemplate <class TA")
    text = text[:end]
    text = re.sub(r'#include (<thrust/|"cutlass/util/).*\n', "", text)
    text = replace(text, r"  axpby\(alpha, tCrC, beta, tCgC\);\n", EPILOGUE)
    text = replace(text, r"auto dC = make_stride\(Int<1>\{\}, ldC\);", "auto dC = make_stride(ldC, Int<1>{});")
    text = replace(text, r"auto sC = make_layout\(make_shape\(bM, bN\)\);", "auto sC = tile_to_shape(swizzle_atom, make_shape(bM, bN));")
    text = replace(text, r"make_tiled_mma\(SM80_16x8x16_F16F16F16F16_TN\{\}", "make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN{}")
    pathlib.Path(out).write_text("#include <cassert>\n#include <cstdint>\n" + text + LAUNCH)


main(*sys.argv[1:])
