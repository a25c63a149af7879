// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <stdexcept>
#include <string>
#include <string_view>

namespace gmmu::trace {

/// `text` as a terminal may show it: control characters and bytes that are no UTF-8 become \xNN; line feeds stay.
std::string Printable(std::string_view text);

/// The first 80 bytes of a line of input in quotation marks, printable, with "..." if there are more.
std::string Quoted(std::string_view line);

/// A workload that cannot be used. what() is one to three lines: the file with its line, or its record and offset, or
/// the generator with its key; what is wrong; and the way out. It is printable, whatever the input held.
class TraceError : public std::runtime_error {
 public:
  explicit TraceError(const std::string& what) : std::runtime_error(Printable(what)) {}
};

}  // namespace gmmu::trace
