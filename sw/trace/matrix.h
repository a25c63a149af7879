// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace gmmu::trace {

/// The positions of a sparse matrix's nonzeros, by rows (CSR).
struct Matrix {
  uint64_t rows = 0, columns = 0;
  std::vector<uint32_t> first;   ///< of each row the place of its first nonzero in `column`, and the end
  std::vector<uint32_t> column;  ///< of each nonzero, rising within a row
};

/// Reads a file in the Matrix Market exchange format (Boisvert, Pozo and Remington, NISTIR 5935, 1996): `coordinate`,
/// of any field and symmetry. Values must be present, and are dropped. At most 2^26 nonzeros. Throws TraceError with
/// the line.
Matrix ReadMatrixMarket(const std::string& path);

}  // namespace gmmu::trace
