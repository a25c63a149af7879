// SPDX-License-Identifier: Apache-2.0
#include "tb/rtl/mmu/mmu_speed.h"

#include <algorithm>
#include <numeric>

namespace gmmu::bench {
namespace {

using regs::Access;
using regs::PteEntry;
using regs::Target;

constexpr uint64_t kRoot = 0x100000;
constexpr uint64_t kBound = 1'000'000;  // longest stream, in cycles

uint64_t Entry(TableMemory::Key key) {
  const uint64_t table = key.second >> 12, index = (key.second >> 3) & 511;
  PteEntry entry;
  entry.set_valid(1);
  if (table == kRoot >> 12) return entry.set_target(Target::kVram).set_page(0x1000 + index).raw;
  if (table < 0x2000) {
    entry.set_target(Target::kVram).set_page(0x100000 + ((table - 0x1000) << 9) + index);
    return entry.raw;
  }
  return entry.set_page(0x80000 + ((table - 0x100000) << 9) + index).raw;
}

}  // namespace

MmuSpeed::MmuSpeed(unsigned latency) : machine_(false, 1) {
  machine_.manners.latency = latency;
  machine_.memory.fill = Entry;
  Control control;
  control.set_space = true;
  control.config.enable = true;
  control.config.root_target = Target::kVram;
  control.config.root_address = kRoot;
  control.config.root_entries = 512;
  control.config.levels = 3;
  control.config.bits = {9, 9, 9, 0, 0, 0};
  machine_.Do(control);
}

const std::vector<std::string>& MmuSpeed::errors() {
  errors_.insert(errors_.end(), machine_.errors().begin(), machine_.errors().end());
  return errors_;
}

std::vector<unsigned> MmuSpeed::Clients() const {
  std::vector<unsigned> all(machine_.ports() - 3);
  std::iota(all.begin(), all.end(), 0u);
  return all;
}

uint64_t MmuSpeed::Latency(uint64_t va, unsigned port) {
  const Answer answer = machine_.Translate({port, 0, va, Access::kRead});
  return answer.answered - answer.accepted;
}

std::vector<Answer> MmuSpeed::Stream(const std::vector<unsigned>& ports, unsigned count,
                                     const std::function<uint64_t(unsigned, unsigned)>& va) {
  machine_.TakeAnswers();
  std::vector<unsigned> posted(machine_.ports());
  std::vector<Answer> answers;
  const uint64_t end = machine_.now + kBound;
  while (answers.size() < ports.size() * count) {
    if (machine_.now == end) {
      errors_.push_back("a stream of lookups did not end");
      break;
    }
    for (const unsigned port : ports) {
      unsigned& i = posted[port];
      while (i < count && machine_.Post({port, 0, va(port, i), Access::kRead})) ++i;
    }
    machine_.Step();
    for (const Answer& answer : machine_.TakeAnswers()) answers.push_back(answer);
  }
  return answers;
}

double MmuSpeed::CyclesEach(unsigned count, const Address& va, const std::vector<unsigned>& ports) {
  const auto many = static_cast<unsigned>(ports.size());
  const auto answers = Stream(ports, count / many,
                              [&](unsigned port, unsigned i) { return va(i * many + port - ports.front()); });
  uint64_t first = ~uint64_t{0}, last = 0;
  for (const Answer& answer : answers) {
    first = std::min(first, answer.accepted);
    last = std::max(last, answer.answered);
  }
  return static_cast<double>(last - first) / count;
}

double MmuSpeed::SlowestPort(const std::vector<Answer>& answers) const {
  double slowest = 2;
  for (unsigned port = 0; port < machine_.ports(); ++port) {
    uint64_t first = ~uint64_t{0}, last = 0, count = 0;
    for (const Answer& answer : answers) {
      if (answer.request.port != port) continue;
      first = std::min(first, answer.answered);
      last = std::max(last, answer.answered);
      ++count;
    }
    if (count > 1) slowest = std::min(slowest, static_cast<double>(count - 1) / (last - first));
  }
  return slowest;
}

uint64_t MmuSpeed::HitLatency() {
  Latency(0);
  return Latency(64);
}

double MmuSpeed::HitsPerCycle() {
  for (const unsigned port : Clients()) Latency(uint64_t{port} << 12, port);
  return SlowestPort(
      Stream(Clients(), 1000, [](unsigned port, unsigned i) { return uint64_t{port} << 12 | (i * 64 & 0xfff); }));
}

double MmuSpeed::EngineHitsPerCycle() {
  const unsigned first = machine_.ports() - 3;
  const auto page = [](unsigned port, unsigned i) { return uint64_t{port} << 12 | (i * 64 & 0xfff); };
  for (unsigned port = first; port < machine_.ports(); ++port) Latency(page(port, 0), port);
  uint64_t begin = ~uint64_t{0}, end = 0;
  const auto answers = Stream({first, first + 1, first + 2}, 1000, page);
  for (const Answer& answer : answers) {
    begin = std::min(begin, answer.answered);
    end = std::max(end, answer.answered);
  }
  return static_cast<double>(answers.size() - 1) / static_cast<double>(end - begin);
}

double MmuSpeed::HitsPerCycleBehind(unsigned misses) {
  for (const unsigned port : Clients()) Latency(uint64_t{port} << 12, port);
  machine_.manners.latency = 4000;
  // The misses of each port use different leaf tables and are accepted before the first hit.
  for (const unsigned port : Clients())
    for (unsigned i = 0; i < misses; ++i)
      machine_.Post({port, 0, uint64_t{1 + port * misses + i} << 21, Access::kRead});
  for (unsigned i = 0; i < 400; ++i) machine_.Step();
  const auto answers = Stream(Clients(), 1000,
                              [](unsigned port, unsigned i) { return uint64_t{port} << 12 | (i * 64 & 0xfff); });
  for (const Answer& answer : answers) {
    if (answer.request.va >> 21 != 0) {
      errors_.push_back("a miss was answered before the last hit");
      break;
    }
  }
  if (!machine_.Run(kBound)) errors_.push_back("the misses were not answered");
  return SlowestPort(answers);
}

uint64_t MmuSpeed::L2HitLatency() {
  Latency(0, 1);
  return Latency(0, 0);
}

double MmuSpeed::L2HitsPerCycle() {
  constexpr unsigned kPages = 80;  // per port; no set of 16-page blocks overflows
  const auto page = [](unsigned port, unsigned i) { return uint64_t{port * kPages + i} << 12; };
  // The neighbouring port looks the pages up, which loads them into the L2.
  const unsigned ports = machine_.ports() - 3;
  for (const unsigned port : Clients())
    Stream({port}, kPages, [&](unsigned p, unsigned i) { return page((p + 1) % ports, i); });
  const uint64_t walks = machine_.counts.walks;
  const auto answers = Stream(Clients(), kPages, page);
  if (machine_.counts.walks != walks) errors_.push_back("an L2 hit walked");
  uint64_t first = ~uint64_t{0}, last = 0;
  for (const Answer& answer : answers) {
    first = std::min(first, answer.answered);
    last = std::max(last, answer.answered);
  }
  return static_cast<double>(answers.size() - 1) / static_cast<double>(last - first);
}

uint64_t MmuSpeed::ColdWalk() { return Latency(uint64_t{50} << 21); }

uint64_t MmuSpeed::WalkCacheHit() {
  Latency(0);
  return Latency(0x100000);
}

double MmuSpeed::SequentialMisses() {
  return CyclesEach(2048, [](unsigned i) { return uint64_t{i} << 12; });
}

double MmuSpeed::SharedSequentialMisses() {
  return CyclesEach(2048, [](unsigned i) { return uint64_t{i} << 12; }, Clients());
}

double MmuSpeed::SparseMisses() {
  return CyclesEach(400, [](unsigned i) { return uint64_t{i} << 30 | uint64_t{i} << 21; });
}

double MmuSpeed::SparseCachedMisses() {
  const auto va = [](unsigned i) { return uint64_t{i % 8} << 21 | uint64_t{i / 8} << 15; };
  for (unsigned i = 0; i < 8; ++i) Latency(uint64_t{i} << 21 | 0x1ff000);  // These walks fill the walk cache.
  return CyclesEach(400, va);
}

}  // namespace gmmu::bench
