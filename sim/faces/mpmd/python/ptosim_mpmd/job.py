"""The host's part in a job of several chips with one clock (PTOSIM_SYSTEM, levels 3 and 4 of simpler).

A worker's orchestrator is followed: each run of chips that it submits gets the simulated time of its submission and the
runs that it depends on, by the rules of simpler's tensor map (docs of simpler, hierarchical-level-runtime). A chip begins
a run when these have ended. At level 4 the same applies to tasks of nodes, each of which is a run() of its worker.
"""
import contextlib
import ctypes
import functools
import importlib
import json
import os
import pathlib
import threading


devices = []  # of the job that this process has begun, or is a chip of


def asked_for():
    return bool(os.environ.get("PTOSIM_SYSTEM"))


def become_chip(device):
    """This process was forked for a device."""
    if device in devices:
        library().ptosim_mpmd_job_become(devices.index(device))


def library():
    """The simulator of the platform; each process has it once."""
    setup = json.loads((pathlib.Path(os.environ["PTOSIM_PLATFORM"]) / "setup.json").read_text())
    return ctypes.CDLL(os.path.join(setup["library"], "libptosim.so"))


class Region:
    """The bytes of a view: disjoint from another one of the same strides if they are so in one dimension."""

    def __init__(self, offset, shape, strides):
        order = sorted(range(len(shape)), key=lambda i: -strides[i])
        self.strides = tuple(strides[i] for i in order)
        self.begin = offset
        self.end = offset + 1 + sum((shape[i] - 1) * strides[i] for i in range(len(shape)))
        self.spans = []
        for i in order:
            first, offset = divmod(offset, strides[i]) if strides[i] else (0, offset)
            self.spans.append((first, first + shape[i]))

    def covers(self, other):
        if self.strides != other.strides:
            return self.begin <= other.begin and other.end <= self.end and self.is_dense()
        return all(a <= c and d <= b for (a, b), (c, d) in zip(self.spans, other.spans))

    def is_dense(self):
        return self.end - self.begin == functools.reduce(lambda n, span: n * (span[1] - span[0]), self.spans, 1)

    def overlaps(self, other):
        if self.end <= other.begin or other.end <= self.begin:
            return False
        if self.strides != other.strides:
            return True
        return all(a < d and c < b for (a, b), (c, d) in zip(self.spans, other.spans))


class Task:
    """A node of the graph: the runs of chips that it ends with, and tasks of the host after these."""

    def __init__(self, counts, hops):
        self.counts, self.hops = counts, hops


class Job:
    """State of one worker. At level 4 its chips are nodes, and `numbers` has those of the workers' ids."""

    def __init__(self, chips, simulator, numbers=None):
        self.chips, self.simulator, self.numbers = chips, simulator, numbers
        self.is_node = False
        self.lock = threading.RLock()
        self.submitted = [0] * chips
        self.runs = {}  # by id: the runs of chips that have ended when it has
        self.current = None
        self.before = [0] * chips  # runs that end before the current one begins
        self.writers = {}  # by key: regions and tasks
        self.waiting = 0

    def counts(self, values):
        return (ctypes.c_uint32 * self.chips)(*values)

    def begin_run(self, run):
        with self.lock:
            self.before = list(self.submitted)
            self.writers = {}
            self.runs[run] = list(self.submitted)
            self.current = run
            self.simulator.ptosim_mpmd_job_orchestrate()

    def accesses(self, arguments, names, chip):
        """Keys, regions and tags of the tensors of a task."""
        for i in range(arguments.tensor_count()):
            tensor = arguments.tensor(i)
            buffer = tensor.buffer
            if buffer.nbytes:
                key = (buffer.identity, chip if names.on_device(buffer) else None)
                yield key, names.region(tensor), arguments.tag(i)

    def submit(self, arguments_of, chips, names):
        """One node; `chips` is empty for a task of the host. arguments_of: TaskArgs of each of its members."""
        with self.lock:
            if self.numbers is not None:
                chips = [self.numbers[chip] for chip in chips]
            after, hops = list(self.before), 0
            written = []
            for i, arguments in enumerate(arguments_of):
                if arguments is None:
                    continue
                for key, region, tag in self.accesses(arguments, names, chips[i] if chips else None):
                    if tag in names.reads:
                        for other, task in self.writers.get(key, ()):
                            if region.overlaps(other):
                                after = [max(a, b) for a, b in zip(after, task.counts)]
                                hops = max(hops, task.hops)
                    if tag in names.writes:
                        written.append((key, region))
            for chip in chips:  # the members of a group begin when all their chips are free
                after = [max(a, self.submitted[other] if other in chips else 0) for other, a in enumerate(after)]
            if chips:
                members = (ctypes.c_uint32 * len(chips))(*chips)
                self.simulator.ptosim_mpmd_job_submit(members, len(chips), self.counts(after), hops)
                for chip in chips:
                    self.submitted[chip] += 1
                counts = [self.submitted[chip] if chip in chips else 0 for chip in range(self.chips)]
                task = Task(counts, 0)
                self.runs[self.current] = list(self.submitted)
            else:
                task = Task(after, hops + 1)
            for key, region in written:
                kept = [(other, writer) for other, writer in self.writers.get(key, ()) if not region.covers(other)]
                self.writers[key] = [*kept, (region, task)]

    @contextlib.contextmanager
    def wait(self, run=None):
        """Around a call of the host that waits for a run; without one, for all that have been submitted."""
        with self.lock:
            until = self.submitted if run is None else self.runs.get(run, self.submitted)
            outer = self.waiting == 0
            self.waiting += 1
            if outer:
                self.simulator.ptosim_mpmd_job_begin_wait(self.counts(until))
        try:
            yield
        finally:
            with self.lock:
                self.waiting -= 1
                if outer:
                    self.simulator.ptosim_mpmd_job_end_wait()


class Names:
    """Names of simpler's module that this one uses."""

    def __init__(self, module):
        kinds = module.TensorArgType
        self.reads = {kinds.INPUT, kinds.INOUT}
        self.writes = {kinds.INOUT, kinds.OUTPUT, kinds.OUTPUT_EXISTING}
        self.bytes_of = lambda dtype: module.get_element_size(module.DataType(dtype))

    @staticmethod
    def on_device(buffer):
        space = buffer.address_space
        return int(getattr(space, "value", space)) == 1

    def region(self, tensor):
        size = self.bytes_of(tensor.dtype)
        return Region(tensor.byte_offset // size, tensor.shapes, tensor.strides)


def begin_chips(chips):
    """The job of a worker of level 3."""
    simulator = library()
    began = simulator.ptosim_mpmd_job_begin(chips)
    if began < 0:
        raise RuntimeError("PTOSIM_SYSTEM does not fit this program")
    return Job(chips, simulator) if began else None


def become_node(node, chips):
    """The job of a worker of level 3 below one of level 4."""
    simulator = library()
    if simulator.ptosim_mpmd_job_become_node(None if node.forked else node.path.encode(), node.chips, node.number) < 0:
        raise RuntimeError("this node has no common clock with the program of level 4")
    job = Job(chips, simulator)
    job.is_node = True
    return job


def begin_nodes(nodes):
    """The job of a worker of level 4; forked nodes inherit it, and others get a path to it."""
    simulator = library()
    firsts = [*sorted(node.first for node in nodes.values()), max((node.chips for node in nodes.values()), default=0)]
    chips = [after - first for first, after in zip(firsts, firsts[1:])]
    began = simulator.ptosim_mpmd_job_begin_nodes((ctypes.c_uint32 * len(chips))(*chips), len(chips))
    if began < 0:
        raise RuntimeError("PTOSIM_SYSTEM does not fit this program")
    if not began:
        return None
    simulator.ptosim_mpmd_job_path.restype = ctypes.c_char_p
    for node in nodes.values():
        node.path = simulator.ptosim_mpmd_job_path().decode()
    return Job(len(chips), simulator, {identity: node.number for identity, node in nodes.items()})


def follow_worker(module):
    """A worker of several chips begins a job when it forks them."""
    kind = module.Worker
    start, wait, control = kind._start_hierarchical, kind._wait_run_handle, kind._control_admission
    close, run = kind.close, kind.run
    alive = []  # workers with a job that have not been closed

    def job_of(worker):
        ids = list(worker._config.get("device_ids") or [])
        node = worker.ptosim_node if worker.level == 3 else None
        if worker.level > 4:
            raise RuntimeError("chips of a worker of level 5 and above have no common clock (PTOSIM_SYSTEM)")
        if getattr(worker, "_mpi_worker_ids", None):  # their mailbox carries one task at a time, whichever comes first
            raise RuntimeError("nodes that mpirun starts take their tasks in an order that depends on the host, so they "
                               "have no common clock (PTOSIM_SYSTEM); add them by add_remote_worker, or run without it")
        if worker.level == 3 and node is not None and node.path:
            devices[:] = ids
            return become_node(node, len(ids))
        if worker.level == 4 or (worker.level == 3 and ids):
            if alive:
                raise RuntimeError("a second worker of several chips, while the first one lives: chips of two workers "
                                   "have no common clock (PTOSIM_SYSTEM); close() the first worker before the second "
                                   "one starts, or run each in a process")
            begun = begin_nodes(worker.ptosim_nodes) if worker.level == 4 else begin_chips(len(ids))
            devices[:] = ids if begun else []
            if begun:
                alive.append(worker)
            return begun
        return None

    @functools.wraps(start)
    def start_hierarchical(self, *arguments, **options):
        if getattr(self, "ptosim_job", None) is None:
            self.ptosim_job = job_of(self)
        return start(self, *arguments, **options)

    @functools.wraps(run)
    def run_task(self, *arguments, **options):
        with task_of(self):
            return run(self, *arguments, **options)

    @functools.wraps(wait)
    def wait_run_handle(self, run, *arguments, **options):
        with waiting(self, run):
            return wait(self, run, *arguments, **options)

    def control_admission(self, *arguments, **options):
        return admission(self, control(self, *arguments, **options))

    @functools.wraps(close)
    def close_worker(self, *arguments, **options):
        try:
            return close(self, *arguments, **options)
        finally:
            alive[:] = [worker for worker in alive if worker is not self]

    kind.close, kind.run = close_worker, run_task
    kind._start_hierarchical = start_hierarchical
    kind._wait_run_handle, kind._control_admission = wait_run_handle, control_admission


def waiting(worker, run=None):
    job = getattr(worker, "ptosim_job", None)
    return contextlib.nullcontext() if job is None else job.wait(run)


@contextlib.contextmanager
def task_of(worker):
    """Around a run that is a task of a node."""
    job = getattr(worker, "ptosim_job", None)
    if job is None or not job.is_node:
        yield
        return
    job.simulator.ptosim_mpmd_job_begin_task()
    try:
        yield
    finally:
        job.simulator.ptosim_mpmd_job_end_task()


@contextlib.contextmanager
def admission(worker, theirs):
    """A command to a chip waits for all runs before it."""
    with waiting(worker), theirs:
        yield


def follow_orchestrator(module):
    kind, names = module.Orchestrator, Names(module_of_names())

    def followed(method, members):
        @functools.wraps(method)
        def submit(self, *arguments, **options):
            job = getattr(self._worker, "ptosim_job", None)
            if job is None:
                return method(self, *arguments, **options)
            with job.lock:  # in the order of the orchestrator
                job.submit(*members(*arguments, **options), names)
                return method(self, *arguments, **options)
        return submit

    begin, control = kind._begin_run, kind._control_admission

    @functools.wraps(begin)
    def begin_run(self, *arguments, **options):
        run = begin(self, *arguments, **options)
        if getattr(self._worker, "ptosim_job", None) is not None:
            self._worker.ptosim_job.begin_run(run)
        return run

    def control_admission(self, *arguments, **options):
        return admission(self._worker, control(self, *arguments, **options))

    kind.submit_next_level = followed(kind.submit_next_level, lambda _, args, config=None, *, worker: ([args], [worker]))
    kind.submit_next_level_group = followed(kind.submit_next_level_group,
                                            lambda _, args_list, config=None, *, workers: (args_list, list(workers)))
    kind.submit_sub = followed(kind.submit_sub, lambda _, args=None: ([args], []))
    kind.submit_sub_group = followed(kind.submit_sub_group, lambda _, args_list: (args_list, []))
    kind._begin_run, kind._control_admission = begin_run, control_admission


def module_of_names():
    return importlib.import_module("simpler.task_interface")
