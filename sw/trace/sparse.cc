// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "trace/generate.h"
#include "trace/matrix.h"
#include "trace/queue_source.h"

namespace gmmu::trace {
namespace {

constexpr uint64_t kIndex = 4, kValue = 8;  // sizes in bytes of an index and of a value

/// y = A * x, with A in CSR. A stream computes one row: it reads the row's bounds, then for each
/// line of nonzeros the columns, the values and the matching elements of x, and finally writes y.
class Spmv : public QueueSource {
 public:
  explicit Spmv(const Parameters& p)
      : matrix_(ReadMatrixMarket(p.File("matrix"))), line_(p["line"]), lists_(p["streams"]) {
    Arrays arrays(p["base"]);
    first_ = arrays.Place((matrix_.rows + 1) * kIndex);
    column_ = arrays.Place(matrix_.column.size() * kIndex);
    value_ = arrays.Place(matrix_.column.size() * kValue);
    x_ = arrays.Place(matrix_.columns * kValue);
    y_ = arrays.Place(matrix_.rows * kValue);
    end = arrays.end();
  }
  uint64_t end;

 protected:
  bool Fill(std::vector<Access>& queue) override {
    for (uint64_t stream = 0; stream < lists_.size() && row_ < matrix_.rows; ++stream, ++row_) Row(stream);
    InTurn(lists_, queue);
    return row_ < matrix_.rows;
  }

 private:
  void Row(uint64_t stream) {
    std::vector<Access>& list = lists_[stream];
    Span(list, first_ + row_ * kIndex, 2 * kIndex, line_, Kind::kRead, stream);
    const uint64_t wide = line_ / kIndex;  // nonzeros per line of column indices
    for (uint64_t at = matrix_.first[row_], last = matrix_.first[row_ + 1]; at < last;) {
      const uint64_t count = std::min(wide - at % wide, last - at);
      Span(list, column_ + at * kIndex, count * kIndex, line_, Kind::kRead, stream);
      Span(list, value_ + at * kValue, count * kValue, line_, Kind::kRead, stream);
      for (uint64_t i = at; i < at + count; ++i) {
        Span(list, x_ + matrix_.column[i] * kValue, kValue, line_, Kind::kRead, stream);
      }
      at += count;
    }
    Span(list, y_ + row_ * kValue, kValue, line_, Kind::kWrite, stream);
  }

  const Matrix matrix_;
  const uint64_t line_;
  std::vector<std::vector<Access>> lists_;
  uint64_t first_, column_, value_, x_, y_;
  uint64_t row_ = 0;
};

/// Top-down breadth-first search of a graph from a root. A stream takes a vertex of the frontier
/// and reads its bounds, then its edges line by line. The stream reads the level of each neighbour.
/// If a neighbour has no level yet, the stream writes the level and adds the neighbour to the next
/// frontier.
class Bfs : public QueueSource {
 public:
  explicit Bfs(const Parameters& p)
      : matrix_(ReadMatrixMarket(p.File("matrix"))), line_(p["line"]), lists_(p["streams"]) {
    if (matrix_.rows != matrix_.columns) p.Refuse("the matrix is not square: it is no graph");
    if (p["root"] >= matrix_.rows)
      p.Refuse(fmt::format("root={} is not below the {} vertices", p["root"], matrix_.rows));
    Arrays arrays(p["base"]);
    first_ = arrays.Place((matrix_.rows + 1) * kIndex);
    column_ = arrays.Place(matrix_.column.size() * kIndex);
    level_ = arrays.Place(matrix_.rows * kIndex);
    frontier_ = arrays.Place(matrix_.rows * kIndex);
    next_ = arrays.Place(matrix_.rows * kIndex);
    end = arrays.end();
    seen_.assign(matrix_.rows, false);
    seen_[p["root"]] = true;
    now_ = {static_cast<uint32_t>(p["root"])};
  }
  uint64_t end;

 protected:
  bool Fill(std::vector<Access>& queue) override {
    for (uint64_t stream = 0; stream < lists_.size() && at_ < now_.size(); ++stream, ++at_) Vertex(stream);
    InTurn(lists_, queue);
    if (at_ < now_.size()) return true;
    now_ = std::move(found_);
    found_.clear();
    at_ = 0;
    std::swap(frontier_, next_);
    return !now_.empty();
  }

 private:
  void Vertex(uint64_t stream) {
    const auto word = [&](uint64_t array, uint64_t index, Kind kind) {
      Span(lists_[stream], array + index * kIndex, kIndex, line_, kind, stream);
    };
    const uint64_t vertex = now_[at_];
    word(frontier_, at_, Kind::kRead);
    Span(lists_[stream], first_ + vertex * kIndex, 2 * kIndex, line_, Kind::kRead, stream);
    const uint64_t wide = line_ / kIndex;
    for (uint64_t edge = matrix_.first[vertex], last = matrix_.first[vertex + 1]; edge < last;) {
      const uint64_t count = std::min(wide - edge % wide, last - edge);
      Span(lists_[stream], column_ + edge * kIndex, count * kIndex, line_, Kind::kRead, stream);
      for (uint64_t i = edge; i < edge + count; ++i) {
        const uint32_t neighbour = matrix_.column[i];
        word(level_, neighbour, Kind::kRead);
        if (seen_[neighbour]) continue;
        seen_[neighbour] = true;
        word(level_, neighbour, Kind::kWrite);
        word(next_, found_.size(), Kind::kWrite);
        found_.push_back(neighbour);
      }
      edge += count;
    }
  }

  const Matrix matrix_;
  const uint64_t line_;
  std::vector<std::vector<Access>> lists_;
  uint64_t first_, column_, level_, frontier_, next_;
  std::vector<bool> seen_;
  std::vector<uint32_t> now_, found_;  // now_: current frontier; found_: next frontier
  size_t at_ = 0;
};

}  // namespace

std::vector<Generator> SparseKernels() {
  const ParameterRule matrix{"matrix", std::nullopt, "file", 0, 0, "in the Matrix Market format, coordinate"};
  const ParameterRule line{"line", 128, "bytes", 32, 4096, "that one access has at most"};
  return {
      {"spmv",
       "y = A * x with A in CSR; a stream a row",
       "the vector kernel of Bell and Garland, Implementing sparse matrix-vector multiplication on throughput-oriented "
       "processors, SC 2009",
       {matrix, line, {"streams", 16, "rows", 1, 4096, "that run at the same time"}},
       Make<Spmv>},
      {"bfs",
       "levels of a graph from a root, top down; a stream a vertex of the frontier",
       "Merrill, Garland and Grimshaw, Scalable GPU graph traversal, PPoPP 2012 (one level after the other)",
       {matrix,
        {"root", 0, "vertex", 0, 1 << 28, "where it begins, from 0"},
        line,
        {"streams", 16, "vertices", 1, 4096, "that run at the same time"}},
       Make<Bfs>}};
}

}  // namespace gmmu::trace
