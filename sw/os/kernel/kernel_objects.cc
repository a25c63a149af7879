// SPDX-License-Identifier: Apache-2.0
#include "os/kernel/kernel_objects.h"

#include "os/base/bug_check.h"
#include "os/base/text.h"

namespace gmmu::os {
namespace {
constexpr uint64_t kKernelHandle = 0xFFFFFFFF80000000;  // bits that are set in handles of the system process
}

HANDLE KernelObjects::Open(KernelObject& object, const char* created_by) {
  HANDLE const handle = reinterpret_cast<HANDLE>(kKernelHandle | next_++ * 4);
  handles_[handle] = {&object, ledger_.Open("handle", object.name, "driver", created_by)};
  return handle;
}

void KernelObjects::Close(HANDLE handle) {
  const auto found = FindOrStop(handles_, handle, "ZwClose of ", Hex(reinterpret_cast<uint64_t>(handle)),
                                ", which is no open handle");
  ledger_.Close(found->second.ticket);
  handles_.erase(found);
}

KernelObject* KernelObjects::Find(HANDLE handle) const {
  const auto found = handles_.find(handle);
  return found == handles_.end() ? nullptr : found->second.object;
}

LONG_PTR KernelObjects::Reference(KernelObject& object, const char* created_by) {
  auto& tickets = references_[&object];
  tickets.push_back(ledger_.Open("object_reference", object.name, "driver", created_by));
  return static_cast<LONG_PTR>(tickets.size());
}

LONG_PTR KernelObjects::Dereference(const void* object) {
  const auto found = references_.find(object);
  if (found == references_.end() || found->second.empty())
    throw BugCheck("ObDereferenceObject of an object to which the driver has no reference");
  ledger_.Close(found->second.back());
  found->second.pop_back();
  return static_cast<LONG_PTR>(found->second.size());
}

}  // namespace gmmu::os
