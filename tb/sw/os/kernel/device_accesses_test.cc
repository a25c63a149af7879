// SPDX-License-Identifier: Apache-2.0
// Tests plain loads from and stores to device memory by a guarded driver.
#include "os/kernel/device_accesses.h"

#include <emmintrin.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "ddi/wdm_memory.h"
#include "ddi/wdm_waits.h"
#include "os/guard/driver_guard.h"
#include "tb/sw/os/threads/driver_threads.h"

namespace gmmu::os {
namespace {

using ::testing::HasSubstr;

struct DeviceMemory : ::testing::Test {
  DeviceMemory() {
    for (const PciFunction& function : machine.kernel.pci().Enumerate()) {
      if (function.bars[0].size == 0) continue;
      registers = View(function.bars[0].address);
      vram = View(function.bars[2].address);
    }
    DriverGuard::Install(nullptr);
  }
  ~DeviceMemory() override {
    DriverGuard::Remove();
    MmUnmapIoSpace(registers, kBytes);
    MmUnmapIoSpace(vram, kBytes);
  }
  uint8_t* View(uint64_t address) {
    PHYSICAL_ADDRESS at;
    at.QuadPart = static_cast<LONGLONG>(address);
    return static_cast<uint8_t*>(MmMapIoSpace(at, kBytes, MmNonCached));
  }
  void Driver(const std::function<void()>& code) {
    DriverGuard::Run("the driver", kPassive, machine.kernel.hal().NowNs(), code);
  }
  uint64_t Word(size_t offset) { return READ_REGISTER_ULONG64(reinterpret_cast<ULONG64*>(vram + offset)); }

  static constexpr size_t kBytes = 0x2000;
  Machine machine;
  uint8_t *registers = nullptr, *vram = nullptr;
};

template <typename Word>
volatile Word& At(uint8_t* view, size_t offset) {
  return *reinterpret_cast<volatile Word*>(view + offset);
}

TEST_F(DeviceMemory, HasWhatIsStoredAndGivesWhatIsThereInEveryWidth) {
  Driver([&] {
    At<uint64_t>(vram, 0) = 0x1122334455667788;
    At<uint32_t>(vram, 8) = 0xAABBCCDD;
    At<uint16_t>(vram, 12) = 0xEEFF;
    At<uint8_t>(vram, 14) = 0x12;
  });
  EXPECT_EQ(Word(0), 0x1122334455667788u);
  EXPECT_EQ(Word(8) & 0xFFFFFFFFFFFFFF, 0x12EEFFAABBCCDDu);
  Driver([&] {
    EXPECT_EQ(At<uint64_t>(vram, 0), 0x1122334455667788u);
    EXPECT_EQ(At<uint32_t>(vram, 4), 0x11223344u);
    EXPECT_EQ(At<uint16_t>(vram, 12), 0xEEFF);
    EXPECT_EQ(At<uint8_t>(vram, 3), 0x55);
  });
}

TEST_F(DeviceMemory, IsReadAndWrittenByOneInstruction) {
  Driver([&] {
    At<uint64_t>(vram, 16) = 40;
    At<uint64_t>(vram, 16) += 2;
    EXPECT_EQ(__atomic_fetch_or(reinterpret_cast<uint64_t*>(vram + 16), 1, __ATOMIC_SEQ_CST), 42u);
  });
  EXPECT_EQ(Word(16), 43u);
}

TEST_F(DeviceMemory, CanBeCopiedToAndFromAlsoOverAPageBoundary) {
  std::vector<uint8_t> from(1000), to(1000);
  for (size_t i = 0; i < from.size(); ++i) from[i] = static_cast<uint8_t>(i * 7);
  Driver([&] {
    std::memcpy(vram + 0xF00, from.data(), from.size());
    std::memcpy(to.data(), vram + 0xF00, to.size());
  });
  EXPECT_EQ(from, to);
  EXPECT_EQ(Word(0xF08), 0x69625B544D463F38u) << "bytes 8 to 15";
}

TEST_F(DeviceMemory, LeavesTheRegistersOfTheProcessorAsTheyAre) {
  Driver([&] {
    __m128i kept = _mm_set1_epi32(0x5A5A5A5A);
    asm volatile("" : "+x"(kept));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(vram + 32), kept);
    const __m128i loaded = _mm_loadu_si128(reinterpret_cast<const __m128i*>(vram + 32));
    asm volatile("" : "+x"(kept));
    EXPECT_EQ(_mm_movemask_epi8(_mm_cmpeq_epi8(kept, loaded)), 0xFFFF);
    EXPECT_EQ(_mm_cvtsi128_si32(kept), 0x5A5A5A5A);
  });
}

TEST_F(DeviceMemory, OfRegistersIsTheDevices) {
  const uint32_t id = READ_REGISTER_ULONG(reinterpret_cast<ULONG*>(registers));
  ASSERT_NE(id, 0u);
  Driver([&] { EXPECT_EQ(At<uint32_t>(registers, 0), id); });
}

TEST_F(DeviceMemory, EndsWhereTheViewEnds) {
  try {
    Driver([&] { At<uint32_t>(vram, kBytes) = 1; });
    FAIL();
  } catch (const BugCheck& stop) {
    EXPECT_THAT(stop.cause(), HasSubstr("a register access outside of every mapped view"));
  }
  Driver([&] { At<uint32_t>(vram, kBytes - 4) = 1; });  // a later valid access still works
  EXPECT_EQ(Word(kBytes - 8) >> 32, 1u);
}

TEST_F(DeviceMemory, FromOneViewToAnotherByOneInstructionIsAFault) {
  EXPECT_THROW(Driver([&] {
                 uint8_t *to = vram, *from = registers;
                 size_t count = 1;
                 asm volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(count) : : "memory");
               }),
               BugCheck);
  Driver([&] { At<uint32_t>(vram, 0) = 1; });
}

TEST_F(DeviceMemory, APollThatNeverEndsIsACallThatDoesNotReturn) {
  EXPECT_THROW(Driver([&] {
                 while (At<uint32_t>(vram, 64) != 0xFFFFFFFF) KeStallExecutionProcessor(50);
               }),
               OsTimeout);
}

TEST(DeviceMemoryOfThreads, ThatArePreemptedInAnAccessIsEachOnesOwn) {
  Threads threads;
  PHYSICAL_ADDRESS at{};
  for (const PciFunction& function : threads.kernel.pci().Enumerate()) {
    if (function.bars[0].size != 0) at.QuadPart = static_cast<LONGLONG>(function.bars[2].address);
  }
  auto* const vram = static_cast<uint8_t*>(MmMapIoSpace(at, 0x1000, MmNonCached));
  DriverGuard::Install(nullptr);
  for (size_t thread = 0; thread < 3; ++thread) {
    threads.Add("thread " + std::to_string(thread), [&, thread] {
      DriverGuard::Run("the driver", kPassive, threads.kernel.hal().NowNs(), [&] {
        for (uint64_t i = 0; i < 20; ++i) {
          At<uint64_t>(vram, 8 * thread) = thread << 32 | i;
          EXPECT_EQ(At<uint64_t>(vram, 8 * thread), thread << 32 | i);
        }
      });
    });
  }
  EXPECT_EQ(threads.Run(), "");
  EXPECT_GT(threads.kernel.scheduler().preempted(), 20u);
  DriverGuard::Remove();
  MmUnmapIoSpace(vram, 0x1000);
}

TEST(DriverGuardTraps, ABreakPointIsABugCheck) {
  Machine machine;
  DriverGuard::Install(nullptr);
  try {
    DriverGuard::Run("the driver", kPassive, 0, [] { asm volatile("int3"); });
    ADD_FAILURE();
  } catch (const BugCheck& stop) {
    EXPECT_EQ(stop.parameters()[0], 0x80000003u);
  }
  DriverGuard::Remove();
}

}  // namespace
}  // namespace gmmu::os
