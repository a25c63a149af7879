// SPDX-License-Identifier: Apache-2.0
#include "os/dxgkrnl/adapter.h"

#include <algorithm>
#include <cstring>

#include "os/miniport/admission.h"
#include "os/kernel/bug_check.h"
#include "os/kernel/dma_policy.h"
#include "os/dxgkrnl/linked_chain.h"
#include "os/kernel/text.h"

namespace gmmu::os {
namespace {
constexpr uint64_t kPowerBoundNs = 100'000'000;
}

Adapter::Adapter(Dxgkrnl& dxgkrnl, PDRIVER_INITIALIZE entry)
    : dxgkrnl_(dxgkrnl), kernel_(dxgkrnl.kernel()), entry_(entry), vidsch_(kernel_) {
  dxgkrnl_.Register(*this);
}

Adapter::~Adapter() { dxgkrnl_.Unregister(*this); }

PhysicalAdapter& Adapter::physical(unsigned index) {
  if (index >= physical_.size()) throw BugCheck("there is no physical adapter " + std::to_string(index));
  return *physical_[index];
}

PhysicalAdapter& Adapter::lead() {
  if (lead_ == nullptr) throw BugCheck("the adapter is not on");
  return *lead_;
}

PhysicalAdapter* Adapter::FromHandle(HANDLE handle) {
  for (const auto& gpu : physical_) {
    if (gpu->handle() == handle) return gpu.get();
  }
  return nullptr;
}

std::vector<PhysicalAdapter*> Adapter::UpOrder() {
  std::vector<PhysicalAdapter*> order;
  for (const auto& gpu : physical_) {
    if (gpu.get() != lead_) order.push_back(gpu.get());
  }
  order.push_back(lead_);
  return order;
}

std::vector<PhysicalAdapter*> Adapter::DownOrder() {
  std::vector<PhysicalAdapter*> order = UpOrder();
  std::reverse(order.begin(), order.end());
  return order;
}

hw::BusCounts Adapter::BusAccesses() {
  hw::BusCounts sum;
  for (const auto& gpu : physical_) {
    const hw::BusCounts one = gpu->BusAccesses();
    sum.reads += one.reads;
    sum.writes += one.writes;
    sum.messages += one.messages;
  }
  return sum;
}

// MapAperture2Supported is known only when the device has been started, behind its domain.
void Adapter::Start() {
  may_remap_ = true;
  StartInMode();
  if (remapped() && !can_remap() && !kernel_.parameters().open.map_aperture2_missing_refused) {
    Stop();
    may_remap_ = false;
    StartInMode();
  }
  QueryCaps();
  for (const auto& gpu : physical_) gpu->MakeSegments();
  vidsch_.Start();
  dxgkrnl_.frame_buffer().Reserve(handle(), remapped(), answers().save_areas);
  isolation_.OnStarted();
}

void Adapter::StartInMode() {
  FindDevices();
  LoadDriver();
  AssembleLink();
  DecideMemory();
  QueryReserved();
  Attach();
  StartDevices();
  AskStarted();
}

bool Adapter::can_remap() const {
  return answers().iommu && answers().iommu->DmaRemappingSupported &&
         kernel_.parameters().dma_remapping_compatible == 3 &&
         answers().driver.MemoryManagementCaps.MapAperture2Supported;
}

void Adapter::FindDevices() {
  const hw::FirmwareTables& firmware = kernel_.hal().platform().firmware();
  for (const PciFunction& function : kernel_.pci().Enumerate()) {
    if (function.vendor != firmware.gpu_vendor || function.device != firmware.gpu_device) continue;
    physical_.push_back(std::make_unique<PhysicalAdapter>(*this, function, static_cast<unsigned>(physical_.size()),
                                                          &handles_[function.bdf.requester_id()]));
    physical_.back()->NoteBusAccesses();
  }
  if (!physical_.empty()) return;
  throw OsError("no GPU " + Hex(firmware.gpu_vendor) + ":" + Hex(firmware.gpu_device) +
                " on the PCI bus");
}

void Adapter::LoadDriver() {
  miniport_ = std::make_unique<Miniport>(kernel_, dxgkrnl_.Load(entry_));
  miniport_->set_not_idle([this] { return NotIdle(); });
}

void Adapter::AssembleLink() {
  std::vector<LinkAnswer> answers;
  for (const auto& gpu : physical_) {
    PDEVICE_OBJECT const device = reinterpret_cast<PDEVICE_OBJECT>(gpu.get());
    miniport_->AddDevice(device);
    answers.push_back({gpu->name(), miniport_->LinkDevice(device, gpu->unit())});
  }
  const LinkedChain chain = FindChain(answers);
  if (!chain.refusal.empty()) throw OsError(chain.refusal);
  std::vector<std::unique_ptr<PhysicalAdapter>> members, others;
  lead_ = physical_[chain.lead].get();
  for (size_t i = 0; i < physical_.size(); ++i) {
    const bool member = std::find(chain.members.begin(), chain.members.end(), i) != chain.members.end();
    (member ? members : others).push_back(std::move(physical_[i]));
  }
  physical_ = std::move(members);
  for (const auto& gpu : others) miniport_->RemoveDevice(gpu->unit());
  miniport_->set_lead(lead_->unit());
}

void Adapter::DecideMemory() {
  AdapterAnswers& answers = lead_->answers_;
  QueryMemory(*miniport_, answers);
  highest_visible_ = static_cast<uint64_t>(answers.memory.HighestVisibleAddress.QuadPart);
  DmaFacts facts;
  facts.highest_visible = highest_visible_;
  facts.last_byte = kernel_.pages().end() - 1;
  facts.supported = answers.iommu && answers.iommu->DmaRemappingSupported != 0 && may_remap_;
  facts.inf_value = kernel_.parameters().dma_remapping_compatible;
  facts.inclusive = kernel_.parameters().open.highest_visible_inclusive;
  facts.iommu = kernel_.iommu() != nullptr;
  facts.policy = dxgkrnl_.remap_policy();
  const DmaDecision decision = DecideDma(facts);
  if (!decision.refusal.empty()) throw OsError(decision.refusal);
  reaches_all_ = decision.reaches_all;
  mode_ = decision.mode;
  if (answers.iommu && answers.iommu->IommuIsolationRequired && kernel_.iommu() == nullptr) {
    throw OsError("DXGK_IOMMU_CAPS.IommuIsolationRequired is 1, and there is no IOMMU ([iommu] present)");
  }
  if (mode_ == DmaMode::kPhysical) return;
  SwitchIommuOn();
  MakeDomain(mode_ == DmaMode::kIdentity);
}

void Adapter::SwitchIommuOn() {
  kernel_.iommu()->Enable([this](const IommuFault& record) {
    Fault fault;
    fault.source = "iommu";
    fault.name = record.ReasonName();
    fault.address = record.address;
    fault.client = record.requester;
    fault.access = record.read ? "read" : "write";
    const hw::Bdf bdf{static_cast<uint8_t>(record.requester >> 8),
                      static_cast<uint8_t>(record.requester >> 3 & 31),
                      static_cast<uint8_t>(record.requester & 7)};
    fault.text = "device " + bdf.ToString() + ": " + fault.access + " of logical page " +
                 Hex(record.address) + ": " + fault.name;
    kernel_.Report(fault);
  });
}

void Adapter::MakeDomain(bool identity) {
  const uint64_t limit = highest_visible_ == ~uint64_t{0} ? highest_visible_ : highest_visible_ + 1;
  domain_ = kernel_.iommu()->CreateDomain(limit, identity, "dxgkrnl");
}

void Adapter::MakeIsolationDomain() {
  if (domain_ != nullptr) return;
  kernel_.iommu()->Prepare();
  MakeDomain(true);
}

void Adapter::MapIsolationDomain() {
  if (reserved_mapped_) return;
  MapReservedRanges();
  if (kernel_.parameters().isolation_scope == IsolationScope::kAll)
    kernel_.iommu()->MapWhole(*domain_, kernel_.pages().ranges());
  for (const auto& gpu : physical_) {
    objects().SetDomain(gpu->handle(), *domain_);
    isolation_memory().SetDomain(gpu->handle(), *domain_);
  }
}

void Adapter::AttachIsolationDomain() {
  SwitchIommuOn();
  for (const auto& gpu : physical_) {
    kernel_.iommu()->Attach(gpu->function().bdf, *domain_);
    gpu->attached_ = true;
  }
  mode_ = DmaMode::kIdentity;
}

void Adapter::AbandonIsolationDomain() {
  if (domain_ == nullptr) return;
  reserved_mapped_ = false;  // with the domain
  LeaveDomain();
}

void Adapter::EnterIdentity() {
  MakeIsolationDomain();
  MapIsolationDomain();
  AttachIsolationDomain();
}

void Adapter::LeaveDomain() {
  for (const auto& gpu : physical_) {
    if (std::exchange(gpu->attached_, false)) kernel_.iommu()->Detach(gpu->function().bdf, *domain_);
    objects().DropDomain(gpu->handle());
    isolation_memory().DropDomain(gpu->handle());
  }
  UnmapReservedRanges();
  kernel_.iommu()->DestroyDomain(std::exchange(domain_, nullptr));
  if (kernel_.iommu()->enabled()) kernel_.iommu()->Disable();
  mode_ = DmaMode::kPhysical;
}

void Adapter::QueryReserved() {
  const auto& iommu = answers().iommu;
  const bool asked = iommu && (iommu->IommuIsolationSupported || iommu->DmaRemappingSupported);
  if (!asked) return;
  reserved_ = QueryReservedRanges(*miniport_, kernel_.parameters().reserved_query);
  const std::string wrong = CheckReservedRanges(reserved_, kernel_.pages().ranges());
  if (wrong.empty()) return;
  if (kernel_.parameters().open.reserved_overlap_stops) throw BugCheck(wrong);
  throw OsError(wrong);
}

void Adapter::MapReservedRanges() {
  reserved_mapped_ = true;
  if (domain_->identity()) return kernel_.iommu()->MapIdentity(*domain_, PagesOf(reserved_));
  for (const DXGK_PHYSICAL_MEMORY_RANGE& range : reserved_) {  // at its own address here too
    if (!domain_->logical().AllocateAt(range.BaseAddress, range.NumberOfBytes, "reserved range")) {
      throw OsError("hardware-reserved range at " + Hex(range.BaseAddress) +
                    " is not among the addresses that the GPU has");
    }
    kernel_.iommu()->Map(*domain_, range.BaseAddress, PagesOf({range}), "dxgkrnl", "reserved range");
  }
}

void Adapter::UnmapReservedRanges() {
  if (!std::exchange(reserved_mapped_, false)) return;
  if (domain_->identity()) return kernel_.iommu()->UnmapIdentity(*domain_, PagesOf(reserved_));
  for (const DXGK_PHYSICAL_MEMORY_RANGE& range : reserved_) {
    kernel_.iommu()->Unmap(*domain_, range.BaseAddress, range.NumberOfBytes / hw::kPageSize);
    domain_->logical().Free(range.BaseAddress);
  }
}

void Adapter::Attach() {
  // The driver has not been started and bus mastering is off: nothing of a device may have been on
  // the bus since.
  for (const auto& gpu : physical_) gpu->RequireUntouchedBus();
  size_t live = 0;
  for (const auto& gpu : physical_)
    live += objects().LiveAdls(gpu->handle()) + isolation_memory().Live(gpu->handle());
  if (live != 0) {  // their pages would be out of its reach, or at other addresses
    throw OsError("the adapter is started while " + std::to_string(live) +
                  " ADLs and pieces of isolation memory of its last start live: the mode of DMA is decided while the "
                  "device references no memory");
  }
  if (domain_ != nullptr) {
    MapReservedRanges();
    const uint64_t before = BusAccesses().total();
    for (const auto& gpu : physical_) {
      kernel_.iommu()->Attach(gpu->function().bdf, *domain_);
      gpu->attached_ = true;
    }
    if (BusAccesses().total() != before)
      throw OsError("the device used the bus while its IOMMU domain was attached");
  }
  for (const auto& gpu : physical_) {
    objects().AddAdapter(gpu->handle(), {domain_, gpu->name()});
    isolation_memory().AddAdapter(gpu->handle(), {domain_, gpu->name()});
    gpu->Connect();
  }
}

void Adapter::StartDevices() {
  for (PhysicalAdapter* gpu : UpOrder()) gpu->StartDevice();
  vidsch_.Connect(miniport_.get());
}

// The driver numbers its adapters: DXGK_PHYSICALADAPTERCAPS.DxgkPhysicalAdapterHandle of an index is the
// DeviceHandle that DxgkDdiStartDevice brought.
void Adapter::NumberAdapters() {
  if (physical_.size() == 1) return;
  std::vector<size_t> at;  // by index
  for (UINT index = 0; index < adapters(); ++index) {
    DXGK_QUERYPHYSICALADAPTERCAPSIN in{index};
    DXGK_PHYSICALADAPTERCAPS caps{};
    Miniport::Require(miniport_->Query(DXGKQAITYPE_PHYSICALADAPTERCAPS, in, caps),
                      "the query for PHYSICALADAPTERCAPS of adapter " + std::to_string(index));
    size_t place = 0;
    while (place < physical_.size() && physical_[place]->handle() != caps.DxgkPhysicalAdapterHandle) ++place;
    if (place == physical_.size() || std::find(at.begin(), at.end(), place) != at.end()) {
      throw OsError("DXGK_PHYSICALADAPTERCAPS.DxgkPhysicalAdapterHandle of adapter " + std::to_string(index) +
                    " is not the DeviceHandle of a linked adapter, or of one with a smaller index");
    }
    at.push_back(place);
  }
  std::vector<std::unique_ptr<PhysicalAdapter>> numbered;
  for (const size_t place : at) {
    physical_[place]->index_ = static_cast<unsigned>(numbered.size());
    numbered.push_back(std::move(physical_[place]));
  }
  physical_ = std::move(numbered);
}

void Adapter::AskStarted() {
  NumberAdapters();
  std::vector<AdapterAnswers*> all;
  for (const auto& gpu : physical_) {
    if (gpu.get() != lead_) {
      gpu->answers_.version = lead_->answers_.version;
      gpu->answers_.memory = lead_->answers_.memory;
      gpu->answers_.iommu = lead_->answers_.iommu;
    }
    gpu->answers_.physical_adapter = gpu->index_;
    gpu->answers_.linked = adapters();
    gpu->answers_.last_byte = kernel_.pages().end() - 1;
    gpu->answers_.system_segment_behind_last = kernel_.parameters().open.system_segment_behind_last;
    gpu->answers_.both_mmu_models_refused = kernel_.parameters().open.both_mmu_models_refused;
    all.push_back(&gpu->answers_);
  }
  QueryStarted(*miniport_, all, kernel_.parameters().bring_up);
  lead_->answers_.save_areas.clear();
  for (const auto& gpu : physical_) {
    if (!gpu->answers_.save_area) continue;
    lead_->answers_.save_areas.resize(adapters());
    lead_->answers_.save_areas[gpu->index_] = *gpu->answers_.save_area;
  }
}

void Adapter::QueryCaps() {
  std::vector<AdapterAnswers*> all;
  std::vector<Refusal> refusals;
  for (const auto& gpu : physical_) {
    all.push_back(&gpu->answers_);
    const std::vector<Refusal> own = Admit(gpu->answers_, remapped());
    refusals.insert(refusals.end(), own.begin(), own.end());
  }
  const std::vector<Refusal> together = AdmitLink(all);
  refusals.insert(refusals.end(), together.begin(), together.end());
  RequireAdmission(refusals);
  for (const auto& gpu : physical_) gpu->UseAnswers(highest_visible_);
}

std::string Adapter::NotIdle() const {
  if (!vidsch_.idle()) return "the driver holds packets";
  if (!kernel_.parameters().inject.leak.empty()) return "";  // what is planted is reported at power-off
  for (const auto& gpu : physical_) {
    for (const Segment& segment : gpu->segments()) {
      if (segment.aperture || segment.space->ranges() == 0) continue;
      return std::to_string(segment.space->ranges()) + " ranges of segment " + gpu->Named(std::to_string(segment.id)) +
             " are in use";
    }
  }
  return "";
}

void Adapter::PowerDown(POWER_ACTION action) {
  vidsch_.Suspend();  // until PowerUp
  vidsch_.WaitQuiet(kPowerBoundNs);
  for (PhysicalAdapter* gpu : DownOrder()) {
    miniport_->SetPowerState(PowerDeviceD3, action, gpu->unit());
    gpu->PowerFunction(false);
  }
}

void Adapter::PowerUp() {
  for (PhysicalAdapter* gpu : UpOrder()) {
    gpu->PowerFunction(true);
    miniport_->SetPowerState(PowerDeviceD0, PowerActionNone, gpu->unit());
  }
  vidsch_.Resume();
}

void Adapter::Stop() {
  for (const auto& gpu : physical_) gpu->DropViews();
  vidsch_.Stop();
  vidsch_.Connect(nullptr);
  for (PhysicalAdapter* gpu : DownOrder()) {
    miniport_->SetPowerState(PowerDeviceD3, PowerActionShutdownOff, gpu->unit());
    miniport_->StopDevice(gpu->unit());
    gpu->Disconnect();
  }
  const uint64_t before = BusAccesses().total();
  for (const auto& gpu : physical_) {
    if (std::exchange(gpu->attached_, false)) kernel_.iommu()->Detach(gpu->function().bdf, *domain_);
  }
  if (BusAccesses().total() != before)
    throw OsError("the device used the bus while its IOMMU domain was detached");
  dxgkrnl_.frame_buffer().Release(handle());
  for (PhysicalAdapter* gpu : DownOrder()) {
    miniport_->RemoveDevice(gpu->unit());  // may still give back what it has
    objects().RemoveAdapter(gpu->handle());
    isolation_memory().RemoveAdapter(gpu->handle());
  }
  if (domain_ != nullptr) {
    UnmapReservedRanges();
    kernel_.iommu()->DestroyDomain(domain_);
    domain_ = nullptr;
    if (kernel_.iommu()->enabled()) kernel_.iommu()->Disable();
  }
  reserved_.clear();
  dxgkrnl_.Unload(entry_);
  miniport_.reset();
  for (const auto& gpu : physical_) kernel_.pci().PowerOff(gpu->function());
  lead_ = nullptr;
  physical_.clear();
  mode_ = DmaMode::kPhysical;
}

void Adapter::AnnounceLoss(HANDLE paging_context, std::vector<DXGKARG_BUILDPAGINGBUFFER> lost) {
  for (DXGKARG_BUILDPAGINGBUFFER& operation : lost) {
    operation.hSystemContext = paging_context;
    if (miniport_->BuildPagingBuffer(operation) != STATUS_SUCCESS)
      throw BugCheck("the driver asks for a paging buffer for " + NameOf(operation.Operation) + " after a reset");
  }
}

void Adapter::Restart() { Miniport::Require(miniport_->RestartFromTimeout(), "DxgkDdiRestartFromTimeout"); }

bool Adapter::LoseInterrupt() {
  if (lost_interrupts_ >= kernel_.parameters().inject.lost_interrupts) return false;
  ++lost_interrupts_;
  return true;
}

DriverRequests& Adapter::driver_requests() {
  if (driver_requests_ == nullptr) throw BugCheck("the driver asks for memory while no memory manager runs");
  return *driver_requests_;
}

}  // namespace gmmu::os
