// SPDX-License-Identifier: Apache-2.0
// Tests the destruction of an address space.
#include "os/tables/address_space.h"

#include <tuple>

#include "tb/sw/os/tables/tables_bench.h"

namespace gmmu::os::test {
namespace {

using ::testing::Contains;
using workload::Life;

// According to Microsoft's documentation, an update identifies its table by the level and by the
// first address that the table translates.
TEST_P(TableKinds, ExplicitInvalidationAtTheEndNamesEachTableByItsLevelAndItsFirstAddress) {
  // Level, whether entries are 64 KiB, first address, index of the first entry, number of entries.
  using Table = std::tuple<UINT, bool, uint64_t, UINT, UINT>;
  bench.options.os.driver["ExplicitPageTableInvalidation"] = true;
  std::vector<Table> tables;
  Run([&](Life& life) {
    Subject subject = MakeMixed(life);
    life.worker.Call([&] { life.vidmm.DestroyAllocation(subject.data); });
    WatchUpdates(subject, [&](const DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE& op) {
      tables.emplace_back(op.PageTableLevel, op.Flags.Use64KBPages != 0, op.FirstPteVirtualAddress, op.StartIndex,
                          op.NumPageTableEntries);
    });
    life.worker.Call([&] { life.vidmm.DestroyProcess(subject.process); });
    seen.operation = nullptr;
  });
  constexpr uint64_t kSmallTable = kSmall / (512 * kPage) * (512 * kPage),
                     kLargeTable = kLarge / (512 * kPage) * (512 * kPage);
  EXPECT_THAT(tables, Contains(Table{0, false, kSmallTable, 0, 512}));
  if (GetParam() != Kind::kSingle) EXPECT_THAT(tables, Contains(Table{0, false, kLargeTable, 0, 512}));
  if (GetParam() != Kind::k4k) EXPECT_THAT(tables, Contains(Table{0, true, kLargeTable, 0, 32}));
  for (UINT level = 1; level < 4; ++level) EXPECT_THAT(tables, Contains(Table{level, false, 0, 0, 512})) << level;
}

}  // namespace
}  // namespace gmmu::os::test
