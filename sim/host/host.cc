// SPDX-License-Identifier: Apache-2.0
#include "host/host.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "host/ram_of_iommu.h"
#include "host/host_time.h"
#include "pcie/address_map.h"

namespace gmmu::sim {
Host::Host(hw::HostRam& ram, std::unique_ptr<Remapper> iommu, const TimeParameters& timing, Agenda& agenda,
           MessageSink messages)
    : ram_(ram),
      iommu_(std::move(iommu)),
      agenda_(agenda),
      messages_(std::move(messages)),
      time_(std::make_unique<HostTime>(timing)) {
  if (!iommu_) return;
  iommu_->set_message_sink([this](uint64_t address, uint32_t data) {
    agenda_.At(agenda_.now() + time_->parameters().iommu_lookup_ps,
               [this, address, data] { messages_(address, data); });
  });
}

Host::~Host() = default;

// ---- device accesses

RemapResult Host::Translate(const RemapRequest& request, RemapWalk& walk) {
  if (!iommu_) {
    const bool message = request.logical >= kMessageStart && request.logical < kMessageEnd;
    RemapResult result;
    result.hpa = request.logical;
    result.outcome = !message        ? RemapOutcome::kMemory
                     : request.write ? RemapOutcome::kInterrupt
                                     : RemapOutcome::kBlocked;
    result.data = request.data;
    time_->Translated(request.requester, request.logical, result.hpa);
    return result;
  }
  walk = iommu_->Lookup(request);
  const bool found = walk.done;
  while (!walk.done) {
    uint64_t words[2] = {0, 0};
    const bool ok = ram_.Read(walk.read.address, words, walk.read.bytes);
    time_->WalkRead(walk.read.address);
    iommu_->Feed(walk, ok, words[0], words[1]);
  }
  const bool hit = found && walk.result.outcome == RemapOutcome::kMemory && walk.result.translated;
  time_->Translated(request.requester, request.logical, walk.result.hpa, hit, walk.below_top);
  return walk.result;
}

void Host::Finish(const RemapWalk& walk) {
  if (iommu_) iommu_->Finish(walk);
}

/// Performs the translated `access` after a delay of `way_ps` picoseconds. Until then the access
/// counts as in flight, and an invalidation may wait for it to drain.
void Host::Land(uint64_t way_ps, const RemapWalk& walk, std::function<void()> access) {
  agenda_.At(agenda_.now() + way_ps, [this, walk, access = std::move(access)] {
    access();
    Finish(walk);
    if (iommu_) PumpQueue();
  });
}

void Host::Touch(uint64_t hpa, bool write) {
  owners_.Access(hpa, write);
  if (watched_.empty()) return;
  const auto watched = watched_.find(hpa / hw::kPageSize);
  if (watched != watched_.end()) ++watched->second;
}

bool Host::Read(uint16_t requester, uint64_t logical, void* to, size_t size, bool snoop) {
  begun_ = {requester, logical, size};
  ++bus_counts_[requester].reads;
  RemapWalk walk;
  const RemapResult result = Translate({requester, logical, false}, walk);
  Finish(walk);
  if (result.outcome != RemapOutcome::kMemory) return false;
  Touch(result.hpa, false);
  Push(result.hpa, size, posts_);
  return ram_.DeviceRead(result.hpa, to, size, snoop || result.snoop);
}

void Host::Write(uint16_t requester, uint64_t logical, const void* from, size_t size, bool snoop) {
  begun_ = {requester, logical, size};
  RemapWalk walk;
  RemapRequest request{requester, logical, true};
  std::memcpy(&request.data, from, std::min(size, sizeof request.data));
  const RemapResult result = Translate(request, walk);
  hw::BusCounts& counts = bus_counts_[requester];
  ++(result.outcome == RemapOutcome::kInterrupt ? counts.messages : counts.writes);
  const uint64_t way = time_->parameters().pcie_latency_ps + time_->parameters().iommu_lookup_ps;
  if (result.outcome == RemapOutcome::kInterrupt) {
    return Land(way, walk, [this, address = result.hpa, data = result.data] { messages_(address, data); });
  }
  if (result.outcome != RemapOutcome::kMemory) return Finish(walk);
  const bool snoops = snoop || result.snoop;
  if (size > kRecord || way == 0) {
    Push(result.hpa, size, posts_);
    Touch(result.hpa, true);
    static_cast<void>(ram_.DeviceWrite(result.hpa, from, size, snoops));  // dropped if there is no memory
    return Finish(walk);
  }
  Posted& post = posted_[posts_] = {result.hpa, size, snoops, {}};
  std::memcpy(post.bytes.data(), from, size);
  Land(way, walk, [this, number = posts_] {
    const auto found = posted_.find(number);  // not found: a device's read has pushed this write
    if (found != posted_.end()) Push(found->second.hpa, found->second.size, number + 1);
  });
  ++posts_;
}

void Host::Push(uint64_t hpa, size_t size, uint64_t before) {
  for (auto post = posted_.begin(); post != posted_.end() && post->first < before;) {
    const Posted& p = post->second;
    if (!p.Touches(hpa, size)) {
      ++post;
      continue;
    }
    Touch(p.hpa, true);
    static_cast<void>(ram_.DeviceWrite(p.hpa, p.bytes.data(), p.size, p.snoop));  // dropped if there is no memory
    post = posted_.erase(post);
  }
}

uint64_t Host::Serve(uint16_t requester, uint64_t logical, size_t size, bool write, uint64_t at_ps) {
  // The IOMMU translates each request of a split access. Read or Write has already translated the
  // first request, so only the later ones are translated here.
  const bool more = requester == begun_.requester && logical > begun_.logical && logical - begun_.logical < begun_.size;
  if (more && iommu_) {
    RemapWalk walk;
    static_cast<void>(Translate({requester, logical, write}, walk));
    Finish(walk);
  }
  const uint64_t served = time_->Serve(requester, logical, size, write, at_ps);
  if (time_->joined()) iommu_->CountJoined(time_->joined_below_top());
  return served;
}

bool Host::Peek(uint16_t requester, uint64_t logical, uint64_t* word) const {
  uint64_t hpa = logical;
  if (iommu_) {
    RamOfIommu memory(ram_);
    const RemapResult result = iommu_->Peek(memory, {requester, logical});
    if (result.outcome != RemapOutcome::kMemory) return false;
    hpa = result.hpa;
  }
  if (!ram_.Read(hpa, word, sizeof *word)) return false;
  auto* const bytes = reinterpret_cast<uint8_t*>(word);
  for (const auto& [number, post] : posted_) {
    for (size_t i = 0; i < post.size; ++i)
      if (post.hpa + i - hpa < sizeof *word) bytes[post.hpa + i - hpa] = post.bytes[i];
  }
  return true;
}

void Host::StrayAccess(hw::Bdf device, hw::Stray kind, uint64_t address, uint32_t data) {
  uint64_t word = data;
  const uint16_t requester = device.requester_id();
  switch (kind) {
    case hw::Stray::kRead: static_cast<void>(Read(requester, address, &word, sizeof word, true)); return;
    case hw::Stray::kWrite: return Write(requester, address, &word, sizeof word, true);
    case hw::Stray::kMessage: return Write(requester, address, &word, sizeof data, true);
  }
}

std::vector<hw::Counter> Host::Counters() { return iommu_ ? iommu_->Counters() : std::vector<hw::Counter>(); }

// ---- the IOMMU's registers and its invalidation queue

void Host::WriteRegister(uint32_t offset, unsigned size, uint64_t value) {
  iommu_->WriteRegister(offset, size, value);
  PumpQueue();
}

void Host::PumpQueue() {
  if (queue_busy_) return;
  const RemapWork work = iommu_->NextWork();
  if (work.kind == RemapWork::Kind::kFetch) {
    queue_busy_ = true;
    agenda_.At(agenda_.now() + time_->WordPs() + time_->parameters().iommu_descriptor_ps, [this, work] {
      uint64_t words[2] = {0, 0};
      const bool ok = ram_.Read(work.address, words, sizeof words);
      queue_busy_ = false;
      iommu_->FetchDone(ok, words[0], words[1]);
      PumpQueue();
    });
  } else if (work.kind == RemapWork::Kind::kStatus) {
    queue_busy_ = true;
    agenda_.At(agenda_.now() + time_->WordPs(), [this, work] {
      const bool ok = ram_.Write(work.address, &work.data, sizeof work.data);
      queue_busy_ = false;
      iommu_->StatusDone(ok);
      PumpQueue();
    });
  }  // Land calls PumpQueue after each access in flight and so repeats this check
}

}  // namespace gmmu::sim
