// SPDX-License-Identifier: Apache-2.0
#include "os/dxgkrnl/logical_adapter.h"

#include <algorithm>
#include <cstring>
#include <set>

#include "os/dxgkrnl/adapter_domain.h"
#include "os/dxgkrnl/adapter_objects.h"
#include "os/dxgkrnl/driver_requests.h"
#include "os/dxgkrnl/dxgkrnl.h"
#include "os/dxgkrnl/gpu_isolation.h"
#include "os/dxgkrnl/linked_chain.h"
#include "os/dxgkrnl/physical_adapter.h"
#include "os/base/bug_check.h"
#include "os/kernel/kernel.h"
#include "os/base/text.h"
#include "os/memory/frame_buffer.h"
#include "os/memory/isolation_memory.h"
#include "os/memory/memory_objects.h"
#include "os/miniport/admission.h"
#include "os/miniport/device_life.h"
#include "os/miniport/driver_calls.h"
#include "os/miniport/miniport.h"
#include "os/miniport/unmodelled.h"
#include "os/vidsch/vidsch.h"

namespace gmmu::os {
namespace {
constexpr uint8_t kLastBus = 8;  // the last bus that is searched for GPUs
}  // namespace

LogicalAdapter::LogicalAdapter(Dxgkrnl& dxgkrnl, PDRIVER_INITIALIZE entry)
    : dxgkrnl_(dxgkrnl),
      kernel_(dxgkrnl.kernel()),
      entry_(entry),
      vidsch_(std::make_unique<VidSch>(kernel_)),
      dma_(std::make_unique<AdapterDomain>(*this)),
      driver_objects_(std::make_unique<AdapterObjects>(*this)),
      isolation_(std::make_unique<GpuIsolation>(*this)) {
  dxgkrnl_.Register(*this);
}

LogicalAdapter::~LogicalAdapter() { dxgkrnl_.Unregister(*this); }

MemoryObjects& LogicalAdapter::objects() { return dxgkrnl_.objects(); }
HANDLE LogicalAdapter::handle() { return lead().handle(); }
const AdapterCaps& LogicalAdapter::caps() const { return lead().caps(); }
const AdapterAnswers& LogicalAdapter::answers() const { return lead().answers(); }
Segment& LogicalAdapter::local_segment() { return lead().local_segment(); }
const PciFunction& LogicalAdapter::function() const { return lead().function(); }
bool LogicalAdapter::running() const { return miniport_ != nullptr && miniport_->devices().started(); }
DmaMode LogicalAdapter::mode() const { return dma_->mode(); }
RemappingDomain* LogicalAdapter::domain() { return dma_->domain(); }

PhysicalAdapter& LogicalAdapter::physical(unsigned index) {
  if (index >= physical_.size()) throw BugCheck("there is no physical adapter " + std::to_string(index));
  return *physical_[index];
}

PhysicalAdapter& LogicalAdapter::lead() {
  if (lead_ == nullptr) throw BugCheck("the adapter is not on");
  return *lead_;
}

PhysicalAdapter* LogicalAdapter::FromHandle(HANDLE handle) {
  for (const auto& gpu : physical_) {
    if (gpu->handle() == handle) return gpu.get();
  }
  return nullptr;
}

std::vector<PhysicalAdapter*> LogicalAdapter::UpOrder() {
  std::vector<PhysicalAdapter*> order;
  for (const auto& gpu : physical_) {
    if (gpu.get() != lead_) order.push_back(gpu.get());
  }
  order.push_back(lead_);
  return order;
}

std::vector<PhysicalAdapter*> LogicalAdapter::DownOrder() {
  std::vector<PhysicalAdapter*> order = UpOrder();
  std::reverse(order.begin(), order.end());
  return order;
}

hw::BusCounts LogicalAdapter::BusAccesses() {
  hw::BusCounts sum;
  for (const auto& gpu : physical_) {
    const hw::BusCounts one = gpu->BusAccesses();
    sum.reads += one.reads;
    sum.writes += one.writes;
    sum.messages += one.messages;
  }
  return sum;
}

// MapAperture2Supported is known only after the start, but the domain is needed before it. If the
// driver turns out to lack this capability, the adapter is stopped and restarted without remapping.
void LogicalAdapter::Start() {
  may_remap_ = true;
  StartInMode();
  if (remapped() && !dma_->can_remap() && !kernel_.parameters().map_aperture2_missing_refused) {
    Stop();
    may_remap_ = false;
    StartInMode();
  }
  QueryCaps();
  if (mode() == DmaMode::kIdentity) dma_->MapSegments();
  for (const auto& gpu : physical_) gpu->MakeSegments();
  vidsch_->Start();
  dxgkrnl_.frame_buffer().Reserve(handle(), answers().supports_remapping(), answers().save_areas);
  isolation_->OnStarted();
}

void LogicalAdapter::StartInMode() {
  FindDevices();
  LoadDriver();
  AssembleLink();
  QueryMemory(*miniport_, lead_->answers_);
  dma_->Decide(may_remap_);
  dma_->QueryReserved();
  Attach();
  StartDevices();
  AskStarted();
}

void LogicalAdapter::FindDevices() {
  const hw::FirmwareTables& firmware = kernel_.hal().platform().firmware();
  std::set<uint16_t> in_use;
  for (const LogicalAdapter* other : dxgkrnl_.adapters())
    for (const auto& gpu : other->gpus()) in_use.insert(gpu->function().bdf.requester_id());
  for (const PciFunction& function : kernel_.pci().Enumerate(kLastBus, in_use)) {
    if (function.vendor != firmware.gpu_vendor || function.device != firmware.gpu_device) continue;
    const uint16_t id = function.bdf.requester_id();
    physical_.push_back(std::make_unique<PhysicalAdapter>(*this, function, static_cast<unsigned>(physical_.size()),
                                                          dxgkrnl_.MachineUnit(id), &handles_[id]));
    physical_.back()->NoteBusAccesses();
  }
  if (!physical_.empty()) return;
  throw OsError("no " + std::string(in_use.empty() ? "" : "other ") + "GPU " + Hex(firmware.gpu_vendor) + ":" +
                Hex(firmware.gpu_device) + " on the PCI bus");
}

void LogicalAdapter::LoadDriver() {
  miniport_ = std::make_unique<Miniport>(kernel_, dxgkrnl_.Load(entry_));
  miniport_->driver().set_not_idle([this] { return NotIdle(); });
}

void LogicalAdapter::AssembleLink() {
  std::vector<LinkAnswer> answers;
  for (const auto& gpu : physical_) {
    PDEVICE_OBJECT const device = reinterpret_cast<PDEVICE_OBJECT>(gpu.get());
    kernel_.AddDeviceObject(device, gpu->function());
    miniport_->devices().AddDevice(device);
    answers.push_back({gpu->name(), miniport_->devices().LinkDevice(device, gpu->unit())});
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
  for (const auto& gpu : others) miniport_->devices().RemoveDevice(gpu->unit());
  miniport_->driver().set_lead(lead_->unit());
}

void LogicalAdapter::Attach() {
  // The driver has not been started and bus mastering is off, so no device can have used the bus.
  for (const auto& gpu : physical_) gpu->RequireUntouchedBus();
  size_t live = 0;
  for (const auto& gpu : physical_)
    live += objects().LiveAdls(gpu->handle()) + dxgkrnl_.isolation_memory().Live(gpu->handle());
  if (live != 0) {  // live ADLs hold addresses of the previous DMA mode
    throw OsError("the adapter is started while " + std::to_string(live) +
                  " ADLs and pieces of isolation memory of its last start live: the mode of DMA is decided while the "
                  "device references no memory");
  }
  dma_->AttachAll();
  for (const auto& gpu : physical_) {
    objects().AddAdapter(gpu->handle(), {domain(), gpu->name()});
    dxgkrnl_.isolation_memory().AddAdapter(gpu->handle(), {domain(), gpu->name()}, answers().supports_remapping());
    gpu->Connect();
  }
}

void LogicalAdapter::StartDevices() {
  for (PhysicalAdapter* gpu : UpOrder()) gpu->StartDevice();
  vidsch_->Connect(miniport_.get());
}

// The driver assigns the adapter indexes. For each index, it reports
// DXGK_PHYSICALADAPTERCAPS.DxgkPhysicalAdapterHandle, the DeviceHandle that DxgkDdiStartDevice
// received.
void LogicalAdapter::NumberAdapters() {
  if (physical_.size() == 1) return;
  std::vector<size_t> at;  // by adapter index: the position in physical_
  for (UINT index = 0; index < adapters(); ++index) {
    DXGK_PHYSICALADAPTERCAPS caps{};
    Miniport::Require(QueryPhysicalAdapterCaps(*miniport_, index, caps),
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

void LogicalAdapter::AskStarted() {
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
    gpu->answers_.system_segment_behind_last = kernel_.parameters().system_segment_behind_last;
    gpu->answers_.both_mmu_models_refused = kernel_.parameters().both_mmu_models_refused;
    gpu->answers_.discrete_without_remapping_refused = kernel_.parameters().discrete_without_remapping_refused;
    gpu->answers_.aperture_required = kernel_.parameters().aperture_required;
    gpu->answers_.highest_visible_inclusive = kernel_.parameters().highest_visible_inclusive;
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

void LogicalAdapter::QueryCaps() {
  std::vector<AdapterAnswers*> all;
  std::vector<Refusal> refusals;
  for (const auto& gpu : physical_) {
    all.push_back(&gpu->answers_);
    const std::vector<Refusal> own = Admit(gpu->answers_, remapped());
    refusals.insert(refusals.end(), own.begin(), own.end());
  }
  const std::vector<Refusal> missing = AdmitTable(miniport_->table(), *all.front());
  refusals.insert(refusals.end(), missing.begin(), missing.end());
  const std::vector<Refusal> together = AdmitLink(all);
  refusals.insert(refusals.end(), together.begin(), together.end());
  RequireAdmission(refusals);
  miniport_->set_buffers_stay(all.front()->physical_model());
  for (const auto& gpu : physical_) {
    gpu->UseAnswers();
    std::vector<std::string> unmodelled = UnmodelledOf(gpu->answers_);
    for (std::string& member : unmodelled) member = gpu->Named(member);
    dxgkrnl_.NoteUnmodelled(unmodelled);
  }
}

std::string LogicalAdapter::NotIdle() const {
  if (!vidsch_->idle()) return "the driver holds packets";
  // An injected leak must not fail here: it is reported at power-off.
  if (!kernel_.parameters().inject.leak.empty()) return "";
  for (const auto& gpu : physical_) {
    for (const Segment& segment : gpu->segments()) {
      if (segment.aperture || segment.space->ranges() == 0) continue;
      return std::to_string(segment.space->ranges()) + " ranges of segment " + gpu->Named(std::to_string(segment.id)) +
             " are in use";
    }
  }
  return "";
}

void LogicalAdapter::PowerDown(POWER_ACTION action) {
  vidsch_->Suspend();  // the scheduler stays suspended until PowerUp
  vidsch_->WaitQuiet(VidSch::kBoundNs);
  for (PhysicalAdapter* gpu : DownOrder()) {
    miniport_->devices().SetPowerState(PowerDeviceD3, action, gpu->unit());
    gpu->PowerFunction(false);
  }
}

void LogicalAdapter::PowerUp() {
  for (PhysicalAdapter* gpu : UpOrder()) {
    gpu->PowerFunction(true);
    miniport_->devices().SetPowerState(PowerDeviceD0, PowerActionNone, gpu->unit());
  }
  vidsch_->Resume();
}

void LogicalAdapter::Stop() {
  for (const auto& gpu : physical_) gpu->DropViews();
  vidsch_->Stop();
  vidsch_->Connect(nullptr);
  for (PhysicalAdapter* gpu : DownOrder()) {
    if (!vidsch_->removed()) miniport_->devices().SetPowerState(PowerDeviceD3, PowerActionShutdownOff, gpu->unit());
    miniport_->devices().StopDevice(gpu->unit());
    gpu->Disconnect();
  }
  dma_->DetachAll();
  dxgkrnl_.frame_buffer().Release(handle());
  for (PhysicalAdapter* gpu : DownOrder()) {
    // RemoveDevice comes first, because the driver may still free memory during this call.
    miniport_->devices().RemoveDevice(gpu->unit());
    objects().RemoveAdapter(gpu->handle());
    dxgkrnl_.isolation_memory().RemoveAdapter(gpu->handle());
  }
  dma_->Destroy();
  dxgkrnl_.Unload(entry_);
  miniport_.reset();
  for (const auto& gpu : physical_) kernel_.pci().PowerOff(gpu->function());
  lead_ = nullptr;
  physical_.clear();
  dma_->Reset();
}

void LogicalAdapter::GiveUp() {
  if (miniport_ == nullptr) return;
  DriverCalls& driver = miniport_->driver();
  for (unsigned unit = driver.units(); unit-- > 0;) {
    if (miniport_->devices().started(unit)) miniport_->devices().StopDevice(unit);
  }
  for (unsigned unit = driver.units(); unit-- > 0;) {
    if (driver.context(unit) != nullptr) miniport_->devices().RemoveDevice(unit);
  }
  dxgkrnl_.Unload(entry_);
}

void LogicalAdapter::AnnounceLoss(HANDLE paging_context, std::vector<DXGKARG_BUILDPAGINGBUFFER> lost) {
  for (DXGKARG_BUILDPAGINGBUFFER& operation : lost) {
    operation.hSystemContext = paging_context;
    if (miniport_->BuildPagingBuffer(operation) != STATUS_SUCCESS)
      throw BugCheck("the driver asks for a paging buffer for " + NameOf(operation.Operation) + " after a reset");
  }
}

void LogicalAdapter::Restart() { Miniport::Require(miniport_->RestartFromTimeout(), "DxgkDdiRestartFromTimeout"); }

bool LogicalAdapter::LoseInterrupt() {
  if (lost_interrupts_ >= kernel_.parameters().inject.lost_interrupts) return false;
  ++lost_interrupts_;
  kernel_.Injected("lost_interrupts");
  return true;
}

DriverRequests& LogicalAdapter::driver_requests() {
  if (driver_requests_ == nullptr) throw BugCheck("the driver asks for memory while no memory manager runs");
  return *driver_requests_;
}

}  // namespace gmmu::os
