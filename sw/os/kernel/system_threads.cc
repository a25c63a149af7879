// SPDX-License-Identifier: Apache-2.0
#include "os/kernel/system_threads.h"

#include <algorithm>

#include "os/kernel/driver_routines.h"
#include "os/kernel/kernel.h"

namespace gmmu::os {

SystemThread& SystemThreads::Create(PKSTART_ROUTINE start, PVOID context) {
  auto made = std::make_unique<SystemThread>();
  SystemThread& thread = *made;
  const void* const routine = reinterpret_cast<const void*>(start);
  thread.type = KernelObject::Type::kThread;
  thread.name = "the " + RoutineName("system thread", routine);
  threads_.push_back(std::move(made));
  kernel_.locks().Initialize(&thread, DriverLocks::Kind::kThread, false, thread.name);
  kernel_.races().Release(&thread);
  const auto ticket = kernel_.ledger().Open("system_thread", thread.name, "driver", "PsCreateSystemThread");
  const std::string name = "driver thread " + std::to_string(threads_.size());
  kernel_.scheduler().SpawnServer(name, [=, &thread] {
    kernel_.scheduler().NoteWork(RoutineName("system thread", routine));
    thread.number = kernel_.scheduler().thread_number();
    by_number_[thread.number] = &thread;
    kernel_.races().Acquire(&thread);
    CallDriverRoutine(kernel_, "system thread", routine, kPassive, [&] {
      try {
        start(context);
      } catch (const Ended&) {}
    });
    kernel_.ledger().Close(ticket);
    kernel_.locks().Signal(&thread, true);
  });
  return thread;
}

void SystemThreads::Terminate() {
  const auto found = by_number_.find(kernel_.scheduler().thread_number());
  if (found != by_number_.end() && kernel_.scheduler().serves()) throw Ended{};
}

SystemThread& SystemThreads::Current() {
  const uint64_t number = kernel_.scheduler().thread_number();
  SystemThread*& thread = by_number_[number];
  if (thread == nullptr) {
    auto made = std::make_unique<SystemThread>();
    made->type = KernelObject::Type::kThread;
    made->name = "thread " + kernel_.scheduler().current();
    made->number = number;
    thread = made.get();
    kernel_.locks().Initialize(thread, DriverLocks::Kind::kThread, false, made->name);
    threads_.push_back(std::move(made));
  }
  return *thread;
}

SystemThread* SystemThreads::Find(const void* thread) const {
  const auto found = std::find_if(threads_.begin(), threads_.end(),
                                  [&](const auto& each) { return each.get() == thread; });
  return found == threads_.end() ? nullptr : found->get();
}

}  // namespace gmmu::os
