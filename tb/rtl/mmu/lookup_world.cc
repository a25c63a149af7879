// SPDX-License-Identifier: Apache-2.0
// Drives the inputs of gmmu_lookup for LookupMachine: those of the ports, the walk table, the fill
// unit and the control block.
#include "lookup_machine.h"

namespace gmmu::bench {

Key LookupMachine::SomeKey() {
  Key key = pool_[Random(static_cast<unsigned>(pool_.size()))];
  key.vpn |= Random(16);
  if (Chance(10)) key.vpn |= uint64_t{Random(512)} << 27;
  if (Chance(2)) key.space = Random(64);
  key.high = Chance(2);
  return key;
}

/// Returns the level of the key's large page, if any. Some areas consist of large pages of level 1
/// or 2.
std::optional<unsigned> LookupMachine::LargeLevel(const Key& key) const {
  const unsigned area = key.vpn >> 14 & 3;
  if (area < 2 || key.space >= Spaces() || !spaces_[key.space].enable) return std::nullopt;
  return area == 3 && spaces_[key.space].levels > 2 ? 2 : 1;
}

uint64_t LookupMachine::PageFor(const Key& key, bool* large, unsigned* shift) {
  const auto level = LargeLevel(key);
  *large = level.has_value();
  *shift = level ? spaces_[key.space].prepared.shift[*level] : 0;
  uint64_t page = rng() >> 12 & ~uint64_t{7};
  // All lookups of a page must return the same translation, so derive it from the key.
  if (*large) {
    const uint64_t mask = (uint64_t{1} << *shift) - 1;
    page = ((((key.vpn >> *shift) + 77) * 0x9e3779b1 + key.space) & (kVpnMask >> *shift)) << (*shift + 16) |
           (key.vpn & mask) << 16 | 0x30 | *level;
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

/// Drives the ports. A key that is announced in one cycle is offered in the next. A fresh lookup is
/// sometimes offered without an announcement.
void LookupMachine::DrivePorts() {
  t.lookup_valid_i = t.lookup_hint_i = t.lookup_pending_i = 0;
  for (unsigned p = 0; p < Ports(); ++p) {
    Port& port = ports_[p];
    const uint8_t bit = static_cast<uint8_t>(1u << p);
    port.fresh.reset();
    std::optional<Standing> offer;
    if (!port.standing.empty()) {
      if (port.gap > 0) --port.gap;
      else if (port.told && *port.told == port.standing.front().key) offer = port.standing.front();
    } else if (port.hint && !Chance(20)) {
      if (const auto slot = FreeSlot(p)) offer = port.fresh = Standing{*slot, *port.told};
    }
    if (offer) t.lookup_valid_i |= bit;
    t.lookup_slot_i[p] = static_cast<uint8_t>(offer ? offer->slot : Random(64));

    // lookup_ready_o is registered, so it already shows whether the offer will be accepted.
    const bool taken = offer && t.lookup_ready_o[n] >> p & 1;
    const size_t gone = taken && !port.fresh ? 1 : 0;
    port.hint = false;
    port.told.reset();
    if (port.fresh && !taken) {
      port.gap = Random(2);
      port.told = port.fresh->key;
      if (port.gap == 0) t.lookup_pending_i |= bit;
    } else if (port.standing.size() > gone) {
      port.told = port.standing[gone].key;
      if (port.gap == 0) t.lookup_pending_i |= bit;
    } else if (!quiet && Chance(load.lookups)) {
      Key key = SomeKey();
      if (port.line && Chance(load.near)) {
        key = {port.line_space, (*port.line + Random(3) - 1) << 3 | Random(8), false};
        key.vpn &= kVpnMask;
      }
      port.told = key;
      port.hint = true;
    }
    if (port.told) t.lookup_hint_i |= bit;
    const Key shown = port.told.value_or(Key{Random(64), rng() & kVpnMask, Chance(50)});
    t.lookup_key_i[p] = shown.Raw();
  }
}

void LookupMachine::DriveTell() {
  t.tell_valid_i = !tells_.empty() && (tell_stands_ || Chance(load.tells));
  tell_stands_ = t.tell_valid_i;
  Tell tell{{Random(Ports()), Random(64)}, SomeKey(), Chance(50), rng() >> 12, Random(16), Chance(50), Random(36)};
  if (tell_stands_) tell = tells_.front();
  Message msg{};
  msg.port = static_cast<uint8_t>(tell.who.first), msg.slot = static_cast<uint8_t>(tell.who.second);
  msg.merged = tell.merged, msg.cause = static_cast<uint8_t>(tell.cause);
  msg.key.set(tell.key.Raw()), msg.page.set(tell.page);
  t.tell_i = Pack(msg);
  t.tell_large_i = tell.large;
  t.tell_shift_i = static_cast<uint8_t>(tell.shift);
}

void LookupMachine::DriveRest() {
  t.restart_valid_i = !restarts_.empty();
  const auto [row, key] = restarts_.empty() ? std::pair<unsigned, Key>(Random(64), SomeKey()) : restarts_.front();
  t.restart_row_i = static_cast<uint8_t>(row);
  t.restart_key_i = key.Raw();
  t.restart_second_i = Second(key);
  t.restart_wide_i = restarts_.empty() ? Random(2) != 0 : rows[row].wide;

  t.again_valid_i = !again_.empty();
  const auto [who, of] = again_.empty() ? std::pair<Waiter, Key>({0, 0}, SomeKey()) : again_.front();
  t.again_i = uint64_t{who.first} << 49 | uint64_t{who.second} << 43 | of.Raw();

  t.wc_write_i = 0;
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
  const LookupPointers::Table table{rng() & kVpnMask, Chance(50)};
  // During a sweep, write no pointer within its scope, since walks there do not continue, and
  // overwrite no known pointer, since the sweep may drop one that is being written.
  const uint64_t rest = ~space.prepared.keep[level] & kVpnMask;
  if (sweeping_ && !kill_.valid && (scope_.Covers(at.space, tag, tag | rest) || pointers_.Knows(level, at.space, tag)))
    return;
  WritePointer({level, at.space, tag, table});
}

void LookupMachine::WritePointer(const NewPointer& pointer) {
  t.wc_write_i = 1;
  GMMU_STRUCT(gmmu_mmu_lookup_bench, wc_write_t) data{};
  data.level = static_cast<uint8_t>(pointer.level), data.space = static_cast<uint8_t>(pointer.space);
  data.tag = pointer.tag, data.pfn = pointer.table.first, data.vram = pointer.table.second;
  data.k64 = spaces_[pointer.space].Names64K(pointer.level, pointer.table.first);
  t.wc_data_i = Pack(data);
  if (kill_.valid) return;  // A kill drops the pointer.
  large_.Pointer(pointer.level);
  pointers_.Write(now, pointer.level, pointer.space, pointer.tag, pointer.table, !sweeping_);
}

void LookupMachine::DriveFill() {
  t.probe_valid_i = 0;
  const unsigned space = Random(64);
  t.probe_key_i = Key{space, rng() & kVpnMask}.Raw();
  t.tag_write_i = t.data_write_i = 0;
  if (!fill_ && !quiet && !hold_ && Chance(load.fills)) {
    Key key = SomeKey();
    const Port& port = ports_[Random(Ports())];
    if (port.line && Chance(60)) key = {port.line_space, *port.line << 3 | Random(8), false};
    key.high = false;
    key.space %= Spaces();
    if (!LargeLevel(key)) fill_ = FillWork{key, Random(3) == 0 ? 16u : Random(2) == 0 ? 8u : 1u, 0};
  }
  if (!fill_) return;
  if (fill_->state == FillWork::kProbe || fill_->state == FillWork::kStands) {
    t.probe_valid_i = fill_->state == FillWork::kProbe;
    t.probe_key_i = fill_->key.Raw();
    fill_->state = fill_->state == FillWork::kProbe ? FillWork::kStands : FillWork::kWait;
    return;
  }
  if (fill_->state != FillWork::kWrite) return;
  const unsigned word = fill_->word++;
  const bool first = word == 0, last = fill_->word == fill_->words;
  const bool good = fill_->words != 8 || fill_->page != 0 || Chance(80);
  Key key = fill_->key;
  if (fill_->words > 1) key.vpn = (key.vpn & ~uint64_t{fill_->words - 1}) | word;
  const uint64_t page = fill_->page != 0 ? fill_->page + (uint64_t{word} << 16) : rng() >> 12 & ~uint64_t{7};
  if (good) fill_->present |= 1u << (key.vpn & 15);
  const unsigned present = last ? fill_->present : 0;
  const bool tag = last || (first && fill_->evicts);
  t.data_write_i = static_cast<uint8_t>(good ? 1u << fill_->way : 0);
  t.tag_write_i = static_cast<uint8_t>(tag ? 1u << fill_->way : 0);
  t.fill_key_i = key.Raw();
  t.fill_present_i = static_cast<uint16_t>(present);
  t.fill_page_i = page;
  l2_.Write(now, key, fill_->way, good ? std::optional<uint64_t>(page) : std::nullopt,
            tag ? std::optional<unsigned>(present) : std::nullopt);
  if (last) {
    ++counts.fills;
    fill_.reset();
  }
}

/// Drives the result of the previous cycle's search of the walk table. It includes the row that
/// begins now.
void LookupMachine::DriveSearch() {
  Answer answer;
  unsigned free = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    const Row& row = rows[i];
    if (row.Free()) {
      if (row.engine) answer.engine = true;
      else free += i < load.rows;
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
  t.search_hit_i = answer.hit;
  t.search_near_i = answer.near;
  t.row_free_i = answer.free;
  t.row_engine_i = answer.engine;
  t.rows_early_i = static_cast<uint8_t>(rows_early_);
}

}  // namespace gmmu::bench
