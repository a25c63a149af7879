# SPDX-License-Identifier: Apache-2.0
"""AW, W and AR of the two AXI4-Lite ports in every order: half a write blocks neither reads nor the other port."""
import itertools

import cocotb

from axi_memory import random_manner
from gpu import Gpu
from pages import REGISTERS
from report import Report

LONG = 600  # cycles after which a write has certainly completed


async def exchange(gpu, port, order, gap):
    """Makes a write and a read of one address. Their channels start in `order`, `gap` cycles apart."""
    master, at = (gpu.reg, REGISTERS.offset("inv_start")) if port == "s_reg" else (gpu.win, 0x10000)
    channels = {"aw": master.write_if.aw_channel, "w": master.write_if.w_channel, "ar": master.read_if.ar_channel}
    old, new = gpu.rng.randbytes(8), gpu.rng.randbytes(8)
    assert (await master.write(at, old)).resp == 0
    for channel in channels.values():
        channel.pause = True
    write, read = cocotb.start_soon(master.write(at, new)), cocotb.start_soon(master.read(at, 8))
    await gpu.cycles(2)
    begun = set()
    for name in order:
        channels[name].pause = False
        begun.add(name)
        await gpu.cycles(gap)
        if gap == 0 or len(begun) == len(order):
            continue
        if "ar" in begun:
            await gpu.until(read.done, f"the read of {port} in the order {' '.join(order)}")
        if port == "s_win":  # register accesses must not wait for a window write that lacks AW or W
            await gpu.write("int_enable", enable=1)
            assert (await gpu.fields("int_enable"))["enable"] == 1
        else:
            assert (await gpu.win.read(0x20000, 8)).resp == 0
    await gpu.until(lambda: write.done() and read.done(), f"the answers of {port} in the order {' '.join(order)}")
    assert (await write).resp == 0
    answer = await read
    assert answer.resp == 0
    first, last = gap > 0 and order[-1] != "ar", gap == LONG and order[-1] == "ar"  # read precedes, follows
    possible = [value for value, may in ((old, not last), (new, not first)) if may]
    assert bytes(answer.data) in possible, f"{port} in the order {' '.join(order)}: {bytes(answer.data).hex()} of {old.hex()}, {new.hex()}"
    assert bytes((await master.read(at, 8)).data) == new


@cocotb.test()
@cocotb.parametrize(port=["s_reg", "s_win"], seed=Report.seeds(2))
async def halves_of_a_write_in_every_order(dut, port, seed):
    gpu = Gpu(dut, f"orders {port} {seed}")
    with Report("halves_of_a_write_in_every_order", f"port={port}", seed, gpu):
        for memory in gpu.memories.values():
            memory.manner = random_manner(gpu.rng)
        if gpu.rng.random() < 0.5:
            gpu.slow_answers()
        await gpu.start()
        for order in itertools.permutations(("aw", "w", "ar")):
            for gap in (0, 1, 3, LONG):
                await exchange(gpu, port, order, gap)
        await gpu.settle()
