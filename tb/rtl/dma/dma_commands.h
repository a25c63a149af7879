// SPDX-License-Identifier: Apache-2.0
// Paging buffers for the bench: a builder, and a reference model that executes the commands one by one.
#pragma once

#include <cstdint>
#include <vector>

#include "tb/rtl/dma/dma_machine.h"

namespace gmmu::dma {

using regs::CommandHeaderWord;
using regs::Opcode;
using regs::Scope;

/// An address as a command specifies it: physical in a target, or virtual in a space.
struct Place {
  uint64_t address = 0;
  bool physical = false;
  Target target = Target::kSystem;
  unsigned space = 0;
};
inline Place Virtual(unsigned space, uint64_t va) { return {va, false, Target::kSystem, space}; }
inline Place Physical(Target target, uint64_t offset) { return {offset, true, target, 0}; }

/// Builds the words of a paging buffer. Wait sets the wait bit of the next command only.
class Buffer {
 public:
  std::vector<uint64_t> words;

  Buffer& Wait(bool wait = true) { return wait_ = wait, *this; }
  size_t bytes() const { return words.size() * 8; }

  Buffer& Nop(unsigned skip, uint64_t filler = 0xdead) {
    Header(Opcode::kNop, {}, {}, skip + 1);
    words.insert(words.end(), skip, filler);
    return *this;
  }
  Buffer& Copy(Place src, Place dst, uint64_t length) {
    Header(Opcode::kCopy, src, dst, 4);
    return Words({src.address, dst.address, length});
  }
  Buffer& Fill(Place dst, uint64_t length, uint32_t pattern) {
    Header(Opcode::kFill, {}, dst, 4);
    return Words({dst.address, length, pattern});
  }
  Buffer& TableWrite(Place dst, const std::vector<uint64_t>& entries) {
    Header(Opcode::kTableWrite, {}, dst, 2 + entries.size());
    Words({dst.address});
    return Words(entries);
  }
  Buffer& TableRepeat(Place dst, uint32_t count, uint64_t first, uint64_t step) {
    Header(Opcode::kTableRepeat, {}, dst, 5);
    return Words({dst.address, count, first, step});
  }
  Buffer& ApertureMap(uint32_t page, uint32_t pages, uint64_t first) {
    Header(Opcode::kApertureMap, {}, {}, 3);
    return Words({page | uint64_t{pages} << 32, first});
  }
  Buffer& ApertureList(uint32_t page, const std::vector<uint64_t>& entries) {
    Header(Opcode::kApertureList, {}, {}, 2 + entries.size());
    Words({page | uint64_t{entries.size()} << 32});
    return Words(entries);
  }
  Buffer& ApertureUnmap(uint32_t page, uint32_t pages, uint64_t dummy) {
    Header(Opcode::kApertureUnmap, {}, {}, 3);
    return Words({page | uint64_t{pages} << 32, dummy});
  }
  Buffer& Flush(Scope scope, unsigned space, uint64_t start, uint64_t end) {
    Place dst;
    dst.space = space;
    CommandHeaderWord header = Header(Opcode::kFlushTlb, {}, dst, 3);
    words.back() = header.set_scope(scope).raw;
    return Words({start, end});
  }
  Buffer& Signal(Place dst, uint64_t value, bool interrupt = false) {
    CommandHeaderWord header = Header(Opcode::kSignalFence, {}, dst, 3);
    words.back() = header.set_irq(interrupt).raw;
    return Words({dst.address, value});
  }
  Buffer& Words(const std::vector<uint64_t>& more) {
    words.insert(words.end(), more.begin(), more.end());
    return *this;
  }

 private:
  CommandHeaderWord Header(Opcode opcode, Place src, Place dst, unsigned words_count) {
    CommandHeaderWord header;
    header.set_opcode(opcode).set_wait_writes(wait_).set_words(words_count);
    header.set_src_physical(src.physical).set_src_target(src.target).set_src_space(src.space);
    header.set_dst_physical(dst.physical).set_dst_target(dst.target).set_dst_space(dst.space);
    wait_ = false;
    words.push_back(header.raw);
    return header;
  }
  bool wait_ = false;
};

/// The reference model: executes commands on its own copy of the memories, in order and byte by byte.
class Model {
 public:
  Model(const Machine& machine, uint64_t aperture_base)
      : vram(machine.vram), host(machine.host), pages_(machine.pages), aperture_base_(aperture_base) {}

  Memory vram, host;

  /// Executes those commands of the buffer that start before byte `stop`.
  void Execute(const std::vector<uint64_t>& words, uint64_t stop = ~uint64_t{0}) {
    for (size_t at = 0; at < words.size() && 8 * at < stop;) {
      CommandHeaderWord header{words[at]};
      const uint64_t* w = &words[at];
      Place src{w[1], header.src_physical() != 0, header.src_target(), static_cast<unsigned>(header.src_space())};
      Place dst{w[1], header.dst_physical() != 0, header.dst_target(), static_cast<unsigned>(header.dst_space())};
      switch (header.opcode()) {
        case Opcode::kCopy: {
          dst.address = w[2];
          for (uint64_t n = 0; n < w[3]; ++n) Write(dst, n, Read(src, n));
          break;
        }
        case Opcode::kFill:
          for (uint64_t n = 0; n < w[2]; ++n) Write(dst, n, w[3] >> (8 * (n % 4)));
          break;
        case Opcode::kTableWrite:
          for (uint64_t n = 0; n < header.words() - 2; ++n) Write64(dst, 8 * n, w[2 + n]);
          break;
        case Opcode::kTableRepeat:
          for (uint64_t n = 0; n < w[2]; ++n) Write64(dst, 8 * n, w[3] + n * w[4]);
          break;
        case Opcode::kApertureMap:
        case Opcode::kApertureUnmap:
        case Opcode::kApertureList: {
          Place table = Physical(Target::kVram, aperture_base_ + 8 * (w[1] & 0xffffffff));
          for (uint64_t n = 0; n < w[1] >> 32; ++n)
            Write64(table, 8 * n,
                    header.opcode() == Opcode::kApertureList  ? w[2 + n]
                    : header.opcode() == Opcode::kApertureMap ? w[2] + 4096 * n
                                                              : w[2]);
          break;
        }
        case Opcode::kSignalFence: Write64(dst, 0, w[2]); break;
        default: break;
      }
      at += header.words();
    }
  }

 private:
  /// Returns the memory that holds byte `n` of a range, and stores the byte's address in that
  /// memory in `*address`. Returns null for a zero page or a fault.
  Memory* Find(const Place& place, uint64_t n, bool write, uint64_t* address) {
    uint64_t at = place.address + n;
    Target target = place.target;
    if (!place.physical) {
      Page page = Translate(pages_, place.space, at, write);
      if (page.zero || page.fault != Fault::kNone) return nullptr;
      target = page.target;
      at = page.offset | (at & 0xfff);
    }
    if (target == Target::kAperture) {
      uint64_t entry = vram.Read64(aperture_base_ + 8 * (at >> 12));
      at = (entry >> 12 & 0xffffffffff) << 12 | (at & 0xfff);
      target = Target::kSystem;
    }
    *address = at;
    return target == Target::kVram ? &vram : &host;
  }
  uint8_t Read(const Place& place, uint64_t n) {
    uint64_t address;
    Memory* memory = Find(place, n, false, &address);
    return memory ? memory->Read(address) : 0;
  }
  void Write(const Place& place, uint64_t n, uint8_t value) {
    uint64_t address;
    if (Memory* memory = Find(place, n, true, &address)) memory->Write(address, value);
  }
  void Write64(const Place& place, uint64_t n, uint64_t value) {
    for (int i = 0; i < 8; ++i) Write(place, n + i, value >> (8 * i));
  }

  PageMap pages_;
  uint64_t aperture_base_;
};

}  // namespace gmmu::dma
