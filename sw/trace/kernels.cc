// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "trace/generate.h"
#include "trace/queue_source.h"

namespace gmmu::trace {
namespace {

ParameterRule Line() { return {"line", 128, "bytes", 32, 4096, "that one access has at most"}; }
ParameterRule Streams(const char* of) { return {"streams", 16, of, 1, 4096, "that run at the same time"}; }

/// C = A * B, with matrices stored row by row. Each stream computes a tile of C, and iterates over
/// A and B tile by tile.
class Gemm : public QueueSource {
 public:
  explicit Gemm(const Parameters& p)
      : m_(p["m"]),
        n_(p["n"]),
        k_(p["k"]),
        tile_(p["tile"]),
        element_(p["element"]),
        line_(p["line"]),
        lists_(p["streams"]) {
    Arrays arrays(p["base"]);
    a_ = arrays.Place(m_ * k_ * element_);
    b_ = arrays.Place(k_ * n_ * element_);
    c_ = arrays.Place(m_ * n_ * element_);
    end = arrays.end();
  }
  uint64_t end;

 protected:
  bool Fill(std::vector<Access>& queue) override {
    const uint64_t across = (n_ + tile_ - 1) / tile_, tiles = across * ((m_ + tile_ - 1) / tile_);
    for (uint64_t stream = 0; stream < lists_.size() && first_ + stream < tiles; ++stream) {
      const uint64_t row = (first_ + stream) / across * tile_, column = (first_ + stream) % across * tile_;
      if (step_ < k_) {
        Tile(stream, a_, k_, row, m_, step_, k_, Kind::kRead);
        Tile(stream, b_, n_, step_, k_, column, n_, Kind::kRead);
      } else {
        Tile(stream, c_, n_, row, m_, column, n_, Kind::kWrite);
      }
    }
    InTurn(lists_, queue);
    if (step_ < k_) {
      step_ += tile_;
      return true;
    }
    step_ = 0;
    first_ += lists_.size();
    return first_ < tiles;
  }

 private:
  void Tile(uint64_t stream, uint64_t array, uint64_t width, uint64_t row, uint64_t rows, uint64_t column,
            uint64_t columns, Kind kind) {
    const uint64_t wide = std::min(tile_, columns - column);
    for (uint64_t y = row; y < std::min(row + tile_, rows); ++y) {
      Span(lists_[stream], array + (y * width + column) * element_, wide * element_, line_, kind, stream);
    }
  }

  const uint64_t m_, n_, k_, tile_, element_, line_;
  uint64_t a_, b_, c_;
  std::vector<std::vector<Access>> lists_;
  uint64_t first_ = 0, step_ = 0;  // first_: tile of C that stream 0 computes; step_: current step in K
};

/// Jacobi iteration on a grid, with a five-point stencil in two dimensions and a seven-point
/// stencil in three. A stream computes a row.
class Stencil : public QueueSource {
 public:
  explicit Stencil(const Parameters& p)
      : nx_(p["nx"]),
        ny_(p["ny"]),
        nz_(p["nz"]),
        element_(p["element"]),
        line_(p["line"]),
        iterations_(p["iterations"]),
        lists_(p["streams"]) {
    Arrays arrays(p["base"]);
    in_ = arrays.Place(nx_ * ny_ * nz_ * element_);
    out_ = arrays.Place(nx_ * ny_ * nz_ * element_);
    end = arrays.end();
  }
  uint64_t end;

 protected:
  bool Fill(std::vector<Access>& queue) override {
    const uint64_t inner = ny_ - 2, rows = inner * (nz_ == 1 ? 1 : nz_ - 2);
    for (uint64_t stream = 0; stream < lists_.size() && first_ + stream < rows; ++stream) {
      const uint64_t row = first_ + stream;
      Row(lists_[stream], stream, 1 + row % inner, nz_ == 1 ? 0 : 1 + row / inner);
    }
    InTurn(lists_, queue);
    first_ += lists_.size();
    if (first_ < rows) return true;
    first_ = 0;
    std::swap(in_, out_);
    return ++done_ < iterations_;
  }

 private:
  void Row(std::vector<Access>& list, uint64_t stream, uint64_t y, uint64_t z) {
    const auto points = [&](uint64_t array, uint64_t x, uint64_t at_y, uint64_t at_z, uint64_t count, Kind kind) {
      Span(list, array + ((at_z * ny_ + at_y) * nx_ + x) * element_, count * element_, line_, kind, stream);
    };
    const uint64_t wide = std::max<uint64_t>(line_ / element_, 1);
    for (uint64_t x = 1; x < nx_ - 1;) {
      const uint64_t count = std::min(wide - x % wide, nx_ - 1 - x);
      points(in_, x - 1, y, z, count + 2, Kind::kRead);
      points(in_, x, y - 1, z, count, Kind::kRead);
      points(in_, x, y + 1, z, count, Kind::kRead);
      if (nz_ > 1) {
        points(in_, x, y, z - 1, count, Kind::kRead);
        points(in_, x, y, z + 1, count, Kind::kRead);
      }
      points(out_, x, y, z, count, Kind::kWrite);
      x += count;
    }
  }

  const uint64_t nx_, ny_, nz_, element_, line_, iterations_;
  uint64_t in_, out_;
  std::vector<std::vector<Access>> lists_;
  uint64_t first_ = 0, done_ = 0;  // first_: row that stream 0 computes; done_: finished iterations
};

/// A hash join without partitioning. It builds a hash table of the smaller table and probes it with
/// the keys of the larger one.
class HashJoin : public QueueSource {
 public:
  explicit HashJoin(const Parameters& p)
      : build_(p["build"]),
        probe_(p["probe"]),
        tuple_(p["tuple"]),
        matches_(p["matches"]),
        seed_(p["seed"]),
        random_(p["seed"]),
        lists_(p["streams"]) {
    while (buckets_ < build_) buckets_ *= 2;
    Arrays arrays(p["base"]);
    inner_ = arrays.Place(build_ * tuple_);
    outer_ = arrays.Place(probe_ * tuple_);
    table_ = arrays.Place(buckets_ * tuple_);
    result_ = arrays.Place(probe_ * tuple_);
    end = arrays.end();
  }
  uint64_t end;

 protected:
  bool Fill(std::vector<Access>& queue) override {
    const bool building = at_ < build_;
    const uint64_t last = building ? build_ : build_ + probe_;
    for (uint64_t stream = 0; stream < lists_.size() && at_ < last; ++stream, ++at_) {
      const auto put = [&](uint64_t array, uint64_t index, Kind kind) {
        lists_[stream].push_back(
            {array + index * tuple_, static_cast<uint32_t>(tuple_), kind, static_cast<uint32_t>(stream), 0});
      };
      if (building) {
        put(inner_, at_, Kind::kRead);
        put(table_, Bucket(at_), Kind::kWrite);
        continue;
      }
      const bool match = random_.Percent(matches_);
      put(outer_, at_ - build_, Kind::kRead);
      put(table_, Bucket(match ? random_.Below(build_) : build_ + random_.Below(uint64_t{1} << 40)), Kind::kRead);
      if (match) put(result_, found_++, Kind::kWrite);
    }
    InTurn(lists_, queue);
    return at_ < build_ + probe_;
  }

 private:
  /// Uses the finalizer of MurmurHash3.
  uint64_t Bucket(uint64_t key) const {
    uint64_t hash = key + seed_ * 0x9e3779b97f4a7c15;
    hash = (hash ^ hash >> 33) * 0xff51afd7ed558ccd;
    hash = (hash ^ hash >> 33) * 0xc4ceb9fe1a85ec53;
    return (hash ^ hash >> 33) & (buckets_ - 1);
  }

  const uint64_t build_, probe_, tuple_, matches_, seed_;
  Random random_;
  uint64_t buckets_ = 1, inner_, outer_, table_, result_;
  std::vector<std::vector<Access>> lists_;
  uint64_t at_ = 0, found_ = 0;  // at_: processed tuples of both tables; found_: tuples of the result
};

}  // namespace

std::vector<Generator> Kernels() {
  constexpr uint64_t kSide = 1 << 16;
  return {{"gemm",
           "C = A * B in tiles of C; each stream goes through the tiles of A and B that its tile of C needs",
           "Volkov and Demmel, Benchmarking GPUs to tune dense linear algebra, SC 2008; the shared-memory example of "
           "the CUDA "
           "C++ programming guide",
           {{"m", 512, "rows", 1, kSide, "of A and C"},
            {"n", 512, "columns", 1, kSide, "of B and C"},
            {"k", 512, "columns", 1, kSide, "of A, rows of B"},
            {"tile", 64, "elements", 1, 256, "of a tile's side"},
            {"element", 4, "bytes", 1, 16, "of an element"},
            Line(),
            Streams("tiles")},
           Make<Gemm>},
          {"stencil",
           "Jacobi's iteration on a grid, five points (nz = 1) or seven, from one array into another; a stream a row",
           "Datta et al., Stencil computation optimization and auto-tuning, SC 2008",
           {{"nx", 1024, "points", 3, 1 << 20, "of a row"},
            {"ny", 1024, "rows", 3, 1 << 20, "of a plane"},
            {"nz", 1, "planes", 1, 1 << 12, "1, or 3 and more"},
            {"iterations", 1, "sweeps", 1, 1000, "over the grid"},
            {"element", 8, "bytes", 1, 16, "of a point"},
            Line(),
            Streams("rows")},
           [](const Parameters& p) {
             if (p["nz"] == 2) p.Refuse("nz=2 has no inner plane; 1, or 3 and more have");
             return Make<Stencil>(p);
           }},
          {"hashjoin",
           "builds a hash table of one table, then looks up each tuple of the other and writes the matches",
           "the join without partitions of Blanas, Li and Patel, Design and evaluation of main memory hash join "
           "algorithms, "
           "SIGMOD 2011",
           {{"build", 65536, "tuples", 1, 1 << 30, "of the table that is built from"},
            {"probe", 262144, "tuples", 1, 1 << 30, "of the table that is looked up"},
            {"tuple", 16, "bytes", 4, 256, "of a tuple and of a bucket"},
            {"matches", 50, "percent", 0, 100, "of the lookups that find one"},
            Streams("tuples")},
           Make<HashJoin>}};
}

}  // namespace gmmu::trace
