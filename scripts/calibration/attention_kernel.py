"""Flash attention as a pipeline of both types of cores."""
import dataclasses

from kernel_builder import Kernel, accumulator, left, mat, pto, right, vec, zeros

READY_S, TAKEN_S, READY_P, TAKEN_P, READY_O, TAKEN_O = range(6)  # signals between AIC and AIVs


def signal(pipe, number):
    pto.sync_set(f"PIPE_{pipe}", number)


def wait(pipe, number):
    pto.sync_wait(f"PIPE_{pipe}", number)


@dataclasses.dataclass
class Sizes:
    arch: str
    s0: int
    s1: int
    head: int
    tile: int
    preload: int
    depth: int
    unit_flags: bool

    def __post_init__(self):
        self.rows, self.subs = 128, self.tile // 128
        self.tiles, self.blocks = self.s1 // self.tile, self.s0 // 128
        self.part = self.rows // 2 // self.subs  # rows of a tile that an AIV takes at a time
        self.ring = self.depth * self.subs * self.rows  # of scores and probabilities, of one block
        self.ahead = min(self.preload, self.tiles)

    def ring_row(self, t, sub):
        """First row of a part of a tile in the rings."""
        return (t % self.depth * self.subs + sub) * self.rows


class Places:
    """Views of global memory, and where a block's rows begin in them."""

    def __init__(self, k, sizes):
        n = sizes
        block = k.block()
        self.row0 = k.muli(block, n.rows)
        self.ring0 = k.muli(block, n.ring)
        self.out0 = k.muli(block, n.depth * n.rows)
        self.scores = k.view("s", "f32", [n.ring * n.blocks, 128])
        self.probabilities = k.view("p", "f16", [n.ring * n.blocks, 128])
        self.products = k.view("pv", "f32", [n.depth * n.rows * n.blocks, n.head])


class Side:
    """Common part of both types of cores."""

    def __init__(self, k, sizes, places):
        self.k, self.n, self.places = k, sizes, places

    def cut(self, view, begin, offset, extents, column=0):
        """A part of a matrix, `offset` rows after the row `begin` (a value; None: the first)."""
        row = self.k.constant(offset) if begin is None else self.k.addi(begin, offset)
        return self.k.part(view, [row, column], extents)


# ---- the AIC ------------------------------------------------------------------------------------------

class Operands:
    """Operands of one kind of product: two slots each of L0A, L0B and L0C."""

    def __init__(self, k, arch, m, depth, n):
        kinds = left(arch, m, depth), right(depth, n), accumulator(m, n)
        self.a, self.b, self.c = ([k.tile(kind, step * i) for i in range(2)]
                                  for kind, step in zip(kinds, (0x8000, 0x8000, 0x10000)))


class Cube(Side):
    """Scores of 128 keys at a time, and their products with V."""

    def __init__(self, k, sizes, places):
        super().__init__(k, sizes, places)
        n, size = sizes, 128 * sizes.head * 2
        self.q = k.view("q", "f16", [n.s0, n.head])
        self.keys = k.view("k", "f16", [n.head, n.s1], [1, n.head], "dn")
        self.values = k.view("v", "f16", [n.s1, n.head])
        self.q1 = k.tile(mat(n.rows, n.head))
        self.k1 = [k.tile(mat(n.head, 128, "b"), size * (1 + i)) for i in range(2)]
        self.p1 = [k.tile(mat(n.rows, 128), size * 3 + 128 * 128 * 2 * i) for i in range(2)]
        self.v1 = [k.tile(mat(128, n.head), size * 3 + 128 * 128 * 4 + size * i) for i in range(2)]
        self.for_scores = Operands(k, n.arch, n.rows, n.head, 128)
        self.for_products = Operands(k, n.arch, n.rows, 128, n.head)
        self.next = {"l0": 0, "k": 0, "v": 0, "c": 0}  # the slot that comes next

    def take(self, what):
        slot = self.next[what]
        self.next[what] ^= 1
        return slot

    def multiply(self, operands, first, second, accumulate, final, at):
        k, s = self.k, self.take("l0")
        a, b, c = operands.a[s], operands.b[s], operands.c[at]
        k.wait_flag("M", "MTE1", s)
        pto.textract(first, k.constant(0), k.constant(0), a)
        pto.textract(second, k.constant(0), k.constant(0), b)
        k.hand_over("MTE1", "M", s)
        made = pto.TMatmulAccOp(None, c, a, b, c) if accumulate else pto.TMatmulOp(None, a, b, c)
        if self.n.unit_flags:
            made.attributes["accPhase"] = phase("acc_phase", "final" if final else "partial")
        k.set_flag("M", "MTE1", s)

    def to_fix(self, at, source, part):
        k = self.k
        if self.n.unit_flags:
            k.store(source, part, stPhase=pto.StPhase.Final)
            return
        k.hand_over("M", "FIX", at)
        k.store(source, part)
        k.set_flag("FIX", "M", at)

    def score(self, t, sub, at):
        k, n, s = self.k, self.n, self.take("k")
        k.wait_flag("MTE1", "MTE2", s)
        if t == 0 and sub == 0:
            k.load(self.cut(self.q, self.places.row0, 0, [n.rows, n.head]), self.q1)
        k.load(self.cut(self.keys, None, 0, [n.head, 128], t * n.tile + sub * 128), self.k1[s])
        k.hand_over("MTE2", "MTE1", s)
        if not n.unit_flags:
            k.wait_flag("FIX", "M", at)
        self.multiply(self.for_scores, self.q1, self.k1[s], False, True, at)
        k.set_flag("MTE1", "MTE2", s)
        if sub == 0 and t >= n.depth:
            wait("FIX", TAKEN_S)
        self.to_fix(at, self.for_scores.c[at],
                    self.cut(self.places.scores, self.places.ring0, n.ring_row(t, sub), [n.rows, 128]))
        if sub == n.subs - 1:
            signal("FIX", READY_S)

    def product(self, t, sub, at):
        k, n, s = self.k, self.n, self.take("v")
        k.wait_flag("MTE1", "MTE2", 2 + s)
        k.load(self.cut(self.values, None, t * n.tile + sub * 128, [128, n.head]), self.v1[s])
        if sub == 0:
            wait("MTE2", READY_P)
        k.load(self.cut(self.places.probabilities, self.places.ring0, n.ring_row(t, sub), [n.rows, 128]), self.p1[s])
        if sub == n.subs - 1:
            signal("MTE2", TAKEN_P)
        k.hand_over("MTE2", "MTE1", 2 + s)
        if not n.unit_flags and sub == 0:
            k.wait_flag("FIX", "M", at)
        self.multiply(self.for_products, self.p1[s], self.v1[s], sub > 0, sub == n.subs - 1, at)
        k.set_flag("MTE1", "MTE2", 2 + s)
        if sub == n.subs - 1:
            self.product_out(t, at)

    def product_out(self, t, at):
        n = self.n
        if t >= n.depth:
            wait("FIX", TAKEN_O)
        self.to_fix(at, self.for_products.c[at],
                    self.cut(self.places.products, self.places.out0, t % n.depth * n.rows, [n.rows, n.head]))
        signal("FIX", READY_O)

    def flags(self, how):
        """Flags that pipes give back, before the first tile ("set") or after the last one ("wait")."""
        do = getattr(self.k, how + "_flag")
        for i in range(2):
            do("M", "MTE1", i)
            if not self.n.unit_flags:
                do("FIX", "M", i)
        for i in range(4):
            do("MTE1", "MTE2", i)

    def run(self):
        n = self.n
        self.flags("set")
        for t in range(n.ahead):
            for sub in range(n.subs):
                self.score(t, sub, self.take("c"))
        for t in range(n.tiles):
            is_ahead = t + n.preload < n.tiles
            at_s = self.next["c"] if is_ahead else self.take("c")
            at_o = at_s ^ 1 if is_ahead else at_s
            for sub in range(n.subs):
                if is_ahead:
                    self.score(t + n.preload, sub, at_s)
                self.product(t, sub, at_o)
        self.flags("wait")
        for _ in range(min(n.depth, n.tiles)):
            wait("FIX", TAKEN_S)
            wait("FIX", TAKEN_O)


def phase(kind, word):
    return pto.Attribute.parse(f"#pto<{kind} {word}>")


# ---- an AIV -------------------------------------------------------------------------------------------

class Column:
    """A number for each of `part` rows, in each of `subs` places: as columns and as rows; all as a column."""

    def __init__(self, k, address, part, subs):
        at = [address + part * 4 * j for j in range(subs)]
        self.columns = [k.tile(vec(part, 1, "f32", blayout="col_major"), a) for a in at]
        self.rows = [k.tile(vec(1, part, "f32"), a) for a in at]
        self.all = k.tile(vec(64, 1, "f32", blayout="col_major"), address)


class Slot:
    """Slot of a tile's scores, which become probabilities, or of a product."""

    def __init__(self, k, sizes, scores, probabilities):
        n = sizes
        valid = [n.part, 128]
        self.scores = k.tile(vec(n.part, n.tile, "f32"), scores)
        self.flat_scores = k.tile(vec(1, n.part * n.tile, "f32"), scores)
        self.score_pieces = [k.tile(vec(n.part, n.tile, "f32", valid=valid), scores + 512 * j) for j in range(n.subs)]
        self.product = k.tile(vec(64, n.head, "f32"), scores)
        self.probabilities = k.tile(vec(1, n.part * n.tile, "f16"), probabilities)
        self.pieces = [k.tile(vec(n.part, n.tile, "f16", valid=valid), probabilities + 256 * j) for j in range(n.subs)]


class Vector(Side):
    """Probabilities of scores, and the sum of the products, of 64 rows."""

    def __init__(self, k, sizes, places):
        super().__init__(k, sizes, places)
        half = k.muli(k.subblock(), 64)
        self.row0, self.ring0, self.out0 = (k.addi(begin, half) for begin in (places.row0, places.ring0, places.out0))
        self.output = k.view("o", "f32", [sizes.s0, sizes.head])
        self.scale, self.one = k.constant(sizes.head ** -0.5, "f32"), k.constant(1.0, "f32")
        self.turn = 0
        self.lay_out()

    def lay_out(self):
        n, k, end = self.n, self.k, 0

        def space(size):
            nonlocal end
            end += size
            return end - size

        scores = [space(max(n.part * n.tile * 4, 64 * n.head * 4)) for _ in range(2)]
        numbers = [space(256) for _ in range(4 + n.depth)]
        scratch = space(n.part * n.tile * 4)
        probabilities = [space(n.part * n.tile * 2) for _ in range(2)]
        self.maximum, self.whole_maximum, self.sum, self.whole_sum, *self.factors = (
            Column(k, address, n.part, n.subs) for address in numbers)
        self.scratch = k.tile(vec(n.part, n.tile, "f32"), scratch)
        self.total = k.tile(vec(64, n.head, "f32"), space(64 * n.head * 4))
        self.slots = [Slot(k, n, s, p) for s, p in zip(scores, probabilities)]

    def bar(self):
        self.k.barrier("V")

    def next_slot(self):
        self.turn += 1
        return (self.turn - 1) % 2

    def first_softmax(self, j, slot):
        x, highest, total = slot.scores, self.whole_maximum.columns[j], self.whole_sum.columns[j]
        pto.trowmax(x, self.scratch, highest)
        self.bar()
        pto.trowexpandsub(x, highest, x)
        pto.tmuls(x, self.scale, x)
        pto.texp(x, x)
        self.bar()
        pto.trowsum(x, self.scratch, total)
        pto.tcvt(slot.flat_scores, slot.probabilities, rmode=pto.RoundMode.ROUND)

    def softmax(self, t, j, slot):
        x, factor = slot.scores, self.factors[t % self.n.depth].rows[j]
        highest, whole = self.maximum.rows[j], self.whole_maximum.rows[j]
        total, whole_total = self.sum.rows[j], self.whole_sum.rows[j]
        pto.trowmax(x, self.scratch, self.maximum.columns[j])
        self.bar()
        pto.tmax(highest, whole, highest)
        self.bar()
        pto.tsub(whole, highest, factor)
        self.bar()
        pto.tmuls(highest, self.one, whole)
        self.bar()
        pto.trowexpandsub(x, self.maximum.columns[j], x)
        pto.tmuls(factor, self.scale, factor)
        pto.tmuls(x, self.scale, x)
        pto.texp(factor, factor)
        pto.texp(x, x)
        pto.tcvt(slot.flat_scores, slot.probabilities, rmode=pto.RoundMode.ROUND)
        self.bar()
        pto.tmul(factor, whole_total, whole_total)
        pto.trowsum(x, self.scratch, self.sum.columns[j])
        self.bar()
        pto.tadd(whole_total, total, whole_total)

    def pieces(self, view, t, j):
        """The parts of a tile's rows that this AIV takes at a time."""
        n = self.n
        for i in range(n.subs):
            yield self.cut(view, self.ring0, n.ring_row(t, i) + j * n.part, [n.part, 128])

    def probabilities(self, t, j):
        k, n, s = self.k, self.n, self.next_slot()
        slot = self.slots[s]
        k.wait_flag("V", "MTE2", s)
        if j == 0:
            wait("MTE2", READY_S)
        for part, to in zip(self.pieces(self.places.scores, t, j), slot.score_pieces):
            k.load(part, to)
        if j == n.subs - 1:
            signal("MTE2", TAKEN_S)
        k.hand_over("MTE2", "V", s)
        k.wait_flag("MTE3", "V", s)
        if t == 0:
            self.first_softmax(j, slot)
        else:
            self.softmax(t, j, slot)
        k.set_flag("V", "MTE2", s)
        k.hand_over("V", "MTE3", s)
        if j == 0 and t >= n.depth:
            wait("MTE3", TAKEN_P)
        for part, source in zip(self.pieces(self.places.probabilities, t, j), slot.pieces):
            k.store(source, part)
        if j == n.subs - 1:
            signal("MTE3", READY_P)
        k.set_flag("MTE3", "V", s)

    def accumulate(self, t):
        k, n, s = self.k, self.n, self.next_slot()
        total, product = self.total, self.slots[s].product
        wait("MTE2", READY_O)
        k.wait_flag("V", "MTE2", s)
        k.load(self.cut(self.places.products, self.out0, t % n.depth * n.rows, [64, n.head]), product if t else total)
        k.hand_over("MTE2", "V", s)
        if t > 0:
            pto.trowexpandmul(total, self.factors[t % n.depth].all, total)
            pto.tadd(total, product, total)
        if t == n.tiles - 1:
            pto.trowexpanddiv(total, self.whole_sum.all, total)
        k.set_flag("V", "MTE2", s)
        signal("MTE2", TAKEN_O)
        if t == n.tiles - 1:
            k.hand_over("V", "MTE3", 0)
            k.store(total, self.cut(self.output, self.row0, 0, [64, n.head]))

    def run(self):
        k, n = self.k, self.n
        for i in range(2):
            k.set_flag("V", "MTE2", i)
            k.set_flag("MTE3", "V", i)
        for t in range(n.ahead):
            for j in range(n.subs):
                self.probabilities(t, j)
        for t in range(n.tiles):
            for j in range(n.subs):
                if t + n.preload < n.tiles:
                    self.probabilities(t + n.preload, j)
            self.accumulate(t)
        for i in range(2):
            k.wait_flag("V", "MTE2", i)
            k.wait_flag("MTE3", "V", i)
        for _ in range(min(n.depth, n.tiles)):
            wait("MTE3", TAKEN_P)


def attention(arch, s0, s1, head=128, tile=256, preload=4, depth=8, unit_flags=True):
    """O = softmax(Q K^T / sqrt(head)) V on f16, a block per 128 rows of Q, as a pipeline of four steps
    per `tile` keys: scores (AIC), probabilities (AIV), products with V (AIC), accumulation (AIV), which
    hand each other their results through rings of `depth` tiles in global memory. The first two steps
    run `preload` tiles ahead. The AIC takes 128 keys at a time and hands products from M to FIX by unit
    flags; each AIV has 64 rows, of which it takes as many at a time as fit with all keys of a tile.

    Returns the text, the arguments and the number of blocks."""
    sizes = Sizes(arch, s0, s1, head, tile, preload, depth, unit_flags)
    parameters = [("q", "f16"), ("k", "f16"), ("v", "f16"), ("s", "f32"), ("p", "f16"), ("pv", "f32"), ("o", "f32")]
    with Kernel(arch, "attention", None, parameters) as k:
        places = Places(k, sizes)
        with k.section("cube"):
            Cube(k, sizes, places).run()
        with k.section("vector"):
            Vector(k, sizes, places).run()
    rings = sizes.ring * sizes.blocks
    arguments = zeros(((s0, head), "f16"), ((s1, head), "f16"), ((s1, head), "f16"), ((rings, 128), "f32"),
                      ((rings, 128), "f16"), ((depth * sizes.rows * sizes.blocks, head), "f32"), ((s0, head), "f32"))
    return k.text(), arguments, sizes.blocks
