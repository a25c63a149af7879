// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <gtest/gtest.h>

#include <string>

#include "mmu_machine.h"

namespace gmmu::bench {

using regs::Access;
using regs::Fault;
using regs::PteEntry;
using regs::Scope;
using regs::Target;

constexpr uint64_t kRoot = 0x3ff000, kLevel2 = 0x3fe000, kLevel1 = 0x3fd000, kLeaf = 0x3fc000;
constexpr uint64_t kVa = 0x12345678;  // indices 0, 0, 0x91, 0x145 (docs/page-tables.md)

inline uint64_t Page(uint64_t address, Target target = Target::kSystem) {
  return PteEntry{}.set_valid(1).set_target(target).set_page(address >> 12).raw;
}

/// The worked example of docs/page-tables.md in space 1, with tables in VRAM.
class MmuTest : public testing::Test {
 protected:
  MmuTest() : machine_(false, 1) {
    config_.enable = true;
    config_.root_target = Target::kVram;
    config_.root_address = kRoot;
    config_.root_entries = 512;
    config_.levels = 4;
    config_.bits = {9, 9, 9, 9, 0, 0};
    Put(kRoot, 0x08000000003FE041);
    Put(kLevel2, 0x08000000003FD041);
    Put(kLevel1 + 0x488, 0x08000000003FC041);
    Put(kLeaf + 0xa28, 0x0000000098765005);
    SetSpace(1, config_);
  }
  ~MmuTest() override {
    for (const std::string& error : machine_.errors()) ADD_FAILURE() << error;
  }

  void Put(uint64_t address, uint64_t word) {
    machine_.memory.Write({static_cast<int>(Target::kVram), address}, word, machine_.now);
  }
  void SetSpace(unsigned space, const sim::SpaceConfig& config) {
    Control control;
    control.set_space = true;
    control.space = space;
    control.config = config;
    machine_.Do(control);
  }
  void Flush(Scope scope, unsigned space = 0, uint64_t start = 0, uint64_t end = 0) {
    Control control;
    control.scope = scope;
    control.space = space;
    control.start = start;
    control.end = end;
    machine_.Do(control);
  }
  sim::Translation At(uint64_t va, Access access = Access::kRead, unsigned space = 1, unsigned port = 0) {
    return machine_.Translate({port, space, va, access}).result;
  }
  void ExpectFault(Fault fault, unsigned level, uint64_t va, Access access = Access::kRead, unsigned space = 1) {
    const sim::Translation result = At(va, access, space);
    EXPECT_EQ(static_cast<int>(result.fault), static_cast<int>(fault));
    EXPECT_EQ(result.level, level);
  }
  uint64_t Reads() const { return machine_.counts.table_reads; }

  Machine machine_;
  sim::SpaceConfig config_;
};

}  // namespace gmmu::bench
