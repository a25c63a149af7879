// SPDX-License-Identifier: Apache-2.0
#include "os/application/adapter.h"

#include "os/application/gpu.h"
#include "os/dxgkrnl/adapter_domain.h"
#include "os/dxgkrnl/added_memory.h"
#include "os/dxgkrnl/gpu_isolation.h"
#include "os/dxgkrnl/logical_adapter.h"
#include "os/hal/remapping.h"
#include "os/kernel/kernel.h"
#include "os/miniport/device_life.h"
#include "os/vidsch/vidsch.h"

namespace gmmu::os {
namespace {
constexpr uint64_t kBoundNs = 1'000'000'000;
}  // namespace

unsigned Adapter::gpus() const { return adapter_->adapters(); }
Gpu Adapter::gpu(unsigned index) const { return adapter_->physical(index); }
Gpu Adapter::lead() const { return adapter_->lead(); }

PacketEnd Adapter::Wait(PacketId packet) const { return adapter_->vidsch().Wait(packet, kBoundNs); }
bool Adapter::Ended(PacketId packet) const { return adapter_->vidsch().Ended(packet); }
bool Adapter::idle(uint32_t node) const { return adapter_->vidsch().idle(node); }
void Adapter::Preempt(uint32_t node) const { adapter_->vidsch().Preempt(node); }
uint64_t Adapter::resubmissions(uint32_t node) const { return adapter_->vidsch().resubmissions(node); }
uint64_t Adapter::submitted_in_reports() const { return adapter_->vidsch().submitted_in_reports(); }
std::vector<RecoveryFacts> Adapter::recoveries() const {
  std::vector<RecoveryFacts> all;
  for (const RecoveryRecord& one : adapter_->vidsch().recoveries())
    all.push_back({one.kind == RecoveryRecord::Kind::kAdapter, one.device, one.why});
  return all;
}

void Adapter::PowerDown(POWER_ACTION action) const { adapter_->PowerDown(action); }
void Adapter::PowerUp() const { adapter_->PowerUp(); }

void Adapter::SurpriseRemove() const { adapter_->vidsch().OnRemoval(); }

uint64_t Adapter::CallsOf(const std::string& entry) const { return adapter_->miniport().calls(entry); }
uint64_t Adapter::CallbacksOf(const std::string& callback) const {
  const auto& happened = adapter_->kernel().happened();
  const auto found = happened.find(callback);
  return found == happened.end() ? 0 : found->second;
}
std::vector<unsigned> Adapter::UnitsOf(const std::string& entry, DEVICE_POWER_STATE state) const {
  std::vector<unsigned> units;
  for (const DeviceLife::LifeCall& call : adapter_->miniport().devices().life())
    if (call.entry == entry && call.state == state) units.push_back(call.unit);
  return units;
}

std::string Adapter::AddMemory(const hw::Range& bytes) const { return os::AddMemory(adapter_->dxgkrnl(), bytes); }
DmaMode Adapter::mode() const { return adapter_->mode(); }
bool Adapter::has_domain() const { return adapter_->domain() != nullptr; }
bool Adapter::domain_has_all() const { return has_domain() && adapter_->domain()->whole(); }
uint64_t Adapter::At(uint64_t page) const {
  if (adapter_->domain() == nullptr) throw OsError("the GPU is behind no domain of the IOMMU");
  return adapter_->domain()->Lookup(page);
}
const std::vector<DXGK_PHYSICAL_MEMORY_RANGE>& Adapter::reserved() const { return adapter_->dma().reserved_ranges(); }

void Adapter::StartSecureVm() const { adapter_->isolation().OnSecureVm(); }
void Adapter::TakeDevice() const {
  adapter_->isolation().exclusive().Run("nothing", [] {});
}
ExclusiveFacts Adapter::exclusive() const {
  const ExclusiveAccess& exclusive = adapter_->isolation().exclusive();
  return {exclusive.runs(), exclusive.drained_ns(), exclusive.quiet_ns()};
}
void Adapter::PunchHole(uint64_t logical) const { adapter_->kernel().iommu()->PunchHole(*adapter_->domain(), logical); }

}  // namespace gmmu::os
