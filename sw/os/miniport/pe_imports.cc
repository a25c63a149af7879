// SPDX-License-Identifier: Apache-2.0
#include "os/miniport/pe_imports.h"

#include <optional>
#include <vector>

namespace gmmu::os {
namespace {

// Offsets in the PE format (Microsoft, "PE Format").
constexpr uint64_t kPeOffsetAt = 0x3C;
constexpr uint64_t kSignatureBytes = 4, kCoffBytes = 20;
constexpr uint64_t kSectionsAt = 2, kOptionalBytesAt = 16;         // in the COFF header
constexpr uint64_t kDirectoriesAt = 112, kDirectoryCountAt = 108;  // in the optional header of PE32+
constexpr uint16_t kPe32Plus = 0x20B;
constexpr uint64_t kDirectoryBytes = 8, kSectionBytes = 40;
constexpr uint64_t kImports = 1, kDelayedImports = 13;
constexpr uint64_t kByOrdinal = uint64_t{1} << 63;

/// Layout of an import directory: the size of a descriptor, and offsets within it.
struct Form {
  const char* name;
  uint64_t bytes, module_at, names_at, fallback_at;
};
constexpr Form kOrdinary{"the import table", 20, 12, 0, 16};
constexpr Form kDelayed{"the table of delayed imports", 32, 4, 16, 16};

struct Section {
  uint64_t address, bytes, offset;
};

class Image {
 public:
  explicit Image(const FileBytes& file) : file_(file) {
    const auto pe = file.Read<uint32_t>(kPeOffsetAt, "the DOS header");
    if (!file.Part(pe, kSignatureBytes, "the PE signature").StartsWith("PE\0\0", kSignatureBytes))
      throw ImportScanError("no PE signature at offset " + Hex(pe));
    const FileBytes coff = file.Part(pe + kSignatureBytes, kCoffBytes, "the COFF header");
    const auto optional_bytes = coff.Read<uint16_t>(kOptionalBytesAt);
    const uint64_t optional_at = pe + kSignatureBytes + kCoffBytes;
    const FileBytes optional = file.Part(optional_at, optional_bytes, "the optional header");
    const auto magic = optional.Read<uint16_t>(0, "the optional header");
    if (magic != kPe32Plus)
      throw ImportScanError("not a 64-bit PE file: magic " + Hex(magic) + " at offset " + Hex(optional_at));
    directories_ = optional.Read<uint32_t>(kDirectoryCountAt, "the optional header");
    optional_ = optional;
    const auto sections = coff.Read<uint16_t>(kSectionsAt);
    const FileBytes table = file.Part(optional_at + optional_bytes, sections * kSectionBytes, "the section table");
    for (uint64_t at = 0; at < table.size(); at += kSectionBytes) {
      sections_.push_back(
          {table.Read<uint32_t>(at + 12), table.Read<uint32_t>(at + 16), table.Read<uint32_t>(at + 20)});
    }
  }

  void Imports(uint64_t directory, const Form& form, std::set<std::string>& names) {
    if (directory >= directories_) return;
    const auto address = optional_.Read<uint32_t>(kDirectoriesAt + directory * kDirectoryBytes, "the data directories");
    if (address == 0) return;
    for (FileBytes rest = At(address, form.name);; rest = rest.Part(form.bytes, rest.size() - form.bytes)) {
      const FileBytes descriptor = rest.Part(0, form.bytes, form.name);
      const auto module = descriptor.Read<uint32_t>(form.module_at);
      if (module == 0) return;
      auto thunks = descriptor.Read<uint32_t>(form.names_at);
      if (thunks == 0) thunks = descriptor.Read<uint32_t>(form.fallback_at);
      Thunks(At(module, "a module's name").Text(0), At(thunks, "the names of a module"), names);
    }
  }

 private:
  void Thunks(const std::string& module, const FileBytes& thunks, std::set<std::string>& names) {
    for (uint64_t at = 0;; at += sizeof(uint64_t)) {
      const auto thunk = thunks.Read<uint64_t>(at, "the names of a module");
      if (thunk == 0) return;
      if (++read_ > file_.size() / sizeof(uint64_t)) {
        throw ImportScanError("more imports than the file has room for, at offset " + Hex(thunks.offset() + at) +
                              ": its tables overlap");
      }
      if ((thunk & kByOrdinal) != 0) names.insert(module + "#" + std::to_string(thunk & 0xFFFF));
      else names.insert(At(thunk, "an import's name").Text(sizeof(uint16_t)));  // the name follows a 16-bit hint
    }
  }

  /// Returns the file's bytes from an image address to the end of its section.
  FileBytes At(uint64_t address, const char* what) const {
    for (const Section& section : sections_) {
      const uint64_t within = address - section.address;
      if (address < section.address || within >= section.bytes) continue;
      return file_.Part(section.offset + within, section.bytes - within, what);
    }
    throw ImportScanError(std::string(what) + " is at image address " + Hex(address) +
                          ", which no section of the table at offset " + Hex(optional_.offset() + optional_.size()) +
                          " holds");
  }

  const FileBytes file_;
  FileBytes optional_{nullptr, 0};
  uint64_t directories_ = 0;
  std::vector<Section> sections_;
  uint64_t read_ = 0;  // number of entries read so far, over all modules
};

}  // namespace

std::set<std::string> PeImports(const FileBytes& file) {
  std::set<std::string> names;
  Image image(file);
  image.Imports(kImports, kOrdinary, names);
  image.Imports(kDelayedImports, kDelayed, names);
  return names;
}

}  // namespace gmmu::os
