// SPDX-License-Identifier: Apache-2.0
#include "os/dxgkrnl/dxgkrnl.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "os/dxgkrnl/logical_adapter.h"
#include "os/dxgkrnl/allocation_handles.h"
#include "os/base/bug_check.h"
#include "os/guard/driver_guard.h"
#include "os/kernel/kernel.h"
#include "os/kernel/registry.h"
#include "os/base/text.h"
#include "os/memory/frame_buffer.h"
#include "os/memory/isolation_memory.h"
#include "os/memory/memory_objects.h"
#include "os/miniport/interface_version.h"
#include "os/miniport/miniport.h"

namespace gmmu::os {
namespace {
Dxgkrnl* current = nullptr;
}

Dxgkrnl::Dxgkrnl(Kernel& kernel)
    : kernel_(kernel),
      objects_(std::make_unique<MemoryObjects>(kernel)),
      isolation_memory_(std::make_unique<IsolationMemory>(kernel)),
      frame_buffer_(std::make_unique<FrameBuffer>(kernel, *objects_)),
      allocation_handles_(std::make_unique<AllocationHandles>()),
      remap_policy_(kernel.parameters().iommu) {
  if (current != nullptr) throw std::logic_error("two graphics kernels at a time");
  current = this;
}

Dxgkrnl::~Dxgkrnl() { current = nullptr; }

Dxgkrnl& Dxgkrnl::Current() {
  if (current == nullptr) throw BugCheck("a graphics callback was called while there is no graphics kernel");
  return *current;
}

void Dxgkrnl::NoteUnmodelled(const std::vector<std::string>& members) {
  for (const std::string& member : members) kernel_.NoteUnmodelled(member);
}

const std::vector<std::string>& Dxgkrnl::unmodelled() const { return kernel_.unmodelled(); }

const DRIVER_INITIALIZATION_DATA& Dxgkrnl::Load(PDRIVER_INITIALIZE entry) {
  Driver& driver = drivers_[entry];
  if (driver.adapters++ != 0) return driver.table;
  UNICODE_STRING registry = Registry::Counted(Registry::kDriver);
  loading_ = &driver;
  NTSTATUS entered = STATUS_UNSUCCESSFUL;
  DriverGuard::Run("DriverEntry", kPassive, kernel_.hal().NowNs(),
                   [&] { entered = entry(reinterpret_cast<PDRIVER_OBJECT>(this), &registry); });
  loading_ = nullptr;
  Miniport::Require(entered, "DriverEntry");
  if (!driver.initialized) throw OsError("the driver's DriverEntry did not call DxgkInitialize");
  if (driver.table.Version < DXGKDDI_INTERFACE_VERSION_WDDM2_0) {
    throw OsError("the driver's interface version " + Hex(driver.table.Version) +
                  " is older than WDDM 2.0; it drives no display, which Windows refuses with C01E0004 before WDDM 2.0");
  }
  return driver.table;
}

void Dxgkrnl::Unload(PDRIVER_INITIALIZE entry) {
  Driver& driver = drivers_.at(entry);
  if (--driver.adapters != 0) return;
  if (const auto unload = driver.table.DxgkDdiUnload; unload != nullptr)
    DriverGuard::Run("DxgkDdiUnload", kPassive, kernel_.hal().NowNs(), [&] { unload(); });
  drivers_.erase(entry);
  kernel_.CheckPool();
}

void Dxgkrnl::OnDriverTable(const DRIVER_INITIALIZATION_DATA& table) {
  if (loading_ == nullptr) throw BugCheck("DxgkInitialize was called outside of DriverEntry");
  loading_->table = {};
  loading_->table.Version = table.Version;
  std::memcpy(&loading_->table, &table, DriverTableBytes(table.Version));
  loading_->initialized = true;
}

const DRIVER_INITIALIZATION_DATA& Dxgkrnl::table_so_far() const {
  if (loading_ == nullptr) throw std::logic_error("no DriverEntry is running");
  return loading_->table;
}

void Dxgkrnl::Register(LogicalAdapter& adapter) { adapters_.push_back(&adapter); }

void Dxgkrnl::Unregister(LogicalAdapter& adapter) {
  adapters_.erase(std::remove(adapters_.begin(), adapters_.end(), &adapter), adapters_.end());
}

PhysicalAdapter& Dxgkrnl::FromHandle(HANDLE handle) {
  for (LogicalAdapter* adapter : adapters_) {
    if (PhysicalAdapter* gpu = adapter->FromHandle(handle)) return *gpu;
  }
  throw BugCheck("a callback got an unknown adapter handle");
}

}  // namespace gmmu::os
