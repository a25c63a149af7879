// SPDX-License-Identifier: Apache-2.0
#include "trace/header.h"

#include <fmt/format.h>

#include <map>
#include <sstream>

#include "trace/error.h"
#include "trace/number.h"

namespace gmmu::trace {
namespace {

constexpr char kMagic[] = "gmmu-trace ";
constexpr char kVersion[] = "1";

/// Returns the text on one line, without trailing spaces.
std::string OneLine(std::string text) {
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < 0x20) c = ' ';
  }
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

/// Rejects a line that ends in an invisible character. The error names the character. The space at
/// the end of "KEY = " with an empty value is allowed.
void RefuseBlankEnd(const std::string& path, unsigned number, const std::string& line) {
  const size_t last = line.size() - 1;
  const char* blank = line[last] == '\r'                                  ? "carriage return"
                      : line[last] == '\t'                                ? "tab"
                      : line[last] == ' ' && line.find(" = ") + 2 != last ? "space"
                                                                          : nullptr;
  if (blank == nullptr) return;
  throw TraceError(fmt::format("{}:{}: {} ends in a {}: a header's line ends in its value and one line feed", path,
                               number, Quoted(line), blank));
}

/// The lines of a header, by key. Take returns a value and removes its line, so the remaining lines
/// have unknown keys.
class Lines {
 public:
  Lines(const std::string& text, const std::string& path) : path_(path) {
    std::istringstream stream(text);
    std::string line;
    std::getline(stream, line);
    if (line.rfind(kMagic, 0) != 0) {
      throw TraceError(path +
                       ":1: not a trace of gmmu: it does not begin with \"gmmu-trace\"\n"
                       "Traces of other programs come in by gmmu trace import.");
    }
    RefuseBlankEnd(path, 1, line);
    if (line.substr(sizeof kMagic - 1) != kVersion) {
      throw TraceError(fmt::format("{}:1: version \"{}\" of the trace format is not known; this program has version {}",
                                   path, line.substr(sizeof kMagic - 1), kVersion));
    }
    for (unsigned number = 2; std::getline(stream, line); ++number) {
      if (line.empty()) return;
      RefuseBlankEnd(path, number, line);
      const size_t equals = line.find(" = ");
      if (equals == std::string::npos) {
        throw TraceError(fmt::format("{}:{}: {} is not KEY = VALUE", path, number, Quoted(line)));
      }
      const auto [place, added] = lines_.emplace(line.substr(0, equals), std::pair(number, line.substr(equals + 3)));
      if (!added) {
        throw TraceError(
            fmt::format("{}:{}: \"{}\" stands in line {} too", path, number, place->first, place->second.first));
      }
    }
  }

  /// Returns the value of a key and removes its line. If `needed` is true, a missing key is an
  /// error.
  std::optional<std::string> Take(const std::string& key, bool needed) {
    const auto found = lines_.find(key);
    if (found == lines_.end()) {
      if (needed) throw TraceError(fmt::format("{}: the header has no \"{}\"", path_, key));
      return std::nullopt;
    }
    std::string value = found->second.second;
    line_ = found->second.first;
    lines_.erase(found);
    return value;
  }

  uint64_t Number(const std::string& text, uint64_t min, uint64_t max, const char* what) const {
    const auto number = ParseNumber(text);
    if (!number || *number < min || *number > max) {
      throw Refused(fmt::format("\"{}\" is not {}, {} to {}", text, what, min, max));
    }
    return *number;
  }

  /// Returns false for the first of the two allowed words, and true for the second. Rejects any
  /// other word.
  bool Second(const std::string& text, const char* first, const char* second) const {
    if (text != first && text != second) throw Refused(fmt::format("\"{}\" is neither {} nor {}", text, first, second));
    return text == second;
  }

  TraceError Refused(const std::string& why) const { return TraceError(fmt::format("{}:{}: {}", path_, line_, why)); }

  void NothingLeft() const {
    if (lines_.empty()) return;
    const auto& [key, place] = *lines_.begin();
    throw TraceError(fmt::format("{}:{}: unknown key \"{}\"", path_, place.first, key));
  }

 private:
  std::string path_;
  std::map<std::string, std::pair<unsigned, std::string>> lines_;
  unsigned line_ = 0;
};

bool PowerOfTwo(uint64_t number) { return number != 0 && (number & (number - 1)) == 0; }

}  // namespace

std::string UnitText(uint32_t unit) { return unit == 1 ? "bytes" : fmt::format("lines of {}", unit); }

std::string ToText(const Header& header) {
  std::string text = fmt::format(
      "{}{}\nname = {}\nprovenance = {}\naddresses = {}\nunit = {}\npage = {}\naddress_bits = {}\nloop = {}\n", kMagic,
      kVersion, OneLine(header.name), OneLine(header.provenance),
      header.addresses == Addresses::kVirtual ? "virtual" : "physical", UnitText(header.unit),
      header.page_bytes == 0 ? "unknown" : fmt::to_string(header.page_bytes), header.address_bits,
      header.loop == Loop::kClosed ? "closed" : "open");
  if (header.window != 0) text += fmt::format("window = {}\n", header.window);
  if (header.count) text += fmt::format("count = {}\n", *header.count);
  return text + "\n";
}

Header ParseHeader(const std::string& text, const std::string& path) {
  Lines lines(text, path);
  Header header;
  header.name = *lines.Take("name", true);
  header.provenance = *lines.Take("provenance", true);
  header.addresses = lines.Second(*lines.Take("addresses", true), "virtual", "physical") ? Addresses::kPhysical
                                                                                         : Addresses::kVirtual;
  const std::string unit = *lines.Take("unit", true);
  if (unit != "bytes") {
    constexpr char kLines[] = "lines of ";
    if (unit.rfind(kLines, 0) != 0) throw lines.Refused("\"" + unit + "\" is neither bytes nor lines of N");
    header.unit =
        static_cast<uint32_t>(lines.Number(unit.substr(sizeof kLines - 1), 2, kMaxUnit, "the bytes of a line"));
    if (!PowerOfTwo(header.unit)) throw lines.Refused("a line of " + unit.substr(9) + " bytes is not a power of two");
  }
  const std::string page = *lines.Take("page", true);
  if (page != "unknown") {
    header.page_bytes = lines.Number(page, 512, uint64_t{1} << 40, "the bytes of a page");
    if (!PowerOfTwo(header.page_bytes)) throw lines.Refused("a page of " + page + " bytes is not a power of two");
  }
  header.address_bits =
      static_cast<unsigned>(lines.Number(*lines.Take("address_bits", true), 12, 64, "a width in bits"));
  header.loop = lines.Second(*lines.Take("loop", true), "closed", "open") ? Loop::kOpen : Loop::kClosed;
  if (const auto window = lines.Take("window", false)) {
    header.window = static_cast<uint32_t>(lines.Number(*window, 1, 65536, "a number of accesses"));
  }
  if (const auto count = lines.Take("count", false)) {
    header.count = lines.Number(*count, 0, ~uint64_t{0}, "a number of accesses");
  }
  lines.NothingLeft();
  return header;
}

std::string Wrong(const Access& access, const Header& header) {
  if (access.bytes == 0 || access.bytes > kMaxBytes) {
    return fmt::format("{} bytes are not 1 to {}, what one access may have", access.bytes, kMaxBytes);
  }
  if (access.address % header.unit != 0 || access.bytes % header.unit != 0) {
    return fmt::format("{} bytes at {:#x} are not whole {} bytes, the unit of this trace: units are mixed",
                       access.bytes, access.address, UnitText(header.unit));
  }
  const uint64_t last = access.address + (access.bytes - 1);
  if (last < access.address || (header.address_bits < 64 && last >> header.address_bits != 0)) {
    return fmt::format("{} bytes at {:#x} end beyond the address space of {} bits", access.bytes, access.address,
                       header.address_bits);
  }
  if (access.stream >= kMaxStreams) return fmt::format("stream {} is not below {}", access.stream, kMaxStreams);
  return "";
}

}  // namespace gmmu::trace
