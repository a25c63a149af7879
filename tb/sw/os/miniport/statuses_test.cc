// SPDX-License-Identifier: Apache-2.0
#include "os/miniport/statuses.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ddi/ntstatus.h"
#include "os/vidmm/vidmm.h"
#include "tb/sw/os/between.h"
#include "tb/sw/os/life_bench.h"

namespace gmmu::os::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using workload::Life;

TEST(Statuses, OfTheListArePermittedAndOthersAreNamed) {
  EXPECT_EQ(IllegalStatus("DxgkDdiCreateAllocation", STATUS_SUCCESS), "");
  EXPECT_EQ(IllegalStatus("DxgkDdiCreateAllocation", STATUS_NO_MEMORY), "");
  EXPECT_THAT(IllegalStatus("DxgkDdiCreateAllocation", STATUS_UNSUCCESSFUL),
              AllOf(HasSubstr("DxgkDdiCreateAllocation returned status 0xc0000001"), HasSubstr("STATUS_NO_MEMORY")));
  EXPECT_THAT(IllegalStatus("DxgkDdiCreateDevice", STATUS_INVALID_PARAMETER), HasSubstr("0xc000000d"));
}

TEST(Statuses, OfEntryPointsWithoutAListAreAllPermitted) {
  EXPECT_EQ(IllegalStatus("DxgkDdiStartDevice", STATUS_UNSUCCESSFUL), "");
}

NTSTATUS g_status = STATUS_SUCCESS;

class RefusedAllocations : public DriverWithAFront, public ::testing::WithParamInterface<NTSTATUS> {
 protected:
  RefusedAllocations() {
    bench.options.driver = Entry;
    between.table = [](DRIVER_INITIALIZATION_DATA& table) {
      table.DxgkDdiCreateAllocation = [](HANDLE, DXGKARG_CREATEALLOCATION*) -> NTSTATUS { return g_status; };
    };
  }
  LifeBench bench;
};
INSTANTIATE_TEST_SUITE_P(Status, RefusedAllocations, ::testing::Values(STATUS_UNSUCCESSFUL, STATUS_INVALID_PARAMETER));

TEST_P(RefusedAllocations, AreAFindingUnlessTheStatusIsPermitted) {
  g_status = GetParam();
  const auto result =
      bench.RunOnWorker([&](Life& life) { static_cast<void>(life.vidmm.CreateAllocation("refused", 4096)); });
  const bool found = std::any_of(result.findings.begin(), result.findings.end(), [](const hw::Finding& finding) {
    return finding.probe == "driver" && finding.text.find("DxgkDdiCreateAllocation returned") != std::string::npos;
  });
  EXPECT_EQ(found, GetParam() == STATUS_UNSUCCESSFUL);
}

}  // namespace
}  // namespace gmmu::os::test
