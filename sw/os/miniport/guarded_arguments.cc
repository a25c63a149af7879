// SPDX-License-Identifier: Apache-2.0
#include "os/miniport/guarded_arguments.h"

#include <cxxabi.h>

#include <cstdlib>

#include "os/guard/driver_guard.h"

namespace gmmu::os {

std::unique_ptr<GuardedCopy> GuardedCopies::Take() {
  std::unique_ptr<GuardedCopy> copy;
  if (spare_.size() <= kQuarantine) {
    copy = std::make_unique<GuardedCopy>();
  } else {
    copy = std::move(spare_.front());
    spare_.pop_front();
  }
  out_.insert(copy.get());
  return copy;
}

void GuardedCopies::Put(std::unique_ptr<GuardedCopy> copy) {
  out_.erase(copy.get());
  copy->Shut();
  spare_.push_back(std::move(copy));
}

void GuardedCopies::Check() const {
  for (const GuardedCopy* copy : out_) copy->CheckFront();
}

void* GuardedArguments::Array(const void* at, size_t bytes, const std::function<std::string()>& name, bool back) {
  if (at == nullptr || !DriverGuard::installed()) return const_cast<void*>(at);
  loans_.push_back({copies_.Take(), back ? const_cast<void*>(at) : nullptr});
  return loans_.back().copy->Of(at, bytes, name());
}

void* GuardedArguments::Room(void* at, size_t bytes, const char* name) {
  if (at == nullptr || !DriverGuard::installed()) return at;
  loans_.push_back({copies_.Take(), nullptr});
  return loans_.back().copy->Room(bytes, name, at);
}

GuardedArguments::~GuardedArguments() {
  for (Loan& loan : loans_) {
    if (loan.back != nullptr) loan.copy->To(loan.back);
    copies_.Put(std::move(loan.copy));
  }
}

// The tag of a C structure starts with an underscore, which is removed: _DXGKARG_CREATEDEVICE
// becomes DXGKARG_CREATEDEVICE.
std::string GuardedArguments::ReadableName(const std::type_info& type) {
  int status = 0;
  char* readable = abi::__cxa_demangle(type.name(), nullptr, nullptr, &status);
  std::string name = status == 0 ? readable : type.name();
  std::free(readable);
  return name.substr(name.find_first_not_of('_'));
}

}  // namespace gmmu::os
