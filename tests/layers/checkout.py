"""The files of this checkout: those that git lists, or without a repository all but what builds and runs leave."""
import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LEFT_OVER = ("build", "demo-out", "node_modules", "__pycache__", ".git", ".ptosim", ".cache")


def files():
    """Paths from the root."""
    try:
        listed = subprocess.run(["git", "-C", str(ROOT), "ls-files", "-z"], capture_output=True, check=False)
        if listed.returncode == 0 and listed.stdout:
            return listed.stdout.decode().rstrip("\0").split("\0")
    except FileNotFoundError:
        pass  # git is not installed
    found = []
    for folder, below, names in os.walk(ROOT):
        below[:] = [name for name in below if not name.startswith(LEFT_OVER)]
        found += [(Path(folder) / name).relative_to(ROOT).as_posix() for name in names]
    return sorted(found)
