// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <deque>
#include <exception>
#include <functional>
#include <string>

#include "os/base/errors.h"
#include "os/threads/scheduler.h"

namespace gmmu::os {

/// A system thread that runs work items for other fibres, one after another.
class Worker {
 public:
  /// Starts the worker's fibre.
  Worker(Scheduler& scheduler, const std::string& name) : scheduler_(scheduler) {
    scheduler.Spawn(name, [this] { Serve(); });
  }

  /// Runs `work` on the worker and returns when it is complete. Throws AdapterWasReset if the
  /// adapter was reset meanwhile. Other errors end the whole run (Scheduler::Run).
  void Call(const std::function<void()>& work) {
    bool done = false;
    std::exception_ptr lost;
    queue_.push_back([&] {
      try {
        work();
      } catch (const AdapterWasReset&) {
        lost = std::current_exception();
      }
      done = true;
    });
    scheduler_.Wait([&] { return done; }, Scheduler::kForEver, "the worker to finish");
    if (lost) std::rethrow_exception(lost);
  }
  /// Makes the fibre end when its queue is empty.
  void Stop() { stop_ = true; }

 private:
  void Serve() {
    while (true) {
      scheduler_.Wait([this] { return stop_ || !queue_.empty(); }, Scheduler::kWhileOn, "work");
      if (queue_.empty()) return;
      const auto work = std::move(queue_.front());
      queue_.pop_front();
      work();
    }
  }

  Scheduler& scheduler_;
  std::deque<std::function<void()>> queue_;
  bool stop_ = false;
};

}  // namespace gmmu::os
