// SPDX-License-Identifier: Apache-2.0
#include "os/threads/race_detector.h"

#include <link.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "os/base/bug_check.h"
#include "os/guard/code_place.h"
#include "os/base/text.h"

namespace gmmu::os {
namespace {

RaceDetector* current = nullptr;

void Join(std::vector<uint32_t>& into, const std::vector<uint32_t>& other) {
  if (into.size() < other.size()) into.resize(other.size());
  for (size_t i = 0; i < other.size(); ++i) into[i] = std::max(into[i], other[i]);
}

/// Whether the access that `thread` made at time `clock` happens before the current access by a
/// thread with vector clock `seen`.
bool Before(uint32_t thread, uint32_t clock, const std::vector<uint32_t>& seen) {
  return thread < seen.size() && clock <= seen[thread];
}

const void* Plus(const void* at, size_t bytes) { return static_cast<const char*>(at) + bytes; }
size_t Distance(const void* from, const void* to) {
  return static_cast<size_t>(static_cast<const char*>(to) - static_cast<const char*>(from));
}

}  // namespace

RaceDetector::RaceDetector(const Scheduler& scheduler) : scheduler_(scheduler) {
  if (scheduler.preempts()) current = this;
}

RaceDetector::~RaceDetector() {
  if (current == this) current = nullptr;
}

RaceDetector* RaceDetector::active() { return current; }

bool RaceDetector::Site::operator<(const Site& other) const {
  return std::tie(code, entry, thread, write, bytes) <
         std::tie(other.code, other.entry, other.thread, other.write, other.bytes);
}

void RaceDetector::AddMemory(const void* begin, size_t bytes, const std::string& name) {
  memory_[begin] = {bytes, name, {}};
}

void RaceDetector::RemoveMemory(const void* begin) {
  const auto found = memory_.find(begin);
  if (found == memory_.end()) return;
  if (current == this && !found->second.cells.empty() && !Running().entries.empty())
    Access(begin, found->second.bytes, /*write=*/true, nullptr);
  for (auto it = objects_.lower_bound(begin); it != objects_.end() && it->first < Plus(begin, found->second.bytes);)
    it = objects_.erase(it);
  memory_.erase(found);
}

RaceDetector::Memory* RaceDetector::Find(const void* at, const void** begin) {
  auto found = memory_.upper_bound(at);
  if (found == memory_.begin()) return nullptr;
  --found;
  *begin = found->first;
  return Distance(found->first, at) < found->second.bytes ? &found->second : nullptr;
}

std::string RaceDetector::NameOf(const void* at) const {
  const void* begin = nullptr;
  const Memory* memory = const_cast<RaceDetector*>(this)->Find(at, &begin);
  if (memory == nullptr) return Hex(reinterpret_cast<uintptr_t>(at));
  return memory->name + " (" + Hex(memory->bytes) + " bytes) + " + Hex(Distance(begin, at));
}

RaceDetector::Thread& RaceDetector::Running() {
  Thread& thread = threads_[scheduler_.thread_number()];
  if (!thread.clock.empty()) return thread;
  thread.number = static_cast<uint32_t>(threads_.size() - 1);
  thread.name = scheduler_.current();
  thread.clock.resize(thread.number + 1);
  thread.clock[thread.number] = 1;
  return thread;
}

void RaceDetector::Enter(const char* entry) {
  if (current != this) return;
  Thread& thread = Running();
  Join(thread.clock, returned_);
  thread.entries.push_back(entry);
}

void RaceDetector::Leave() {
  if (current != this) return;
  Running().entries.pop_back();
  Tell();
}

void RaceDetector::Tell() {
  if (current != this) return;
  Thread& thread = Running();
  Join(returned_, thread.clock);
  ++thread.clock[thread.number];
}

void RaceDetector::Acquire(const void* object) {
  if (current != this) return;
  const auto found = objects_.find(object);
  if (found != objects_.end()) Join(Running().clock, found->second);
}

void RaceDetector::Release(const void* object) {
  if (current != this) return;
  Thread& thread = Running();
  Join(objects_[object], thread.clock);
  ++thread.clock[thread.number];
}

// Adds the driver's static data: the writable segments of the shared object that contains `code`.
void RaceDetector::FindData(const void* code) {
  struct Search {
    RaceDetector& detector;
    const uintptr_t code;
  } search{*this, reinterpret_cast<uintptr_t>(code)};
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* context) {
        auto& wanted = *static_cast<Search*>(context);
        const auto covers = [&](const auto& segment) {
          return segment.p_type == PT_LOAD && wanted.code - (info->dlpi_addr + segment.p_vaddr) < segment.p_memsz;
        };
        const auto* const end = info->dlpi_phdr + info->dlpi_phnum;
        if (std::none_of(info->dlpi_phdr, end, covers)) return 0;
        for (const auto* segment = info->dlpi_phdr; segment != end; ++segment) {
          if (segment->p_type != PT_LOAD || (segment->p_flags & PF_W) == 0) continue;
          wanted.detector.AddMemory(reinterpret_cast<const void*>(info->dlpi_addr + segment->p_vaddr), segment->p_memsz,
                                    "the driver's data");
        }
        return 1;
      },
      &search);
}

uint32_t RaceDetector::SiteOf(const Thread& thread, bool write, size_t bytes, const void* code) {
  const Site site{code, thread.entries.empty() ? "no entry point" : thread.entries.back(), thread.name, write, bytes};
  const auto [found, is_new] = site_numbers_.emplace(site, static_cast<uint32_t>(sites_.size()));
  if (is_new) sites_.push_back(site);
  return found->second;
}

void RaceDetector::Access(const void* at, size_t bytes, bool write, const void* code) {
  if (data_of_ == nullptr && code != nullptr) FindData(data_of_ = code);
  const void* begin = nullptr;
  Memory* memory = Find(at, &begin);
  if (memory == nullptr) return;
  ++accesses_;
  if (memory->cells.empty()) memory->cells.resize(memory->bytes);
  const Thread& thread = Running();
  const Event now{thread.number, thread.clock[thread.number], SiteOf(thread, write, bytes, code)};
  const size_t first = Distance(begin, at);
  const size_t end = std::min(memory->bytes, first + bytes);
  for (size_t i = first; i < end; ++i) Look(thread, memory->cells[i], Plus(begin, i), now, write);
}

void RaceDetector::Look(const Thread& thread, Cell& cell, const void* at, Event now, bool write) {
  const auto ordered = [&](const Event& event) {
    return event.clock == 0 || event.thread == now.thread || Before(event.thread, event.clock, thread.clock);
  };
  if (!ordered(cell.write)) Found(at, cell.write, now);
  if (write) {
    for (const Event& read : cell.reads)
      if (!ordered(read)) Found(at, read, now);
    cell.write = now;
    cell.reads.clear();
    return;
  }
  for (Event& read : cell.reads) {
    if (read.thread != now.thread) continue;
    read = now;
    return;
  }
  cell.reads.push_back(now);
}

std::string RaceDetector::Described(uint32_t site) const {
  const Site& known = sites_[site];
  const std::string what = known.code == nullptr
                               ? "frees it"
                               : (known.write ? "writes " : "reads ") + std::to_string(known.bytes) + " bytes";
  return std::string(known.entry) + " (thread " + known.thread + ") " + what + PlaceOf(known.code);
}

void RaceDetector::Found(const void* at, const Event& before, const Event& now) {
  if (!race_.empty()) return;
  race_ = "data race on " + NameOf(at) + ": " + Described(before.site) + ", and meanwhile " + Described(now.site) +
          "; no lock orders them";
}

void RaceDetector::Check() {
  if (!race_.empty() && !std::exchange(told_, true)) throw BugCheck(race_);
}

}  // namespace gmmu::os
