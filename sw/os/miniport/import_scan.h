// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace gmmu::os {

/// The file is not a driver that can be scanned; what() says why.
class ImportScanError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A driver's imports, read from the import table as the hardware lab kit does. They are the undefined symbols of a
/// 64-bit little-endian ELF object, a shared object, or an archive of objects (names that no member defines), or the
/// import tables of a 64-bit Windows binary. Sorted, each once.
///
/// Limits: a routine that is looked up by name at run time, and one whose code is inside the file, are not seen.
std::vector<std::string> ImportsOf(const std::vector<uint8_t>& file);

/// True if the file begins as a Windows binary does (.sys, .dll, .exe).
bool IsWindowsBinary(const std::vector<uint8_t>& file);

/// The imports among them that a driver with GPU isolation must not call: it allocates and locks memory only through
/// Dxgkrnl's callbacks.
std::vector<std::string> ForbiddenImports(const std::vector<std::string>& imports);
/// The names of the seven forbidden routines.
const std::vector<std::string>& ForbiddenRoutines();

}  // namespace gmmu::os
