// SPDX-License-Identifier: Apache-2.0
#include "host/host_time.h"

namespace gmmu::sim {
namespace {

constexpr uint64_t kPageLg2 = 12;
constexpr size_t kPages = 1024;

}  // namespace

HostTime::HostTime(const TimeParameters& parameters)
    : p_(parameters),
      channel_count_(p_.dram.channels),
      row_bursts_(p_.dram.row_bytes / p_.dram.burst_bytes),
      banks_(p_.dram.banks),
      pages_(kPages),
      walkers_(p_.iommu_walks),
      channels_(p_.dram.channels, Channel(p_.dram.banks)) {}

HostTime::Page& HostTime::PageOf(uint16_t requester, uint64_t logical) {
  const uint64_t page = logical >> kPageLg2;
  return pages_[(page ^ page >> 10 ^ requester >> 8) % kPages];
}

void HostTime::WalkRead(uint64_t hpa) { noted_.push_back(hpa); }

void HostTime::Translated(uint16_t requester, uint64_t logical, uint64_t hpa, bool hit, bool below_top) {
  Page& page = PageOf(requester, logical);
  const uint64_t number = logical >> kPageLg2;
  if (!page.valid || page.requester != requester || page.page != number) page = Page();
  page.valid = true;
  page.requester = requester;
  page.page = number;
  page.hpa = hpa >> kPageLg2 << kPageLg2;
  if (noted_.empty()) {
    page.hits += hit ? 1 : 0;
    return;
  }
  page.walks = true;
  page.below_top = below_top;
  page.reads = static_cast<unsigned>(std::min(noted_.size(), page.read.size()));
  std::copy_n(noted_.begin(), page.reads, page.read.begin());
  noted_.clear();
}

uint64_t HostTime::Serve(uint16_t requester, uint64_t logical, size_t size, bool, uint64_t at_ps) {
  joined_ = false;
  Page& page = PageOf(requester, logical);
  uint64_t now = at_ps + p_.iommu_lookup_ps;
  if (!page.valid || page.requester != requester || page.page != logical >> kPageLg2) return now + WordPs();
  if (page.walks && now >= page.ready_ps) {
    uint64_t walk = walkers_.Take(now);
    for (unsigned i = 0; i < page.reads; ++i) walk = Dram(walk, page.read[i], sizeof(uint64_t));
    walkers_.End(walk);
    page.ready_ps = walk;
  } else if (!page.walks && page.hits != 0) {
    --page.hits;
    joined_ = now < page.ready_ps;
    joined_below_top_ = page.below_top;
  }
  page.walks = false;
  now = std::max(now, page.ready_ps);
  return Dram(now, page.hpa | (logical & ((uint64_t{1} << kPageLg2) - 1)), size);
}

uint64_t HostTime::WordPs() const {
  return p_.dram.controller_ps + p_.dram.trcd_ps + p_.dram.tcas_ps + p_.dram.burst_ps;
}

/// Like DramTiming::Access, but calls need not be in time order.
uint64_t HostTime::Dram(uint64_t at_ps, uint64_t hpa, uint64_t size) {
  uint64_t end = at_ps;
  const uint64_t bytes = p_.dram.burst_bytes;
  for (uint64_t line = hpa / bytes; line <= (hpa + size - 1) / bytes; ++line) end = std::max(end, Burst(at_ps, line));
  return end + p_.dram.controller_ps;
}

HostTime::Recent::Use& HostTime::Recent::Note(uint64_t ps, uint64_t row, const Use*& before) {
  unsigned place = count;
  while (place > 0 && uses[place - 1].ps > ps) --place;
  if (count < uses.size()) {
    std::move_backward(uses.begin() + place, uses.begin() + count, uses.begin() + count + 1);
    ++count;
  } else {
    if (place == 0) ++place;  // older than all entries: it replaces the oldest
    std::move(uses.begin() + 1, uses.begin() + place, uses.begin());
    --place;
  }
  uses[place] = {ps, row, ps};
  before = place > 0 ? &uses[place - 1] : nullptr;
  return uses[place];
}

uint64_t HostTime::Burst(uint64_t at_ps, uint64_t line) {
  const DramParameters& d = p_.dram;
  Channel& channel = channels_[channel_count_.Rest(line)];
  const uint64_t page = row_bursts_.Quotient(channel_count_.Quotient(line));
  Recent& bank = channel.bank[banks_.Rest(page)];
  const uint64_t row = banks_.Quotient(page);
  const Recent::Use* before = nullptr;
  Recent::Use& use = bank.Note(at_ps, row, before);
  uint64_t start = before == nullptr ? at_ps : std::max(at_ps, before->ready_ps);
  if (d.trefi_ps != 0 && start - refresh_ps_ >= d.trefi_ps) refresh_ps_ = start / d.trefi_ps * d.trefi_ps;
  if (refresh_ps_ != 0) start = std::max(start, refresh_ps_ + d.trfc_ps);
  const bool open = before != nullptr &&
                    (d.trefi_ps == 0 || before->ready_ps - refresh_ps_ < d.trefi_ps);  // a refresh closes the row
  if (!open) start += d.trcd_ps;
  else if (before->row != row) start += d.trp_ps + d.trcd_ps;
  Recent::Use& order = channel.order.Note(at_ps, 0, before);
  if (before != nullptr) start = std::max(start, before->ready_ps - std::min(before->ready_ps, d.tcas_ps));
  const uint64_t end = channel.bus.Take(start + d.tcas_ps, d.burst_ps);
  use.ready_ps = end - d.tcas_ps;
  order.ready_ps = end;
  return end;
}

}  // namespace gmmu::sim
