// SPDX-License-Identifier: Apache-2.0
#include "board/sizes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hw/gmmu_regs.h"

namespace gmmu::sim::board {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

BoardIdentity Ulx3s() {
  BoardIdentity board;
  board.clock_hz = 80'000'000;
  board.vram_bytes = 32 << 20;
  board.cap0 = regs::Cap0()
                   .set_clients(2)
                   .set_spaces(16)
                   .set_walks(8)
                   .set_rings(1)
                   .set_reads(32)
                   .set_bus_bytes(8)
                   .set_va_bits(48)
                   .raw;
  board.cap1 = regs::Cap1().set_l1_entries(16).set_l2_entries(512).set_l2_ways(4).set_walk_cache(16).raw;
  board.cap2 = regs::Cap2().set_levels(4).raw;
  return board;
}

std::string Refusal(const std::set<std::string>& stated, MachineConfig config) {
  try {
    Adopt(Ulx3s(), stated, config);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "taken";
}

TEST(BoardSizes, KeysThatNobodyStatedTakeTheBoardsValues) {
  MachineConfig config;
  Adopt(Ulx3s(), {}, config);
  EXPECT_EQ(config.gpu.clients, 2u);
  EXPECT_EQ(config.gpu.rings, 1u);
  EXPECT_EQ(config.gpu.clock_mhz, 80u);
  EXPECT_EQ(config.gpu.vram_bytes(), 32u << 20);
}

TEST(BoardSizes, StatedKeysThatDifferAreRefusedWithBothValues) {
  MachineConfig config;
  config.gpu.clients = 4;
  config.gpu.walks = 16;
  EXPECT_THAT(Refusal({"gpu.clients", "gpu.walks"}, config),
              AllOf(HasSubstr("gpu.clients = 4 (board: 2)"), HasSubstr("gpu.walks = 16 (board: 8)")));
  config.gpu.clients = 2;
  EXPECT_EQ(Refusal({"gpu.clients"}, config), "taken");
}

TEST(BoardSizes, SizesToWhichTheBoardCanBeTurnedDownAreTakenForTheDriver) {
  MachineConfig config;
  config.gpu.l2_entries = 128;
  EXPECT_THAT(Refusal({"gpu.l2_entries"}, config), HasSubstr("gpu.l2_entries = 128 (board: 512)"));
  BoardIdentity board = Ulx3s();
  board.cap2 = regs::Cap2{board.cap2}.set_turn_down(1).raw;
  Adopt(board, {"gpu.l2_entries"}, config);
  EXPECT_EQ(config.gpu.l2_entries, 128u);
  EXPECT_EQ(TurnedDown(config, board).l2_entries(), 128u);
  EXPECT_EQ(TurnedDown(config, board).walks(), 8u);
  config.gpu.l2_entries = 512;
  EXPECT_EQ(TurnedDown(config, board).raw, 0u);
  config.gpu.l2_entries = 1024;
  EXPECT_THROW(Adopt(board, {"gpu.l2_entries"}, config), ConfigError);
}

TEST(BoardSizes, VramMayBeLessThanTheBoardsButNotMore) {
  MachineConfig config;
  config.gpu.vram_mib = 8;
  EXPECT_EQ(Refusal({"gpu.vram_mib"}, config), "taken");
  config.gpu.vram_mib = 64;
  EXPECT_THAT(Refusal({"gpu.vram_mib"}, config), HasSubstr("gpu.vram_mib = 64 (board: at most 32)"));
}

TEST(BoardSizes, TablesOfMoreLevelsThanTheBoardHasAreRefused) {
  MachineConfig config;
  config.gpu.page_table_bits = {9, 4, 7, 5, 8};
  EXPECT_THAT(Refusal({}, config), HasSubstr("gpu.page_table_bits = 5 levels (board: at most 4 levels)"));
}

TEST(BoardSizes, WhatOnlyASimulatedMachineHasIsRefused) {
  const auto refused = [](const MachineConfig& config, bool lost, const char* text) {
    try {
      RefuseSimulated(config, lost);
      ADD_FAILURE() << text;
    } catch (const ConfigError& error) {
      EXPECT_THAT(error.what(), HasSubstr(text));
    }
  };
  MachineConfig config;
  RefuseSimulated(config, false);
  refused(config, true, "inject.leak");
  config.gpu.count = 2;
  refused(config, false, "gpu.count = 2");
  config = MachineConfig();
  config.gpu.vram_reorder = true;
  refused(config, false, "gpu.vram_reorder");
  config = MachineConfig();
  config.inject.vram_flip.after_write_bytes = 1;
  refused(config, false, "inject.vram_flip.after_write_bytes");
}

}  // namespace
}  // namespace gmmu::sim::board
