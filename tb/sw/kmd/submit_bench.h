// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <gtest/gtest.h>

#include "tb/sw/kmd/started_driver.h"
#include "kmd/ring.h"

namespace gmmu::kmd::test {

inline constexpr uint32_t kRing = regs::kRingBase;

/// A started driver, with a fake device whose behaviour the test defines.
class SubmitTest : public testing::Test {
 protected:
  explicit SubmitTest(bool preemption = false) : driver({}, preemption) {}
  FakeKernel& kernel() { return driver.kernel; }

  NTSTATUS Submit(uint32_t fence, uint64_t address = 0x5000, UINT bytes = 64, UINT flags = 1) {
    DXGKARG_SUBMITCOMMANDVIRTUAL args{};
    args.hContext = driver.system_context;
    args.DmaBufferVirtualAddress = address;
    args.DmaBufferSize = bytes;
    args.SubmissionFenceId = fence;
    args.Flags.Value = flags;
    return kernel().table.DxgkDdiSubmitCommandVirtual(kernel().adapter, &args);
  }
  uint64_t* RingEntry(uint32_t index) {
    return kernel().SystemMemory(kernel().Reg<regs::RingBase>(kRing).address()) + index * 4;
  }
  /// Makes the device complete all entries up to `fence` and request an interrupt.
  void Complete(uint32_t fence) {
    uint64_t* record = kernel().SystemMemory(kernel().Reg<regs::RingFenceAddress>(kRing).address());
    record[0] = regs::FenceRecordCompletion{}.set_fence(fence).raw;
    kernel().reg(regs::IntStatus::kOffset) |= regs::IntStatus{}.set_fence(1).raw;
  }
  BOOLEAN Interrupt() { return kernel().table.DxgkDdiInterruptRoutine(kernel().adapter, 0); }
  void Fail(regs::Fault reason, uint32_t fence, regs::Access access, uint64_t address, uint32_t level) {
    kernel().reg(kRing + regs::RingStatus::kOffset) = regs::RingStatus{}.raw | 2 |
                                                      uint64_t{static_cast<uint8_t>(reason)} << 8 |
                                                      uint64_t{static_cast<uint8_t>(access)} << 16 |
                                                      uint64_t{level} << 20 | uint64_t{fence} << 32;
    kernel().reg(kRing + regs::RingErrorAddress::kOffset) = address;
    kernel().reg(regs::IntStatus::kOffset) |= regs::IntStatus{}.set_ring_error(1).raw;
  }

  StartedDriver driver;
};

}  // namespace gmmu::kmd::test
