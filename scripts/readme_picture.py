#!/usr/bin/python3
"""Draws traces/double_buffering.svg, the picture of README.md: a product with one buffer and with two, on one time
axis, with the saving that the advice on the first one promised and the saving of the second one.

    scripts/readme_picture.py [--ptosim build/ptosim] [--out traces/double_buffering.svg]
"""

import argparse
import html
import os
import subprocess
import sys
import tempfile

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "tests", "traces"))

import page  # noqa: E402

ARGUMENTS = ["out=512x512xf16", "out=512x512xf16", "out=512x512xf32", "i32=512", "i32=512", "i32=512"]
PIPES = {"MTE2": ("#009E73", "GM to L1"), "MTE1": ("#56B4E9", "L1 to L0"), "M": ("#0072B2", "products"),
         "FIX": ("#CC79A7", "L0C to GM")}
LEFT, WIDTH, ROW, BAR = 128, 860, 24, 17
WORK, WAIT = 0, 1


def record(ptosim, kernel, folder):
    words = [ptosim, "run", os.path.join(ROOT, "tests", "kernels", kernel + ".pto"), "--blocks", "16", "--mode",
             "timing", "--trace", folder, "--trace-formats", "html"]
    for argument in ARGUMENTS:
        words += ["--arg", argument]
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
    return page.load(os.path.join(folder, "report.html"))


class Picture:
    def __init__(self, cycles):
        self.cycles, self.parts, self.y = cycles, [], 0

    def x(self, cycle):
        return LEFT + (WIDTH - LEFT - 12) * cycle / self.cycles

    def box(self, x, y, width, height, fill, more=""):
        self.parts.append(f'<rect x="{x:.1f}" y="{y:.1f}" width="{max(width, 0.6):.1f}" height="{height:.1f}" '
                          f'fill="{fill}" {more}/>')

    def text(self, x, y, text, size=13, more=""):
        self.parts.append(f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" {more}>{html.escape(text)}</text>')

    def line(self, x1, y1, x2, y2, color, more=""):
        self.parts.append(f'<path d="M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}" stroke="{color}" fill="none" {more}/>')

    def run(self, title, data, core="AIC00"):
        self.text(12, self.y + 18, title, 15, 'font-weight="600"')
        self.y += 28
        top = self.y
        for lane in data["lanes"]:
            if lane["core"] != core or lane["pipe"] not in PIPES:
                continue
            color, meaning = PIPES[lane["pipe"]]
            self.text(12, self.y + 15, lane["pipe"], 13, 'font-weight="600"')
            self.text(58, self.y + 15, meaning, 11, 'fill="#59636e"')
            for begin, length, what in zip(lane["begin"], lane["length"], lane["what"]):
                kind = data["what"][what]["kind"]
                if length == 0:
                    continue
                x, width = self.x(begin), self.x(begin + length) - self.x(begin)
                if kind == WAIT:
                    self.box(x, self.y + 10, width, 3, "#8b949e")
                elif kind == WORK:
                    self.box(x, self.y + 3, width - 0.7, BAR, color, 'rx="1.5"')
            self.y += ROW
        return top

    def end(self, top, cycles, color):
        x = self.x(cycles)
        self.line(x, top - 4, x, self.y + 2, color, 'stroke-width="1.5"')

    def note(self, text, color):
        self.text(LEFT, self.y + 16, text, 13, f'fill="{color}"')
        self.y += 22

    def axis(self):
        for cycle in range(0, self.cycles, 2000):
            self.line(self.x(cycle), self.y + 2, self.x(cycle), self.y + 7, "#59636e")
            self.text(self.x(cycle), self.y + 20, f"{cycle:,}", 11, 'fill="#59636e" text-anchor="middle"')
        self.text(12, self.y + 20, "cycles", 11, 'fill="#59636e"')
        self.y += 28

    def svg(self):
        return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {self.y}" '
                f'font-family="system-ui, DejaVu Sans, sans-serif" fill="#1c2128">\n'
                f'<rect width="{WIDTH}" height="{self.y}" fill="#fff"/>\n' + "\n".join(self.parts) + "\n</svg>\n")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--ptosim", default=os.path.join(ROOT, "build", "ptosim"))
    parser.add_argument("--out", default=os.path.join(ROOT, "traces", "double_buffering.svg"))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        before = record(options.ptosim, "gemm_f16_single", os.path.join(folder, "before"))
        after = record(options.ptosim, "gemm_f16", os.path.join(folder, "after"))
    first, second = before["report"]["cycles"], after["report"]["cycles"]
    advice = before["report"]["advice"][0]
    line = f"{os.path.basename(advice['file'])}:{advice['line']}"
    picture = Picture(first)
    top = picture.run(f"One buffer: {first:,} cycles", before)
    picture.end(top, first, "#b3123f")
    picture.note(f"ptosim says: {advice['what'].split(':')[0]} ({line}): saves {advice['saves_cycles']:,} cycles "
                 f"({advice['estimate']}).", "#b3123f")
    picture.y += 10
    top = picture.run(f"Two buffers: {second:,} cycles", after)
    picture.end(top, second, "#1a7f37")
    x1, x2, y = picture.x(second), picture.x(first), top + 2 * ROW
    picture.line(x1 + 4, y, x2, y, "#1a7f37", 'stroke-width="1.5" stroke-dasharray="4 3"')
    picture.text((x1 + x2) / 2, y - 7, f"{first - second:,} saved ({100 * (first - second) / first:.0f} %)", 13,
                 'fill="#1a7f37" text-anchor="middle" font-weight="600"')
    picture.axis()
    picture.text(12, picture.y + 12, "AIC00 of a 512 x 512 x 512 product on 16 cores of a 910B1. Bars work; thin grey "
                 "lines wait for a flag.", 11, 'fill="#59636e"')
    picture.y += 22
    with open(options.out, "w", encoding="utf-8") as file:
        file.write(picture.svg())


if __name__ == "__main__":
    main()
