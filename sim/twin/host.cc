// SPDX-License-Identifier: Apache-2.0
#include "twin/host.h"

#include <algorithm>
#include <cstring>

#include "pcie/address_map.h"
#include "platform/host_image.h"

namespace gmmu::sim::twin {

Host::Host(hw::HostRam& ram, std::unique_ptr<VtdCore> iommu, const TimeParameters& timing, Agenda& agenda,
           MessageSink messages)
    : ram_(ram), iommu_(std::move(iommu)), timing_(timing), agenda_(agenda), messages_(std::move(messages)) {
  if (!iommu_) return;
  iommu_->set_message_sink([this](uint64_t address, uint32_t data) {
    agenda_.At(agenda_.now() + timing_.iommu_lookup_ps, [this, address, data] { messages_(address, data); });
  });
}

// ---- accesses of devices

VtdResult Host::Translate(const VtdRequest& request, unsigned& reads) {
  if (!iommu_) {
    const bool message = request.iova >= kMessageStart && request.iova < kMessageEnd;
    VtdResult result;
    result.hpa = request.iova;
    result.outcome = !message ? VtdOutcome::kMemory : request.write ? VtdOutcome::kInterrupt : VtdOutcome::kBlocked;
    return result;
  }
  VtdWalk walk = iommu_->Lookup(request);
  while (!walk.done()) {
    uint64_t words[2] = {0, 0};
    const bool ok = ram_.Read(walk.read().address, words, walk.read().bytes);
    iommu_->Feed(walk, ok, words[0], words[1]);
  }
  reads += walk.reads();
  iommu_->Finish(walk);
  return walk.result();
}

void Host::Touch(uint64_t hpa, bool write) {
  owners_.Access(hpa, write);
  if (watched_.empty()) return;
  const auto watched = watched_.find(hpa / hw::kPageSize);
  if (watched != watched_.end()) ++watched->second;
}

bool Host::Read(uint16_t requester, uint64_t logical, void* to, size_t size, bool snoop, unsigned& walk_reads) {
  ++bus_counts_[requester].reads;
  const VtdResult result = Translate({requester, logical, false}, walk_reads);
  if (result.outcome != VtdOutcome::kMemory) return false;
  Touch(result.hpa, false);
  return ram_.DeviceRead(result.hpa, to, size, snoop || result.snoop);
}

void Host::Write(uint16_t requester, uint64_t logical, const void* from, size_t size, bool snoop,
                 unsigned& walk_reads) {
  const VtdResult result = Translate({requester, logical, true}, walk_reads);
  hw::BusCounts& counts = bus_counts_[requester];
  ++(result.outcome == VtdOutcome::kInterrupt ? counts.messages : counts.writes);
  if (result.outcome == VtdOutcome::kInterrupt) {
    uint32_t data = 0;
    std::memcpy(&data, from, std::min<size_t>(size, sizeof data));
    agenda_.At(agenda_.now() + timing_.pcie_latency_ps,
               [this, address = result.hpa, data] { messages_(address, data); });
    return;
  }
  if (result.outcome != VtdOutcome::kMemory) return;
  Touch(result.hpa, true);
  if (!ram_.DeviceWrite(result.hpa, from, size, snoop || result.snoop)) return;  // nobody is there
}

bool Host::Peek(uint16_t requester, uint64_t logical, uint64_t* word) const {
  uint64_t hpa = logical;
  if (iommu_) {
    RamOfIommu memory(ram_);
    const VtdResult result = iommu_->Peek(memory, {requester, logical});
    if (result.outcome != VtdOutcome::kMemory) return false;
    hpa = result.hpa;
  }
  return ram_.Read(hpa, word, sizeof *word);
}

// ---- the unit's registers and its invalidation queue

void Host::WriteRegister(uint32_t offset, unsigned size, uint64_t value) {
  iommu_->WriteRegister(offset, size, value);
  PumpQueue();
}

void Host::PumpQueue() {
  if (queue_busy_) return;
  const VtdQueueWork work = iommu_->NextWork();
  if (work.kind == VtdQueueWork::Kind::kFetch) {
    queue_busy_ = true;
    agenda_.At(agenda_.now() + timing_.dram_ps + timing_.iommu_descriptor_ps, [this, work] {
      uint64_t words[2] = {0, 0};
      const bool ok = ram_.Read(work.address, words, sizeof words);
      queue_busy_ = false;
      iommu_->FetchDone(ok, words[0], words[1]);
      PumpQueue();
    });
  } else if (work.kind == VtdQueueWork::Kind::kStatus) {
    queue_busy_ = true;
    agenda_.At(agenda_.now() + timing_.dram_ps, [this, work] {
      const bool ok = ram_.Write(work.address, &work.data, sizeof work.data);
      queue_busy_ = false;
      iommu_->StatusDone(ok);
      PumpQueue();
    });
  }  // nothing is in flight between two acts: no drain is ever waited for
}

}  // namespace gmmu::sim::twin
