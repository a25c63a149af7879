# SPDX-License-Identifier: Apache-2.0
"""Values read from the pages: registers, records and enumerations (docs/registers.md), bring-up
(docs/integration.md)."""
import pathlib
import re

DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs"


class Words:
    """Registers or records: the offset and the fields of each word, by its name on the page."""

    def __init__(self, text):
        self._offset, self._fields = {}, {}
        for name, offset, stride, body in re.findall(
                r"^### ([\w.]+) \(0x([0-9a-f]+)(?: \+ i \* 0x([0-9a-f]+), i < \d+)?\)\n(.*?)(?=^##|\Z)", text, re.M | re.S):
            self._offset[name] = int(offset, 16), int(stride or "0", 16)
            self._fields[name] = {field: (int(high), int(low)) for high, low, field in
                                  re.findall(r"^\| (\d+):(\d+) \| (\w+) \|", body, re.M)}

    def offset(self, name, index=0):
        first, stride = self._offset[name]
        return first + index * stride

    def pack(self, name, **values):
        """The word with these fields, all others 0."""
        word = 0
        for field, value in values.items():
            high, low = self._fields[name][field]
            assert 0 <= value < 1 << (high - low + 1), f"{name}.{field} = {value:#x}"
            word |= value << low
        return word

    def unpack(self, name, word):
        """All fields of the word by name."""
        return {field: word >> low & ((1 << (high - low + 1)) - 1) for field, (high, low) in self._fields[name].items()}


def _enumerations(text):
    return {name: {word: int(value) for value, word in re.findall(r"^\| (\d+) \| (\w+) \|", body, re.M)}
            for name, body in re.findall(r"^### (\w+_e)\n(.*?)(?=^###|\Z)", text, re.M | re.S)}


_registers = (DOCS / "registers.md").read_text()
REGISTERS = Words(_registers.partition("\n## BAR0")[2].partition("\n## In-memory records")[0])
RECORDS = Words(_registers.partition("\n## In-memory records")[2].partition("\n## Enumerations")[0])
ENUMS = _enumerations(_registers.partition("\n## Enumerations")[2])
FAULT, ACCESS, OPCODE = ENUMS["fault_e"], ENUMS["access_e"], ENUMS["opcode_e"]
SCOPE, TARGET = ENUMS["scope_e"], ENUMS["target_e"]


def bring_up():
    """([(memory, address, value)], [(register, offset, value)]) from the two tables of the bring-up."""
    text = (DOCS / "integration.md").read_text()
    memory = [(name, int(address, 16), int(value, 16)) for name, address, value in
              re.findall(r"^\| (vram|host) \| (0x[0-9A-Fa-f]+) \| (0x[0-9A-Fa-f]+) \|", text, re.M)]
    registers = [(name, int(offset, 16), int(value, 16)) for name, offset, value in
                 re.findall(r"^\| ([\w\[\].]+) \| (0x[0-9A-Fa-f]+) \| (0x[0-9A-Fa-f]+) \|", text, re.M)
                 if name not in ("vram", "host")]
    assert memory and registers, "docs/integration.md has lost its tables"
    return memory, registers


def command_sizes():
    """{command: (opcode, least words, most words)} of docs/integration.md."""
    text = (DOCS / "integration.md").read_text()
    return {name: (int(opcode), int(least), int(most)) for name, opcode, least, most in
            re.findall(r"^\| (\w+) \| (\d+) \| (\d+) \| (\d+) \|", text, re.M)}


def _cache_table():
    """{(kind, no-snoop): AxCACHE} of m_host, from docs/integration.md."""
    text = (DOCS / "integration.md").read_text()
    rows = re.findall(r"^\| m_host, kind ([0-9 or]+) \| (0|1|any) \| ([01]{4}) \|", text, re.M)
    table = {(int(kind), snoop): int(cache, 2) for kinds, no_snoop, cache in rows for kind in kinds.split(" or ")
             for snoop in ((0, 1) if no_snoop == "any" else (int(no_snoop),))}
    assert len(table) == 8, "docs/integration.md has lost its table of AxCACHE"
    return table


_CACHE = _cache_table()


def host_cache(kind, no_snoop):
    """The AxCACHE of a burst on m_host."""
    return _CACHE[kind, no_snoop]
