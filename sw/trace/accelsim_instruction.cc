// SPDX-License-Identifier: Apache-2.0
#include "trace/accelsim_instruction.h"

#include <fmt/format.h>

#include <map>
#include <stdexcept>

#include "trace/input.h"
#include "trace/number.h"

namespace gmmu::trace {
namespace {

constexpr unsigned kThreads = 32;

struct Meaning {
  Space space;
  bool writes;
};

/// The SASS instructions that access memory. An atomic instruction counts as a write, because its
/// page must be writable.
const std::map<std::string, Meaning, std::less<>>& Opcodes() {
  static const std::map<std::string, Meaning, std::less<>> kOpcodes = {
      {"LDG", {Space::kGlobal, false}},  {"STG", {Space::kGlobal, true}},   {"LDGSTS", {Space::kGlobal, false}},
      {"ATOMG", {Space::kGlobal, true}}, {"RED", {Space::kGlobal, true}},   {"REDG", {Space::kGlobal, true}},
      {"LD", {Space::kGeneric, false}},  {"ST", {Space::kGeneric, true}},   {"ATOM", {Space::kGeneric, true}},
      {"LDS", {Space::kShared, false}},  {"STS", {Space::kShared, true}},   {"LDSM", {Space::kShared, false}},
      {"STSM", {Space::kShared, true}},  {"ATOMS", {Space::kShared, true}}, {"LDL", {Space::kLocal, false}},
      {"STL", {Space::kLocal, true}},    {"LDC", {Space::kConstant, false}}};
  return kOpcodes;
}

/// Returns the words of a line one after the other.
class Reader {
 public:
  explicit Reader(const std::string& line) : words_(Words(line)) {}

  std::string_view Word(const char* what) {
    if (at_ == words_.size()) throw std::runtime_error(fmt::format("ends where {} must be", what));
    return words_[at_++];
  }
  uint64_t Number(const char* what, int base) {
    const std::string_view word = Word(what);
    const auto number = base == 16 ? ParseHex(word) : ParseDigits(word, base);
    if (!number) throw std::runtime_error(fmt::format("has \"{}\" where {} must be", word, what));
    return *number;
  }
  uint64_t Difference(const char* what) {
    const std::string_view word = Word(what);
    const bool minus = word.substr(0, 1) == "-";
    const auto number = ParseDigits(word.substr(minus ? 1 : 0), 10);
    if (!number) throw std::runtime_error(fmt::format("has \"{}\" where {} must be", word, what));
    return minus ? 0 - *number : *number;
  }
  void Registers(const char* what) {
    const uint64_t count = Number(what, 10);
    if (count > 8) throw std::runtime_error(fmt::format("has {} of {}", count, what));
    for (uint64_t i = 0; i < count; ++i) Word("a register");
  }

 private:
  const std::vector<std::string_view> words_;
  size_t at_ = 0;
};

/// Returns the size of a thread's access in bytes: the opcode's numeric modifier, which is in bits,
/// or 4 if there is none.
uint32_t BytesOf(const std::string& opcode) {
  for (size_t at = 0; (at = opcode.find('.', at)) != std::string::npos;) {
    ++at;
    std::string_view part = std::string_view(opcode).substr(at, opcode.find('.', at) - at);
    if (!part.empty() && (part[0] == 'U' || part[0] == 'S')) part.remove_prefix(1);
    const auto bits = ParseDigits(part, 10);
    if (bits && *bits >= 8 && *bits <= 128 && *bits % 8 == 0) return static_cast<uint32_t>(*bits / 8);
  }
  return 4;
}

void Addresses(Reader& reader, uint32_t mask, std::vector<uint64_t>& addresses) {
  const uint64_t mode = reader.Number("the mode of the addresses", 10);
  size_t threads = 0;
  for (unsigned thread = 0; thread < kThreads; ++thread) threads += mask >> thread & 1;
  if (threads == 0 && mode != 1 && mode != 2) return;
  const uint64_t first = reader.Number("an address", 16);
  if (threads != 0) addresses.push_back(first);
  switch (mode) {
    case 0:  // a list of absolute addresses
      while (addresses.size() < threads) addresses.push_back(reader.Number("an address", 16));
      return;
    case 1: {  // a base address and a stride
      const uint64_t stride = reader.Difference("a stride");
      const uint64_t ones = mask == 0 ? 0 : uint64_t{mask} >> __builtin_ctz(mask);
      if ((ones & (ones + 1)) != 0) throw std::runtime_error("has base and stride, but a mask with holes");
      while (addresses.size() < threads) addresses.push_back(addresses.back() + stride);
      return;
    }
    case 2:  // a base address, then the deltas
      while (addresses.size() < threads) addresses.push_back(addresses.back() + reader.Difference("a difference"));
      return;
    default: throw std::runtime_error(fmt::format("has mode {} of the addresses; 0, 1 and 2 are known", mode));
  }
}

}  // namespace

GpuInstruction GpuInstruction::Parse(const std::string& line, bool lineinfo) {
  Reader reader(line);
  if (lineinfo) reader.Number("the line number", 10);
  reader.Number("the program counter", 16);
  const uint64_t mask = reader.Number("the mask", 16);
  if (mask > 0xffffffff) throw std::runtime_error("has a mask of more than 32 threads");
  reader.Registers("destinations");
  GpuInstruction instruction;
  instruction.opcode = reader.Word("the opcode");
  reader.Registers("sources");
  if (reader.Number("the width", 10) == 0) return instruction;
  const auto found = Opcodes().find(instruction.opcode.substr(0, instruction.opcode.find('.')));
  if (found == Opcodes().end()) {
    throw std::runtime_error(fmt::format("accesses memory by {}, which is not known here", instruction.opcode));
  }
  instruction.space = found->second.space;
  instruction.writes = found->second.writes;
  instruction.bytes = BytesOf(instruction.opcode);
  Addresses(reader, static_cast<uint32_t>(mask), instruction.addresses);
  return instruction;
}

}  // namespace gmmu::trace
