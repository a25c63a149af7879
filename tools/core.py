#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Puts the files of rtl/files.f into gmmu.core, in their order.

  core.py [--check]

With --check nothing is written: exit status 1 if the file would change. Exit status 1 too if its parameters are not
those of gmmu_gpu_axi, or these not those of gmmu_gpu and IdBits.
"""
import re
import sys

import rtl_sources


def parameters_of(module):
    text = (rtl_sources.ROOT / f"rtl/top/{module}.sv").read_text().partition("#(")[2].partition("\n) (")[0]
    return set(re.findall(r"^  parameter int unsigned (\w+)", text, re.MULTILINE))


def main():
    path = rtl_sources.ROOT / "gmmu.core"
    old = path.read_text()
    files = "".join(f"      - {name}\n" for name in rtl_sources.sources())
    new = re.sub(r"(?:      - rtl/\S+\.sv\n)+", files, old, count=1)
    parameters = parameters_of(rtl_sources.WRAPPER)
    if wrong := sorted(parameters ^ parameters_of(rtl_sources.TOP) ^ {"IdBits"}):
        print(f"rtl/top/gmmu_gpu_axi.sv: parameters differ from those of rtl/top/gmmu_gpu.sv: {', '.join(wrong)}")
        return 1
    named = set(re.findall(r"^  (\w+):\n    datatype: int\n    paramtype: vlogparam", old, re.MULTILINE))
    listed = set(re.findall(r"^      - (\w+)$", old.rpartition("    parameters: &parameters\n")[2], re.MULTILINE))
    wrong = sorted((parameters ^ named) | (named - listed))
    if wrong:
        print(f"gmmu.core: parameters differ from those of rtl/top/gmmu_gpu_axi.sv: {', '.join(wrong)}")
        return 1
    if new == old:
        return 0
    if "--check" in sys.argv[1:]:
        print("gmmu.core does not name the files of rtl/files.f; tools/core.py writes it")
        return 1
    path.write_text(new)
    return 0


if __name__ == "__main__":
    sys.exit(main())
