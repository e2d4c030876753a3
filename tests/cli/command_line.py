"""Options that a test takes out of its command line before unittest reads the rest.

    if __name__ == "__main__":
        PTOSIM = command_line.program()
        unittest.main()
"""
import os
import sys


def take(option, default=None):
    """The value of `option`, `default` if it is not there."""
    if option not in sys.argv:
        return default
    at = sys.argv.index(option)
    value = sys.argv[at + 1]
    del sys.argv[at:at + 2]
    return value


def program():
    """The absolute path of --ptosim BIN, because tests run in separate folders; without it, the one in PATH."""
    given = take("--ptosim")
    return os.path.abspath(given) if given else "ptosim"
