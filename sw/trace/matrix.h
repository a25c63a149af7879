// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace gmmu::trace {

/// The positions of the nonzeros of a sparse matrix, row by row (CSR).
struct Matrix {
  uint64_t rows = 0, columns = 0;
  std::vector<uint32_t> first;   ///< index in `column` of each row's first nonzero, then the total
  std::vector<uint32_t> column;  ///< column of each nonzero, ascending within a row
};

/// Reads a file in the Matrix Market exchange format (Boisvert, Pozo and Remington, NISTIR 5935,
/// 1996): `coordinate`, of any field and symmetry. Values must be present but are ignored. The
/// limit is 2^26 nonzeros. Throws TraceError with the line number.
Matrix ReadMatrixMarket(const std::string& path);

}  // namespace gmmu::trace
