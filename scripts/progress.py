#!/usr/bin/env python3
"""Runs a build and shows its progress and the time that remains, in one line.

    progress.py LOG COMMAND...

LOG gets all output of COMMAND. On a terminal the line is updated in place; elsewhere a line is printed for each tenth
of the work. If COMMAND fails, its last lines are printed, and progress.py ends with its code. CMake's makefiles and
Ninja number their steps; other commands only write LOG.
"""
import re
import subprocess
import sys
import time

PERCENT = re.compile(r"^\[ *(\d+)%\]")
STEPS = re.compile(r"^\[(\d+)/(\d+)\]")
LINES_OF_A_FAILURE = 60


def share_done(line):
    """The share of the work that has begun when a build prints this line; None if the line has no number, and for the
    steps by which Ninja makes its own files anew before it builds."""
    if match := PERCENT.match(line):
        return int(match[1]) / 100
    if (match := STEPS.match(line)) and "Re-running CMake" not in line and "Re-checking globbed" not in line:
        return int(match[1]) / max(int(match[2]), 1)
    return None


def duration(seconds):
    seconds = int(seconds + 0.5)
    return f"{seconds} s" if seconds < 60 else f"{seconds // 60} min {seconds % 60:02} s"


def progress_line(share, elapsed):
    text = f"building: {int(share * 100 + 0.5)} %, {duration(elapsed)}"
    if 0.05 <= share < 1:
        text += f", about {duration(elapsed * (1 - share) / share)} left"
    return text


class Progress:
    """The line on a terminal, or lines elsewhere."""

    def __init__(self, out, in_place):
        self.out, self.in_place, self.tenth, self.width = out, in_place, 0, 0

    def show(self, share, elapsed):
        text = progress_line(share, elapsed)
        if self.in_place:
            self.out.write("\r" + text.ljust(self.width))
            self.width = len(text)
        elif int(share * 10) > self.tenth:
            self.tenth = int(share * 10)
            self.out.write(text + "\n")
        self.out.flush()

    def end(self, elapsed):
        text = f"built in {duration(elapsed)}"
        self.out.write(("\r" + text.ljust(self.width) if self.in_place else text) + "\n")
        self.out.flush()

    def fail(self):
        if self.in_place and self.width:
            self.out.write("\n")
            self.out.flush()


def run(log, command, progress):
    begun, share, lines = time.monotonic(), 0.0, []
    with open(log, "w", encoding="utf-8") as file, subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace") as build:
        for line in build.stdout:
            file.write(line)
            lines = [*lines[1 - LINES_OF_A_FAILURE:], line]
            done = share_done(line)
            if done is not None:
                share = max(share, done)
                progress.show(min(share, 0.99), time.monotonic() - begun)  # the last step has only begun
    if build.returncode == 0:
        progress.end(time.monotonic() - begun)
    else:
        progress.fail()
        sys.stderr.write("".join(lines) + f"error: the build failed; all of its output is in {log}\n")
    return build.returncode


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    try:
        sys.exit(run(sys.argv[1], sys.argv[2:], Progress(sys.stdout, sys.stdout.isatty())))
    except KeyboardInterrupt:
        sys.exit(130)
