# SPDX-License-Identifier: Apache-2.0
"""Function-level resets in the middle of copies, with memories that respond late, during register and window
accesses."""
import random

import cocotb

from axi_memory import Manner
from gpu import SYSTEM, VRAM, Gpu, as_bytes, command, entry
from model import PAGE
from pages import REGISTERS
from report import Report
from world import BUFFERS, DATA, DATA_PAGES, RECORD, RINGS, World, physical, virtual

RESETS = 5
BYTES = 6 * PAGE               # bytes of the first copy
SCRATCH = 0xE00000             # VRAM that only the window uses
LONGEST = 30000                # longest reset in cycles: 4,096 per generation, plus the memories' delays


def late(rng):
    """Memories that respond after a reset has timed out, as often as before it."""
    return Manner(ready=rng.choice([3, 30, 100]), least=1, most=rng.choice([100, 5000, 9000]), answer=rng.choice([20, 100]),
                  any_order=True, aw_waits=rng.random() < 0.2)


class Visitor:
    """Accesses one after the other, each with its response; registers and window have separate tasks."""

    def __init__(self, gpu, rng):
        self.gpu, self.rng, self.count, self.stop = gpu, rng, 0, False
        self.words = {SCRATCH + 8 * number: gpu.vram.bytes.word(SCRATCH + 8 * number) for number in range(64)}
        self.unsure = set()  # window offsets whose write got SLVERR: it may have taken effect
        self._tasks = [cocotb.start_soon(self._registers()), cocotb.start_soon(self._window())]

    async def end(self):
        self.stop = True
        for task in self._tasks:
            await task

    async def _registers(self):
        gpu, rng = self.gpu, self.rng
        while not self.stop:
            if rng.random() < 0.3:
                answer = await gpu.reg.write(REGISTERS.offset("inv_start"), rng.randbytes(8))
            else:
                name = rng.choice(["id", "ring.status", "cycle"])
                answer = await gpu.reg.read(REGISTERS.offset(name), 8)
                assert name != "id" or answer.data[:4] == b"GMMU"
            assert answer.resp == 0
            self.count += 1
            await gpu.cycles(rng.choice([1, 1, 5, 40]))

    async def _window(self):
        gpu, rng = self.gpu, self.rng
        while not self.stop:
            offset = rng.choice(list(self.words))
            if rng.random() < 0.5:
                value = rng.getrandbits(64)
                answer = await gpu.win.write(offset, value.to_bytes(8, "little"))
                if answer.resp == 0:
                    self.words[offset] = value
                    self.unsure.discard(offset)
                else:
                    self.unsure.add(offset)
            else:
                answer = await gpu.win.read(offset, 8)
                if answer.resp == 0 and offset not in self.unsure:
                    got = int.from_bytes(answer.data, "little")
                    assert got == self.words[offset], f"window {offset:#x} gives {got:#x}, not {self.words[offset]:#x}"
            self.count += 1
            await gpu.cycles(rng.choice([1, 1, 5, 40]))


class Life:
    """A GPU between two resets: it is programmed, and copies."""

    def __init__(self, gpu, world, rng):
        self.gpu, self.world, self.rng = gpu, world, rng

    async def begin(self, fence):
        """Starts a copy of BYTES between host memory and VRAM, misaligned by 4 more bytes; returns the expected
        command."""
        gpu, world, rng = self.gpu, self.world, self.rng
        await world.program()
        source, target = rng.choice([(VRAM, SYSTEM), (SYSTEM, VRAM)])
        src = physical(source, DATA[source] + rng.randrange(8))
        dst = physical(target, DATA[target] + DATA_PAGES // 2 * PAGE + rng.randrange(8))
        copies = [(src, dst, BYTES - 16)]
        space = world.spaces[0]
        copies.append((virtual(space, space.buffers), virtual(space, space.large) if space.large else dst, 2 * PAGE))
        words = [word for src, dst, size in copies for word in command("copy", size, src=src, dst=dst, wait_writes=1)]
        at = BUFFERS[SYSTEM] + 7 * PAGE
        world.poke_bytes(SYSTEM, at, as_bytes(words))
        world.poke_bytes(SYSTEM, RINGS[1], entry(at, 8 * len(words), fence, physical=1, target=SYSTEM, irq=1))
        await gpu.write("ring.tail", 1, index=1)
        return copies


@cocotb.test()
@cocotb.parametrize(seed=Report.seeds(3))
async def reset_in_the_middle_of_a_copy(dut, seed):
    gpu = Gpu(dut, f"reset {seed}")
    with Report("reset_in_the_middle_of_a_copy", "", seed, gpu) as report:
        await gpu.start()
        if seed % 2:
            gpu.slow_answers()
        rng = random.Random(f"resets {seed}")
        world = World(gpu, rng, spaces=1)
        life = Life(gpu, world, rng)
        late_answers = cut = accesses = 0
        for fence in range(1, RESETS + 1):
            for memory in gpu.memories.values():
                memory.manner = Manner(ready=80, least=1, most=60, any_order=True)
            await life.begin(fence)
            visitor = Visitor(gpu, random.Random(f"visitor {seed} {fence}"))
            for memory in gpu.memories.values():
                memory.manner = late(rng)
            await gpu.cycles(rng.randint(1, rng.choice([50, 400, 3000])))

            for _ in range(rng.choice([1, 1, 2])):  # the second pulse may come at any time
                dut.reset_i.value = 1
                await gpu.cycles(1)
                dut.reset_i.value = 0
                await gpu.cycles(rng.choice([1, 30, 5000]))
            await gpu.until(lambda: not dut.resetting_o.value, "the reset to end", LONGEST)
            late_answers += gpu.vram.in_flight() + gpu.host.in_flight()
            await gpu.cycles(rng.randint(0, 200))
            await visitor.end()
            accesses += visitor.count

            # Registers have their reset values, the GPU starts nothing by itself, and late
            # responses have no effect.
            for name in ("ctrl", "int_enable", "int_status", "ring.base", "ring.ctrl", "ring.tail", "ring.head", "ring.status",
                         "fault_queue_size", "space.root", "aperture_pages", "window_base"):
                assert await gpu.read(name, 1 if name.startswith(("ring", "space")) else 0) == 0, f"{name} after a reset"
            cut += gpu.host.bytes.word(RECORD[1]) & 0xFFFFFFFF != fence
            # Each byte that the copy may have written has its old or its new value, and the model
            # adopts it. First, the memories finish the old writes: no id orders an old write with
            # one that is issued after the reset, so a write that was delayed further could
            # overwrite the newer one.
            for target, name in ((VRAM, "vram"), (SYSTEM, "host")):
                gpu.memories[name].finish_writes()
                world.model.memories[target] = gpu.memories[name].bytes.copy()

            # check operation after the reset, while responses to requests from before the reset may still be
            # outstanding
            for memory in gpu.memories.values():
                memory.manner = Manner(ready=rng.choice([40, 90]), least=1, most=rng.choice([20, 300]), answer=80, any_order=True)
            gpu.host.bytes.write(RECORD[1], bytes(16))
            copies = await life.begin(0x1000 + fence)
            for src, dst, size in copies:
                world.model.copy(src, dst, size)
            await gpu.until_register("ring.head", 1, index=1, patience=4000)
            assert gpu.host.bytes.word(RECORD[1]) == 1 << 32 | 0x1000 + fence
            await gpu.write_word(REGISTERS.offset("int_status"), 0x3F)
            await gpu.settle()
            assert not (difference := world.difference(buffers=False)), difference
            # reset the idle GPU, so that the next round starts from the reset state
            dut.reset_i.value = 1
            await gpu.cycles(1)
            dut.reset_i.value = 0
            await gpu.cycles(1)
            await gpu.until(lambda: not dut.resetting_o.value, "the reset to end", LONGEST)
        report.note(f"{RESETS} resets, {cut} copies cut, {late_answers} late answers, {accesses} accesses")
        assert late_answers, "no memory answered late"
