# SPDX-License-Identifier: Apache-2.0
"""The memory layout of the tests: data pages in VRAM and host memory, address spaces over them, space for paging
buffers."""
from gpu import APERTURE, SYSTEM, VRAM, Place, pte
from model import PAGE, Model, Tables

DATA = {VRAM: 0x100000, SYSTEM: 0x2_0000_0000}     # DATA_PAGES pages each, half of them for each area
TABLES = {VRAM: 0x800000, SYSTEM: 0x3_0000_0000}
BUFFERS = {VRAM: 0x600000, SYSTEM: 0x4_0000_0000}  # BUFFER_PAGES pages each
LARGE = 0xC00000                                   # VRAM that a large page maps
APERTURE_TABLE, APERTURE_PAGES = 0x700000, 32
RINGS, RECORD = [0x10000, 0x11000], [0x30000, 0x30010]
FAULTS = 0x40000
DATA_PAGES, BUFFER_PAGES, RUN = 48, 8, 20
GEOMETRIES = [(9, 9), (10, 8), (8, 7, 6), (9, 9, 9, 9), (5, 4, 3, 2), (4, 3, 3, 2, 2, 3)]  # index bits, leaf first


class Space:
    """An address space: two runs of data pages, one of paging buffers, a large page and a view of its own leaf
    table."""

    def __init__(self, world, number, rng):
        self.number, self._world, self._rng = number, world, rng
        bits = rng.choice(GEOMETRIES)
        target = rng.choice([VRAM, SYSTEM])
        self.tables = Tables(bits, world.new_table(target, bits[-1]), target)
        base = rng.randrange(0, (1 << self.tables.top) - (1 << 22), 1 << 20) & -(1 << self.tables.shift[1]) \
            if self.tables.top > 24 else 0
        self.runs = [base, base + 64 * PAGE]  # start of the data pages, by area
        self.leaf = {}                        # va: (target, address) of the leaf entry
        for area, run in enumerate(self.runs):
            for number in range(RUN):
                self.map(run + number * PAGE, self.new_entry(area))
        self.buffers = base + 96 * PAGE
        for number in range(BUFFER_PAGES):
            where = rng.choice([VRAM, SYSTEM])
            self.map(self.buffers + number * PAGE, pte(BUFFERS[where] // PAGE + number, where))
        self.view = base + 112 * PAGE
        where, address = self.leaf[self.runs[0]]
        self.map(self.view, pte(address // PAGE, where))
        self.large = self._map_large(base)

    def new_entry(self, area):
        """A random entry for a data page: mostly valid, sometimes zero, read-only or not valid."""
        rng = self._rng
        kind = rng.random()
        if kind < 0.08:
            return rng.getrandbits(62) & ~3  # not valid, with random other bits
        if kind < 0.15:
            return rng.getrandbits(62) | 2   # zero, with random other bits
        target = rng.choice([VRAM, SYSTEM, VRAM, SYSTEM, APERTURE])
        half = DATA_PAGES // 2
        page = rng.randrange(APERTURE_PAGES // 2) + area * APERTURE_PAGES // 2 if target == APERTURE else \
            DATA[target] // PAGE + area * half + rng.randrange(half)
        return pte(page, target, coherent=rng.getrandbits(1), read_only=rng.random() < 0.1, no_execute=rng.getrandbits(1),
                   software=rng.getrandbits(2), segment=rng.getrandbits(5))

    def table_of(self, va, level):
        """(target, address) of the table of a level for `va`; creates missing tables."""
        tables, memories = self.tables, self._world.model.memories
        target, table = tables.root_target, tables.root
        for upper in range(len(tables.bits) - 1, level, -1):
            where = table + 8 * tables.index(va, upper)
            word = memories[target].word(where)
            if not word:
                below = self._rng.choice([VRAM, SYSTEM])
                word = pte(self._world.new_table(below, tables.bits[upper - 1]) // PAGE, below)
                self._world.poke(target, where, word)
            target, table = word >> 6 & 3, word & 0xFFFFFFFFF000
        return target, table

    def map(self, va, entry):
        target, table = self.table_of(va, 0)
        self.leaf[va] = target, table + 8 * self.tables.index(va, 0)
        self._world.poke(*self.leaf[va], entry)

    def _map_large(self, base):
        """Adds a large page of level 1 above everything else, if it fits into VRAM."""
        tables = self.tables
        size = 1 << tables.shift[1]
        va = -(-(base + 128 * PAGE) // size) * size
        if LARGE % size or va + size > 1 << tables.top:
            return None
        target, table = self.table_of(va, 1)
        self._world.poke(target, table + 8 * tables.index(va, 1), pte(LARGE // PAGE, VRAM, large=1))
        return va


class World:
    """The complete memory contents before the GPU starts, in the GPU's memories and in the model's."""

    def __init__(self, gpu, rng, spaces=2):
        self.gpu, self.rng = gpu, rng
        self._next_table = dict(TABLES)
        self.model = Model({VRAM: gpu.vram.bytes.copy(), SYSTEM: gpu.host.bytes.copy()}, {}, APERTURE_TABLE)
        for target, base in DATA.items():
            self.poke_bytes(target, base, rng.randbytes(DATA_PAGES * PAGE))
        self.poke_bytes(VRAM, LARGE, rng.randbytes(8 * PAGE))
        for number in range(APERTURE_PAGES):
            half = DATA_PAGES // 2
            page = DATA[SYSTEM] // PAGE + (number >= APERTURE_PAGES // 2) * half + rng.randrange(half)
            self.poke(VRAM, APERTURE_TABLE + 8 * number, self.aperture_entry(page))
        self.spaces = []
        for number in range(1, spaces + 1):
            self.spaces.append(Space(self, number, rng))
            self.model.spaces[number] = self.spaces[-1].tables

    def aperture_entry(self, page):
        return page << 12 | self.rng.getrandbits(1) << 2 | 1

    def new_table(self, target, bits):
        address = self._next_table[target]
        self._next_table[target] += -(-8 << bits) // PAGE * PAGE if bits > 9 else PAGE
        return address

    def poke_bytes(self, target, address, data):
        self.gpu.memory_of(target).bytes.write(address, data)
        self.model.memories[target].write(address, data)

    def poke(self, target, address, word):
        self.poke_bytes(target, address, word.to_bytes(8, "little"))

    def poke_at(self, place, data):
        """Writes through the tables of the model."""
        done = 0
        for target, address, part in self.model.pieces(place, len(data), True):
            self.poke_bytes(target, address, data[done:done + part])
            done += part

    async def program(self, size_lg2=3):
        """Sets up spaces, aperture, both rings (0 ordinary, 1 privileged), fault queue and interrupts; then enables the
        GPU."""
        gpu = self.gpu
        for space in self.spaces:
            await gpu.set_space(space.number, space.tables)
        await gpu.write("aperture_base", offset=APERTURE_TABLE)
        await gpu.write("aperture_pages", pages=APERTURE_PAGES)
        for ring in (0, 1):
            await gpu.set_ring(ring, RINGS[ring], RECORD[ring], size_lg2, privileged=ring)
        await gpu.write("fault_queue_base", address=FAULTS)
        await gpu.write("fault_queue_size", size_lg2=4, enable=1)
        await gpu.write("int_enable", enable=0x3F)
        await gpu.write("ctrl", enable=1)

    def difference(self, buffers=True):
        """Where memory differs from the model, except in pages that the GPU reports in (and in paging buffers)."""
        for target, name in ((VRAM, "vram"), (SYSTEM, "host")):
            got, want = self.gpu.memory_of(target).bytes, self.model.memories[target]
            skip = {address >> 12 for address in (RECORD[0], FAULTS, *RINGS)} if target == SYSTEM else set()
            if not buffers:
                skip |= {(BUFFERS[target] >> 12) + number for number in range(BUFFER_PAGES)}
            where = got.difference(want, skip)
            if where is not None:
                return f"{name} {where:#x} holds {got.read(where, 8).hex()}, expected {want.read(where, 8).hex()}"
        return None


def virtual(space, va):
    return Place(va, space=space.number)


def physical(target, address):
    return Place(address, target=target)
