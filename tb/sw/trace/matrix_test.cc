// SPDX-License-Identifier: Apache-2.0
#include "trace/matrix.h"

#include "tb/sw/trace/trace_bench.h"

namespace gmmu::trace {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class MatrixTest : public TraceTest {
 protected:
  Matrix Of(const std::string& text) { return ReadMatrixMarket(File("m.mtx", text)); }
  std::string Refused(const std::string& text) {
    return Refusal([&] { Of(text); });
  }
};

TEST_F(MatrixTest, SortsTheNonzerosByRows) {
  const Matrix matrix =
      Of("%%MatrixMarket matrix coordinate real general\n% comment\n3 4 4\n3 1 1.5\n1 4 2\n1 2 -1e3\n3 3 0\n");
  EXPECT_EQ(matrix.rows, 3u);
  EXPECT_EQ(matrix.columns, 4u);
  EXPECT_THAT(matrix.first, ElementsAre(0, 2, 2, 4));
  EXPECT_THAT(matrix.column, ElementsAre(1, 3, 0, 2));
}

TEST_F(MatrixTest, MirrorsASymmetricOne) {
  const Matrix matrix = Of("%%MatrixMarket matrix coordinate pattern symmetric\n3 3 3\n1 1\n2 1\n3 2\n");
  EXPECT_THAT(matrix.first, ElementsAre(0, 2, 4, 5));
  EXPECT_THAT(matrix.column, ElementsAre(0, 1, 0, 2, 1));
}

TEST_F(MatrixTest, NamesTheLineOfWhatIsWrong) {
  const std::string head = "%%MatrixMarket matrix coordinate real general\n";
  EXPECT_THAT(Refused("1 2 3\n"), HasSubstr("m.mtx:1: no Matrix Market file"));
  EXPECT_THAT(Refused("%%MatrixMarket matrix array real general\n"), HasSubstr("the matrix is dense"));
  EXPECT_THAT(Refused("%%MatrixMarket matrix coordinate fuzzy general\n"), HasSubstr("field \"fuzzy\" is not known"));
  EXPECT_THAT(Refused(head + "3 3 2\n1 1 1\n4 1 1\n"), HasSubstr("m.mtx:4: \"4 1 1\": number 1 is not 1 to 3"));
  EXPECT_THAT(Refused(head + "3 3 2\n1 1 1\n"), HasSubstr("m.mtx:3: ends in the middle: 1 of 2 nonzeros"));
  EXPECT_THAT(Refused(head + "3 3 1\n1 1\n"), HasSubstr("m.mtx:3: \"1 1\" has not 1 values"));
  EXPECT_THAT(Refused(head + "3 3 2\n1 1 1\n2 2 1\n3 3 1\n"),
              HasSubstr("m.mtx:5: \"3 3 1\" comes behind the 2 nonzeros that the header states"));
  EXPECT_EQ(Refused(head + "3 3 2\n1 1 1\n2 2 1\n\n% the end\n"), "");
  EXPECT_THAT(Refused(head + "3 3 99999999999\n"), HasSubstr("number 3 is not 0 to 67108864"));
}

}  // namespace
}  // namespace gmmu::trace
