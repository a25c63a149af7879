// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "tb/sw/kmd/fake_kernel.h"
#include "kmd/escape.h"
#include "kmd/segments.h"

namespace gmmu::kmd::test {
namespace {

TEST(Caps, ParametersOf64KiBPagesThatCannotBeAreRefused) {
  const std::map<std::string, uint64_t> bad[] = {{{"DualPte", 1}},
                                                 {{"System64k", 1}},
                                                 {{"Leaf64k", 1}, {"PageTableBits0", 3}},
                                                 {{"Leaf64k", 1}, {"DualPte", 1}, {"PageTableBits1", 13}},
                                                 {{"PageTableBytes1", 5000}},
                                                 {{"PageTableBytes1", 8192}, {"PageTableSegment", 0}},
                                                 {{"PageTableAlignment", 24576}},
                                                 {{"PageTableAlignment", 2048}},
                                                 {{"PagingBufferSegment", 2}}};
  for (const auto& parameters : bad) {
    FakeKernel kernel;
    kernel.parameters = parameters;
    EXPECT_FALSE(NT_SUCCESS(kernel.Load()) && NT_SUCCESS(kernel.Start())) << parameters.begin()->first;
  }
}

}  // namespace
}  // namespace gmmu::kmd::test
