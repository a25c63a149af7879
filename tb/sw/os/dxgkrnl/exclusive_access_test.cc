// SPDX-License-Identifier: Apache-2.0
// Tests exclusive access on a running machine, and the steps before the adapter starts. The
// expected behaviour follows Microsoft's documentation; it has not been observed on Windows.
#include "os/dxgkrnl/exclusive_access.h"

#include "tb/sw/os/dxgkrnl/isolation_bench.h"

namespace gmmu::os::isolation_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

TEST_F(Isolation, ExclusiveAccessThatTheDriverRefusesChangesNothing) {
  between.begin = [] { return STATUS_DEVICE_NOT_READY; };
  const auto result = Run([](workload::Life& life) {
    life.worker.Call([&life] {
      try {
        life.adapter.isolation().exclusive().Run("test", [&life] { life.Compare("work", "was done"); });
        life.Compare("refused", "it was not");
      } catch (const OsError& error) {
        life.Compare("text", std::string(error.what()).find("DxgkDdiBeginExclusiveAccess") != std::string::npos
                                 ? ""
                                 : error.what());
      }
    });
    workload::MainJob(life).Run();
  });
  EXPECT_TRUE(result.Passed()) << Texts(result);
}

TEST_F(Isolation, WaitsForThePacketsThatTheDriverHolds) {
  config.gpu.rings = 2;
  config.gpu.vram_mib = 4;
  const auto result = Run([](workload::Life& life) {
    workload::Copier copier(life, "copier", 8, 6);
    for (uint32_t round = 1; round <= 6; ++round) copier.SubmitRound(round);
    life.Compare("before", life.adapter.vidsch().idle() ? "the driver holds nothing" : "");
    life.worker.Call([&] {
      life.adapter.isolation().exclusive().Run("test", [&] {
        life.Compare("meanwhile", life.adapter.vidsch().idle() ? "" : "the driver holds packets");
      });
    });
    life.Compare("all packets", copier.Finish() == PacketEnd::kCompleted ? "" : "some are lost");
    copier.Check();
    copier.End();
  });
  EXPECT_TRUE(result.Passed()) << Texts(result);
}

/// An exception during exclusive access ends it: the device is released, and the previous state is
/// restored.
TEST_F(Isolation, AnErrorInExclusiveAccessEndsIt) {
  const auto result = Run([](workload::Life& life) {
    ExclusiveAccess& exclusive = life.adapter.isolation().exclusive();
    std::string error;
    life.worker.Call([&] {
      try {
        exclusive.Run("test", [] { throw OsError("no room"); });
      } catch (const OsError& thrown) {
        error = thrown.what();
      }
    });
    life.Compare("the error", error == "no room" ? "" : error);
    life.Compare("no run was counted", exclusive.runs() == 0 ? "" : "there is one");
    workload::MainJob(life).Run();
    life.worker.Call([&] { exclusive.Run("test", [] {}); });
  });
  EXPECT_TRUE(result.Passed()) << Texts(result);
  EXPECT_EQ(std::count(between.calls.begin(), between.calls.end(), "EndExclusiveAccess"), 2);
}

/// With kAllowFailure, a failed isolation leaves no domain behind. A secure VM that starts later is
/// fully isolated.
TEST_F(Isolation, AFailureThatIsIgnoredLeavesNoDomainBehind) {
  options.os.iommu_flags = 0x17;
  between.begin = [] { return STATUS_DEVICE_NOT_READY; };
  const auto result = Run([](workload::Life& life) {
    life.Compare("noted", life.adapter.isolation().ignored_failure().empty() ? "no failure is noted" : "");
    life.Compare("no domain", life.adapter.domain() == nullptr ? "" : "there is one");
    life.Compare("the IOMMU is off", life.kernel.iommu()->enabled() ? "it is on" : "");
    between.begin = nullptr;  // restores the driver's own entry point
    SecureVm(life);
    life.Compare("on", life.adapter.isolation().active() ? "" : "off");
    workload::MainJob(life).Run();
  });
  EXPECT_TRUE(result.Passed()) << Texts(result);
}

TEST_F(Isolation, WhoCallsTheDriverInExclusiveAccessWaits) {
  const auto result = Run([](workload::Life& life) {
    Scheduler& scheduler = life.kernel.scheduler();
    const auto began = [] { return !between.calls.empty() && between.calls.back() == "BeginExclusiveAccess"; };
    bool asked = false;
    scheduler.Spawn("another thread", [&] {
      scheduler.Wait(began, 1'000'000'000, "exclusive access", 1'000);
      kmd::EscapeQueryCaps caps;
      life.adapter.lead().Escape(caps, "the query for what was built");
      asked = true;
    });
    life.worker.Call([&] {
      life.adapter.isolation().exclusive().Run("test", [&] {
        const uint64_t end = life.kernel.hal().NowNs() + 20'000;
        scheduler.Wait([&] { return life.kernel.hal().NowNs() >= end; }, 1'000'000, "time to pass", 1'000);
        life.Compare("the other thread waits", asked ? "it was in the driver" : "");
      });
    });
    scheduler.Wait([&] { return asked; }, 1'000'000'000, "the other thread", 1'000);
  });
  EXPECT_TRUE(result.Passed()) << Texts(result);
  const auto begin = std::find(between.calls.begin(), between.calls.end(), "BeginExclusiveAccess");
  EXPECT_THAT(std::vector<std::string>(begin, between.calls.end()),
              ElementsAre("BeginExclusiveAccess", "EndExclusiveAccess", "Escape"));
}

TEST_F(Isolation, ACallOfTheOneThatHasExclusiveAccessIsABugCheck) {
  const auto result = Run([](workload::Life& life) {
    life.worker.Call([&life] {
      life.adapter.isolation().exclusive().Run("test", [&life] {
        kmd::EscapeQueryCaps caps;
        life.adapter.lead().Escape(caps, "the query for what was built");
      });
    });
  });
  ASSERT_THAT(result.faults, SizeIs(1));
  EXPECT_EQ(result.faults[0].name, "bug_check");
  EXPECT_THAT(result.faults[0].text,
              HasSubstr("DxgkDdiEscape is called between DxgkDdiBeginExclusiveAccess and DxgkDdiEndExclusiveAccess"));
}

// ---- points that driver authors often get wrong; suite Rule11 spans several files, so its tests have no fixture

/// The caps are read after AddDevice and before StartDevice, and the isolation bits in
/// DXGK_IOMMU_CAPS and DXGK_VIDMMCAPS must agree. (The linked-adapter tests check that a link takes
/// the minimum of its adapters' caps.)
struct CapsComeBeforeTheStart : Isolation {
  void TestBody() override {
    config.host.gpu_reserved_kib = 64;
    options.os.iommu = RemapPolicy::kWhenPossible;
    auto result = Run([](workload::Life&) {});
    EXPECT_TRUE(result.Passed()) << Texts(result);
    ASSERT_GE(between.calls.size(), 6u);
    EXPECT_THAT(std::vector<std::string>(between.calls.begin(), between.calls.begin() + 6),
                ElementsAre("AddDevice", "PHYSICAL_MEMORY_CAPS", "IOMMU_CAPS", "HARDWARERESERVEDRANGES",
                            "HARDWARERESERVEDRANGES", "StartDevice"));

    for (const bool required : {false, true}) {
      between.queried = [required](const DXGKARG_QUERYADAPTERINFO& args, NTSTATUS status) {
        if (args.Type == DXGKQAITYPE_IOMMU_CAPS) {
          auto& caps = *static_cast<DXGK_IOMMU_CAPS*>(args.pOutputData);
          (required ? caps.IommuIsolationRequired = 1 : caps.IommuIsolationSupported = 0);
        }
        return status;
      };
      result = Run([](workload::Life&) {});
      ASSERT_THAT(result.faults, SizeIs(1));
      EXPECT_THAT(result.faults[0].text, HasSubstr(required ? "DXGK_IOMMU_CAPS.IommuIsolationRequired is 1, "
                                                              "DXGK_VIDMMCAPS.IoMmuSecureModeRequired is 0"
                                                            : "DXGK_IOMMU_CAPS.IommuIsolationSupported is 0, "
                                                              "DXGK_VIDMMCAPS.IoMmuSecureModeSupported is 1"));
    }
  }
};
TEST(Rule11, CapsAreReadAfterAddDeviceAndBeforeStartDeviceAndAgree) { CapsComeBeforeTheStart().TestBody(); }

/// The device is attached to its domain, whether remapping or 1:1, before StartDevice lets the
/// driver use it.
struct AttachedBeforeTheStart : Isolation {
  void TestBody() override {
    for (const RemapPolicy policy : {RemapPolicy::kNever, RemapPolicy::kIdentity, RemapPolicy::kWhenPossible}) {
      between = {};
      options.os.iommu = policy;
      const auto result = Run([](workload::Life&) {});
      EXPECT_TRUE(result.Passed()) << Texts(result);
      EXPECT_EQ(between.attached, policy != RemapPolicy::kNever);
    }
  }
};
TEST(DomainSwitch, ADomainIsAttachedBeforeStartDevice) { AttachedBeforeTheStart().TestBody(); }

/// Even a single device access between BeginExclusiveAccess and EndExclusiveAccess is a violation.
struct SilenceIsProven : Isolation {
  void TestBody() override {
    workload::JobResult result;
    for (const auto& [kind, text] : {std::pair{NoisyDevice::kRead, "1 reads, 0 writes, 0 interrupt messages"},
                                     {NoisyDevice::kWrite, "0 reads, 1 writes, 0 interrupt messages"},
                                     {NoisyDevice::kMessage, "0 reads, 0 writes, 1 interrupt messages"}}) {
      options.os.inject.noisy_device = kind;
      result = Run(SecureVm);
      ASSERT_THAT(result.faults, SizeIs(1)) << Texts(result);
      EXPECT_EQ(result.faults[0].name, "not_silent");
      EXPECT_EQ(result.faults[0].source, "bus");
      EXPECT_THAT(result.faults[0].text, HasSubstr("device 01:00.0 was not silent between"));
      EXPECT_THAT(result.faults[0].text, HasSubstr(text));
    }

    // This driver's BeginExclusiveAccess does nothing, so a client that is running keeps accessing
    // memory.
    options.os.inject.noisy_device = NoisyDevice::kNone;
    between.begin = [] { return STATUS_SUCCESS; };
    const auto load = [](workload::Life& life) {
      workload::FindProcedure("exclusive_access")->run(life, {{"bytes", 2 << 20}, {"times", 1}});
    };
    result = Run(load);
    ASSERT_THAT(result.faults, SizeIs(1)) << Texts(result);
    EXPECT_EQ(result.faults[0].name, "not_silent");

    between.begin = nullptr;  // the same load with the unchanged driver
    result = Run(load);
    EXPECT_TRUE(result.Passed()) << Texts(result);
  }
};
TEST(Rule11, BetweenBeginAndEndExclusiveAccessTheDeviceIsSilent) { SilenceIsProven().TestBody(); }

/// Raises an interrupt cause that the driver does not wait for.
class Cause {
 public:
  explicit Cause(workload::Life& life) : life_(life), bar_(life.adapter.function().bars[0].address) {
    Write(regs::IntEnable::kOffset, Read(regs::IntEnable::kOffset) | kInvalidate);
  }
  /// Waits until the device has recorded the cause; its message is then due.
  void Raise() {
    Write(regs::InvCmd::kOffset, 0);
    const uint64_t end = life_.kernel.hal().NowNs() + 1'000'000;
    while ((Read(regs::IntStatus::kOffset) & kInvalidate) == 0) ASSERT_LT(life_.kernel.hal().NowNs(), end);
  }

 private:
  static constexpr uint64_t kInvalidate = 16;
  uint64_t Read(uint32_t offset) { return life_.kernel.hal().Read(bar_ + offset, 8); }
  void Write(uint32_t offset, uint64_t value) { life_.kernel.hal().Write(bar_ + offset, 8, value); }

  workload::Life& life_;
  const uint64_t bar_;
};

void LetPass(workload::Life& life, uint64_t ns) {
  const uint64_t end = life.kernel.hal().NowNs() + ns;
  life.kernel.scheduler().Wait([&] { return life.kernel.hal().NowNs() >= end; }, 2 * ns, "time", 1000);
}

/// If an interrupt message becomes due during exclusive access, the device holds it and sends it
/// once afterwards.
TEST_F(Isolation, AnInterruptThatFallsDueInExclusiveAccessComesAfterIt) {
  const auto result = Run([](workload::Life& life) {
    const Miniport& miniport = life.adapter.miniport();
    Cause cause(life);
    LetPass(life, 100'000);
    const uint64_t served = miniport.calls("DxgkDdiInterruptRoutine"), sent = life.adapter.BusAccesses().messages;
    life.worker.Call([&] {
      life.adapter.isolation().exclusive().Run("a test", [&] {
        cause.Raise();
        EXPECT_EQ(life.adapter.BusAccesses().messages, sent);
      });
      EXPECT_EQ(miniport.calls("DxgkDdiInterruptRoutine"), served) << "not before End has returned";
      EXPECT_EQ(miniport.driver().held(), 0u) << "the device held it";
    });
    LetPass(life, 100'000);
    EXPECT_EQ(life.adapter.BusAccesses().messages, sent + 1);
    EXPECT_EQ(miniport.calls("DxgkDdiInterruptRoutine"), served + 1);
    workload::MainJob(life).Run();
  });
  EXPECT_TRUE(result.Passed()) << Texts(result);
}

/// An interrupt message that left the device before Begin and arrives later is no violation.
/// Dxgkrnl holds it until exclusive access has ended.
TEST_F(Isolation, AnInterruptUnderWayIsHeldInExclusiveAccessAndServedAfterIt) {
  config.inject.late_interrupt_ns = 60'000;
  const auto result = Run([](workload::Life& life) {
    const Miniport& miniport = life.adapter.miniport();
    Cause cause(life);
    LetPass(life, 200'000);
    const uint64_t served = miniport.calls("DxgkDdiInterruptRoutine"), sent = life.adapter.BusAccesses().messages;
    life.worker.Call([&] {
      cause.Raise();
      EXPECT_EQ(life.adapter.BusAccesses().messages, sent + 1);
      life.adapter.isolation().exclusive().Run("a test",
                                               [&] { EXPECT_EQ(miniport.calls("DxgkDdiInterruptRoutine"), served); });
    });
    EXPECT_EQ(miniport.driver().held(), 1u);
    EXPECT_EQ(miniport.calls("DxgkDdiInterruptRoutine"), served + 1) << "made up for";
    LetPass(life, 200'000);
    EXPECT_EQ(life.adapter.BusAccesses().messages, sent + 1);
    EXPECT_EQ(miniport.calls("DxgkDdiInterruptRoutine"), served + 1);
    workload::MainJob(life).Run();
  });
  EXPECT_TRUE(result.Passed()) << Texts(result);
}

}  // namespace
}  // namespace gmmu::os::isolation_test
