// SPDX-License-Identifier: Apache-2.0
#include "os/kernel/kernel.h"

#include <algorithm>

#include "os/base/bug_check.h"
#include "os/kernel/ddi_trace.h"
#include "os/kernel/driver_objects.h"
#include "os/hal/remapping.h"
#include "os/base/text.h"
#include "settings/keys.h"

namespace gmmu::os {
namespace {
Kernel* current = nullptr;

/// BARs lie between 3 GiB and the lowest address that a PC reserves for itself below 4 GiB.
constexpr hw::Range kBarWindow{0xC0000000, 0xFEC00000};
}  // namespace

Kernel::Kernel(hw::Platform& platform, const Parameters& parameters, MakesRemapping* remapping)
    : parameters_(parameters),
      scheduler_(platform, parameters.schedule_seed != 0 ? parameters.schedule_seed : parameters.seed,
                 static_cast<unsigned>(parameters.preemption), parameters.wait_scale),
      races_(scheduler_),
      locks_(scheduler_, races_),
      hal_(platform, scheduler_),
      pages_(platform.firmware().ram, parameters.seed, ledger_, &platform.ram(), platform.instruments()),
      mmio_(ledger_, scheduler_),
      contiguous_(*this),
      pci_(hal_, kBarWindow),
      pool_(ledger_),
      mdl_views_(platform.ram(), ledger_),
      driver_(std::make_unique<DriverObjects>(*this)),
      refusals_(parameters.inject.fail_callback, parameters.inject.fail_allocation) {
  if (current != nullptr) throw std::logic_error("two kernels at a time");
  current = this;
  if (parameters.trace_ddi) ddi_trace_ = std::make_unique<DdiTrace>(scheduler_, hal_, parameters.trace_ddi);
  pages_.set_page_file(parameters.page_file_pages());
  pages_.set_block(parameters.memory_block_pages());
  if (platform.firmware().iommu_base) {
    const auto forget = [this] { return LeakNow("invalidation"); };
    const RemappingParts parts{hal_, pages_, ledger_, *platform.firmware().iommu_base, parameters.seed, forget};
    iommu_ = remapping != nullptr ? remapping(parts) : MakeRemapping(parts);
  }
  driver_parameters_ = parameters.driver;
  // emplace keeps a value that the user has set.
  driver_parameters_.emplace("LinkedAdapters",
                             parameters.linked_gpus == 0 ? platform.firmware().gpus : parameters.linked_gpus);
  if (platform.firmware().gpu_sizes_in_use != 0)
    driver_parameters_.emplace("SizesInUse", platform.firmware().gpu_sizes_in_use);
  if (platform.firmware().gpu_reserved) {
    const hw::Range reserved = *platform.firmware().gpu_reserved;
    const uint64_t start = reserved.start - (parameters.inject.reserved_overlap ? hw::kPageSize : 0);
    if (parameters.inject.reserved_overlap) Injected("reserved_overlap");
    driver_parameters_["ReservedBase"] = start;
    driver_parameters_["ReservedBytes"] = reserved.end - start;
    if (hw::Instruments* instruments = platform.instruments(); instruments != nullptr)
      instruments->NotePages(reserved.start / hw::kPageSize, (reserved.end - reserved.start) / hw::kPageSize, true);
  }
  driver_parameters_["ApertureBytes"] = parameters.aperture_bytes;
  driver_parameters_["LimitBits"] = parameters.limit_bits;
  driver_parameters_["PageTableLevels"] = parameters.page_table_bits.size();
  for (size_t level = 0; level < parameters.page_table_bits.size(); ++level) {
    driver_parameters_["PageTableBits" + std::to_string(level)] = parameters.page_table_bits[level];
  }
}

Kernel::~Kernel() { current = nullptr; }

Kernel& Kernel::Current() {
  if (current == nullptr) throw BugCheck("a kernel routine was called while no machine is on");
  return *current;
}

Kernel& Kernel::Called(const char* routine, Irql highest) {
  Kernel& kernel = Current();
  kernel.scheduler_.RequireIrql(routine, highest);
  return kernel;
}

void* Kernel::AllocatePool(size_t bytes, uint32_t tag) {
  const auto name = [&] { return "pool block " + Pool::TagName(tag) + " of " + std::to_string(bytes) + " bytes"; };
  void* const block = refusals_.Allocation(name) ? nullptr : pool_.Allocate(bytes, tag);
  if (block != nullptr) races_.AddMemory(block, bytes, "pool " + Pool::TagName(tag));
  scheduler_.Preempt();
  return block;
}

void Kernel::FreePool(void* block, uint32_t tag) {
  const size_t bytes = pool_.BytesOf(block);
  locks_.Forget(block, bytes);
  driver_->Forget(block, bytes);
  races_.RemoveMemory(block);
  pool_.Free(block, tag);
  scheduler_.Preempt();
}

std::optional<uint64_t> Kernel::QueryParameter(const std::string& name) const {
  const auto found = driver_parameters_.find(name);
  if (found == driver_parameters_.end()) return std::nullopt;
  return found->second;
}

void Kernel::NoteUnmodelled(const std::string& what) {
  if (std::find(unmodelled_.begin(), unmodelled_.end(), what) == unmodelled_.end()) unmodelled_.push_back(what);
}

void Kernel::NoteMistake(const std::string& what) {
  if (std::find(mistakes_.begin(), mistakes_.end(), what) == mistakes_.end()) mistakes_.push_back(what);
}

void Kernel::Report(Fault fault) { faults_.push_back(std::move(fault)); }

void Kernel::CheckFaults() const {
  if (!faults_.empty()) throw DeviceFault(faults_.front().source + ": " + faults_.front().text);
}

void Kernel::WaitOrFault(const std::function<bool()>& condition, uint64_t bound_ns, const std::string& what,
                         uint64_t poll_ns) {
  scheduler_.Wait([&] { return !faults_.empty() || condition(); }, bound_ns, what, poll_ns);
  CheckFaults();
}

std::vector<std::string> Kernel::NeverInjected() const {
  std::vector<std::string> never;
  Parameters copy = parameters_;
  const settings::Keys keys = copy.Keys();
  for (const settings::Key* key : keys.all()) {
    if (key->section != "inject" || key->value() == key->initial || injected_.count(key->name) != 0) continue;
    const bool counts = key->name == "fail_callback" || key->name == "fail_allocation";
    if (counts && (refusals_.refused() || key->value() == settings::Value(settings::kNoMax))) continue;
    never.push_back(key->full_name() + " = " + settings::Render(key->value()));
  }
  return never;
}

}  // namespace gmmu::os
