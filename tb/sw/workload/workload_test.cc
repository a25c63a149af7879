// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <set>

#include "workload/client_order.h"
#include "workload/crc32c.h"
#include "workload/input.h"

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

TEST(Crc32c, GivesTheCheckValueOfTheStandard) {
  EXPECT_EQ(Crc32c("123456789", 9), 0xE3069283u);
  EXPECT_EQ(Crc32c("", 0), 0u);
}

TEST(Crc32c, ChainsOverParts) {
  const char* text = "a page table entry";
  const size_t size = std::strlen(text);
  for (size_t cut = 0; cut <= size; ++cut) EXPECT_EQ(Crc32c(text + cut, size - cut, Crc32c(text, cut)), Crc32c(text, size));
}

TEST(ClientOrder, VisitsEveryLineOfTheClientOnceInBothOrders) {
  for (const uint32_t clients : {1u, 3u, 4u}) {
    for (const uint32_t lines : {0u, 1u, 2u, 5u, 64u, 100u, 1024u}) {
      std::multiset<uint32_t> seen;
      for (uint32_t client = 0; client < clients; ++client) {
        const ClientOrder order = ClientOrder::Permuted(client, clients, lines, 7);
        uint32_t k = 0;
        for (uint32_t n = 0; n < order.count; ++n) {
          seen.insert(order.first + order.stride * k);
          k = (k + order.step) % order.count;
        }
        EXPECT_EQ(order.count, ClientOrder::Sequential(client, clients, lines).count);
      }
      EXPECT_EQ(seen.size(), lines);
      EXPECT_EQ(std::set<uint32_t>(seen.begin(), seen.end()).size(), lines);
    }
  }
}

TEST(ClientOrder, ChecksumsLinesInTheOrderOfTheVisit) {
  std::vector<uint8_t> data = SeededInput(1, 4 * kLineBytes);
  ClientOrder order;
  order.first = 0;
  order.stride = 1;
  order.count = 4;
  order.step = 3;  // 0, 3, 2, 1
  uint32_t crc = 0;
  for (const int line : {0, 3, 2, 1}) crc = Crc32c(&data[static_cast<size_t>(line) * kLineBytes], kLineBytes, crc);
  EXPECT_EQ(order.Crc(data.data()), crc);
  EXPECT_NE(ClientOrder::Sequential(0, 1, 4).Crc(data.data()), crc);
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
