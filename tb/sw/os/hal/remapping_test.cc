// SPDX-License-Identifier: Apache-2.0
// Tests the contract of os/hal/remapping.h with both implementations: VT-d, and a unit with a flat
// table.
#include "os/hal/remapping.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "host/ram_of_iommu.h"
#include "os/base/bug_check.h"
#include "tb/sim/iommu/translate.h"
#include "tb/sw/os/hal/flat_machine.h"
#include "tb/sw/os/hal/flat_remapping.h"
#include "tb/sw/os/machine.h"

namespace gmmu::os {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;
using Cause = RemappingFault::Cause;

constexpr hw::Bdf kGpu{1, 0, 0}, kOther{2, 0, 0};
constexpr uint64_t kLimit = uint64_t{1} << 33;

/// A machine with a remapping unit and its driver.
class Bench {
 public:
  Bench(std::unique_ptr<sim::twin::FastMachine> machine, Kernel::MakesRemapping* driver)
      : platform_(std::move(machine)), memory_(platform_->ram()), kernel(*platform_, TestParameters(), driver) {}
  /// Returns the host address of the device's access, or nullopt if the unit blocks the access.
  std::optional<uint64_t> Access(hw::Bdf device, uint64_t logical, bool write) {
    const auto result = sim::TranslateAtOnce(*platform_->iommu(), memory_, {device.requester_id(), logical, write});
    return result.ok() ? std::optional<uint64_t>(result.hpa) : std::nullopt;
  }

 private:
  const std::unique_ptr<sim::twin::FastMachine> platform_;
  sim::RamOfIommu memory_;

 public:
  Kernel kernel;
};

struct Unit {
  const char* name;
  std::unique_ptr<Bench> (*make)();
};

std::unique_ptr<Bench> OnVtd() {
  return std::make_unique<Bench>(std::make_unique<sim::twin::FastMachine>(sim::MachineConfig::Default()), nullptr);
}

std::unique_ptr<Bench> OnFlat() {
  return std::make_unique<Bench>(std::make_unique<test::FlatMachine>(sim::MachineConfig::Default()),
                                 test::FlatRemapping::Make);
}

class RemappingContract : public ::testing::TestWithParam<Unit> {
 protected:
  void Enable() {
    unit.Enable([this](const RemappingFault& fault) { faults.push_back(fault); });
  }
  std::optional<uint64_t> Read(uint64_t logical, hw::Bdf device = kGpu) {
    return bench->Access(device, logical, false);
  }
  /// Waits until the unit's messages have arrived.
  void Settle() {
    kernel.hal().platform().WaitForMessage(1'000'000);
    kernel.scheduler().Seam();
  }
  /// Destroys the domains, disables the unit, and checks that no object or page is still allocated.
  void End(const std::vector<RemappingDomain*>& domains) {
    for (RemappingDomain* domain : domains) unit.DestroyDomain(domain);
    if (unit.enabled()) unit.Disable();
    EXPECT_THAT(kernel.ledger().Leaks(), IsEmpty());
    EXPECT_EQ(kernel.pages().allocated(), 0u);
  }

  const std::unique_ptr<Bench> bench = GetParam().make();
  Kernel& kernel = bench->kernel;
  Remapping& unit = *kernel.iommu();
  std::vector<RemappingFault> faults;
};

TEST_P(RemappingContract, TranslatesWhatWasMappedForAttachedDevicesOnly) {
  EXPECT_FALSE(unit.enabled());
  EXPECT_EQ(Read(0x5123), 0x5123u) << "the unit is off";
  Enable();
  EXPECT_TRUE(unit.enabled());
  RemappingDomain* domain = unit.CreateDomain(kLimit, false, "test");
  const std::vector<uint64_t> pfns = {0x12345, 0x777, 0x54321};
  unit.Map(*domain, 0x1FFFFD000, pfns, "test", "test");
  EXPECT_FALSE(Read(0x1FFFFD000));
  unit.Attach(kGpu, *domain);
  EXPECT_TRUE(domain->Has(kGpu));
  for (uint64_t i = 0; i < pfns.size(); ++i) {
    EXPECT_EQ(Read(0x1FFFFD000 + i * 4096 + 0x123), pfns[i] * 4096 + 0x123);
    EXPECT_EQ(bench->Access(kGpu, 0x1FFFFD000 + i * 4096, true), pfns[i] * 4096);
    EXPECT_EQ(domain->Lookup(0x1FFFFD + i), pfns[i]);
    EXPECT_FALSE(Read(0x1FFFFD000 + i * 4096, kOther));
  }
  EXPECT_FALSE(Read(0x1FFFFC000));
  EXPECT_EQ(domain->Lookup(0x1FFFFC), ~uint64_t{0});
  unit.Unmap(*domain, 0x1FFFFD000, pfns.size());
  EXPECT_FALSE(Read(0x1FFFFD000)) << "the unit has it cached";
  EXPECT_TRUE(domain->empty());
  unit.Detach(kGpu, *domain);
  EXPECT_FALSE(domain->Has(kGpu));
  End({domain});
  EXPECT_EQ(Read(0x5123), 0x5123u) << "the unit is off again";
}

TEST_P(RemappingContract, ADeviceThatIsDetachedReachesNothing) {
  Enable();
  RemappingDomain* domain = unit.CreateDomain(kLimit, false, "test");
  unit.Attach(kGpu, *domain);
  unit.Map(*domain, 0x10000, {0x100}, "test", "test");
  EXPECT_TRUE(Read(0x10000));
  unit.Detach(kGpu, *domain);
  EXPECT_FALSE(Read(0x10000));
  unit.Unmap(*domain, 0x10000, 1);
  End({domain});
}

TEST_P(RemappingContract, DomainsKeepDevicesApart) {
  Enable();
  RemappingDomain* first = unit.CreateDomain(kLimit, false, "test");
  RemappingDomain* second = unit.CreateDomain(kLimit, false, "test");
  unit.Attach(kGpu, *first);
  unit.Attach(kOther, *second);
  unit.Map(*first, 0x10000, {0x100}, "test", "test");
  EXPECT_EQ(Read(0x10000), 0x100000u);
  EXPECT_FALSE(Read(0x10000, kOther));
  unit.Map(*second, 0x10000, {0x200}, "test", "test");
  EXPECT_EQ(Read(0x10000), 0x100000u);
  EXPECT_EQ(Read(0x10000, kOther), 0x200000u);
  unit.Unmap(*first, 0x10000, 1);
  EXPECT_FALSE(Read(0x10000));
  EXPECT_EQ(Read(0x10000, kOther), 0x200000u);
  unit.Unmap(*second, 0x10000, 1);
  unit.Detach(kGpu, *first);
  unit.Detach(kOther, *second);
  End({first, second});
}

/// Domain numbers are reused, and the unit tags its cached translations with them. A new domain
/// must not hit old entries.
TEST_P(RemappingContract, ANewDomainKnowsNothingOfADestroyedOne) {
  Enable();
  for (int i = 0; i < 2; ++i) {
    RemappingDomain* domain = unit.CreateDomain(kLimit, false, "test");
    unit.Attach(kGpu, *domain);
    EXPECT_FALSE(Read(0x10000));
    unit.Map(*domain, 0x10000, {0x100}, "test", "test");
    EXPECT_TRUE(Read(0x10000));
    unit.Unmap(*domain, 0x10000, 1);
    unit.Detach(kGpu, *domain);
    unit.DestroyDomain(domain);
  }
  End({});
}

TEST_P(RemappingContract, ADomainIsFilledWhileTheUnitIsOff) {
  unit.Prepare();
  RemappingDomain* domain = unit.CreateDomain(kLimit, true, "test");
  EXPECT_TRUE(domain->identity());
  unit.MapIdentity(*domain, {0x5000});
  Enable();
  EXPECT_FALSE(Read(0x5000000));
  unit.Attach(kGpu, *domain);
  EXPECT_EQ(Read(0x5000123), 0x5000123u);
  EXPECT_FALSE(Read(0x5001000));
  unit.UnmapIdentity(*domain, {0x5000});
  unit.Detach(kGpu, *domain);
  End({domain});
}

TEST_P(RemappingContract, AnIdentityPageIsReachedUntilItsLastUseEnds) {
  Enable();
  RemappingDomain* domain = unit.CreateDomain(kLimit, true, "test");
  unit.Attach(kGpu, *domain);
  unit.MapIdentity(*domain, {0x5000, 0x7000});
  unit.MapIdentity(*domain, {0x5000});
  unit.UnmapIdentity(*domain, {0x5000, 0x7000});
  EXPECT_TRUE(Read(0x5000000));
  EXPECT_FALSE(Read(0x7000000));
  EXPECT_FALSE(domain->empty());
  unit.UnmapIdentity(*domain, {0x5000});
  EXPECT_FALSE(Read(0x5000000)) << "the unit has it cached";
  EXPECT_TRUE(domain->empty());
  EXPECT_THROW(unit.UnmapIdentity(*domain, {0x5000}), BugCheck);
  unit.Detach(kGpu, *domain);
  End({domain});
}

TEST_P(RemappingContract, PagesThatAreMappedForLifeStay) {
  Enable();
  RemappingDomain* domain = unit.CreateDomain(kLimit, true, "test");
  unit.Attach(kGpu, *domain);
  EXPECT_FALSE(domain->whole());
  unit.MapWhole(*domain, {{0x5000, 0x5200}});
  EXPECT_TRUE(domain->whole());
  unit.MapIdentity(*domain, {0x51FF, 0x5200});
  unit.UnmapIdentity(*domain, {0x51FF, 0x5200});
  EXPECT_EQ(Read(0x5000000), 0x5000000u);
  EXPECT_EQ(Read(0x51FFFFF), 0x51FFFFFu);
  EXPECT_FALSE(Read(0x5200000));
  EXPECT_FALSE(Read(0x4FFF000));
  unit.MapWhole(*domain, {{0x5200, 0x5300}});  // memory that is added while the device is attached
  EXPECT_EQ(Read(0x5000000), 0x5000000u);
  EXPECT_EQ(Read(0x5200000), 0x5200000u);
  EXPECT_FALSE(Read(0x5300000));
  unit.MapIdentity(*domain, {0x5100, 0x52FF});
  unit.UnmapIdentity(*domain, {0x5100, 0x52FF});
  EXPECT_EQ(Read(0x5100000), 0x5100000u);
  EXPECT_EQ(Read(0x52FF000), 0x52FF000u);
  unit.Detach(kGpu, *domain);
  End({domain});
}

TEST_P(RemappingContract, AHoleIsOnePageAndTheUnmapToleratesIt) {
  Enable();
  RemappingDomain* domain = unit.CreateDomain(kLimit, false, "test");
  unit.Attach(kGpu, *domain);
  std::vector<uint64_t> pfns;
  for (uint64_t pfn = 0x8000; pfn < 0x8400; ++pfn) pfns.push_back(pfn);
  unit.Map(*domain, 0x40000000, pfns, "test", "test");  // logical and host addresses permit pages of 2 MiB
  EXPECT_TRUE(Read(0x40123000));
  unit.PunchHole(*domain, 0x40123000);
  EXPECT_FALSE(Read(0x40123000)) << "the unit has it cached";
  EXPECT_EQ(Read(0x40122000), 0x8122000u);
  EXPECT_EQ(Read(0x40124000), 0x8124000u);
  unit.Unmap(*domain, 0x40000000, pfns.size());
  EXPECT_FALSE(Read(0x40124000));
  unit.Detach(kGpu, *domain);
  End({domain});
}

TEST_P(RemappingContract, AFaultSaysWhoWhereHowAndWhy) {
  Enable();
  RemappingDomain* domain = unit.CreateDomain(kLimit, false, "test");
  EXPECT_FALSE(bench->Access(kGpu, 0x5678, true));
  Settle();
  unit.Attach(kGpu, *domain);
  EXPECT_FALSE(Read(0x9ABC));
  Settle();
  ASSERT_THAT(faults, SizeIs(2));
  EXPECT_EQ(faults[0].device.requester_id(), kGpu.requester_id());
  EXPECT_EQ(faults[0].cause, Cause::kNotAttached);
  EXPECT_FALSE(faults[0].read);
  EXPECT_EQ(faults[0].address, 0x5000u);
  EXPECT_EQ(faults[0].Text(), "device 01:00.0: write of logical page 0x5000: " + faults[0].reason);
  EXPECT_EQ(faults[1].cause, Cause::kNoAccess);
  EXPECT_TRUE(faults[1].read);
  EXPECT_EQ(faults[1].address, 0x9000u);
  EXPECT_EQ(faults[1].Text(), "device 01:00.0: read of logical page 0x9000: " + faults[1].reason);
  EXPECT_FALSE(faults[0].reason.empty());
  EXPECT_NE(faults[0].reason, faults[1].reason);
  unit.Detach(kGpu, *domain);
  End({domain});
}

TEST_P(RemappingContract, NeverGivesOutTheInterruptWindowOrPageZero) {
  Enable();
  RangeAllocator& logical = unit.CreateDomain(uint64_t{1} << 32, false, "test")->logical();
  EXPECT_FALSE(logical.AllocateAt(0, 0x1000, "test"));
  EXPECT_FALSE(logical.AllocateAt(0xFEE00000, 0x1000, "test"));
  EXPECT_FALSE(logical.AllocateAt(0xFEEFF000, 0x1000, "test"));
  EXPECT_TRUE(logical.AllocateAt(0xFEF00000, 0x1000, "test"));
  EXPECT_FALSE(logical.AllocateAt(uint64_t{1} << 32, 0x1000, "test"));
}

TEST_P(RemappingContract, BugChecksOnMisuse) {
  Enable();
  RemappingDomain* domain = unit.CreateDomain(kLimit, false, "test");
  unit.Map(*domain, 0x5000, {1, 2}, "test", "test");
  EXPECT_THROW(unit.Map(*domain, 0x6000, {3}, "test", "test"), BugCheck) << "a second mapping of a page";
  EXPECT_EQ(domain->Lookup(6), 2u);
  EXPECT_THROW(unit.Unmap(*domain, 0x6000, 1), BugCheck) << "not where a mapping begins";
  EXPECT_THROW(unit.Unmap(*domain, 0x5000, 1), BugCheck) << "a part of it";
  EXPECT_THROW(unit.Detach(kGpu, *domain), BugCheck) << "not attached";
  unit.Attach(kGpu, *domain);
  EXPECT_THROW(unit.Attach(kGpu, *domain), BugCheck) << "attached already";
  EXPECT_THROW(unit.DestroyDomain(domain), BugCheck) << "with a device";
  EXPECT_THROW(unit.Disable(), BugCheck) << "with a domain";
}

INSTANTIATE_TEST_SUITE_P(Units, RemappingContract, ::testing::Values(Unit{"vtd", OnVtd}, Unit{"flat", OnFlat}),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace gmmu::os
