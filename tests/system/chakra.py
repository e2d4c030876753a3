"""Reads execution traces of Chakra with the field numbers of mlcommons/chakra schema/protobuf/et_def.proto, and replays
them as ASTRA-sim does."""
import collections
import heapq
import struct

KINDS = {4: "work", 5: "send", 6: "receive", 7: "collective"}
NODE = {1: "id", 2: "name", 3: "type", 4: "ctrl_deps", 5: "data_deps", 6: "start_time_micros", 7: "duration_micros",
        10: "attr"}
VALUES = {3: "double", 7: "int32", 9: "int64", 11: "uint32", 13: "uint64", 27: "bool", 29: "string"}


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7f) << shift
        shift += 7
        if byte < 0x80:
            return value, at


def fields(data):
    """Numbers and values of a message."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        number, kind = key >> 3, key & 7
        if kind == 0:
            value, at = varint(data, at)
        elif kind == 1:
            value, at = struct.unpack_from("<d", data, at)[0], at + 8
        elif kind == 2:
            size, at = varint(data, at)
            assert at + size <= len(data)
            value, at = data[at:at + size], at + size
        else:
            raise ValueError(f"wire type {kind}")
        yield number, value


def messages(data):
    at = 0
    while at < len(data):
        size, at = varint(data, at)
        assert at + size <= len(data)
        yield data[at:at + size]
        at += size


def read(path):
    """The version and the nodes of a trace: dictionaries with deps, and attributes by name."""
    first, *others = messages(path.read_bytes())
    version = dict(fields(first))[1].decode()
    nodes = []
    for message in others:
        node = {"deps": [], "attributes": {}, "start_time_micros": 0, "duration_micros": 0}
        for number, value in fields(message):
            name = NODE[number]
            if name == "attr":
                parts = dict(fields(value))
                label = parts.pop(1).decode()
                (kind, what), = parts.items()
                node["attributes"][label] = what.decode() if VALUES[kind] == "string" else what
                node.setdefault("kinds", {})[label] = VALUES[kind]
            elif name.endswith("_deps"):
                node["deps"].append(value)
            else:
                node[name] = value.decode() if isinstance(value, bytes) else value
        node["type"] = KINDS[node["type"]]
        nodes.append(node)
    return version, nodes


def replay(traces, latency_us, bytes_per_us):
    """The end of each rank's trace: work takes its duration, messages the link's latency and rate."""
    todo, following, events, done = {}, collections.defaultdict(list), [], {}
    sent, wanted = {}, {}
    for rank, nodes in enumerate(traces):
        for node in nodes:
            key = rank, node["id"]
            todo[key] = len(node["deps"])
            for other in node["deps"]:
                following[rank, other].append(key)
    by_key = {(rank, node["id"]): node for rank, nodes in enumerate(traces) for node in nodes}
    working = collections.defaultdict(float)
    links = collections.defaultdict(float)

    def begin(key, time):
        node = by_key[key]
        message = tuple(node["attributes"].get(name) for name in ("comm_src", "comm_dst", "comm_tag", "comm_size"))
        if node["type"] == "work":
            working[key[0]] = max(working[key[0]], time) + node["duration_micros"]
            heapq.heappush(events, (working[key[0]], key))
        elif node["type"] == "send":
            link = message[:2]
            links[link] = max(links[link], time) + message[3] / bytes_per_us
            sent[message] = links[link] + latency_us
            heapq.heappush(events, (time, key))
            if message in wanted:
                heapq.heappush(events, (max(sent[message], time), wanted.pop(message)))
        elif message in sent:
            heapq.heappush(events, (max(sent[message], time), key))
        else:
            wanted[message] = key

    for key, count in list(todo.items()):
        if count == 0:
            begin(key, 0.0)
    while events:
        time, key = heapq.heappop(events)
        done[key] = time
        for other in following[key]:
            todo[other] -= 1
            if todo[other] == 0:
                begin(other, time)
    assert len(done) == len(todo), f"{len(todo) - len(done)} nodes wait for ever"
    return [max(time for (of, _), time in done.items() if of == rank) for rank in range(len(traces))]
