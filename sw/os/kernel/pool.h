// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>

#include "os/guard/guarded_memory.h"
#include "os/base/ledger.h"

namespace gmmu::os {

/// Pool memory of drivers, laid out as Windows' special pool is: each block ends at a page that cannot be touched, and a
/// freed block can never be touched again, because no address is given out twice.
///
/// Where a block is no multiple of 16 bytes, up to 15 bytes lie between its end and that page; what a driver writes
/// there, or in front of the block, is found when the block is freed, or when the driver is unloaded. Bug checks are
/// those of special pool.
class Pool : public GuardedMemory {
 public:
  explicit Pool(Ledger& ledger);
  ~Pool();

  /// Zeros, at a multiple of 16 bytes; null: 0 bytes, or no memory is left.
  void* Allocate(size_t bytes, uint32_t tag);
  /// `tag` 0: whatever it is.
  void Free(void* block, uint32_t tag);
  /// Looks around every block that is not freed.
  void Check() const;
  /// 0: it is no block, or is freed.
  size_t BytesOf(const void* block) const;
  static std::string TagName(uint32_t tag);

 private:
  struct Block {
    size_t bytes;
    size_t pages;  // what can be touched, up to the guard page behind it
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
  std::map<char*, Block> blocks_;  // by their first byte, the freed ones too
};

}  // namespace gmmu::os
