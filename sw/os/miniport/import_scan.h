// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace gmmu::os {

/// Thrown if the file is not a driver that can be scanned. what() returns the reason.
class ImportScanError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Returns the imports of a driver, as the Hardware Lab Kit determines them. They are the undefined
/// symbols of a 64-bit little-endian ELF object or shared object, the symbols of an archive that
/// none of its members defines, or the import tables of a 64-bit Windows binary. The list is sorted
/// and has no duplicates.
///
/// Routines that the driver looks up by name at run time, or links statically, are not found.
std::vector<std::string> ImportsOf(const std::vector<uint8_t>& file);

/// True if the file begins with the signature of a Windows binary (.sys, .dll, .exe).
bool IsWindowsBinary(const std::vector<uint8_t>& file);

/// Returns the imports that a driver with GPU isolation must not call, because it must allocate and lock memory only
/// through Dxgkrnl's callbacks.
std::vector<std::string> ForbiddenImports(const std::vector<std::string>& imports);
/// Returns the names of the seven forbidden routines.
const std::vector<std::string>& ForbiddenRoutines();

}  // namespace gmmu::os
