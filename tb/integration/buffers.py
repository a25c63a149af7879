# SPDX-License-Identifier: Apache-2.0
"""Random paging buffers, and the expected memory contents after each.

A buffer follows the rules for software: wait_writes on a command that reads bytes that an earlier one writes, or writes
bytes that an earlier one reads or writes; a flush between a changed translation and its use.
"""
from gpu import APERTURE, SYSTEM, VRAM, as_bytes, command
from model import PAGE, Hazards
from pages import RECORDS, SCOPE
from world import APERTURE_PAGES, DATA, DATA_PAGES, RUN, physical, virtual


class Buffer:
    """One paging buffer for a ring. Each added command is also executed on the model."""

    def __init__(self, world, rng, space, privileged, stale, areas, tables=True):
        self._world, self._model, self._rng = world, world.model, rng
        self._space, self._privileged, self._areas, self._tables = space, privileged, areas, tables
        self._stale = stale  # (space number, va) of pages whose translation changed without a later flush
        self._hazards = Hazards()
        self.bytes, self.commands = b"", 0
        self.irq = False  # a signal_fence requests an interrupt

    def add(self):
        """Adds a random command, preceded by the commands that it needs."""
        kinds = [self._copy] * 8 + [self._fill] * 4 + [self._signal] * 2 + [self._nop] + [self._flush]
        if self._privileged:
            kinds += [self._table] * 3
            if self._tables:
                kinds += [self._remap] * 4 + [self._aperture] * 2
        self._rng.choice(kinds)()

    # -- parts
    def _ranges(self, place, size, write):
        """(ranges that it reads, ranges of its data); the former include the table entries."""
        reads = []
        pieces = self._model.pieces(place, size, write, lambda target, where, _: reads.append((target, where, where + 8)))
        return reads, [(target, address, address + part) for target, address, part in pieces if target is not None]

    def _flush_stale(self, *operands):
        """Adds a flush if an operand (place, bytes) has a page that needs one."""
        touched = {(place.space, va) for place, size in operands if place.space is not None
                   for va in range(place.address & -PAGE, place.address + size, PAGE)}
        if touched & self._stale:
            self._flush(*sorted(touched & self._stale))

    def _emit(self, name, *operands, reads=(), writes=(), waits=False, **more):
        """waits: the command itself waits."""
        meets = self._hazards.meets(reads, writes)
        wait = int((meets and not waits) or self._rng.random() < 0.1)
        if wait or waits:
            self._hazards.clear()
        self._hazards.add(list(reads), list(writes))
        self.bytes += as_bytes(command(name, *operands, wait_writes=wait, **more))
        self.commands += 1

    def _usable(self, space, va, write):
        try:
            self._model.pieces(virtual(space, va), 1, write)
        except Exception:  # a Fault, which this test must not cause
            return False
        return True

    def _operand(self, size, write, align=1):
        """(place, bytes): a place to read or write at most `size` bytes."""
        rng = self._rng
        while True:
            area = rng.choice(self._areas)
            kind = rng.random()
            if self._privileged and kind < 0.35:
                target = rng.choice([VRAM, SYSTEM, APERTURE])
                half = (APERTURE_PAGES if target == APERTURE else DATA_PAGES) // 2
                start = DATA.get(target, 0) + area * half * PAGE
                at = rng.randrange(0, half * PAGE - size, align)
                return physical(target, start + at), size
            space = self._space
            if self._privileged and kind < 0.5:
                space = rng.choice(self._world.spaces)
            if space.large and 0 in self._areas and kind > 0.93:
                at = rng.randrange(0, 8 * PAGE - size, align)
                return virtual(space, space.large + at), size
            start = space.runs[area] + rng.randrange(0, RUN * PAGE, align)
            end = start
            while end < start + size and end < space.runs[area] + RUN * PAGE and self._usable(space, end, write):
                end = (end & -PAGE) + PAGE
            found = min(size, end - start) & -align
            if found > 0:
                return virtual(space, start), found

    # -- commands
    def _copy(self):
        rng = self._rng
        size = rng.choice([rng.randint(0, 40), rng.randint(1, 700), rng.randint(1, 700), rng.randint(1, 9000)])
        src, size = self._operand(max(size, 1), False)
        dst, size = self._operand(size, True)
        if rng.random() < 0.03:
            size = 0
        read_tables, reads = self._ranges(src, size, False)
        write_tables, writes = self._ranges(dst, size, True)
        if Hazards._meet(reads, writes) or Hazards._meet(read_tables + write_tables, writes):
            return  # a copy onto itself, or onto the tables that it uses
        self._flush_stale((src, size), (dst, size))
        self._emit("copy", size, src=src, dst=dst, reads=read_tables + write_tables + reads, writes=writes)
        self._model.copy(src, dst, size)

    def _fill(self):
        rng = self._rng
        dst, size = self._operand(rng.choice([rng.randint(1, 40), rng.randint(1, 2000), rng.randint(1, 6000)]), True)
        tables, writes = self._ranges(dst, size, True)
        self._flush_stale((dst, size))
        pattern = rng.getrandbits(32)
        self._emit("fill", size, pattern, dst=dst, reads=tables, writes=writes)
        self._model.fill(dst, size, pattern)

    def _signal(self):
        dst, _ = self._operand(8, True, align=8)
        tables, writes = self._ranges(dst, 8, True)
        self._flush_stale((dst, 8))
        value, irq = self._rng.getrandbits(64), self._rng.getrandbits(1)
        self.irq |= bool(irq)
        self._emit("signal_fence", value, dst=dst, reads=tables, writes=writes, waits=True, irq=irq)
        self._model.write(dst, value.to_bytes(8, "little"))

    def _nop(self):
        self._emit("nop", *(self._rng.getrandbits(64) for _ in range(self._rng.randrange(20))))

    def _flush(self, *pages):
        """Flushes these (space, va), or an arbitrary range if there are none."""
        rng = self._rng
        spaces = sorted({space for space, _ in pages}) or [self._space.number]
        if self._privileged and rng.random() < 0.3:
            self._emit("flush_tlb", 0, 0, scope=SCOPE["global"], waits=True)
            self._stale.clear()
            return
        for space in spaces:
            if rng.random() < 0.5:
                self._emit("flush_tlb", 0, 0, scope=SCOPE["space"], dst_space=space, waits=True)
                self._stale -= {page for page in self._stale if page[0] == space}
                continue
            vas = [va for number, va in pages if number == space] or [self._space.runs[0]]
            start = min(vas) - PAGE * rng.randrange(3) if min(vas) else 0
            end = max(vas) + 1 + rng.randrange(3 * PAGE)
            start = max(start, 0)
            self._emit("flush_tlb", start, end, scope=SCOPE["range"], dst_space=space, waits=True)
            self._stale -= {page for page in self._stale if page[0] == space and start < page[1] + PAGE and page[1] < end}

    def _table(self):
        """Writes table words to a place among the data."""
        rng = self._rng
        dst, size = self._operand(8 * rng.randint(1, rng.choice([4, 60, 600])), True, align=8)
        tables, writes = self._ranges(dst, size, True)
        self._flush_stale((dst, size))
        self._table_command(dst, [rng.getrandbits(64) for _ in range(size // 8)], tables, writes, rng.random() < 0.5)

    def _table_command(self, dst, words, reads, writes, repeat):
        if repeat:
            step = self._rng.choice([0, 0x1000, self._rng.getrandbits(64)])
            words = [(words[0] + number * step) % (1 << 64) for number in range(len(words))]
            self._emit("table_repeat", len(words), words[0], step, dst=dst, reads=reads, writes=writes)
            self._model.table_repeat(dst, len(words), words[0], step)
        else:
            self._emit("table_write", *words, dst=dst, reads=reads, writes=writes)
            self._model.table(dst, words)

    def _remap(self):
        """Writes new entries for data pages, by the table's physical address or where the space maps it."""
        rng = self._rng
        space = rng.choice(self._world.spaces)
        area = rng.choice(self._areas)
        first = rng.randrange(RUN)
        target, where = space.leaf[space.runs[area] + first * PAGE]
        count = 1
        while count < rng.randint(1, 6) and first + count < RUN and \
                space.leaf[space.runs[area] + (first + count) * PAGE] == (target, where + 8 * count):
            count += 1
        entries = [space.new_entry(area) for _ in range(count)]
        dst = physical(target, where)
        shown = space.leaf[space.runs[0]]
        if rng.random() < 0.5 and target == shown[0] and where & -PAGE == shown[1] & -PAGE:
            dst = virtual(space, space.view + where % PAGE)
            self._flush_stale((dst, 8 * count))
        tables, writes = self._ranges(dst, 8 * count, True)
        memory = self._model.memories[target]
        for number, entry in enumerate(entries):
            old = memory.word(where + 8 * number)
            if old & 3 and old != entry:  # entries that are neither valid nor zero are not cached
                self._stale.add((space.number, space.runs[area] + (first + number) * PAGE))
        self._table_command(dst, entries, tables, writes, False)

    def _aperture(self):
        """Maps other data pages behind the aperture."""
        rng = self._rng
        area = rng.choice(self._areas)
        count = rng.randint(1, 8)
        half = APERTURE_PAGES // 2
        first = area * half + rng.randrange(half - count + 1)
        page = DATA[SYSTEM] // PAGE + area * DATA_PAGES // 2 + rng.randrange(DATA_PAGES // 2 - count)
        kind = rng.choice(["aperture_map", "aperture_list", "aperture_unmap"])
        start = self._world.aperture_entry(page)
        entries = {"aperture_map": [start + number * PAGE for number in range(count)],
                   "aperture_list": [start + rng.randrange(count) * PAGE for _ in range(count)],
                   "aperture_unmap": [start] * count}[kind]
        operands = entries if kind == "aperture_list" else entries[:1]
        where = self._model.aperture + 8 * first
        self._emit(kind, RECORDS.pack("cmd_aperture_map.range", page=first, pages=count), *operands,
                   writes=[(VRAM, where, where + 8 * count)])
        self._model.aperture_map(first, entries)
