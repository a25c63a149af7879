// SPDX-License-Identifier: Apache-2.0
#include "app/load_driver.h"

#include <dlfcn.h>

#include <filesystem>

#include "os/import_scan.h"
#include "workload/input.h"

namespace gmmu::app {
namespace {

constexpr const char* kHow = "\nMake one as docs/driver.md says: c++ -shared -fPIC ...";

/// Forbidden routines are not there: Dxgkrnl's callbacks take their place.
std::string Forbidden(const std::vector<uint8_t>& file) {
  std::string names;
  for (const std::string& name : os::ForbiddenImports(os::ImportsOf(file))) names += (names.empty() ? "" : ", ") + name;
  return names;
}

}  // namespace

PDRIVER_INITIALIZE LoadDriver(const std::string& path) {
  const std::vector<uint8_t> file = workload::LoadInput(path);
  std::string forbidden;
  try {
    forbidden = Forbidden(file);
  } catch (const os::ImportScanError& error) {
    throw workload::InputError(path + ": " + error.what() + kHow);
  }
  if (!forbidden.empty()) {
    throw workload::InputError(path + ": calls " + forbidden + ", which GPU isolation forbids and this kernel does not have\n"
                               "A driver gets and locks memory through the callbacks of DXGKRNL_INTERFACE.");
  }
  // All names at once, so that none is missed in the middle of a run; they are nobody else's.
  void* library = dlopen(std::filesystem::absolute(path).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw workload::InputError(std::string(dlerror()) + kHow);
  void* entry = dlsym(library, "DriverEntry");
  if (entry == nullptr) throw workload::InputError(path + ": has no function DriverEntry (extern \"C\" in C++)" + kHow);
  return reinterpret_cast<PDRIVER_INITIALIZE>(entry);
}

}  // namespace gmmu::app
