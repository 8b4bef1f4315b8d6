"""The bits of numbers, and how one type becomes another, as docs/language.md tells it; for the judge."""
import math
from functools import lru_cache

# bits of the exponent, bits of the fraction
FLOATS = {"f16": (5, 10), "bf16": (8, 7), "f32": (8, 23), "f64": (11, 52), "f8e4m3": (4, 3), "f8e5m2": (5, 2)}
INTEGERS = {f"{sign}{bits}": (sign == "s", bits) for sign in "us" for bits in (8, 16, 32, 64)}


def decode(element, bits):
    """Returns the number that "bits" are: an int, or a float, which holds all numbers of these types."""
    if element in INTEGERS:
        signed, width = INTEGERS[element]
        return bits - (1 << width) if signed and bits >> (width - 1) else bits
    exponent, fraction = FLOATS[element]
    sign = -1.0 if bits >> (exponent + fraction) else 1.0
    e, f = bits >> fraction & ((1 << exponent) - 1), bits & ((1 << fraction) - 1)
    top = (1 << exponent) - 1
    if element == "f8e4m3":
        if e == top and f == 7:
            return math.nan
    elif e == top:
        return math.nan if f else sign * math.inf
    bias = (1 << (exponent - 1)) - 1
    return sign * (math.ldexp(f, 1 - bias - fraction) if e == 0 else math.ldexp(f | 1 << fraction, e - bias - fraction))


def whole(x):
    """Returns integers (m, e) so that abs(x) is m * 2**e."""
    if isinstance(x, int):
        return abs(x), 0
    m, e = math.frexp(abs(x))
    return int(math.ldexp(m, 53)), e - 53


def rounded(m, e):
    """m * 2**e as an integer: the nearest, of two the even one."""
    if e >= 0:
        return m << e
    low = m >> -e
    rest, half = m - (low << -e), 1 << (-e - 1)
    return low + (rest > half or (rest == half and low & 1))


def encode_float(element, x):
    exponent, fraction = FLOATS[element]
    top, bias = (1 << exponent) - 1, (1 << (exponent - 1)) - 1
    sign = (1 if (x < 0 or (isinstance(x, float) and math.copysign(1, x) < 0)) else 0) << (exponent + fraction)
    infinite = top << fraction
    if element == "f8e4m3":
        most, infinite = 0x7e, 0x7e
    elif element == "f8e5m2":
        most, infinite = 0x7b, 0x7b
    else:
        most = infinite - 1
    if isinstance(x, float) and math.isnan(x):
        return (1 << (exponent + fraction)) - 1
    if isinstance(x, float) and math.isinf(x):
        return sign | infinite
    m, e = whole(x)
    if m == 0:
        return sign
    place = max(m.bit_length() + e - 1, 1 - bias)  # the exponent of the result
    units = rounded(m, e - (place - fraction))
    # "units" has the hidden bit unless it is subnormal; one more by rounding carries into the exponent by itself.
    bits = units + ((place + bias - 1) << fraction)
    return sign | (bits if bits <= most else infinite)


def encode(element, x):
    """Returns the bits of the number "x" as an "element"; of an integer type the nearest one, towards zero."""
    if element not in INTEGERS:
        return encode_float(element, x)
    signed, width = INTEGERS[element]
    low, high = (-(1 << (width - 1)), (1 << (width - 1)) - 1) if signed else (0, (1 << width) - 1)
    if isinstance(x, float):
        x = 0 if math.isnan(x) else high if x == math.inf else low if x == -math.inf else int(x)
        x = min(max(x, low), high)
    return x & ((1 << width) - 1)


@lru_cache(maxsize=1 << 16)
def convert(source, target, bits):
    """Returns what the bits of a "source" element become as a "target" element."""
    return bits if source == target else encode(target, decode(source, bits))


def constant(element, x):
    """Returns the bits of a number that the plan gives."""
    if element[0] == "b" and element != "bf16":
        return int(x)
    return encode(element, x)


def joined(how, element, a, b):
    """The bits of two integers, joined by a reduction."""
    if how == "add":
        return a + b & (1 << INTEGERS[element][1]) - 1
    pick = min if how == "min" else max
    return pick(a, b, key=lambda bits: decode(element, bits))
