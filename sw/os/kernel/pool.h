// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>

#include "os/guard/guarded_memory.h"
#include "os/base/ledger.h"

namespace gmmu::os {

/// Pool memory of drivers, laid out as in Windows' special pool: an inaccessible page follows each
/// block. A freed block stays inaccessible permanently, because no address is reused.
///
/// If the size of a block is not a multiple of 16 bytes, up to 15 bytes lie between the end of the
/// block and the inaccessible page. A write to these bytes, or before the start of the block, is
/// detected when the block is freed or the driver is unloaded. It triggers the bug checks of
/// special pool.
class Pool : public GuardedMemory {
 public:
  explicit Pool(Ledger& ledger);
  ~Pool();

  /// Returns zeroed memory with 16-byte alignment. Returns null for 0 bytes, or if no memory is
  /// left.
  void* Allocate(size_t bytes, uint32_t tag);
  /// Frees the block. `tag` 0 matches any tag.
  void Free(void* block, uint32_t tag);
  /// Checks the bytes around every allocated block. Triggers a bug check if any of these bytes was overwritten.
  void Check() const;
  /// Returns the size of a block in bytes, or 0 if `block` is not a block or was freed.
  size_t BytesOf(const void* block) const;
  static std::string TagName(uint32_t tag);

 private:
  struct Block {
    size_t bytes;
    size_t pages;  // accessible pages; a guard page follows them
    uint32_t tag;
    Ledger::Ticket ticket;
    bool freed = false;
  };
  static std::string NameOf(const Block& block);
  std::map<char*, Block>::const_iterator Around(const char* address) const;
  void CheckSurroundings(char* at, const Block& block, const char* when) const;
  std::optional<Trespass> At(const char* address) const override;

  Ledger& ledger_;
  char* base_ = nullptr;
  char* next_ = nullptr;
  std::map<char*, Block> blocks_;  // by address of the first byte; includes freed blocks
};

}  // namespace gmmu::os
