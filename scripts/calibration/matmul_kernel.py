"""Matrix products: C = A B^T in tiles, through L1 and L0."""
import dataclasses

from kernel_builder import BITS, Kernel, accumulator, left, mat, pto, right
from matmul_operands import SCALE, Fractals, Left, Map, Right, Scales


@dataclasses.dataclass
class Sizes:
    """Sizes of the product: see matmul()."""
    arch: str
    m: int
    k: int
    n: int
    single_m: int
    single_n: int
    base: tuple
    steps_a: int
    steps_b: int
    blocks: int
    out: str
    n_outer: bool
    m_first: bool
    dtype: str
    window: int
    columns: int
    scales: int
    scale_places: int
    groups: int

    def __post_init__(self):
        self.bm, self.bk, self.bn = self.base
        self.turn = max(self.steps_a, self.steps_b)  # base depths of a step
        self.loads_a, self.loads_b = self.turn // self.steps_a, self.turn // self.steps_b
        self.ka, self.kb = self.bk * self.steps_a, self.bk * self.steps_b
        self.turns = self.k // (self.bk * self.turn)
        bits = BITS[self.dtype]
        self.mx = bits < 16
        self.bytes_a, self.bytes_b = self.bm * self.ka * bits // 8, self.kb * self.bn * bits // 8
        self.l0a_bytes, self.l0b_bytes = (extent * self.bk * bits // 8 for extent in (self.bm, self.bn))
        self.deep = min(self.scales * self.bk, self.k) // 32  # scales of a row in one load
        self.down, self.across = self.m // self.bm, self.n // self.bn
        # Places of the map under the windows of a tile, in one load.
        self.places = -(-(self.bm + 2 * self.window) // 16) * 16
        # Flags by which L1 is given back: of the two slots of A and B, and of the only place of scales.
        self.free_flags = 4 + (self.mx and self.scale_places == 1)


# ---- which tiles a block computes, in which order -----------------------------------------------------

class Pieces:
    """A block takes a piece of single_m x single_n, its tiles row by row, or column by column (`n_outer`)."""

    def __init__(self, k, n):
        self.k, self.n = k, n

    def begin(self, block, mi, ni):
        """Begins a block with this piece; returns the number of tiles."""
        k, n = self.k, self.n
        self.m0, self.n0 = k.muli(mi, n.single_m), k.muli(ni, n.single_n)
        m_left, n_left = k.subi(n.m, self.m0), k.subi(n.n, self.n0)
        m_have, n_have = k.divui(m_left, n.bm), k.divui(n_left, n.bn)
        self.mt, self.nt = k.minui(m_have, n.single_m // n.bm), k.minui(n_have, n.single_n // n.bn)
        return k.muli(self.mt, self.nt)

    def corner(self, at):
        """Row and column of the first element of a tile."""
        k, n = self.k, self.n
        inner = self.mt if n.n_outer else self.nt
        outer_at, inner_at = k.divui(at, inner), k.remui(at, inner)
        i, j = (inner_at, outer_at) if n.n_outer else (outer_at, inner_at)
        row = k.addi(self.m0, k.muli(i, n.bm))
        return row, k.addi(self.n0, k.muli(j, n.bn))


class InTurn:
    """Blocks take the tiles of `wide` columns (or `tall` rows) of tiles in turn."""

    def __init__(self, k, n):
        self.k, self.n = k, n

    def begin(self, block, *_):
        k, n = self.k, self.n
        self.block = block
        return k.divui(k.subi(n.down * n.across + n.blocks - 1, block), n.blocks)

    def group(self, at, tiles):
        """The group of `tiles` tiles that contains the block's tile `at`, and its number there."""
        k = self.k
        number = k.addi(k.muli(at, self.n.blocks), self.block)
        return k.divui(number, tiles), k.remui(number, tiles)

    def corner(self, at):
        row, column = self.tile(at)
        return self.k.muli(row, self.n.bm), self.k.muli(column, self.n.bn)


class Rows(InTurn):
    """Of `groups` rows of tiles, column by column."""

    def begin(self, block, *_):
        assert self.n.down % self.n.groups == 0
        return super().begin(block)

    def tile(self, at):
        k, n = self.k, self.n
        group, inside = self.group(at, n.groups * n.across)
        top, below = k.muli(group, n.groups), k.remui(inside, n.groups)
        return k.addi(top, below), k.divui(inside, n.groups)


class Columns(InTurn):
    """Of `columns` columns of tiles, row by row, down the first columns, up the next ones."""

    def tile(self, at):
        k, n = self.k, self.n
        group, inside = self.group(at, n.columns * n.down)
        first = k.muli(group, n.columns)
        wide = k.minui(k.subi(n.across, first), n.columns)
        below = k.divui(inside, wide)
        above = k.subi(n.down - 1, below)
        is_up = k.compare("eq", k.remui(group, 2), 1)
        row = k.select(is_up, above, below)
        return row, k.addi(first, k.remui(inside, wide))


# ---- the pipeline --------------------------------------------------------------------------------------

class Matmul:
    """Each step loads the operands of the next `turn` base depths, and multiplies the operands of the step before."""

    def __init__(self, k, n):
        self.k, self.n = k, n
        self.a, self.b = (Map(k, n), Fractals(k, n)) if n.window else (Left(k, n), Right(k, n))
        self.order = Rows(k, n) if n.groups else Columns(k, n) if n.columns else Pieces(k, n)
        self.l0a, self.l0b = left(n.arch, n.bm, n.bk, n.dtype), right(n.bk, n.bn, n.dtype)

    def run(self):
        k, n = self.k, self.n
        self.a.make_view()
        self.b.make_view()
        self.result, self.l0c = k.view("c", n.out, [n.m, n.n]), k.tile(accumulator(n.bm, n.bn))
        block = k.block()
        self.scales = Scales(k, n) if n.mx else None
        self.steps = k.muli(self.order.begin(block, *self.piece_of(block)), n.turns)
        last = k.addi(self.steps, 1)
        self.flags("set")
        with k.loop(last) as turn:
            with k.when(k.compare("slt", turn, self.steps)):
                self.load(turn)
            with k.when(k.compare("sgt", turn, 0)):
                self.multiply(k.subi(turn, 1))
        self.flags("wait")

    def piece_of(self, block):
        """Its row and column among the pieces. Blocks that take tiles in turn work it out as well: it costs them a
        nanosecond."""
        k, n = self.k, self.n
        grid_m, grid_n = -(-n.m // n.single_m), -(-n.n // n.single_n)
        if n.m_first:
            return k.remui(block, grid_m), k.divui(block, grid_m)
        return k.divui(block, grid_n), k.remui(block, grid_n)

    def flags(self, how):
        """Flags that pipes give back, before the first step ("set") or after the last one ("wait")."""
        do = getattr(self.k, how + "_flag")
        for i in range(self.n.free_flags):
            do("MTE1", "MTE2", i)
        do("M", "MTE1", 0)
        do("M", "MTE1", 1)
        do("FIX", "M", 0)

    def locate(self, step):
        """Row, column and depth at which a step begins, and which one of its tile it is."""
        k, n = self.k, self.n
        at, of_tile = k.divui(step, n.turns), k.remui(step, n.turns)
        row, column = self.order.corner(at)
        depth = k.muli(of_tile, n.turn * n.bk)
        if n.mx:
            self.scales.locate(at, depth)
        return row, column, depth, of_tile

    def load(self, turn):
        n = self.n
        row, column, depth, _ = self.locate(turn)
        for x, operand, begin, extent in (("a", self.a, row, n.bm), ("b", self.b, column, n.bn)):
            def scales(x=x, begin=begin, extent=extent):
                if n.mx:
                    self.scales.load(x, begin, extent, depth)
            for i in range(operand.loads):
                operand.load(turn, i, row, column, depth, scales)

    def multiply(self, step):
        k, n = self.k, self.n
        row, column, _, of_tile = self.locate(step)
        is_first = k.compare("eq", of_tile, 0)
        with k.when(is_first):
            k.wait_flag("FIX", "M", 0)
        with k.loop(n.turn) as sub:
            self.product(step, sub, is_first)
        with k.when(k.compare("eq", of_tile, n.turns - 1)):
            if n.free_flags > 4:
                k.set_flag("MTE1", "MTE2", 4)
            part = k.part(self.result, [row, column], [n.bm, n.bn])
            k.hand_over("M", "FIX", 0)
            k.store(self.l0c, part)
            k.set_flag("FIX", "M", 0)

    def product(self, step, sub, is_first):
        """Product of one base depth."""
        k, n = self.k, self.n
        a, b = self.a.locate(step, sub), self.b.locate(step, sub)
        a_address, b_address = self.a.address(a.offset), self.b.address(b.offset)
        a.flag, b.flag = self.a.flag(a.slot), self.b.flag(b.slot)
        slot = k.remui(k.addi(k.muli(step, n.turn), sub), 2)
        slot64 = k.i64(slot)
        at_a, at_b = k.muli(slot64, n.l0a_bytes), k.muli(slot64, n.l0b_bytes)
        for operand in (a, b):
            with k.when(operand.is_new):
                k.wait_flag("MTE2", "MTE1", operand.flag)
        k.wait_flag("M", "MTE1", slot)
        l0a, l0b = k.tile(self.l0a, at_a), k.tile(self.l0b, at_b)
        pto.textract(k.tile(self.a.kind, a_address), k.constant(0), a.depth, l0a)
        scales = []
        if n.mx:
            within = k.addi(k.muli(sub, n.bk // 32), k.divui(self.scales.inside, 32))
            scales.append(self.scales.move("a", at_a, within))
        pto.textract(k.tile(self.b.kind, b_address), b.depth, k.constant(0), l0b)
        if n.mx:
            scales.append(self.scales.move("b", at_b, within))
        k.set_flag("MTE1", "M", slot)
        for operand, steps in ((a, n.steps_a), (b, n.steps_b)):
            with k.when(k.compare("eq", operand.within, steps - 1)):
                k.set_flag("MTE1", "MTE2", operand.flag)
        k.wait_flag("MTE1", "M", slot)
        starts = k.andi(is_first, k.compare("eq", sub, 0))
        self.accumulate(starts, l0a, l0b, scales)
        k.set_flag("M", "MTE1", slot)

    def accumulate(self, starts, a, b, scales):
        c = self.l0c
        if scales:
            self.k.choose(starts, lambda: pto.tmatmul_mx(None, a, scales[0], b, scales[1], c),
                          lambda: pto.tmatmul_mx_acc(None, c, a, scales[0], b, scales[1], c))
        else:
            self.k.choose(starts, lambda: pto.tmatmul(None, a, b, c), lambda: pto.tmatmul_acc(None, c, a, b, c))


def matmul(arch, m, k, n, single_m, single_n, base, steps_a, steps_b, blocks, out="f32", n_outer=False,
           m_first=True, dtype="f16", window=0, columns=0, scales=0, scale_places=2, groups=0):
    """C = A B^T of `dtype`; 4-bit and 8-bit floats with e8m0 scales (mx), a 32nd as many: a load takes the scales of
    `scales` base depths, after the operand that they belong to and into two places in turn (or one, which the tile
    before must have left), and the move of the scales follows each move to L0. `window`: a convolution, A's rows are
    windows of `window` places of a feature map in blocks of 16 channels, of which L1 gets the map (NC1HWC0) and not the
    windows; B is in fractals already. Blocks take pieces of single_m x single_n; a piece is worked off in tiles base =
    (m, k, n), loads of `steps` base depths at a time in two slots of L1, two slots of L0, one of L0C. `columns`: no
    pieces, the blocks take the tiles of `columns` columns of tiles in turn, row by row, down the first columns, up the
    next ones; `groups`: of `groups` rows of tiles, column by column."""
    sizes = Sizes(arch, m, k, n, single_m, single_n, base, steps_a, steps_b, blocks, out, n_outer, m_first, dtype,
                  window, columns, scales, scale_places, groups)
    parameters = [("a", dtype), ("b", dtype), ("c", out)] + [("sa", SCALE), ("sb", SCALE)] * sizes.mx
    with Kernel(arch, "matmul", "cube", parameters) as made:
        Matmul(made, sizes).run()
    return made.text()


# ---- single steps of the pipeline -----------------------------------------------------------------------

def products(arch, m, k, n, alone, times=8):
    """Products into one accumulator, each after the one before has ended, or in a stream."""
    with Kernel(arch, "products", "cube", [("x", "f16")]) as made:
        a, b, c = made.tile(left(arch, m, k)), made.tile(right(k, n)), made.tile(accumulator(m, n))
        pto.tmatmul(None, a, b, c)
        for _ in range(times):
            if alone:
                made.barrier("M")
            pto.tmatmul_acc(None, c, a, b, c)
    return made.text()


def operand_moves(arch, m, k, n, times=4):
    """Moves of A and B from L1 to L0, in turn."""
    with Kernel(arch, "operand_moves", "cube", [("x", "f16")]) as made:
        in_a, in_b = made.tile(mat(m, k)), made.tile(mat(k, n, "b"), m * k * 2)
        a, b = made.tile(left(arch, m, k)), made.tile(right(k, n))
        for _ in range(times):
            for source, to in ((in_a, a), (in_b, b)):
                pto.textract(source, made.constant(0), made.constant(0), to)
    return made.text()
