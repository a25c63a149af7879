// SPDX-License-Identifier: Apache-2.0
#include "os/kernel/ddi_trace.h"

#include "os/kernel/ddi_names.h"
#include "os/hal/hal.h"
#include "os/threads/scheduler.h"
#include "os/base/text.h"

namespace gmmu::os {
namespace {

/// Whether the argument or member `path` is a handle, that is, a pointer that one call returns and
/// a later call accepts. Traces show a handle by name, and other pointers only as null or not null.
bool IsHandle(const std::string& path) {
  const size_t dot = path.find_last_of('.');
  const std::string name = dot == std::string::npos ? path : path.substr(dot + 1);
  // A name that is a number is an argument's position. Arguments 0 and 1 can be handles. Later ones
  // are buffers, except number 6, the address that DxgkCbMapMemory returns.
  if (name[0] >= '0' && name[0] <= '9') return name == "0" || name == "1" || name == "6";
  if (name.size() > 1 && name[0] == 'h' && name[1] >= 'A' && name[1] <= 'Z') return true;
  for (const char* given :
       {"FaultedProcessHandle", "DeviceHandle", "pAdl", "pMdl", "pMappedAddress", "pBaseAddress", "pMemory"})
    if (name == given) return true;
  return name.rfind("pAllocationList[", 0) == 0;
}

std::string KindOf(const std::string& path) {
  const size_t dot = path.find_last_of('.');
  const std::string name = dot == std::string::npos ? path : path.substr(dot + 1);
  if (name[0] >= '0' && name[0] <= '9') return "handle";
  return name.substr(0, name.find('['));
}

std::string Object(const DdiValues::Pairs& pairs) {
  std::string text = "{";
  for (const auto& [name, json] : pairs) text += (text.size() == 1 ? "\"" : ", \"") + name + "\": " + json;
  return text + "}";
}

}  // namespace

std::string DdiValues::HexText(uint64_t value) { return "\"" + Hex(value) + "\""; }

std::string DdiValues::Name(DXGK_BUILDPAGINGBUFFER_OPERATION value) { return "\"" + NameOf(value) + "\""; }
std::string DdiValues::Name(DXGK_QUERYADAPTERINFOTYPE value) { return "\"" + NameOf(value) + "\""; }

void DdiValues::Pointer(const std::string& path, const void* value) {
  if (value == nullptr) return Put(path, "null");
  Put(path, IsHandle(path) ? "\"" + names_.NameOf(value, KindOf(path)) + "\"" : "true");
}

std::string DdiTrace::StatusText(uint64_t status) { return "\"" + Hex(status) + "\""; }

void DdiTrace::Begin(Call& call) {
  if (failed_) std::rethrow_exception(std::exchange(failed_, nullptr));
  call.thread_ = scheduler_.thread();
  call.number_ = ++calls_;
  call.inside_ = std::exchange(inside_[call.thread_], call.number_);
  call.start_ns_ = hal_.NowNs();
  call.irql_ = scheduler_.irql();
}

void DdiTrace::End(const Call& call) noexcept try {
  inside_[call.thread_] = call.inside_;
  DdiValues::Pairs changed;
  for (size_t i = 0; i < call.out_.size(); ++i) {
    if (i >= call.in_.size() || call.out_[i] != call.in_[i]) changed.push_back(call.out_[i]);
  }
  sink_("{\"call\": " + std::to_string(call.number_) + ", \"inside\": " + std::to_string(call.inside_) +
        ", \"name\": \"" + call.name_ + "\", \"thread\": \"" + scheduler_.current() +
        "\", \"irql\": " + std::to_string(call.irql_) + ", \"ns\": " + std::to_string(call.start_ns_) +
        ", \"end_ns\": " + std::to_string(hal_.NowNs()) + ", \"in\": " + Object(call.in_) +
        ", \"out\": " + Object(changed) + ", \"status\": " + call.status_ + "}");
} catch (...) {
  failed_ = std::current_exception();
}

}  // namespace gmmu::os
