#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Puts the files of rtl/files.f into gmmu.core, in their order.

  core.py [--check]

With --check nothing is written: exit status 1 if the file would change. Its parameters are written by config_pkg.py.
"""
import re
import sys

import rtl_sources


def main():
    path = rtl_sources.ROOT / "gmmu.core"
    old = path.read_text()
    files = "".join(f"      - {name}\n" for name in rtl_sources.sources())
    new = re.sub(r"(?:      - rtl/\S+\.sv\n)+", files, old, count=1)
    if new == old:
        return 0
    if "--check" in sys.argv[1:]:
        print("gmmu.core does not name the files of rtl/files.f; tools/core.py writes it")
        return 1
    path.write_text(new)
    return 0


if __name__ == "__main__":
    sys.exit(main())
