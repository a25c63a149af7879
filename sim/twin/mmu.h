// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "host/sizes_in_use.h"
#include "hw/gmmu_regs.h"
#include "twin/memory.h"
#include "twin/walk.h"

namespace gmmu::sim {

class TranslationChecker;
struct InvalidationEvent;

namespace twin {

class TlbTiming;
struct WalkPlan;

/// The result of an MMU lookup.
struct Translated {
  bool closed = false;  ///< needs a table behind the closed host port: retry when it opens
  regs::Fault fault = regs::Fault::kNone;
  unsigned level = 0;
  bool zero = false, coherent = false;
  regs::Target target = regs::Target::kSystem;
  unsigned adapter = 0;  ///< if `target` is peer
  uint64_t offset = 0;
};

/// The GMMU: spaces, translations and invalidation (docs/page-tables.md, rtl/mmu/README.md).
///
/// Translations and table pointers stay cached until they are flushed, which is as long as any
/// hardware could cache them. Therefore a flush that software omits always has a visible effect.
class Mmu {
 public:
  static constexpr unsigned kPorts = regs::kPortCountersCount;

  Mmu(const Built& built, Memory& memory, TimeModel& time, Agenda& agenda, Counters& counters,
      const PolicyParameters& policy = {});
  ~Mmu();

  unsigned spaces() const { return static_cast<unsigned>(spaces_.size()); }
  /// Passes every completed lookup and invalidation to `checker`, unless it is null.
  void set_checker(TranslationChecker* checker) { checker_ = checker; }

  TlbTiming& timing() const { return *timing_; }
  /// Sets a function that is called after each invalidation and each new geometry or root, so that
  /// stalled ports retry.
  void set_flushed(std::function<void()> then) { flushed_ = std::move(then); }

  /// Translates `va` for `lookups` accesses from one port to the same 4 KiB page, starting at
  /// cost.at. Sets cost.at to the time of the response. Counts the lookups, but counts only one if
  /// they fault.
  Translated Lookup(unsigned port, unsigned space, uint64_t va, regs::Access access, uint64_t lookups, Cost& cost);

  /// Commits geometry and root. If either has changed, flushes the space and returns true.
  bool Configure(unsigned space, regs::SpaceGeometry geometry, regs::SpaceRoot root);
  /// Drops the translations and table pointers that overlap the scope. A range covers [start, end).
  void Invalidate(regs::Scope scope, unsigned space, uint64_t start, uint64_t end);
  /// Returns a number that changes with every invalidation and every new root. Translations from an
  /// earlier epoch may be stale.
  uint64_t epoch() const { return epoch_; }
  /// Returns the time at which an invalidation that starts now is complete: the sweep is done, and
  /// so are all accesses that were translated before it.
  uint64_t InvalidatedAt() const;
  /// Handles a write to sizes_in_use: empties the caches, and applies the sizes if the hardware
  /// supports them.
  void Resize(regs::SizesInUse asked);
  /// Returns the sizes in use.
  const TlbSizes& sizes() const { return sizes_; }
  /// Returns to the reset state: every space is disabled, the caches are empty, and all built sizes
  /// are in use.
  void Reset();

 private:
  struct Space {
    SpaceShape shape;
    regs::SpaceGeometry geometry;
    regs::SpaceRoot root;
    uint64_t spans = 0;                                             ///< bit n: there are entries of 2^n bytes
    std::array<std::unordered_map<uint64_t, Mapping>, 64> entries;  ///< [span_lg2][va >> span_lg2]
    /// Table pointers, indexed by [level of the table][va >> log2 of the bytes that the table
    /// covers].
    std::array<std::unordered_map<uint64_t, TablePlace>, 6> tables;
    std::unordered_map<uint64_t, TablePlace> tables_64k;  ///< level 0 tables of the 64 KiB halves of dual entries
    uint64_t last_page = ~uint64_t{0};                    ///< the page of the last lookup; most lookups repeat it
    const Mapping* last = nullptr;
  };

  /// The position of a walk, which next reads the level-`level` word in `table`.
  struct Position {
    unsigned level = 0;
    TablePlace table;
  };

  static const Mapping* Find(Space& space, uint64_t va);
  /// Returns where a walk that reads `half` of a dual entry starts: at the lowest-level cached
  /// table.
  static Position Start(const Space& space, uint64_t va, Half half);
  bool Search(Space& space, uint64_t va, Mapping& mapping, bool& walks);
  /// Returns false if the host port is closed.
  bool Walk(Space& space, uint64_t va, Mapping& mapping);
  std::optional<std::pair<Mapping, WalkPlan>> Other(const Space& space, uint64_t va) const;
  static WalkPlan PlanOf(const Space& space, uint64_t va, const Mapping& mapping);
  Translated Answer(unsigned port, unsigned space, uint64_t va, regs::Access access, const Mapping& mapping) const;
  void FlushSpace(Space& space);
  void Tell(const InvalidationEvent& event);

  const unsigned va_bits_;
  const TlbSizes built_;
  TlbSizes sizes_ = built_;
  Memory& memory_;
  TimeModel& time_;
  Agenda& agenda_;
  Counters& counters_;
  TranslationChecker* checker_ = nullptr;
  std::function<void()> flushed_;
  std::vector<Space> spaces_;
  uint64_t epoch_ = 0;
  const std::unique_ptr<TlbTiming> timing_;
};

}  // namespace twin
}  // namespace gmmu::sim
