# SPDX-License-Identifier: Apache-2.0
"""Tests tools/regs/exchange.py: the IP-XACT and SVD files contain the registers of docs/registers.md at their
addresses."""
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as xml

ROOT = pathlib.Path(__file__).resolve().parents[2]


def number(text):
    return int(text.replace("'h", "0x"), 16)


def from_svd(path):
    """Returns {name: offset}; for an array, the offset of its first element."""
    found = {}

    def walk(parent, prefix, base):
        for child in parent:
            if child.tag not in ("register", "cluster"):
                continue
            name = prefix + child.findtext("name").replace("[%s]", "")
            offset = base + int(child.findtext("addressOffset"), 16)
            if child.tag == "cluster":
                walk(child, name + ".", offset)
            else:
                found[name] = offset

    walk(xml.parse(path).find(".//registers"), "", 0)
    return found


def from_ipxact(path):
    space = {"i": "http://www.accellera.org/XMLSchema/IPXACT/1685-2014"}
    found = {}

    def walk(parent, prefix, base):
        for child in parent.findall("i:register", space) + parent.findall("i:registerFile", space):
            name = prefix + child.findtext("i:name", namespaces=space)
            offset = base + number(child.findtext("i:addressOffset", namespaces=space))
            if child.tag.endswith("registerFile"):
                walk(child, name + ".", offset)
            else:
                found[name] = offset

    walk(xml.parse(path).find(".//i:addressBlock", space), "", 0)
    return found


def from_page():
    """Returns {name: offset} of the registers in docs/registers.md, without records."""
    text = (ROOT / "docs/registers.md").read_text()
    return {name: int(offset, 16) for name, offset in
            re.findall(r"^### ([\w.]+) \(0x([0-9A-Fa-f]+)", text[:text.index("## In-memory records")], re.M)}


class Exchange(unittest.TestCase):
    def test_all_three_descriptions_name_the_same_registers(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([sys.executable, ROOT / "tools/regs/exchange.py", folder], check=True,
                           stdout=subprocess.DEVNULL)
            svd, ipxact = from_svd(f"{folder}/gmmu.svd"), from_ipxact(f"{folder}/gmmu.ipxact.xml")
        page = from_page()
        self.assertGreater(len(page), 40)
        self.assertEqual(svd, page)
        self.assertEqual(ipxact, page)


if __name__ == "__main__":
    unittest.main()
