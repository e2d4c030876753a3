"""Each Python that `ptosim exec` starts, directly or by others, loads this module: it replaces the platforms
a2a3sim and a5sim of the packages simpler and simpler_setup by the platforms of this simulator."""
import importlib.machinery
import importlib.util
import os
import sys

sys.path.insert(1, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
from ptosim_mpmd import hooks  # noqa: E402

hooks.install()


def _next_sitecustomize():
    """The environment's own sitecustomize, which ours precedes."""
    here = os.path.dirname(os.path.abspath(__file__))
    path = [folder for folder in sys.path if os.path.abspath(folder or ".") != here]
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", path)
    if spec is not None and spec.loader is not None:
        spec.loader.exec_module(importlib.util.module_from_spec(spec))


_next_sitecustomize()
