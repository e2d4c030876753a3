"""The data of report.html: what traces/viewer/src/unpack.ts reads, read by itself. And lanes.json."""

import base64
import json
import re
import zlib

NAMES = "begin", "length", "what", "sequence", "issue", "complete"


class Columns:
    def __init__(self, data):
        self.data, self.at = data, 0

    def number(self):
        value = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def plain(self, count):
        return [self.number() for _ in range(count)]

    def steps(self, count):
        values, last = [], 0
        for _ in range(count):
            by = self.number()
            last += -(by + 1) // 2 if by % 2 else by // 2
            values.append(last)
        return values


def element(page, name):
    return re.search(rf'<script type="[a-z/]*" id="{name}">(.*?)</script>', page, re.S).group(1)


def load(path):
    """The JSON, with the columns of its lanes and flags filled in."""
    with open(path, encoding="utf-8") as file:
        page = file.read()
    data = json.loads(element(page, "data"))
    columns = Columns(zlib.decompress(base64.b64decode(element(page, "columns"))))
    for lane in data["lanes"]:
        for name in NAMES:
            read = columns.steps if name in ("begin", "sequence") else columns.plain
            lane[name] = read(lane["slices"])
    for flags in data["flags"]:
        for name in "set", "taken", "set_sequence", "wait_sequence":
            read = columns.plain if name == "taken" else columns.steps
            flags[name] = read(flags["count"])
    if columns.at != len(columns.data):
        raise ValueError(f"{len(columns.data) - columns.at} bytes are left over")
    return data


def load_lanes(path):
    """The lanes of lanes.json, each with its tasks and waits."""
    with open(path, encoding="utf-8") as file:
        return json.load(file)
