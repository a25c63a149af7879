// SPDX-License-Identifier: Apache-2.0
#include "trace/error.h"

#include <fmt/format.h>

namespace gmmu::trace {
namespace {

constexpr size_t kShown = 80;  // maximum number of bytes that a message quotes from an input line

/// Returns the length of the UTF-8 sequence at the start of `text`, or 0 if it is invalid or a
/// control character.
size_t Sequence(std::string_view text) {
  const auto byte = [&](size_t at) { return static_cast<uint8_t>(text[at]); };
  const uint8_t first = byte(0);
  if (first < 0x80) return first >= 0x20 && first != 0x7f ? 1 : 0;
  const size_t size = first >= 0xc2 && first < 0xe0   ? 2
                      : first >= 0xe0 && first < 0xf0 ? 3
                      : first >= 0xf0 && first < 0xf5 ? 4
                                                      : 0;
  if (size == 0 || size > text.size()) return 0;
  for (size_t at = 1; at < size; ++at) {
    if ((byte(at) & 0xc0) != 0x80) return 0;
  }
  // U+0080 to U+009F are control characters; overlong forms, surrogates and values above U+10FFFF are invalid.
  if (first == 0xc2 && byte(1) < 0xa0) return 0;
  if ((first == 0xe0 && byte(1) < 0xa0) || (first == 0xed && byte(1) >= 0xa0)) return 0;
  if ((first == 0xf0 && byte(1) < 0x90) || (first == 0xf4 && byte(1) >= 0x90)) return 0;
  return size;
}

}  // namespace

std::string Printable(std::string_view text) {
  std::string printable;
  while (!text.empty()) {
    const size_t size = text[0] == '\n' ? 1 : Sequence(text);
    if (size == 0) printable += fmt::format("\\x{:02x}", static_cast<uint8_t>(text[0]));
    printable += text.substr(0, size);
    text.remove_prefix(size == 0 ? 1 : size);
  }
  return printable;
}

std::string Quoted(std::string_view line) {
  return "\"" + Printable(line.substr(0, kShown)) + (line.size() > kShown ? "...\"" : "\"");
}

}  // namespace gmmu::trace
