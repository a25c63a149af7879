// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>

#include "hw/gmmu_regs.h"

namespace gmmu::kmd {

/// An address as commands name it: physical (offset in a target) or virtual (GPU VA in an address
/// space).
struct Place {
  bool physical = false;
  regs::Target target = regs::Target::kSystem;
  uint32_t space = 0;
  uint64_t address = 0;

  static Place Physical(regs::Target target, uint64_t address) { return {true, target, 0, address}; }
  static Place Virtual(uint32_t space, uint64_t address) { return {false, regs::Target::kSystem, space, address}; }
  Place operator+(uint64_t bytes) const { return {physical, target, space, address + bytes}; }
};

/// Appends commands to the free part of a paging buffer and never writes past it.
///
/// Each member writes one command and returns true, or writes nothing and returns false for lack of
/// room. The first command carries the wait bit: an operation begins only after everything earlier
/// in the buffer has been written. Commands of one operation overlap unless Wait() is called
/// between them.
class CommandBuffer {
 public:
  /// `at` is 8-byte aligned; bytes beyond a multiple of 8 stay unused.
  CommandBuffer(void* at, size_t bytes) : words_(static_cast<uint64_t*>(at)), room_(bytes / 8) {}

  /// The next command begins only after all earlier writes are done.
  void Wait() { wait_ = true; }

  [[nodiscard]] bool Nop();
  [[nodiscard]] bool Copy(Place source, Place destination, uint64_t bytes);
  [[nodiscard]] bool Fill(Place destination, uint64_t bytes, uint32_t pattern);
  /// `count` entries from `first` on, each `step` more than the previous one.
  [[nodiscard]] bool TableRepeat(Place destination, uint32_t count, uint64_t first, uint64_t step);
  /// Room for `count` inline entries; the caller fills them. Null: no room.
  [[nodiscard]] uint64_t* TableWrite(Place destination, uint32_t count);
  /// Most inline entries that TableWrite and ApertureList take now.
  uint32_t InlineRoom() const;
  [[nodiscard]] bool ApertureMap(uint32_t page, uint32_t pages, regs::ApertureEntryEntry first);
  [[nodiscard]] uint64_t* ApertureList(uint32_t page, uint32_t pages);
  [[nodiscard]] bool ApertureUnmap(uint32_t page, uint32_t pages, regs::ApertureEntryEntry dummy);
  [[nodiscard]] bool FlushSpace(uint32_t space);
  /// [start, end) of one address space.
  [[nodiscard]] bool FlushRange(uint32_t space, uint64_t start, uint64_t end);
  [[nodiscard]] bool SignalFence(Place destination, uint64_t value, bool interrupt);

  void* end() const { return words_ + used_; }
  size_t bytes_used() const { return used_ * 8; }

 private:
  /// Room for a command of `words`, its header written; null: no room.
  uint64_t* Append(regs::CommandHeaderWord header, size_t words);

  uint64_t* words_;
  size_t room_;
  size_t used_ = 0;
  bool wait_ = true;
};

}  // namespace gmmu::kmd
