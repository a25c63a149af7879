// SPDX-License-Identifier: Apache-2.0
// Tests that the register values in the tables of docs/integration.md, written as printed, copy the
// bytes and signal the fence.
#include <gtest/gtest.h>

#include <fstream>
#include <regex>

#include "tb/rtl/top/top_machine.h"

namespace gmmu::top {
namespace {

struct Row {
  std::string what;  ///< vram, host, or the name of a register
  uint64_t address, value;
};

/// Returns the table rows of docs/integration.md whose second and third columns are hexadecimal
/// numbers.
std::vector<Row> RowsOfThePage() {
  std::ifstream page(GMMU_SOURCE_DIR "/docs/integration.md");
  const std::regex row(R"(\| ([\w\[\].]+) \| 0x([0-9A-F]+) \| 0x([0-9A-F]{16}) \|.*)");
  std::vector<Row> rows;
  std::smatch found;
  for (std::string line; std::getline(page, line);) {
    if (std::regex_match(line, found, row))
      rows.push_back({found[1], std::stoull(found[2], nullptr, 16), std::stoull(found[3], nullptr, 16)});
  }
  return rows;
}

TEST(GpuBringUp, TheTablesOfThePageCopyAndSignal) {
  constexpr uint64_t kSource = 0x1'0000'0003, kTarget = 0x100009, kBytes = 100, kRecord = 0x30000;
  TopMachine gpu(11);
  gpu.EnableMessages(false);
  for (const uint64_t page : {0x10000ull, 0x20000ull, 0x30000ull, 0x1'0000'0000ull}) gpu.host.memory.Make(page, 0x1000);
  for (uint64_t i = 0; i < kBytes; ++i) gpu.host.memory.Write(kSource + i, static_cast<uint8_t>(gpu.rng()));
  gpu.vram.memory.Write64(0x100000, 0x1122334455667788);

  unsigned words = 0, registers = 0;
  uint64_t head_before = ~uint64_t{0};
  for (const Row& row : RowsOfThePage()) {
    SCOPED_TRACE(row.what);
    if (row.what == "vram") {
      gpu.WindowWrite(static_cast<uint32_t>(row.address), row.value);
      ++words;
    } else if (row.what == "host") {
      gpu.host.memory.Write64(row.address, row.value);
      ++words;
    } else {
      if (row.what == "ring[0].tail") head_before = gpu.Read(0x1018);
      gpu.Write(static_cast<uint32_t>(row.address), row.value);
      EXPECT_EQ(gpu.response, 0u);
      if (row.what == "space[1].root") gpu.Until([&] { return (gpu.Read(0x118) & 1) == 0; }, "the root");
      ++registers;
    }
  }
  EXPECT_EQ(words, 12u);
  EXPECT_EQ(registers, 8u);
  EXPECT_EQ(head_before, 0u);
  EXPECT_FALSE(gpu.t.irq_o);

  gpu.Until([&] { return gpu.host.memory.Read64(kRecord) == 0x0000000100000001; }, "the fence record");
  gpu.Run(4);  // time for the second word of the record
  EXPECT_EQ(gpu.vram.memory.Bytes(kTarget, kBytes), gpu.host.memory.Bytes(kSource, kBytes));
  EXPECT_EQ(gpu.vram.memory.Read64(0x100000), 0x1122334455667788u) << "bytes in front of the copy";
  EXPECT_NE(gpu.host.memory.Read64(kRecord + 8), 0u) << "cycle_i";
  gpu.Until([&] { return gpu.t.irq_o != 0; }, "the interrupt");
  EXPECT_EQ(gpu.Read(0x1018), 1u) << "the head";
  EXPECT_EQ(gpu.Read(0x1028) & 2, 0u) << "an error";
  gpu.Write(0x80, 1);
  gpu.Run(2);
  EXPECT_FALSE(gpu.t.irq_o);
}

}  // namespace
}  // namespace gmmu::top
