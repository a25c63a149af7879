# SPDX-License-Identifier: Apache-2.0
"""A policy in Python: it evicts the least recently used entry, and a walk fetches its line of eight entries.

    ./gmmu replay gen:zipf,footprint=32MiB --engine fast --set policy.file=sim/policy_python/least_recent.py

The class may define any of the methods build, place, fill, prefetch and next; sim/twin/policy.h describes them. For a
method that it does not define, the hardware's decision applies.
"""


class Policy:
    def __init__(self, arguments, seed):
        self.entries = int(arguments or 8)

    def place(self, entries):
        """Returns the index, 0 to len(entries.lines) - 1, at which the new entry is placed; None: the entry is
        dropped."""
        lines = entries.lines
        return min(range(len(lines)), key=lambda way: (lines[way].valid, lines[way].used_ps))

    def fill(self, miss):
        return self.entries
