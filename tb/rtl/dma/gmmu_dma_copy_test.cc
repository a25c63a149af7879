// SPDX-License-Identifier: Apache-2.0
// Tests the copy engine with the real MMU: every byte of memory is compared with a plain copy, for
// many kinds of memory and for 2, 32 and 128 reads in flight.
#include <gtest/gtest.h>

#include <ostream>
#include <tuple>

#include "tb/rtl/dma/copy_machine.h"

namespace gmmu::dma {
namespace {

struct Case {
  const char* name;
  CopyMachine::Size size;
  Answers answers;
};
std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.name; }

class Copy : public ::testing::TestWithParam<std::tuple<Case, int>> {
 protected:
  static constexpr uint64_t kWindow = 512 << 12;  ///< offset: sources lie below, destinations above

  /// Runs jobs none of which writes bytes that another one accesses, and compares all of memory
  /// with plain copies.
  void RunAndCompare(CopyMachine& machine, const std::vector<Job>& jobs) {
    std::vector<uint8_t> expected = machine.memory;
    for (const Job& job : jobs)
      for (uint64_t n = 0; n < job.length; ++n)
        expected[machine.Find(job, job.dst + n)] = expected[machine.Find(job, job.src + n)];
    ASSERT_TRUE(machine.Run(jobs, 3000000)) << machine.complaints.back();
    for (const std::string& complaint : machine.complaints) ADD_FAILURE() << complaint;
    unsigned wrong = 0;
    for (uint64_t at = 0; at < CopyMachine::kPages << 12 && wrong < 5; ++at)
      if (machine.memory[at] != expected[at]) {
        ++wrong;
        ADD_FAILURE() << "byte " << std::hex << at << " is " << int{machine.memory[at]} << ", expected "
                      << int{expected[at]};
      }
  }
};

// The destinations are adjacent and share beats; lengths and alignments are random.
TEST_P(Copy, BackToBackMisalignedDestinationsAtRandomLengths) {
  const auto& [kind, seed] = GetParam();
  SCOPED_TRACE("seed " + std::to_string(seed));
  CopyMachine machine(kind.size, seed, kind.answers);
  std::vector<Job> jobs;
  uint64_t to = machine.rng() % 64;
  while (jobs.size() < 300) {
    const uint64_t kinds[] = {9, 70, 300, 9000};
    const uint64_t length = 1 + machine.rng() % kinds[machine.rng() % 4];
    const uint64_t from = machine.rng() % (kWindow - length);
    to += machine.rng() % 4 == 0 ? machine.rng() % 40 : 0;
    if (to + length > kWindow) break;
    const bool physical = machine.rng() % 4 == 0;
    Job job{physical, from, kWindow + to, length};
    if (!physical) {
      job.src += CopyMachine::kVa, job.dst += CopyMachine::kVa;
    } else {  // Physical pages are scattered: stay inside one page.
      const uint64_t room = std::min(4096 - (from & 0xfff), 4096 - (to & 0xfff));
      job.length = std::min(length, room);
      job.src = machine.PageAt(from >> 12) | (from & 0xfff);
      job.dst = machine.PageAt((kWindow + to) >> 12) | (to & 0xfff);
    }
    jobs.push_back(job);
    to += job.length;
  }
  RunAndCompare(machine, jobs);
}

// Combines every source alignment with every destination alignment, using the shortest jobs.
TEST_P(Copy, EveryAlignmentBackToBack) {
  const auto& [kind, seed] = GetParam();
  SCOPED_TRACE("seed " + std::to_string(seed));
  CopyMachine machine(kind.size, seed, kind.answers);
  std::vector<Job> jobs;
  uint64_t to = CopyMachine::kVa + kWindow + 4000;
  const unsigned bus = CopyMachine::kBus, step = bus > 16 ? 5 : 1;
  for (unsigned s = 0; s < bus; s += step)
    for (unsigned d = 0; d < bus; d += step)
      for (uint64_t length : {uint64_t{1}, uint64_t{bus}, uint64_t{bus} + 1, uint64_t{2} * bus}) {
        jobs.push_back({false, CopyMachine::kVa + 4080 + s, to + (d - to) % bus, length});
        to += bus + length;
      }
  RunAndCompare(machine, jobs);
}

Answers Mixed(unsigned ready, unsigned idle, unsigned spread) {
  Answers answers;
  answers.latency = 5;
  answers.spread = spread;
  answers.mix = true;
  answers.ready_percent = ready;
  answers.idle_percent = idle;
  answers.write_latency = 3;
  return answers;
}
// in_order: the memory responds in order, as if all reads had one AXI id.
INSTANTIATE_TEST_SUITE_P(
    Memories, Copy,
    ::testing::Combine(::testing::Values(Case{"in_order", CopyMachine::kReads32, {}},
                                         Case{"interleaved", CopyMachine::kReads32, Mixed(100, 0, 60)},
                                         Case{"back_pressure", CopyMachine::kReads32, Mixed(30, 0, 60)},
                                         Case{"idle_input", CopyMachine::kReads32, Mixed(100, 60, 20)},
                                         Case{"both", CopyMachine::kReads32, Mixed(40, 40, 200)},
                                         Case{"two_reads", CopyMachine::kReads2, Mixed(50, 20, 40)},
                                         Case{"two_reads_in_order", CopyMachine::kReads2, {}},
                                         Case{"deep", CopyMachine::kReads128, Mixed(60, 10, 300)},
                                         Case{"deep_in_order", CopyMachine::kReads128, {}}),
                       ::testing::Values(1, 2, 3)));

}  // namespace
}  // namespace gmmu::dma
