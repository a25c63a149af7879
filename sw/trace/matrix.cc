// SPDX-License-Identifier: Apache-2.0
#include "trace/matrix.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "trace/input.h"
#include "trace/number.h"

namespace gmmu::trace {
namespace {

constexpr uint64_t kMaxRows = 1 << 28, kMaxNonzeros = 1 << 26;

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
  return lower;
}

}  // namespace

Matrix ReadMatrixMarket(const std::string& path) {
  Input input(path);
  std::string line;
  input.Line(line);
  const std::vector<std::string_view> banner = Words(line);
  if (banner.size() != 5 || banner[0] != "%%MatrixMarket" || Lower(banner[1]) != "matrix") {
    throw input.Wrong("no Matrix Market file: it does not begin with \"%%MatrixMarket matrix FORMAT FIELD SYMMETRY\"");
  }
  if (Lower(banner[2]) != "coordinate")
    throw input.Wrong("the matrix is dense (array); a sparse one (coordinate) is needed");
  static const std::map<std::string, size_t> kValues = {{"pattern", 0}, {"real", 1}, {"integer", 1}, {"complex", 2}};
  const auto values = kValues.find(Lower(banner[3]));
  if (values == kValues.end()) throw input.Wrong(fmt::format("field {} is not known", Quoted(banner[3])));
  const std::string symmetry = Lower(banner[4]);
  if (symmetry != "general" && symmetry != "symmetric" && symmetry != "skew-symmetric" && symmetry != "hermitian") {
    throw input.Wrong(fmt::format("symmetry {} is not known", Quoted(banner[4])));
  }

  bool sized = false;
  Matrix matrix;
  uint64_t nonzeros = 0, read = 0;
  std::vector<uint64_t> places;  // row, column
  while (input.Line(line)) {
    const std::vector<std::string_view> words = Words(line);
    if (words.empty() || words[0][0] == '%') continue;
    const auto number = [&](size_t at, uint64_t min, uint64_t max) {
      const auto value = at < words.size() ? ParseDigits(words[at], 10) : std::nullopt;
      if (!value || *value < min || *value > max) {
        throw input.Wrong(fmt::format("{}: number {} is not {} to {}", Quoted(line), at + 1, min, max));
      }
      return *value;
    };
    if (!sized) {
      matrix.rows = number(0, 1, kMaxRows);
      matrix.columns = number(1, 1, kMaxRows);
      nonzeros = number(2, 0, kMaxNonzeros);
      if (words.size() != 3) throw input.Wrong(Quoted(line) + " is not ROWS COLUMNS NONZEROS");
      if (symmetry != "general" && matrix.rows != matrix.columns) throw input.Wrong("a symmetric matrix is square");
      sized = true;
      continue;
    }
    if (read == nonzeros) {
      throw input.Wrong(fmt::format("{} comes behind the {} nonzeros that the header states", Quoted(line), nonzeros));
    }
    const uint64_t row = number(0, 1, matrix.rows) - 1, column = number(1, 1, matrix.columns) - 1;
    if (words.size() != 2 + values->second)
      throw input.Wrong(fmt::format("{} has not {} values", Quoted(line), values->second));
    places.push_back(row << 32 | column);
    if (symmetry != "general" && row != column) places.push_back(column << 32 | row);
    ++read;
  }
  if (!sized || read < nonzeros) {
    throw input.Wrong(fmt::format("ends in the middle: {} of {} nonzeros", read, nonzeros));
  }
  std::sort(places.begin(), places.end());
  matrix.first.assign(matrix.rows + 1, 0);
  for (const uint64_t place : places) ++matrix.first[(place >> 32) + 1];
  for (uint64_t row = 0; row < matrix.rows; ++row) matrix.first[row + 1] += matrix.first[row];
  matrix.column.reserve(places.size());
  for (const uint64_t place : places) matrix.column.push_back(static_cast<uint32_t>(place));
  return matrix;
}

}  // namespace gmmu::trace
