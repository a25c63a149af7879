// SPDX-License-Identifier: Apache-2.0
#include "os/guard/code_place.h"

#include <cxxabi.h>
#include <dlfcn.h>

#include <cstdint>
#include <cstdlib>

#include "os/base/text.h"

namespace gmmu::os {

std::string PlaceOf(const void* instruction) {
  Dl_info info{};
  if (instruction == nullptr || dladdr(instruction, &info) == 0 || info.dli_fname == nullptr) return "";
  const std::string path = info.dli_fname;
  const auto offset = reinterpret_cast<uintptr_t>(instruction) - reinterpret_cast<uintptr_t>(info.dli_fbase);
  std::string place = " at " + path.substr(path.find_last_of('/') + 1) + "+" + Hex(offset);
  if (info.dli_sname == nullptr) return place;
  int status = 0;
  char* readable = abi::__cxa_demangle(info.dli_sname, nullptr, nullptr, &status);
  place += std::string(" (") + (status == 0 ? readable : info.dli_sname) + ")";
  std::free(readable);
  return place;
}

}  // namespace gmmu::os
