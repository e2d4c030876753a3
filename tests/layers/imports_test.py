"""No Python module of a package imports itself by way of others, imports within functions included."""
import ast
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("sim/python/ptosim", "sim/faces/toolkit/python/mlir", "sim/faces/mpmd/python/ptosim_mpmd")


def imports(path, package, modules):
    """The modules of the package that a file imports."""
    name = ".".join(path.relative_to(package.parent).with_suffix("").parts)
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in modules)
        if isinstance(node, ast.ImportFrom):
            home = name.split(".")[:-node.level] if node.level else []
            base = ".".join(home + ([node.module] if node.module else []))
            inner = [f"{base}.{alias.name}" for alias in node.names if f"{base}.{alias.name}" in modules]
            yield from inner or ([base] if base in modules else [])


def cycle(graph):
    """The first one, as a list of modules; nothing if there is none."""
    done, way = set(), []

    def visit(module):
        if module in way:
            return way[way.index(module):] + [module]
        if module in done:
            return None
        way.append(module)
        found = next(filter(None, map(visit, graph[module])), None)
        way.pop()
        done.add(module)
        return found

    return next(filter(None, map(visit, graph)), None)


def main():
    failed = False
    for folder in PACKAGES:
        package = ROOT / folder
        files = {".".join(path.relative_to(package.parent).with_suffix("").parts): path
                 for path in package.rglob("*.py") if path.name != "__init__.py"}
        found = cycle({name: sorted(set(imports(path, package, files))) for name, path in files.items()})
        if found:
            print(f"{folder}: a cycle of imports: {' -> '.join(found)}")
            failed = True
    return failed


if __name__ == "__main__":
    sys.exit(main())
