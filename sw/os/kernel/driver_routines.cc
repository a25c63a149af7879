// SPDX-License-Identifier: Apache-2.0
#include "os/kernel/driver_routines.h"

#include <set>

#include "os/base/bug_check.h"
#include "os/guard/code_place.h"
#include "os/guard/driver_guard.h"
#include "os/kernel/kernel.h"

namespace gmmu::os {
namespace {

/// Returns a copy of the name that is never freed, because frames and recorded accesses keep
/// pointers to it.
const char* Kept(const std::string& name) {
  static std::set<std::string> names;
  return names.insert(name).first->c_str();
}

/// While an InDriver exists, the current thread counts as being inside the driver.
class InDriver {
 public:
  InDriver(Kernel& kernel, const char* name) : kernel_(kernel), was_(kernel.scheduler().EnterDriver(true)) {
    kernel.races().Enter(name);
  }
  ~InDriver() {
    kernel_.races().Leave();
    kernel_.scheduler().EnterDriver(was_);
  }
  InDriver(const InDriver&) = delete;
  InDriver& operator=(const InDriver&) = delete;

 private:
  Kernel& kernel_;
  const bool was_;
};

}  // namespace

std::string RoutineName(const std::string& kind, const void* routine) {
  const std::string place = PlaceOf(routine);
  return place.empty() ? kind : kind + place;
}

void CallDriverRoutine(Kernel& kernel, const std::string& kind, const void* routine, Irql level,
                       const std::function<void()>& call) {
  const char* const name = Kept(RoutineName(kind, routine));
  const InDriver inside(kernel, name);
  const size_t locks = kernel.locks().held();
  DriverGuard::Run(name, level, kernel.hal().NowNs(), call);
  kernel.races().Check();
  kernel.locks().CheckReturn(name, locks);
  if (kernel.scheduler().irql() == level) return;
  throw BugCheck(std::string(name) + " was called at IRQL " + std::to_string(level) + " and returned at " +
                 std::to_string(kernel.scheduler().irql()));
}

}  // namespace gmmu::os
