"""Hand-offs between the cores of a cluster."""
import dataclasses

from kernel_builder import Kernel, accumulator, element_type, left, mat, pto, right, vec, zeros

ROWS = 128  # of the tile of 128 x 128 that is handed over; each AIV has half of them


@dataclasses.dataclass
class HandOff:
    """A tile of 128 x 128 from the AIC to its AIVs, or back (`up`), by flags, tiles or slots (`how`)."""
    k: Kernel
    arch: str
    how: str
    up: bool
    times: int
    blocks: int

    def __post_init__(self):
        k = self.k
        self.element = "f32" if self.how == "tiles" and not self.up else "f16"
        size = {"f32": 4, "f16": 2}[self.element]
        self.slot = ROWS * ROWS * size
        self.ring_elements = 2 * ROWS * ROWS
        self.rows = ROWS * self.blocks
        self.half = vec(ROWS // 2, ROWS, self.element)
        block = k.block()
        self.row = k.muli(block, ROWS)
        self.ring = pto.addptr(k.arguments["r"], k.muli(block, self.ring_elements))
        self.c, self.l = k.tile(accumulator(ROWS, ROWS)), k.tile(mat(ROWS, ROWS))
        self.v = k.tile(self.half)
        if self.how == "flags":
            self.space = k.view("r", "f16", [self.rows, ROWS])
            self.place = k.part(self.space, [self.row, 0], [ROWS, ROWS])

    def everything(self):
        self.k.barrier("ALL")

    def initialize(self, operation):
        """The FIFO of a section that uses one: two slots."""
        if self.how == "flags":
            return
        nowhere = self.k.constant(0, "i32")
        operation(dir_mask=2 if self.up else 1, slot_size=self.slot, slot_num=2, gm_slot_buffer=self.ring,
                  c2v_consumer_buf=nowhere, v2c_consumer_buf=nowhere)

    def view_of(self, size):
        return pto.TensorViewType.get([size, ROWS], element_type("f16"))

    def pushed(self, size, tile):
        """A slot of `size` rows that is taken, filled and given on."""
        allocate, push = ((pto.talloc_to_aic, pto.TPushToAicOp) if self.up else
                          (pto.talloc_to_aiv, pto.TPushToAivOp))
        slot = allocate(self.view_of(size), split=1)
        self.k.store(tile, self.k.part(slot, [0, 0], [size, ROWS]))
        self.everything()
        push(slot, split=1)

    def popped(self, size, tile):
        """One that is taken, read and given back: an AIC takes both halves."""
        pop, free = ((pto.tpop_from_aiv, pto.TFreeFromAivOp) if self.up else
                     (pto.tpop_from_aic, pto.TFreeFromAicOp))
        split = 0 if self.up else 1
        slot = pop(self.view_of(size), split=split)
        self.k.load(self.k.part(slot, [0, 0], [size, ROWS]), tile)
        self.everything()
        free(split=split)

    def wait_after_first(self, i, pipe, flag):
        with self.k.when(self.k.compare("sgt", i, 0)):
            pto.sync_wait(f"PIPE_{pipe}", flag)
            self.everything()

    # ---- the AIC

    def cube(self):
        k = self.k
        self.initialize(pto.AicInitializePipeOp)
        if not self.up:
            a, b = k.tile(left(self.arch, ROWS, ROWS)), k.tile(right(ROWS, ROWS))
            pto.tmatmul(None, a, b, self.c)
            self.everything()
        with k.loop(self.times) as i:
            {"flags": self.cube_by_flags, "tiles": self.cube_by_tiles, "slots": self.cube_by_slots}[self.how](i)

    def cube_by_flags(self, i):
        if self.up:
            pto.sync_wait("PIPE_MTE2", 1)
            self.k.load(self.place, self.l)
            signal("MTE2", 0)
            self.k.barrier("MTE2")
        else:
            self.wait_after_first(i, "FIX", 1)
            self.k.store(self.c, self.place)
            self.everything()
            signal("FIX", 0)

    def cube_by_tiles(self, _):
        if self.up:
            pto.tpop_from_aiv(mat(ROWS, ROWS), split=1)
            pto.TFreeFromAivOp(split=1)
            self.everything()
        else:
            pto.TPushToAivOp(self.c, split=1)

    def cube_by_slots(self, _):
        if self.up:
            self.popped(ROWS, self.l)
        else:
            self.pushed(ROWS, self.c)

    # ---- an AIV

    def vector(self):
        k = self.k
        mine = k.addi(self.row, k.muli(k.subblock(), ROWS // 2))
        place = k.part(self.space, [mine, 0], [ROWS // 2, ROWS]) if self.how == "flags" else None
        self.initialize(pto.AivInitializePipeOp)
        if self.up:
            sources = [k.view(x, "f16", [self.rows * self.times, ROWS]) for x in "xy"]
            w = k.tile(self.half, ROWS * ROWS)
        with k.loop(self.times) as i:
            if self.up:
                self.add(k.addi(k.muli(i, self.rows), mine), sources, w)
            if self.how == "flags":
                self.vector_by_flags(i, place)
            elif self.how == "tiles":
                self.vector_by_tiles()
            elif self.up:
                self.pushed(ROWS // 2, self.v)
            else:
                self.popped(ROWS // 2, self.v)

    def add(self, begin, sources, w):
        """Adds two tiles; an AIV sends the sum."""
        for source, to in zip(sources, (self.v, w)):
            self.k.load(self.k.part(source, [begin, 0], [ROWS // 2, ROWS]), to)
        self.everything()
        pto.tadd(self.v, w, self.v)
        self.everything()

    def vector_by_flags(self, i, place):
        if self.up:
            self.wait_after_first(i, "MTE3", 0)
            self.k.store(self.v, place)
        else:
            pto.sync_wait("PIPE_MTE2", 0)
            self.everything()
            self.k.load(place, self.v)
        self.everything()
        signal("MTE3", 1)

    def vector_by_tiles(self):
        if self.up:
            pto.TPushToAicOp(self.v, split=1)
        else:
            pto.tpop_from_aic(self.half, split=1)
            pto.TFreeFromAicOp(split=1)


def signal(pipe, number):
    """Between the cores of a cluster."""
    pto.sync_set(f"PIPE_{pipe}", number)


def hand_offs(arch, direction, how, times, blocks):
    """A tile of 128 x 128 f16 from the AIC to its AIVs ("c2v") or back ("v2c"), half of the rows for each AIV, `times`
    over through global memory: by the kernel's flags and one place ("flags"), by pushing and popping tiles through a
    ring of two slots, which has f32 from the AIC ("tiles"), or by taking, filling and giving back such slots ("slots").
    All pipes of a core wait for each other after each step, but where a FIFO moves the tile. The AIVs send the sum of
    two tiles of f16 that they read."""
    up = direction == "v2c"
    element = "f32" if how == "tiles" and not up else "f16"
    with Kernel(arch, "hand_offs", None, [("x", "f16"), ("y", "f16"), ("r", element)]) as k:
        made = HandOff(k, arch, how, up, times, blocks)
        with k.section("cube"):
            made.cube()
        with k.section("vector"):
            made.vector()
    rows = ROWS * blocks
    sums = rows * times if up else 1
    arguments = zeros(*[((sums, ROWS), "f16")] * 2, ((2 * rows, ROWS), element))
    return k.text(), arguments, blocks


# ---- on a5, without global memory -----------------------------------------------------------------

def both(operation, pipe, flag):
    """Applies an operation of the AIC to both of its AIVs, which have separate flags."""
    for apart in (0, 16):
        operation(f"PIPE_{pipe}", flag + apart)


def set_intra(pipe, flag):
    pto.SetIntraBlockOp(pto.PIPE[pipe], event_id=flag)


def wait_intra(pipe, flag):
    pto.WaitIntraBlockOp(pto.PIPE[pipe], event_id=flag)


def send_down(k, times):
    """128 x 128 f32 from L0C into both UBs, half of the rows each."""
    ready, free = 0, 1
    with k.section("cube"):
        a, b, c = k.tile(left("a5", ROWS, ROWS)), k.tile(right(ROWS, ROWS)), k.tile(accumulator(ROWS, ROWS))
        u = k.tile(vec(ROWS // 2, ROWS, "f32"))
        pto.tmatmul(None, a, b, c)
        k.hand_over("M", "FIX", 0)
        with k.loop(times) as i:
            with k.when(k.compare("sgt", i, 0)):
                both(wait_intra, "FIX", free)
            pto.tmov(None, c, u, accToVecMode=pto.AccToVecMode.DualModeSplitM)
            k.barrier("ALL")
            both(set_intra, "FIX", ready)
        both(wait_intra, "FIX", free)
    with k.section("vector"), k.loop(times):
        wait_intra("PIPE_V", ready)
        set_intra("PIPE_V", free)


def send_up(k, times):
    """64 x 128 f16 from each UB to L1."""
    ready, free = 2, 3
    with k.section("cube"), k.loop(times):
        both(wait_intra, "MTE1", ready)
        both(set_intra, "MTE1", free)
    with k.section("vector"):
        n = k.tile(vec(ROWS // 2, ROWS, "f16", blayout="col_major", slayout="row_major"))
        to = k.tile(mat(ROWS, ROWS))
        row = k.muli(k.subblock(), ROWS // 2)
        with k.loop(times) as i:
            with k.when(k.compare("sgt", i, 0)):
                wait_intra("PIPE_MTE3", free)
            pto.tinsert(n, row, k.constant(0), to)
            set_intra("PIPE_MTE3", ready)
        wait_intra("PIPE_MTE3", free)


def direct_hand_offs(direction, times, blocks):
    """On a5, without global memory: 128 x 128 f32 from L0C into the UBs of both AIVs, half of the rows each ("c2v"), or
    64 x 128 f16 from each UB to L1 ("v2c"), `times` over; the receiver only acknowledges it."""
    with Kernel("a5", "direct_hand_offs", None, [("x", "f16")]) as k:
        (send_up if direction == "v2c" else send_down)(k, times)
    return k.text(), ["zeros=16xf16"], blocks
