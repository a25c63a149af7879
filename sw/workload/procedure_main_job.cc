// SPDX-License-Identifier: Apache-2.0
#include "workload/input.h"
#include "workload/main_job.h"
#include "workload/procedures.h"

namespace gmmu::workload {
namespace {

/// A page whose physical address the GPU does not reach by itself.
bool Above(uint64_t pfn, uint64_t highest_visible) {
  return pfn > highest_visible / hw::kPageSize;
}

void Run(Life& life, const ParameterValues& values) {
  const std::vector<uint8_t> input = SeededInput(life.options.seed, values.at("bytes"));
  JobOptions options = life.options;
  options.input = &input;
  life.result.bytes = input.size();
  Life with_input{life.kernel, life.dxgkrnl, life.adapter, life.vidmm,
                  life.worker, options,      life.result};
  MainJob job(with_input);
  job.Run();
  const uint64_t wanted = values.at("pages_out_of_reach");
  if (wanted == 0) return;
  uint64_t above = 0;
  for (uint64_t pfn : job.pages_used())
    above += Above(pfn, life.adapter.caps().highest_visible);
  life.Compare("pages out of the GPU's own reach",
               above >= wanted ? ""
                               : std::to_string(above) + " of " +
                                     std::to_string(job.pages_used().size()) + ", at least " +
                                     std::to_string(wanted) + " must be");
}

}  // namespace

Procedure MainJobProcedure() {
  return {"main_job",
          "The main job on a seeded buffer.",
          {{"bytes", kDefaultInputBytes, 0, kMaxInputBytes, "Bytes of the buffer."},
           {"pages_out_of_reach", 0, 0, kMaxInputBytes / hw::kPageSize,
            "So many pages of the application's buffers lie above HighestVisibleAddress."}},
          Run};
}

}  // namespace gmmu::workload
