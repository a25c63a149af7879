// SPDX-License-Identifier: Apache-2.0
// Calls the driver's DxgkDdiBuildPagingBuffer without an operating system, one operation at a time. CommandModel
// executes the commands that the driver writes.
#pragma once
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tb/sw/kmd/build/command_model.h"
#include "tb/sw/kmd/started_driver.h"
#include "kmd/segments.h"

namespace gmmu::kmd::test {

inline constexpr uint32_t kSystemSpace = 0;  // space of the fixture's system process
inline constexpr uint32_t kProcessSpace = 1;

/// Acts as VidMm: builds operations, provides a new buffer whenever the driver requests one, and
/// executes each buffer.
class BuildTest : public testing::Test {
 protected:
  explicit BuildTest(std::map<std::string, uint64_t> parameters = {}) : driver(std::move(parameters)) {}

  /// Builds the operation in buffers of `bytes` bytes, and lets the model execute each buffer.
  /// Between passes, only the buffer arguments change.
  NTSTATUS Build(DXGKARG_BUILDPAGINGBUFFER args, UINT bytes, CommandModel* model, int* passes = nullptr) {
    args.hSystemContext = driver.system_context;
    args.MultipassOffset = 0;
    for (int pass = 1; pass <= 10000; ++pass) {
      if (passes != nullptr) *passes = pass;
      std::vector<uint64_t> buffer(bytes / 8 + 2, kGuard);
      args.pDmaBuffer = buffer.data();
      args.DmaSize = bytes;
      const NTSTATUS status = driver.kernel.table.DxgkDdiBuildPagingBuffer(driver.kernel.adapter, &args);
      const auto used =
          static_cast<size_t>(static_cast<uint8_t*>(args.pDmaBuffer) - reinterpret_cast<uint8_t*>(buffer.data()));
      EXPECT_LE(used, bytes);
      EXPECT_EQ(args.DmaSize, bytes - used);
      for (size_t i = used / 8; i < buffer.size(); ++i) EXPECT_EQ(buffer[i], kGuard) << "written past the end";
      model->Run(buffer.data(), used);
      if (status != STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER) return status;
      if (used == 0) return status;  // the driver made no progress
    }
    ADD_FAILURE() << "never ends";
    return STATUS_UNSUCCESSFUL;
  }

  CommandModel Built(const DXGKARG_BUILDPAGINGBUFFER& args, UINT bytes = 65536) {
    CommandModel model;
    EXPECT_EQ(Build(args, bytes, &model), STATUS_SUCCESS);
    EXPECT_THAT(model.errors, testing::IsEmpty());
    return model;
  }
  NTSTATUS Refused(const DXGKARG_BUILDPAGINGBUFFER& args) {
    CommandModel model;
    const NTSTATUS status = Build(args, 65536, &model);
    EXPECT_THAT(model.headers, testing::IsEmpty()) << "a refused operation writes nothing";
    return status;
  }

  DXGKARG_BUILDPAGINGBUFFER Update(std::vector<DXGK_PTE>& ptes, uint32_t level, uint64_t table, uint32_t start) {
    DXGKARG_BUILDPAGINGBUFFER args{};
    args.Operation = DXGK_OPERATION_UPDATE_PAGE_TABLE;
    auto& op = args.UpdatePageTable;
    op.PageTableLevel = level;
    op.PageTableAddress.GpuPhysical = {kVramSegment, 0, table};
    op.pPageTableEntries = ptes.data();
    op.StartIndex = start;
    op.NumPageTableEntries = static_cast<UINT>(ptes.size());
    op.hProcess = driver.process;
    op.UpdateMode = DXGK_PAGETABLEUPDATE_GPU_PHYSICAL;
    return args;
  }
  static DXGK_PTE Leaf(uint64_t page, uint32_t segment = kVramSegment) {
    DXGK_PTE pte{};
    pte.Valid = 1;
    pte.Segment = segment;
    pte.PageAddress = page;
    return pte;
  }
  static uint64_t Entry(uint64_t page, bool contiguous = false) {
    return regs::PteEntry{}
        .set_valid(1)
        .set_target(regs::Target::kVram)
        .set_segment(2)
        .set_page(page)
        .set_contiguous(contiguous)
        .raw;
  }
  static CommandModel::Where Table(uint64_t address) { return CommandModel::Physical(regs::Target::kVram, address); }

  static constexpr uint64_t kGuard = 0xEEEEEEEEEEEEEEEE;
  StartedDriver driver;
};

struct Mdl {
  explicit Mdl(std::vector<PFN_NUMBER> pages) : words(sizeof(MDL) / 8 + pages.size()) {
    std::copy(pages.begin(), pages.end(), MmGetMdlPfnArray(get()));
    get()->ByteCount = static_cast<ULONG>(pages.size() * PAGE_SIZE);
  }
  MDL* get() { return reinterpret_cast<MDL*>(words.data()); }
  std::vector<uint64_t> words;
};

}  // namespace gmmu::kmd::test
