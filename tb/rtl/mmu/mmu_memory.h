// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "hw/gmmu_regs.h"

namespace gmmu::bench {

/// Table memory that records the history of every word, so that a response can be compared with the
/// tables as they were at any cycle of a window.
///
/// A word that was never written gets its value from `fill` on first use. Words of a poisoned beat
/// are read with a bus error.
class TableMemory {
 public:
  using Key = std::pair<int, uint64_t>;  ///< target, byte address (8-byte aligned)
  std::function<uint64_t(Key)> fill = [](Key) { return uint64_t{0}; };

  uint64_t Read(Key key) { return History(key).back().second; }
  void Write(Key key, uint64_t value, uint64_t cycle) {
    auto& history = History(key);
    if (history.back().second != value) history.emplace_back(cycle, value);
  }
  void Poison(Key key) { poisoned_.insert(key); }
  bool Poisoned(Key key) const { return poisoned_.count(key) != 0; }
  bool Known(Key key) const { return words_.count(key) != 0; }

  /// Returns the values of the word during [from, to].
  std::vector<uint64_t> Values(Key key, uint64_t from, uint64_t to) {
    const auto& history = History(key);
    std::vector<uint64_t> values;
    for (size_t i = 0; i < history.size(); ++i) {
      const bool begins = history[i].first <= to;
      const bool ends = i + 1 < history.size() && history[i + 1].first < from;
      if (begins && !ends) values.push_back(history[i].second);
    }
    return values;
  }

 private:
  std::vector<std::pair<uint64_t, uint64_t>>& History(Key key) {
    auto at = words_.find(key);
    if (at == words_.end()) at = words_.emplace(key, std::vector<std::pair<uint64_t, uint64_t>>{{0, fill(key)}}).first;
    return at->second;
  }
  std::map<Key, std::vector<std::pair<uint64_t, uint64_t>>> words_;
  std::set<Key> poisoned_;
};

}  // namespace gmmu::bench
