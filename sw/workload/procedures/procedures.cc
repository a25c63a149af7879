// SPDX-License-Identifier: Apache-2.0
#include "workload/procedures/procedures.h"

namespace gmmu::workload {

const std::vector<Procedure>& Procedures() {
  static const std::vector<Procedure> kProcedures = {
      MainJobProcedure(),        ModeSwitchProcedure(),     OversubscriptionProcedure(),
      RenderProcedure(),         ResizableRootProcedure(),  PageEntriesProcedure(),
      ApertureProcedure(),       MemoryServicesProcedure(), MemoryAddedProcedure(),
      SecureVmProcedure(),       PowerCycleProcedure(),     ExclusiveAccessProcedure(),
      ReservedRangesProcedure(), VaCallsProcedure(),        ContextAllocationsProcedure(),
      TableMovesProcedure(),     SleepProcedure(),          Pages64kProcedure(),
      LinkedProcedure(),         AdapterResetProcedure(),   IsolationMemoryProcedure(),
      SystemMemoryProcedure(),   ThreadsProcedure(),        ListedCommandsProcedure(),
      NoExecuteProcedure(),      ZeroPagesProcedure(),      VariedWorkProcedure(),
      TwoAdaptersProcedure(),    LargePagesProcedure(),     BudgetsProcedure(),
      SystemSegmentProcedure(),  CpuLocksProcedure(),       StrayMessageProcedure()};
  return kProcedures;
}

const Procedure* FindProcedure(const std::string& name) {
  for (const Procedure& procedure : Procedures()) {
    if (procedure.name == name) return &procedure;
  }
  return nullptr;
}

}  // namespace gmmu::workload
