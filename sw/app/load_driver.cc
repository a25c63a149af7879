// SPDX-License-Identifier: Apache-2.0
#include "app/load_driver.h"

#include <dlfcn.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "hw/shared_object.h"
#include "os/miniport/import_scan.h"
#include "workload/input.h"

namespace gmmu::app {
namespace {

constexpr const char* kHowToMake = "\nMake one as docs/driver.md says: c++ -shared -fPIC ...";

/// Returns the imports that this program does not provide, separated by commas.
std::string Missing(const std::vector<uint8_t>& file) {
  std::string names;
  for (const std::string& name : os::ImportsOf(file)) {
    if (name.rfind("_ITM_", 0) == 0 || name == "__gmon_start__")
      continue;  // weak symbols of the tool chain, which may be absent
    if (dlsym(RTLD_DEFAULT, name.c_str()) != nullptr) continue;
    names += (names.empty() ? "" : ", ") + name;
  }
  return names;
}

}  // namespace

void CheckDriverFile(const std::string& path) {
  if (access(path.c_str(), R_OK) != 0)
    throw workload::InputError("cannot read the driver '" + path + "': " + std::strerror(errno) + kHowToMake);
  const std::vector<uint8_t> file = workload::LoadInput(path);
  try {
    os::ImportsOf(file);
  } catch (const os::ImportScanError& error) {
    throw workload::InputError(path + ": " + error.what() + kHowToMake);
  }
  if (os::IsWindowsBinary(file)) {
    throw workload::InputError(
        path + ": is a Windows binary, which cannot run here; gmmu scan-driver reads its imports" + kHowToMake);
  }
}

PDRIVER_INITIALIZE LoadDriver(const std::string& path) {
  CheckDriverFile(path);
  // OpenSharedObject resolves all symbols immediately, so that a missing symbol is reported before
  // the run. It also hides the driver's own symbols.
  std::string why;
  void* library = hw::OpenSharedObject(path, why);
  if (library == nullptr) {
    const std::string missing = Missing(workload::LoadInput(path));
    if (missing.empty()) throw workload::InputError(path + ": " + why + kHowToMake);
    throw workload::InputError(path + ": wants what this program does not give: " + missing +
                               "\nsw/ddi/kernel_routines.list has the kernel routines that there are.");
  }
  void* entry = dlsym(library, "DriverEntry");
  if (entry == nullptr)
    throw workload::InputError(path + ": has no function DriverEntry (extern \"C\" in C++)" + kHowToMake);
  return reinterpret_cast<PDRIVER_INITIALIZE>(entry);
}

void* ExportOf(PDRIVER_INITIALIZE entry, const char* name) {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(entry), &info) == 0) return nullptr;
  void* library = dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD);
  if (library == nullptr) return nullptr;
  void* found = dlsym(library, name);
  dlclose(library);  // LoadDriver's own reference keeps the library open
  return found;
}

const GMMU_USER_MODE_DRIVER* UserModeOf(PDRIVER_INITIALIZE entry) {
  const auto get = reinterpret_cast<decltype(&GmmuUserModeDriver)>(ExportOf(entry, "GmmuUserModeDriver"));
  if (get == nullptr) return nullptr;
  const GMMU_USER_MODE_DRIVER* half = get();
  const bool known = half != nullptr && half->version != 0 && half->version <= GMMU_USER_MODE_VERSION;
  if (!known || (half->translate == nullptr && (half->version < 2 || half->list_copy == nullptr))) {
    throw workload::InputError(
        "GmmuUserModeDriver of the driver is not of version 1 to " + std::to_string(GMMU_USER_MODE_VERSION) +
        " of sw/hw/user_mode.h, or has neither translate nor list_copy\nCompile it again with this program's header.");
  }
  return half;
}

}  // namespace gmmu::app
