"""The files that the sources of an operator include, and the folders that a compiler needs to find them."""
from __future__ import annotations

import functools
import os
import re
from typing import Dict, Iterable, List, Optional, Sequence, Set, Tuple

_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(["<])([^">\n]+)[">]', re.MULTILINE)
_HEADERS = (".h", ".hpp", ".hh", ".inl", ".cuh", ".inc", ".ipp", ".cpp", ".cc")
_SKIPPED = frozenset((".git", "build", "build_out", "docs", "node_modules", "__pycache__", "tests", "test", "examples"))


@functools.lru_cache(maxsize=16)
def headers_below(root: str) -> Dict[str, Tuple[str, ...]]:
    """Headers of a repository by their plain names."""
    found: Dict[str, List[str]] = {}
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(name for name in folders if name not in _SKIPPED)
        for name in files:
            if name.endswith(_HEADERS):
                found.setdefault(name, []).append(os.path.join(folder, name))
    return {name: tuple(sorted(paths)) for name, paths in found.items()}


@functools.lru_cache(maxsize=65536)
def text_of(path: str) -> str:
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


@functools.lru_cache(maxsize=4096)
def includes_of(path: str) -> Tuple[Tuple[str, bool], ...]:
    """Names after #include, and whether they are in quotation marks."""
    return tuple((name, mark == '"') for mark, name in _INCLUDE.findall(text_of(path)))


def _is_stand_in(path: str) -> bool:
    return "/stub/" in path or "/3rd/" in path


@functools.lru_cache(maxsize=4096)
def _is_operator(folder: str) -> bool:
    return any(os.path.isdir(os.path.join(folder, name)) for name in ("op_host", "op_kernel"))


def _common(a: str, b: str) -> int:
    return len(os.path.commonpath((a, b)))


class Includes:
    """Follows #include from `sources`. A name that no given folder has is looked up in the repository: the file whose
    path ends with it and that is nearest to the operator gives one more folder."""

    def __init__(self, sources: Iterable[str], folders: Sequence[str], root: str, near: str, further: Sequence[str] = ()):
        """`further`: repositories whose files are taken before stand-ins (folders named stub) of `root`."""
        self.folders = list(folders)
        self.added: List[str] = []  #: folders that the repository gave
        self.links: Dict[str, str] = {}  #: folders by their names in an installed tree of kernels
        self.depth = 0  #: how often "../" leads there
        self.missing: Dict[str, str] = {}  #: names that were not found, and a file that includes each
        self.files: List[str] = []  #: that are included, each once
        self._root, self._near = root, near
        self._roots = [root, *further]
        self._seen: Set[str] = set()
        waiting = [os.path.abspath(source) for source in sources]
        while waiting:
            path = waiting.pop()
            if path in self._seen:
                continue
            self._seen.add(path)
            self.files.append(path)
            if not any(path.startswith(one) for one in self._roots):
                continue  # the toolkit's headers are complete
            for name, quoted in includes_of(path):
                found = self._find(name, os.path.dirname(path) if quoted else None)
                if found:
                    waiting.append(found)
                elif quoted or "/" in name:
                    self.missing.setdefault(name, path)

    def _find(self, name: str, own: Optional[str]) -> Optional[str]:
        for folder in ([own] if own else []) + self.folders + self.added:
            path = os.path.normpath(os.path.join(folder, name))
            if os.path.isfile(path):
                return path
        steps = [part for part in name.split("/") if part not in ("..", ".")]
        ups = name.split("/").count("..")
        if not steps or (ups and len(steps) < 2):
            return None
        if ups:
            return self._installed(steps, ups)
        ending = os.sep + os.path.join(*steps)
        candidates = [path for root in self._roots for path in headers_below(root).get(steps[-1], ()) if path.endswith(ending)]
        if len(self._roots) > 1:
            candidates = [path for path in candidates if not _is_stand_in(path)] or candidates
        if not candidates:
            return None
        best = self._nearest(candidates)
        self.added.append(best[:-len(ending)])
        return best

    def _installed(self, steps: List[str], ups: int) -> Optional[str]:
        """Installed trees hold the content of each op_kernel folder under the operator's name, and common headers
        under `inc`; kernels name each other's headers by paths in such a tree."""
        first, ending = steps[0], os.sep + os.path.join(*steps[1:])
        if first in self.links:
            path = self.links[first] + ending
            self.depth = max(self.depth, ups)
            return path if os.path.isfile(path) else None
        candidates = [path for path in headers_below(self._root).get(steps[-1], ())
                      if path.endswith(ending) and f"{os.sep}{first}{os.sep}" in path]
        if not candidates:
            return None
        best = self._nearest([path for path in candidates if "op_kernel" in path] or candidates)
        self.links[first] = best[:-len(ending)]
        self.depth = max(self.depth, ups)
        return best

    def _nearest(self, candidates: Sequence[str]) -> str:
        return max(candidates, key=lambda path: (not self._is_of_another(path), _common(path, self._near), -len(path)))

    def _is_of_another(self, path: str) -> bool:
        """True for headers of other operators' folders, which are further than common ones."""
        folder = os.path.dirname(path)
        while len(folder) > len(self._root):
            if _is_operator(folder):
                return not (self._near + os.sep).startswith(folder + os.sep)
            folder = os.path.dirname(folder)
        return False
