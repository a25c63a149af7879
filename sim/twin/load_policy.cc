// SPDX-License-Identifier: Apache-2.0
#include "twin/load_policy.h"

#include <dlfcn.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "host/config.h"
#include "hw/shared_object.h"

namespace gmmu::sim::twin {
namespace {

constexpr const char* kHow =
    "\nMake one as docs/policies.md says: c++ -std=c++17 -shared -fPIC -I sim FILE.cc -o FILE.so";
constexpr const char* kBridge = "gmmu_policy_python.so";

[[noreturn]] void Refuse(const std::string& file, const std::string& why) {
  throw ConfigError("policy.file = \"" + file + "\": " + why);
}

/// Returns the path of the Python bridge, which is in the program's directory.
std::string BridgeFor(const std::string& file) {
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  for (const auto& folder : {program.parent_path(), program.parent_path().parent_path()}) {
    const auto bridge = folder / kBridge;
    if (std::filesystem::exists(bridge, error)) return bridge;
  }
  Refuse(file, std::string("there is no ") + kBridge + " beside " + program.string() +
                   "\nInstall pybind11-dev and python3-dev and build again, or write the policy in C++.");
}

const PolicyEntry& EntryOf(const std::string& file, const std::string& library, bool python) {
  std::string why;
  // RTLD_GLOBAL is required because imported Python modules use symbols of the interpreter that the
  // bridge loads.
  void* const handle = python ? dlopen(library.c_str(), RTLD_NOW | RTLD_GLOBAL) : hw::OpenSharedObject(library, why);
  if (handle == nullptr) Refuse(file, (python ? dlerror() : why) + kHow);
  const auto* entry = static_cast<const PolicyEntry*>(dlsym(handle, "gmmu_policy"));
  if (entry == nullptr) Refuse(file, std::string("has no gmmu_policy; end it with GMMU_POLICY(function);") + kHow);
  if (entry->version != PolicyEntry::kVersion) {
    Refuse(file, "is of version " + std::to_string(entry->version) +
                     " of sim/twin/policy.h, this program has version " + std::to_string(PolicyEntry::kVersion) +
                     "\nCompile it again with this program's header.");
  }
  return *entry;
}

}  // namespace

std::function<std::unique_ptr<Policy>()> LoadPolicy(const std::string& file, const std::string& arguments,
                                                    uint64_t seed) {
  if (access(file.c_str(), R_OK) != 0) Refuse(file, std::string("cannot be read: ") + std::strerror(errno) + kHow);
  const bool python = std::filesystem::path(file).extension() == ".py";
  const std::string path = std::filesystem::absolute(file).string();
  const PolicyEntry* const entry = &EntryOf(file, python ? BridgeFor(file) : path, python);
  // The bridge expects the path of the Python file before the policy's arguments.
  const std::string text = python ? path + "\n" + arguments : arguments;
  return [file, text, seed, entry]() -> std::unique_ptr<Policy> {
    const char* error = nullptr;
    std::unique_ptr<Policy> policy(entry->create(text.c_str(), seed, &error));
    if (policy == nullptr) Refuse(file, error == nullptr ? "makes no policy" : error);
    return policy;
  };
}

}  // namespace gmmu::sim::twin
