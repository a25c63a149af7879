// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <set>

#include "tb/sw/trace/trace_bench.h"

namespace gmmu::trace {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr uint64_t kA = 256 << 20, kNext = 2 << 20;  // first array; distance between small arrays

std::vector<Access> Of(const std::string& spec) {
  Workload workload = Open("gen:" + spec, 1);
  return All(*workload.source);
}
/// Returns the number of bytes that accesses of `kind` touch in the array that begins at `begin`.
uint64_t Bytes(const std::vector<Access>& all, uint64_t begin, Kind kind) {
  uint64_t bytes = 0;
  for (const Access& access : all) {
    if (access.address >= begin && access.address < begin + kNext && access.kind == kind) bytes += access.bytes;
  }
  return bytes;
}

TEST(Kernels, GemmOfOneTileReadsAAndBAndWritesC) {
  EXPECT_THAT(Of("gemm,m=2,n=2,k=2,tile=2"),
              ElementsAre(Read(kA, 8), Read(kA + 8, 8), Read(kA + kNext, 8), Read(kA + kNext + 8, 8),
                          Write(kA + 2 * kNext, 8), Write(kA + 2 * kNext + 8, 8)));
}

TEST(Kernels, GemmReadsEachTileOnceForEachTileAcross) {
  const std::vector<Access> all = Of("gemm,m=96,n=64,k=80,tile=32,streams=4");
  EXPECT_EQ(Bytes(all, kA, Kind::kRead), 96u * 80 * 4 * 2);          // two tiles across
  EXPECT_EQ(Bytes(all, kA + kNext, Kind::kRead), 80u * 64 * 4 * 3);  // three tiles down
  EXPECT_EQ(Bytes(all, kA + 2 * kNext, Kind::kWrite), 96u * 64 * 4);
  std::set<uint32_t> streams;
  for (const Access& access : all) streams.insert(access.stream);
  EXPECT_THAT(streams, ElementsAre(0, 1, 2, 3));
}

TEST(Kernels, StencilReadsNeighboursAndWritesTheInside) {
  EXPECT_THAT(Of("stencil,nx=4,ny=3,streams=1"),
              ElementsAre(Read(kA + 32, 32), Read(kA + 8, 16), Read(kA + 72, 16), Write(kA + kNext + 40, 16)));
  const std::vector<Access> all = Of("stencil,nx=20,ny=10,nz=6,iterations=2");
  EXPECT_EQ(Bytes(all, kA + kNext, Kind::kWrite), 18u * 8 * 4 * 8);
  // The second iteration writes into the first array.
  EXPECT_EQ(Bytes(all, kA, Kind::kWrite), 18u * 8 * 4 * 8);
  EXPECT_GT(Bytes(all, kA, Kind::kRead), 18u * 8 * 4 * 8 * 5);
  EXPECT_THAT(Refusal([] { Open("gen:stencil,nz=2", 0); }), HasSubstr("nz=2 has no inner plane"));
}

TEST(Kernels, HashJoinBuildsThenProbes) {
  const std::vector<Access> all = Of("hashjoin,build=1000,probe=4000,matches=50,streams=8");
  const uint64_t inner = kA, outer = kA + kNext, table = kA + 2 * kNext, result = kA + 3 * kNext;
  EXPECT_EQ(Bytes(all, inner, Kind::kRead), 1000u * 16);
  EXPECT_EQ(Bytes(all, table, Kind::kWrite), 1000u * 16);
  EXPECT_EQ(Bytes(all, outer, Kind::kRead), 4000u * 16);
  EXPECT_EQ(Bytes(all, table, Kind::kRead), 4000u * 16);
  EXPECT_NEAR(Bytes(all, result, Kind::kWrite), 2000 * 16, 150 * 16);
  std::set<uint64_t> built;  // buckets that were written; matching lookups find one of these
  size_t found = 0;
  for (const Access& access : all) {
    if (access.address < table || access.address >= result) continue;
    if (access.kind == Kind::kWrite) built.insert(access.address);
    if (access.kind == Kind::kRead) found += built.count(access.address);
  }
  EXPECT_GE(found, Bytes(all, result, Kind::kWrite) / 16);
}

}  // namespace
}  // namespace gmmu::trace
