// SPDX-License-Identifier: Apache-2.0
#include "os/kernel/access_decoder.h"

#include <capstone/capstone.h>
#include <dlfcn.h>

#include <stdexcept>
#include <string>
#include <string_view>

namespace gmmu::os {
namespace {

constexpr size_t kLongestInstruction = 15;
constexpr unsigned kMostBytes = 64;

/// The disassembler library. It is loaded only when the first instruction is decoded, because
/// loading processes 77,000 relocations and few runs decode any instruction.
struct Library {
  void* const handle = dlopen(GMMU_CAPSTONE, RTLD_NOW | RTLD_LOCAL);
  decltype(&cs_open) open = Find<decltype(open)>("cs_open");
  decltype(&cs_option) option = Find<decltype(option)>("cs_option");
  decltype(&cs_malloc) allocate = Find<decltype(allocate)>("cs_malloc");
  decltype(&cs_disasm_iter) next = Find<decltype(next)>("cs_disasm_iter");

 private:
  template <typename Function>
  Function Find(const char* name) const {
    void* const found = handle == nullptr ? nullptr : dlsym(handle, name);
    if (found == nullptr) throw std::runtime_error("a driver's access cannot be decoded: " + std::string(dlerror()));
    return reinterpret_cast<Function>(found);
  }
};

/// A decoder with its instruction buffer. It is never closed.
class Decoder {
 public:
  Decoder() {
    if (library_.open(CS_ARCH_X86, CS_MODE_64, &handle_) != CS_ERR_OK)
      throw std::runtime_error("capstone cannot be opened");
    library_.option(handle_, CS_OPT_DETAIL, CS_OPT_ON);
    instruction_ = library_.allocate(handle_);
  }
  /// Returns null if the bytes are not a valid instruction.
  const cs_insn* Decode(const void* code) {
    const auto* bytes = static_cast<const uint8_t*>(code);
    size_t size = kLongestInstruction;
    uint64_t at = 0;
    return library_.next(handle_, &bytes, &size, &at, instruction_) ? instruction_ : nullptr;
  }

 private:
  const Library library_;
  csh handle_ = 0;
  cs_insn* instruction_ = nullptr;
};

/// Returns the value of a base or index register, or 0 if the operand has none. Segment bases are
/// ignored, because a driver's segments begin at 0 in 64-bit mode.
uint64_t ValueOf(x86_reg name, const gregset_t& registers, const cs_insn& instruction) {
  const auto of = [&](int which) { return static_cast<uint64_t>(registers[which]); };
  switch (name) {
    case X86_REG_RAX: return of(REG_RAX);
    case X86_REG_RBX: return of(REG_RBX);
    case X86_REG_RCX: return of(REG_RCX);
    case X86_REG_RDX: return of(REG_RDX);
    case X86_REG_RSI: return of(REG_RSI);
    case X86_REG_RDI: return of(REG_RDI);
    case X86_REG_RBP: return of(REG_RBP);
    case X86_REG_RSP: return of(REG_RSP);
    case X86_REG_R8: return of(REG_R8);
    case X86_REG_R9: return of(REG_R9);
    case X86_REG_R10: return of(REG_R10);
    case X86_REG_R11: return of(REG_R11);
    case X86_REG_R12: return of(REG_R12);
    case X86_REG_R13: return of(REG_R13);
    case X86_REG_R14: return of(REG_R14);
    case X86_REG_R15: return of(REG_R15);
    case X86_REG_RIP: return of(REG_RIP) + instruction.size;
    default: return 0;
  }
}

/// Whether the instruction overwrites memory without reading it. The disassembler reports this
/// wrongly for some vector moves.
bool OnlyStores(const cs_insn& instruction) {
  const std::string_view name = instruction.mnemonic;  // "rep movsb"
  const auto has = [&](std::string_view part) { return name.find(part) != std::string_view::npos; };
  return has("mov") || has("stos") || name.substr(0, 3) == "set";
}

}  // namespace

std::optional<DecodedAccess> DecodeAccess(const gregset_t& registers, uint64_t address, bool write) {
  static Decoder decoder;
  const cs_insn* const instruction = decoder.Decode(reinterpret_cast<const void*>(registers[REG_RIP]));
  if (instruction == nullptr) return std::nullopt;
  const cs_x86& detail = instruction->detail->x86;
  for (unsigned i = 0; i < detail.op_count; ++i) {
    const cs_x86_op& operand = detail.operands[i];
    if (operand.type != X86_OP_MEM) continue;
    const uint64_t at = ValueOf(operand.mem.base, registers, *instruction) +
                        ValueOf(operand.mem.index, registers, *instruction) * static_cast<uint64_t>(operand.mem.scale) +
                        static_cast<uint64_t>(operand.mem.disp);
    if (at != address || operand.size == 0 || operand.size > kMostBytes) continue;
    return DecodedAccess{operand.size, !write || !OnlyStores(*instruction), write};
  }
  return std::nullopt;
}

}  // namespace gmmu::os
