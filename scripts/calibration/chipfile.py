"""Reading and writing chip files (models/*.json) so that a program's change is a small diff."""
import json


def _leaf(node):
    return isinstance(node, dict) and not any(isinstance(v, dict) for v in node.values())


def dump(node, indent=0):
    """JSON with one parameter, or one small group of numbers, to a line."""
    if not isinstance(node, dict) or (_leaf(node) and indent > 2):
        return json.dumps(node, ensure_ascii=False)
    pad = " " * (indent + 2)
    parts = [f"{pad}{json.dumps(key)}: {dump(value, indent + 2)}" for key, value in node.items()]
    return "{\n" + ",\n".join(parts) + "\n" + " " * indent + "}"


def load(path):
    with open(path) as file:
        return json.load(file)


def save(path, chip):
    with open(path, "w") as file:
        file.write(dump(chip) + "\n")


def numbers(chip):
    """path -> {value, unit, grade, source} of each number that a chip file states itself."""
    def walk(node, path, said):
        said = {**said, **{k: node[k] for k in ("unit", "grade", "source") if isinstance(node.get(k), str)}}
        if "value" in node:
            yield path, {**said, "value": node["value"]}
            return
        for key, child in node.items():
            below = f"{path}.{key}" if path else key
            if isinstance(child, dict):
                yield from walk(child, below, said)
            elif key not in ("unit", "grade", "source"):
                yield below, {**said, "value": child}

    return dict(walk(chip["parameters"], "", {}))


def put(chip, path, value, unit, grade, source):
    """Sets one parameter; groups on the way are made if they are missing."""
    node = chip["parameters"]
    *groups, name = path.split(".")
    for group in groups:
        node = node.setdefault(group, {})
        if not isinstance(node, dict):
            raise ValueError(f"{path}: {group} is a number")
    node[name] = {"value": value, "unit": unit, "grade": grade, "source": source}
