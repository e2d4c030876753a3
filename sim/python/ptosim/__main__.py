"""python -m ptosim: the command line; this package contains some of its commands."""
import sys

from . import program
from .errors import Error


def main() -> int:
    words = sys.argv[1:]
    try:
        if words[:1] == ["serve"]:
            from .serve import main as serve
            return serve(words[1:])
        if words[:1] == ["mcp"]:
            from .mcp_server import main as mcp
            return mcp(words[1:])
        if words[:1] == ["op"]:
            from .operators.command import main as op
            return op(words[1:])
        if words[:1] == ["compare"]:
            from .corpus.compare_command import main as compare
            return compare(words[1:])
        if words[:2] == ["check", "--several"]:  # as the program calls it
            from .corpus.check_command import main as check
            return check(words[2:])
        return program.run(words)
    except Error as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
