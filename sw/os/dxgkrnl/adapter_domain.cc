// SPDX-License-Identifier: Apache-2.0
#include "os/dxgkrnl/adapter_domain.h"

#include <utility>

#include "os/dxgkrnl/dxgkrnl.h"
#include "os/dxgkrnl/logical_adapter.h"
#include "os/dxgkrnl/physical_adapter.h"
#include "os/dxgkrnl/system_segment.h"
#include "os/base/bug_check.h"
#include "os/hal/remapping.h"
#include "os/kernel/kernel.h"
#include "os/base/text.h"
#include "os/memory/isolation_memory.h"
#include "os/memory/memory_objects.h"
#include "os/miniport/adapter_answers.h"
#include "os/miniport/interface_version.h"
#include "os/miniport/reserved_ranges.h"

namespace gmmu::os {
namespace {

/// Returns the DmaRemappingCompatible value from the built-in driver's INF, unless the user has set
/// another value.
uint64_t InfValue(const Kernel& kernel) { return kernel.QueryParameter("DmaRemappingCompatible").value_or(3); }

}  // namespace

AdapterDomain::AdapterDomain(LogicalAdapter& adapter) : adapter_(adapter), kernel_(adapter.kernel()) {}

bool AdapterDomain::can_remap() const {
  return HasDmaRemapping(adapter_.answers().version) && adapter_.answers().iommu &&
         adapter_.answers().iommu->DmaRemappingSupported && InfValue(kernel_) == 3 &&
         adapter_.answers().driver.MemoryManagementCaps.MapAperture2Supported;
}

bool AdapterDomain::can_be_1to1() const {
  const AdapterAnswers& answers = adapter_.answers();
  return HasMemoryCaps(answers.version) || answers.driver.MemoryManagementCaps.IoMmuSecureModeSupported;
}

void AdapterDomain::Decide(bool may_remap) {
  const AdapterAnswers& answers = adapter_.answers();
  mode_ = DmaMode::kPhysical;
  reaches_all_memory_ = true;
  if (!HasMemoryCaps(answers.version)) return;
  DmaFacts facts;
  facts.highest_visible = answers.highest_visible();
  facts.known = HasDmaRemapping(answers.version);
  facts.last_byte = kernel_.pages().end() - 1;
  facts.supported = answers.iommu && answers.iommu->DmaRemappingSupported != 0 && may_remap;
  facts.inf_value = InfValue(kernel_);
  facts.inclusive = kernel_.parameters().highest_visible_inclusive;
  facts.iommu = kernel_.iommu() != nullptr;
  facts.policy = adapter_.dxgkrnl().remap_policy();
  const DmaDecision decision = DecideDma(facts);
  if (!decision.refusal.empty()) throw OsError(decision.refusal);
  reaches_all_memory_ = decision.reaches_all;
  mode_ = decision.mode;
  if (answers.iommu && answers.iommu->IommuIsolationRequired && kernel_.iommu() == nullptr) {
    throw OsError("DXGK_IOMMU_CAPS.IommuIsolationRequired is 1, and there is no IOMMU ([iommu] present)");
  }
  if (mode_ == DmaMode::kPhysical && IsolatedFromTheStart()) {
    mode_ = DmaMode::kIdentity;
    adapter_.dxgkrnl().NoteIsolation();
  }
  if (mode_ == DmaMode::kPhysical) {
    if (kernel_.iommu() != nullptr && kernel_.iommu()->enabled()) MakePassing();
    return;
  }
  SwitchIommuOn();
  MakeDomain(mode_ == DmaMode::kIdentity);
}

// Before DxgkDdiStartDevice, only DXGK_IOMMU_CAPS reports whether the driver requires isolation.
bool AdapterDomain::IsolatedFromTheStart() const {
  const auto& iommu = adapter_.answers().iommu;
  if (!iommu) return false;
  return iommu->IommuIsolationRequired || (iommu->IommuIsolationSupported && adapter_.dxgkrnl().isolation_noted());
}

void AdapterDomain::SwitchIommuOn() {
  if (kernel_.iommu()->enabled()) return;
  std::vector<Remapping::Attachment> attached;
  for (LogicalAdapter* other : adapter_.dxgkrnl().adapters()) {
    if (other == &adapter_ || !other->running()) continue;
    other->dma().MakePassing();
    for (const auto& gpu : other->gpus()) {
      attached.emplace_back(gpu->function().bdf, other->dma().passing_);
      other->dma().attached_.insert(gpu.get());
    }
  }
  kernel_.iommu()->Enable(FaultReporter(kernel_), attached);
}

std::function<void(const RemappingFault&)> AdapterDomain::FaultReporter(Kernel& kernel) {
  return [&kernel](const RemappingFault& record) {
    Fault fault;
    fault.source = "iommu";
    fault.name = record.reason;
    fault.address = record.address;
    fault.client = record.device.requester_id();
    fault.access = record.read ? "read" : "write";
    fault.text = record.Text();
    kernel.Report(fault);
  };
}

void AdapterDomain::SwitchIommuOff() {
  if (kernel_.iommu()->enabled() && !kernel_.iommu()->has_domains()) kernel_.iommu()->Disable();
}

void AdapterDomain::MakePassing() {
  kernel_.iommu()->Prepare();
  passing_ = kernel_.iommu()->CreateDomain(~uint64_t{0}, true, "dxgkrnl");
  kernel_.iommu()->MapWhole(*passing_, kernel_.pages().ranges());
  kernel_.iommu()->MapIdentity(*passing_, PagesOf(reserved_));
}

bool AdapterDomain::Reaches(uint64_t byte) const {
  if (mode_ == DmaMode::kRemapped) return true;
  return ReachesByte(adapter_.answers().highest_visible(), byte, kernel_.parameters().highest_visible_inclusive);
}

void AdapterDomain::MapAdded(const hw::Range& bytes) {
  RemappingDomain* const all = passing_ != nullptr ? passing_ : domain_;
  if (all == nullptr || !all->whole()) return;
  kernel_.iommu()->MapWhole(*all, {{bytes.start / hw::kPageSize, bytes.end / hw::kPageSize}});
}

void AdapterDomain::EndPassing() {
  if (passing_ == nullptr) return;
  for (const auto& gpu : adapter_.gpus()) Detach(*gpu);
  kernel_.iommu()->DestroyDomain(std::exchange(passing_, nullptr));
}

void AdapterDomain::MakeDomain(bool identity) {
  const uint64_t highest = adapter_.answers().highest_visible();
  const uint64_t limit = highest == ~uint64_t{0} ? highest : highest + 1;
  domain_ = kernel_.iommu()->CreateDomain(limit, identity, "dxgkrnl");
}

void AdapterDomain::QueryReserved() {
  // A driver older than WDDM 2.9 cannot report before its start whether it supports isolation. It
  // is therefore always queried (from WDDM 2.4 on), and may fail the query.
  const auto& iommu = adapter_.answers().iommu;
  const ULONG version = adapter_.answers().version;
  const bool asked = HasMemoryCaps(version) ? iommu && (iommu->IommuIsolationSupported || iommu->DmaRemappingSupported)
                                            : HasIsolation(version);
  if (!asked) return;
  reserved_ = QueryReservedRanges(adapter_.miniport(), kernel_.parameters().reserved_query);
  const std::string wrong = CheckReservedRanges(reserved_, kernel_.pages().ranges());
  if (wrong.empty()) return;
  if (kernel_.parameters().reserved_overlap_stops) throw BugCheck(wrong);
  throw OsError(wrong);
}

void AdapterDomain::MapReservedRanges() {
  reserved_mapped_ = true;
  if (domain_->identity()) return kernel_.iommu()->MapIdentity(*domain_, PagesOf(reserved_));
  // Even in a remapped domain, a reserved range is mapped at its physical address.
  for (const DXGK_PHYSICAL_MEMORY_RANGE& range : reserved_) {
    if (!domain_->logical().AllocateAt(range.BaseAddress, range.NumberOfBytes, "reserved range")) {
      throw OsError("hardware-reserved range at " + Hex(range.BaseAddress) +
                    " is not among the addresses that the GPU has");
    }
    kernel_.iommu()->Map(*domain_, range.BaseAddress, PagesOf({range}), "dxgkrnl", "reserved range");
  }
}

void AdapterDomain::UnmapReservedRanges() {
  if (!std::exchange(reserved_mapped_, false)) return;
  if (domain_->identity()) return kernel_.iommu()->UnmapIdentity(*domain_, PagesOf(reserved_));
  for (const DXGK_PHYSICAL_MEMORY_RANGE& range : reserved_) {
    kernel_.iommu()->Unmap(*domain_, range.BaseAddress, range.NumberOfBytes / hw::kPageSize);
    domain_->logical().Free(range.BaseAddress);
  }
}

void AdapterDomain::MapSegments() {
  if (domain_ == nullptr || !domain_->identity()) return;
  for (const auto& gpu : adapter_.gpus()) {
    const auto& segments = gpu->answers().segments;
    for (size_t i = 0; i < segments.size(); ++i) {
      if (!IsSystemMemory(segments[i])) continue;
      const std::vector<uint64_t> pages = PagesOfSystemSegment(kernel_, segments[i], static_cast<unsigned>(i) + 1);
      segment_pages_.insert(segment_pages_.end(), pages.begin(), pages.end());
    }
  }
  kernel_.iommu()->MapIdentity(*domain_, segment_pages_);
}

void AdapterDomain::UnmapSegments() { kernel_.iommu()->UnmapIdentity(*domain_, std::exchange(segment_pages_, {})); }

void AdapterDomain::Attach(PhysicalAdapter& gpu) {
  kernel_.iommu()->Attach(gpu.function().bdf, *Used());
  attached_.insert(&gpu);
}

void AdapterDomain::Detach(PhysicalAdapter& gpu) {
  if (attached_.erase(&gpu) != 0) kernel_.iommu()->Detach(gpu.function().bdf, *Used());
}

void AdapterDomain::AttachAll() {
  if (Used() == nullptr) return;
  if (passing_ != nullptr) kernel_.iommu()->MapIdentity(*passing_, PagesOf(reserved_));
  else MapReservedRanges();
  const uint64_t before = adapter_.BusAccesses().total();
  for (const auto& gpu : adapter_.gpus()) Attach(*gpu);
  if (adapter_.BusAccesses().total() != before)
    throw OsError("the device used the bus while its IOMMU domain was attached");
}

void AdapterDomain::DetachAll() {
  const uint64_t before = adapter_.BusAccesses().total();
  for (const auto& gpu : adapter_.gpus()) Detach(*gpu);
  if (adapter_.BusAccesses().total() != before)
    throw OsError("the device used the bus while its IOMMU domain was detached");
}

void AdapterDomain::Destroy() {
  if (Used() == nullptr) return;
  EndPassing();
  if (domain_ != nullptr) {
    UnmapSegments();
    UnmapReservedRanges();
    kernel_.iommu()->DestroyDomain(std::exchange(domain_, nullptr));
  }
  SwitchIommuOff();
}

void AdapterDomain::Reset() {
  reserved_.clear();
  mode_ = DmaMode::kPhysical;
}

void AdapterDomain::MakeIsolation() {
  if (domain_ != nullptr) return;
  kernel_.iommu()->Prepare();
  MakeDomain(true);
}

void AdapterDomain::MapIsolation(IsolationScope scope) {
  if (reserved_mapped_) return;
  MapReservedRanges();
  if (scope == IsolationScope::kAll) kernel_.iommu()->MapWhole(*domain_, kernel_.pages().ranges());
  MapSegments();
  for (const auto& gpu : adapter_.gpus()) {
    adapter_.objects().SetDomain(gpu->handle(), *domain_);
    adapter_.dxgkrnl().isolation_memory().SetDomain(gpu->handle(), *domain_);
  }
}

void AdapterDomain::AttachIsolation() {
  EndPassing();
  SwitchIommuOn();
  for (const auto& gpu : adapter_.gpus()) Attach(*gpu);
  mode_ = DmaMode::kIdentity;
}

void AdapterDomain::AbandonIsolation() {
  if (domain_ == nullptr) return;
  reserved_mapped_ = false;  // destroying the domain removes the mappings
  segment_pages_.clear();
  Leave();
}

void AdapterDomain::EnterIdentity() {
  MakeIsolation();
  MapIsolation(IsolationScope::kTracked);
  AttachIsolation();
}

void AdapterDomain::Leave() {
  for (const auto& gpu : adapter_.gpus()) {
    Detach(*gpu);
    adapter_.objects().DropDomain(gpu->handle());
    adapter_.dxgkrnl().isolation_memory().DropDomain(gpu->handle());
  }
  UnmapSegments();
  UnmapReservedRanges();
  kernel_.iommu()->DestroyDomain(std::exchange(domain_, nullptr));
  SwitchIommuOff();
  mode_ = DmaMode::kPhysical;
  if (!kernel_.iommu()->enabled()) return;
  MakePassing();
  for (const auto& gpu : adapter_.gpus()) Attach(*gpu);
}

}  // namespace gmmu::os
