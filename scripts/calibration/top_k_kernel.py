"""The k largest numbers of each row."""
from kernel_builder import Kernel, ir, pto, vec, zeros

RUN = 32  # numbers that one tsort32 sorts


class TopK:
    """Places in UB, and the steps of one slot. All addresses in bytes."""

    def __init__(self, kernel, cols, best):
        self.k, self.cols, self.best = kernel, cols, best
        self.row, self.long = 4 * cols, 8 * cols  # numbers of a row; these and their places
        self.index = 8 * self.long
        self.spare = (self.index + self.row, self.index + 3 * self.row)
        self.results = self.index + 5 * self.row
        sources = self.results + 16 * best
        self.sources = sources + -sources % 32

    def tile(self, rows, cols, element, address):
        return self.k.tile(vec(rows, cols, element), address)

    def pairs(self, address, count=None):
        return self.tile(1, 2 * (count or self.cols), "f32", address)

    def op(self, name, *operands, **attributes):
        """Instructions of V wait for each other."""
        getattr(pto, name)(*operands, **attributes)
        self.k.barrier("V")

    def places(self):
        return self.tile(1, self.cols, "ui32", self.index)

    def sort(self, source, to):
        """Runs of 32, with their places after them."""
        for i in range(2):
            self.op("tsort32", self.tile(1, self.cols, "f32", source + i * self.row), self.places(),
                    self.pairs(to + i * self.long))

    def merge(self, at, temporary, to, done):
        """Four runs into one as long as four are there, then the two that are left."""
        for run in (2 * RUN, 8 * RUN):
            self.op("tmrgsort", [self.pairs(at)], [self.pairs(temporary)], blockLen=self.k.constant(run, "i32"))
            self.op("tmov", None, self.pairs(temporary), self.pairs(at))
        halves = [self.tile(1, self.cols, "f32", at + half * self.long // 2) for half in range(2)]
        self.op("tmrgsort", halves, [self.pairs(at)], tmp=self.pairs(temporary), excuted=done, exhausted=False)
        self.op("tmov", None, self.pairs(at, self.best), self.pairs(to, self.best))

    def take_apart(self, merged, element, base, pattern, event):
        """The numbers, or the places, of both rows."""
        for i in range(2):
            pto.tgather(self.tile(1, 2 * self.best, element, merged + i * self.long),
                        self.tile(1, self.best, element, base + i * 4 * self.best), maskPattern=pattern)
        self.k.set_flag("V", "MTE3", event)
        self.k.barrier("V")

    def slot(self, slot, parts, done):
        """Two rows; `parts`: of the matrix, of the results and of their places."""
        k, pair = self.k, 2 * self.long
        sorted_at, merged, source = slot * pair, 4 * self.long + slot * pair, self.sources + slot * 2 * self.row
        numbers = self.results + slot * 8 * self.best
        places = numbers + 16 * self.best
        k.wait_flag("V", "MTE2", slot)
        k.load(parts[0], self.tile(2, self.cols, "f32", source))
        k.hand_over("MTE2", "V", slot)
        self.sort(source, sorted_at)
        k.set_flag("V", "MTE2", slot)
        for i in range(2):
            self.merge(sorted_at + i * self.long, self.spare[slot], merged + i * self.long, done)
        self.take_apart(merged, "f32", numbers, pto.MaskPattern.P0101, slot)
        self.take_apart(merged, "ui32", places, pto.MaskPattern.P1010, slot + 2)
        for part, element, base, event in ((parts[1], "f32", numbers, slot), (parts[2], "ui32", places, slot + 2)):
            k.wait_flag("V", "MTE3", event)
            k.store(self.tile(2, self.best, element, base), part)


def top_k(arch, rows, cols, pitch, k, blocks):
    """The k largest of each row of f32, and where they were: rows are sorted in runs of 32 with their places after
    them, four runs merged into one as long as four are there, the two that are left merged, and the numbers taken
    apart from the places. Each core takes rows two by two, in two slots in turn; instructions of V wait for each
    other. Returns the text, the arguments and the number of blocks."""
    each = rows // blocks
    parameters = [("x", "f32"), ("n", "ui32"), ("y", "f32"), ("z", "ui32")]
    with Kernel(arch, "top_k", "vector", parameters) as made:
        steps = TopK(made, cols, k)
        done = made.constant(ir.Attribute.parse("dense<0> : vector<4xi16>"), "vector<4xi16>")
        begin = made.muli(made.block(), each)
        views = [(made.view(x, element, [rows, pitch_of]), wide) for x, element, pitch_of, wide in (
            ("x", "f32", pitch, cols), ("y", "f32", k, k), ("z", "ui32", k, k))]
        made.load(made.part(made.view("n", "ui32", [1, cols]), [0, 0], [1, cols]), steps.places())
        for slot in range(2):
            made.set_flag("V", "MTE2", slot)
        with made.loop(each, step=4) as i:
            for slot in range(2):
                row = made.addi(begin, made.addi(i, 2 * slot))
                steps.slot(slot, [made.part(view, [row, 0], [2, wide]) for view, wide in views], done)
        for slot in range(2):
            made.wait_flag("V", "MTE2", slot)
    arguments = zeros(((rows, pitch), "f32"), ((1, cols), "ui32"), ((rows, k), "f32"), ((rows, k), "ui32"))
    return made.text(), arguments, blocks
