// SPDX-License-Identifier: Apache-2.0
// Tests the DMA buffers of a context, and the guard pages after them.
#include "os/vidmm/dma_buffers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "tb/sw/os/driver_front.h"

namespace gmmu::os::test {
namespace {

using ::testing::Each;
using workload::Life;

/// A process with DMA buffers of one page plus one byte, and 40 bytes of private data.
struct DmaBufferOfAContext : DriverFront {
  void WithBuffers(const std::function<void(DmaBuffers&)>& body) {
    RunOnWorker([&](Life& life) {
      GpuProcess* process = life.vidmm.CreateProcess("process");
      const DXGK_CONTEXTINFO before = process->handles.context_info;
      process->handles.context_info.DmaBufferSize = hw::kPageSize + 1;
      process->handles.context_info.DmaBufferPrivateDataSize = 40;
      process->handles.context_info.DmaBufferSegmentSet = 0;
      DmaBuffers buffers(life.vidmm, *process);
      body(buffers);
      buffers.Release();
      process->handles.context_info = before;
      life.vidmm.DestroyProcess(process);
    });
  }
};

TEST_F(DmaBufferOfAContext, HasWholePagesAndThePrivateBytesThatWereAskedFor) {
  WithBuffers([](DmaBuffers& buffers) {
    DmaBuffer& buffer = buffers.Take();
    EXPECT_EQ(buffer.bytes, 2 * hw::kPageSize);
    EXPECT_EQ(buffer.private_bytes(), 40u);
    EXPECT_THAT(std::vector<uint8_t>(buffer.cpu, buffer.cpu + buffer.bytes), Each(0));
    EXPECT_NO_THROW(buffer.CheckEnds("call")) << "nobody has written";
  });
}

TEST_F(DmaBufferOfAContext, MayBeFilledToItsEndsAndNoByteFurther) {
  WithBuffers([](DmaBuffers& buffers) {
    DmaBuffer& buffer = buffers.Take();
    std::fill_n(buffer.cpu, buffer.bytes, uint8_t{1});
    std::fill_n(buffer.private_data.begin(), buffer.private_bytes(), uint8_t{1});
    EXPECT_NO_THROW(buffer.CheckEnds("call"));
    for (uint8_t* const first : {buffer.cpu + buffer.bytes, buffer.private_data.data() + buffer.private_bytes()}) {
      const uint64_t guard = first == buffer.cpu + buffer.bytes ? hw::kPageSize : buffer.private_data.size() - 40;
      ASSERT_GT(guard, 0u);
      for (const uint64_t at : {uint64_t{0}, guard - 1}) {
        const uint8_t kept = std::exchange(first[at], uint8_t{0});
        EXPECT_THROW(buffer.CheckEnds("call"), BugCheck) << "byte " << at << " behind the end";
        first[at] = kept;
        EXPECT_NO_THROW(buffer.CheckEnds("call"));
      }
    }
  });
}

TEST_F(DmaBufferOfAContext, IsEmptiedWhenItIsTakenAgain) {
  WithBuffers([](DmaBuffers& buffers) {
    DmaBuffer& first = buffers.Take();
    std::fill_n(first.cpu, first.bytes, uint8_t{1});
    std::fill_n(first.private_data.begin(), first.private_bytes(), uint8_t{1});
    DmaBuffer& second = buffers.Take();
    ASSERT_EQ(&first, &second) << "nothing of it is under way";
    EXPECT_THAT(std::vector<uint8_t>(second.cpu, second.cpu + second.bytes), Each(0));
    EXPECT_THAT(std::vector<uint8_t>(second.private_data.begin(), second.private_data.begin() + 40), Each(0));
    EXPECT_NO_THROW(second.CheckEnds("call")) << "the guards stay";
  });
}

}  // namespace
}  // namespace gmmu::os::test
