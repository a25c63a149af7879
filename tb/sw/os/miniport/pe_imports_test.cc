// SPDX-License-Identifier: Apache-2.0
#include "os/miniport/pe_imports.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <vector>

#include "os/miniport/import_scan.h"

namespace gmmu::os {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Bytes = std::vector<uint8_t>;

/// A minimal 64-bit Windows binary with the given imports. It has one section, which is loaded
/// 0x1000 above its file offset.
class Pe {
 public:
  static constexpr uint32_t kPeAt = 0x80, kOptionalAt = kPeAt + 24, kOptionalBytes = 112 + 16 * 8;
  static constexpr uint32_t kSectionAt = kOptionalAt + kOptionalBytes, kDataAt = 0x200, kAbove = 0x1000;

  Pe() : file_(kDataAt) {
    Put<uint16_t>(0, 0x5A4D);
    Put<uint32_t>(0x3C, kPeAt);
    Put<uint32_t>(kPeAt, 0x4550);
    Put<uint16_t>(kPeAt + 4, 0x8664);
    Put<uint16_t>(kPeAt + 6, 1);
    Put<uint16_t>(kPeAt + 20, kOptionalBytes);
    Put<uint16_t>(kOptionalAt, 0x20B);
    Put<uint32_t>(kOptionalAt + 108, 16);
  }
  /// Adds one import per name. A name that begins with '#' is imported by ordinal.
  Pe& Imports(const std::string& module, const std::vector<std::string>& names, bool delayed = false) {
    std::vector<uint64_t> thunks;
    for (const std::string& name : names) {
      if (name[0] == '#') {
        thunks.push_back(uint64_t{1} << 63 | std::stoul(name.substr(1)));
      } else {
        thunks.push_back(Text(std::string(2, '\0') + name));  // the name follows a 2-byte hint
      }
    }
    thunks.push_back(0);
    const uint32_t table = Append(thunks.data(), thunks.size() * 8), named = Text(module);
    if (delayed) delayed_.insert(delayed_.end(), {1, named, 0, 0, table, 0, 0, 0});
    else imports_.insert(imports_.end(), {table, 0, 0, named, table});
    return *this;
  }
  Bytes Make() {
    imports_.resize(imports_.size() + 5);
    delayed_.resize(delayed_.size() + 8);
    Put<uint32_t>(kOptionalAt + 112 + 8, Append(imports_.data(), imports_.size() * 4));
    if (delayed_.size() > 8) Put<uint32_t>(kOptionalAt + 112 + 13 * 8, Append(delayed_.data(), delayed_.size() * 4));
    const auto size = static_cast<uint32_t>(file_.size());
    Put<uint32_t>(kSectionAt + 8, size - kDataAt);
    Put<uint32_t>(kSectionAt + 12, kDataAt + kAbove);
    Put<uint32_t>(kSectionAt + 16, size - kDataAt);
    Put<uint32_t>(kSectionAt + 20, kDataAt);
    return file_;
  }
  template <typename T>
  void Put(size_t at, T value) {
    std::memcpy(&file_[at], &value, sizeof value);
  }

 private:
  uint32_t Append(const void* from, size_t size) {
    const auto at = static_cast<uint32_t>(file_.size());
    const auto* bytes = static_cast<const uint8_t*>(from);
    file_.insert(file_.end(), bytes, bytes + size);
    return at + kAbove;
  }
  uint32_t Text(const std::string& text) { return Append(text.c_str(), text.size() + 1); }

  Bytes file_;
  std::vector<uint32_t> imports_, delayed_;
};

Bytes Good() {
  return Pe()
      .Imports("ntoskrnl.exe", {"MmProbeAndLockPages", "KeDelayExecutionThread", "#7"})
      .Imports("displib.sys", {"DxgkInitialize"})
      .Imports("late.sys", {"MmAllocateContiguousMemory"}, true)
      .Make();
}

/// Returns the message of the error found in a file, or "" if there is none.
std::string Error(const Bytes& file) {
  try {
    ImportsOf(file);
  } catch (const ImportScanError& error) {
    return error.what();
  }
  return "";
}

TEST(PeImports, AreTheNamesOfAllModulesDelayedOnesAndOrdinalsToo) {
  const auto imports = ImportsOf(Good());
  EXPECT_THAT(imports, ElementsAre("DxgkInitialize", "KeDelayExecutionThread", "MmAllocateContiguousMemory",
                                   "MmProbeAndLockPages", "ntoskrnl.exe#7"));
  EXPECT_THAT(ForbiddenImports(imports), ElementsAre("MmAllocateContiguousMemory", "MmProbeAndLockPages"));
}

TEST(PeImports, ABinaryWithoutAnImportTableHasNone) {
  Pe pe;
  Bytes file = pe.Make();
  std::memset(&file[Pe::kOptionalAt + 112], 0, 16 * 8);
  EXPECT_TRUE(ImportsOf(file).empty());
}

TEST(PeImports, WhatIsBrokenIsNamedWithItsOffset) {
  const auto changed = [](size_t at, uint32_t value) {
    Bytes file = Good();
    std::memcpy(&file[at], &value, sizeof value);
    return Error(file);
  };
  EXPECT_EQ(changed(0x3C, 0x90), "no PE signature at offset 0x90");
  EXPECT_THAT(changed(0x3C, 0xFFFFFFF0), AllOf(HasSubstr("the PE signature"), HasSubstr("at offset 0xfffffff0")));
  EXPECT_EQ(changed(Pe::kOptionalAt, 0x10B), "not a 64-bit PE file: magic 0x10b at offset 0x98");
  EXPECT_THAT(changed(Pe::kPeAt + 6, 0xF0FFFF),
              AllOf(HasSubstr("the section table"), HasSubstr("2621400 bytes at offset 0x188")));
  EXPECT_THAT(changed(Pe::kOptionalAt + 120, 0x9000), HasSubstr("the import table is at image address 0x9000"));
  EXPECT_THAT(changed(Pe::kSectionAt + 20, 0x4000), HasSubstr("at offset 0x4"));
  // If all bytes of the section are 0x80, no list of names has a terminator.
  Bytes file = Good();
  std::memset(&file[Pe::kDataAt], 0x80, file.size() - Pe::kDataAt);
  EXPECT_THAT(Error(file), HasSubstr("image address"));
}

TEST(PeImports, TablesThatOverlapEnd) {
  Pe pe;
  for (int i = 0; i < 200; ++i) pe.Imports("m", {"#1"});
  Bytes file = pe.Make();
  // Here, 300 modules share one list of 2000 imports.
  Pe large;
  std::vector<std::string> names(2000, "#1");
  large.Imports("m", names);
  Bytes shared = large.Make();
  const auto table = [&] {
    uint32_t address = 0;
    std::memcpy(&address, &shared[Pe::kOptionalAt + 120], 4);
    return address - Pe::kAbove;
  }();
  Bytes descriptor(shared.begin() + table, shared.begin() + table + 20);
  shared.resize(table);
  for (int i = 0; i < 300; ++i) shared.insert(shared.end(), descriptor.begin(), descriptor.end());
  shared.resize(shared.size() + 20);
  const auto bytes = static_cast<uint32_t>(shared.size() - Pe::kDataAt);
  std::memcpy(&shared[Pe::kSectionAt + 16], &bytes, 4);
  EXPECT_THAT(Error(shared),
              AllOf(HasSubstr("more imports than the file has room for, at offset"), HasSubstr("overlap")));
  EXPECT_EQ(Error(file), "");
}

TEST(PeImports, ACutFileIsRefusedWithAnOffsetWhereverItIsCut) {
  const Bytes good = Good();
  for (size_t size = 2; size < good.size(); ++size) {
    const std::string error = Error(Bytes(good.begin(), good.begin() + static_cast<ptrdiff_t>(size)));
    EXPECT_THAT(error, ::testing::AnyOf(HasSubstr("offset 0x"), ::testing::IsEmpty())) << size;
    if (size < good.size() - 64) EXPECT_NE(error, "") << size;
  }
}

TEST(PeImports, ADamagedFileIsScannedOrRefused) {
  const Bytes good = Good();
  std::mt19937_64 random(11);
  for (int round = 0; round < 20'000; ++round) {
    Bytes file = good;
    for (uint64_t changes = 1 + random() % 6; changes != 0; --changes)
      file[random() % file.size()] = static_cast<uint8_t>(random());
    const std::string error = Error(file);
    if (file[0] == 'M' && file[1] == 'Z' && !error.empty()) EXPECT_THAT(error, HasSubstr("offset 0x")) << round;
  }
}

}  // namespace
}  // namespace gmmu::os
