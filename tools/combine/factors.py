# SPDX-License-Identifier: Apache-2.0
"""The keys that a run can set, with the values that `make combine` gives them.

The program's own description of its keys (`gmmu config --json-schema`, made from the .def files) is the only source: a
new key joins by itself. The bounds themselves are tested one key at a time by tb/sw/app/settings_bounds_test.cc.
"""
import json
import subprocess

# Sections and keys that the check leaves out, each with the reason.
LEFT_OUT = {
    "inject": "faults on purpose: the run must fail",
    "device": "for `gmmu run --device` only",
    "registry": "values of a driver that the program does not know",
    "policy.file": "a file",
    "policy.arguments": "text for policy.file",
}
FEW = 4  # a numeric key takes every value if its range (high - low) is at most this
# Keys whose default in a scenario differs from the configuration's default
# (sw/app/configuration.cc).
OF_SCENARIOS = {"os.variety": 200}
# Keys for which the check combines all triples of values.
THREE_WAY = ("driver.update_mode", "driver.page_tables", "driver.leaf_64k", "driver.dual_pte", "driver.paging_buffer_bytes",
             "driver.paging_buffer_segment", "os.bring_up", "os.iommu", "driver.isolation", "gpu.count", "driver.visible_vram_kib",
             "os.preemption", "driver.interface_version")


class Factor:
    """A key with its values as text; the first one is its default."""

    def __init__(self, key, default, values):
        self.key = key
        self.values = [text_of(default)] + sorted({text_of(value) for value in values} - {text_of(default)})

    @property
    def default(self):
        return self.values[0]


def text_of(value):
    if isinstance(value, bool):
        return str(value).lower()
    return json.dumps(value) if isinstance(value, list) else str(value)


def numbers(schema):
    """Every value of a small range; else an eighth, the default and eight times the default, within the bounds; or, if
    the default is 0, the lower bound and two powers of two on the way to the upper bound. Further values hide all
    others: a machine with a link of a thousandth of the usual rate meets nothing but its own slowness."""
    low, default = schema["minimum"], schema.get("default", 0)
    high = schema.get("maximum", 1 << 20)
    if high - low <= FEW:
        return list(range(low, high + 1))
    if default != 0:
        return [max(low, default // 8), min(default * 8, high)]
    middle = 1 << high.bit_length() // 2
    return [low, min(middle, high), min(8 * middle, high)]


def values(schema):
    """The values of a key by its schema; none: the key cannot be combined."""
    if schema.get("type") == "boolean":
        return [False, True]
    if "enum" in schema:
        return schema["enum"]
    if schema.get("type") == "integer":
        return numbers(schema)
    if schema.get("type") == "array" and "default" in schema:
        low, high = schema["items"]["minimum"], schema["items"]["maximum"]
        middle = 1 << (max(low, 1) * high).bit_length() // 2
        return [[middle] * schema["minItems"], [high] * schema["minItems"], [middle] * schema["maxItems"]]
    return []


def factors(program):
    """The factors of a program, sorted by key."""
    schema = json.loads(subprocess.run([program, "config", "--json-schema"], capture_output=True, text=True, check=True).stdout)
    return sorted(found(schema["properties"], ""), key=lambda factor: factor.key)


def found(properties, above):
    for name, schema in properties.items():
        key = above + name
        if key in LEFT_OUT:
            continue
        if "properties" in schema:
            yield from found(schema["properties"], key + ".")
        elif schema.get("when") == "run" and len(choices := values(schema)) > 1:
            default = OF_SCENARIOS.get(key, schema["default"])
            yield Factor(key, default, [schema["default"], *values({**schema, "default": default})] if key in OF_SCENARIOS else choices)
