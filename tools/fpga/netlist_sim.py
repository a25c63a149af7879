# SPDX-License-Identifier: Apache-2.0
"""A board's netlist in place of its RTL at the simulated board's pins, for netlist_smoke.py: BUILD/gmmu-board-sim, and
the netlist in the format of tb/netlist/netlist.h. Cells behave as in Yosys' models of the family (share/ecp5); a
setting that is not handled here is an error. Values that the netlist leaves undefined are 0 or 1, drawn from a seed.
"""
import collections
import json
import os
import random
import subprocess

import config
import count
import flow

NETLIST = config.BUILD / f"{config.WRAPPER}.json"
SIMULATOR = config.BUILD / "gmmu-board-sim"
ROOM = config.ROOT / "tb/netlist"
MODES = {"NORMAL": 0, "WRITETHROUGH": 1, "READBEFOREWRITE": 2}
# By cell type: the settings that this program can translate.
KNOWN = {
    "TRELLIS_FF": {"CLKMUX": ("CLK",), "LSRMUX": ("LSR",), "LSRMODE": ("LSR",), "SRMODE": ("LSR_OVER_CE", "ASYNC")},
    "CCU2C": {"INJECT1_0": ("NO",), "INJECT1_1": ("NO",)},
    "TRELLIS_IO": {"DIR": ("BIDIR",)},
    "TRELLIS_DPR16X4": {"WCKMUX": ("WCK",), "WREMUX": ("WRE",)},
    "DP16KD": {"REGMODE_A": ("NOREG",), "REGMODE_B": ("NOREG",), "CLKAMUX": ("CLKA",), "CLKBMUX": ("CLKB",),
               "CSDECODE_A": ("0b000",), "CSDECODE_B": ("0b000",)},
    "MULT18X18D": {name: ("NONE",) for name in ("REG_INPUTA_CLK", "REG_INPUTB_CLK", "REG_PIPELINE_CLK", "REG_OUTPUT_CLK")},
}
ZERO = {"MULT18X18D": ("SIGNEDA", "SIGNEDB", "SOURCEA", "SOURCEB"),
        "DP16KD": ("RSTA", "RSTB", *(f"CS{port}{bit}" for port in "AB" for bit in range(3)))}


def table(function, *inputs):
    """The 32-bit truth table of a function of up to five nets."""
    bits = sum(bool(function(*((row >> i & 1) for i in range(len(inputs))))) << row for row in range(32))
    return f"{bits:x} " + " ".join([*map(str, inputs), *["0"] * (5 - len(inputs))])


class Writer:
    """The lines of one netlist. `inverted` names a LUT4 whose table is inverted, a planted fault."""

    def __init__(self, module, seed, inverted):
        self.chance, self.inverted, self.lines = random.Random(seed), inverted, []
        self.top = 2 + max(bit for cell in module["cells"].values() for bits in cell["connections"].values() for bit in bits
                           if isinstance(bit, int))
        for name, port in module["ports"].items():
            self.lines.append(" ".join(["port", name, *map(self.net, port["bits"])]))
        clock = next(cell["connections"]["CLKOP"] for cell in module["cells"].values() if cell["type"] == "EHXPLLL")
        order = {bit: place for port in module["ports"].values() for place, bit in enumerate(port["bits"])}
        cells = sorted(module["cells"].items(), key=lambda item: order.get(item[1]["connections"].get("B", [None])[0], -1))
        for name, cell in cells:   # pads in the order of the bits of their port
            self.check(name, cell)
            for pin in ("CLK", "WCK"):
                if pin in cell["connections"] and cell["connections"][pin] != clock:
                    raise flow.Failed(f"{name} has another clock than the rest")
            kind = getattr(self, cell["type"].strip("$").lower(), None)
            if kind is None:
                raise flow.Failed(f"netlist_sim.py knows no cell {cell['type']}")
            kind(name, cell, {pin: self.net(bits[0]) for pin, bits in cell["connections"].items() if len(bits) == 1})

    def check(self, name, cell):
        for key, legal in KNOWN.get(cell["type"], {}).items():
            if cell["parameters"].get(key, legal[0]) not in legal:
                raise flow.Failed(f"netlist_sim.py knows no {cell['type']} whose {key} is {cell['parameters'][key]} ({name})")
        for pin in ZERO.get(cell["type"], ()):
            if cell["connections"].get(pin, ["0"]) != ["0"]:
                raise flow.Failed(f"netlist_sim.py knows no {cell['type']} that uses {pin} ({name})")

    def net(self, bit):
        if bit in ("x", "z"):
            return self.chance.choice("01")
        return str(bit)

    def new(self):
        self.top += 1
        return str(self.top)

    def bits(self, text):
        """The bits of a parameter, highest first, as a number."""
        return int("".join(self.chance.choice("01") if bit == "x" else bit for bit in text), 2)

    def add(self, *words):
        self.lines.append(" ".join(map(str, words)))

    def group(self, pins, name, width):
        """The nets of NAME0, NAME1 and so on; an unused output gets its own net."""
        return " ".join(pins[f"{name}{i}"] for i in range(width))

    def scopeinfo(self, name, cell, pins):
        pass

    def lut4(self, name, cell, pins):
        init = self.bits(cell["parameters"]["INIT"]) ^ (0xffff if name == self.inverted else 0)
        self.add("table", pins["Z"], table(lambda a, b, c, d: init >> (a | b << 1 | c << 2 | d << 3) & 1, *(pins[pin] for pin in "ABCD")))

    def pfumx(self, name, cell, pins):
        self.add("table", pins["Z"], table(lambda a, b, c: a if c else b, pins["ALUT"], pins["BLUT"], pins["C0"]))

    def l6mux21(self, name, cell, pins):
        self.add("table", pins["Z"], table(lambda a, b, s: b if s else a, pins["D0"], pins["D1"], pins["SD"]))

    def ccu2c(self, name, cell, pins):
        carry = pins.get("CIN", "0")
        for half in "01":
            init = self.bits(cell["parameters"][f"INIT{half}"])
            inputs = [pins[f"{pin}{half}"] for pin in "ABCD"] + [carry]
            carry = self.new() if half == "0" else pins.get("COUT", "x")

            def lut(a, b, c, d, init=init):
                return init >> (a | b << 1 | c << 2 | d << 3) & 1

            def carried(a, b, c, d, i, init=init):
                return i if lut(a, b, c, d, init) else init >> (a | b << 1) & 1

            if f"S{half}" in pins:
                self.add("table", pins[f"S{half}"], table(lambda a, b, c, d, i, lut=lut: lut(a, b, c, d) ^ i, *inputs))
            if carry.isdigit() and int(carry) > 1:
                self.add("table", carry, table(carried, *inputs))

    def trellis_ff(self, name, cell, pins):
        mux = cell["parameters"]["CEMUX"].strip()
        value = cell["parameters"].get("REGSET", "RESET") == "SET"
        if cell["parameters"].get("SRMODE") == "ASYNC" and pins["LSR"] != "0":
            raise flow.Failed(f"{name} has an asynchronous reset")
        self.add("ff", pins["Q"], pins["DI"], {"1": "1", "0": "0"}.get(mux, pins.get("CE", "1")), int(mux == "INV"), pins["LSR"], int(value))

    def trellis_dpr16x4(self, name, cell, pins):
        wires = [self.net(bit) for pin in ("DO", "RAD", "WAD", "DI") for bit in cell["connections"][pin]]
        self.add("ram16", *wires, pins["WRE"], f"{self.bits(cell['parameters']['INITVAL']):x}")

    def mult18x18d(self, name, cell, pins):
        self.add("mult", self.group(pins, "P", 36), self.group(pins, "A", 18), self.group(pins, "B", 18))

    def dp16kd(self, name, cell, pins):
        settings = cell["parameters"]
        words = ["block", self.bits(settings["DATA_WIDTH_A"]), self.bits(settings["DATA_WIDTH_B"])]
        words += [MODES[settings.get(f"WRITEMODE_{port}", "NORMAL")] for port in "AB"]
        for port in "AB":
            on = pins[f"CE{port}"] if pins[f"CLK{port}"] != "0" else "0"
            words += [on, pins[f"WE{port}"], self.group(pins, f"AD{port}", 14), self.group(pins, f"DI{port}", 18),
                      self.group(pins, f"DO{port}", 18)]
        self.add(*words)
        for number in range(64):
            value = self.bits(settings[f"INITVAL_{number:02X}"])
            for row in range(8):
                word = value >> 40 * row & 0x3ffff | (value >> (40 * row + 20) & 0x3ffff) << 18
                if word:
                    self.add("init", number * 8 + row, f"{word:x}")

    def trellis_io(self, name, cell, pins):
        self.add("pad", pins["I"], pins["T"], pins["O"], pins["B"])

    def oddrx1f(self, name, cell, pins):
        if (pins["D0"], pins["D1"], pins["RST"]) != ("1", "0", "0"):
            raise flow.Failed(f"{name} is no clock for a pin")

    def ehxplll(self, name, cell, pins):
        self.add("table", pins["LOCK"], table(lambda: True))


def module():
    return json.loads(NETLIST.read_text())["modules"][config.WRAPPER]


def write(design, seed, inverted=None):
    """Writes the netlist file, with one LUT inverted or none."""
    path = config.BUILD / "netlist.txt"
    path.write_text("\n".join(Writer(design, seed, inverted).lines) + "\n")
    return path


def luts(design):
    """{block: names of its LUTs}"""
    paths = {path: name for name, found in json.loads((config.BUILD / "blocks.json").read_text()).items() for path in found}
    found = collections.defaultdict(list)
    for name, cell in design["cells"].items():
        if cell["type"] == "LUT4":
            found[paths.get(count.owner(name, paths))].append(name)
    return {block: sorted(names) for block, names in found.items()}


def build():
    """Builds the simulator if it is older than its sources. The simulator reads the netlist when it starts."""
    pins = config.ROOT / "sim/board_pins"
    sources = [*(pins / name for name in ("main.cc", "board_pins.cc", "sdram_chip.cc")), *(ROOM / name for name in ("netlist.cc", "block_ram.cc"))]
    read = [*sources, *ROOM.glob("*.h"), *ROOM.glob("shim/*.h"), *pins.glob("*.h")]
    if SIMULATOR.exists() and all(SIMULATOR.stat().st_mtime > path.stat().st_mtime for path in read):
        return
    root = config.ROOT
    done = subprocess.run([os.environ.get("CXX", "c++"), "-std=c++17", "-O2", f"-I{ROOM}/shim", f"-I{root}/sim", f"-I{root}/sw", f"-I{root}",
                           *map(str, sources), "-lfmt", "-o", str(SIMULATOR)], capture_output=True, text=True)
    if done.returncode != 0:
        raise flow.Failed("the compiler failed:\n" + done.stderr[:2000])
