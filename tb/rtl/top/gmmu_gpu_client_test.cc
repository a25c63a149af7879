// SPDX-License-Identifier: Apache-2.0
// Tests a client's external port: requests of any size inside a line, responses in any order, and
// back-pressure.
#include <gtest/gtest.h>

#include <optional>

#include "tb/rtl/top/bits.h"
#include "tb/rtl/top/top_machine.h"

namespace gmmu::top {
namespace {

using regs::Access;
using regs::Target;

constexpr uint64_t kVa = 0x10000000;

struct Request {
  uint64_t va = 0;
  unsigned bytes = 0;
  Access access = Access::kRead;
  std::vector<uint8_t> data;  // the data expected or written
};

constexpr unsigned kSlots = 64;  // accesses in flight per client, as built

/// Drives one client with random requests on disjoint lines, so that their order does not matter.
class Driver {
 public:
  Driver(TopMachine& gpu, unsigned client, unsigned stall) : gpu_(gpu), c_(client), stall_(stall) {}

  /// Performs the requests, one per free id at a time, and checks every response.
  void Perform(std::vector<Request> requests) {
    auto& t = gpu_.t;
    size_t next = 0, done = 0;
    unsigned id = kSlots;  // kSlots: no id
    unsigned word = 0;
    const uint64_t one = 1ull << c_;
    for (uint64_t guard = 0; done < requests.size(); ++guard) {
      ASSERT_LT(guard, 400000u);
      if (id == kSlots && next < requests.size()) {
        for (unsigned i = 0; i < kSlots && id == kSlots; ++i) {
          if (!slots_[i]) id = i;
        }
        word = 0;
      }
      const bool offer = id != kSlots && gpu_.rng() % 100 >= stall_;
      t.cl_w_valid_i = t.cl_req_valid_i = 0;
      if (offer) {
        const Request& r = requests[next];
        if (r.access == Access::kWrite && word < 8) {
          uint64_t data = 0;
          for (unsigned i = 0; i < 8; ++i) {
            const uint64_t at = (r.va & ~63ull) + 8 * word + i;
            if (at >= r.va && at < r.va + r.bytes) data |= static_cast<uint64_t>(r.data[at - r.va]) << (8 * i);
          }
          t.cl_w_valid_i = one;
          SetBits(t.cl_w_id_i, 6 * c_, 6, id);
          SetBits(t.cl_w_word_i, 3 * c_, 3, word);
          SetBits(t.cl_w_data_i, 64 * c_, 64, data);
        } else {
          t.cl_req_valid_i = one;
          SetBits(t.cl_req_id_i, 6 * c_, 6, id);
          SetBits(t.cl_req_space_i, 6 * c_, 6, 3);
          SetBits(t.cl_req_access_i, 2 * c_, 2, static_cast<unsigned>(r.access));
          SetBits(t.cl_req_bytes_i, 7 * c_, 7, r.bytes);
          SetBits(t.cl_req_va_i, 64 * c_, 64, r.va);
        }
      }
      t.cl_rsp_ready_i = gpu_.rng() % 100 >= stall_ ? one : 0;
      t.eval();
      if (t.cl_w_valid_i && (t.cl_w_ready_o >> c_ & 1)) ++word;
      if (t.cl_req_valid_i && (t.cl_req_ready_o >> c_ & 1)) {
        slots_[id] = next++;
        got_[id].clear();
        id = kSlots;
      }
      if ((t.cl_rsp_valid_o >> c_ & 1) && t.cl_rsp_ready_i) {
        const auto answer = static_cast<unsigned>(Bits(t.cl_rsp_id_o, 6 * c_, 6));
        ASSERT_TRUE(slots_[answer].has_value());
        const Request& r = requests[*slots_[answer]];
        EXPECT_EQ(Bits(t.cl_rsp_fault_o, 8 * c_, 8), 0u);
        if (r.access != Access::kWrite) {
          const unsigned at = 8 * static_cast<unsigned>(Bits(t.cl_rsp_word_o, 3 * c_, 3));
          const uint64_t data = Bits(t.cl_rsp_data_o, 64 * c_, 64);
          for (unsigned i = 0; i < 8; ++i) {
            const uint64_t byte = (r.va & ~63ull) + at + i;
            if (byte >= r.va && byte < r.va + r.bytes) got_[answer].push_back(static_cast<uint8_t>(data >> (8 * i)));
          }
        }
        if (t.cl_rsp_last_o >> c_ & 1) {
          if (r.access != Access::kWrite) {
            EXPECT_EQ(got_[answer], r.data);
          }
          slots_[answer].reset();
          ++done;
        }
      }
      gpu_.Step();
    }
    t.cl_w_valid_i = t.cl_req_valid_i = t.cl_rsp_ready_i = 0;
  }

 private:
  TopMachine& gpu_;
  const unsigned c_;
  const unsigned stall_;
  std::array<std::optional<size_t>, kSlots> slots_;
  std::array<std::vector<uint8_t>, kSlots> got_;
};

TEST(GpuClientPort, AccessesOfAnySizeInAnyOrderWithAndWithoutBackPressure) {
  // By default, the last client is built without a traffic engine.
  constexpr unsigned kEnd = sizes::kNumClients - 1;
  for (const auto& [client, stall] : {std::pair{0u, 0u}, {0u, 40u}, {kEnd, 0u}, {kEnd, 40u}}) {
    TopMachine gpu(stall + client + 1);
    gpu.vram.shuffle = gpu.host.shuffle = true;
    gpu.vram.stall_percent = gpu.host.stall_percent = stall / 2;
    gpu.host.memory.Make(0x40000, 0x10000);
    for (uint64_t i = 0; i < 0x10000; i += 8) {
      gpu.vram.memory.Write64(i, gpu.rng());
      gpu.host.memory.Write64(0x40000 + i, gpu.rng());
    }
    gpu.MakeSpace(3, 0x800000);
    gpu.MapPages(3, kVa, Target::kVram, 0, 16);
    gpu.MapPages(3, kVa + 0x10000, Target::kSystem, 0x40000, 16);
    gpu.Set(regs::Ctrl{1});
    const auto memory = [&](uint64_t va) -> uint8_t {
      return va - kVa < 0x10000 ? gpu.vram.memory.Read(va - kVa) : gpu.host.memory.Read(0x40000 + va - kVa - 0x10000);
    };

    std::vector<Request> writes, reads;
    for (unsigned line = 0; line < 2048; line += 1 + gpu.rng() % 8) {
      Request r;
      const unsigned first = gpu.rng() % 64;
      r.va = kVa + 64 * line + first;
      r.bytes = 1 + gpu.rng() % (64 - first);
      const bool write = gpu.rng() % 2;
      r.access = write ? Access::kWrite : gpu.rng() % 2 ? Access::kRead : Access::kExecute;
      for (unsigned i = 0; i < r.bytes; ++i)
        r.data.push_back(write ? static_cast<uint8_t>(gpu.rng()) : memory(r.va + i));
      writes.push_back(r);
    }
    std::vector<uint8_t> expected;
    for (uint64_t i = 0; i < 0x20000; ++i) expected.push_back(memory(kVa + i));
    for (const Request& r : writes) std::copy(r.data.begin(), r.data.end(), expected.begin() + (r.va - kVa));

    Driver driver(gpu, client, stall);
    driver.Perform(writes);
    gpu.Run(200);
    for (uint64_t i = 0; i < 0x20000; ++i) ASSERT_EQ(memory(kVa + i), expected[i]) << std::hex << i;
    EXPECT_TRUE(gpu.t.idle_o);
    EXPECT_TRUE(gpu.vram.errors.empty() && gpu.host.errors.empty());
  }
}

TEST(GpuClientPort, AFaultIsOneBeatWithItsReason) {
  TopMachine gpu;
  gpu.MakeSpace(3, 0x800000);
  gpu.Set(regs::Ctrl{1});
  auto& t = gpu.t;
  t.cl_req_valid_i = 1;
  SetBits(t.cl_req_id_i, 0, 6, 5);
  SetBits(t.cl_req_space_i, 0, 6, 3);
  SetBits(t.cl_req_bytes_i, 0, 7, 8);
  SetBits(t.cl_req_va_i, 0, 64, 0x123000);
  t.eval();
  gpu.Until([&] { return t.cl_req_ready_o & 1; }, "the request");
  gpu.Step();
  t.cl_req_valid_i = 0;
  gpu.Until([&] { return t.cl_rsp_valid_o & 1; }, "the answer");
  EXPECT_EQ(Bits(t.cl_rsp_id_o, 0, 6), 5u);
  EXPECT_EQ(Bits(t.cl_rsp_fault_o, 0, 8), static_cast<unsigned>(regs::Fault::kEntryInvalid));
  EXPECT_EQ(t.cl_rsp_last_o & 1, 1u);
}

}  // namespace
}  // namespace gmmu::top
