// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "hw/platform.h"
#include "memory/vram.h"
#include "probe/reference_walk.h"

namespace gmmu::sim {

/// A completed lookup, as the event port of the GPU reports it.
struct TranslationEvent {
  unsigned port = 0;
  unsigned space = 0;
  regs::Access access = regs::Access::kRead;
  uint64_t va = 0;
  regs::Fault fault = regs::Fault::kNone;
  unsigned level = 0;  ///< level of the faulting entry
  bool zero = false;
  Gpa gpa;
};

/// A completed invalidation. A root change counts as an invalidation of its space (scope kSpace).
struct InvalidationEvent {
  regs::Scope scope = regs::Scope::kGlobal;
  unsigned space = 0;
  uint64_t start = 0;
  uint64_t end = 0;
};

/// Compares every translation of the GPU with the reference walk.
///
/// A translation is correct if it equals the result of a walk of the tables as they were at some
/// moment in its window. The window begins at the last completed invalidation (or NoteFlush) that
/// covers the address, and ends at the response. Changes of tables in VRAM are recorded write by
/// write. Tables in host memory are compared with the values of their previous read; a difference
/// counts as a change since that read. Writes to space registers take effect when the CPU's write
/// reaches the GPU.
///
/// While tables do not change, a call costs one hash lookup. Calls must be made in order of
/// simulated time.
class TranslationChecker {
 public:
  /// Reads an aligned 8-byte word of host memory at a logical address, as the device would. Returns
  /// nullopt after a bus error.
  using HostReader = std::function<std::optional<uint64_t>(uint64_t address)>;

  /// Observes the writes to `vram`, which must outlive the checker.
  TranslationChecker(unsigned spaces, VramCore& vram, HostReader host);

  void Answered(uint64_t cycle, const TranslationEvent& event);
  void Invalidated(const InvalidationEvent& event);
  /// Observes a CPU write to the GPU's registers (BAR0). `strobe` selects the bytes of `data` that
  /// are written to the 8-byte word at `offset`.
  void RegisterWritten(uint32_t offset, uint64_t data, unsigned strobe);
  /// Requires all later translations of [start, end) of `space` to agree with the present or later
  /// contents of the tables.
  void NoteFlush(unsigned space, uint64_t start, uint64_t end);

  const std::vector<hw::Finding>& findings() const { return findings_; }
  std::vector<hw::Counter> Counters() const;

 private:
  static constexpr unsigned kWalkWords = 8;  ///< six levels, and both halves of the last two

  /// A change of a table word or of a space's configuration, whose value was `old` before moment
  /// `time`.
  struct Change {
    uint64_t time;
    uint64_t key;  ///< see KeyOf
    uint64_t old;
    unsigned config;  ///< nonzero: index + 1 into old_configs_
  };
  /// A write to a VRAM page that is not tracked: until moment `time + i`, the value of word i was
  /// `old_words_[(first + i) % kMostRecent]`.
  struct Write {
    uint64_t time;
    uint64_t address;
    size_t words;
    uint64_t first;  ///< running position of the first old word; modulo kMostRecent it is the index
  };
  /// The memoized walk for a page. It is valid until a table page that the walk read changes.
  struct Memo {
    bool valid = false;
    uint8_t pages = 0;
    uint64_t versions = 0;  ///< sum of the versions of all pages in `page`
    uint32_t page[kWalkWords] = {};
    Translation answer;
  };
  struct Window {
    uint64_t start, end;  ///< addresses
    uint64_t time;
  };
  struct Space {
    SpaceConfig config;
    uint64_t geometry = 0;       ///< as written; takes effect at the next write to root
    uint64_t latch[2] = {0, 0};  ///< low halves written to geometry and root
    uint64_t root = 0;
    uint64_t flushed = 0;       ///< moment of the last flush of the whole space
    std::deque<Window> ranges;  ///< later flushes of address ranges
    std::unordered_map<uint64_t, Memo> memo;
    uint64_t last_key = 0;  ///< key of `last`, the memo of the previous response
    Memo* last = nullptr;
  };

  static constexpr uint64_t kHostTag = uint64_t{1} << 63;
  static uint64_t KeyOf(regs::Target target, uint64_t address) {
    return target == regs::Target::kVram ? address : address | kHostTag;
  }

  struct Free {
    void operator()(void* at) const { std::free(at); }
  };

  void VramWritten(uint64_t address, size_t size);
  void Keep(uint64_t address, size_t words);
  void CommitSpace(unsigned index, uint64_t root);
  void Remember(uint64_t key, uint64_t old, unsigned config);
  std::optional<uint64_t> ReadNow(regs::Target target, uint64_t address);
  std::optional<uint64_t> ReadAt(const std::unordered_map<uint64_t, uint64_t>& past, regs::Target target,
                                 uint64_t address);
  void FollowPage(uint64_t page);
  bool Current(const Memo& memo) const;
  void Fill(Memo& memo, const Space& space, const TranslationEvent& event);
  uint64_t WindowStart(const Space& space, uint64_t va) const;
  bool MatchesThePast(const TranslationEvent& event, uint64_t from);
  void Fail(uint64_t cycle, const TranslationEvent& event, const Translation& expected, uint64_t from);

  VramCore& vram_;
  const HostReader host_;
  std::vector<Space> spaces_;
  uint64_t now_ = 1;      ///< time, counted in moments: every change or flush is one
  uint64_t horizon_ = 0;  ///< changes before this moment were dropped
  const uint64_t pages_;  ///< pages of VRAM
  /// Version by VRAM page; 0 if no walk has read a table in the page. Allocated by calloc, so that
  /// pages of zeros take no host memory.
  std::unique_ptr<uint64_t[], Free> versions_;
  std::deque<Change> changes_;
  std::deque<Write> recent_;                           ///< latest writes to untracked VRAM pages
  std::vector<uint64_t> old_words_;                    ///< ring buffer of the overwritten words
  uint64_t old_next_ = 0;                              ///< running position for the next old words
  std::unordered_map<uint64_t, uint64_t> host_words_;  ///< table words in host memory, as last read
  std::deque<SpaceConfig> old_configs_;
  std::unordered_set<uint64_t> visited_;  ///< words read by the present walk
  bool touched_host_ = false;
  std::vector<hw::Finding> findings_;
  uint64_t answers_ = 0, walks_ = 0, past_ = 0, wrong_ = 0, flushes_ = 0, invalidations_ = 0;
};

}  // namespace gmmu::sim
