// SPDX-License-Identifier: Apache-2.0
#include "os/miniport/import_scan.h"

#include <elf.h>

#include <algorithm>
#include <set>

#include "os/miniport/file_bytes.h"
#include "os/miniport/pe_imports.h"

namespace gmmu::os {
namespace {

constexpr char kArchive[] = "!<arch>\n";
constexpr size_t kMagicBytes = 8;
constexpr size_t kHeaderBytes = 60;  // size of the header before each archive member
constexpr size_t kSizeAt = 48, kSizeDigits = 10;

struct Names {
  std::set<std::string> wanted, defined;
};

void ScanElf(const FileBytes& file, Names& names) {
  const auto head = file.Read<Elf64_Ehdr>(0);
  if (head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_ident[EI_DATA] != ELFDATA2LSB)
    throw ImportScanError("not a 64-bit little-endian ELF file");
  const auto section = [&](uint64_t index) {
    if (index >= head.e_shnum) throw ImportScanError("a section that does not exist is named");
    return file.Read<Elf64_Shdr>(head.e_shoff + index * sizeof(Elf64_Shdr));
  };
  for (uint64_t i = 0; i < head.e_shnum; ++i) {
    const Elf64_Shdr table = section(i);
    if (table.sh_type != SHT_SYMTAB && table.sh_type != SHT_DYNSYM) continue;
    const Elf64_Shdr text = section(table.sh_link);
    const FileBytes symbols = file.Part(table.sh_offset, table.sh_size);
    const FileBytes strings = file.Part(text.sh_offset, text.sh_size);
    // Starts at symbol 1, because symbol 0 is reserved.
    for (uint64_t at = sizeof(Elf64_Sym); at < symbols.size(); at += sizeof(Elf64_Sym)) {
      const auto symbol = symbols.Read<Elf64_Sym>(at);
      const unsigned binding = ELF64_ST_BIND(symbol.st_info);
      if (binding == STB_LOCAL || symbol.st_name == 0) continue;
      std::string name = strings.Text(symbol.st_name);
      name.resize(std::min(name.size(), name.find('@')));  // removes the symbol version suffix
      (symbol.st_shndx == SHN_UNDEF ? names.wanted : names.defined).insert(name);
    }
  }
}

void ScanArchive(const FileBytes& file, Names& names) {
  for (uint64_t at = kMagicBytes; at + kHeaderBytes <= file.size();) {
    const FileBytes head = file.Part(at, kHeaderBytes);
    uint64_t size = 0;
    for (size_t digit = 0; digit < kSizeDigits; ++digit) {
      const char c = head.Read<char>(kSizeAt + digit);
      if (c >= '0' && c <= '9') size = size * 10 + static_cast<uint64_t>(c - '0');
    }
    const FileBytes member = file.Part(at + kHeaderBytes, size);
    if (member.StartsWith(ELFMAG, SELFMAG)) ScanElf(member, names);
    at += kHeaderBytes + size + size % 2;
  }
}

}  // namespace

const std::vector<std::string>& ForbiddenRoutines() {
  static const std::vector<std::string> kNames = {
      "MmAllocateContiguousMemory", "MmAllocateContiguousMemorySpecifyCache",
      "MmFreeContiguousMemory",     "MmAllocatePagesForMdl",
      "MmAllocatePagesForMdlEx",    "MmFreePagesFromMdl",
      "MmProbeAndLockPages"};
  return kNames;
}

std::vector<std::string> ImportsOf(const std::vector<uint8_t>& file) {
  const FileBytes bytes(file.data(), file.size());
  Names names;
  if (bytes.StartsWith(kArchive, kMagicBytes)) {
    ScanArchive(bytes, names);
  } else if (bytes.StartsWith(ELFMAG, SELFMAG)) {
    ScanElf(bytes, names);
  } else if (IsWindowsBinary(file)) {
    names.wanted = PeImports(bytes);
  } else {
    throw ImportScanError("neither an ELF file, a PE file nor an archive");
  }
  std::vector<std::string> imports;
  std::set_difference(names.wanted.begin(), names.wanted.end(), names.defined.begin(), names.defined.end(),
                      std::back_inserter(imports));
  return imports;
}

bool IsWindowsBinary(const std::vector<uint8_t>& file) {
  return FileBytes(file.data(), file.size()).StartsWith("MZ", 2);
}

std::vector<std::string> ForbiddenImports(const std::vector<std::string>& imports) {
  std::vector<std::string> found;
  for (const std::string& name : ForbiddenRoutines()) {
    if (std::find(imports.begin(), imports.end(), name) != imports.end()) found.push_back(name);
  }
  return found;
}

}  // namespace gmmu::os
