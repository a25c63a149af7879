# SPDX-License-Identifier: Apache-2.0
"""Static timing of the linked netlist before place and route, in seconds: finds registers that are too far apart.

Cell delays are those of speed grade 6 as reported by nextpnr; a wire takes WIRE ns, plus FAN ns for each doubling of
its fan-out. Estimates of the worst path against nextpnr's results: 38.7 ns and 36.2 after placement, 15.0 and 15.2
after routing.
"""
import collections
import json
import math
import re

import config

WIRE, FAN = 0.9, 0.12
LUT, PFUMX, CARRY_IN, CARRY, CARRY_OUT = 0.24, 0.18, 0.45, 0.07, 0.44
FF_OUT, RAM_OUT, DSP, SETUP = 0.52, 5.73, 3.5, 0.1
NETLIST = config.BUILD / f"{config.WRAPPER}.json"
CLOCKS = ("CLK", "CLKA", "CLKB", "WCK")


def register(cell):
    """The register, memory or port that contains a cell; the same for equal instances and all bits."""
    cell = re.sub(r"_(TRELLIS|LUT4|PFUMX|L6MUX|CCU2C|DPR).*|\$.*|\.words\..*|\.\d+\.\d+(_.*)?$", "", cell)
    return re.sub(r"\[\d+\]", "[*]", cell).removeprefix("u_gpu.")


class Netlist:
    """The arcs of a flat netlist: into[net] = [(previous net, cell delay, cell)], starts[net], ends."""

    def __init__(self, path, top):
        cells = json.loads(path.read_text())["modules"][top]["cells"]
        self.kind, self.into, self.starts, self.ends = {}, {}, {}, []
        self.fan, self.free = collections.Counter(), set()
        for name, cell in cells.items():
            if cell["type"] != "$scopeinfo":
                self.kind[name] = cell["type"]
                self.add(name, cell)

    def add(self, name, cell):
        kind, ways = cell["type"], cell["port_directions"]
        pins = {pin: [net for net in nets if isinstance(net, int)] for pin, nets in cell["connections"].items()}
        inputs = {pin: nets for pin, nets in pins.items() if ways[pin] == "input" and pin not in CLOCKS}
        for nets in inputs.values():
            self.fan.update(nets)

        def arcs(outputs, sources):
            for net in pins.get(outputs, ()):
                self.into[net] = [(source, delay, name) for pin, delay in sources for source in pins.get(pin, ())]

        if kind in ("TRELLIS_FF", "DP16KD"):
            for pin, nets in pins.items():
                if ways[pin] == "output":
                    self.starts.update({net: (name, FF_OUT if kind == "TRELLIS_FF" else RAM_OUT) for net in nets})
            self.ends += [(net, name, pin) for pin, nets in inputs.items() for net in nets]
        elif kind == "TRELLIS_DPR16X4":
            arcs("DO", [("RAD", LUT)])
            self.ends += [(net, name, pin) for pin in ("DI", "WAD", "WRE") for net in pins[pin]]
        elif kind == "LUT4":
            arcs("Z", [(pin, LUT) for pin in "ABCD"])
        elif kind in ("PFUMX", "L6MUX21"):
            arcs("Z", [(pin, PFUMX) for pin in inputs])
            self.free.update((name, net) for pin, nets in inputs.items() if pin not in ("C0", "SD") for net in nets)
        elif kind == "CCU2C":
            low, high = [(pin, CARRY_IN) for pin in ("A0", "B0", "C0", "D0")], [(pin, CARRY_IN) for pin in ("A1", "B1", "C1", "D1")]
            arcs("S0", [*low, ("CIN", CARRY_OUT)])
            arcs("S1", [*low, *high, ("CIN", CARRY_OUT)])
            arcs("COUT", [*low, *high, ("CIN", CARRY)])
            self.free.update((name, net) for net in pins.get("CIN", ()))
        else:
            for pin in pins:
                if ways[pin] == "output":
                    arcs(pin, [(source, DSP) for source in inputs])

    def wire(self, net, cell=None):
        return 0.0 if (cell, net) in self.free else WIRE + FAN * math.log2(max(1, self.fan[net]))

    def arrivals(self):
        """({net: ns}, {net: (previous net, cell)}) of the longest path to each net."""
        at, before = {}, {}
        for root in [*self.starts, *self.into]:
            stack = [root]
            while stack:
                net = stack[-1]
                waits = [source for source, _, _ in self.into.get(net, ()) if source not in at] if net not in at else []
                if waits:
                    stack += waits
                    continue
                stack.pop()
                if net in at:
                    continue
                ways = [(at[source] + self.wire(source, cell) + delay, source, cell)
                        for source, delay, cell in self.into.get(net, ())]
                best = max(ways, default=(self.starts.get(net, ("", -1e9))[1], None, None))
                at[net], before[net] = best[0], (best[1:] if best[1] is not None else None)
        return at, before


def paths(netlist):
    """[(ns, LUT levels, from, to, pin)] of the worst path for each pair of registers, the longest first."""
    at, before = netlist.arrivals()
    worst = {}
    for net, cell, pin in netlist.ends:
        delay = at.get(net, -1e9) + netlist.wire(net) + SETUP
        end = (register(cell), pin if pin in ("CE", "LSR") else "")
        if delay > worst.get(end, (0,))[0]:
            worst[end] = (delay, net, pin)
    found = {}
    for (end, _), (delay, net, pin) in worst.items():
        levels = 0
        while before[net]:
            net, cell = before[net]
            levels += netlist.kind[cell] == "LUT4"
        pair = (register(netlist.starts[net][0]) if net in netlist.starts else "", end)
        if delay > found.get(pair, (0,))[0]:
            found[pair] = (delay, levels, *pair, pin)
    return sorted(found.values(), reverse=True)


def table(pattern="", most=20):
    """Printable lines: the worst paths whose "from -> to" matches `pattern`."""
    found = [path for path in paths(Netlist(NETLIST, config.WRAPPER))
             if re.search(pattern, f"{path[2]} -> {path[3]}")]
    limit = 1000 / config.TARGET_MHZ
    late = sum(path[0] > limit for path in found)
    lines = [f"estimate before placement: {late} of {len(found)} pairs of registers are further apart than {limit:.1f} ns",
             "    ns LUTs  from -> to"]
    return lines + [f"  {delay:4.1f}  {levels:3}  {start} -> {end}.{pin}" for delay, levels, start, end, pin in found[:most]]
