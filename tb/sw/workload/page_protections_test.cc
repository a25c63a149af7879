// SPDX-License-Identifier: Apache-2.0
// Tests that procedures no_execute and zero_pages detect a driver whose page-table entries differ
// from those requested.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "os/miniport/segments.h"
#include "tb/sw/os/driver_front.h"

namespace gmmu::workload {
namespace {

using ::testing::Contains;
using ::testing::IsEmpty;
using ::testing::StartsWith;

class PageProtections : public os::test::DriverFront {
 protected:
  /// Returns the names of failed checks and the messages of faults. `before` runs first, on the
  /// worker thread.
  std::vector<std::string> WrongIn(const std::string& procedure, const std::function<void(Life&)>& before = nullptr) {
    const Procedure& wanted = *FindProcedure(procedure);
    ParameterValues values;
    for (const ParameterRule& rule : wanted.parameters) values.emplace(rule.name, rule.initial);
    const JobResult result = bench.Run([&](Life& life) {
      if (before) life.Work([&] { before(life); });
      wanted.run(life, values);
    });
    std::vector<std::string> wrong;
    for (const Check& check : result.checks) {
      if (!check.passed) wrong.push_back(check.name);
    }
    for (const os::Fault& fault : result.faults) wrong.push_back(fault.text);
    return wrong;
  }
  /// Applies `change` to each page-table entry before the driver receives it.
  void Change(const std::function<void(DXGK_PTE&, UINT level)>& change) {
    Instead([change](DXGKARG_BUILDPAGINGBUFFER& args, const BuildCall& driver) {
      if (args.Operation != DXGK_OPERATION_UPDATE_PAGE_TABLE) return driver(args);
      auto& update = args.UpdatePageTable;
      const DXGK_PTE* const asked = update.pPageTableEntries;
      std::vector<DXGK_PTE> entries(asked, asked + (update.Flags.Repeat ? 1 : update.NumPageTableEntries));
      for (DXGK_PTE& entry : entries) change(entry, update.PageTableLevel);
      update.pPageTableEntries = entries.data();
      const NTSTATUS status = driver(args);
      update.pPageTableEntries = const_cast<DXGK_PTE*>(asked);
      return status;
    });
  }
};

TEST_F(PageProtections, HoldForADriverThatDoesWhatItIsAskedFor) {
  EXPECT_THAT(WrongIn("no_execute"), IsEmpty());
  EXPECT_THAT(WrongIn("zero_pages"), IsEmpty());
}

TEST_F(PageProtections, AreFoundMissingWhenNoExecuteIsIgnored) {
  Change([](DXGK_PTE& entry, UINT) { entry.NoExecute = 0; });
  EXPECT_THAT(WrongIn("no_execute"), Contains(StartsWith("a page that may no longer be executed")));
}

TEST_F(PageProtections, AreFoundMissingWhenNoExecuteIsIgnoredOfReadOnlyPages) {
  Change([](DXGK_PTE& entry, UINT) { entry.NoExecute = entry.NoExecute && !entry.ReadOnly; });
  EXPECT_THAT(WrongIn("no_execute"), Contains(StartsWith("read-only and no-execute, executed")));
}

// The shared page initially holds zeros, so reads alone would not reveal that it is ordinary
// memory.
TEST_F(PageProtections, AreFoundMissingWhenZeroPagesAreOnePageOfMemory) {
  uint64_t page = 0;
  Change([&](DXGK_PTE& entry, UINT level) {
    if (!entry.Zero || level != 0 || page == 0) return;
    entry = {};
    entry.Valid = 1;
    entry.Segment = 2;
    entry.PageAddress = page;
  });
  const auto wrong = WrongIn("zero_pages", [&](Life& life) { page = Filled(life, 1, 0)->local->page(0); });
  EXPECT_THAT(wrong, Contains(StartsWith("zero pages that were written")));
}

}  // namespace
}  // namespace gmmu::workload
