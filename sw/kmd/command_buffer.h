// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>

#include "hw/gmmu_regs.h"

namespace gmmu::kmd {

/// An address in a command. It is either physical (an offset in a target) or virtual (a GPU VA in an address
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

/// Appends commands to the free part of a paging buffer and never writes past its end.
///
/// Each member writes one command and returns true, or writes nothing and returns false if the
/// command does not fit. The first command carries the wait bit, so an operation starts only after
/// all earlier writes of the buffer have completed. Commands of one operation overlap unless Wait()
/// is called between them.
class CommandBuffer {
 public:
  /// `at` must be 8-byte aligned. If `bytes` is not a multiple of 8, the remainder is unused.
  CommandBuffer(void* at, size_t bytes) : words_(static_cast<uint64_t*>(at)), room_(bytes / 8) {}

  /// Makes the next command wait until all earlier writes have completed.
  void Wait() { wait_ = true; }

  [[nodiscard]] bool Nop();
  [[nodiscard]] bool Copy(Place source, Place destination, uint64_t bytes);
  [[nodiscard]] bool Fill(Place destination, uint64_t bytes, uint32_t pattern);
  /// Writes `count` entries. The first is `first`, and each further entry exceeds the previous one
  /// by `step`.
  [[nodiscard]] bool TableRepeat(Place destination, uint32_t count, uint64_t first, uint64_t step);
  /// Reserves `count` inline entries, which the caller fills. Returns null if they do not fit.
  [[nodiscard]] uint64_t* TableWrite(Place destination, uint32_t count);
  /// The maximum number of inline entries for which TableWrite and ApertureList currently have
  /// room.
  uint32_t InlineRoom() const;
  [[nodiscard]] bool ApertureMap(uint32_t page, uint32_t pages, regs::ApertureEntryEntry first);
  [[nodiscard]] uint64_t* ApertureList(uint32_t page, uint32_t pages);
  [[nodiscard]] bool ApertureUnmap(uint32_t page, uint32_t pages, regs::ApertureEntryEntry dummy);
  [[nodiscard]] bool FlushSpace(uint32_t space);
  /// Flushes [start, end) of one address space.
  [[nodiscard]] bool FlushRange(uint32_t space, uint64_t start, uint64_t end);
  [[nodiscard]] bool SignalFence(Place destination, uint64_t value, bool interrupt);

  void* end() const { return words_ + used_; }
  size_t bytes_used() const { return used_ * 8; }

 private:
  /// Appends a command of `words` words and writes its header. Returns null if it does not fit.
  uint64_t* Append(regs::CommandHeaderWord header, size_t words);

  uint64_t* words_;
  size_t room_;
  size_t used_ = 0;
  bool wait_ = true;
};

}  // namespace gmmu::kmd
