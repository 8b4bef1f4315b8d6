"""usage: types_of_others.py --one-of=N[:SEED] TCPC FILE: uses types of C, CUDA, CuTe, numpy, PyTorch, JAX and Triton, all or one of N, in a
plan and in `relayout`, and applies the fix-it of the plan.  Prints those that are not told the type that is meant."""

import pathlib
import subprocess
import sys

MEANT = {
    "u8": "uint8 uint8_t uchar byte", "s8": "int8 int8_t i8 char schar", "u16": "uint16 uint16_t ushort", "s16": "int16 int16_t i16 short",
    "u32": "uint32 uint32_t unsigned uint", "s32": "int32 int32_t i32 int", "u64": "uint64 uint64_t size_t ulong ulonglong uintptr_t",
    "s64": "int64 int64_t i64 long longlong ptrdiff_t", "f16": "half __half half_t fp16 float16", "f32": "float fp32 float32 tf32",
    "bf16": "bfloat16 bfloat16_t nv_bfloat16 __nv_bfloat16", "f64": "double fp64 float64",
    "f8e4m3": "e4m3 float8_e4m3fn float8_e4m3 float_e4m3_t __nv_fp8_e4m3 f8e4m3fn", "f8e5m2": "e5m2 float8_e5m2 float_e5m2_t __nv_fp8_e5m2",
    "b8": "bool bool_ _Bool", "b32": "chalf complex32", "b64": "c64 complex64 cfloat cuComplex", "b128": "c128 complex128 cdouble cuDoubleComplex",
}
sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
from sampled import drawn  # noqa: E402

one_of, tcpc, plan = sys.argv[1].removeprefix("--one-of="), sys.argv[2], pathlib.Path(sys.argv[3])
every = [(ours, name) for ours, names in MEANT.items() for name in names.split()]
some, part = drawn(every, one_of)
wrong = []
for ours, name in some:
    plan.write_text(f"tcp 1;\ntensor A : {name} global row(4,64);\n")
    said = subprocess.run([tcpc, "--diagnostics=json", plan, "-o", "-"], capture_output=True, text=True).stderr
    if f"'{ours}'" not in said or f'"{ours}"' not in said:  # in the message, and as its fix-it
        wrong.append(f"{name}: {said}")
    said = subprocess.run([tcpc, "relayout", name, "n=100 m=101", "m n"], capture_output=True, text=True).stderr
    if f"'{ours}'" not in said:
        wrong.append(f"relayout {name}: {said}")
print("".join(f"{line}\n" for line in wrong) + f"of {len(every)} types{part} {len(wrong)} are not told")
sys.exit(1 if wrong else 0)
