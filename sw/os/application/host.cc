// SPDX-License-Identifier: Apache-2.0
#include "os/application/host.h"

#include "os/dxgkrnl/physical_adapter.h"
#include "os/kernel/kernel.h"
#include "os/vidmm/vidmm.h"

namespace gmmu::os {
Host::Host(VidMm& vidmm) : kernel_(&vidmm.gpu().kernel()) {}

hw::Platform& Host::platform() const { return kernel_->hal().platform(); }
void Host::Spawn(const std::string& name, const std::function<void()>& body) const {
  kernel_->scheduler().Spawn(name, body);
}
void Host::Wait(const std::function<bool()>& condition, const std::string& what, uint64_t poll_ns) const {
  kernel_->scheduler().Wait(condition, kBoundNs, what, poll_ns);
}
void Host::WaitOrFault(const std::function<bool()>& condition, const std::string& what, uint64_t poll_ns,
                       uint64_t bound_ns) const {
  kernel_->WaitOrFault(condition, bound_ns, what, poll_ns);
}
uint64_t Host::Bound(uint64_t ns) const { return kernel_->scheduler().Bound(ns); }
uint64_t Host::AttachProcess(uint64_t process) const { return kernel_->scheduler().AttachProcess(process); }
uint64_t Host::interrupts() const { return kernel_->scheduler().delivered(); }
void Host::Fail(const Fault& fault) const {
  kernel_->Report(fault);
  kernel_->CheckFaults();
}

std::vector<uint64_t> Host::TakePages(uint64_t count, const std::string& owner, const std::string& what) const {
  auto pages = kernel_->pages().AllocateScattered(count, 0, ~uint64_t{0}, owner, what);
  if (!pages) throw Exhausted("out of memory: " + std::to_string(count * hw::kPageSize) + " bytes for the " + owner);
  return *pages;
}
void Host::FreePages(const std::vector<uint64_t>& pages) const { kernel_->pages().Free(pages); }
bool Host::LeakNow(const std::string& kind) const { return kernel_->LeakNow(kind); }
void Host::Injected(const std::string& key) const { kernel_->Injected(key); }

SystemBuffer MakeHostMemory(VidMm& vidmm, uint64_t bytes, uint64_t lowest) {
  PhysicalAdapter& gpu = vidmm.gpu();
  return SystemBuffer(gpu.kernel(), gpu.objects(), gpu.handle(), bytes, SystemBuffer::Shape::kScattered, "application",
                      lowest);
}

}  // namespace gmmu::os
