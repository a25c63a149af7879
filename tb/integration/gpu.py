# SPDX-License-Identifier: Apache-2.0
"""The GPU on the bench: clock, reset, its two memories, registers, paging buffers and rings as in
docs/integration.md."""
import logging
import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, RisingEdge
from cocotbext.axi import AxiLiteBus, AxiLiteMaster

from axi_memory import PATIENCE, AxiMemory, Broken
from pages import FAULT, OPCODE, RECORDS, REGISTERS, TARGET, command_sizes

VRAM_BYTES = 16 << 20
HOST_BYTES = 1 << 48
SYSTEM, VRAM, APERTURE = TARGET["system"], TARGET["vram"], TARGET["aperture"]
SIZES = command_sizes()


class LiteWatch:
    """Counts requests and responses of an AXI4-Lite port. A response without a request, or a withdrawn one, is an
    error."""

    def __init__(self, name):
        self.name, self.reads, self.writes, self.data, self.stood = name, 0, 0, 0, 0

    def edge(self, seen):
        """{rvalid, bvalid, and the handshakes of r, b, ar, w, aw}."""
        if self.stood & ~(seen >> 5):
            raise Broken(f"{self.name}: {'RB'[self.stood == 1]}VALID was withdrawn")
        self.writes += seen & 1
        self.data += seen >> 1 & 1
        self.reads += seen >> 2 & 1
        if seen >> 5 & 1 and not (self.writes and self.data):
            raise Broken(f"{self.name}: B without a write")
        if seen >> 6 & 1 and not self.reads:
            raise Broken(f"{self.name}: R without a read")
        self.stood = seen >> 5 & ~(seen >> 3) & 3
        if seen >> 3 & 1:
            self.writes, self.data = self.writes - 1, self.data - 1
        self.reads -= seen >> 4 & 1

    def quiet(self):
        return not (self.reads or self.writes or self.data)


class Gpu:
    def __init__(self, dut, seed):
        self.dut = dut
        self.rng = random.Random(seed)
        for name in ("cocotb.gmmu_integration_top.s_reg", "cocotb.gmmu_integration_top.s_win"):
            logging.getLogger(name).setLevel(logging.WARNING)
        self.vram = AxiMemory("vram", dut, random.Random(f"vram {seed}"), VRAM_BYTES)
        self.host = AxiMemory("host", dut, random.Random(f"host {seed}"), HOST_BYTES)
        self.memories = {"vram": self.vram, "host": self.host}
        self.reg = AxiLiteMaster(AxiLiteBus.from_prefix(dut, "s_reg"), dut.clk_i, dut.rst_i)
        self.win = AxiLiteMaster(AxiLiteBus.from_prefix(dut, "s_win"), dut.clk_i, dut.rst_i)
        self._lite = [LiteWatch("s_win"), LiteWatch("s_reg")]
        self.now = 0
        self.each_cycle = lambda: None
        self.halves = False  # registers are sometimes accessed in 32-bit halves

    async def start(self):
        """Step 1 of the bring-up."""
        dut = self.dut
        Clock(dut.clk_i, 10, unit="ns").start()
        dut.bus_master_i.value, dut.silence_i.value, dut.reset_i.value = 1, 0, 0
        dut.vram_bytes_i.value = VRAM_BYTES
        dut.rst_i.value = 1
        for _ in range(3):
            await RisingEdge(dut.clk_i)
        dut.rst_i.value = 0
        for memory in self.memories.values():
            memory.reset()
        cocotb.start_soon(self._play())
        await self.until(lambda: not dut.resetting_o.value, "the reset to end")

    def slow_answers(self):
        """Back-pressure on R and B of the two AXI4-Lite ports."""
        def pauses(rng):
            while True:
                yield rng.random() < 0.5
        for master in (self.reg, self.win):
            master.write_if.b_channel.set_pause_generator(pauses(random.Random(self.rng.random())))
            master.read_if.r_channel.set_pause_generator(pauses(random.Random(self.rng.random())))

    async def _play(self):
        edge = RisingEdge(self.dut.clk_i)
        vram, host, lite = self.vram, self.host, self.dut.lite_seen
        win_watch, reg_watch = self._lite
        while True:
            await edge
            self.now += 1
            vram.edge()
            host.edge()
            seen = lite.value.to_unsigned()
            if seen or reg_watch.stood or win_watch.stood:
                win_watch.edge(seen >> 7)
                reg_watch.edge(seen & 127)
            self.each_cycle()

    async def cycles(self, count):
        for _ in range(count):
            await RisingEdge(self.dut.clk_i)

    async def until(self, condition, what, patience=PATIENCE):
        for _ in range(patience):
            await FallingEdge(self.dut.clk_i)
            if condition():
                return
        raise AssertionError(f"waited {patience} cycles for {what}")

    async def settle(self):
        """Waits until the GPU is idle and every request has a response."""
        parts = {"idle_o": lambda: self.dut.idle_o.value, "m_vram": self.vram.quiet, "m_host": self.host.quiet,
                 **{lite.name: lite.quiet for lite in self._lite}}
        try:
            await self.until(lambda: all(quiet() for quiet in parts.values()), "the GPU to be idle")
        except AssertionError as error:
            raise AssertionError(f"{error}: {[name for name, quiet in parts.items() if not quiet()]} not quiet") from error

    # -- registers
    async def read(self, name, index=0):
        at = REGISTERS.offset(name, index)
        if self.halves and self.rng.random() < 0.3:
            parts = [await self.reg.read(at, 4), await self.reg.read(at + 4, 4)]
        else:
            parts = [await self.reg.read(at, 8)]
        assert all(part.resp == 0 for part in parts), f"{name} answers {[part.resp for part in parts]}"
        return int.from_bytes(b"".join(part.data for part in parts), "little")

    async def fields(self, name, index=0):
        return REGISTERS.unpack(name, await self.read(name, index))

    async def write_word(self, at, value):
        data = value.to_bytes(8, "little")
        if self.halves and self.rng.random() < 0.3:
            answers = [await self.reg.write(at, data[:4]), await self.reg.write(at + 4, data[4:])]
        else:
            answers = [await self.reg.write(at, data)]
        assert all(answer.resp == 0 for answer in answers), f"offset {at:#x} answers {answers}"

    async def write(self, register, index=0, /, **fields):
        await self.write_word(REGISTERS.offset(register, index), REGISTERS.pack(register, **fields))

    async def until_register(self, name, index=0, /, patience=2000, **fields):
        for _ in range(patience):
            got = await self.fields(name, index)
            if all(got[field] == value for field, value in fields.items()):
                return got
            await self.cycles(self.rng.randint(0, 20))
        raise AssertionError(f"waited for {name} {fields}, which is {got}")

    # -- address spaces and rings
    async def set_space(self, number, tables):
        """tables: model.Tables."""
        bits = {f"bits{level}": count for level, count in enumerate(tables.bits)}
        await self.write("space.geometry", number, levels=len(tables.bits), root_entries=tables.root_entries, **bits)
        await self.write("space.root", number, address=tables.root, target=tables.root_target, enable=1)
        await self.until_register("inv_status", busy=0)

    async def set_ring(self, number, base, fence_address, size_lg2, privileged=0, target=SYSTEM):
        await self.write("ring.base", number, address=base, target=target)
        await self.write("ring.fence_address", number, address=fence_address)
        await self.write("ring.tail", number, index=0)
        await self.write("ring.ctrl", number, size_lg2=size_lg2, enable=1, privileged=privileged)

    def memory_of(self, target):
        return {VRAM: self.vram, SYSTEM: self.host}[target]


# -- records
def entry(address, size, fence, space=0, physical=0, target=SYSTEM, irq=0):
    """A ring entry of 32 bytes."""
    words = [address, RECORDS.pack("ring_entry.shape", bytes=size, space=space, physical=physical, target=target, irq=irq),
             RECORDS.pack("ring_entry.completion", fence=fence), 0x5A5A5A5A5A5A5A5A]
    return b"".join(word.to_bytes(8, "little") for word in words)


class Place:
    """The address of an operand: virtual in a space, or physical in a target."""

    def __init__(self, address, space=None, target=None):
        self.address, self.space, self.target = address, space, target

    def header(self, end):
        if self.space is None:
            return {f"{end}_physical": 1, f"{end}_target": self.target}
        return {f"{end}_space": self.space}


def command(name, *operands, src=None, dst=None, **header):
    """The words of a command; `operands` are those other than source and destination."""
    places = [place for place in (src, dst) if place]
    fields = {**(src.header("src") if src else {}), **(dst.header("dst") if dst else {}), **header}
    fields.setdefault("words", 1 + len(places) + len(operands))
    fields.setdefault("opcode", OPCODE[name] if name in OPCODE else 0)
    return [RECORDS.pack("command_header.word", **fields), *(place.address for place in places), *operands]


def as_bytes(words):
    return b"".join(word.to_bytes(8, "little") for word in words)


def pte(page, target, **flags):
    return RECORDS.pack("pte.entry", valid=1, page=page, target=target, **flags)


def fault_name(number):
    return next((name for name, value in FAULT.items() if value == number), str(number))

