// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <deque>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "Vgmmu_mmu_lookup_bench.h"
#include "lookup_model.h"
#include "tb/rtl/block_test.h"
#include "tb/rtl/structs.h"

namespace gmmu::bench {

/// Drives gmmu_lookup alone, in place of the ports, the walk table, the fill unit and the control
/// block. Checks every output against the contract at the head of gmmu_lookup.sv and in
/// rtl/mmu/README.md. No check assumes a lookup's latency: an entry that the TLBs held from start
/// to end of a lookup must be found, and one that they held for part of that time may be found.
/// Sizes are numbered as in gmmu_mmu_lookup_bench.
class LookupMachine : public BlockBench<Vgmmu_mmu_lookup_bench> {
 public:
  using Waiter = std::pair<unsigned, unsigned>;  ///< port, slot

  /// The load from the neighbours, in percent per cycle unless stated otherwise.
  struct Load {
    unsigned lookups = 50;  // per port
    unsigned near = 50;     // share of lookups in the line of the previous lookup or next to it
    unsigned rows = 8;      // shared rows; the engine has an extra row
    unsigned latency = 30;  // longest walk, in cycles
    unsigned tells = 100;   // chance that a finished walk offers its next response
    unsigned again = 20;    // share of joined lookups that must be replayed
    unsigned faults = 3;    // share of walks that fault
    unsigned restarts = 0;  // row restarts per thousand cycles
    unsigned fills = 3;
    unsigned pointers = 5;
  };
  struct Row {
    bool engine = false, busy = false, wide = false, restarting = false;
    unsigned closing = 0;  // cycles left until the row is free
    Key key;
    unsigned cause = 0;
    std::optional<Waiter> owner;  // the lookup that began the walk, which is answered first
    std::vector<Waiter> joined;
    uint64_t due = 0;
    bool Free() const { return !busy && closing == 0; }
  };
  struct Lookup {
    Key key;
    uint64_t entered = 0;   // cycle of arrival or of replay
    bool resolved = false;  // the lookup hit, or began or joined a walk
    bool again = false;
    std::optional<bool> close;  // the port's previous lookup was in the same or a neighbouring line
  };
  struct Counts {
    uint64_t lookups = 0, hits = 0, large_hits = 0, must_hits = 0, begins = 0, wide = 0, engine = 0, joins = 0,
             restarts = 0, again = 0, starts = 0, pointers = 0, must_pointers = 0, causes = 0, tells = 0, kills = 0,
             fills = 0;
    std::array<unsigned, 16> cause{};  // number of starts by cause
  };

  LookupMachine(unsigned size, uint64_t seed);

  void Step() override;
  /// Steps, without starting new lookups, until all lookups are complete. Fails after a bounded number of
  /// steps.
  void Drain();
  /// Performs one invalidation of the scope, as the control block does. `space`: the new
  /// configuration of the scope's space, if it changes.
  void Invalidate(const LookupScope& scope, const std::optional<LookupSpace>& space = std::nullopt);

  // For directed tests.
  void Ask(unsigned port, unsigned slot, const Key& key) { ports_[port].standing.push_back({slot, key}); }
  void Fill(const Key& key, unsigned words, uint64_t page);  ///< returns when the entry is in the L2
  void Pointer(unsigned level, const Key& key, const LookupPointers::Table& table);
  LookupSpace MakeSpace(const std::vector<unsigned>& bits, bool dual = false);

  Key SomeKey();
  unsigned Ports() const { return std::array{7u, 2u, 5u}[n]; }
  unsigned Spaces() const { return std::array{16u, 2u, 3u}[n]; }
  unsigned Slots() const { return std::array{32u, 2u, 4u}[n]; }
  unsigned Ways() const { return std::array{4u, 1u, 2u}[n]; }
  unsigned Sets() const { return std::array{8u, 1u, 2u}[n]; }
  unsigned Steps() const { return std::array{16u, 2u, 4u}[n]; }  ///< number of steps of a sweep
  bool IsEngine(unsigned port) const { return port + 3 >= Ports(); }
  /// Returns for how many cycles a walk's response has now been waiting for the bus.
  uint64_t TellWaits() const { return tell_waits_; }

  Load load;
  bool quiet = false;  ///< the machine starts no lookups, fills, pointers or restarts on its own
  Counts counts;
  std::vector<Row> rows;
  bool keep = false;                                  ///< record `ends` and `served`:
  std::vector<Waiter> ends;                           ///< lookups that hit, began or joined a walk
  std::vector<std::pair<uint64_t, unsigned>> served;  ///< ports whose lookups were accepted, with the cycle

 private:
  using Message = GMMU_STRUCT(gmmu_mmu_lookup_bench, msg_t);
  using Start = GMMU_STRUCT(gmmu_mmu_lookup_bench, start_t);
  struct Standing {
    unsigned slot;
    Key key;
  };
  struct Port {
    std::deque<Standing> standing;
    std::optional<Standing> fresh;  // a lookup that is offered for the first time
    std::optional<Key> told;        // key announced in the previous cycle, if by this port
    bool hint = false;              // the announced key belongs to a fresh lookup
    unsigned gap = 0;
    std::optional<uint64_t> line;  // line of the previous lookup
    unsigned line_space = 0;
    std::vector<unsigned> others;  // by port: lookups served since this port's lookup began to wait
    unsigned closed = 0;           // cycles of that wait in which the port was not eligible
  };
  struct Tell {
    Waiter who;
    Key key;
    bool merged;
    uint64_t page;
    unsigned cause;
    bool large;
    unsigned shift;
  };
  struct NewPointer {
    unsigned level, space;
    uint64_t tag;
    LookupPointers::Table table;
  };
  struct Said {
    bool valid;
    Key key;
    uint64_t page;
  };
  struct FillWork {
    Key key;
    unsigned words;
    uint64_t page;
    enum { kProbe, kStands, kWait, kWrite } state = kProbe;
    unsigned word = 0, first = 0, way = 0, present = 0, waited = 0;
    bool evicts = false;
  };
  struct Answer {
    bool hit = false, near = false, free = false, engine = false;
    Key key;
    size_t row = 0;
  };

  void DriveScope(const LookupScope& scope);
  void DriveSweep(unsigned step);  ///< a step number of Steps() or more ends the sweep
  void DrivePorts();
  void DriveTell();
  void DriveRest();
  void WritePointer(const NewPointer& pointer);
  void DriveFill();
  void DriveSearch();
  void TakeWalks();  ///< checks rows that begin, are joined or restart
  void TakeMessages();
  void TakePorts();
  void TakeRest();
  void MoveRows();
  /// Checks the start of a walk. second: the walk is for the 4 KiB half of a pair.
  void StartOf(const Key& key, bool second, uint64_t from);
  void ExpectWide(const Lookup& lookup);
  void Resolve(const Waiter& who, Lookup& lookup);
  Lookup* Find(const Waiter& who, const Key& key);
  uint64_t From(const Lookup& lookup) const { return std::max(lookup.entered, released_); }
  /// Returns whether a restart of this key's walk looks for the 4 KiB half of a pair. The bench
  /// lets the page number's lowest bit decide.
  static bool Second(const Key& key) { return key.vpn % 2 != 0; }
  uint64_t PageFor(const Key& key, bool* large, unsigned* shift);
  std::optional<unsigned> LargeLevel(const Key& key) const;
  std::optional<unsigned> FreeSlot(unsigned port);
  bool SameLine(const Key& a, const Key& b) const {
    return a.space == b.space && a.high == b.high && a.vpn >> 3 == b.vpn >> 3;
  }

  std::vector<Port> ports_;
  std::map<Waiter, Lookup> lookups_;
  std::vector<LookupSpace> spaces_;
  LookupL2 l2_;
  LookupPointers pointers_;
  LookupLarge large_;
  std::deque<Tell> tells_;
  std::deque<std::pair<Waiter, Key>> again_;
  std::deque<std::pair<unsigned, Key>> restarts_;
  // Restarting rows in the pipeline, each with the cycle in which it entered.
  std::deque<std::pair<unsigned, uint64_t>> restarting_;
  std::optional<FillWork> fill_;
  std::optional<Key> searched_;  // key of the previous cycle's search
  std::optional<Answer> answered_, answer_;
  std::optional<NewPointer> pointer_;
  std::deque<Said> said_;  // messages of the last three cycles
  std::vector<Key> pool_;
  unsigned rows_early_ = 0, tell_waits_ = 0;
  uint64_t held_ = 0, released_ = 0;  // cycles of hold so far; cycle in which hold last ended
  uint64_t last_wait_ = 0;            // latest cycle in which a lookup waited for a row
  bool hold_ = false, dry_ = false, sweeping_ = false, tell_stands_ = false, quiet_seen_ = false;
  LookupScope scope_;
  GMMU_STRUCT(gmmu_mmu_lookup_bench, kill_t) kill_ {};
  GMMU_STRUCT(gmmu_mmu_lookup_bench, sweep_t) sweep_ {};
  uint64_t count_hit_ = 0, count_miss_ = 0, count_merged_ = 0, count_wc_lookup_ = 0, count_wc_hit_ = 0;
};

}  // namespace gmmu::bench
