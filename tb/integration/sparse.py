# SPDX-License-Identifier: Apache-2.0
"""Bytes at 48-bit addresses, 0 where nothing was written."""


class Sparse:
    def __init__(self):
        self.pages = {}

    def _pieces(self, address, size):
        while size:
            low = address & 0xFFF
            part = min(size, 0x1000 - low)
            yield address >> 12, low, part
            address, size = address + part, size - part

    def read(self, address, size):
        found = bytearray()
        for page, low, part in self._pieces(address, size):
            content = self.pages.get(page)
            found += content[low:low + part] if content else bytes(part)
        return bytes(found)

    def write(self, address, data):
        done = 0
        for page, low, part in self._pieces(address, len(data)):
            content = self.pages.setdefault(page, bytearray(0x1000))
            content[low:low + part] = data[done:done + part]
            done += part

    def word(self, address):
        return int.from_bytes(self.read(address, 8), "little")

    def set_word(self, address, value):
        self.write(address, value.to_bytes(8, "little"))

    def copy(self):
        other = Sparse()
        other.pages = {page: bytearray(content) for page, content in self.pages.items()}
        return other

    def difference(self, other, skip=()):
        """The first address at which the bytes differ, or None; the page numbers in `skip` are ignored."""
        for page in sorted((self.pages.keys() | other.pages.keys()) - set(skip)):
            mine, its = (store.pages.get(page) or bytes(0x1000) for store in (self, other))
            if mine != its:
                return (page << 12) + next(i for i in range(0x1000) if mine[i] != its[i])
        return None
