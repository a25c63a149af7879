// SPDX-License-Identifier: Apache-2.0
#include "trace/open.h"

#include "tb/sw/trace/trace_bench.h"
#include "trace/writer.h"

namespace gmmu::trace {
namespace {

using ::testing::HasSubstr;

class OpenTest : public TraceTest {
 protected:
  std::string Trace(const std::vector<Access>& accesses) {
    std::string bytes;
    Writer writer({}, "t", [&](const void* part, size_t size) { bytes.append(static_cast<const char*>(part), size); });
    for (const Access& access : accesses) writer.Add(access);
    writer.Finish();
    return File("t.gtrace", bytes);
  }
};

TEST_F(OpenTest, ATraceThatFitsRunsInASmallerAddressSpace) {
  const std::string path = Trace({Read(0x1000, 8), Read(0xfff8, 8)});
  Workload workload = Open(path, 0, 16);
  EXPECT_EQ(workload.header.address_bits, 16u);
  EXPECT_EQ(All(*workload.source).size(), 2u);
}

TEST_F(OpenTest, AnAccessBeyondTheAddressSpaceIsNamed) {
  Workload workload = Open(Trace({Read(0x1000, 8), Read(0xfff9, 8)}), 0, 16);
  EXPECT_THAT(Refusal([&] { All(*workload.source); }),
              HasSubstr("t.gtrace: record 1: 8 bytes at 0xfff9 end beyond the address space of 16 bits"));
}

TEST_F(OpenTest, WhatIsNoGeneratorIsAFile) {
  EXPECT_THAT(Refusal([] { Open("random", 0); }), HasSubstr("random: cannot be opened: No such file"));
  EXPECT_THAT(Refusal([] { Open("gen:", 0); }), HasSubstr("there is no generator \"\""));
}

}  // namespace
}  // namespace gmmu::trace
