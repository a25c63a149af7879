// SPDX-License-Identifier: Apache-2.0
#include "lookup_machine.h"

#include <gtest/gtest.h>

#include <iostream>
#include <string>

namespace gmmu::bench {
namespace {

constexpr uint64_t kBound = 30000;  // cycles in which every lookup ends
constexpr size_t kRows = 17;        // the last one is the engine's

std::string Name(const LookupMachine::Waiter& who) {
  return "port " + std::to_string(who.first) + " slot " + std::to_string(who.second);
}

}  // namespace

LookupMachine::LookupMachine(unsigned size, uint64_t seed)
    : size_(size),
      seed_(seed),
      random_(seed),
      ports_(Ports()),
      spaces_(Spaces()),
      l2_(Sets(), Ways()) {
  rows.resize(kRows);
  rows.back().engine = true;
  context_.randReset(0);
  context_.assertOn(true);
  top = std::make_unique<Vgmmu_mmu_lookup_bench>(&context_);
  top->size_i = static_cast<uint8_t>(size);
  top->rst_i = 1;
  top->hold_i = 1;
  for (int i = 0; i < 4; ++i) Step();
  top->rst_i = 0;
  // Everything is swept once, as the control block does it.
  top->scope_all_i = 1;
  for (unsigned i = 0; i < Steps() + 4; ++i) {
    top->sweep_valid_i = i < Steps();
    top->sweep_index_i = static_cast<uint16_t>(i);
    top->eval();
    Step();
  }
  top->scope_all_i = 0;
  for (unsigned s = 0; s < Spaces(); ++s) {
    for (unsigned i = 0; i < (Spaces() > 4 ? 4 : 10); ++i) {
      const unsigned area = Random(4) == 0 ? 2 + Random(2) : 0;  // 2, 3: of large pages
      pool_.push_back(
          {s, uint64_t{Random(3)} << 16 | uint64_t{area} << 14 | uint64_t{Random(12)} << 4, false});
    }
  }
}

LookupMachine::~LookupMachine() {
  top->final();
  if (testing::Test::HasFailure()) {
    std::cout << "seed " << seed_ << ", size " << size_ << ", cycle " << cycle << '\n';
  }
}

void LookupMachine::Step() {
  top->clk_i = 1;
  top->eval();
  top->clk_i = 0;
  top->eval();
  ++cycle;
}

void LookupMachine::Cycle() {
  if (testing::Test::HasFatalFailure()) return;
  held_ = hold_ ? held_ + 1 : 0;
  top->hold_i = hold_;
  DrivePorts();
  DriveTell();
  DriveRest();
  DriveFill();
  top->eval();
  TakeWalks();
  DriveSearch();
  top->eval();
  TakeMessages();
  TakePorts();
  TakeRest();
  MoveRows();
  searched_ = Key{top->search_space_o, top->search_vpn_o, top->search_high_o != 0};
  answered_ = answer_;
  count_hit_ += top->count_hit_o;
  count_miss_ += top->count_miss_o;
  count_merged_ += top->count_merged_o;
  count_wc_lookup_ += top->count_wc_lookup_o;
  count_wc_hit_ += top->count_wc_hit_o;
  quiet_seen_ = top->quiet_o;
  Step();
}

// ---- What the world asks.

Key LookupMachine::SomeKey() {
  Key key = pool_[Random(static_cast<unsigned>(pool_.size()))];
  key.vpn |= Random(16);
  if (Chance(10)) key.vpn |= uint64_t{Random(512)} << 27;
  if (Chance(2)) key.space = Random(64);
  key.high = Chance(2);
  return key;
}

std::optional<unsigned> LookupMachine::LargeShift(const Key& key) const {
  const unsigned area = key.vpn >> 14 & 3;
  return area == 2   ? std::optional<unsigned>(9)
         : area == 3 ? std::optional<unsigned>(12)
                     : std::nullopt;
}

uint64_t LookupMachine::PageFor(const Key& key, bool* large, unsigned* shift) {
  const auto of_large = LargeShift(key);
  *large = of_large.has_value();
  *shift = of_large.value_or(0);
  uint64_t page = random_() >> 12 & ~uint64_t{7};
  if (*large) {  // always the same, as tables would say it; the level is 1
    const uint64_t mask = (uint64_t{1} << *shift) - 1;
    page = ((((key.vpn >> *shift) + 77) * 0x9e3779b1 + key.space) & (kVpnMask >> *shift))
               << (*shift + 16) |
           (key.vpn & mask) << 16 | 0x31;
  }
  return page;
}

std::optional<unsigned> LookupMachine::FreeSlot(unsigned port) {
  const unsigned first = Random(Slots());
  for (unsigned i = 0; i < Slots(); ++i) {
    const unsigned slot = (first + i) % Slots();
    bool used = lookups_.count({port, slot}) != 0;
    for (const Standing& other : ports_[port].standing) used |= other.slot == slot;
    if (!used) return slot;
  }
  return std::nullopt;
}

void LookupMachine::DrivePorts() {
  top->lookup_valid_i = top->lookup_hint_i = top->lookup_pending_i = 0;
  for (unsigned p = 0; p < Ports(); ++p) {
    Port& port = ports_[p];
    const uint8_t bit = static_cast<uint8_t>(1u << p);
    port.fresh.reset();
    std::optional<Standing> offer;
    if (!port.standing.empty()) {
      if (port.gap > 0)
        --port.gap;
      else
        offer = port.standing.front();
    } else if (port.hint) {
      if (const auto slot = FreeSlot(p)) {
        Key key = SomeKey();
        if (port.line && Chance(load.near)) {
          key = {port.line_space, (*port.line + Random(3) - 1) << 3 | Random(8), false};
          key.vpn &= kVpnMask;
        }
        offer = port.fresh = Standing{*slot, key};
      }
    }
    const Standing shown =
        offer.value_or(Standing{Random(64), {Random(64), random_() & kVpnMask, Chance(50)}});
    if (offer) top->lookup_valid_i |= bit;
    top->lookup_slot_i[p] = static_cast<uint8_t>(shown.slot);
    top->lookup_space_i[p] = static_cast<uint8_t>(shown.key.space);
    top->lookup_vpn_i[p] = shown.key.vpn;
    top->lookup_high_i[p] = shown.key.high;
    if (!port.standing.empty()) top->lookup_pending_i |= bit;
    port.hint = !quiet && Chance(load.lookups);
    if (port.hint || offer || !port.standing.empty()) top->lookup_hint_i |= bit;
  }
}

void LookupMachine::DriveTell() {
  top->tell_valid_i = !tells_.empty() && (tell_stands_ || Chance(load.tells));
  tell_stands_ = top->tell_valid_i;
  Tell tell{{Random(Ports()), Random(64)},
            SomeKey(),
            Chance(50),
            random_() >> 12,
            Random(16),
            Chance(50),
            Random(36)};
  if (tell_stands_) tell = tells_.front();
  top->tell_port_i = static_cast<uint8_t>(tell.who.first);
  top->tell_slot_i = static_cast<uint8_t>(tell.who.second);
  top->tell_merged_i = tell.merged;
  top->tell_space_i = static_cast<uint8_t>(tell.key.space);
  top->tell_vpn_i = tell.key.vpn;
  top->tell_high_i = tell.key.high;
  top->tell_page_i = tell.page;
  top->tell_cause_i = static_cast<uint8_t>(tell.cause);
  top->tell_large_i = tell.large;
  top->tell_shift_i = static_cast<uint8_t>(tell.shift);
}

void LookupMachine::DriveRest() {
  top->restart_valid_i = !restarts_.empty();
  const auto [row, key] =
      restarts_.empty() ? std::pair<unsigned, Key>(Random(64), SomeKey()) : restarts_.front();
  top->restart_row_i = static_cast<uint8_t>(row);
  top->restart_space_i = static_cast<uint8_t>(key.space);
  top->restart_vpn_i = key.vpn;
  top->restart_high_i = key.high;
  top->restart_second_i = Second(key);

  top->again_valid_i = !again_.empty();
  const auto [who, of] =
      again_.empty() ? std::pair<Waiter, Key>({0, 0}, SomeKey()) : again_.front();
  top->again_port_i = static_cast<uint8_t>(who.first);
  top->again_slot_i = static_cast<uint8_t>(who.second);
  top->again_space_i = static_cast<uint8_t>(of.space);
  top->again_vpn_i = of.vpn;
  top->again_high_i = of.high;

  top->wc_write_i = 0;
  if (pointer_) {
    WritePointer(*pointer_);
    pointer_.reset();
  }
  if (quiet || !Chance(load.pointers)) return;
  const Key at = SomeKey();
  if (at.space >= Spaces() || !spaces_[at.space].written) return;
  const LookupSpace& space = spaces_[at.space];
  const unsigned level = 1 + Random(space.levels - 1);
  const uint64_t tag = at.vpn & space.prepared.keep[level];
  const LookupPointers::Table table{random_() & kVpnMask, Chance(50)};
  // Walks of a swept scope do not go on; of what is written meanwhile some is forgotten.
  const uint64_t rest = ~space.prepared.keep[level] & kVpnMask;
  if (sweeping_ && !top->kill_valid_i &&
      (scope_.Covers(at.space, tag, tag | rest) || pointers_.Knows(level, at.space, tag)))
    return;
  WritePointer({level, at.space, tag, table});
}

void LookupMachine::WritePointer(const NewPointer& pointer) {
  top->wc_write_i = 1;
  top->wc_level_i = static_cast<uint8_t>(pointer.level);
  top->wc_space_i = static_cast<uint8_t>(pointer.space);
  top->wc_tag_i = pointer.tag;
  top->wc_pfn_i = pointer.table.first;
  top->wc_vram_i = pointer.table.second;
  top->wc_k64_i = spaces_[pointer.space].Names64K(pointer.level, pointer.table.first);
  if (top->kill_valid_i) return;  // it is dropped
  pointers_.Write(cycle, pointer.level, pointer.space, pointer.tag, pointer.table, !sweeping_);
}

void LookupMachine::DriveFill() {
  top->probe_valid_i = 0;
  top->probe_space_i = static_cast<uint8_t>(Random(64));
  top->probe_vpn_i = random_() & kVpnMask;
  top->tag_write_i = top->data_write_i = 0;
  if (!fill_ && !quiet && !hold_ && Chance(load.fills)) {
    Key key = SomeKey();
    const Port& port = ports_[Random(Ports())];
    if (port.line && Chance(60)) key = {port.line_space, *port.line << 3 | Random(8), false};
    key.high = false;
    key.space %= Spaces();
    if (!LargeShift(key)) fill_ = FillWork{key, Random(3) == 0 ? 16u : Random(2) == 0 ? 8u : 1u, 0};
  }
  if (!fill_) return;
  if (fill_->state == FillWork::kProbe || fill_->state == FillWork::kStands) {
    top->probe_valid_i = fill_->state == FillWork::kProbe;
    top->probe_space_i = static_cast<uint8_t>(fill_->key.space);
    top->probe_vpn_i = fill_->key.vpn;
    fill_->state = fill_->state == FillWork::kProbe ? FillWork::kStands : FillWork::kWait;
    return;
  }
  if (fill_->state != FillWork::kWrite) return;
  const unsigned word = fill_->word++;
  const bool first = word == 0, last = fill_->word == fill_->words;
  const bool good = fill_->words != 8 || fill_->page != 0 || Chance(80);
  Key key = fill_->key;
  if (fill_->words > 1) key.vpn = (key.vpn & ~uint64_t{fill_->words - 1}) | word;
  const uint64_t page =
      fill_->page != 0 ? fill_->page + (uint64_t{word} << 16) : random_() >> 12 & ~uint64_t{7};
  if (good) fill_->present |= 1u << (key.vpn & 15);
  const unsigned present = last ? fill_->present : 0;
  const bool tag = last || (first && fill_->evicts);
  top->data_write_i = static_cast<uint8_t>(good ? 1u << fill_->way : 0);
  top->tag_write_i = static_cast<uint8_t>(tag ? 1u << fill_->way : 0);
  top->entry_space_i = static_cast<uint8_t>(key.space);
  top->entry_vpn_i = key.vpn;
  top->entry_present_i = static_cast<uint16_t>(present);
  top->entry_page_i = page;
  l2_.Write(cycle, key, fill_->way, good ? std::optional<uint64_t>(page) : std::nullopt,
            tag ? std::optional<unsigned>(present) : std::nullopt);
  if (last) {
    ++counts.fills;
    fill_.reset();
  }
}

/// The walk table's answer to the search of the cycle before; it counts the row that begins now.
void LookupMachine::DriveSearch() {
  Answer answer;
  unsigned free = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    const Row& row = rows[i];
    if (row.Free()) {
      if (row.engine)
        answer.engine = true;
      else
        free += i < load.rows;
      continue;
    }
    if (!searched_ || !SameLine(row.key, *searched_)) continue;
    answer.near = true;
    if (row.busy && (row.wide || row.key.vpn == searched_->vpn) && !answer.hit) {
      answer.hit = true;
      answer.row = i;
    }
  }
  answer.free = free > 0;
  answer.key = searched_.value_or(Key{});
  answer_ = answer;
  top->search_hit_i = answer.hit;
  top->search_near_i = answer.near;
  top->row_free_i = answer.free;
  top->row_engine_i = answer.engine;
  top->rows_early_i = static_cast<uint8_t>(rows_early_);
}

// ---- What comes out.

LookupMachine::Lookup* LookupMachine::Find(const Waiter& who, const Key& key) {
  const auto found = lookups_.find(who);
  if (found == lookups_.end()) {
    ADD_FAILURE() << Name(who) << " has asked nothing";
    return nullptr;
  }
  EXPECT_FALSE(found->second.resolved) << Name(who) << " comes twice";
  EXPECT_EQ(found->second.key.space, key.space) << Name(who);
  EXPECT_EQ(found->second.key.vpn, key.vpn) << Name(who);
  EXPECT_EQ(found->second.key.high, key.high) << Name(who);
  return &found->second;
}

void LookupMachine::Resolve(const Waiter& who, Lookup& lookup) {
  lookup.resolved = true;
  if (keep) ends.push_back(who);
}

void LookupMachine::TakeWalks() {
  ASSERT_LE(top->begin_o + top->join_o + top->restart_o, 1);
  if (dry_) ASSERT_EQ(top->begin_o + top->join_o + top->restart_o, 0) << "under hold, after quiet";
  if (top->count_wc_lookup_o) ASSERT_TRUE(top->begin_o || top->restart_o);
  if (top->restart_o) {
    ASSERT_FALSE(restarting_.empty());
    const auto [row, entered] = restarting_.front();
    restarting_.pop_front();
    ASSERT_EQ(top->restart_row_o, row);
    ASSERT_NO_FATAL_FAILURE(StartOf(rows[row].key, Second(rows[row].key), std::max(entered, released_)));
    rows[row].restarting = false;
    rows[row].cause = top->start_cause_o;
    rows[row].due = cycle + 1 + Random(load.latency);
    ++counts.restarts;
  }
  if (!top->begin_o && !top->join_o) return;
  const Waiter who{top->what_port_o, top->what_slot_o};
  const Key key{top->what_space_o, top->what_vpn_o, top->what_high_o != 0};
  Lookup* lookup = Find(who, key);
  ASSERT_NE(lookup, nullptr);
  ASSERT_TRUE(answered_ && answered_->key == key)
      << "what was searched for is not what begins or joins";
  const auto held = l2_.During(key, From(*lookup), cycle);
  ASSERT_FALSE(!key.high && held.size() == 1 && held[0])
      << Name(who) << ": the L2 has had the page all the time";
  ASSERT_FALSE(large_.Must(key, From(*lookup))) << Name(who) << ": the large array has it";
  if (top->join_o) {
    ASSERT_TRUE(answered_->hit);
    Row& row = rows[answered_->row];
    ASSERT_FALSE(row.Free()) << "the bench has freed a row too early";
    row.joined.push_back(who);
    Resolve(who, *lookup);
    ++counts.joins;
    return;
  }
  ASSERT_FALSE(answered_->hit) << "two walks for a page";
  const bool engine = top->begin_engine_o;
  if (engine) {
    ASSERT_TRUE(IsEngine(who.first) && answered_->engine) << Name(who);
    ++counts.engine;
  } else {
    ASSERT_TRUE(answered_->free) << Name(who);
  }
  // Who waits for a row goes before newcomers.
  bool waits = false;
  const bool newcomer = !lookup->again && cycle - lookup->entered <= 8;
  for (const auto& [other, of] : lookups_) {
    if (of.resolved || other == who) continue;
    waits |= of.again || of.entered + 3 <= cycle;
    if (newcomer && !engine) {
      ASSERT_GT(of.entered + 10, lookup->entered)
          << Name(who) << " goes before " << Name(other) << ", which has waited";
    }
  }
  if (engine && answered_->free && newcomer) {
    ASSERT_TRUE(waits || cycle - last_wait_ < 10)
        << "the engine's row is taken though another is free";
  }
  ASSERT_NO_FATAL_FAILURE(ExpectWide(*lookup));
  ASSERT_NO_FATAL_FAILURE(StartOf(key, false, From(*lookup)));
  size_t at = rows.size() - 1;
  if (!engine) {
    for (at = 0; at < load.rows && !rows[at].Free();) ++at;
  }
  ASSERT_TRUE(at < rows.size() && rows[at].Free()) << "the bench counts rows wrongly";
  rows[at].busy = true;
  rows[at].wide = top->begin_wide_o;
  rows[at].restarting = false;
  rows[at].key = key;
  rows[at].cause = top->start_cause_o;
  rows[at].owner = who;
  rows[at].joined.clear();
  rows[at].due = cycle + 1 + Random(load.latency);
  Resolve(who, *lookup);
  ++counts.begins;
  counts.wide += top->begin_wide_o;
}

void LookupMachine::ExpectWide(const Lookup& lookup) {
  if (lookup.key.high) return;
  const auto line = l2_.Line(lookup.key, From(lookup), cycle);
  const bool must = lookup.close == true || answered_->near || line == true;
  if (must)
    ASSERT_TRUE(top->begin_wide_o)
        << lookup.close.value_or(false) << answered_->near << line.value_or(false);
  if (!must && lookup.close == false && line == false && !lookup.again) {
    ASSERT_FALSE(top->begin_wide_o) << "space " << lookup.key.space << " page " << lookup.key.vpn;
  }
}

void LookupMachine::StartOf(const Key& key, bool second, uint64_t from) {
  const LookupSpace none, &space = key.space < Spaces() ? spaces_[key.space] : none;
  const LookupStart want = space.Root(key, second);
  ++counts.starts;
  ASSERT_EQ(top->start_cause_o, want.cause) << "space " << key.space << " page " << key.vpn;
  ASSERT_EQ(top->count_wc_lookup_o, want.cause == 0);
  if (want.cause != 0) {
    ASSERT_EQ(top->start_level_o, want.level);
    ++counts.causes;
    ++counts.cause[want.cause];
    return;
  }
  ASSERT_EQ(top->start_dual_o, space.config.dual);
  ASSERT_EQ(top->start_has_o, space.config.Bits(0) >= 4);
  ASSERT_EQ(top->start_half_o, !second);
  const unsigned root = space.levels - 1;
  unsigned level = space.levels;  // of the pointer; above the root there is none
  ASSERT_EQ(top->count_wc_hit_o, !top->start_index_valid_o);
  if (top->start_index_valid_o) {
    ASSERT_EQ(top->start_level_o, root);
    ASSERT_EQ(top->start_pfn_o, want.pfn);
    ASSERT_EQ(top->start_vram_o, want.vram);
    ASSERT_EQ(top->start_index_o, want.index);
    ASSERT_EQ(top->start_shift_o, want.shift);
    ASSERT_EQ(top->start_bits_o, want.bits);
  } else {
    level = top->start_level_o + 1;
    ASSERT_LE(level, root);
    ASSERT_TRUE(pointers_.May(level, key, space.prepared.keep[level],
                              {top->start_pfn_o, top->start_vram_o != 0}, from, cycle))
        << "level " << level << " space " << key.space << " page " << key.vpn;
    const bool k64 = space.Names64K(level, top->start_pfn_o);
    const unsigned pair = space.config.Pairs(level - 1);
    ASSERT_EQ(top->start_k64_o, k64);
    ASSERT_EQ(top->start_shift_o, k64 ? 4 : space.prepared.shift[level - 1] - pair);
    ASSERT_EQ(top->start_bits_o, ((k64 ? space.config.Bits(0) - 4 : space.config.Bits(level - 1)) + pair) & 15);
    ASSERT_FALSE(space.config.dual && level == 1 && !second) << "the table of the other half";
    ++counts.pointers;
  }
  for (unsigned l = 1; l <= root; ++l) {
    if (space.config.Pairs(l) && !second) continue;  // pointers of pairs are those of 4 KiB halves here
    const bool must = pointers_.Must(l, key, space.prepared.keep[l], from);
    if (must) ASSERT_LE(level, l) << "space " << key.space << " page " << key.vpn;
    counts.must_pointers += must;
  }
}

void LookupMachine::TakeMessages() {
  const bool told = top->tell_valid_i && top->tell_ready_o;
  const Waiter who{top->msg_port_o, top->msg_slot_o};
  const Key key{top->msg_space_o, top->msg_vpn_o, top->msg_high_o != 0};
  said_.push_back({top->msg_valid_o != 0, key, top->msg_page_o});
  if (said_.size() > 3) said_.pop_front();
  if (said_.size() == 3 && said_.front().valid) {
    ASSERT_EQ(top->later_space_o, said_.front().key.space);
    ASSERT_EQ(top->later_vpn_o, said_.front().key.vpn);
    ASSERT_EQ(top->later_high_o, said_.front().key.high);
    ASSERT_EQ(top->later_page_o, said_.front().page);
  }
  tell_waits_ = top->tell_valid_i && !told ? tell_waits_ + 1 : 0;
  ASSERT_LT(tell_waits_, 24u) << "an answer of a walk does not get the bus";
  ASSERT_EQ(top->count_hit_o, top->msg_valid_o != 0 && !told);
  if (top->msg_valid_o == 0) {
    ASSERT_FALSE(told) << "an answer of a walk is lost";
    return;
  }
  ASSERT_EQ(top->msg_valid_o, 1u << who.first);
  if (told) {
    const Tell tell = tells_.front();
    tells_.pop_front();
    tell_stands_ = false;
    ASSERT_EQ(who, tell.who);
    ASSERT_TRUE(key == tell.key);
    ASSERT_EQ(top->msg_merged_o, tell.merged);
    ASSERT_EQ(top->msg_page_o, tell.page);
    ASSERT_EQ(top->msg_cause_o, tell.cause);
    ASSERT_EQ(lookups_.erase(who), 1u);
    if (tell.large) large_.Fill({key.space, tell.shift, key.vpn, tell.page, cycle});
    ++counts.tells;
    return;
  }
  ASSERT_FALSE(dry_) << "a hit under hold, after quiet";
  Lookup* lookup = Find(who, key);
  ASSERT_NE(lookup, nullptr);
  ASSERT_FALSE(key.high);
  ASSERT_EQ(top->msg_merged_o, 0);
  ASSERT_EQ(top->msg_cause_o, 0);
  const auto held = l2_.During(key, From(*lookup), cycle);
  const bool l2 =
      std::find(held.begin(), held.end(), std::optional<uint64_t>(top->msg_page_o)) != held.end();
  const bool large = large_.May(key) == std::optional<uint64_t>(top->msg_page_o);
  ASSERT_TRUE(l2 || large) << Name(who) << " space " << key.space << " page " << key.vpn
                           << ": nobody has entered this";
  counts.must_hits += held.size() == 1 && held[0];
  counts.large_hits += large && !l2;
  ++counts.hits;
  Resolve(who, *lookup);
  lookups_.erase(who);
}

void LookupMachine::TakePorts() {
  const unsigned taken = top->lookup_valid_i & top->lookup_ready_o;
  ASSERT_EQ(taken & (taken - 1), 0u) << "two lookups in one cycle";
  if (held_ >= 3) ASSERT_EQ(taken, 0u) << "a lookup enters under hold";
  for (unsigned p = 0; p < Ports(); ++p) {
    Port& port = ports_[p];
    const bool stood = !port.standing.empty();
    const bool mine = taken >> p & 1;
    if (mine) {
      const Standing which = stood ? port.standing.front() : *port.fresh;
      if (stood) port.standing.pop_front();
      Lookup lookup{which.key, cycle, false, false, std::nullopt};
      const uint64_t line = which.key.vpn >> 3;
      if (port.line) {
        const uint64_t apart = line - *port.line, low = apart & 1023;
        if (low != 0 && low != 1 && low != 1023)
          lookup.close = false;
        else if (apart + 1 <= 2 && port.line_space == which.key.space)
          lookup.close = true;
      }
      port.line = line;
      port.line_space = which.key.space;
      ASSERT_TRUE(lookups_.insert({{p, which.slot}, lookup}).second);
      if (keep) served.push_back({cycle, p});
      ++counts.lookups;
    } else if (port.fresh) {
      port.standing.push_back(*port.fresh);
      port.gap = Random(2);
    }
    // The turn: while one stands, nobody else is served more than twice, but for turns that others'
    // work took.
    const bool stands = stood && top->lookup_valid_i >> p & 1;
    if (!stands || mine || port.others.empty()) {
      port.others.assign(Ports(), 0);
      port.closed = 0;
    }
    port.closed += top->lookup_ready_o == 0;  // a turn may be lost in it
    for (unsigned o = 0; stands && !mine && o < Ports(); ++o) {
      port.others[o] += taken >> o & 1;
      ASSERT_LE(port.others[o], 2 + port.closed)
          << "port " << o << " is served again and again, port " << p << " waits";
    }
  }
  bool waits = false;
  for (const auto& [who, lookup] : lookups_) {
    if (lookup.resolved) continue;
    ASSERT_LT(cycle - lookup.entered, kBound) << Name(who) << " is forgotten";
    waits |= lookup.again || lookup.entered + 5 <= cycle;
    if (lookup.entered < cycle) ASSERT_FALSE(top->idle_o) << Name(who) << " is under way";
  }
  if (waits) last_wait_ = cycle;
}

void LookupMachine::TakeRest() {
  if (held_ >= 3)
    ASSERT_FALSE(top->restart_valid_i && top->restart_ready_o) << "a restart enters under hold";
  if (top->restart_valid_i && top->restart_ready_o) {
    restarting_.push_back({restarts_.front().first, cycle});
    restarts_.pop_front();
  }
  if (!restarting_.empty())
    ASSERT_LT(cycle - restarting_.front().second, 20u) << "a restart is lost";
  if (top->again_valid_i && top->again_ready_o) {
    Lookup& lookup = lookups_.at(again_.front().first);
    lookup.resolved = false;
    lookup.again = true;
    lookup.entered = cycle;
    again_.pop_front();
    ++counts.again;
  }
  if (top->probed_o) {
    ASSERT_TRUE(fill_ && fill_->state == FillWork::kWait) << "nobody has asked";
    const auto want = l2_.Probe(fill_->key);
    ASSERT_EQ(top->probed_same_o, want.same);
    ASSERT_EQ(top->probed_empty_o, want.empty);
    ASSERT_EQ(top->probed_present_o, want.present);
    fill_->present = want.present;
    fill_->evicts = want.same == 0 && want.empty == 0;
    fill_->way = Random(Ways());
    for (unsigned w = 0; w < Ways(); ++w) {
      if ((want.same != 0 ? want.same : want.empty) >> w & 1) fill_->way = w;
    }
    fill_->state = FillWork::kWrite;
  } else if (fill_ && fill_->state == FillWork::kWait) {
    ASSERT_LT(++fill_->waited, 12u) << "a probe is lost";
  }
}

/// The rows' next cycle. Under hold none ends.
void LookupMachine::MoveRows() {
  unsigned soon = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    Row& row = rows[i];
    if (row.busy && !row.restarting && !quiet && Random(1000) < load.restarts) {
      row.restarting = true;
      restarts_.push_back({static_cast<unsigned>(i), row.key});
    }
    if (row.busy && !row.restarting && row.due <= cycle && !hold_) {
      const unsigned cause = row.cause != 0 ? row.cause : Chance(3) ? 4 + Random(3) : 0;
      bool large;
      unsigned shift;
      uint64_t page = PageFor(row.key, &large, &shift);
      tells_.push_back({*row.owner, row.key, false, page, cause, large && cause == 0, shift});
      for (const Waiter& who : row.joined) {
        const Key key = lookups_.at(who).key;
        if (cause != 0 || Chance(load.again)) {
          again_.push_back({who, key});
        } else {
          page = PageFor(key, &large, &shift);
          tells_.push_back({who, key, true, page, 0, false, 0});
        }
      }
      row.joined.clear();
      row.busy = false;
      row.closing = 4;  // who found it open may still join
    } else if (row.closing > 0) {
      for (const Waiter& who : row.joined) again_.push_back({who, lookups_.at(who).key});
      row.joined.clear();
      --row.closing;
    }
    soon += i < load.rows && !row.engine && (row.Free() || row.closing == 1);
  }
  rows_early_ = std::min(soon, 3u);
}

// ---- What a test says.

void LookupMachine::Drain() {
  const bool before = quiet;
  quiet = true;
  const auto busy = [this] {
    bool standing = false, rows_busy = false;
    for (const Port& port : ports_) standing |= !port.standing.empty() || port.fresh;
    for (const Row& row : rows) rows_busy |= !row.Free();
    return standing || rows_busy || !lookups_.empty() || !tells_.empty() || !again_.empty() ||
           !restarts_.empty() || fill_;
  };
  for (uint64_t i = 0; busy(); ++i) {
    ASSERT_LT(i, kBound) << lookups_.size() << " lookups are not told";
    Cycle();
    ASSERT_FALSE(testing::Test::HasFatalFailure());
  }
  Cycles(LookupLarge::kEntered + 1);
  ASSERT_TRUE(top->idle_o);
  ASSERT_TRUE(top->quiet_o);
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
    Cycle();
    ASSERT_FALSE(testing::Test::HasFatalFailure());
    run = quiet_seen_ && !fill_ && tells_.empty() ? run + 1 : 0;
  }
  dry_ = sweeping_ = true;
  scope_ = scope;
  top->scope_all_i = scope.all;
  top->scope_space_i = static_cast<uint8_t>(scope.space);
  top->scope_ranged_i = scope.ranged;
  top->scope_first_i = scope.first;
  top->scope_tail_i = scope.tail;
  Cycles(Random(2));
  top->kill_valid_i = 1;
  if (space) {
    top->space_write_i = 1;
    top->row_enable_i = space->enable;
    top->row_root_i = space->root;
    top->row_target_i = static_cast<uint8_t>(space->target);
    top->row_entries_i = static_cast<uint16_t>(space->entries);
    top->row_top_i = static_cast<uint8_t>(space->levels - 1);
    top->row_root_shift_i = static_cast<uint8_t>(space->prepared.root_shift);
    top->row_root_bits_i = static_cast<uint8_t>(space->prepared.root_bits);
    uint64_t shifts = 0;
    uint32_t widths = 0;
    for (unsigned l = 0; l < space->levels; ++l) {
      const unsigned pair = space->config.Pairs(l);
      shifts |= uint64_t{space->prepared.shift[l] - pair} << (6 * l);
      widths |= (space->config.Bits(l) + pair) << (4 * l);
    }
    top->row_dual_i = space->config.dual;
    top->row_has_i = space->config.Bits(0) >= 4;
    top->row_bits_64k_i = static_cast<uint8_t>((space->config.Bits(0) - 4) & 15);
    top->row_shift_i = shifts;
    top->row_bits_i = widths;
    for (unsigned l = 0; l < 6; ++l) top->row_keep_i[l] = space->prepared.keep[l];
    top->row_beyond_i = space->prepared.beyond;
  }
  const std::array<uint64_t, 6> keep =
      scope.space < Spaces() ? spaces_[scope.space].prepared.keep : std::array<uint64_t, 6>{};
  l2_.Sweep(cycle, scope);
  pointers_.Sweep(cycle, scope, keep);
  large_.Sweep(scope);
  for (size_t i = 0; i < rows.size(); ++i) {  // walks of the scope are done again
    Row& row = rows[i];
    if (!row.busy || row.restarting || (!scope.all && row.key.space != scope.space)) continue;
    row.restarting = true;
    restarts_.push_back({static_cast<unsigned>(i), row.key});
  }
  Cycle();
  if (space) spaces_[scope.space] = *space;
  top->kill_valid_i = top->space_write_i = 0;
  for (unsigned i = 0; i < Steps() + 4; ++i) {
    top->sweep_valid_i = i < Steps();
    top->sweep_index_i = static_cast<uint16_t>(i);
    Cycle();
  }
  hold_ = dry_ = sweeping_ = false;
  released_ = cycle;
  top->scope_all_i = Chance(50);
  top->scope_space_i = static_cast<uint8_t>(Random(64));
  top->scope_ranged_i = Chance(50);
  top->scope_first_i = random_() & kVpnMask;
  top->scope_tail_i = random_() & kVpnMask;
  ++counts.kills;
}

void LookupMachine::Fill(const Key& key, unsigned words, uint64_t page) {
  ASSERT_FALSE(fill_);
  fill_ = FillWork{key, words, page};
  for (int i = 0; fill_; ++i) {
    ASSERT_LT(i, 60);
    Cycle();
    ASSERT_FALSE(testing::Test::HasFatalFailure());
  }
}

void LookupMachine::Pointer(unsigned level, const Key& key, const LookupPointers::Table& table) {
  pointer_ = NewPointer{level, key.space, key.vpn & spaces_[key.space].prepared.keep[level], table};
  Cycle();
}

LookupSpace LookupMachine::MakeSpace(const std::vector<unsigned>& bits, bool dual) {
  LookupSpace space;
  space.written = space.enable = true;
  space.levels = space.config.levels = static_cast<unsigned>(bits.size());
  for (unsigned l = 0; l < bits.size(); ++l) space.config.bits |= bits[l] << (4 * l);
  space.config.dual = dual && bits[0] >= 4 && bits[1] <= 12;
  space.prepared = Prepare(space.config).value();
  space.root = random_() & kVpnMask;
  space.target = Random(2);
  space.entries = 8192;
  return space;
}

}  // namespace gmmu::bench
