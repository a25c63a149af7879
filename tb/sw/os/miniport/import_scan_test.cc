// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <vector>

#include "os/miniport/import_scan.h"

namespace gmmu::os {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;

std::vector<uint8_t> Load(const char* path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(ImportScan, TheDriverCallsNoneOfTheSevenRoutines) {
  const auto imports = ImportsOf(Load(GMMU_KMD_LIBRARY));
  EXPECT_THAT(imports, Contains("DxgkInitialize")) << "the scan sees what the driver does call";
  EXPECT_THAT(imports, Contains("ExAllocatePool2"));
  EXPECT_THAT(imports, Not(Contains("DriverEntry")));
  EXPECT_THAT(ForbiddenImports(imports), IsEmpty());
}

TEST(ImportScan, NamesTheRoutinesThatADriverMustNotCall) {
  const auto imports = ImportsOf(Load(GMMU_FORBIDDEN_DRIVER));
  EXPECT_THAT(imports, ElementsAre("DxgkInitialize", "MmAllocateContiguousMemory", "MmProbeAndLockPages"))
      << "AddDevice is another member's";
  EXPECT_THAT(ForbiddenImports(imports), ElementsAre("MmAllocateContiguousMemory", "MmProbeAndLockPages"));
}

TEST(ImportScan, KnowsAllSeven) {
  EXPECT_EQ(ForbiddenRoutines().size(), 7u);
  EXPECT_EQ(ForbiddenImports(ForbiddenRoutines()), ForbiddenRoutines());
}

TEST(ImportScan, SaysWhenAFileIsNoDriver) {
  EXPECT_THROW(ImportsOf({}), ImportScanError);
  EXPECT_THROW(ImportsOf(std::vector<uint8_t>(100, 'x')), ImportScanError);
  std::vector<uint8_t> cut = Load(GMMU_FORBIDDEN_DRIVER);
  cut.resize(cut.size() - cut.size() / 3);
  EXPECT_THROW(ImportsOf(cut), ImportScanError);
}

}  // namespace
}  // namespace gmmu::os
