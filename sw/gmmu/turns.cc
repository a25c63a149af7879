// SPDX-License-Identifier: Apache-2.0
#include "gmmu/turns.h"

#include <chrono>

namespace gmmu {

Turns::~Turns() {
  if (thread_.joinable()) thread_.join();
}

void Turns::Run() {
  try {
    body_();
  } catch (...) {
    error_ = std::current_exception();
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  ended_ = true;
  bodys_turn_ = false;
  changed_.notify_all();
}

bool Turns::Resume(const std::function<void()>& idle) {
  if (ended_) return false;
  std::unique_lock<std::mutex> lock(mutex_);
  bodys_turn_ = true;
  if (!thread_.joinable()) thread_ = std::thread([this] { Run(); });
  changed_.notify_all();
  std::exception_ptr interrupted;
  while (!changed_.wait_for(lock, std::chrono::milliseconds(100), [this] { return !bodys_turn_; })) {
    if (!idle || interrupted) continue;
    lock.unlock();
    try {
      idle();
    } catch (...) {
      interrupted = std::current_exception();
    }
    lock.lock();
  }
  lock.unlock();
  if (ended_) {
    thread_.join();
    if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
  }
  if (interrupted) std::rethrow_exception(interrupted);
  return !ended_;
}

void Turns::Yield() {
  std::unique_lock<std::mutex> lock(mutex_);
  bodys_turn_ = false;
  changed_.notify_all();
  changed_.wait(lock, [this] { return bodys_turn_; });
}

}  // namespace gmmu
