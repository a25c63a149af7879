# SPDX-License-Identifier: Apache-2.0
"""Errors on purpose: checks ring status, fault record and memory after each, and that the ring works again."""
import dataclasses

import cocotb

from axi_memory import PROMPT, random_manner
from gpu import SYSTEM, VRAM, VRAM_BYTES, APERTURE, Gpu, as_bytes, command, entry, fault_name, pte
from model import PAGE
from pages import ACCESS, RECORDS, REGISTERS, SCOPE
from report import Report
from world import APERTURE_PAGES, APERTURE_TABLE, BUFFERS, DATA, FAULTS, RECORD, RINGS, World, physical, virtual

ORDINARY, PRIVILEGED = 0, 1
FETCH, READ, WRITE = 1, 2, 3  # translation ports: one client, then paging engine fetch, read, write (fault_record.what)
BUILT_SPACES = 16
GOOD = 4 * 8                  # bytes of the fill that precedes the failing command


@dataclasses.dataclass
class Case:
    """A command that fails, and the documented report. None: not documented, or not present."""
    name: str
    reason: str
    words: list | None = None     # the failing command; None: the ring entry itself fails
    ring: int = ORDINARY
    access: str | None = None
    level: int | None = None
    address: int | None = None
    space: int | None = None
    port: int | None = None
    physical: int | None = None
    offset: int | None = GOOD
    header: int | None = None     # header of the failing command, unless documented otherwise
    refuse: tuple = ()            # (memory, "reads" or "writes", start, end) that gives SLVERR
    may_write: tuple = ()         # (place, bytes) that the failing command may have written
    entry: bytes | None = None    # the failing ring entry
    tail: int | None = None
    cold: bool = False            # no translation may be cached
    first: bool = False           # no successful entry precedes the failing one


def cases(world):
    """All cases. va: a data page in VRAM, host: one in host memory, and so on, in space 1."""
    space, memories = world.spaces[0], world.model.memories
    run = space.runs[0]
    va, va_host, hole, fixed, beyond, reserved, peer, after, _ = (run + number * PAGE for number in range(9))
    page = {target: DATA[target] // PAGE for target in DATA}
    for number, word in enumerate([pte(page[VRAM], VRAM), pte(page[SYSTEM], SYSTEM), 0, pte(page[VRAM] + 1, VRAM, read_only=1),
                                   pte(VRAM_BYTES // PAGE, VRAM), pte(page[VRAM], VRAM, large=1), pte(0, 3, adapter=5),
                                   pte(page[VRAM] + 2, VRAM), pte(page[VRAM] + 9, VRAM)]):
        world.poke(*space.leaf[run + number * PAGE], word)
    v = lambda address, number=1: virtual(world.spaces[number - 1], address)
    top = world.model.spaces[1].top
    leaf_memory, leaf = space.leaf[after]
    bad = dict(reason="command_bad")
    secret = dict(reason="not_privileged")
    yield Case("unmapped source", "entry_invalid", command("copy", 100, src=v(hole - 50), dst=v(va)), access="read", level=0,
               address=hole, space=1, port=READ, physical=0, may_write=((v(va), 50),))
    yield Case("unmapped destination", "entry_invalid", command("fill", 100, 7, dst=v(hole + 8)), access="write", level=0,
               address=hole + 8, space=1, port=WRITE, physical=0)
    yield Case("reserved form", "entry_reserved", command("fill", 9, 7, dst=v(reserved + 1)), access="write", level=0,
               address=reserved + 1, space=1, port=WRITE, physical=0)
    yield Case("no such peer", "peer_absent", command("fill", 9, 7, dst=v(peer + 1)), access="write", address=peer + 1, space=1,
               port=WRITE)
    yield Case("read only", "write_protect", command("copy", 200, src=v(va_host), dst=v(fixed)), access="write", level=0,
               address=fixed, space=1, port=WRITE, physical=0)
    yield Case("va above the width", "va_range", command("copy", 8, src=v(1 << top), dst=v(va)), access="read",
               level=len(space.tables.bits) - 1, address=1 << top, space=1, port=READ, physical=0)
    yield Case("SLVERR on a read of VRAM", "bus_read", command("copy", 600, src=v(va + 0x105), dst=v(va_host)), access="read",
               address=va + 0x200, space=1, port=READ, refuse=(VRAM, "reads", DATA[VRAM] + 0x298, DATA[VRAM] + 0x299),
               may_write=((v(va_host), 0x200 - 0x105),))
    yield Case("SLVERR on a read of host memory", "bus_read", command("copy", 64, src=v(va_host + 0x10), dst=v(va)),
               access="read", address=va_host + 0x10, space=1, port=READ,
               refuse=(SYSTEM, "reads", DATA[SYSTEM] + 0x10, DATA[SYSTEM] + 0x11))
    yield Case("SLVERR on a write to VRAM", "bus_write", command("fill", 512, 0xABCD, dst=v(va + 0x200)), access="write",
               address=va + 0x300, space=1, port=WRITE, refuse=(VRAM, "writes", DATA[VRAM] + 0x390, DATA[VRAM] + 0x398),
               may_write=((v(va + 0x200), 512),))
    yield Case("SLVERR on a write to host memory", "bus_write", command("fill", 5, 0xABCD, dst=v(va_host + 0x203)),
               access="write", address=va_host + 0x203, space=1, port=WRITE,
               refuse=(SYSTEM, "writes", DATA[SYSTEM] + 0x200, DATA[SYSTEM] + 0x208))
    yield Case("SLVERR on a table read", "table_read", command("fill", 8, 7, dst=v(after)), access="write", level=0,
               address=after, space=1, port=WRITE, refuse=(leaf_memory, "reads", leaf, leaf + 8), cold=True)
    yield Case("unknown opcode", words=command("nop", 1, 2, opcode=77), **bad)
    yield Case("copy of five words", words=command("copy", 8, 0, src=v(va), dst=v(va)), **bad)
    yield Case("reserved header bits", words=[command("fill", 8, 7, dst=v(va))[0] | 1 << 20, va, 8, 7], **bad)
    yield Case("reserved upper header bits", words=[command("fill", 8, 7, dst=v(va))[0] | 1 << 44, va, 8, 7], **bad)
    yield Case("fence address not aligned", words=command("signal_fence", 1, dst=v(va + 4)), **bad)
    yield Case("pattern of 33 bits", words=command("fill", 8, 1 << 32, dst=v(va)), **bad)
    yield Case("length of 49 bits", words=command("copy", 1 << 48, src=v(va), dst=v(va_host)), **bad)
    yield Case("a range that wraps", words=command("copy", 0x200, src=v((1 << 64) - 0x100), dst=v(va)), **bad)
    yield Case("flush whose start is above its end", words=command("flush_tlb", 2 * PAGE, PAGE, scope=SCOPE["range"], dst_space=1),
               **bad)
    yield Case("nop without words", words=command("nop", words=0), **bad)
    yield Case("a command past the buffer's end", words=command("nop", words=600), **bad)
    yield Case("physical range past 2^48", words=command("fill", 16, 7, dst=physical(SYSTEM, (1 << 48) - 8)), ring=PRIVILEGED, **bad)
    yield Case("table not aligned", words=command("table_write", 1, dst=physical(VRAM, DATA[VRAM] + 4)), ring=PRIVILEGED, **bad)
    yield Case("count of 33 bits", words=command("table_repeat", 1 << 32, 0, 0, dst=physical(VRAM, DATA[VRAM])), ring=PRIVILEGED, **bad)
    yield Case("list of another length", words=command("aperture_list", RECORDS.pack("cmd_aperture_list.range", page=0, pages=3), 1, 1),
               ring=PRIVILEGED, **bad)
    yield Case("physical source", words=command("copy", 8, src=physical(VRAM, DATA[VRAM]), dst=v(va)), **secret)
    yield Case("physical destination", words=command("fill", 8, 7, dst=physical(SYSTEM, DATA[SYSTEM])), **secret)
    yield Case("table write", words=command("table_write", 1, dst=v(va)), **secret)
    yield Case("table repeat", words=command("table_repeat", 1, 0, 0, dst=v(va)), **secret)
    yield Case("another space", words=command("fill", 8, 7, dst=v(world.spaces[1].runs[0], 2)), **secret)
    yield Case("flush of another space", words=command("flush_tlb", 0, 0, scope=SCOPE["space"], dst_space=2), **secret)
    yield Case("flush of all spaces", words=command("flush_tlb", 0, 0, scope=SCOPE["global"]), **secret)
    yield Case("aperture", words=command("aperture_unmap", 1 << 32, 5), **secret)
    yield Case("a physical buffer", "not_privileged", offset=0, header=0, address=RINGS[ORDINARY] + 32,
               entry=entry(BUFFERS[VRAM], 32, 0, physical=1, target=VRAM))
    yield Case("VRAM past its end", "vram_range", command("fill", 64, 7, dst=physical(VRAM, VRAM_BYTES - 32)), ring=PRIVILEGED,
               access="write", address=VRAM_BYTES, port=WRITE, physical=1, may_write=((physical(VRAM, VRAM_BYTES - 32), 32),))
    yield Case("a page past VRAM's end", "vram_range", command("copy", 1, src=v(beyond + 0xFFF), dst=v(va)), access="read",
               address=beyond + 0xFFF, space=1, port=READ)
    yield Case("a space that is not built", "space_disabled", 
               [RECORDS.pack("command_header.word", opcode=2, dst_space=BUILT_SPACES, words=4), va, 8, 7], ring=PRIVILEGED)
    yield Case("a space that is not enabled", "space_disabled",
               [RECORDS.pack("command_header.word", opcode=2, dst_space=7, words=4), va, 8, 7], ring=PRIVILEGED, access="write",
               address=va, space=7, port=WRITE)
    yield Case("a buffer in a space that is not built", "space_disabled", ring=PRIVILEGED, offset=0, header=0,
               address=RINGS[PRIVILEGED] + 32, entry=entry(space.buffers, 32, 0, space=BUILT_SPACES))
    yield Case("past the aperture", "aperture_range", command("fill", 8, 7, dst=physical(APERTURE, APERTURE_PAGES * PAGE)),
               ring=PRIVILEGED, access="write", address=APERTURE_PAGES * PAGE, port=WRITE, physical=1)
    yield Case("map past the aperture", "aperture_range", command("aperture_map", 2 << 32 | APERTURE_PAGES - 1, 1), ring=PRIVILEGED)
    world.poke(VRAM, APERTURE_TABLE + 8 * 20, 0)
    yield Case("no aperture entry", "aperture_entry", command("copy", 8, src=physical(APERTURE, 20 * PAGE), dst=v(va)),
               ring=PRIVILEGED, access="read", address=20 * PAGE, port=READ, physical=1)
    yield Case("SLVERR on an aperture entry", "aperture_read", command("copy", 8, src=physical(APERTURE, 8 * PAGE), dst=v(va)),
               ring=PRIVILEGED, access="read", address=8 * PAGE, port=READ, physical=1,
               refuse=(VRAM, "reads", APERTURE_TABLE + 64, APERTURE_TABLE + 128))
    yield Case("SLVERR on a paging buffer", "command_fetch", port=FETCH, offset=0, ring=PRIVILEGED,
               entry=entry(BUFFERS[VRAM] + 4 * PAGE, 32, 0, physical=1, target=VRAM),
               refuse=(VRAM, "reads", BUFFERS[VRAM] + 4 * PAGE, BUFFERS[VRAM] + 5 * PAGE))
    yield Case("an unmapped paging buffer", "entry_invalid", port=FETCH, offset=0, level=0, access="read", space=1,
               entry=entry(hole, 32, 0, space=1), address=hole)
    for ring in (ORDINARY, PRIVILEGED):
        yield Case("SLVERR on a ring entry", "ring_fetch", ring=ring, offset=0, header=0, address=RINGS[ring] + 32,
                   entry=entry(space.buffers, 0, 0, space=1), refuse=(SYSTEM, "reads", RINGS[ring] + 32, RINGS[ring] + 64))
    yield Case("a buffer of 12 bytes", "ring_fetch", offset=0, header=0, address=RINGS[ORDINARY] + 32,
               entry=entry(space.buffers, 12, 0, space=1))
    yield Case("a buffer that is not aligned", "ring_fetch", offset=0, header=0, address=RINGS[ORDINARY] + 32,
               entry=entry(space.buffers + 4, 32, 0, space=1))
    yield Case("a tail beyond the ring", "ring_fetch", tail=1 << SIZE_LG2, offset=0, header=0, first=True)
    for ring in (ORDINARY, PRIVILEGED):
        yield Case("SLVERR on a fence record", "bus_write", ring=ring, offset=0, header=0, address=RECORD[ring],
                   entry=entry(space.buffers, 0, 0, space=1), access="write", first=True, physical=1, port=WRITE,
                   refuse=(SYSTEM, "writes", RECORD[ring], RECORD[ring] + 16))


SIZE_LG2 = 2


class Errors:
    def __init__(self, gpu, world):
        self.gpu, self.world = gpu, world
        self.fence, self.sequence, self.completed = 0x100, 0, [0, 0]

    def _buffer(self, ring, words, at):
        """Writes a paging buffer into memory; returns its ring entry."""
        space = self.world.spaces[0]
        self.fence += 1
        data = as_bytes(words)
        if ring == PRIVILEGED:
            self.world.poke_bytes(VRAM, BUFFERS[VRAM] + at, data)
            return entry(BUFFERS[VRAM] + at, len(data), self.fence, physical=1, target=VRAM)
        self.world.poke_at(virtual(space, space.buffers + at), data)
        return entry(space.buffers + at, len(data), self.fence, space=space.number)

    def _fill(self, place, size):
        pattern = self.gpu.rng.getrandbits(32)
        self.world.model.fill(place, size, pattern)
        return command("fill", size, pattern, dst=place, wait_writes=1)

    async def run(self, case):
        gpu, world, rng = self.gpu, self.world, self.gpu.rng
        model, ring = world.model, case.ring
        space = world.spaces[0]
        # the destination of the fills that succeed; no other access of the same case touches it
        safe = virtual(space, space.large or space.runs[0] + 8 * PAGE)
        target = physical(VRAM, DATA[VRAM] + 8 * PAGE)
        place = target if ring == PRIVILEGED else safe

        # Entry 0 succeeds, entry 1 fails at its second command, and entry 2 must not start.
        def fill():
            return self._fill(place, rng.randint(1, 300))
        entries = [] if case.first else [self._buffer(ring, fill(), 0)]
        first_fence = self.fence
        if case.words is not None:
            front = fill()
            words = case.words
            words = [words[0] | RECORDS.pack("command_header.word", wait_writes=1), *words[1:]]
            # A later command may overlap a command that fails during execution, but not one that is rejected before it
            # starts.
            refused = case.reason in ("command_bad", "not_privileged") or case.port is None
            tail = command("fill", 64, 0xDEAD, dst=place, wait_writes=int(not refused))
            entries.append(self._buffer(ring, front + words + tail, 0x400))
        elif case.entry is not None:
            self.fence += 1
            shape = bytearray(case.entry)
            shape[16:24] = self.fence.to_bytes(8, "little")
            entries.append(bytes(shape))
        fence = self.fence
        entries.append(self._buffer(ring, command("fill", 64, 0xBEEF, dst=place), 0x2000))
        for number, content in enumerate(entries):
            world.poke_bytes(SYSTEM, RINGS[ring] + 32 * number, content)

        # Each byte that the failing command may write may have its old or its new value.
        before = {target: memory.copy() for target, memory in model.memories.items()}
        if case.refuse:
            memory, kind, start, end = case.refuse
            getattr(gpu.memory_of(memory), "refuse_" + kind).append((start, end))
        if case.tail is not None:
            await gpu.write("ring.tail", ring, index=case.tail)
        else:
            await gpu.write("ring.tail", ring, index=len(entries))
        for _ in range(500):
            status = await gpu.fields("ring.status", ring)
            if status["error"]:
                break
            await gpu.cycles(10)
        assert status["error"], f"no error: {status}"
        await gpu.until_register("fault_queue_tail", index=(self.sequence + 1) % 16, patience=200)

        done_before = 0 if case.first else 1
        self.completed[ring] += done_before
        told = await gpu.read("ring.error_command", ring)
        where = await gpu.read("ring.error_address", ring)
        record = RECORDS.unpack("fault_record.what", gpu.host.bytes.word(FAULTS + 32 * (self.sequence % 16)))
        failed = {"reason": fault_name(status["reason"]), "access": status["access"], "level": status["level"],
                  "fence": status["fence"], "offset": told & 0xFFFFFFFF, "header": told >> 32, "address": where,
                  "space": record["space"], "port": record["port_index"], "physical": record["physical"]}
        header = case.header if case.header is not None or case.words is None else \
            (case.words[0] | RECORDS.pack("command_header.word", wait_writes=1)) & 0xFFFFFFFF
        wanted = {"reason": case.reason, "access": None if case.access is None else ACCESS[case.access], "level": case.level,
                  "fence": 0 if case.name == "SLVERR on a ring entry" else fence if case.tail is None else None, "offset": case.offset if case.tail is None else None,
                  "header": header, "address": case.address, "space": case.space, "port": case.port, "physical": case.physical}
        self.log(f"{case.name}: {failed}")
        wrong = {key: (failed[key], value) for key, value in wanted.items() if value is not None and failed[key] != value}
        assert not wrong, f"(got, expected): {wrong}"
        assert status["preempted"] == 0
        busy = [status["busy"], (await gpu.fields("ring.status", ring))["busy"]]
        assert not busy[1], f"busy beside error: {busy}"
        assert record["reason"] == status["reason"] and record["access"] == status["access"]
        assert record["level"] == status["level"] and record["fence"] == status["fence"]
        at = FAULTS + 32 * (self.sequence % 16)
        assert gpu.host.bytes.word(at + 8) == where
        assert 0 < gpu.host.bytes.word(at + 16) <= gpu.now
        assert gpu.host.bytes.word(at + 24) & 0xFFFFFFFF == self.sequence
        self.sequence += 1
        await gpu.write("fault_queue_head", index=self.sequence % 16)
        causes = await gpu.fields("int_status")
        assert causes["ring_error"] and causes["fault"] and not causes["fence"], causes
        assert gpu.dut.irq_o.value
        await gpu.write_word(REGISTERS.offset("int_status"), 0x3F)
        await gpu.settle()
        assert not gpu.dut.irq_o.value
        assert (await gpu.fields("ring.head", ring))["index"] == done_before
        assert (await gpu.fields("ring.last_fence", ring))["fence"] == (first_fence if done_before else 0)
        if done_before:
            want = RECORDS.pack("fence_record.completion", fence=first_fence, entries=self.completed[ring])
            assert gpu.host.bytes.word(RECORD[ring]) == want, f"fence record {gpu.host.bytes.word(RECORD[ring]):#x}, {want:#x}"
        self._allow(case, before)
        assert not (difference := world.difference()), difference

        # check that the ring works again
        for memory in gpu.memories.values():
            memory.refuse_reads, memory.refuse_writes = [], []
        await gpu.write("ring.ctrl", ring, size_lg2=SIZE_LG2, enable=0, privileged=ring)
        await gpu.write("ring.tail", ring, index=0)
        world.poke_bytes(SYSTEM, RINGS[ring], self._buffer(ring, fill(), 0x3000))
        await gpu.write("ring.ctrl", ring, size_lg2=SIZE_LG2, enable=1, privileged=ring)
        status = await gpu.read("ring.status", ring)
        assert status == 0, f"the status of a ring enabled again is {status:#x}"
        assert (await gpu.fields("ring.head", ring))["index"] == 0
        await gpu.write("ring.tail", ring, index=1)
        await gpu.until_register("ring.head", ring, index=1, patience=200)
        await gpu.settle()
        self.completed[ring] = 1  # enabling a ring resets the number of completed entries
        want = RECORDS.pack("fence_record.completion", fence=self.fence, entries=self.completed[ring])
        assert gpu.host.bytes.word(RECORD[ring]) == want, f"fence record {gpu.host.bytes.word(RECORD[ring]):#x}, {want:#x}"
        assert not (difference := world.difference()), difference
        # reset the ring to entry 0
        await gpu.write("ring.ctrl", ring, size_lg2=SIZE_LG2, enable=0, privileged=ring)
        await gpu.write("ring.tail", ring, index=0)
        await gpu.write("ring.ctrl", ring, size_lg2=SIZE_LG2, enable=1, privileged=ring)
        self.completed[ring] = 0

    def _allow(self, case, before):
        model, gpu = self.world.model, self.gpu
        for place, size in case.may_write:
            after = self.world.model
            for target, address, part in after.pieces(place, size, True):
                got = gpu.memory_of(target).bytes.read(address, part)
                model.memories[target].write(address, got)

    def log(self, text):
        cocotb.log.info(text)


@cocotb.test()
@cocotb.parametrize(seed=Report.seeds(3))
async def errors_on_purpose(dut, seed):
    gpu = Gpu(dut, f"errors {seed}")
    with Report("errors_on_purpose", "", seed, gpu) as report:
        await gpu.start()
        world = World(gpu, gpu.rng)
        todo = list(cases(world))
        gpu.rng.shuffle(todo)
        await world.program(SIZE_LG2)
        errors = Errors(gpu, world)
        for case in todo:
            report.note(f"at: {case.name}")
            for memory in gpu.memories.values():
                memory.manner = random_manner(gpu.rng) if seed > 1 else PROMPT
            if case.cold:  # its tables must not be cached
                await gpu.write("inv_cmd", scope=SCOPE["global"])
                await gpu.until_register("inv_status", busy=0)
            await errors.run(case)
        report.note(f"{len(todo)} errors")
