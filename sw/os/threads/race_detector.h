// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "os/threads/scheduler.h"

namespace gmmu::os {

/// Finds data races of a driver: two accesses to the same byte, at least one of them a write, by
/// threads that are in the driver at the same time, without an ordering between the accesses.
///
/// The driver itself reports its accesses: the compiler inserts a call before each one
/// (-fsanitize=thread; race_events.cc contains the functions). One vector clock per thread tracks
/// the order. Locks, events, DxgkCbSynchronizeExecution and interlocked operations order all
/// accesses before a release before all accesses after the matching acquisition. A call that has
/// returned is ordered before every later call, because the operating system's own locks order
/// them. Only the driver's memory is checked: pool, views of memory objects, and the static data of
/// its file. Accesses by devices are not checked.
///
/// Check throws a race as a BugCheck. The racing access itself does not throw, because driver code
/// is not prepared for exceptions.
class RaceDetector {
 public:
  explicit RaceDetector(const Scheduler& scheduler);
  ~RaceDetector();
  RaceDetector(const RaceDetector&) = delete;
  RaceDetector& operator=(const RaceDetector&) = delete;
  /// Returns the existing detector, or null if there is none or preemption is off.
  static RaceDetector* active();

  /// Registers [begin, begin + bytes) as the driver's memory. `name` is a string such as "pool gmmu".
  void AddMemory(const void* begin, size_t bytes, const std::string& name);
  /// Call when the memory is freed. If the current thread is in the driver, this counts as a write
  /// by that thread.
  void RemoveMemory(const void* begin);
  /// Returns a string such as "pool gmmu (0x1234 bytes) + 0x10", or only the address if it is not
  /// in the driver's memory.
  std::string NameOf(const void* at) const;

  /// Enter: the current thread enters the driver through `entry`. Leave: it returns from the
  /// routine that it entered last.
  void Enter(const char* entry);
  void Leave();
  /// Orders the thread's previous accesses before all calls that begin later, as Leave does, while
  /// the thread's own call continues.
  void Tell();
  void Acquire(const void* object);
  void Release(const void* object);
  /// Records an access that the instruction at `code` makes in the current thread.
  void Access(const void* at, size_t bytes, bool write, const void* code);
  /// Throws the first race that was found, as a BugCheck. Throws each race only once.
  void Check();
  /// Number of checked accesses to the driver's memory.
  uint64_t accesses() const { return accesses_; }

 private:
  using Clock = std::vector<uint32_t>;  // indexed by Thread::number
  struct Thread {
    uint32_t number = 0;
    std::string name;
    std::vector<const char*> entries;
    Clock clock;
  };
  struct Event {  // an access; clock 0: no access
    uint32_t thread = 0, clock = 0, site = 0;
  };
  struct Cell {
    Event write;
    std::vector<Event> reads;  // each thread's latest read since the last write
  };
  struct Memory {
    size_t bytes;
    std::string name;
    std::vector<Cell> cells;  // one cell per byte; allocated at the first access
  };
  struct Site {
    const void* code;
    const char* entry;
    std::string thread;
    bool write;
    size_t bytes;
    bool operator<(const Site& other) const;
  };

  Thread& Running();
  Memory* Find(const void* at, const void** begin);
  void FindData(const void* code);
  uint32_t SiteOf(const Thread& thread, bool write, size_t bytes, const void* code);
  void Look(const Thread& thread, Cell& cell, const void* at, Event now, bool write);
  void Found(const void* at, const Event& before, const Event& now);
  std::string Described(uint32_t site) const;

  const Scheduler& scheduler_;
  std::map<uint64_t, Thread> threads_;  // keyed by the scheduler's fibre number
  std::map<const void*, Clock> objects_;
  Clock returned_;  // joined clocks of all calls that have returned
  std::map<const void*, Memory> memory_;
  const void* data_of_ = nullptr;  // argument with which FindData was called
  std::map<Site, uint32_t> site_numbers_;
  std::vector<Site> sites_;
  std::string race_;
  bool told_ = false;
  uint64_t accesses_ = 0;
};

}  // namespace gmmu::os
