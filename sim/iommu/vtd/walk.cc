// SPDX-License-Identifier: Apache-2.0
// Translation: cache searches, and the walk of the root, context and paging tables, one read at a
// time.
#include <algorithm>
#include <cassert>

#include "iommu/vtd/core.h"
#include "iommu/vtd/formats.h"

namespace gmmu::sim {
namespace {

using vtd::Above;
using vtd::Bits;
using vtd::LevelShift;

bool InInterruptWindow(uint64_t address) { return address >= vtd::kInterruptStart && address < vtd::kInterruptEnd; }

VtdDrainTracker::Kind AccessKind(const VtdRequest& request) {
  return request.write ? VtdDrainTracker::kWrite : VtdDrainTracker::kRead;
}

}  // namespace

void VtdCore::Grant(VtdWalk& walk, uint64_t hpa, bool translated, bool snoop) {
  walk.stage_ = VtdWalk::Stage::kDone;
  walk.result_ = {{RemapOutcome::kMemory, hpa, translated, snoop, 0}, VtdReason::kNone};
}

void VtdCore::Block(VtdWalk& walk, VtdReason reason) {
  walk.stage_ = VtdWalk::Stage::kDone;
  walk.result_ = {};
  walk.result_.reason = reason;
}

unsigned VtdCore::LargestWidth() const {
  for (unsigned aw = 3; aw > 0; --aw) {
    if ((parameters_.sagaw >> aw & 1) != 0) return aw;
  }
  return 0;
}

bool VtdCore::LevelHasPages(unsigned level) const {
  return (level == 2 && parameters_.pages_2m) || (level == 3 && parameters_.pages_1g);
}

uint64_t VtdCore::ReservedBits(unsigned level, bool leaf) const {
  // The transient-mapping bit is reserved at every level, because the unit does not support device
  // TLBs.
  uint64_t bits = (Above(parameters_.haw) & ~Above(52)) | vtd::kEntryTransient;
  if (!leaf || !parameters_.snoop_control) bits |= vtd::kEntrySnoop;
  if (level > 3) bits |= vtd::kEntryPageSize;
  if (leaf && level > 1) {
    bits |= Above(12) & ~Above(LevelShift(level));
    if (!LevelHasPages(level)) bits |= vtd::kEntryPageSize;
  }
  return bits;
}

void VtdCore::Begin(VtdWalk& walk) const {
  walk.result_ = {};
  walk.has_context_ = walk.interrupt_fpd_ = false;
  walk.index_ = 0;
  walk.read_ok_ = walk.write_ok_ = true;
  walk.generation_ = generation_;
  walk.root_ = root_;
  const VtdRequest& request = walk.request_;
  if (InInterruptWindow(request.iova)) {
    Block(walk, VtdReason::kNone);
    if (request.write) BeginInterrupt(walk);
    return;
  }
  if (!translating()) return Grant(walk, request.iova, false, false);
  walk.stage_ = VtdWalk::Stage::kRoot;
  walk.read_ = {root_ + (request.sid >> 8) * 16u, 16};
}

void VtdCore::WantTable(VtdWalk& walk, unsigned level, uint64_t table) const {
  walk.stage_ = VtdWalk::Stage::kTable;
  walk.level_ = static_cast<uint8_t>(level);
  walk.read_ = {table + (walk.request_.iova >> LevelShift(level) & 511) * 8, 8};
}

void VtdCore::EnterDomain(VtdWalk& walk) const {
  const VtdContext& context = walk.context_;
  walk.has_context_ = true;
  if (context.reason != VtdReason::kNone) return Block(walk, context.reason);
  if (walk.request_.type != VtdAddressType::kUntranslated) return Block(walk, VtdReason::kAtsBlocked);
  if (context.pass_through) return Grant(walk, walk.request_.iova, false, false);
  const unsigned width = std::min(parameters_.mgaw, 12 + 9 * context.levels);
  if ((walk.request_.iova & Above(width)) != 0) return Block(walk, VtdReason::kAddressWidth);
  WantTable(walk, context.levels, context.table);
}

VtdCore::Learned VtdCore::StepContext(VtdWalk& walk, bool ok, uint64_t low, uint64_t high) const {
  if (!ok) {
    Block(walk, VtdReason::kContextUnreadable);
    return {};
  }
  VtdContext& context = walk.context_;
  context = {};
  context.sid = walk.request_.sid;
  context.fpd = (low & 2) != 0;
  const unsigned type = static_cast<unsigned>(Bits(low, 3, 2));
  const unsigned aw = static_cast<unsigned>(Bits(high, 2, 0));
  const bool reserved = (low & 0xFF0) != 0 || (low & Above(parameters_.haw)) != 0 || Bits(high, 7, 7) != 0 ||
                        Bits(high, 63, 24) != 0;
  bool valid = aw >= 1 && aw <= 3 && (parameters_.sagaw >> aw & 1) != 0;
  if (type == vtd::kTtPassThrough) valid = parameters_.pass_through && aw == LargestWidth();
  if (type != vtd::kTtTranslate && type != vtd::kTtPassThrough) valid = false;  // needs device-TLB support

  if ((low & 1) == 0) {
    context.reason = VtdReason::kContextNotPresent;
  } else if (reserved) {
    context.reason = VtdReason::kContextReserved;
  } else if (!valid) {
    context.reason = VtdReason::kContextInvalid;
  } else {
    context.did = static_cast<uint16_t>(Bits(high, 23, 8));
    context.table = low & vtd::kEntryAddress;
    context.levels = aw + 2;
    context.pass_through = type == vtd::kTtPassThrough;
  }
  EnterDomain(walk);
  Learned learned;
  learned.kind = Learned::Kind::kContext;
  learned.context = context;
  return learned;
}

VtdCore::Learned VtdCore::StepTable(VtdWalk& walk, bool ok, uint64_t entry) const {
  const VtdRequest& request = walk.request_;
  const unsigned level = walk.level_;
  Learned learned;
  const auto fail = [&](VtdReason reason) {
    Block(walk, reason);
    learned.kind = Learned::Kind::kPage;
    learned.page = {walk.context_.did, 1, request.iova & Above(12), 0, !request.write, request.write, false, reason};
    return learned;
  };
  if (!ok) {
    return fail(level == walk.context_.levels ? VtdReason::kContextInvalid : VtdReason::kTableUnreadable);
  }
  const bool wanted = (entry & (request.write ? vtd::kEntryWrite : vtd::kEntryRead)) != 0;
  if (!wanted) return fail(request.write ? VtdReason::kNoWrite : VtdReason::kNoRead);
  const bool leaf = level == 1 || (level <= 3 && (entry & vtd::kEntryPageSize) != 0);
  if ((entry & ReservedBits(level, leaf)) != 0) return fail(VtdReason::kEntryReserved);

  walk.read_ok_ = walk.read_ok_ && (entry & vtd::kEntryRead) != 0;
  walk.write_ok_ = walk.write_ok_ && (entry & vtd::kEntryWrite) != 0;
  const uint64_t address = entry & vtd::kEntryAddress;
  if (!leaf) {
    WantTable(walk, level - 1, address);
    learned.kind = Learned::Kind::kTable;
    learned.table = {walk.context_.did,
                     static_cast<uint8_t>(level - 1),
                     request.iova & Above(LevelShift(level)),
                     address,
                     walk.read_ok_,
                     walk.write_ok_};
    return learned;
  }
  const uint64_t low_bits = request.iova & ~Above(LevelShift(level));
  const bool snoop = parameters_.snoop_control && (entry & vtd::kEntrySnoop) != 0;
  learned.kind = Learned::Kind::kPage;
  learned.page = {walk.context_.did,
                  static_cast<uint8_t>(level),
                  request.iova - low_bits,
                  address,
                  walk.read_ok_,
                  walk.write_ok_,
                  snoop,
                  VtdReason::kNone};
  if (InInterruptWindow(address | low_bits)) {
    Block(walk, VtdReason::kInterruptRange);
  } else {
    Grant(walk, address | low_bits, true, snoop);
  }
  return learned;
}

VtdCore::Learned VtdCore::Step(VtdWalk& walk, bool ok, uint64_t low, uint64_t high) const {
  assert(!walk.done());
  ++walk.reads_;
  if (walk.stage_ == VtdWalk::Stage::kTable) return StepTable(walk, ok, low);
  if (walk.stage_ == VtdWalk::Stage::kContext) return StepContext(walk, ok, low, high);
  if (walk.stage_ == VtdWalk::Stage::kInterrupt) return StepInterrupt(walk, ok, low, high);
  if (!ok) {
    Block(walk, VtdReason::kRootUnreadable);
  } else if ((low & 1) == 0) {
    Block(walk, VtdReason::kRootNotPresent);
  } else if ((low & 0xFFE) != 0 || (low & Above(parameters_.haw)) != 0 || high != 0) {
    Block(walk, VtdReason::kRootReserved);
  } else {
    walk.stage_ = VtdWalk::Stage::kContext;
    walk.read_ = {(low & vtd::kEntryAddress) + (walk.request_.sid & 0xFFu) * 16u, 16};
  }
  return {};
}

bool VtdCore::SearchTranslations(VtdWalk& walk) {
  const VtdRequest& request = walk.request_;
  const VtdContext& context = walk.context_;
  const uint64_t counts = walk.iotlb_counted_ ? 0 : 1;
  walk.iotlb_counted_ = true;
  if (const VtdTlbEntry* entry = iotlb_.Find(context.did, request.iova, request.write)) {
    count_.iotlb_hits += counts;
    const uint64_t hpa = entry->hpa | (request.iova - entry->page);
    if (entry->reason != VtdReason::kNone) {
      Block(walk, entry->reason);
    } else if (!(request.write ? entry->write : entry->read)) {
      Block(walk, request.write ? VtdReason::kNoWrite : VtdReason::kNoRead);
    } else if (InInterruptWindow(hpa)) {
      Block(walk, VtdReason::kInterruptRange);
    } else {
      Grant(walk, hpa, true, entry->snoop);
    }
    return true;
  }
  count_.iotlb_misses += counts;
  const auto table = tables_.Find(context.did, request.iova, context.levels);
  if (!table) {
    count_.table_misses += counts;
    return false;
  }
  count_.table_hits += counts;
  if (counts != 0) walk.below_top_ = true;
  walk.read_ok_ = table->read;
  walk.write_ok_ = table->write;
  if (!(request.write ? table->write : table->read)) {
    Block(walk, request.write ? VtdReason::kNoWrite : VtdReason::kNoRead);
  } else {
    WantTable(walk, table->level, table->table);
  }
  return true;
}

void VtdCore::Search(VtdWalk& walk) {
  Begin(walk);
  if (walk.done()) return;
  if (walk.stage_ == VtdWalk::Stage::kInterrupt) {
    const VtdInterruptEntry* entry = interrupts_.Find(walk.index_);
    if (entry == nullptr) return;
    ++count_.interrupt_hits;
    return EndInterrupt(walk, *entry);
  }
  const VtdContext* context = contexts_.Find(walk.request_.sid);
  if (!walk.context_counted_) ++(context == nullptr ? count_.context_misses : count_.context_hits);
  walk.context_counted_ = true;
  if (context == nullptr) return;
  walk.context_ = *context;
  EnterDomain(walk);
  if (!walk.done()) SearchTranslations(walk);
}

void VtdCore::Keep(const VtdWalk& walk, const Learned& learned) {
  if (learned.kind == Learned::Kind::kNothing) return;
  if (walk.generation_ != generation_) {
    ++count_.fills_refused;
    return;
  }
  switch (learned.kind) {
    case Learned::Kind::kContext:
      if (learned.context.reason == VtdReason::kNone || parameters_.caching_mode) contexts_.Fill(learned.context);
      break;
    case Learned::Kind::kTable: tables_.Fill(learned.table); break;
    case Learned::Kind::kPage:
      if (learned.page.reason == VtdReason::kNone || parameters_.caching_mode) iotlb_.Fill(learned.page);
      break;
    case Learned::Kind::kInterrupt: interrupts_.Fill(walk.index_, learned.interrupt); break;
    case Learned::Kind::kNothing: break;
  }
}

void VtdCore::Finished(VtdWalk& walk) {
  drains_.Change(walk.epoch_, VtdDrainTracker::kWalk, AccessKind(walk.request_));
  CheckDrains();
  const VtdResult& result = walk.result_;
  if (!walk.context_counted_) {
    ++count_.bypassed;
  } else if (!walk.iotlb_counted_) {
    ++count_.context_ended;
  }
  if (walk.missed_ && walk.reads_ == 0) ++count_.waited;
  if (result.outcome == RemapOutcome::kInterrupt) ++count_.interrupts;
  if (result.outcome == RemapOutcome::kInterrupt && result.translated) ++count_.interrupts_remapped;
  if (result.outcome == RemapOutcome::kMemory && !result.translated) ++count_.passed;
  if (result.reason == VtdReason::kNone) return;
  ++faults_[static_cast<size_t>(result.reason)];
  // FPD cannot suppress a fault that occurs before the context entry has been read.
  const uint64_t info = InInterruptWindow(walk.request_.iova) ? uint64_t{walk.index_} << 48 : walk.request_.iova;
  const bool by_context = walk.has_context_ && walk.context_.fpd &&
                          (result.reason != VtdReason::kContextReserved || parameters_.fpd_covers_reserved_context);
  const bool silenced = walk.interrupt_fpd_ || by_context;
  if (silenced) return;
  log_.Record(walk.request_.sid, info, walk.request_.write, walk.request_.type, result.reason);
}

VtdWalk VtdCore::Lookup(const VtdRequest& request) {
  VtdWalk walk;
  walk.request_ = request;
  walk.epoch_ = drains_.Enter(VtdDrainTracker::kWalk);
  ++count_.requests;
  Search(walk);
  if (walk.done()) {
    Finished(walk);
  } else {
    walk.missed_ = true;
    ++count_.missed;
  }
  return walk;
}

void VtdCore::Restart(VtdWalk& walk) {
  assert(!walk.done());
  Search(walk);
  if (walk.done()) Finished(walk);
}

void VtdCore::CountJoined(bool below_top) {
  --count_.iotlb_hits;
  ++count_.iotlb_misses;
  ++(below_top ? count_.table_hits : count_.table_misses);
  ++count_.missed;
  ++count_.waited;
}

void VtdCore::Feed(VtdWalk& walk, bool ok, uint64_t low, uint64_t high) {
  if (walk.reads_ == 0) ++count_.walks;
  ++count_.reads;
  const bool was_context = walk.stage_ == VtdWalk::Stage::kContext;
  const Learned learned = Step(walk, ok, low, high);
  Keep(walk, learned);
  // Only now is the walk's domain known, so search again: another device of the domain may have
  // filled the IOTLB. If an invalidation came after the walk started, the walk continues with its
  // own reads.
  if (was_context && !walk.done() && walk.generation_ == generation_) SearchTranslations(walk);
  if (walk.done()) Finished(walk);
}

void VtdCore::Finish(const VtdWalk& walk) {
  drains_.Leave(walk.epoch_, walk.done() ? AccessKind(walk.request_) : VtdDrainTracker::kWalk);
  CheckDrains();
}

VtdResult VtdCore::Translate(RemapMemory& memory, const VtdRequest& request) {
  VtdWalk walk = Lookup(request);
  while (!walk.done()) {
    const RemapRead read = walk.read();
    uint64_t low = 0, high = 0;
    const bool ok = memory.Read64(read.address, &low) && (read.bytes == 8 || memory.Read64(read.address + 8, &high));
    Feed(walk, ok, low, high);
  }
  Finish(walk);
  return walk.result();
}

VtdResult VtdCore::Peek(RemapMemory& memory, const VtdRequest& request) const {
  VtdWalk walk;
  walk.request_ = request;
  Begin(walk);
  while (!walk.done()) {
    const RemapRead read = walk.read();
    uint64_t low = 0, high = 0;
    const bool ok = memory.Read64(read.address, &low) && (read.bytes == 8 || memory.Read64(read.address + 8, &high));
    Step(walk, ok, low, high);
  }
  return walk.result();
}

}  // namespace gmmu::sim
