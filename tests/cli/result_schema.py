"""The result JSON against its description in traces/fields.tsv."""
import os

FIELDS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "traces", "fields.tsv")
TYPES = {"string": str, "integer": int, "number": (int, float), "array": list, "object": dict}


def tables():
    """Objects of the result JSON by name: {field: (type, optional)}."""
    found = {}
    with open(FIELDS) as file:
        for line in file:
            name, *cells = line.split("\t")
            if name.startswith("result: "):
                field, optional, kind = cells[:3]
                found.setdefault(name[len("result: "):], {})[field] = (kind, optional == "yes")
    return found


def check_object(test, value, name):
    table = tables()[name]
    for field, (kind, optional) in table.items():
        if not optional or field in value:
            test.assertIn(field, value)
            test.assertIsInstance(value[field], TYPES[kind], f"{name}: {field}")
    test.assertEqual(set(value) - set(table), set(), name)


def check_result(test, result):
    """Fails the test unless every field is described, and everything described is there."""
    check_object(test, result, "file")
    check_object(test, result["work"], "work")
    if "paths" in result:
        check_object(test, result["paths"], "paths")
    for field, name in (("launches", "launch"), ("diagnostics", "finding"), ("outputs", "output"),
                        ("advice", "advice")):
        for value in result.get(field, []):
            check_object(test, value, name)
    for lane in result["cores"]:
        test.assertIn("pipes", lane)
