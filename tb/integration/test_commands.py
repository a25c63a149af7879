# SPDX-License-Identifier: Apache-2.0
"""Random paging buffers on both rings against the model; memories respond out of order, with random back-pressure."""
import random

import cocotb

from axi_memory import ID_BITS, random_manner
from buffers import Buffer
from gpu import SYSTEM, VRAM, Gpu, entry
from model import PAGE
from pages import RECORDS, REGISTERS, SCOPE
from report import Report
from world import BUFFER_PAGES, BUFFERS, RECORD, RINGS, World, physical, virtual

SIZE_LG2 = 3  # log2 of the number of entries in each ring
BATCHES = 10


class Batches:
    """Lists of ring entries, with the memory contents that each must leave."""

    def __init__(self, gpu, world, rng):
        self.gpu, self.world, self.rng = gpu, world, rng
        self.stale, self.tail, self.done, self.fence, self.last = set(), [0, 0], [0, 0], 0, [0, 0]
        self.expected = [[], []]  # for each ring: (fence, expected memories or None)
        self.commands, self.wrong = 0, None
        self.room = 0  # bytes of paging buffers in this batch
        gpu.host.on_write = self._on_host_write

    def _on_host_write(self, address, data):
        """Called for a fence record: all writes of its entry must be in memory now."""
        if address not in RECORD or self.wrong:
            return
        ring = RECORD.index(address)
        record = RECORDS.unpack("fence_record.completion", int.from_bytes(data[:8], "little"))
        if len(data) != 16 or not self.expected[ring]:
            self.wrong = f"ring {ring}: {len(data)} bytes at its fence address, nothing expected"
            return
        fence, memories = self.expected[ring].pop(0)
        self.done[ring] += 1
        if record != {"fence": fence, "entries": self.done[ring]}:
            self.wrong = f"ring {ring}: fence record {record}, expected fence {fence}, entries {self.done[ring]}"
        elif memories:
            self.world.model.memories, now = memories, self.world.model.memories
            if where := self.world.difference(buffers=False):
                self.wrong = f"ring {ring}, at fence {fence}: {where}"
            self.world.model.memories = now

    async def run(self):
        """One batch: one ring, or both at once in separate areas."""
        rng, gpu, world = self.rng, self.gpu, self.world
        both = rng.random() < 0.2
        rings = [0, 1] if both else [rng.randrange(2)]
        self.room, self.irq = 0, False
        invalidates = bool(self.stale) and (both or rng.random() < 0.3)
        if invalidates:
            await gpu.write("inv_cmd", scope=SCOPE["global"])
            await gpu.until_register("inv_status", busy=0)
            self.stale.clear()
        for ring in rings:
            for _ in range(rng.randint(1, 3)):
                self._entry(ring, [ring] if both else [0, 1], not both)
        for ring in rings:
            await gpu.write("ring.tail", ring, index=self.tail[ring])
        for ring in rings:
            for _ in range(1500):
                status = await gpu.fields("ring.status", ring)
                assert not self.wrong, self.wrong
                assert not status["error"], f"ring {ring} stopped: {status}, {await gpu.fields('ring.error_command', ring)}"
                if not self.expected[ring] and (await gpu.fields("ring.head", ring))["index"] == self.tail[ring]:
                    break
                await gpu.cycles(rng.randint(1, 60))
            else:
                raise AssertionError(f"ring {ring} does not finish: {status}")
        # While MSI is disabled, the interrupt message is held, and the GPU stays busy until the interrupt causes are
        # cleared.
        assert await gpu.read("int_status") == REGISTERS.pack("int_status", fence=int(self.irq), invalidate=int(invalidates))
        assert bool(gpu.dut.irq_o.value) == (self.irq or invalidates)
        await gpu.write("int_status", fence=1, invalidate=1)
        await gpu.settle()
        assert not gpu.dut.irq_o.value
        assert not self.wrong, self.wrong
        assert not (where := world.difference()), where
        for ring in rings:
            assert (await gpu.fields("ring.last_fence", ring))["fence"] == self.last[ring]

    def _entry(self, ring, areas, tables):
        rng, world = self.rng, self.world
        space = rng.choice(world.spaces)
        buffer = Buffer(world, rng, space, ring == 1, self.stale, areas, tables)
        for _ in range(rng.choice([0, 1, 5, 12, 20])):
            buffer.add()
        irq = rng.getrandbits(1)
        self.commands += buffer.commands
        self.irq |= bool(irq or buffer.irq)
        target = rng.choice([None, VRAM, SYSTEM]) if ring == 1 else None
        # Virtual buffers use the same VRAM and host pages as physical buffers, so no two buffers of a batch may
        # overlap.
        start = self.room + 8 * rng.randrange(64)
        self.room = start + len(buffer.bytes)
        assert self.room <= BUFFER_PAGES * PAGE, "a batch has too many bytes of commands"
        place = virtual(space, space.buffers + start) if target is None else physical(target, BUFFERS[target] + start)
        world.poke_at(place, buffer.bytes)
        self.fence += rng.randint(1, 1000)
        shape = {"space": space.number} if target is None else {"physical": 1, "target": target}
        world.poke_bytes(SYSTEM, RINGS[ring] + 32 * self.tail[ring],
                         entry(place.address, len(buffer.bytes), self.fence, irq=irq, **shape))
        self.tail[ring] = (self.tail[ring] + 1) % (1 << SIZE_LG2)
        self.expected[ring].append((self.fence, {target: memory.copy() for target, memory in world.model.memories.items()}
                                    if tables else None))
        self.last[ring] = self.fence


@cocotb.test()
@cocotb.parametrize(seed=Report.seeds(6))
async def random_commands(dut, seed):
    gpu = Gpu(dut, f"commands {seed}")
    with Report("random_commands", "", seed, gpu) as report:
        await gpu.start()
        gpu.halves = True
        if seed % 2:
            gpu.slow_answers()
        world = World(gpu, gpu.rng)
        await world.program(SIZE_LG2)
        batches = Batches(gpu, world, random.Random(f"batches {seed}"))
        for _ in range(BATCHES):
            for memory in gpu.memories.values():
                memory.manner = random_manner(gpu.rng)
            await batches.run()
        outstanding = max(memory.most_outstanding for memory in gpu.memories.values())
        report.note(f"{batches.commands} commands, up to {outstanding} ids at once")
        assert ID_BITS == 16 or outstanding == 1 << ID_BITS, "never have all ids been in use"
        assert (await gpu.fields("fault_queue_tail")) == {"index": 0, "dropped": 0}
