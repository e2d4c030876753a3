"""Sources that comments of C++ name exist: a file that moves takes its mentions with it."""

import re
import sys
from pathlib import Path

import checkout

ROOT = Path(__file__).resolve().parents[2]
NAMED = re.compile(r"(?<![\w./-])((?:isa|sim|traces|scripts|models)/[\w/]+\.(?:cpp|h|hpp|def|md|py|sh|json))\b")
# CMake writes these into the build folder.
MADE = {"isa/opcodes.def", "isa/vector_opcodes.def", "isa/intrinsic_opcodes.def", "sim/check/checker_sources.def"}
PLACEHOLDERS = re.compile(r"FAMILY|NAME")


def main():
    files = checkout.files()
    wrong = []
    for name in files:
        if not re.match(r"(isa|sim|traces|include)/.*\.(cpp|h|hpp|def|in)$", name):
            continue
        for number, line in enumerate((ROOT / name).read_text(errors="ignore").splitlines(), 1):
            wrong += [f"{name}:{number}: {path} does not exist" for path in NAMED.findall(line)
                      if path not in MADE and not PLACEHOLDERS.search(path) and not (ROOT / path).is_file()]
    print("\n".join(wrong) if wrong else f"paths of {len(files)} files exist")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
