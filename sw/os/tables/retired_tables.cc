// SPDX-License-Identifier: Apache-2.0
#include "os/tables/retired_tables.h"

#include "os/tables/table_memory.h"

namespace gmmu::os {

bool RetiredTables::Invalidate(const UpdateSink& sink) {
  bool any = false;
  for (Retired& retired : tables_) {
    if (std::exchange(retired.invalid, true)) continue;
    TableUpdate update = UpdateToInvalid(retired.table, retired.extent);
    update.retired = true;
    sink(update);
    any = true;
  }
  return any;
}

void RetiredTables::Free() {
  for (Retired& retired : tables_) memory_.Free(retired.table);
  tables_.clear();
}

}  // namespace gmmu::os
