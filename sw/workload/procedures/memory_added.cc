// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "os/base/bug_check.h"
#include "workload/clients.h"
#include "workload/device_copy.h"
#include "workload/life.h"
#include "workload/needs.h"
#include "workload/procedures/procedures.h"

namespace gmmu::workload {
namespace {

using Bytes = std::vector<uint8_t>;

/// Brings memory online while the adapter runs: first what the GPU can reach, then what it can
/// reach only through DMA remapping.
class MemoryAdded {
 public:
  MemoryAdded(Life& life, uint64_t bytes) : life_(life), bytes_(bytes) {
    // HighestVisibleAddress must exceed the last byte, so the last visible page counts as beyond.
    const uint64_t highest = life.gpu().CapOf("DXGK_PHYSICAL_MEMORY_CAPS.HighestVisibleAddress");
    const uint64_t limit = highest / kPage * kPage;
    for (const hw::Range& range : life.host.platform().firmware().hot_add) {
      const uint64_t middle = std::clamp(limit, range.start, range.end);
      if (range.start < middle) near_.push_back({range.start, middle});
      if (middle < range.end) far_.push_back({middle, range.end});
    }
    if (far_.empty()) {
      throw WrongMachine(
          "the GPU reaches all memory that can be added: it needs [machine.host] hot_add_gib, and [machine.gpu] "
          "limit_bits for less than all memory");
    }
    life_.result.clients = 1;
  }

  void Run() {
    life_.restart(os::RemapPolicy::kNever);
    for (const hw::Range& range : near_) Add(range, "memory within the GPU's reach");
    if (!near_.empty()) Use(near_.front().start, "in added memory, not remapped");
    for (const hw::Range& range : far_) {
      const std::string refusal = AddNow(range);
      life_.Compare("memory beyond the GPU's reach is refused while it is not remapped",
                    refusal.empty() ? "it was added" : "");
    }
    life_.Work([&] {
      const bool refused = os::RefusalOf([&] { Buffer(far_.front().start).Release(); }) != nullptr;
      life_.Compare("refused memory is not allocated", refused ? "" : "it was");
    });
    Use(0, "after the refusal");
    life_.restart(os::RemapPolicy::kWhenPossible);
    life_.Compare("the adapter is remapped after its restart",
                  life_.graphics.mode() == os::DmaMode::kRemapped ? "" : os::NameOf(life_.graphics.mode()));
    for (const hw::Range& range : far_) Add(range, "memory beyond the GPU's reach, remapped");
    Use(far_.front().start, "in added memory, remapped");
  }

 private:
  std::string AddNow(const hw::Range& range) {
    std::string refusal;
    life_.Work([&] { refusal = life_.graphics.AddMemory(range); });
    return refusal;
  }
  void Add(const hw::Range& range, const std::string& what) { life_.Compare(what, AddNow(range)); }
  os::SystemBuffer Buffer(uint64_t lowest) const { return os::MakeHostMemory(life_.vidmm, bytes_, lowest); }

  /// A client reads and writes a host buffer whose pages are at addresses of at least `lowest`.
  void Use(uint64_t lowest, const std::string& where) {
    os::GpuProcess* process = nullptr;
    os::SystemBuffer buffer;
    uint64_t va = 0;
    Bytes expected = PatternAt(0, bytes_, life_.options.seed);
    life_.Work([&] {
      process = life_.vidmm.CreateProcess("process");
      buffer = Buffer(lowest);
      std::memcpy(buffer.Map(0, bytes_), expected.data(), bytes_);
      buffer.Unmap();
      va = life_.vidmm.ReserveVa(*process, bytes_);
      life_.vidmm.mappings().MapSystem(*process, va, buffer);
    });
    const auto& pages = buffer.host_pages();
    life_.Compare("the buffer " + where,
                  *std::min_element(pages.begin(), pages.end()) * kPage >= lowest ? "" : "it is below");
    RunClients(life_.vidmm, {ReadOf(process, va, expected)}, "a client reads " + where, life_.result.checks);
    ClientRun write = AllLines(process, va, bytes_);
    write.write = true;
    write.pattern = life_.options.seed + 1;
    RunClients(life_.vidmm, {write}, "a client writes " + where, life_.result.checks);
    life_.Work([&] {
      const uint8_t* bytes = buffer.Map(0, bytes_);
      life_.Compare("the bytes " + where,
                    Difference(Bytes(bytes, bytes + bytes_), PatternAt(va, bytes_, life_.options.seed + 1)));
      buffer.Unmap();
      life_.vidmm.Unmap(*process, va, bytes_ / kPage);
      life_.vidmm.FreeVa(*process, va);
      life_.vidmm.DestroyProcess(process);
      buffer.Release();
    });
    life_.result.bytes += 2 * bytes_;
    life_.result.bytes_verified += 2 * bytes_;
  }

  Life& life_;
  const uint64_t bytes_;
  std::vector<hw::Range> near_, far_;  // memory within and beyond the GPU's own reach
};

void RunMemoryAdded(Life& life, const ParameterValues& values) {
  for (const char* cap :
       {"DXGK_IOMMU_CAPS.DmaRemappingSupported", "INF.DmaRemappingCompatible", "DXGK_VIDMMCAPS.MapAperture2Supported"})
    NeedCap(life.gpu().CapOf(cap) != 0, std::string(cap) + ": the GPU is never remapped");
  if (!life.host.platform().firmware().iommu_base)
    throw WrongMachine("without [machine.iommu] present = true the GPU is never remapped");
  MemoryAdded(life, values.at("pages") * kPage).Run();
}

}  // namespace

Procedure MemoryAddedProcedure() {
  return {"memory_added",
          "Adds memory while the adapter runs. Memory that the GPU can reach is used at once; memory beyond its reach "
          "is refused until the adapter has been restarted with DMA remapping. A client accesses all added memory.",
          {{"pages", 16, 1, 4096, "Size in pages of the host buffer that the client accesses."}},
          RunMemoryAdded};
}

}  // namespace gmmu::workload
