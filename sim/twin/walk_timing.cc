// SPDX-License-Identifier: Apache-2.0
// Walks: table reads, completion, the entries that walks fill, and the queue for the walkers.
#include <algorithm>

#include "twin/tlb_timing.h"

namespace gmmu::sim::twin {
namespace {

constexpr uint64_t kBeginCycles = 1;                     // from a lookup to its walk's first read
constexpr uint64_t kAgainCycles = 9;                     // to search again after waiting for a row
constexpr uint64_t kBehindCycles = 5;                    // extra for the first read after a wait
constexpr uint64_t kProbeCycles = 9, kBlockCycles = 16;  // fill unit: to first write; per block
constexpr uint64_t kLineCycles = 8, kRowCycles = 2;      // fill unit: per line; to release a row
constexpr unsigned kLinePages = 8, kMostFill = 32;
constexpr uint64_t kLineBytes = 64;     // bytes per client access
constexpr size_t kMostPrefetches = 64;  // limit on prefetches that wait for a walker

}  // namespace

TlbTiming::Found TlbTiming::Miss(const Asked& asked, const SpaceShape& shape, bool neighbour, uint64_t at,
                                 Plans& plans) {
  TlbMiss miss;
  miss.port = asked.port;
  miss.space = asked.space;
  miss.vpn = asked.va >> 12;
  miss.group = asked.group;
  miss.now_ps = at;
  miss.neighbour = neighbour;
  WalkJob job;
  job.port = asked.port;
  job.key = {asked.space, miss.vpn};
  job.mapping = asked.mapping;
  job.shape = &shape;
  job.plan = plans.Plan();
  job.fill = std::min({policy_->Fill(miss), kMostFill, job.plan.entries});
  job.denied = asked.denied;
  Found found;
  if (hierarchy_.queue && asked.may_wait) {
    const size_t before = queue_.size();
    found.ticket = Queue(job, &asked, at, at, miss.group);
    found.joined = queue_.size() == before;
  } else {
    found.ready_ps = Walk(job, at);
  }
  if (asked.mapping.fault == regs::Fault::kNone) Prefetch(miss, shape, plans);
  return found;
}

void TlbTiming::Prefetch(const TlbMiss& miss, const SpaceShape& shape, Plans& plans) {
  std::vector<uint64_t> vpns;
  policy_->Prefetch(miss, vpns);
  for (const uint64_t vpn : vpns) {
    if (const SharedTlb::Block* block = l2_->Search(miss.space, vpn); block != nullptr && block->has(l2_->Page(vpn)))
      continue;
    if (rows_.Find({miss.space, vpn}) != nullptr) continue;
    const bool busy = hierarchy_.queue ? waiting_.size() >= kMostPrefetches : walks_.Free(miss.now_ps) > miss.now_ps;
    const auto other = busy ? std::nullopt : plans.Other(vpn);
    if (!other) {
      ++policy_counts_.prefetches_dropped;
      continue;
    }
    WalkJob job;
    job.port = miss.port;
    job.key = {miss.space, vpn};
    job.mapping = other->first;
    job.shape = &shape;
    job.plan = other->second;
    job.prefetch = job.background = true;
    if (hierarchy_.queue) Queue(job, nullptr, miss.now_ps, miss.now_ps, miss.group);
    else Walk(job, miss.now_ps);
  }
}

uint64_t TlbTiming::ReadTable(const WalkPlan::Read& read, uint64_t bytes, uint64_t at) {
  const bool cached = pte_cache_.present();
  uint64_t there = 0;
  if (cached) {
    ++policy_counts_.pte_cache_lookups;
    at += time_.Cycles(hierarchy_.pte_cache_cycles);
    if (pte_cache_.Find(read.vram, read.address, there)) {
      ++policy_counts_.pte_cache_hits;
      return std::max(at, there);
    }
  }
  const uint64_t end = memory_.TableTime(read.vram, read.address, cached ? std::max<uint64_t>(bytes, 64) : bytes, at);
  if (cached) pte_cache_.Enter(read.vram, read.address, end);
  counters_.Of<regs::CountersTableReads>() += 1;
  counters_.Of<regs::CountersWalkMemoryCycles>() += time_.CycleAt(end - at);
  return end;
}

/// Returns the index of the first word read by a walk that starts at `now`: the one after the
/// lowest-level cached pointer.
unsigned TlbTiming::FirstRead(const WalkJob& job, uint64_t now) {
  const bool pointers = hierarchy_.walk_cache != Hierarchy::WalkCache::kNone;
  for (unsigned i = job.plan.count; i > 1; --i) {
    const unsigned level = job.plan.reads[i - 1].level + 1;
    // A walk never waits for a pointer that another walk is fetching.
    const void* const place = walk_cache_->PlaceOf(level, *job.shape, job.key.space, job.key.vpn);
    const auto brought = rows_.Brings(level, *job.shape, job.key, place, now);
    const bool cached = walk_cache_->Find(level, false, *job.shape, job.key.space, job.key.vpn) != nullptr;
    using Brought = WalkRows::Brought;
    if (brought == Brought::kNothing ? cached : pointers && brought == Brought::kThis) return i - 1;
  }
  return 0;
}

uint64_t TlbTiming::Walk(const WalkJob& job, uint64_t at) {
  const WalkPlan& plan = job.plan;
  WalkRows::Row row;
  row.job = job;
  counters_.Of<regs::CountersWalks>() += 1;
  policy_counts_.prefetch_walks += job.background ? 1 : 0;
  ++(row.fault() || job.denied ? counters_.Of<regs::CountersWalksFault>() : counters_.Of<regs::CountersWalksOk>());
  counters_.Of<regs::CountersWcLookups>() += 1;
  const uint64_t row_ps = rows_in_use_.Take(at);
  const uint64_t begun = walks_.Take(row_ps > at ? row_ps + time_.Cycles(kAgainCycles) : at);
  uint64_t now = begun + time_.Cycles(kBeginCycles);
  const unsigned from = FirstRead(job, now);
  counters_.Of<regs::CountersWcHits>() += from != 0 ? 1 : 0;
  for (unsigned i = from; i < plan.count; ++i) {
    const bool leaf = i + 1 == plan.count;
    const WalkPlan::Read& read = plan.reads[i];
    now = ReadTable(read, leaf && plan.line ? 8 * job.fill : 8, now) + time_.Cycles(hierarchy_.step_cycles);
    if (i == from && begun > at && job.mapping.target == regs::Target::kVram)
      now += time_.Cycles(kBehindCycles) + joined_ * time_.BusPs(kLineBytes) / kJoinedUnit;
    // If the next read has the same level, it reads the other half of a dual entry: no pointer yet.
    if (leaf || plan.reads[i + 1].level == read.level) continue;
    row.pointers[row.pointer_count++] = {read.level, now,
                                         walk_cache_->PlaceOf(read.level, *job.shape, job.key.space, job.key.vpn)};
  }
  walks_.End(now);
  counters_.Of<regs::CountersWalkCycles>() += time_.CycleAt(now - begun);
  row.answer_ps = now;
  rows_in_use_.End(now + time_.Cycles(job.wide() ? kProbeCycles + kLineCycles : kRowCycles));
  rows_.Add(row);
  joined_ -= joined_ / kJoinedMemory;
  return now;
}

/// Reserves the fill unit for the translations of a walk (rtl/mmu/gmmu_fill.sv). Returns the time
/// at which they enter the caches. Returns 0 if they are dropped, because the fill unit's register
/// still holds another single page.
uint64_t TlbTiming::FillTime(const WalkJob& job, uint64_t at) {
  if (job.mapping.fault != regs::Fault::kNone) return 0;
  if (job.mapping.level > 0) return at;
  if (!job.wide() && fill_page_ps_ > at) return 0;
  fill_ps_ = std::max(fill_ps_, at + time_.Cycles(kProbeCycles)) + time_.Cycles(job.wide()  ? kLineCycles
                                                                                : job.big() ? kBlockCycles
                                                                                            : 1);
  if (!job.wide()) fill_page_ps_ = fill_ps_;
  return fill_ps_;
}

void TlbTiming::Fill(const WalkJob& job, uint64_t at) {
  if (job.mapping.level > 0) return walk_cache_->Enter(job.mapping.level, true, *job.shape, job.key.space, job.key.vpn);
  if (l3_) FillTlb(job, *l3_, at);
  FillTlb(job, *l2_, at);
  counters_.Of<regs::CountersL2Fills>() += 1;
}

void TlbTiming::FillTlb(const WalkJob& job, SharedTlb& tlb, uint64_t at) {
  if (job.wide() && !job.big()) return FillLine(job, tlb, at);
  SharedTlb::Block* block = tlb.Place(job.key.space, job.key.vpn, {job.port, job.prefetch, at}, *policy_,
                                      counters_.Of<regs::CountersL2Evictions>());
  if (block == nullptr) {
    ++policy_counts_.not_kept;
    return;
  }
  block->present |= static_cast<uint16_t>(job.big() ? (1u << tlb.block_pages()) - 1 : 1u << tlb.Page(job.key.vpn));
}

void TlbTiming::FillLine(const WalkJob& job, SharedTlb& tlb, uint64_t at) {
  const WalkPlan::Read& read = job.plan.reads[job.plan.count - 1];
  std::array<uint64_t, kMostFill> words{};
  memory_.PeekTable(read.vram, read.address & ~uint64_t{8 * job.fill - 1}, words.data(), job.fill);
  const uint64_t first = job.key.vpn & ~uint64_t{job.fill - 1};
  SharedTlb::Block* block = nullptr;
  const auto enter = [&](uint64_t vpn) { block->present |= static_cast<uint16_t>(1u << tlb.Page(vpn)); };
  const auto place = [&](uint64_t vpn, bool prefetch) {
    block = tlb.Place(job.key.space, vpn, {job.port, prefetch, at}, *policy_,
                      counters_.Of<regs::CountersL2Evictions>());
    policy_counts_.not_kept += block == nullptr ? 1 : 0;
    return block != nullptr;
  };
  if (place(job.key.vpn, job.prefetch)) enter(job.key.vpn);
  for (unsigned i = 0; i < job.fill; ++i) {
    regs::PteEntry entry;
    entry.raw = words[i];
    if (first + i == job.key.vpn || entry.valid() == 0) continue;
    if (!place(first + i, true)) continue;
    enter(first + i);
  }
}

// ---- walks that wait for a walker

/// Queues the walk for a walker, or joins a queued walk. Returns the lookup's ticket, or 0 for a
/// prefetch (`asked` is null).
uint64_t TlbTiming::Queue(WalkJob job, const Asked* asked, uint64_t asked_ps, uint64_t at, uint32_t group) {
  Waiter waiter;
  if (asked != nullptr) waiter = {++tickets_, asked_ps, asked->port, job.key, job.mapping.span_lg2 >= 16, nullptr};
  for (size_t i = 0; i < queue_.size(); ++i) {
    WalkJob& other = queue_[i].job;
    if (other.key.space != job.key.space) continue;
    const bool same = other.key.vpn == job.key.vpn;
    const bool line = hierarchy_.merge_lines && other.plan.line && job.plan.line && other.mapping.span_lg2 < 16 &&
                      other.mapping.fault == regs::Fault::kNone && job.mapping.fault == regs::Fault::kNone &&
                      job.plan.entries >= kLinePages && other.key.vpn / kLinePages == job.key.vpn / kLinePages;
    if (!same && !line) continue;
    if (!same) {
      other.fill = std::max(other.fill, kLinePages);
      ++policy_counts_.joined_lines;
    }
    if (asked == nullptr) return 0;
    counters_.Of<regs::CountersL2Misses>() -= 1;
    counters_.Of<regs::CountersL2Merged>() += 1;
    other.prefetch = false;
    queue_[i].waiters.push_back(waiter);
    ++waiting_[i].waiters;
    return waiter.ticket;
  }
  WaitingWalk seen;
  seen.port = job.port;
  seen.space = job.key.space;
  seen.vpn = job.key.vpn;
  seen.group = group;
  seen.since_ps = at;
  seen.waiters = asked == nullptr ? 0 : 1;
  queue_.push_back({std::move(job), {}});
  if (asked != nullptr) queue_.back().waiters.push_back(waiter);
  waiting_.push_back(seen);
  agenda_.At(std::max(at, agenda_.now()), [this, generation = generation_] {
    if (generation == generation_) Dispatch();
  });
  return waiter.ticket;
}

void TlbTiming::WhenReady(uint64_t ticket, std::function<void(uint64_t)> then) {
  for (Queued& queued : queue_)
    for (Waiter& waiter : queued.waiters)
      if (waiter.ticket == ticket) waiter.then = std::move(then);
}

/// Assigns free walkers to waiting walks. The policy chooses the order.
void TlbTiming::Dispatch() {
  while (walking_ < walks_at_once_ && !queue_.empty()) {
    for (size_t i = 0; i < queue_.size(); ++i) {
      waiting_[i].reads = queue_[i].job.plan.count - FirstRead(queue_[i].job, agenda_.now());
    }
    const size_t next = std::min(policy_->Next(waiting_), queue_.size() - 1);
    Queued queued = std::move(queue_[next]);
    const uint64_t now = std::max(agenda_.now(), waiting_[next].since_ps);
    queue_.erase(queue_.begin() + static_cast<std::ptrdiff_t>(next));
    ++policy_counts_.queued_walks;
    policy_counts_.queued_cycles += time_.CycleAt(now - waiting_[next].since_ps);
    waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(next));
    ++walking_;
    const uint64_t ready = Walk(queued.job, now);
    agenda_.At(ready, [this, generation = generation_] {
      if (generation != generation_) return;
      --walking_;
      Dispatch();
    });
    End(std::move(queued), ready);
  }
}

/// Reports the end of a walk to the lookups that wait for it.
void TlbTiming::End(Queued queued, uint64_t ready_ps) {
  const bool fault = queued.job.mapping.fault != regs::Fault::kNone;
  for (Waiter& waiter : queued.waiters) {
    const uint64_t ready = std::max(ready_ps, waiter.asked_ps);
    counters_.port(waiter.port).cycles += time_.CycleAt(ready - waiter.asked_ps);
    if (!fault) rows_.EnterL1(waiter.port, waiter.key, waiter.big, ready_ps);
    if (waiter.then) waiter.then(ready);
  }
}

}  // namespace gmmu::sim::twin
