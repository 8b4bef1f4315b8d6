"""Random pairs of strided arrays, and what copying one to the other gives: worked out by numpy, and by the table of conversions in docs/python.md."""
import ml_dtypes
import numpy as np

TYPES = {name: np.dtype(getattr(np, name, None) or getattr(ml_dtypes, name)) for name in (
    "uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64", "float16", "bfloat16", "float32", "float64", "float8_e4m3fn", "float8_e5m2")}
MORE = [np.dtype(t) for t in ("bool", "complex64", "complex128", "datetime64[s]", ">i4", "S3", "V16", "f4,u1,f8")] + [
    np.dtype(getattr(ml_dtypes, t)) for t in ("float8_e4m3fnuz", "float8_e5m2fnuz")]
LARGEST = {"float8_e4m3fn": 448.0, "float8_e5m2": 57344.0}


def is_float(dtype):
    return "float" in dtype.name


def convert(source, to):
    """The elements of "source" as numbers of the type "to"."""
    if source.dtype.name == "bool":
        source = source.view(np.uint8) if source.flags.c_contiguous else np.ascontiguousarray(source).view(np.uint8)
    if not is_float(source.dtype) and not is_float(to):
        return source.astype(to)
    if not is_float(source.dtype) and to.itemsize > 2:
        return source.astype(to)
    with np.errstate(all="ignore"):
        wide = source.astype(np.float64)
        if not is_float(to):
            least, most = np.iinfo(to).min, np.iinfo(to).max
            low, high, nan = wide <= float(least), wide >= float(most), np.isnan(wide)
            found = np.where(low | high | nan, 0, wide).astype(to)
            found[low], found[high] = least, most
            return found
        if to.name in LARGEST:
            wide = np.clip(wide, -LARGEST[to.name], LARGEST[to.name])  # NaN stays
        found = wide.astype(to)
    bits = found.view(np.dtype(f"u{to.itemsize}")).copy()
    bits[np.isnan(wide)] = (1 << (8 * to.itemsize - 1)) - 1
    return bits.view(to)


def fill(rng, dtype, count, to):
    """Bytes for "count" elements that go to type "to": any bits, or numbers that a single rounding decides."""
    raw = rng.integers(0, 256, max(1, count * dtype.itemsize), dtype=np.uint8)
    if dtype == to or dtype.name == "bool":
        return raw & 1 if dtype.name == "bool" else raw
    if is_float(to) and to.itemsize <= 2:
        if dtype.itemsize == 8 and is_float(dtype):
            with np.errstate(invalid="ignore"):
                return rng.integers(0, 2**32, count, dtype=np.uint32).view(np.float32).astype(np.float64).view(np.uint8).copy()
        if dtype.itemsize >= 4 and not is_float(dtype):
            return rng.integers(0, 2**20, count).astype(dtype).view(np.uint8).copy()
    return raw


class Copy:
    """Arrays "source" and "destination" within buffers, of which the destination's is compared as a whole."""

    def __init__(self, rng, shape=None, dtype=None, to=None, contents=None):
        """"contents" has other random numbers for the elements, and for where the buffers lie: then it is the same copy for a kernel."""
        self.rng, self.contents = rng, contents or rng
        if dtype is None:
            any_type = list(TYPES.values())
            dtype = any_type[rng.integers(len(any_type))]
            to = dtype
            kind = rng.integers(10)
            if kind < 3:
                to = any_type[rng.integers(len(any_type))]
            elif kind < 5:
                dtype = to = MORE[rng.integers(len(MORE))]
        self.dtype, self.to = np.dtype(dtype), np.dtype(to)
        if shape is None:
            rank = int(rng.integers(0, 6))
            most = [1, 120, 24, 11, 7, 5][rank]
            shape = tuple(int(rng.integers(0 if rng.random() < .05 else 1, most + 1)) for _ in range(rank))
        self.shape = shape
        self.source = self.side(self.dtype, False)
        self.destination = self.side(self.to, True)

    def side(self, dtype, written):
        rng, rank, size = self.rng, len(self.shape), dtype.itemsize
        strides, span = [0] * rank, 1
        for m in rng.permutation(rank):
            if not written and rng.random() < .06:
                continue  # expanded
            strides[m] = span
            span *= self.shape[m]
            if rng.random() < .2:
                span += int(rng.integers(0, 5))
            if rng.random() < .15:
                strides[m] *= 2
                span *= 2
        converted = self.dtype != self.to
        shift = 0 if converted or rng.random() < .7 else int(rng.integers(1, 16))
        back = [rng.random() < .15 and n > 0 for n in self.shape]
        first = sum(s * (n - 1) for s, n, b in zip(strides, self.shape, back) if b) + int(rng.integers(0, 4))
        count = first + sum(s * max(0, n - 1) for s, n in zip(strides, self.shape)) + 4
        raw = np.zeros(count * size + 96, np.uint8)
        at = -raw.ctypes.data % 16 + shift + 16 * int(self.contents.integers(0, 4))
        raw[at:at + count * size] = fill(self.contents, dtype, count, dtype if written else self.to)[:count * size]
        array = np.ndarray(self.shape, dtype, raw, at + first * size, tuple(-s * size if b else s * size for s, b in zip(strides, back)))
        if not written:
            array.flags.writeable = False
        else:
            self.buffer = raw
        return array

    def expected(self):
        """The whole buffer of the destination, after the copy."""
        after = self.buffer.copy()
        at = self.destination.__array_interface__["data"][0] - self.buffer.ctypes.data
        if self.destination.size == 0:
            return after
        view = np.ndarray(self.shape, self.to, after, at, self.destination.strides)
        view[...] = self.source if self.dtype == self.to else convert(np.ascontiguousarray(self.source).reshape(-1), self.to).reshape(self.shape)
        return after

    def __repr__(self):
        return f"{self.dtype} {self.source.shape}:{self.source.strides} -> {self.to} {self.destination.strides}"
