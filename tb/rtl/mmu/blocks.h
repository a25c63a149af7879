// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <gtest/gtest.h>

#include <cstdint>
#include <iostream>
#include <memory>
#include <random>

#include "Vgmmu_mmu_blocks_bench.h"
#include "tb/rtl/coverage.h"
#include "verilated.h"

namespace gmmu::bench {

constexpr uint64_t kVpnMask = (uint64_t{1} << 36) - 1;

struct Key {
  unsigned space = 0;
  uint64_t vpn = 0;
  bool high = false;
  bool operator==(const Key& o) const { return space == o.space && vpn == o.vpn && high == o.high; }
  bool operator<(const Key& o) const {
    return space != o.space ? space < o.space : vpn < o.vpn;
  }
};

/// The fields of page_t, from bit 0: level, big, no_execute, read_only, coherent, zero, adapter,
/// target, page number.
struct Page {
  uint64_t raw = 0;
  Page() = default;
  explicit Page(uint64_t bits) : raw(bits) {}
  Page(uint64_t pfn, unsigned level, bool big)
      : raw(pfn << 16 | static_cast<uint64_t>(big) << 3 | level) {}
  uint64_t pfn() const { return raw >> 16; }
  bool zero() const { return raw >> 7 & 1; }
  bool read_only() const { return raw >> 5 & 1; }
  bool no_execute() const { return raw >> 4 & 1; }
  bool big() const { return raw >> 3 & 1; }
  unsigned level() const { return raw & 7; }
  Page WithLow(uint64_t vpn) const {  ///< the page at vpn of the same 64 KiB block
    return Page((raw & ~(uint64_t{15} << 16)) | (vpn & 15) << 16);
  }
};

/// The blocks of the MMU alone, clocked by Step. `small`: their smallest sizes. The seed is printed
/// when a test fails.
class Blocks {
  VerilatedContext context_;  // goes last

 public:
  explicit Blocks(bool small, uint64_t seed = 1) : random(seed), small_(small), seed_(seed) {
    context_.randReset(0);
    context_.assertOn(true);
    top = std::make_unique<Vgmmu_mmu_blocks_bench>(&context_);
    top->small_i = small;
    top->rst_i = 1;
    for (int i = 0; i < 4; ++i) Step();
    top->rst_i = 0;
    Settle();
    // Arrays without reset are swept once, as the control block does.
    top->sweep_all_i = 1;
    for (unsigned i = 0; i < 64; ++i) Sweep(i);
    for (int i = 0; i < 3; ++i) Step();
    top->sweep_all_i = 0;
  }
  ~Blocks() {
    top->final();
    if (testing::Test::HasFailure()) {
      std::cout << "seed " << seed_ << (small_ ? ", smallest size\n" : ", default size\n");
    }
  }

  void Settle() { top->eval(); }
  void Step() {
    top->clk_i = 1;
    top->eval();
    top->clk_i = 0;
    top->eval();
    ++cycle;
  }
  void Sweep(unsigned index) {
    top->sweep_valid_i = 1;
    top->sweep_index_i = static_cast<uint16_t>(index);
    Settle();
    Step();
    top->sweep_valid_i = 0;
  }
  void SetKey(const Key& key) {
    top->key_space_i = static_cast<uint8_t>(key.space);
    top->key_vpn_i = key.vpn;
    top->key_high_i = key.high;
  }
  void SetOther(const Key& key) {
    top->other_space_i = static_cast<uint8_t>(key.space);
    top->other_vpn_i = key.vpn;
  }
  unsigned Random(unsigned below) { return static_cast<unsigned>(random() % below); }
  bool small() const { return small_; }

  std::unique_ptr<Vgmmu_mmu_blocks_bench> top;
  std::mt19937_64 random;
  uint64_t cycle = 0;

 private:
  Coverage coverage_{context_};
  const bool small_;
  const uint64_t seed_;
};

/// Each test with both sizes and some seeds.
class BlockTest : public testing::TestWithParam<std::tuple<bool, int>> {
 protected:
  BlockTest() : blocks_(std::get<0>(GetParam()), static_cast<uint64_t>(std::get<1>(GetParam()))) {}
  Blocks blocks_;
};

inline auto SizesAndSeeds() {
  return testing::Combine(testing::Bool(), testing::Range(1, 5));
}
inline std::string SizeAndSeed(const testing::TestParamInfo<std::tuple<bool, int>>& test) {
  return std::string(std::get<0>(test.param) ? "small" : "default") + "_seed" +
         std::to_string(std::get<1>(test.param));
}

}  // namespace gmmu::bench
