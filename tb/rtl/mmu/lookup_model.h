// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "tb/rtl/mmu/key.h"
#include "control_model.h"

namespace gmmu::bench {

/// The scope of an invalidation, as a sweep receives it. The sweep widens a range to a larger
/// block, so it may drop more pages.
struct LookupScope {
  bool all = false, ranged = false;
  unsigned space = 0;
  uint64_t first = 0, tail = 0;

  bool Covers(unsigned other, uint64_t low, uint64_t high) const {
    const auto [from, to] = Widened(first, tail);
    return all || (other == space && (!ranged || (low <= to && high >= from)));
  }
};

/// The values of a variable over time, with the cycle of each change. In the cycle of a change,
/// both the old and the new value count.
template <typename T>
class LookupHistory {
 public:
  void Change(uint64_t cycle, std::optional<T> value) { changes_.push_back({cycle, std::move(value)}); }
  std::optional<T> Now() const { return changes_.empty() ? std::nullopt : changes_.back().second; }
  /// Returns all values in [from, to]; nullopt stands for an absent value.
  std::vector<std::optional<T>> During(uint64_t from, uint64_t to) const {
    std::vector<std::optional<T>> values;
    auto at = changes_.rbegin();
    for (; at != changes_.rend() && at->first >= from; ++at) {
      if (at->first <= to) values.push_back(at->second);
    }
    values.push_back(at == changes_.rend() ? std::nullopt : at->second);
    // A lookup may miss an entry that is being written.
    if (values.size() > 1) values.push_back(std::nullopt);
    return values;
  }

 private:
  std::vector<std::pair<uint64_t, std::optional<T>>> changes_;
};

/// The L2 TLB: sets of ways. Each way holds a block of sixteen pages.
class LookupL2 {
 public:
  struct Way {
    unsigned present = 0, space = 0;
    uint64_t block = 0;
    std::array<uint64_t, 16> page{};
  };
  struct Probed {
    unsigned same = 0, empty = 0, present = 0;
  };
  LookupL2(unsigned sets, unsigned ways) : sets_(sets, std::vector<Way>(ways)) {}

  Probed Probe(const Key& key) const {
    Probed probed;
    const auto& set = sets_[SetOf(key.space, key.vpn >> 4)];
    for (size_t w = 0; w < set.size(); ++w) {
      if (set[w].present == 0) {
        probed.empty |= 1u << w;
      } else if (set[w].space == key.space && set[w].block == key.vpn >> 4) {
        probed.same |= 1u << w;
        probed.present = set[w].present;
      }
    }
    return probed;
  }
  void Write(uint64_t cycle, const Key& key, unsigned way, std::optional<uint64_t> page,
             std::optional<unsigned> present) {
    Way& at = sets_[SetOf(key.space, key.vpn >> 4)][way];
    const Way before = at;
    if (page) at.page[key.vpn & 15] = *page;
    if (present) {
      at.present = *present;
      at.space = key.space;
      at.block = key.vpn >> 4;
    }
    Note(cycle, before, page ? std::optional<unsigned>(key.vpn & 15) : std::nullopt);
    Note(cycle, at, std::nullopt);
  }
  void Sweep(uint64_t cycle, const LookupScope& scope) {
    for (auto& set : sets_) {
      for (Way& way : set) {
        const Way before = way;
        if (scope.Covers(way.space, way.block << 4, way.block << 4 | 15)) way.present = 0;
        Note(cycle, before, std::nullopt);
      }
    }
  }
  std::vector<std::optional<uint64_t>> During(const Key& key, uint64_t from, uint64_t to) const {
    const auto found = history_.find({key.space, key.vpn});
    if (found == history_.end()) return {std::nullopt};
    return found->second.During(from, to);
  }
  /// Returns whether any page of the key's line of eight pages was present: always (true), never
  /// (false) or sometimes (nullopt).
  std::optional<bool> Line(const Key& key, uint64_t from, uint64_t to) const {
    bool maybe = false;
    for (uint64_t i = 0; i < 8; ++i) {
      const auto values = During({key.space, (key.vpn & ~uint64_t{7}) | i, false}, from, to);
      if (values.size() == 1 && values[0]) return true;
      maybe |= values.size() > 1;
    }
    return maybe ? std::nullopt : std::optional<bool>(false);
  }

 private:
  size_t SetOf(unsigned space, uint64_t block) const { return (block ^ space) % sets_.size(); }
  /// Records which pages of the block are present. `touched`: a page that was being written.
  void Note(uint64_t cycle, const Way& way, std::optional<unsigned> touched) {
    if (way.present == 0) return;
    for (unsigned sub = 0; sub < 16; ++sub) {
      std::optional<uint64_t> now;
      for (const Way& w : sets_[SetOf(way.space, way.block)]) {
        if (w.space == way.space && w.block == way.block && w.present >> sub & 1) now = w.page[sub];
      }
      auto& history = history_[{way.space, way.block << 4 | sub}];
      if (history.Now() != now || touched == sub) history.Change(cycle, now);
    }
  }
  std::vector<std::vector<Way>> sets_;
  std::map<std::pair<unsigned, uint64_t>, LookupHistory<uint64_t>> history_;
};

/// The level and the index at which a walk starts, or its fault.
struct LookupStart {
  unsigned cause = 0, level = 0;
  uint64_t pfn = 0;
  bool vram = false, index_valid = false;
  unsigned index = 0, shift = 0, bits = 0;
};

/// A space's configuration, with the values that the hardware computes from it.
struct LookupSpace {
  bool written = false, enable = false;
  uint64_t root = 0;
  unsigned target = 0, entries = 0, levels = 0;
  Config config;
  Prepared prepared;

  /// Returns whether a level-1 pointer points to a leaf table of 64 KiB entries. In this model, the
  /// table's address decides.
  bool Names64K(unsigned level, uint64_t pfn) const { return level == 1 && !config.dual && pfn % 2 != 0; }
  /// Returns where a walk starts at the root, or the first fault found there.
  LookupStart Root(const Key& key, bool second) const {
    LookupStart start;
    start.level = written ? levels - 1 : 0;
    if (!enable) return start.cause = 1, start;
    const uint64_t index = key.vpn >> prepared.root_shift;
    if (key.high || (key.vpn & prepared.beyond) != 0) start.cause = 2;
    else if (index >= entries) start.cause = 3;
    else if (target > 1) start.cause = 5;
    if (start.cause != 0) return start;
    start.pfn = root;
    start.vram = target == 1;
    start.index_valid = true;
    start.index = static_cast<unsigned>(config.Pairs(levels - 1) ? index << 1 | !second : index);
    start.shift = prepared.root_shift;
    start.bits = prepared.root_bits;
    return start;
  }
};

/// Pointers that the walk cache may contain. It must contain the pointer that was written last at
/// each level.
class LookupPointers {
 public:
  using Table = std::pair<uint64_t, bool>;  ///< page number, VRAM

  void Write(uint64_t cycle, unsigned level, unsigned space, uint64_t tag, const Table& table, bool surely) {
    history_[{level, space, tag}].Change(cycle, table);
    if (surely && cycle > unsure_[level]) last_[level] = Last{space, tag, cycle};
    else last_[level].reset();
  }
  /// Records that, up to cycle `until`, another pointer may still overwrite a row of the level.
  void Unsure(unsigned level, uint64_t until) {
    last_[level].reset();
    unsure_[level] = until;
  }
  /// Returns whether a search may have found any pointer at `level`.
  bool Any(unsigned level, const Key& key, uint64_t keep) const {
    return history_.count({level, key.space, key.vpn & keep}) != 0;
  }
  bool Knows(unsigned level, unsigned space, uint64_t tag) const {
    const auto found = history_.find({level, space, tag});
    return found != history_.end() && found->second.Now();
  }
  /// `keep` holds the masks of the swept space.
  void Sweep(uint64_t cycle, const LookupScope& scope, const std::array<uint64_t, 6>& keep) {
    for (auto& [where, history] : history_) {
      const auto& [level, space, tag] = where;
      const uint64_t rest = scope.all ? 0 : ~keep[level] & kVpnMask;
      if (!history.Now() || !scope.Covers(space, tag, tag | rest)) continue;
      history.Change(cycle, std::nullopt);
      if (last_[level] && last_[level]->space == space && last_[level]->tag == tag) last_[level].reset();
    }
  }
  /// Returns whether a search in [from, to] may have found this pointer at `level`.
  bool May(unsigned level, const Key& key, uint64_t keep, const Table& table, uint64_t from, uint64_t to) const {
    const auto found = history_.find({level, key.space, key.vpn & keep});
    if (found == history_.end()) return false;
    const auto values = found->second.During(from, to);
    return std::find(values.begin(), values.end(), std::optional<Table>(table)) != values.end();
  }
  /// Returns whether a search from cycle `from` on must have found this key's pointer at `level`.
  bool Must(unsigned level, const Key& key, uint64_t keep, uint64_t from) const {
    const auto& last = last_[level];
    return last && last->space == key.space && last->tag == (key.vpn & keep) && last->cycle < from;
  }

 private:
  struct Last {
    unsigned space;
    uint64_t tag, cycle;
  };
  std::map<std::tuple<unsigned, unsigned, uint64_t>, LookupHistory<Table>> history_;
  std::array<std::optional<Last>, 6> last_;
  std::array<uint64_t, 6> unsure_{};
};

/// Large pages that the walk cache may contain. It must contain the newest one until a pointer of
/// its level is written.
class LookupLarge {
 public:
  struct Entry {
    unsigned space, level, shift;
    uint64_t vpn, page;  // page: the 4 KiB page that the fill gave for vpn
    uint64_t cycle;
    bool operator==(const Entry& o) const {
      return space == o.space && shift == o.shift && vpn >> shift == o.vpn >> shift;
    }
    bool Covers(const Key& key) const { return key.space == space && key.vpn >> shift == vpn >> shift; }
    uint64_t PageOf(const Key& key) const {
      const uint64_t low = ((uint64_t{1} << shift) - 1) << 16;
      return (page & ~low) | (key.vpn << 16 & low);
    }
  };
  static constexpr uint64_t kEntered = 40;  ///< cycles after which a fill was certainly written

  void Fill(const Entry& entry) {
    const bool alone = newest_ + kEntered < entry.cycle;  // A fill is dropped while another one waits.
    newest_ = entry.cycle;
    if (std::find(entries_.begin(), entries_.end(), entry) == entries_.end()) entries_.push_back(entry);
    last_ = alone ? std::optional<Entry>(entry) : std::nullopt;
  }
  /// Records a pointer write at `level`, which may have overwritten the newest large page.
  void Pointer(unsigned level) {
    if (last_ && last_->level == level) last_.reset();
  }
  void Sweep(const LookupScope& scope) {
    const auto drops = [&scope](const Entry& e) {
      const uint64_t rest = (uint64_t{1} << e.shift) - 1;
      return scope.Covers(e.space, e.vpn & ~rest, e.vpn | rest);
    };
    entries_.erase(std::remove_if(entries_.begin(), entries_.end(), drops), entries_.end());
    if (last_ && drops(*last_)) last_.reset();
  }
  bool May(const Key& key, uint64_t page) const {
    return std::any_of(entries_.begin(), entries_.end(),
                       [&](const Entry& entry) { return !key.high && entry.Covers(key) && entry.PageOf(key) == page; });
  }
  /// Returns the level of the large page that a search must find unless it finds a lower-level
  /// pointer.
  std::optional<unsigned> Must(const Key& key, uint64_t from) const {
    if (key.high || !last_ || !last_->Covers(key) || last_->cycle + kEntered >= from) return std::nullopt;
    return last_->level;
  }

 private:
  std::vector<Entry> entries_;
  std::optional<Entry> last_;
  uint64_t newest_ = 0;
};

}  // namespace gmmu::bench
