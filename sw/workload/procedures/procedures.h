// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "os/application/facts.h"
#include "os/application/gpu.h"
#include "workload/lines.h"

namespace gmmu::workload {

struct Life;

/// An integer parameter that a scenario can set for its procedure.
struct ParameterRule {
  std::string name;
  uint64_t initial = 0, min = 0, max = 0;
  std::string description;
};

/// Maps parameter names to values; contains every parameter of the procedure.
using ParameterValues = std::map<std::string, uint64_t>;

/// The GPUs on which a procedure can run: those with page tables, those without page tables, or all.
enum class ForModel { kGpuMmu, kPhysical, kBoth };

/// The work of an application on a machine that is powered on.
struct Procedure {
  std::string name;
  std::string description;
  std::vector<ParameterRule> parameters;
  void (*run)(Life& life, const ParameterValues& values);
  ForModel model = ForModel::kGpuMmu;  ///< memory model that the procedure needs
};

/// All procedures, sorted by name. The procedure <name> is implemented in <name>.cc.
const std::vector<Procedure>& Procedures();
/// Returns the procedure with this name, or null.
const Procedure* FindProcedure(const std::string& name);

Procedure MainJobProcedure();
Procedure ModeSwitchProcedure();
Procedure CpuLocksProcedure();
Procedure StrayMessageProcedure();
Procedure OversubscriptionProcedure();
Procedure SystemMemoryProcedure();
Procedure RenderProcedure();
Procedure ResizableRootProcedure();
Procedure PageEntriesProcedure();
Procedure NoExecuteProcedure();
Procedure ZeroPagesProcedure();
Procedure MemoryAddedProcedure();
Procedure MemoryServicesProcedure();
Procedure ApertureProcedure();
Procedure SecureVmProcedure();
Procedure IsolationMemoryProcedure();
Procedure ExclusiveAccessProcedure();
Procedure PowerCycleProcedure();
Procedure SleepProcedure();
Procedure ReservedRangesProcedure();
Procedure VaCallsProcedure();
Procedure LargePagesProcedure();
Procedure BudgetsProcedure();
Procedure SystemSegmentProcedure();
Procedure ContextAllocationsProcedure();
Procedure TableMovesProcedure();
Procedure Pages64kProcedure();
Procedure LinkedProcedure();
Procedure AdapterResetProcedure();
Procedure ThreadsProcedure();
Procedure ListedCommandsProcedure();
Procedure VariedWorkProcedure();
Procedure TwoAdaptersProcedure();

/// Runs the main job on a seeded buffer of `bytes` bytes. The names of its checks begin with
/// `prefix`. Returns the host pages that were sources or targets of paging. `lowest_source`: see
/// JobOptions.
std::vector<uint64_t> RunSeededMainJob(Life& life, uint64_t bytes, const std::string& prefix = "",
                                       uint64_t lowest_source = 0);

}  // namespace gmmu::workload
