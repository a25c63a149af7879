// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "os/application/facts.h"
#include "os/miniport/allocation.h"
#include "workload/clients.h"
#include "workload/device_copy.h"
#include "workload/input.h"
#include "workload/life.h"
#include "workload/needs.h"
#include "workload/page_words.h"
#include "workload/procedures/procedures.h"

namespace gmmu::workload {
namespace {

/// Compares the contents of the system memory behind a segment with what the GPU reads and writes
/// through the segment.
class SystemSegment {
 public:
  SystemSegment(Life& life, const ParameterValues& values)
      : life_(life), vidmm_(life.vidmm), pages_(values.at("pages")) {}

  void Run(uint64_t bytes) {
    const os::SegmentFacts segment = life_.gpu().facts().local;
    NeedCap(segment.memory.has_value(), "DXGK_SEGMENTFLAGS.PopulatedFromSystemMemory");
    if (pages_ * kPage > segment.size / 4)
      throw WrongMachine("pages must be at most a quarter of the memory segment, " +
                         std::to_string(segment.size / 4 / kPage));
    memory_ = *segment.memory;
    life_.result.clients = 1;
    life_.Work([&] {
      process_ = vidmm_.CreateProcess("process");
      os::AllocationRequest request{"data", pages_ * kPage};
      request.local_only = true;
      data_ = vidmm_.CreateAllocation(request);
      va_ = vidmm_.ReserveVa(*process_, pages_ * kPage);
      vidmm_.Map(*process_, va_, *data_, 0, pages_);
      vidmm_.residency().MakeResident({data_});
    });
    FilledByTheGpu();
    WrittenByAClient();
    WrittenByTheCpu();
    life_.Work([&] { vidmm_.residency().Evict(*data_); });
    life_.Work([&] { vidmm_.residency().MakeResident({data_}); });
    Both("after an eviction");
    life_.Work([&] {
      vidmm_.DestroyAllocation(data_);
      vidmm_.FreeVa(*process_, va_);
      vidmm_.DestroyProcess(process_);
    });
    RunSeededMainJob(life_, bytes);
  }

 private:
  uint64_t HostAddress(uint64_t page) const { return memory_ + *os::VramOffset(*data_, page); }

  void FilledByTheGpu() {
    expected_ = PageWords::Bytes(PageWords::Words(1, pages_));
    life_.Work([&] {
      for (uint64_t page = 0; page < pages_; ++page)
        vidmm_.transfers().Fill(*data_, page * kPage, kPage, PageWords::Word(static_cast<uint32_t>(page) + 1));
    });
    Both("filled by the GPU");
  }

  void WrittenByAClient() {
    ClientRun run = AllLines(process_, va_, pages_ * kPage);
    run.pattern = life_.options.seed;
    run.write = true;
    RunClients(vidmm_, {run}, "written by a client", life_.result.checks);
    expected_ = PatternAt(va_, pages_ * kPage, *run.pattern);
    Both("written by a client");
  }

  void WrittenByTheCpu() {
    expected_ = PageWords::Bytes(PageWords::Words(static_cast<uint32_t>(pages_) + 1, pages_));
    for (uint64_t page = 0; page < pages_; ++page)
      static_cast<void>(life_.host.platform().ram().Write(HostAddress(page), expected_.data() + page * kPage, kPage));
    Both("written by the CPU");
  }

  /// Checks that the expected bytes are in system memory and are what a client reads.
  void Both(const std::string& when) {
    std::vector<uint8_t> found(expected_.size());
    for (uint64_t page = 0; page < pages_; ++page)
      static_cast<void>(life_.host.platform().ram().Read(HostAddress(page), found.data() + page * kPage, kPage));
    life_.Compare("system memory " + when, Difference(found, expected_));
    RunClients(vidmm_, {ReadOf(process_, va_, expected_)}, "read " + when, life_.result.checks);
    life_.result.bytes += expected_.size();
    life_.result.bytes_verified += expected_.size();
  }

  Life& life_;
  os::VidMm& vidmm_;
  const uint64_t pages_;
  uint64_t memory_ = 0, va_ = 0;
  os::GpuProcess* process_ = nullptr;
  os::Allocation* data_ = nullptr;
  std::vector<uint8_t> expected_;
};

void RunSystemSegment(Life& life, const ParameterValues& values) {
  SystemSegment(life, values).Run(values.at("bytes"));
}

}  // namespace

Procedure SystemSegmentProcedure() {
  return {
      "system_segment",
      "Fills and writes an allocation of an integrated GPU's memory segment through the GPU and through the CPU, and "
      "compares the system's memory with what a client reads. Then evicts and restores it, and runs the main job.",
      {{"pages", 24, 1, 65'536, "Pages of the allocation."},
       {"bytes", 65'536, 1, kMaxInputBytes, "Size in bytes of the main job's buffer."}},
      RunSystemSegment};
}

}  // namespace gmmu::workload
