// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tb/rtl/dma/copy_machine.h"

namespace gmmu::dma {

/// The parameters of a measurement. Copy k moves `size` bytes from offset k * stride + s of the
/// source window to offset k * stride + d of the destination window.
struct CopyWork {
  CopyMachine::Size reads = CopyMachine::kReads32;
  bool physical = false;  ///< false: scattered 4 KiB pages, with nothing cached
  uint64_t size = 0, stride = 0;
  unsigned s = 0, d = 0;
  unsigned b = 1;  ///< cycles from the last W to B
};

struct CopyFigure {
  double use = 0;  ///< bytes / (bus bytes * cycles from the first AR to the last B)
  unsigned most_reads = 0;
  uint64_t table_reads = 0;
  std::vector<std::string> errors;  ///< wrong bytes, protocol errors, or jobs that never complete
};

/// Copies 1 MiB after a reset, with jobs entering at the copy engine's job port and the real MMU in
/// the path.
inline CopyFigure MeasureCopies(const CopyWork& work) {
  constexpr uint64_t kTotal = 1 << 20;
  Answers answers;
  answers.write_latency = work.b;
  CopyMachine machine(work.reads, 1, answers);
  std::vector<Job> jobs;
  const uint64_t src = work.physical ? 0 : CopyMachine::kVa;
  const uint64_t dst = src + (2 << 20);
  uint64_t at = 0;
  for (uint64_t bytes = 0; bytes < kTotal; bytes += work.size, at += work.stride)
    jobs.push_back({work.physical, src + at + work.s, dst + at + work.d, work.size});
  std::vector<uint8_t> expected = machine.memory;
  for (const Job& job : jobs)
    for (uint64_t n = 0; n < job.length; ++n)
      expected[machine.Find(job, job.dst + n)] = machine.memory[machine.Find(job, job.src + n)];
  CopyFigure figure;
  if (!machine.Run(jobs, 4000000)) figure.errors.push_back("the jobs did not end");
  if (machine.memory != expected) figure.errors.push_back("bytes differ");
  figure.errors.insert(figure.errors.end(), machine.complaints.begin(), machine.complaints.end());
  figure.use = static_cast<double>(kTotal) /
               (static_cast<double>(CopyMachine::kBus) * static_cast<double>(machine.last_b - machine.first_ar));
  figure.most_reads = machine.most_reads;
  figure.table_reads = machine.table_reads;
  return figure;
}

}  // namespace gmmu::dma
