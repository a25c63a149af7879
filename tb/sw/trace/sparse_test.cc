// SPDX-License-Identifier: Apache-2.0
#include "tb/sw/trace/trace_bench.h"

namespace gmmu::trace {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr uint64_t kFirst = 256 << 20, kNext = 2 << 20;
constexpr uint64_t kColumn = kFirst + kNext, kThird = kColumn + kNext, kFourth = kThird + kNext,
                   kFifth = kFourth + kNext;

class SparseTest : public TraceTest {
 protected:
  std::vector<Access> Of(const std::string& generator, const std::string& options, const std::string& matrix) {
    Workload workload = Open("gen:" + generator + ",matrix=" + File("m.mtx", matrix) + options, 1);
    return All(*workload.source);
  }
};

TEST_F(SparseTest, SpmvGathersXForEachNonzero) {
  EXPECT_THAT(Of("spmv", ",streams=1", "%%MatrixMarket matrix coordinate pattern general\n2 9 3\n1 9\n1 2\n2 1\n"),
              ElementsAre(Read(kFirst, 8), Read(kColumn, 8), Read(kThird, 16), Read(kFourth + 8, 8),
                          Read(kFourth + 64, 8), Write(kFifth, 8),  //
                          Read(kFirst + 4, 8), Read(kColumn + 8, 4), Read(kThird + 16, 8), Read(kFourth, 8),
                          Write(kFifth + 8, 8)));
}

TEST_F(SparseTest, BfsGoesLevelByLevel) {
  // The graph has edges 0 - 1, 0 - 2, 1 - 3, 2 - 3.
  EXPECT_THAT(Of("bfs", ",streams=1", "%%MatrixMarket matrix coordinate pattern general\n4 4 4\n1 2\n1 3\n2 4\n3 4\n"),
              ElementsAre(Read(kFourth, 4), Read(kFirst, 8), Read(kColumn, 8),              // vertex 0
                          Read(kThird + 4, 4), Write(kThird + 4, 4), Write(kFifth, 4),      // finds 1
                          Read(kThird + 8, 4), Write(kThird + 8, 4), Write(kFifth + 4, 4),  // and 2
                          Read(kFifth, 4), Read(kFirst + 4, 8), Read(kColumn + 8, 4),       // vertex 1
                          Read(kThird + 12, 4), Write(kThird + 12, 4), Write(kFourth, 4),   // finds 3
                          Read(kFifth + 4, 4), Read(kFirst + 8, 8), Read(kColumn + 12, 4),  // vertex 2
                          Read(kThird + 12, 4),                                             // finds no new vertex
                          Read(kFourth, 4), Read(kFirst + 12, 8)));                         // vertex 3 has no edges
}

TEST_F(SparseTest, BfsRefusesWhatIsNoGraph) {
  const std::string wide = "%%MatrixMarket matrix coordinate pattern general\n1 2 1\n1 2\n";
  EXPECT_THAT(Refusal([&] { Of("bfs", "", wide); }), HasSubstr("the matrix is not square"));
  const std::string one = "%%MatrixMarket matrix coordinate pattern general\n1 1 1\n1 1\n";
  EXPECT_THAT(Refusal([&] { Of("bfs", ",root=1", one); }), HasSubstr("root=1 is not below the 1 vertices"));
  EXPECT_THAT(Refusal([&] { Open("gen:bfs", 1); }), HasSubstr("needs matrix=FILE"));
}

}  // namespace
}  // namespace gmmu::trace
