// SPDX-License-Identifier: Apache-2.0
#include "os/vidmm/vidmm_link.h"

#include <algorithm>

#include "os/dxgkrnl/logical_adapter.h"
#include "os/dxgkrnl/physical_adapter.h"
#include "os/base/bug_check.h"
#include "os/kernel/kernel.h"
#include "os/base/parameters.h"
#include "os/tables/linked_tables.h"
#include "os/vidmm/gpu_process.h"
#include "os/vidmm/mappings.h"
#include "os/vidmm/processes.h"
#include "os/vidsch/vidsch.h"

namespace gmmu::os {
namespace {

bool SameLevels(const Geometry& a, const Geometry& b) {
  if (a.va_bits != b.va_bits || a.count() != b.count()) return false;
  for (unsigned level = 0; level < a.count(); ++level) {
    const LevelDescriptor &one = a.levels[level], &other = b.levels[level];
    if (one.index_bits != other.index_bits || one.bytes != other.bytes) return false;
  }
  return true;
}

// Refuses settings that are not supported for linked GPUs. Each error message names the key.
void RefuseForOneGpu(LogicalAdapter& adapter) {
  const Parameters& parameters = adapter.kernel().parameters();
  const auto refuse = [&](const std::string& key) {
    throw OsError(key + " is for one GPU, not for " + std::to_string(adapter.adapters()) +
                  " that are linked (LinkedAdapters): leave it out, or set gpu.count = 1");
  };
  if (parameters.bring_up == BringUp::kWindows26100) refuse("os.bring_up \"windows-26100\"");
  if (parameters.physical_paging) refuse("os.physical_paging");
}

}  // namespace

VidMmLink::Process::~Process() = default;

VidMmLink::~VidMmLink() = default;

VidMmLink::VidMmLink(LogicalAdapter& adapter) : adapter_(adapter), gpus_(adapter.adapters()) {
  if (gpus_ > kMost) throw OsError(std::to_string(gpus_) + " linked adapters, 4 are the most");
  if (gpus_ > 1) RefuseForOneGpu(adapter);
  std::vector<VidMm*> all;
  for (unsigned gpu = 0; gpu < gpus_; ++gpu) all.push_back(&vidmm_[gpu].emplace(adapter.physical(gpu)));
  for (VidMm* one : all) one->set_link(all);
}

void VidMmLink::Start() {
  for (unsigned gpu = 0; gpu < gpus_; ++gpu) on(gpu).Start();
}

void VidMmLink::Stop() {
  for (unsigned gpu = 0; gpu < gpus_; ++gpu) on(gpu).Stop();
}

void VidMmLink::Rebuild() {
  adapter_.vidsch().BeginRebuild();
  for (unsigned gpu = 0; gpu < gpus_; ++gpu) on(gpu).ForgetQueued();
  adapter_.Restart();
  for (unsigned gpu = 0; gpu < gpus_; ++gpu) on(gpu).RebuildTables();
}

VidMmLink::Process* VidMmLink::CreateProcess(const std::string& name) {
  auto process = std::make_unique<Process>();
  process->name = name;
  std::vector<Segment*> segments;
  bool same = true;
  const Geometry& first = adapter_.physical(0).caps().geometry;
  for (unsigned gpu = 0; gpu < gpus_; ++gpu) {
    const Geometry& own = adapter_.physical(gpu).caps().geometry;
    same = same && SameLevels(own, first);
    segments.push_back(&adapter_.physical(gpu).segment(own.levels.back().segment));
  }
  process->tables = std::make_unique<LinkedTables>(std::move(segments), same);
  for (unsigned gpu = 0; gpu < gpus_; ++gpu) {
    const unsigned top = adapter_.physical(gpu).caps().geometry.count() - 1;
    const auto place = [gpu, top, tables = process->tables.get()](unsigned level, uint64_t slot, uint64_t bytes,
                                                                  uint64_t alignment, const std::string& created_by) {
      return tables->Take(gpu, level == top, level, slot, bytes, alignment, created_by);
    };
    const GpuProcess* made = gpu == 0 ? nullptr : process->parts[0];
    const std::exception_ptr refusal =
        RefusalOf([&] { process->parts.push_back(on(gpu).processes().CreatePart(name, made, place, process->parts)); });
    if (!refusal) continue;
    DestroyParts(*process);
    std::rethrow_exception(refusal);
  }
  processes_.push_back(std::move(process));
  return processes_.back().get();
}

void VidMmLink::DestroyParts(Process& process) {
  for (; !process.parts.empty(); process.parts.pop_back()) {
    GpuProcess* part = process.parts.back();
    part->vidmm->DestroyProcess(part);
  }
  process.tables->ReleaseReserved();
}

void VidMmLink::DestroyProcess(Process* process) {
  DestroyParts(*process);
  processes_.erase(std::find_if(processes_.begin(), processes_.end(),
                                [process](const auto& held) { return held.get() == process; }));
}

void VidMmLink::Map(Process& process, unsigned gpu, uint64_t va, Allocation& allocation, uint64_t first_page,
                    uint64_t pages, const Protection& protection) {
  on(gpu).Map(*process.parts[gpu], va, allocation, first_page, pages, protection);
}

void VidMmLink::MapEverywhere(Process& process, uint64_t va, Allocation& allocation, uint64_t first_page,
                              uint64_t pages) {
  for (unsigned gpu = 0; gpu < gpus_; ++gpu) Map(process, gpu, va, allocation, first_page, pages);
}

void VidMmLink::CopyEverywhere(Process& process, uint64_t source, uint64_t target, uint64_t bytes) {
  for (unsigned gpu = 0; gpu < gpus_; ++gpu) on(gpu).mappings().Copy(*process.parts[gpu], source, target, bytes);
}

void VidMmLink::UnmapEverywhere(Process& process, uint64_t va, uint64_t pages) {
  for (unsigned gpu = 0; gpu < gpus_; ++gpu) on(gpu).mappings().UnmapAndFreeTables(*process.parts[gpu], va, pages);
}

}  // namespace gmmu::os
