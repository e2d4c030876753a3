"""Nodes of a program of level 4 of simpler: workers of level 3, in processes that the program forks, or that a daemon or
mpirun starts. Chips are numbered across all nodes, which gives each chip one folder for its recordings."""
import dataclasses
import functools
import json
import pathlib
import sys

from . import job

KEY = "ptosim"  # in the manifest of a session
# By the module that a session runs: the option that names its manifest.
SESSIONS = {"simpler.remote_l3_session": "--manifest", "simpler.mpi_l3_session": "--group-manifest"}


@dataclasses.dataclass
class Node:
    number: int
    first: int  # of its chips
    chips: int  # of all nodes
    path: str = ""  # of the pages with the common clock
    forked: bool = False  # by the program, so that it has the pages


here = None  # the node that this process has become
devices = []  # of this process's worker of level 3


def number_of(device):
    """Of a chip in its process."""
    return device if here is None else here.first + devices.index(device)


def nodes_of(worker):
    """By id of the workers that a worker of level 4 has."""
    found, first = {}, 0
    resolved = sorted(worker._resolved_global_nodes().items(), key=lambda item: item[1].node_rank)
    chips = sum(len(node.device_ids) for _, node in resolved)
    for number, (identity, node) in enumerate(resolved):
        found[identity] = Node(number, first, chips)
        first += len(node.device_ids)
    return found


def node_of_session():
    """The node that this process is started for; None: it is no such session."""
    spec = getattr(sys.modules["__main__"], "__spec__", None)
    option = SESSIONS.get(spec.name) if spec is not None else None
    if option not in sys.argv:
        return None
    try:
        manifest = json.loads(pathlib.Path(sys.argv[sys.argv.index(option) + 1]).read_text(encoding="utf-8"))
    except OSError:
        return None  # it is on the machine of the program
    if "rank_manifests" in manifest:
        manifest = manifest["rank_manifests"][sys.modules["mpi4py.MPI"].COMM_WORLD.Get_rank()]
    return Node(**manifest[KEY]) if KEY in manifest else None


def follow_worker(module):
    kind = module.Worker
    start = kind._start_hierarchical

    @functools.wraps(start)
    def start_hierarchical(self, *arguments, **options):
        global here
        if self.level == 4:
            self.ptosim_nodes = nodes_of(self)
            for identity, child in zip(self._next_level_worker_ids, self._next_level_workers):
                child.ptosim_node = self.ptosim_nodes.get(identity)
                if child.ptosim_node is not None:
                    child.ptosim_node.forked = True
        elif self.level == 3:
            here = self.ptosim_node = getattr(self, "ptosim_node", None) or node_of_session()
            devices[:] = self._config.get("device_ids") or []
            if here is not None and here.path and not job.asked_for():
                raise RuntimeError("the program of level 4 gives its chips one clock, and this node has none: start the "
                                   "daemon by 'ptosim exec --system NAME', too")
        return start(self, *arguments, **options)

    kind._start_hierarchical = start_hierarchical

    def with_node(name, identity_of):
        build = getattr(kind, name, None)
        if build is None:
            return

        @functools.wraps(build)
        def build_manifest(self, **options):
            manifest = build(self, **options)
            node = self.ptosim_nodes.get(identity_of(options))
            return manifest if node is None else {**manifest, KEY: dataclasses.asdict(node)}

        setattr(kind, name, build_manifest)

    with_node("_build_remote_manifest", lambda options: options["worker_id"])
    with_node("_build_mpi_rank_manifest", lambda options: options["rank"].worker_id)
