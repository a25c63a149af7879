// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace gmmu::os {

/// The file is no driver that can be scanned; what() says why.
class ImportScanError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What a driver takes from elsewhere, as the hardware lab kit reads an import table: names of undefined
/// symbols in a 64-bit little-endian ELF object, a shared object, or an archive of objects (the names that
/// no member defines), or the import tables of a 64-bit Windows binary. Sorted, each once.
///
/// Limits: a routine found by name at run time, and one whose code is inside the file, are not seen.
std::vector<std::string> ImportsOf(const std::vector<uint8_t>& file);

/// The file begins as a Windows binary does (.sys, .dll, .exe).
bool IsWindowsBinary(const std::vector<uint8_t>& file);

/// Those of them that a driver with GPU isolation must not call: it gets and locks memory through
/// Dxgkrnl's callbacks only.
std::vector<std::string> ForbiddenImports(const std::vector<std::string>& imports);
/// The seven names.
const std::vector<std::string>& ForbiddenRoutines();

}  // namespace gmmu::os
