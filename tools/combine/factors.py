# SPDX-License-Identifier: Apache-2.0
"""The keys that a run can set, with the values that `make combine` gives them.

The program's own description of its keys (`gmmu config --json-schema`, made from the .def files) is the only source: a
new key joins by itself. An integer gets its bounds, its default and a power of two halfway between the bounds, and an
array the shortest and the longest of such values.
"""
import json
import subprocess

# Sections and keys that are not combined, with the reason.
LEFT_OUT = {
    "inject": "faults on purpose: the run must fail",
    "device": "for `gmmu run --device` only",
    "registry": "values of a driver that the program does not know",
    "policy.file": "a file",
    "policy.arguments": "text for policy.file",
}
# Keys of which all triples of values are combined.
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
    """The integers of a schema with bounds. A missing upper bound is 16 times the default or the lower bound."""
    low = schema["minimum"]
    high = schema.get("maximum", 16 * max(schema.get("default", 0), low, 1))
    middle = 1 << (max(low, 1) * max(high, 1)).bit_length() // 2
    return [low, min(max(middle, low), high), high]


def values(schema):
    """The values of a key by its schema; none: the key cannot be combined."""
    if schema.get("type") == "boolean":
        return [False, True]
    if "enum" in schema:
        return schema["enum"]
    if schema.get("type") == "integer":
        return numbers(schema)
    if schema.get("type") == "array" and "default" in schema:
        _, middle, high = numbers(schema["items"])
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
            yield Factor(key, schema["default"], choices)
