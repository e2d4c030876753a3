"""A and B of a matrix product in L1, and their scales: sources and destinations of loads. Sizes:
matmul_kernel.Sizes."""
import types

from kernel_builder import mat, pto, tile

SCALE = "f8E8M0FNU"


class Operand:
    """A or B: two slots of L1, which loads fill in turn. `event`: the flag of the first slot. Derived classes have
    make_view(), and move(), which returns tile, part and flag of a load."""

    def __init__(self, k, n, loads, steps, bytes_, base, event):
        self.k, self.n, self.loads, self.steps = k, n, loads, steps
        self.bytes, self.base, self.event = bytes_, base, event

    def slot(self, number):
        """The slot of a load, and its address."""
        k = self.k
        slot = k.remui(number, 2)
        return slot, k.muli(k.i64(slot), self.bytes)

    def locate(self, step, sub):
        """Slot and place of a base depth of a step, and whether it is the first one of its load."""
        k = self.k
        number = k.addi(k.muli(step, self.loads), k.divui(sub, self.steps))
        slot, offset = self.slot(number)
        within = k.remui(sub, self.steps)
        return types.SimpleNamespace(slot=slot, offset=offset, within=within, depth=k.muli(within, self.n.bk),
                                     is_new=k.compare("eq", within, 0))

    def address(self, offset):
        return self.k.addi(offset, self.base) if self.base else offset

    def flag(self, slot):
        return self.k.addi(slot, self.event) if self.event else slot

    def load(self, turn, i, row, column, depth, scales):
        """Load `i` of a step, which begins at this depth."""
        k = self.k
        number = k.addi(k.muli(turn, self.loads), i)
        slot, offset = self.slot(number)
        at_depth = k.addi(depth, i * self.n.bk * self.steps)
        to, part, flag = self.move(slot, offset, row, column, at_depth)
        k.wait_flag("MTE1", "MTE2", flag)
        k.load(part, to)
        if i == 0:
            scales()
        k.set_flag("MTE2", "MTE1", flag)


class Left(Operand):
    """A of the product."""

    def __init__(self, k, n):
        super().__init__(k, n, n.loads_a, n.steps_a, n.bytes_a, 0, 0)
        self.kind = mat(n.bm, n.ka, "a", n.dtype)

    def make_view(self):
        self.view = self.k.view("a", self.n.dtype, [self.n.m, self.n.k])

    def move(self, slot, offset, row, column, depth):
        n = self.n
        return (self.k.tile(self.kind, offset), self.k.part(self.view, [row, depth], [n.bm, n.ka]), self.flag(slot))


class Map(Left):
    """A whose rows are windows: 16 channels of the places that the windows of the tile cover."""

    def __init__(self, k, n):
        super().__init__(k, n)
        self.map_kind = mat(n.places, 16, "a", n.dtype)

    def make_view(self):
        n = self.n
        boxes = (n.k // n.ka * n.m + 512) // 16
        self.view = self.k.view("a", n.dtype, [1, 1, boxes, 16, 16], [256 * boxes, 256 * boxes, 256, 16, 1], "nz")

    def move(self, slot, offset, row, column, depth):
        k, n = self.k, self.n
        to = k.tile(self.map_kind, offset)
        first = k.muli(k.divui(depth, n.ka), n.m)
        box = k.divui(k.addi(first, row), 16)
        return to, k.part(self.view, [0, 0, box, 0, 0], [1, 1, n.places // 16, 16, 16]), self.flag(slot)


class Right(Operand):
    """B of the product."""

    def __init__(self, k, n):
        super().__init__(k, n, n.loads_b, n.steps_b, n.bytes_b, 2 * n.bytes_a, 2)
        self.kind = mat(n.kb, n.bn, "b", n.dtype)

    def make_view(self):
        self.view = self.k.view("b", self.n.dtype, [self.n.k, self.n.n], [1, self.n.k], "dn")

    def move(self, slot, offset, row, column, depth):
        k, n = self.k, self.n
        to, flag = k.tile(self.kind, self.address(offset)), self.flag(slot)
        return to, k.part(self.view, [depth, column], [n.kb, n.bn]), flag


class Fractals(Right):
    """B that is in fractals already."""

    def __init__(self, k, n):
        super().__init__(k, n)
        self.fractal_kind = mat(n.bn, n.kb, "a", n.dtype)

    def make_view(self):
        n = self.n
        strides = [n.n * n.k, 16 * n.n, 256, 16, 1]
        self.view = self.k.view("b", n.dtype, [1, n.k // 16, n.n // 16, 16, 16], strides, "nz")

    def move(self, slot, offset, row, column, depth):
        k, n = self.k, self.n
        to, flag = k.tile(self.fractal_kind, self.address(offset)), self.flag(slot)
        at = [0, k.divui(depth, 16), k.divui(column, 16), 0, 0]
        return to, k.part(self.view, at, [1, n.kb // 16, n.bn // 16, 16, 16]), flag


class Scales:
    """Scales of both operands (mx), in one or two places of L1; a load takes the scales of `deep` numbers of a row."""

    def __init__(self, k, n):
        self.k, self.n = k, n
        base = 2 * n.bytes_a + 2 * n.bytes_b
        self.bytes = {"a": n.bm * n.deep, "b": n.bn * n.deep}
        self.base = {"a": base, "b": base + n.scale_places * n.bm * n.deep}
        self.views = {x: k.view("s" + x, SCALE, [1, 1, rows, n.k // 64, 2],
                                [rows * n.k // 32, rows * n.k // 32, n.k // 32, 2, 1], order)
                      for x, rows, order in (("a", n.m, "mx_a_nd"), ("b", n.n, "mx_b_dn"))}
        self.in_l1 = {x: scale_tile("mat", x, extent, n.deep) for x, extent in (("a", n.bm), ("b", n.bn))}
        self.in_l0 = {x: scale_tile("scaling", x, extent, n.bk // 32) for x, extent in (("a", n.bm), ("b", n.bn))}

    def locate(self, at, depth):
        """In which of the places the scales of a step are, and whether they begin there."""
        k, n = self.k, self.n
        load = k.divui(depth, n.deep * 32)
        before = k.muli(at, -(-n.k // (n.deep * 32)))
        place = k.i64(k.remui(k.addi(before, load), n.scale_places))
        self.inside = k.remui(depth, n.deep * 32)
        self.is_new = k.compare("eq", self.inside, 0)
        self.at = {}
        for x in "ab":
            offset = k.muli(place, self.bytes[x])
            self.at[x] = k.addi(offset, self.base[x])

    def load(self, x, begin, rows, depth):
        k, n = self.k, self.n
        with k.when(self.is_new):
            if n.scale_places == 1 and x == "a":
                k.wait_flag("MTE1", "MTE2", 4)
            part = k.part(self.views[x], [0, 0, begin, k.divui(depth, 64), 0], [1, 1, rows, n.deep // 2, 2])
            k.load(part, k.tile(self.in_l1[x], self.at[x]))

    def move(self, x, l0_address, within):
        """Moves the scales of a base depth to L0; returns the tile."""
        k = self.k
        source = k.tile(self.in_l1[x], self.at[x])
        to = k.tile(self.in_l0[x], k.divui(l0_address, 16))
        at = (k.constant(0), within) if x == "a" else (within, k.constant(0))
        pto.textract(source, *at, to)
        return to


def scale_tile(space, x, rows, depth):
    if x == "a":
        return tile(space, rows, depth, SCALE, slayout="row_major", fractal=32)
    return tile(space, depth, rows, SCALE, "col_major", "col_major", 32)
