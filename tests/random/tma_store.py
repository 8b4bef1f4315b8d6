"""usage: tma_store.py TCPC RUNTIME FOLDER [--count N] [--each K] [--seed S] [--sizes L] [--library FILE] [--refused PERCENT] [--write]

Random kernels that store tiles by tma.store or bulk.store, or join them with what is there by their reductions, write what the index arithmetic of this file says, and
not one byte more: each output is compared whole, with the padding of its rows, the columns beside a part, and with `program guard` bytes around it.
The rest is as in tma.py, whose options these are.

Ranks 1 to 5, elements of 1 to 8 bytes, the contiguous mode and the order of the others anywhere, pitches, extents by numbers and params that
end inside tiles, parts of the columns, tiles of several boxes, swizzles, buffers with another order or gaps, grids, loops, pipelines with and without
roles, slots of a ring in a loop and of roles; loads by threads, by cp.async and by tma.load. Several blocks reduce into the same elements; some kernels read again
what they stored. Some tensors own the padding of their rows, which gets zeros; of some kernels threads store the last columns, behind which others are.
With --sizes, a kernel with params is launched so often, with other values.
"""

import math
import sys

import tma

ADDED = ["u32", "s32", "u64", "f16", "bf16", "f32", "f64"]
ORDERED = ["u32", "s32", "u64", "s64", "f16", "bf16"]

COMPARE = """
// Elements as numbers: 'u', 's' and 'f' of 2, 4 or 8 bytes, or 'b', bf16. Floats hold small integers, so that sums are exact.
static int64_t value_of(const unsigned char *at, char kind, int bytes) {
    uint64_t bits = 0;
    memcpy(&bits, at, (size_t)bytes);
    if (kind == 's') return (int64_t)(bits << (64 - 8 * bytes)) >> (64 - 8 * bytes);
    if (kind == 'u') return (int64_t)bits;
    const int digits = kind == 'b' ? 7 : bytes == 2 ? 10 : bytes == 4 ? 23 : 52, top = 8 * bytes - 1;
    const int bias = (1 << (top - digits - 1)) - 1, e = (int)(bits >> digits) - bias;
    return bits == 0 ? 0 : (int64_t)(((bits & (((uint64_t)1 << digits) - 1)) | (uint64_t)1 << digits) >> (digits - e));
}

static void set_value(unsigned char *at, char kind, int bytes, int64_t x) {
    uint64_t bits = (uint64_t)x;
    const int digits = kind == 'b' ? 7 : bytes == 2 ? 10 : bytes == 4 ? 23 : 52, top = 8 * bytes - 1;
    int e = 0;
    while ((kind == 'f' || kind == 'b') && x >> (e + 1)) ++e;
    if ((kind == 'f' || kind == 'b') && x)
        bits = (uint64_t)(e + (1 << (top - digits - 1)) - 1) << digits | ((uint64_t)x << (digits - e) & (((uint64_t)1 << digits) - 1));
    memcpy(at, &bits, (size_t)bytes);
}

// Memory whose elements are small integers.
static memory take_small(size_t bytes, unsigned seed, char kind, int each) {
    memory m = take(bytes, seed);
    for (size_t i = 0; i + (size_t)each <= bytes; i += (size_t)each) set_value(m.host + guard + i, kind, each, m.host[guard + i] % 32);
    must(tcp_upload(m.at, m.host + guard, bytes, nullptr), "upload");
    return m;
}

static int64_t joined(char op, char kind, int64_t a, int64_t b) {
    const bool less = kind == 'u' ? (uint64_t)a < (uint64_t)b : a < b;
    return op == '+' ? (int64_t)((uint64_t)a + (uint64_t)b) : (op == '<') == less ? a : b;
}

// An output whose elements at "offset" + coordinates * "to" are those of "src" at coordinates * "from", or by "op" joined so many "times" with them. From "upto" on in
// mode "inner" they are zeros.
template <int Rank>
static void compare(const char *name, const memory &src, const memory &out, char op, char kind, int times, int bytes, int64_t offset, int inner, int64_t upto,
                    const int64_t (&extent)[Rank], const int64_t (&from)[Rank], const int64_t (&to)[Rank]) {
    const size_t all = out.bytes + 2 * (size_t)guard;
    unsigned char *got = (unsigned char *)malloc(all);
    int64_t n = 1;
    for (int64_t e : extent) n *= e;
    for (int64_t i = 0; i < n; ++i) {
        int64_t rest = i, at = 0, place = offset;
        bool inside = true;
        for (int k = Rank - 1; k >= 0; --k) {
            inside = inside && (k != inner || rest % extent[k] < upto);
            at += rest % extent[k] * from[k];
            place += rest % extent[k] * to[k];
            rest /= extent[k];
        }
        static unsigned char none[8] = {0};
        unsigned char *is = out.host + guard + place * bytes, *with = inside ? src.host + guard + at * bytes : none;
        if (op == '=') memcpy(is, with, (size_t)bytes);
        for (int t = 0; op != '=' && t < times; ++t)
            set_value(is, kind, bytes, joined(op, kind, value_of(is, kind, bytes), value_of(with, kind, bytes)));
    }
    must(tcp_wait(nullptr), name);
    must(tcp_download(got, out.at - guard, all, nullptr), "download");
    size_t wrong = 0, first = 0;
    for (size_t i = 0; i < all; ++i)
        if (got[i] != out.host[i] && wrong++ == 0) first = i;
    if (wrong) {
        printf("%s: %zu of %zu bytes wrong, first at %lld\\n", name, wrong, all, (long long)first - guard);
        ++failed;
    }
    free(got);
}

"""


class Kernel(tma.Kernel):
    def strides(self, extent, inner, chunk):
        """Strides of a tensor in memory: the contiguous mode, then the others in any order, with room behind rows."""
        rng, order = self.rng, [k for k in range(len(extent)) if k != inner]
        rng.shuffle(order)
        stride, at = [0] * len(extent), extent[inner]
        stride[inner] = 1
        for k in order:
            at = -(-at // chunk) * chunk + chunk * rng.choice([0, 0, 1, 3])
            stride[k] = at
            at *= extent[k]
        return stride, at

    def draw_extents(self, i, tile, inner, chunk):
        """Draws the largest extents and which of them are params; returns their names, and the text that declares them."""
        rng, names, text = self.rng, [], ""
        any_end = self.owns or self.tails  # not at a multiple of 16 bytes
        extent = [rng.randrange(1, 3 * t + 3) for t in tile]
        extent[inner] = chunk * rng.randrange(1, 3 * tile[inner] // chunk + 2)
        if any_end:
            extent[inner] += rng.randrange(1, chunk) if chunk > 1 else 0
        self.most, self.ranges = extent, []
        for k, most in enumerate(extent):
            by = chunk if k == inner and not any_end else 1
            if most > by and rng.random() < 0.5 and not (k == inner and self.before + self.behind and not self.tails):
                text += f"param E{k}_{i} : index{f' % {by}' if by > 1 else ''} in {by} .. {most};\n"
                self.ranges.append((k, by, most))
                names.append(f"E{k}_{i}")
            else:
                names.append(str(most))
        return names, text

    def draw(self, i):
        rng = self.rng
        tile, inner, swizzle, row, pieces = self.draw_tile()
        self.op = rng.choice("===+++<<>>")
        if self.op != "=" and self.elem not in (ADDED if self.op == "+" else ORDERED):
            return False
        self.kind = "b" if self.elem == "bf16" else self.elem[0]
        b, rank, chunk = self.bytes, len(tile), 16 // self.bytes
        if math.prod(tile) * b > tma.MOST_TILE or tile[inner] > 2048:
            return False
        by_rows = not swizzle and rng.random() < 0.3
        how = rng.choice(["t", "t", "t", "c", "tma"])
        # the padding of the rows is owned; or threads store the last columns
        self.owns = how == "t" and rng.random() < 0.25
        self.tails = how == "t" and not self.owns and self.op == "=" and chunk > 1 and rng.random() < 0.25
        # a part of the columns, with others on both sides
        self.before, self.behind = 0, 0
        if rng.random() < (0.7 if self.tails else 0.3) and not self.owns:
            self.before, self.behind = 0 if self.tails else chunk * rng.choice([0, 1, 3]), rng.randrange(0, 2 * chunk + 1)
        before, behind = self.before, self.behind
        names, text = self.draw_extents(i, tile, inner, chunk)
        extent, self.inner, self.chunk = self.most, inner, chunk
        count = [-(-e // t) for e, t in zip(extent, tile)]
        if math.prod(e * t for e, t in zip(count, tile)) * b > tma.MOST_OUT:
            return False
        whole = list(extent)
        whole[inner] += before + behind
        if self.owns:
            whole[inner] = -(-whole[inner] // chunk) * chunk
        self.to, place = self.strides(whole, inner, chunk)
        self.source, source = self.strides(extent, inner, chunk)
        if max(place, source) * b > 4 * tma.MOST_OUT:
            return False
        # the buffer: rows, then the other modes in any order, perhaps with room between them
        others = [k for k in range(rank) if k != inner]
        rng.shuffle(others)
        at, unit, stages = [0] * rank, row, 0 if self.tails else rng.choice([0, 0, 1, 2, 3, 4])
        apart = stages < 2 and not swizzle and rng.random() < 0.2
        for k in others:
            room = apart and rng.random() < 0.5
            at[k] = -(-(unit + 128 // b) * b // 128) * 128 // b if room else unit
            unit = at[k] * tile[k]
        period = 128 << swizzle
        if (pieces > 1 and unit * b % period) or (stages > 1 and unit * pieces * b % period):
            return False
        if max(stages, 1) * unit * pieces * b > 160 * 1024:
            return False
        shape = ",".join(f"({row},{pieces})" if k == inner and pieces > 1 else str(tile[k]) for k in range(rank))
        strides = ",".join((f"(1,{unit})" if pieces > 1 else "1") if k == inner else str(at[k]) for k in range(rank))
        sw = f"Sw<{swizzle},{4 - b.bit_length() + 1},3> o " if swizzle else ""
        counts = [str(-(-e // t)) if n.isdigit() else f"ceil_div({n},{t})" for n, e, t in zip(names, extent, tile)]
        out = list(names)
        if self.owns:
            out[inner] = str(whole[inner]) if names[inner].isdigit() else f"{chunk}*ceil_div({names[inner]},{chunk})"
        elif before + behind:
            out[inner] = str(whole[inner]) if names[inner].isdigit() else f"{names[inner]}+{behind}"
        text += f"tensor A{i} : {self.elem} global ({','.join(names)}):({','.join(map(str, self.source))}) align 16;\n"
        text += f"tensor O{i} : {self.elem} global ({','.join(out)}):({','.join(map(str, self.to))}) align 16;\n"
        threads = rng.choice([32, 64, 128])
        thr, val = ["1"] * rank, ["1"] * rank
        wide = how == "c"
        thr[inner] = str(tile[inner] // chunk if wide else chunk)
        val[inner] = str(chunk if wide else 1)
        if int(thr[inner]) > threads:
            return False
        others = [k for k in range(rank) if k != inner and tile[k] > 1 and int(thr[inner]) * tile[k] <= threads]
        if others:
            k = rng.choice(others)
            thr[k] = str(tile[k])
        atom = "cp_async.cg(16)" if wide else f"universal({8 * b})"
        value = f", val=row({','.join(val)})" if wide else ""
        if how != "tma":
            text += f"tiled_copy t{i} = tile({atom}, thr=row({','.join(thr)}){value});\n"
        load = "tma.load" if how == "tma" else f"t{i}"
        # what lies beyond the tensor in a tile would be seen
        pad = 7 if how == "t" and not self.owns else 0
        axes, coordinate, grid, body, end, indent = list(range(rank)), [""] * rank, [], "", "", "  "
        rng.shuffle(axes)
        if self.tails:  # the columns are the inner loop, and threads store the last ones behind it
            axes = [k for k in axes if k != inner] + [inner]
        piped = axes.pop() if stages else None
        for n, k in enumerate(axes):
            if n < 3 and rng.random() < 0.7 and len(grid) < 3 and not (self.tails and k == inner):
                coordinate[k] = f"block.{'xyz'[len(grid)]}"
                grid.append(k)
            else:
                coordinate[k] = f"i{k}"
        # several blocks reduce into the same elements
        self.times = rng.choice([1, 2, 3]) if self.op != "=" and len(grid) < 3 else 1
        sizes = [counts[k] for k in grid] + [str(self.times)] * (self.times > 1)
        roles = stages > 0 and how != "t" and rng.random() < 0.4 and (how == "tma" or math.prod(map(int, thr)) <= 32)
        ring = stages > 1 and not roles and rng.random() < 0.5
        self.back = self.op == "=" and how == "t" and not (roles or self.owns or self.tails) and rng.random() < 0.3
        head = f" grid ({', '.join(sizes)})" if sizes else ""
        body += f"  shared s : {self.elem} {sw}({shape}):({strides})" + (f" stages {stages};\n" if stages else ";\n")
        straight = roles and rng.random() < 0.5  # from the slot
        if roles and not straight:
            body += f"  shared u : {self.elem} {sw}({shape}):({strides});\n"
            if (stages + 1) * unit * pieces * b > 160 * 1024:
                return False
            text += f"tiled_copy u{i} = tile(universal({8 * b}), thr=row({','.join(str(chunk) if k == inner else '1' for k in range(rank))}));\n"
        for k in axes:
            if k not in grid:
                body += f"{indent}for i{k} in 0 .. {counts[k]} {{\n"
                end = f"{indent}}}\n" + end
                indent += "  "
        if stages:
            coordinate[piped] = "n"
        tiles = f"({','.join(map(str, tile))}), ({','.join(coordinate)})"
        part = f"O{i}"
        chunks = str(chunk * (extent[inner] // chunk)) if names[inner].isdigit() else f"{chunk}*({names[inner]}/{chunk})"
        if self.tails or before + behind:
            end_of = chunks if self.tails else before + extent[inner]
            part += "(" + ", ".join(f"{before} .. {end_of}" if k == inner else "_" for k in range(rank)) + ")"
        atom = {"=": "store", "+": "reduce.add", "<": "reduce.min", ">": "reduce.max"}[self.op]
        atom = ("bulk." if by_rows else "tma.") + atom
        slot = f"s({'_,' * rank}n % {stages})" if ring else "s"
        get = f"copy local_tile(A{i}, {tiles}) -> {slot} with {load} pad {pad};"
        put = f"copy {'u' if roles and not straight else slot} -> local_tile({part}, {tiles}) with {atom};"
        if roles and not straight:
            put = f"copy s -> u with u{i}; {put}"
        if self.back:
            put += f" copy local_tile({part}, {tiles}) -> local_tile(Q{i}, {tiles}) with t{i};"
            packed = ",".join(names)
            text += f"tensor Q{i} : {self.elem} global row({packed});\n"
        if ring:
            body += f"{indent}for n in 0 .. {counts[piped]} {{ {get} {put} }}\n"
        elif stages:
            warps = f" warps (load = 1, use = {threads // 32})" if roles else ""
            body += f"{indent}pipeline n in 0 .. {counts[piped]}{warps} {{\n{indent}  load {{ {get} }}\n{indent}  use {{ {put} }}\n{indent}}}\n"
        else:
            body += f"{indent}{get}\n{indent}{put}\n"
        if self.tails:
            indent = indent[2:]
            body += f"{indent}}}\n"
            end = end[end.index("\n") + 1 :]
            columns = "(" + ", ".join(f"{chunks} .. {names[k]}" if k == inner else "_" for k in range(rank)) + ")"
            last = ", ".join(str(chunk if k == inner else tile[k]) for k in range(rank)), ", ".join("0" if k == inner else c for k, c in enumerate(coordinate))
            body += f"{indent}copy local_tile(A{i}{columns}, ({last[0]}), ({last[1]})) -> local_tile(O{i}{columns}, ({last[0]}), ({last[1]})) with t{i};\n"
        out = "inout" if behind + before or self.op != "=" or self.back else "out"
        more = f", out Q{i}" if self.back else ""
        head += "" if roles else f" threads {threads}"
        self.text = text + f"kernel {self.name}(A{i}, {out} O{i}{more}){head} {{\n{body}{end}}}\n"
        return True

    def call(self, seed):
        """The text that launches the kernel and compares, with as many values of its params as asked for."""
        return "".join(self.launch(seed + 3 * n) for n in range(self.sizes if self.ranges else 1))

    def launch(self, seed):
        params, has = [], list(self.most)
        for k, by, most in self.ranges:
            has[k] = by * self.rng.randrange(1, most // by + 1)
            params.append(f"{has[k]}, ")
        extent, whole = list(has), list(has)
        if self.owns:
            extent[self.inner] = whole[self.inner] = -(-has[self.inner] // self.chunk) * self.chunk
        whole[self.inner] += self.before + self.behind
        src = 1 + sum((e - 1) * s for e, s in zip(has, self.source))
        out = 1 + sum((e - 1) * s for e, s in zip(whole, self.to))
        packed = [math.prod(extent[k + 1 :]) for k in range(len(extent))]
        lists = ["{" + ", ".join(map(str, x)) + "}" for x in (extent, self.source, self.to, packed)]
        small = f", '{self.kind}', {self.bytes}" if self.kind in "fb" and self.op != "=" else ""
        taken = "take_small" if small else "take"
        rank, size = len(extent), math.prod(extent)
        text = f"    {{\n        memory a = {taken}({src * self.bytes}, {seed}u{small}), o = {taken}({out * self.bytes}, {seed + 1}u{small});\n"
        if self.back:
            text += f"        memory q = take({size * self.bytes}, {seed + 2}u);\n"
        more = ", (tcp_any *)q.at" if self.back else ""
        text += f'        must({self.name}_launch((const tcp_any *)a.at, (tcp_any *)o.at{more}, {"".join(params)}nullptr), "{self.name}");\n'
        how = f"'{self.op}', '{self.kind}', {self.times}, {self.bytes}"
        at = f"{self.inner}, {has[self.inner]}, {lists[0]}, {lists[1]}"
        text += f'        compare<{rank}>("{self.name}", a, o, {how}, {self.before}, {at}, {lists[2]});\n'
        if self.back:
            text += f'        compare<{rank}>("{self.name}", a, q, {how}, 0, {at}, {lists[3]});\n        leave(q);\n'
        return text + "        leave(a);\n        leave(o);\n    }\n"

    def declaration(self):
        more = "tcp_any *, " * self.back + "int64_t, " * len(self.ranges)
        return f"TCP_EXTERN_C tcp_status {self.name}_launch(const tcp_any *, tcp_any *, {more}tcp_stream);\n"


if __name__ == "__main__":
    sys.exit(tma.main(Kernel, COMPARE, __doc__))
