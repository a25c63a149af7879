// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "os/kernel/ddi_values.h"

namespace gmmu::os {

class Hal;
class Scheduler;

/// The trace that --trace-ddi writes: a line of JSON for each call into the driver and for each
/// callback, written when the call returns (docs/check-driver.md describes the members). Two runs
/// with the same seed write identical lines.
class DdiTrace {
 public:
  using Sink = std::function<void(const std::string&)>;
  DdiTrace(Scheduler& scheduler, Hal& hal, Sink sink) : scheduler_(scheduler), hal_(hal), sink_(std::move(sink)) {}

  /// A single call, from its arguments to its result. A call that ends with an exception has no status.
  class Call {
   public:
    /// If `trace` is null, nothing is written.
    template <typename... Args>
    Call(DdiTrace* trace, const char* name, const Args&... args) : trace_(trace) {
      if (trace == nullptr) return;
      name_ = name;
      trace->Begin(*this);
      values_.emplace(trace->names_);
      in_ = values_->Read(args...);
    }
    ~Call() {
      if (trace_ != nullptr) trace_->End(*this);
    }
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

    /// Call after the traced call has returned. `args` are the arguments that were passed to the constructor; their
    /// contents may have changed.
    template <typename Result, typename... Args>
    void Answered(const Result& result, const Args&... args) {
      if (trace_ == nullptr) return;
      status_ = TextOf(result);
      out_ = values_->Read(args...);
    }
    template <typename... Args>
    void Returned(const Args&... args) {
      if (trace_ == nullptr) return;
      status_ = "\"\"";
      out_ = values_->Read(args...);
    }

   private:
    friend DdiTrace;
    template <typename Result>
    static std::string TextOf(const Result& result) {
      if constexpr (std::is_same_v<Result, NTSTATUS>) return StatusText(static_cast<uint32_t>(result));
      else if constexpr (std::is_pointer_v<Result>) return StatusText(result == nullptr ? 0 : 1);
      else return StatusText(static_cast<uint64_t>(result));
    }

    DdiTrace* const trace_;
    const char* name_ = nullptr;
    std::optional<DdiValues> values_;
    uint64_t number_ = 0, inside_ = 0, start_ns_ = 0;
    unsigned irql_ = 0;
    const void* thread_ = nullptr;
    DdiValues::Pairs in_, out_;
    std::string status_ = "null";
  };

 private:
  static std::string StatusText(uint64_t status);
  /// If the sink threw an exception at the end of an earlier call, Begin rethrows it.
  void Begin(Call& call);
  void End(const Call& call) noexcept;

  Scheduler& scheduler_;
  Hal& hal_;
  const Sink sink_;
  HandleNames names_;
  uint64_t calls_ = 0;
  std::exception_ptr failed_;
  std::map<const void*, uint64_t> inside_;  // by thread: number of its innermost call in progress
};

}  // namespace gmmu::os
