// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <stdexcept>
#include <string>
#include <string_view>

namespace gmmu::trace {

/// Makes `text` safe for a terminal: control characters and invalid UTF-8 become \xNN. Line feeds
/// are kept.
std::string Printable(std::string_view text);

/// Returns the first 80 bytes of an input line in quotation marks and printable form, followed by
/// "..." if there are more.
std::string Quoted(std::string_view line);

/// Thrown for a workload that cannot be used. what() has one to three lines: the place (file and
/// line, record and offset, or generator and key), the error, and the remedy. Its text is
/// printable, whatever the input contained.
class TraceError : public std::runtime_error {
 public:
  explicit TraceError(const std::string& what) : std::runtime_error(Printable(what)) {}
};

}  // namespace gmmu::trace
