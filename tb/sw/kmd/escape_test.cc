// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmd/escape.h"
#include "kmd/ring.h"
#include "kmd/segments.h"
#include "tb/sw/kmd/submit_bench.h"

namespace gmmu::kmd::test {
namespace {

using testing::IsEmpty;

class EscapeTest : public SubmitTest {
 protected:
  template <typename T>
  NTSTATUS Escape(T* data, UINT size = sizeof(T)) {
    DXGKARG_ESCAPE args{};
    args.pPrivateDriverData = data;
    args.PrivateDriverDataSize = size;
    return kernel().table.DxgkDdiEscape(kernel().adapter, &args);
  }
  uint64_t Handle(HANDLE handle) { return reinterpret_cast<uint64_t>(handle); }
};

TEST(Escape, KnowsWhichClientsHaveAnEngine) {
  struct Case {
    unsigned minor, traffic, clients;
  };
  // Before minor version 2, the registers do not report which clients have a traffic engine. The
  // driver then assumes that every client has one.
  for (const Case& built : {Case{1, 0, 4}, Case{2, 1, 1}, Case{2, 0, 0}}) {
    FakeKernel kernel;
    ASSERT_EQ(kernel.Load(), STATUS_SUCCESS);
    kernel.reg(regs::Id::kOffset) = regs::Id{}.set_magic(0x554D4D47).set_major(1).set_minor(built.minor).raw;
    kernel.reg(regs::Cap2::kOffset) = regs::Cap2{}.set_patterns(0b111).set_traffic(built.traffic).raw;
    ASSERT_EQ(kernel.Start(), STATUS_SUCCESS);
    const auto escape = [&](auto& data) {
      DXGKARG_ESCAPE args{};
      args.pPrivateDriverData = &data;
      args.PrivateDriverDataSize = sizeof(data);
      return kernel.table.DxgkDdiEscape(kernel.adapter, &args);
    };
    EscapeQueryCaps caps;
    ASSERT_EQ(escape(caps), STATUS_SUCCESS);
    EXPECT_EQ(caps.clients, built.clients);
    for (uint32_t client = 0; client < 5; ++client) {
      EscapeQueryClient query;
      query.client = client;
      EXPECT_EQ(escape(query), client < built.clients ? STATUS_SUCCESS : STATUS_INVALID_PARAMETER);
    }
    kernel.Unload();
  }
}

TEST_F(EscapeTest, RunsAClientInTheSpaceOfTheProcess) {
  EscapeQueryCaps caps;
  ASSERT_EQ(Escape(&caps), STATUS_SUCCESS);
  EXPECT_EQ(caps.clients, 4u);
  EXPECT_EQ(caps.spaces, 4u);
  EXPECT_EQ(caps.vram_bytes, 8u << 20);
  EscapeQuerySpace space;
  space.process = Handle(driver.process);
  ASSERT_EQ(Escape(&space), STATUS_SUCCESS);
  EXPECT_EQ(space.space, 1u);

  EscapeRunClient run;
  run.process = Handle(driver.process);
  run.client = 2;
  run.base = 0x10000000;
  run.first = 2;
  run.stride = 4;
  run.count = 1000;
  run.step = 333;
  run.depth = 8;
  ASSERT_EQ(Escape(&run), STATUS_SUCCESS);
  const uint32_t block = regs::kClientBase + 2 * regs::kClientStride;
  EXPECT_EQ(kernel().Reg<regs::ClientBase>(block).va(), 0x10000000u);
  EXPECT_EQ(kernel().Reg<regs::ClientLines>(block).stride(), 4u);
  EXPECT_EQ(kernel().Reg<regs::ClientOrder>(block).step(), 333u);
  const auto ctrl = kernel().Reg<regs::ClientCtrl>(block);
  EXPECT_TRUE(ctrl.start());
  EXPECT_EQ(ctrl.space(), 1u);
  EXPECT_EQ(ctrl.depth(), 8u);
  EXPECT_EQ(kernel().writes.back().offset, block + regs::ClientCtrl::kOffset) << "start comes last";

  kernel().reg(block + regs::ClientStatus::kOffset) = 1;
  EXPECT_EQ(Escape(&run), STATUS_DEVICE_NOT_READY);
  kernel().reg(block + regs::ClientStatus::kOffset) = uint64_t{1000} << 32;
  kernel().reg(block + regs::ClientResult::kOffset) = 0xCAFE1234;
  EscapeQueryClient query;
  query.client = 2;
  ASSERT_EQ(Escape(&query), STATUS_SUCCESS);
  EXPECT_EQ(query.busy + query.fault, 0u);
  EXPECT_EQ(query.count, 1000u);
  EXPECT_EQ(query.crc, 0xCAFE1234u);
}

TEST_F(EscapeTest, RunsPatternsAndChecksThatWereBuilt) {
  EscapeRunClient run;
  run.process = Handle(driver.process);
  run.client = 1;
  run.count = 7;
  run.access = static_cast<uint32_t>(regs::Access::kWrite);
  run.pattern = static_cast<uint8_t>(regs::Pattern::kRandom);
  run.verify = 1;
  run.footprint_lg2 = 20;
  run.seed = 99;
  ASSERT_EQ(Escape(&run), STATUS_SUCCESS);
  const uint32_t block = regs::kClientBase + regs::kClientStride;
  const auto ctrl = kernel().Reg<regs::ClientCtrl>(block);
  EXPECT_EQ(ctrl.pattern(), regs::Pattern::kRandom);
  EXPECT_TRUE(ctrl.verify());
  EXPECT_EQ(ctrl.footprint_lg2(), 20u);
  kernel().reg(block + regs::ClientResult::kOffset) = regs::ClientResult{}.set_crc(5).set_mismatches(3).raw;
  EscapeQueryClient query;
  query.client = 1;
  ASSERT_EQ(Escape(&query), STATUS_SUCCESS);
  EXPECT_EQ(query.crc, 5u);
  EXPECT_EQ(query.mismatches, 3u);

  kernel().writes.clear();
  run.pattern = static_cast<uint8_t>(regs::Pattern::kChase);  // the fake device has no chase pattern
  EXPECT_EQ(Escape(&run), STATUS_NOT_SUPPORTED);
  EXPECT_THAT(kernel().writes, IsEmpty());
}

TEST_F(EscapeTest, RefusesBadRequestsWithoutTouchingTheDevice) {
  const auto good = [&] {
    EscapeRunClient run;
    run.process = Handle(driver.process);
    run.count = 4;
    run.step = 1;
    return run;
  };
  std::vector<EscapeRunClient> bad(9, good());
  bad[0].client = 4;
  bad[1].process = 0;
  bad[2].base = 8;
  bad[3].count = 0;
  bad[4].step = 4;
  bad[5].access = 3;
  bad[6].pattern = 3;
  bad[7].verify = 2;
  bad[8].footprint_lg2 = 33;
  for (auto& run : bad) EXPECT_EQ(Escape(&run), STATUS_INVALID_PARAMETER) << &run - bad.data();
  auto run = good();
  EXPECT_EQ(Escape(&run, sizeof run - 1), STATUS_INVALID_PARAMETER);
  run.header.code = static_cast<EscapeCode>(99);
  EXPECT_EQ(Escape(&run), STATUS_INVALID_PARAMETER);
  run.header = {EscapeCode::kQueryRing, sizeof(EscapeQueryRing)};
  EXPECT_EQ(Escape(&run, 8), STATUS_INVALID_PARAMETER);
  EXPECT_THAT(kernel().writes, IsEmpty());
  run = good();
  EXPECT_EQ(Escape(&run), STATUS_SUCCESS) << "nothing else is wrong with them";
}

TEST_F(EscapeTest, FaultRecordsComeInOrderAcrossTheEndOfTheQueue) {
  uint64_t* queue = kernel().SystemMemory(kernel().Reg<regs::FaultQueueBase>().address());
  uint32_t taken = 0;
  const auto record = [&](uint32_t sequence) {
    uint64_t* at = queue + sequence % 128 * 4;
    at[0] = regs::FaultRecordWhat{}.set_space(1).set_port_index(2).raw |
            static_cast<uint8_t>(regs::Fault::kWriteProtect);
    at[1] = 0x1000 + sequence;
    at[3] = sequence;
    kernel().reg(regs::FaultQueueTail::kOffset) = (sequence + 1) % 128;
    kernel().reg(regs::IntStatus::kOffset) |= regs::IntStatus{}.set_fault(1).raw;
    EXPECT_TRUE(Interrupt());
    kernel().table.DxgkDdiDpcRoutine(kernel().adapter);
  };
  for (uint32_t i = 0; i < 200; ++i) record(i);
  EXPECT_EQ(kernel().Reg<regs::FaultQueueHead>().index(), 200u % 128);
  EXPECT_THAT(kernel().notifications, IsEmpty()) << "a client's fault is not the engine's";
  for (;;) {
    EscapeReadFaults faults;
    ASSERT_EQ(Escape(&faults), STATUS_SUCCESS);
    EXPECT_EQ(faults.dropped, 0u);
    if (faults.count == 0) break;
    for (uint32_t i = 0; i < faults.count; ++i, ++taken) {
      EXPECT_EQ(faults.faults[i].sequence, taken);
      EXPECT_EQ(faults.faults[i].address, 0x1000u + taken);
      EXPECT_EQ(faults.faults[i].reason, static_cast<uint32_t>(regs::Fault::kWriteProtect));
      EXPECT_EQ(faults.faults[i].port, 2u);
    }
  }
  EXPECT_EQ(taken, 200u);
}

TEST_F(EscapeTest, ADpcDrainsTheLogOnlyAfterAFaultsInterrupt) {
  kernel().reg(regs::FaultQueueTail::kOffset) = 1;
  kernel().reg(regs::IntStatus::kOffset) |= regs::IntStatus{}.set_fence(1).raw;
  EXPECT_TRUE(Interrupt());
  kernel().table.DxgkDdiDpcRoutine(kernel().adapter);
  EXPECT_EQ(kernel().Reg<regs::FaultQueueHead>().index(), 0u) << "a register was read over the link for nothing";
  kernel().reg(regs::IntStatus::kOffset) |= regs::IntStatus{}.set_fault(1).raw;
  EXPECT_TRUE(Interrupt());
  kernel().table.DxgkDdiDpcRoutine(kernel().adapter);
  EXPECT_EQ(kernel().Reg<regs::FaultQueueHead>().index(), 1u);
}

TEST_F(EscapeTest, AFullLogCountsWhatItDrops) {
  uint64_t* queue = kernel().SystemMemory(kernel().Reg<regs::FaultQueueBase>().address());
  for (uint32_t i = 0; i < 300; ++i) {
    queue[i % 128 * 4 + 3] = i;
    kernel().reg(regs::FaultQueueTail::kOffset) = (i + 1) % 128;
    kernel().reg(regs::IntStatus::kOffset) |= regs::IntStatus{}.set_fault(1).raw;
    kernel().table.DxgkDdiInterruptRoutine(kernel().adapter, 0);
    kernel().table.DxgkDdiDpcRoutine(kernel().adapter);
  }
  EscapeReadFaults faults;
  ASSERT_EQ(Escape(&faults), STATUS_SUCCESS);
  EXPECT_EQ(faults.dropped, 300u - 256u);
  EXPECT_EQ(faults.faults[0].sequence, 0u) << "the first fault is the telling one";
}

}  // namespace
}  // namespace gmmu::kmd::test
