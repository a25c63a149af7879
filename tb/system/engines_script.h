// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <gtest/gtest.h>
#include <fmt/format.h>
#include <functional>
#include "platform/sc_engine.h"
#include "tb/system/script.h"
#include "twin/fast_engine.h"

// Runs bare-metal software on both engines and requires identical output.

namespace gmmu::test {

using regs::Access;
using regs::Opcode;
using regs::Scope;
using regs::Target;
using Bare = Script::Bare;

inline constexpr uint64_t kSrcPhysical = 1 << 12, kDstPhysical = 1 << 13;
inline constexpr uint64_t kVram = 0x800000;  // data

inline uint64_t Src(Target target) { return kSrcPhysical | uint64_t{static_cast<unsigned>(target)} << 14; }
inline uint64_t Dst(Target target) { return kDstPhysical | uint64_t{static_cast<unsigned>(target)} << 16; }
inline uint64_t SrcSpace(unsigned space) { return uint64_t{space} << 24; }
inline uint64_t DstSpace(unsigned space) { return uint64_t{space} << 32; }

inline std::vector<std::string> LinesOf(const std::function<void(Script&)>& scene, bool rtl, bool checker) {
  sim::MachineConfig config = sim::MachineConfig::Default();
  config.sim.checker = checker;
  const auto engine = rtl ? sim::CreateRtl(config, {}) : sim::twin::CreateEngine(config, {});
  std::vector<std::string> lines;
  engine->Run([&](hw::Platform& platform) {
    Script script(platform);
    scene(script);
    lines = script.lines();
    for (const hw::Finding& finding : platform.instruments()->Findings())
      ADD_FAILURE() << (rtl ? "rtl: " : "fast: ") << finding.text;
    return 0;
  });
  return lines;
}

/// Set `checker` to false for scenes with features that the reference walk does not model.
inline void ExpectSame(const std::function<void(Script&)>& scene, bool checker = true) {
  const auto rtl = LinesOf(scene, true, checker), fast = LinesOf(scene, false, checker);
  std::string before;
  for (size_t i = 0; i < std::min(rtl.size(), fast.size()); ++i) {
    if (rtl[i][0] != ' ') before = rtl[i];
    EXPECT_EQ(rtl[i], fast[i]) << "line " << i << " of " << before;
  }
  EXPECT_EQ(rtl.size(), fast.size());
  EXPECT_GT(rtl.size(), 3u);
}

/// Maps space 1: VRAM from kVram at 0, host data at 0x40000, and an unmapped page at 0x80000. The
/// pages from 0x90000 upwards are, in order: read-only, no-execute, zero, aperture, peer, beyond
/// the end of VRAM, a logical page without memory, an entry with a reserved bit, and aperture pages
/// beyond the map and with an invalid map entry.
inline void MakePages(Script& s) {
  s.MakeSpace(1);
  for (uint64_t i = 0; i < 16; ++i) {
    s.Map(1, i * 4096, Script::Page(Target::kVram, kVram + (i ^ 5) * 4096));
    s.Map(1, 0x40000 + i * 4096, Script::Page(Target::kSystem, Script::kData + (i ^ 3) * 4096));
  }
  s.Map(1, 0x90000, Script::Page(Target::kVram, kVram).set_read_only(1));
  s.Map(1, 0x91000, Script::Page(Target::kVram, kVram).set_no_execute(1));
  s.Map(1, 0x92000, regs::PteEntry().set_zero(1));
  s.Map(1, 0x93000, Script::Page(Target::kAperture, 0x3000));
  s.Map(1, 0x94000, Script::Page(Target::kPeer, 0));
  s.Map(1, 0x95000, Script::Page(Target::kVram, uint64_t{1} << 40));
  s.Map(1, 0x96000, Script::Page(Target::kSystem, uint64_t{1} << 45));
  s.Map(1, 0x97000, Script::Page(Target::kVram, kVram).set_reserved63(1));
  s.Map(1, 0x98000, Script::Page(Target::kAperture, uint64_t{1} << 30));
  s.Map(1, 0x99000, Script::Page(Target::kAperture, 0x5000));
  std::vector<uint8_t> bytes(0x10000);
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<uint8_t>(i * 31 + i / 256);
  s.bare().WriteVram(kVram, bytes.data(), bytes.size());
  s.Write(regs::ApertureBase::kOffset, 0x700000);
  s.Write(regs::AperturePages::kOffset, 64);
  s.PutVram(0x700000 + 8 * 3, regs::ApertureEntryEntry().set_valid(1).set_page((Script::kData >> 12) + 40).raw);
  s.PutVram(0x700000 + 8 * 5, 0);
}

}  // namespace gmmu::test
