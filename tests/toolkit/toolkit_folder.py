"""Environment that a toolkit folder gives to the processes that use it, and the help of its programs."""
import subprocess


def environment(home, cache):
    """The variables of a process that has sourced set_env.sh of the toolkit `home`. Compiled
    kernels are kept in `cache`."""
    listed = subprocess.run(["bash", "-euc", 'source "$1/set_env.sh"; env -0', "bash", home],
                            check=True, capture_output=True, text=True).stdout
    variables = dict(line.split("=", 1) for line in listed.split("\0") if "=" in line)
    return {**variables, "PTOSIM_CACHE": cache}


def check_help(test, text):
    """Fails if the options of a program's help are not a table of more than ten rows with three columns."""
    rows = [line for line in text.splitlines() if line.startswith("| `-")]
    test.assertGreater(len(rows), 10)
    test.assertEqual([row for row in rows if row.count(" | ") < 2], [])
