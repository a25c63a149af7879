# SPDX-License-Identifier: Apache-2.0
"""The bring-up of docs/integration.md, its tables read from the page."""
import cocotb

from axi_memory import PROMPT, Manner, random_manner
from gpu import Gpu
from pages import REGISTERS, bring_up
from report import Report


@cocotb.test()
@cocotb.parametrize(latency=["prompt", "random"], seed=Report.seeds(2))
async def bring_up_of_the_page(dut, latency, seed):
    gpu = Gpu(dut, f"bring-up {seed}")
    with Report("bring_up_of_the_page", f"latency={latency}", seed, gpu):
        memory, registers = bring_up()
        for store in gpu.memories.values():
            store.manner = PROMPT if latency == "prompt" else random_manner(gpu.rng)
        if latency == "random":
            gpu.slow_answers()
        await gpu.start()

        # VRAM is written through the window, host memory directly
        for name, address, value in memory:
            if name == "vram":
                answer = await gpu.win.write(address, value.to_bytes(8, "little"))
                assert answer.resp == 0
                back = await gpu.win.read(address, 8)
                assert back.resp == 0 and int.from_bytes(back.data, "little") == value
            else:
                gpu.host.bytes.set_word(address, value)
        source = gpu.rng.randbytes(0x200)
        gpu.host.bytes.write(0x100000000, source)
        before = gpu.vram.bytes.copy()

        snoops = []
        gpu.host.on_address = lambda kind, at: snoops.append(at.user >> 23 & 1) if at.address >> 32 == 1 else None
        written = []  # data that reached memory, in order
        gpu.host.on_write = lambda address, data: written.append(("host", address, data))
        gpu.vram.on_write = lambda address, data: written.append(("vram", address, data))
        for name, offset, value in registers:
            short, _, rest = name.partition("[")
            assert REGISTERS.offset(short + rest.partition("]")[2], int(rest[:1] or 0)) == offset
            await gpu.write_word(offset, value)
            if name.endswith(".root"):
                await gpu.until_register("inv_status", busy=0)

        await gpu.until(lambda: dut.irq_o.value, "irq_o")
        expected = before.copy()
        expected.write(0x100009, source[3:103])
        assert (where := gpu.vram.bytes.difference(expected)) is None, f"VRAM differs at {where:#x}"
        assert gpu.host.bytes.word(0x30000) == 0x0000000100000001
        assert 0 < gpu.host.bytes.word(0x30008) <= gpu.now
        assert written[-1][:2] == ("host", 0x30000), "the fence record is not the last write"
        assert snoops and not any(snoops), "reads of a coherent page are sent without snoop"
        assert (await gpu.fields("ring.head"))["index"] == 1
        assert (await gpu.fields("ring.status"))["error"] == 0
        assert (await gpu.fields("ring.last_fence"))["fence"] == 1
        assert (await gpu.fields("int_status"))["fence"] == 1
        await gpu.write("int_status", fence=1)
        await gpu.until(lambda: not dut.irq_o.value, "irq_o to fall")
        await gpu.settle()
        assert (await gpu.fields("status"))["idle"] == 1


@cocotb.test()
@cocotb.parametrize(seed=Report.seeds(2))
async def window_writes_keep_their_order(dut, seed):
    """Many concurrent writes to a few words, between reads, on a memory that performs writes of different ids in any
    order."""
    gpu = Gpu(dut, f"window {seed}")
    with Report("window_writes_keep_their_order", "", seed, gpu) as report:
        await gpu.start()
        gpu.vram.manner = Manner(ready=80, least=1, most=60, answer=90, any_order=True)
        together = [0]
        gpu.each_cycle = lambda: together.append(max(together[-1], len(gpu.vram.writes_in_flight())))
        expected = {}
        for _ in range(40):
            writes = []
            for _ in range(gpu.rng.randint(1, 12)):
                offset, value = 8 * gpu.rng.randrange(4), gpu.rng.getrandbits(64)
                expected[offset] = value
                writes.append(gpu.win.init_write(offset, value.to_bytes(8, "little")))
            for write in writes:
                await write.wait()
                assert write.data.resp == 0
            for offset, value in expected.items():
                got = int.from_bytes((await gpu.win.read(offset, 8)).data, "little")
                assert got == value, f"window {offset:#x} gives {got:#x}, not {value:#x}"
        await gpu.settle()
        report.note(f"up to {together[-1]} at once")
        assert together[-1] > 3
