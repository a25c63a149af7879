// SPDX-License-Identifier: Apache-2.0
#include "os/kernel/access_decoder.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace gmmu::os {
namespace {

constexpr uint64_t kAt = 0x7000;

/// Decodes an instruction, with kAt in RAX and RDI, kAt - 8 in RBX, another address in RSI, and 2
/// in RCX.
std::optional<DecodedAccess> Decode(std::vector<uint8_t> code, uint64_t address = kAt, bool write = false) {
  code.resize(16, 0x90);
  gregset_t registers{};
  registers[REG_RIP] = reinterpret_cast<greg_t>(code.data());
  registers[REG_RAX] = registers[REG_RDI] = kAt;
  registers[REG_RBX] = kAt - 8;
  registers[REG_RSI] = 0x9000;
  registers[REG_RCX] = 2;
  return DecodeAccess(registers, address, write);
}

TEST(AccessDecoder, KnowsWidthAndDirection) {
  const auto expect = [](const std::vector<uint8_t>& code, unsigned bytes, bool reads, bool writes, uint64_t at = kAt) {
    const auto access = Decode(code, at, writes);
    ASSERT_TRUE(access);
    EXPECT_EQ(access->bytes, bytes);
    EXPECT_EQ(access->reads, reads);
    EXPECT_EQ(access->writes, writes);
  };
  expect({0x8A, 0x10}, 1, true, false);                   // mov dl, [rax]
  expect({0x66, 0x89, 0x10}, 2, false, true);             // mov [rax], dx
  expect({0x8B, 0x53, 0x08}, 4, true, false);             // mov edx, [rbx + 8]
  expect({0x48, 0x89, 0x10}, 8, false, true);             // mov [rax], rdx
  expect({0xC7, 0x00, 1, 0, 0, 0}, 4, false, true);       // mov dword [rax], 1
  expect({0x0F, 0xB6, 0x10}, 1, true, false);             // movzx edx, byte [rax]
  expect({0x01, 0x10}, 4, true, true);                    // add [rax], edx
  expect({0xF0, 0x48, 0x0F, 0xC1, 0x10}, 8, true, true);  // lock xadd [rax], rdx
  expect({0x0F, 0x10, 0x00}, 16, true, false);            // movups xmm0, [rax]
  expect({0xC5, 0xFE, 0x7F, 0x00}, 32, false, true);      // vmovdqu [rax], ymm0
  expect({0x8B, 0x54, 0x8B, 0x00}, 4, true, false, kAt);  // mov edx, [rbx + 4 * rcx]
  expect({0xF3, 0xA4}, 1, false, true);                   // rep movsb: only the store is decoded
  expect({0xF3, 0x48, 0xA5}, 8, true, false, 0x9000);     // rep movsq: only the load is decoded
}

TEST(AccessDecoder, SaysWhereItDoesNotKnow) {
  EXPECT_FALSE(Decode({0x8B, 0x13}, kAt)) << "mov edx, [rbx] is another address";
  EXPECT_FALSE(Decode({0x90})) << "no access";
  EXPECT_FALSE(Decode({0x06})) << "no instruction";
}

}  // namespace
}  // namespace gmmu::os
