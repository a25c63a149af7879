// SPDX-License-Identifier: Apache-2.0
#include "os/kernel/pool.h"

#include <algorithm>
#include <cstring>

#include "os/base/text.h"

namespace gmmu::os {
namespace {

constexpr size_t kArena = size_t{64} << 30;  // reserved address space, not memory
constexpr size_t kAlignment = 16;
constexpr uint8_t kSurrounding = 0xFE;

uint64_t Number(const void* address) { return reinterpret_cast<uint64_t>(address); }

/// Returns the bug check for an invalid free; `why` is its first parameter.
BugCheck BadCaller(uint64_t why, const void* block, uint64_t third, uint64_t fourth, const std::string& cause) {
  return BugCheck(StopCode::kBadPoolCaller, {why, why == 7 ? 0 : Number(block), third, fourth},
                  "ExFreePoolWithTag of " + cause);
}

}  // namespace

std::string Pool::TagName(uint32_t tag) {
  std::string name;
  for (unsigned i = 0; i < 4; ++i) {
    const char c = static_cast<char>(tag >> (8 * i));
    name += c >= ' ' && c <= '~' ? c : '?';
  }
  return name;
}

size_t Pool::BytesOf(const void* block) const {
  const auto found = blocks_.find(static_cast<char*>(const_cast<void*>(block)));
  return found == blocks_.end() || found->second.freed ? 0 : found->second.bytes;
}

Pool::Pool(Ledger& ledger) : ledger_(ledger), base_(Reserve(kArena)), next_(base_) {}

Pool::~Pool() { Release(base_, kArena); }

std::string Pool::NameOf(const Block& block) {
  return "pool block " + TagName(block.tag) + ", which has " + std::to_string(block.bytes) + " bytes";
}

void* Pool::Allocate(size_t bytes, uint32_t tag) {
  const size_t left = static_cast<size_t>(base_ + kArena - next_);
  if (bytes == 0 || bytes > left) return nullptr;
  const size_t pages = (bytes + kPage - 1) / kPage * kPage;
  if (pages + kPage > left || !Open(next_, pages)) return nullptr;
  char* const end = next_ + pages;
  char* const at = end - (bytes + kAlignment - 1) / kAlignment * kAlignment;
  std::memset(next_, kSurrounding, static_cast<size_t>(at - next_));
  std::memset(at + bytes, kSurrounding, static_cast<size_t>(end - at) - bytes);
  next_ = end + kPage;
  blocks_.emplace(at, Block{bytes, pages, tag,
                            ledger_.Open("pool", TagName(tag) + ", " + std::to_string(bytes) + " bytes", "driver",
                                         "ExAllocatePool2")});
  return at;
}

void Pool::Free(void* block, uint32_t tag) {
  char* const at = static_cast<char*>(block);
  const auto found = blocks_.find(at);
  if (found == blocks_.end()) {
    const auto around = Around(at);
    const std::string where = around == blocks_.end()
                                  ? "what is no pool block"
                                  : "byte " + std::to_string(at - around->first) + " of " + NameOf(around->second);
    throw BadCaller(0x46, block, 0, 0, where + ": only what ExAllocatePool2 returned is freed");
  }
  Block& held = found->second;
  if (held.freed) throw BadCaller(7, block, 0, Number(block), NameOf(held) + ": it is freed already");
  if (tag != 0 && held.tag != tag)
    throw BadCaller(0xA, block, held.tag, tag, NameOf(held) + ": the tag of this call is " + TagName(tag));
  CheckSurroundings(at, held, "ExFreePoolWithTag freed it");
  ledger_.Close(held.ticket);
  held.freed = true;
  char* const end = at + (held.bytes + kAlignment - 1) / kAlignment * kAlignment;
  Close(end - held.pages, held.pages);
}

void Pool::Check() const {
  for (const auto& [at, block] : blocks_) {
    if (!block.freed) CheckSurroundings(at, block, "the driver was unloaded, which has not freed it");
  }
}

void Pool::CheckSurroundings(char* at, const Block& block, const char* when) const {
  const auto changed = [&](char* from, char* to, uint64_t why) {
    char* const found = std::find_if(from, to, [](char byte) { return static_cast<uint8_t>(byte) != kSurrounding; });
    if (found == to) return;
    throw BugCheck(StopCode::kSpecialPoolCorruption, {Number(at), Number(found), 0, why},
                   "the driver wrote to byte " + std::to_string(found - at) + " of " + NameOf(block) +
                       "; it was found when " + when);
  };
  char* const end = at + (block.bytes + kAlignment - 1) / kAlignment * kAlignment;
  changed(at + block.bytes, end, 0x24);
  changed(end - block.pages, at, 0x23);
}

/// Returns the block whose pages or guard page contain `address`.
std::map<char*, Pool::Block>::const_iterator Pool::Around(const char* address) const {
  if (address < base_ || address >= next_) return blocks_.end();
  // Blocks are adjacent and ordered by address. Each ends with its guard page.
  return std::find_if(blocks_.begin(), blocks_.end(), [address](const auto& block) {
    return address < block.first + (block.second.bytes + kAlignment - 1) / kAlignment * kAlignment + kPage;
  });
}

std::optional<GuardedMemory::Trespass> Pool::At(const char* address) const {
  const auto around = Around(address);
  if (around == blocks_.end()) return std::nullopt;
  const auto& [at, block] = *around;
  const std::string text = "byte " + std::to_string(address - at) + " of " + NameOf(block);
  if (block.freed) return Trespass{StopCode::kPageFaultInFreedPool, text + " and was freed"};
  return Trespass{StopCode::kPageFaultBeyondPool, text};
}

}  // namespace gmmu::os
