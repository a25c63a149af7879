# SPDX-License-Identifier: Apache-2.0
"""The expected memory contents: page tables walked as in docs/page-tables.md, commands executed one after the other.

A Fault is the result of the walk or of the router. Order within a paging buffer is software's duty
(docs/integration.md): the Hazards of a buffer determine which command needs wait_writes or a flush.
"""
from gpu import APERTURE, SYSTEM, VRAM, Place
from pages import RECORDS

PAGE = 0x1000


class Fault(Exception):
    def __init__(self, reason, level=0, address=0):
        super().__init__(f"{reason} at level {level}, address {address:#x}")
        self.reason, self.level, self.address = reason, level, address


class Tables:
    """An address space's geometry and root, and the location of the tables for some addresses."""

    def __init__(self, bits, root, root_target, root_entries=None):
        self.bits, self.root, self.root_target = bits, root, root_target  # bits[0] belongs to the leaf level
        self.root_entries = root_entries or 1 << bits[-1]
        self.shift = [12 + sum(bits[:level]) for level in range(len(bits))]
        self.top = 12 + sum(bits)

    def index(self, va, level):
        return va >> self.shift[level] & ((1 << self.bits[level]) - 1)

    def walk(self, memories, va, write, visit=lambda target, address, level: None):
        """(target, address, fields of the entry) of the page; for a zero page, None and the fields. memories: by
        target."""
        level = len(self.bits) - 1
        if va >> self.top:
            raise Fault("va_range", level, va)
        if self.index(va, level) >= self.root_entries:
            raise Fault("root_bound", level, va)
        target, table = self.root_target, self.root
        if target not in (SYSTEM, VRAM):
            raise Fault("entry_reserved", level, va)
        while True:
            where = table + 8 * self.index(va, level)
            visit(target, where, level)
            word = memories[target].word(where)
            entry = RECORDS.unpack("pte.entry", word)
            if entry["zero"]:
                return None, entry
            if not entry["valid"]:
                raise Fault("entry_invalid", level, va)
            names_table = level > 0 and not entry["large"]
            if (entry["reserved63"] or entry["table_64k"] or entry["page"] >> 36 or
                    (entry["adapter"] and entry["target"] != 3) or (entry["large"] and level == 0) or
                    (entry["contiguous"] and level) or
                    (entry["large"] and (entry["page"] << 12) % (1 << self.shift[level])) or
                    (names_table and entry["target"] > 1)):
                raise Fault("entry_reserved", level, va)
            if names_table:
                target, table, level = entry["target"], entry["page"] << 12, level - 1
                continue
            if write and entry["read_only"]:
                raise Fault("write_protect", level, va)
            return (entry["target"], (entry["page"] << 12) + va % (1 << self.shift[level])), entry


class Model:
    """Memories by target, address spaces by number, and the aperture's table at `aperture` in VRAM."""

    def __init__(self, memories, spaces, aperture):
        self.memories, self.spaces, self.aperture = memories, spaces, aperture

    def through_aperture(self, offset, visit):
        where = self.aperture + 8 * (offset // PAGE)
        visit(VRAM, where, 0)
        entry = RECORDS.unpack("aperture_entry.entry", self.memories[VRAM].word(where))
        assert entry["valid"], f"aperture offset {offset:#x}"
        return SYSTEM, entry["page"] * PAGE + offset % PAGE

    def pieces(self, place, size, write, visit=lambda *_: None):
        """[(memory target or None for zeros, address, bytes)] of a range, split at pages."""
        address, done, found = place.address, 0, []
        while done < size:
            part = min(size - done, PAGE - (address + done) % PAGE)
            at = place.target, address + done
            if place.space is not None:
                at, _ = self.spaces[place.space].walk(self.memories, address + done, write, visit)
            if at and at[0] == APERTURE:
                at = self.through_aperture(at[1], visit)
            found.append((*at, part) if at else (None, 0, part))
            done += part
        return found

    def read(self, place, size):
        return b"".join(bytes(part) if target is None else self.memories[target].read(address, part)
                        for target, address, part in self.pieces(place, size, False))

    def write(self, place, data):
        done = 0
        for target, address, part in self.pieces(place, len(data), True):
            if target is not None:
                self.memories[target].write(address, data[done:done + part])
            done += part

    # the commands
    def copy(self, src, dst, size):
        self.write(dst, self.read(src, size))

    def fill(self, dst, size, pattern):
        self.write(dst, (pattern.to_bytes(4, "little") * (size // 4 + 1))[:size])

    def table(self, dst, entries):
        self.write(dst, b"".join(word.to_bytes(8, "little") for word in entries))

    def aperture_map(self, page, entries):
        self.table(Place(self.aperture + 8 * page, target=VRAM), entries)

    def table_repeat(self, dst, count, first, step):
        self.table(dst, [(first + number * step) % (1 << 64) for number in range(count)])


class Hazards:
    """The ranges that commands possibly in flight read and write."""

    def __init__(self):
        self.clear()

    def clear(self):
        self._reads, self._writes = [], []

    @staticmethod
    def _meet(some, others):
        return any(a[0] == b[0] and a[1] < b[2] and b[1] < a[2] for a in some for b in others)

    def meets(self, reads, writes):
        """Ranges [(target, start, end)] of the next command: must it wait?"""
        return self._meet(reads, self._writes) or self._meet(writes, self._reads) or self._meet(writes, self._writes)

    def add(self, reads, writes):
        self._reads += reads
        self._writes += writes

