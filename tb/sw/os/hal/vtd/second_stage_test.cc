// SPDX-License-Identifier: Apache-2.0
// Tests the IOMMU's tables with large pages by translating through the remapping unit.
#include "os/hal/vtd/second_stage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/config.h"
#include "host/ram_of_iommu.h"
#include "os/base/bug_check.h"
#include "os/hal/logical_place.h"
#include "os/hal/vtd/domain.h"
#include "os/kernel/kernel.h"
#include "tb/sim/iommu/translate.h"
#include "twin/fast_engine.h"

namespace gmmu::os::vtd {
namespace {

using ::testing::IsEmpty;

constexpr uint64_t k2MiB = 512, k1GiB = 512 * 512;  // pages

struct Machine {
  sim::twin::FastMachine platform{sim::MachineConfig::Default()};
  Kernel kernel{platform, [] {
                  Parameters parameters;
                  parameters.seed = 5;
                  parameters.page_table_bits = {9, 9, 9, 9};
                  return parameters;
                }()};
  SecondStage Tables(bool large2 = true, bool large1 = true, unsigned levels = 4) {
    return {kernel.hal(), kernel.pages(), {levels, large2, large1}, "test"};
  }
};

TEST(SecondStage, UsesTheLargestLeavesThatFit) {
  Machine machine;
  SecondStage tables = machine.Tables();
  // The range is three pages below a 1 GiB boundary, then 1 GiB, then 2 MiB and one page.
  const uint64_t first = 5 * k1GiB - 3, host = 9 * k1GiB - 3;
  tables.Map({first, host, 3 + k1GiB + k2MiB + 1});
  EXPECT_EQ(tables.leaves(0), 4u);
  EXPECT_EQ(tables.leaves(1), 1u);
  EXPECT_EQ(tables.leaves(2), 1u);
  for (uint64_t page : {uint64_t{0}, uint64_t{3}, uint64_t{1000}, k1GiB + 2, k1GiB + 3 + 511, k1GiB + 3 + 512})
    EXPECT_EQ(tables.Lookup(first + page), host + page) << page;
  EXPECT_EQ(tables.Lookup(first - 1), ~uint64_t{0});
  EXPECT_EQ(tables.Lookup(first + 3 + k1GiB + k2MiB + 1), ~uint64_t{0});
  tables.Free();
}

TEST(SecondStage, KeepsToWhatTheUnitOffers) {
  Machine machine;
  SecondStage small = machine.Tables(false, false);
  small.Map({0, k2MiB * 7, k2MiB});
  EXPECT_EQ(small.leaves(0), k2MiB);
  SecondStage middle = machine.Tables(true, false);
  middle.Map({0, k1GiB, k1GiB});
  EXPECT_EQ(middle.leaves(1), 512u);
  EXPECT_EQ(middle.leaves(2), 0u);
  small.Free();
  middle.Free();
}

TEST(SecondStage, NeedsBothSidesAligned) {
  Machine machine;
  SecondStage tables = machine.Tables();
  tables.Map({k2MiB, k2MiB + 1, k2MiB});
  EXPECT_EQ(tables.leaves(0), k2MiB);
  EXPECT_EQ(tables.leaves(1), 0u);
  tables.Free();
}

TEST(SecondStage, GivesEmptyTablesBack) {
  Machine machine;
  const size_t before = machine.kernel.pages().allocated();
  SecondStage tables = machine.Tables();
  tables.Map({k1GiB + 1, 100, 3});
  EXPECT_EQ(machine.kernel.pages().allocated(), before + 4) << "root and one table of each level";
  SecondStage::Unmapped gone = tables.Unmap(k1GiB + 1, 2);
  EXPECT_THAT(gone.tables, IsEmpty());
  gone = tables.Unmap(k1GiB + 3, 1);
  EXPECT_EQ(gone.tables.size(), 3u);
  EXPECT_EQ(gone.largest_leaf, 0u);
  machine.kernel.pages().Free(gone.tables);
  // Maps the same addresses with one large page. Its entry replaces a pointer to a table.
  tables.Map({k1GiB, 2 * k1GiB, k1GiB});
  EXPECT_EQ(tables.leaves(2), 1u);
  EXPECT_EQ(tables.Unmap(k1GiB, k1GiB).largest_leaf, 2u);
  tables.Free();
}

TEST(SecondStage, RefusesASecondMappingAndAPartOfALargePage) {
  Machine machine;
  SecondStage tables = machine.Tables();
  tables.Map({k2MiB, 0x100000, k2MiB});
  EXPECT_THROW(tables.Map({k2MiB + 7, 1, 1}), BugCheck) << "inside a large page";
  EXPECT_THROW(tables.Unmap(k2MiB, 7), BugCheck);
  tables.Map({k1GiB + 5, 9, 1});
  EXPECT_THROW(tables.Map({k1GiB, 0x200000, k1GiB}), BugCheck) << "over a table";
  tables.Free();
}

TEST(SecondStage, APunchedHoleLeavesTheRestOfTheLargePage) {
  Machine machine;
  SecondStage tables = machine.Tables();
  tables.Map({k2MiB, 0x100000, k2MiB});
  EXPECT_EQ(tables.Punch(k2MiB + 100).largest_leaf, 1u);
  EXPECT_EQ(tables.Lookup(k2MiB + 100), ~uint64_t{0});
  EXPECT_EQ(tables.Lookup(k2MiB + 99), 0x100000u + 99);
  EXPECT_EQ(tables.leaves(0), 511u);
  tables.Unmap(k2MiB, k2MiB);
  EXPECT_EQ(tables.leaves(0), 0u);
  tables.Free();
}

/// Compares random mappings of every size and alignment with a map of single pages. The unit must
/// translate exactly the mapped pages.
TEST(SecondStage, TheUnitSeesWhatIsMappedAndNothingElse) {
  for (uint64_t seed = 1; seed <= 4; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Machine machine;
    Remapping& iommu = *machine.kernel.iommu();
    iommu.Enable([](const RemappingFault&) {});
    RemappingDomain* domain = iommu.CreateDomain(uint64_t{1} << 38, false, "test");
    iommu.Attach({1, 0, 0}, *domain);
    sim::RamOfIommu memory{machine.platform.ram()};
    const auto translate = [&](uint64_t page) {
      return sim::TranslateAtOnce(*machine.platform.iommu(), memory, {0x100, page * 4096, false});
    };
    Random random(seed, "second stage");
    struct Held {
      uint64_t logical, taken;
      std::vector<uint64_t> pfns;
    };
    std::vector<Held> held;
    uint64_t large = 0;
    for (int step = 0; step < 60; ++step) {
      if (held.size() < 4 || random.Below(2) == 0) {
        Held next;
        uint64_t host = random.Below(1 << 22);
        for (unsigned runs = 1 + random.Below(3); runs > 0; --runs) {
          if (random.Below(3) != 0) host = host / k2MiB * k2MiB;
          const uint64_t count = 1 + random.Below(random.Below(2) == 0 ? 20 : 1500);
          for (uint64_t i = 0; i < count; ++i) next.pfns.push_back(host + i);
          host += count + 1 + random.Below(1000);
        }
        const auto place = PlaceLogical(domain->logical(), next.pfns.data(), next.pfns.size(), "test");
        ASSERT_TRUE(place);
        next.logical = place->logical, next.taken = place->taken;
        iommu.Map(*domain, next.logical, next.pfns, "test", "test");
        held.push_back(std::move(next));
        large += static_cast<const Domain*>(domain)->tables().leaves(1);
      } else {
        const size_t pick = random.Below(held.size());
        const Held gone = held[pick];
        // caches these translations
        for (size_t i = 0; i < gone.pfns.size(); i += 37) translate(gone.logical / 4096 + i);
        iommu.Unmap(*domain, gone.logical, gone.pfns.size());
        domain->logical().Free(gone.taken);
        for (size_t i = 0; i < gone.pfns.size(); i += 37)
          EXPECT_FALSE(translate(gone.logical / 4096 + i).ok()) << "step " << step << " page " << i;
        held.erase(held.begin() + static_cast<ptrdiff_t>(pick));
      }
      for (const Held& one : held) {
        for (size_t i = 0; i < one.pfns.size(); i += 1 + random.Below(200)) {
          const auto result = translate(one.logical / 4096 + i);
          ASSERT_TRUE(result.ok()) << "step " << step;
          ASSERT_EQ(result.hpa, one.pfns[i] * 4096) << "step " << step;
        }
      }
    }
    EXPECT_GT(large, 0u) << "no 2 MiB leaf was ever used";
    for (const Held& one : held) {
      iommu.Unmap(*domain, one.logical, one.pfns.size());
      domain->logical().Free(one.taken);
    }
    iommu.Detach({1, 0, 0}, *domain);
    iommu.DestroyDomain(domain);
    iommu.Disable();
    EXPECT_THAT(machine.kernel.ledger().Leaks(), IsEmpty());
    EXPECT_EQ(machine.kernel.pages().allocated(), 0u);
  }
}

}  // namespace
}  // namespace gmmu::os::vtd
