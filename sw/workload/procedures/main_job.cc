// SPDX-License-Identifier: Apache-2.0
#include "workload/input.h"
#include "workload/life.h"
#include "workload/main_job.h"
#include "workload/physical_job.h"
#include "workload/procedures/procedures.h"

namespace gmmu::workload {
namespace {

void RunMainJob(Life& life, const ParameterValues& values) {
  const uint64_t lowest_source = values.at("source_above_gib") << 30;
  const std::vector<uint64_t> pages = RunSeededMainJob(life, values.at("bytes"), "", lowest_source);
  const uint64_t wanted = values.at("pages_out_of_reach");
  if (wanted == 0) return;
  uint64_t above = 0;
  for (uint64_t pfn : pages) above += pfn > life.gpu().facts().highest_visible / kPage;
  life.Compare("pages out of the GPU's own reach", above >= wanted
                                                       ? ""
                                                       : std::to_string(above) + " of " + std::to_string(pages.size()) +
                                                             ", at least " + std::to_string(wanted) + " must be");
}

}  // namespace

std::vector<uint64_t> RunSeededMainJob(Life& life, uint64_t bytes, const std::string& prefix, uint64_t lowest_source) {
  const std::vector<uint8_t> input = SeededInput(life.options.seed, bytes);
  JobOptions options = life.options;
  options.input = &input;
  options.lowest_source = lowest_source;
  life.result.bytes += input.size();
  Life with_input{life.kernel, life.dxgkrnl, life.adapter, life.worker,      life.link, life.vidmm,
                  options,     life.result,  life.restart, life.power_cycle, life.kept};
  const size_t before = life.result.checks.size();
  const uint64_t verified = life.result.bytes_verified;
  std::vector<uint64_t> pages;
  if (life.gpu().facts().physical_model) {
    PhysicalJob job(with_input);
    job.Run();
    pages = job.pages_used();
  } else {
    MainJob job(with_input);
    job.Run();
    pages = job.pages_used();
  }
  life.result.bytes_verified += verified;
  for (size_t i = before; i < life.result.checks.size(); ++i)
    life.result.checks[i].name = prefix + life.result.checks[i].name;
  return pages;
}

Procedure MainJobProcedure() {
  return {"main_job",
          "Runs the main job on a seeded buffer.",
          {{"bytes", kDefaultInputBytes, 0, kMaxInputBytes, "Size of the buffer in bytes."},
           {"pages_out_of_reach", 0, 0, kMaxInputBytes / kPage,
            "Minimum number of pages of the application's buffers that must lie above HighestVisibleAddress."},
           {"source_above_gib", 0, 0, 131'072,
            "Address in GiB above which the source pages are allocated; 0: anywhere."}},
          RunMainJob,
          ForModel::kBoth};
}

}  // namespace gmmu::workload
