// SPDX-License-Identifier: Apache-2.0
#include "os/vidmm/cpu_locks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "os/memory/cpu_host_aperture.h"
#include "os/vidmm/transfers.h"
#include "os/vidmm/victims.h"
#include "tb/sw/os/life_bench.h"

namespace gmmu::os::test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using workload::Life;

constexpr uint64_t kBytes = 5 * kPage;

/// A GPU with 1 MiB of visible and 2 MiB of hidden VRAM, and its allocations.
class CpuLocksRun : public ::testing::Test {
 protected:
  CpuLocksRun() {
    bench.config.gpu.vram_mib = 4;
    bench.options.os.driver["VisibleVramBytes"] = 1 << 20;
    bench.options.os.driver["HostAperture"] = 1;
  }
  /// Makes allocations resident until one is in the segment with (or, if not `hidden`, without) a
  /// CPU host aperture. Returns one such allocation, or null; End destroys all.
  Allocation* Make(Life& life, bool hidden) {
    for (int i = 0; i < 400; ++i) {
      all.push_back(life.vidmm.CreateAllocation(LocalOnly("allocation " + std::to_string(all.size()), kBytes)));
      life.vidmm.residency().MakeResident({all.back()});
      for (Allocation* each : all)
        if (each->local && (life.adapter.lead().host_aperture(each->segment()) != nullptr) == hidden) return each;
    }
    ADD_FAILURE() << "no allocation is in the segment";
    return nullptr;
  }
  void End(Life& life) {
    for (Allocation* each : all) life.vidmm.DestroyAllocation(each);
  }
  static std::string WhyNot(const std::function<void()>& work) {
    try {
      work();
    } catch (const OsError& error) {
      return error.what();
    }
    return "";
  }

  LifeBench bench;
  std::vector<Allocation*> all;
};

TEST_F(CpuLocksRun, TheCpuSeesWhatTheGpuHasWrittenAndTheOtherWayRound) {
  const auto result = bench.RunOnWorker([&](Life& life) {
    for (const bool hidden : {false, true}) {
      Allocation& one = *Make(life, hidden);
      CpuLocks& locks = life.vidmm.locks();
      life.vidmm.transfers().Fill(one, 0, kBytes, 0x11111111);
      locks.Lock(one);
      std::vector<uint64_t> words(kBytes / 8);
      locks.Read(one, 0, words.data(), kBytes);
      EXPECT_EQ(words, std::vector<uint64_t>(kBytes / 8, 0x1111111111111111)) << hidden;
      const std::vector<uint64_t> written = {1, 2, 3, 4};
      locks.Write(one, 2 * kPage - 16, written.data(), 32);  // in two pages
      locks.Unlock(one);
      life.vidmm.residency().Evict(one);
      const uint8_t* view = one.backing->Map(0, kBytes);
      EXPECT_EQ(std::memcmp(view + 2 * kPage - 16, written.data(), 32), 0) << hidden;
      EXPECT_EQ(view[2 * kPage + 16], 0x11) << hidden;
      one.backing->Unmap();
    }
    EXPECT_EQ(life.adapter.lead().host_aperture(3)->views(), 0u);
    End(life);
  });
  EXPECT_EQ(FaultsOf(result), "");
  EXPECT_THAT(result.leaks, IsEmpty());
}

TEST_F(CpuLocksRun, ALockedAllocationStaysWhereItIs) {
  const auto result = bench.RunOnWorker([&](Life& life) {
    Allocation& one = *Make(life, true);
    Residency& residency = life.vidmm.residency();
    life.vidmm.locks().Lock(one);
    EXPECT_THAT(WhyNot([&] { residency.Evict(one); }), HasSubstr("is locked"));
    EXPECT_THAT(WhyNot([&] { residency.Offer(one); }), HasSubstr("is locked"));
    EXPECT_THAT(WhyNot([&] { life.vidmm.DestroyAllocation(&one); }), HasSubstr("is locked"));
    EXPECT_THAT(WhyNot([&] { life.vidmm.locks().Lock(one); }), HasSubstr("locked already"));
    Victims::Among among;
    among.segment = one.segment();
    std::vector<Allocation*> others;
    for (Allocation* each : all)
      if (each != &one) others.push_back(each);
    EXPECT_EQ(Victims(life.vidmm, others).Find(among), nullptr);
    EXPECT_TRUE(one.resident());
    life.vidmm.locks().Unlock(one);
    EXPECT_EQ(Victims(life.vidmm, others).Find(among), &one);
    EXPECT_THAT(WhyNot([&] { life.vidmm.locks().Unlock(one); }), HasSubstr("not locked"));
    End(life);
  });
  EXPECT_EQ(FaultsOf(result), "");
}

TEST_F(CpuLocksRun, WhatTheCpuCannotReachIsNotLocked) {
  bench.options.os.driver["HostAperture"] = 0;
  const auto result = bench.RunOnWorker([&](Life& life) {
    all.push_back(life.vidmm.CreateAllocation(LocalOnly("one", kBytes)));
    EXPECT_THAT(WhyNot([&] { life.vidmm.locks().Lock(*all.back()); }), HasSubstr("not resident"));
    while (all.back()->segment() != 3) {
      all.push_back(life.vidmm.CreateAllocation(LocalOnly("allocation", kBytes)));
      life.vidmm.residency().MakeResident({all.back()});
    }
    EXPECT_THAT(WhyNot([&] { life.vidmm.locks().Lock(*all.back()); }), HasSubstr("SupportsCpuHostAperture"));
    uint64_t word = 0;
    EXPECT_THROW(life.vidmm.locks().Read(*all.back(), 0, &word, 8), BugCheck);
    End(life);
  });
  EXPECT_EQ(FaultsOf(result), "");
}

TEST_F(CpuLocksRun, AccessesBeyondAnAllocationOrToPartsOfAWordStopTheSystem) {
  const auto result = bench.RunOnWorker([&](Life& life) {
    Allocation& one = *Make(life, true);
    life.vidmm.locks().Lock(one);
    uint64_t words[2] = {};
    EXPECT_THROW(life.vidmm.locks().Read(one, kBytes - 8, words, 16), BugCheck);
    EXPECT_THROW(life.vidmm.locks().Write(one, 4, words, 8), BugCheck);
    EXPECT_THROW(life.vidmm.locks().Write(one, 8, words, 4), BugCheck);
    life.vidmm.locks().Unlock(one);
    End(life);
  });
  EXPECT_EQ(FaultsOf(result), "");
}

}  // namespace
}  // namespace gmmu::os::test
