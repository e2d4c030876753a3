"""Free parameters of the memory and of the matrix pipeline of a chip, and the figures that determine them.

STAGES are fitted in this order, each from its own figures with the results of the stages before it; parameters of later
stages have their initial values. A number that follows from one figure by a formula is a Computed. A figure without
which something here could not be found is never held out (figures.split).
"""

A2A3, A5 = "ascend910b1", "ascend950pr"


def is_kernel(*names, metric=None):
    """Figures of these kinds of kernels, of a metric if one is given."""
    return lambda f: f.row["kernel"].split("_")[0] in names and (metric is None or f.row["metric"] == metric)


def starts(*beginnings):
    return lambda f: f.row["kernel"].startswith(beginnings)


def ends(*endings):
    return lambda f: f.row["kernel"].endswith(endings)


def either(*tests):
    return lambda f: any(test(f) for test in tests)


class Free:
    """A free number: the paths that hold it, where its search begins on each chip (on others it is not
    free), the figures that it touches, its step, least value and unit, and the figures of which one at
    least shows it by itself."""

    def __init__(self, paths, begin, affects, step, least, unit, shows=None):
        self.paths = (paths,) if isinstance(paths, str) else paths
        self.begin, self.affects, self.step, self.least, self.unit = begin, affects, step, least, unit
        self.shows = shows or affects


class Computed:
    """A number that one figure gives by a formula, whose text is `how`, on each chip."""

    def __init__(self, paths, affects, formula, how, unit):
        self.paths, self.affects, self.formula, self.how, self.unit = paths, affects, formula, how, unit


# Instructions whose figure alone gives a number (calibrate.vector_computed).
SINGLE = {"aiv.vector.latency": "TADD,f16,1,4096,conflict,", "aiv.vector.overhead": "TADD,f32,64,64,0x4000/0/0x10100,stream"}

PRODUCTS = ("gemm", "conv", "matmul", "mxfp8", "mxfp4")
CONVERTING = is_kernel("gemm", "matmul", "mxfp8", "mxfp4", metric="MTE2")
ND2NZ = either(is_kernel("nd2nz"), starts("read_mat"), CONVERTING)
READS = either(starts("read_"), is_kernel("add", metric="core"))

COMPUTED = (
    Computed(("aiv.gm_to_ub.interval", "aic.gm_to_l1.interval", "aic.gm_to_l1_nd2nz.interval"),
             is_kernel("interval"), lambda cycles: cycles, "{} cycles", "cycles"),
)

STAGES = (
    ("products", (
        Free("aic.cube.overhead", {A2A3: 12, A5: 3}, lambda f: is_kernel("mmad")(f) and ends("_stream")(f), 2, 0, "cycles"),
        Free("aic.cube.latency", {A2A3: 60, A5: 90}, lambda f: is_kernel("mmad")(f) and ends("_alone")(f), 4, 0, "cycles"),
    )),
    ("moves out of L1 and L0C", (
        Free(("aic.l1_to_l0a.overhead", "aic.l1_to_l0b.overhead"), {A2A3: 24, A5: 14}, is_kernel("pair"), 2, 0, "cycles"),
        Free("aic.l0c_to_gm.rate", {A2A3: 75}, is_kernel("fix"), 5, 20, "B/cycle"),
        Free("aic.l0c_to_gm.overhead", {A2A3: 150, A5: 70}, is_kernel("fix"), 15, 0, "cycles"),
    )),
    ("single transfers", (
        Free("memory.hbm.latency", {A2A3: 350, A5: 350}, is_kernel("load"), 20, 0, "cycles"),
        Free("aiv.ub_to_gm.latency", {A2A3: 200}, is_kernel("store"), 20, 0, "cycles"),
    )),
    ("global memory", (
        Free("aic.gm_to_l1.rate", {A2A3: 110}, is_kernel("conv", metric="MTE2"), 5, 20, "B/cycle"),
        Free("aic.gm_to_l1_nd2nz.rate", {A2A3: 120, A5: 110}, ND2NZ, 8, 50, "B/cycle"),
        Free("aic.gm_to_l1_nd2nz.row_cycles", {A2A3: 1.5, A5: 0.3}, ND2NZ, 0.2, 0, "cycles"),
        Free("aic.gm_to_l1_nd2nz.overhead", {A2A3: 40, A5: 250}, ND2NZ, 15, 0, "cycles", is_kernel("nd2nz")),
        Free("aic.gm_to_l1_nd2nz.row_least", {A2A3: 3.4}, is_kernel("nd2nz"), 0.2, 0, "cycles"),
        Free("aic.gm_to_l1_nd2nz.row_bytes", {A2A3: 50, A5: 50}, starts("read_mat"), 8, 0, "B"),
        Free("aiv.gm_to_ub.row_bytes", {A2A3: 12, A5: 15}, starts("read_vec"), 4, 0, "B"),
        Free("memory.hbm.rate", {A2A3: 1.6, A5: 1.6}, READS, 0.05, 0.5, "TB/s"),
        Free("memory.hbm.window", {A2A3: 500, A5: 40}, ends("_odd"), 30, 0, "B"),
        Free("memory.l2.read", {A2A3: 6, A5: 5}, ends("_parts"), 0.4, 1, "TB/s"),
    )),
    ("port of L1", (
        Free("aic.l1.contention", {A2A3: 0.2, A5: 0.2}, is_kernel(*PRODUCTS, metric="MTE1"), 0.05, 0, ""),
    )),
    ("past L2", (
        Free("memory.hbm.bypass_l2", {A2A3: 1, A5: 1}, ends("_staggered"), 0.05, 0.1, ""),
    )),
    ("the same place", (
        Free("memory.same_window", {A2A3: 0.3, A5: 0.3}, ends("_same"), 0.03, 0, "cycles"),
    )),
    ("launch", (
        Free("launch.overhead", {A5: 4000}, is_kernel("empty"), 200, 0, "cycles"),
        Free("launch.block_interval", {A5: 10}, is_kernel("empty"), 1, 0, "cycles"),
    )),
)


def of_chip(chip):
    """The stages of a chip: (title, free parameters)."""
    stages = [(title, [p for p in free if chip in p.begin]) for title, free in STAGES]
    return [(title, free) for title, free in stages if free]


def found(figures):
    """True if these figures of kernels are enough for each stage of each chip: as many as it has numbers, and one that
    shows each number."""
    for chip in (A2A3, A5):
        mine = [f for f in figures if f.row["chip"] == chip]
        for _, free in of_chip(chip):
            touched = sum(1 for f in mine if any(p.affects(f) for p in free))
            if touched < len(free) or not all(any(p.shows(f) for f in mine) for p in free):
                return False
        if not all(any(c.affects(f) for f in mine) for c in COMPUTED):
            return False
    return True
