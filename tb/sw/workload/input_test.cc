// SPDX-License-Identifier: Apache-2.0
#include "workload/input.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <fstream>

namespace gmmu::workload {
namespace {

using ::testing::HasSubstr;

class TemporaryFolder : public ::testing::Test {
 protected:
  TemporaryFolder() {
    char name[] = "/tmp/gmmu-workload-XXXXXX";
    path_ = ::mkdtemp(name);
  }
  ~TemporaryFolder() override { std::system(("rm -rf " + path_).c_str()); }
  std::string path_;
};

std::string ErrorOf(const std::string& path) {
  try {
    LoadInput(path);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(SeededInput, DependsOnTheSeedOnly) {
  EXPECT_EQ(SeededInput(5, 1001), SeededInput(5, 1001));
  EXPECT_NE(SeededInput(5, 1001), SeededInput(6, 1001));
  EXPECT_EQ(SeededInput(5, 0).size(), 0u);
}

TEST(Pieces, CoverTheInputWithoutGapOrOverlap) {
  EXPECT_TRUE(Pieces(0, 4096).empty());
  const auto pieces = Pieces(10000, 4096);
  ASSERT_EQ(pieces.size(), 3u);
  EXPECT_EQ(pieces[2].offset, 8192u);
  EXPECT_EQ(pieces[2].bytes, 1808u);
}

TEST_F(TemporaryFolder, LoadInputReadsAWholeFile) {
  std::ofstream(path_ + "/f") << "hello";
  const auto bytes = LoadInput(path_ + "/f");
  EXPECT_EQ(std::string(bytes.begin(), bytes.end()), "hello");
}

TEST_F(TemporaryFolder, LoadInputNamesWhatIsWrong) {
  EXPECT_THAT(ErrorOf(path_ + "/none"), HasSubstr("No such file"));
  EXPECT_THAT(ErrorOf(path_), HasSubstr("is a folder"));
  ASSERT_EQ(::mkfifo((path_ + "/fifo").c_str(), 0600), 0);
  EXPECT_THAT(ErrorOf(path_ + "/fifo"), HasSubstr("not a regular file"));
  std::ofstream(path_ + "/big").seekp(kMaxInputBytes).put('x');
  EXPECT_THAT(ErrorOf(path_ + "/big"), HasSubstr("256 MiB"));
}

}  // namespace
}  // namespace gmmu::workload
