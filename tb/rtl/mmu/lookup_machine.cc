// SPDX-License-Identifier: Apache-2.0
#include "lookup_machine.h"

namespace gmmu::bench {
namespace {

constexpr uint64_t kBound = 30000;  // maximum number of cycles that a lookup may take
constexpr size_t kRows = 17;        // including the engine's row, which is the last one

}  // namespace

LookupMachine::LookupMachine(unsigned size, uint64_t seed)
    : BlockBench(size, seed), ports_(Ports()), spaces_(Spaces()), l2_(Sets(), Ways()) {
  rows.resize(kRows);
  rows.back().engine = true;
  t.size_i = static_cast<uint8_t>(size);
  t.hold_i = 1;
  Reset();
  // Sweep everything once, as the control block does after reset.
  DriveScope({true});
  for (unsigned i = 0; i < Steps() + 4; ++i) {
    DriveSweep(i);
    BlockBench::Step();
  }
  DriveScope({});
  for (unsigned s = 0; s < Spaces(); ++s) {
    for (unsigned i = 0; i < (Spaces() > 4 ? 4 : 10); ++i) {
      // Areas 2 and 3 consist of large pages.
      const unsigned area = Random(4) == 0 ? 2 + Random(2) : 0;
      pool_.push_back({s, uint64_t{Random(3)} << 16 | uint64_t{area} << 14 | uint64_t{Random(12)} << 4, false});
    }
  }
}

void LookupMachine::Step() {
  if (testing::Test::HasFatalFailure()) return;
  held_ = hold_ ? held_ + 1 : 0;
  t.hold_i = hold_;
  DrivePorts();
  DriveTell();
  DriveRest();
  DriveFill();
  Settle();
  TakeWalks();
  DriveSearch();
  Settle();
  TakeMessages();
  TakePorts();
  TakeRest();
  MoveRows();
  searched_ = Key::Of(t.search_key_o[n]);
  answered_ = answer_;
  count_hit_ += t.count_hit_o[n];
  count_miss_ += t.count_miss_o[n];
  count_merged_ += t.count_merged_o[n];
  count_wc_lookup_ += t.count_wc_lookup_o[n];
  count_wc_hit_ += t.count_wc_hit_o[n];
  quiet_seen_ = t.quiet_o[n];
  Edge();
}

void LookupMachine::Drain() {
  const bool before = quiet;
  quiet = true;
  const auto busy = [this] {
    bool standing = false, rows_busy = false;
    for (const Port& port : ports_) standing |= !port.standing.empty() || port.fresh;
    for (const Row& row : rows) rows_busy |= !row.Free();
    return standing || rows_busy || !lookups_.empty() || !tells_.empty() || !again_.empty() || !restarts_.empty() ||
           fill_;
  };
  for (uint64_t i = 0; busy(); ++i) {
    ASSERT_LT(i, kBound) << lookups_.size() << " lookups are not told";
    Step();
    ASSERT_FALSE(testing::Test::HasFatalFailure());
  }
  Run(LookupLarge::kEntered + 1);
  ASSERT_TRUE(t.idle_o[n]);
  ASSERT_TRUE(t.quiet_o[n]);
  ASSERT_EQ(count_hit_, counts.hits);
  ASSERT_EQ(count_miss_, counts.begins);
  ASSERT_EQ(count_merged_, counts.joins);
  ASSERT_EQ(count_wc_lookup_, counts.starts - counts.causes);
  ASSERT_EQ(count_wc_hit_, counts.pointers);
  quiet = before;
}

void LookupMachine::Invalidate(const LookupScope& scope, const std::optional<LookupSpace>& space) {
  hold_ = true;
  unsigned run = 0;
  for (int i = 0; run < 6; ++i) {
    ASSERT_LT(i, 2000) << "not quiet under hold";
    Step();
    ASSERT_FALSE(testing::Test::HasFatalFailure());
    run = quiet_seen_ && !fill_ && tells_.empty() ? run + 1 : 0;
  }
  dry_ = sweeping_ = true;
  scope_ = scope;
  DriveScope(scope);
  Run(Random(2));
  kill_.valid = 1, t.kill_i = Pack(kill_);
  if (space) {
    t.space_write_i = 1;
    GMMU_STRUCT(gmmu_mmu_lookup_bench, space_row_t) row{};
    row.enable = space->enable;
    row.root = space->root;
    row.root_target = static_cast<uint8_t>(space->target);
    row.root_entries = static_cast<uint16_t>(space->entries);
    row.top = static_cast<uint8_t>(space->levels - 1);
    row.root_shift = static_cast<uint8_t>(space->prepared.root_shift);
    row.root_bits = static_cast<uint8_t>(space->prepared.root_bits);
    for (unsigned l = 0; l < space->levels; ++l) {
      const unsigned pair = space->config.Pairs(l);
      row.shift[l] = static_cast<uint8_t>(space->prepared.shift[l] - pair);
      row.bits[l] = static_cast<uint8_t>(space->config.Bits(l) + pair);
    }
    row.dual = space->config.dual;
    row.has_64k = space->config.Bits(0) >= 4;
    row.bits_64k = static_cast<uint8_t>((space->config.Bits(0) - 4) & 15);
    for (unsigned l = 1; l < 6; ++l) row.keep[l - 1] = space->prepared.keep[l];
    row.beyond = space->prepared.beyond;
    t.space_row_i = Pack(row);
  }
  const std::array<uint64_t, 6> keep = scope.space < Spaces() ? spaces_[scope.space].prepared.keep
                                                              : std::array<uint64_t, 6>{};
  l2_.Sweep(now, scope);
  pointers_.Sweep(now, scope, keep);
  large_.Sweep(scope);
  for (size_t i = 0; i < rows.size(); ++i) {  // Restart the walks within the scope.
    Row& row = rows[i];
    if (!row.busy || row.restarting || (!scope.all && row.key.space != scope.space)) continue;
    row.restarting = true;
    restarts_.push_back({static_cast<unsigned>(i), row.key});
  }
  Step();
  if (space) spaces_[scope.space] = *space;
  kill_.valid = 0, t.kill_i = Pack(kill_);
  t.space_write_i = 0;
  for (unsigned i = 0; i < Steps() + 4; ++i) {
    DriveSweep(i);
    Step();
  }
  hold_ = dry_ = sweeping_ = false;
  released_ = now;
  LookupScope noise;
  noise.all = Chance(50);
  noise.space = Random(64);
  noise.ranged = Chance(50);
  noise.first = rng() & kVpnMask;
  noise.tail = rng() & kVpnMask;
  DriveScope(noise);
  ++counts.kills;
}

void LookupMachine::DriveScope(const LookupScope& scope) {
  kill_.all = sweep_.all = scope.all;
  kill_.space = sweep_.space = t.space_i = static_cast<uint8_t>(scope.space);
  sweep_.ranged = scope.ranged, sweep_.first = scope.first, sweep_.tail = scope.tail;
  t.kill_i = Pack(kill_), t.sweep_i = Pack(sweep_);
}

void LookupMachine::DriveSweep(unsigned step) {
  sweep_.valid = step < Steps(), sweep_.index = static_cast<uint16_t>(step);
  t.sweep_i = Pack(sweep_);
}

void LookupMachine::Fill(const Key& key, unsigned words, uint64_t page) {
  ASSERT_FALSE(fill_);
  fill_ = FillWork{key, words, page};
  for (int i = 0; fill_; ++i) {
    ASSERT_LT(i, 60);
    Step();
    ASSERT_FALSE(testing::Test::HasFatalFailure());
  }
}

void LookupMachine::Pointer(unsigned level, const Key& key, const LookupPointers::Table& table) {
  pointer_ = NewPointer{level, key.space, key.vpn & spaces_[key.space].prepared.keep[level], table};
  Step();
}

LookupSpace LookupMachine::MakeSpace(const std::vector<unsigned>& bits, bool dual) {
  LookupSpace space;
  space.written = space.enable = true;
  space.levels = space.config.levels = static_cast<unsigned>(bits.size());
  for (unsigned l = 0; l < bits.size(); ++l) space.config.bits |= bits[l] << (4 * l);
  space.config.dual = dual && bits[0] >= 4 && bits[1] <= 12;
  space.prepared = Prepare(space.config).value();
  space.root = rng() & kVpnMask;
  space.target = Random(2);
  space.entries = 8192;
  return space;
}

}  // namespace gmmu::bench
