// SPDX-License-Identifier: Apache-2.0
// Tests the address path alone, with 32 slots for reads and with 2 slots for writes.
#include "tb/rtl/dma/control.h"

namespace gmmu::dma {
namespace {

class Path : public ::testing::TestWithParam<std::tuple<int, int>> {
 protected:
  static constexpr unsigned kPages = 40;
  const int n_ = std::get<0>(GetParam());
  const Manner manner_ = kManners[std::get<1>(GetParam())];
  const bool write_ = n_ == 0;
  const unsigned slots_ = n_ == 0 ? 2 : 32;

  /// Makes pages of all kinds, including pages that fault.
  void MakePages(SteeringWorld& world, Steering& blocks) {
    MakeWindow(world, blocks, kPages);
    for (unsigned n = 0; n < kPages; n += 3) {
      UnitPage& page = world.pages[0x10000 + n];
      switch (blocks.Random(0, 4)) {
        case 0:  // a page that faults; its zero bit is undefined
          page.fault = static_cast<Fault>(blocks.Random(1, 8));
          page.level = blocks.Random(0, 5);
          break;
        case 1: page.target = Target::kPeer; break;
        case 2: page.target = Target::kVram, page.page = (64 << 8) - n % 2; break;
        case 3: page.target = Target::kAperture, world.bad_aperture.insert(page.page); break;
        default: break;
      }
    }
    world.bad_aperture.insert(0x13);
  }
  UnitJob AnyBurst(Steering& blocks, unsigned physical_percent) {
    UnitJob job;
    job.physical = blocks.Chance(physical_percent);
    job.target = static_cast<Target>(blocks.Random(0, 3));
    job.address = job.physical ? blocks.Random(0, 0x30000) : blocks.Random(0, 4096 * kPages - 1);
    if (job.physical && blocks.Chance(20)) job.address = (64 << 20) - blocks.Random(0, 1);
    if (!job.physical) job.address += 0x10000000;
    return job;
  }
  struct Seen {
    unsigned slot, tag, kind, port, coherent, fault, level;
    uint64_t addr;
    bool operator==(const Seen& o) const {
      return slot == o.slot && tag == o.tag && kind == o.kind && port == o.port && coherent == o.coherent &&
             fault == o.fault && level == o.level && addr == o.addr;
    }
  };
  Seen Look(Steering& blocks) {
    auto& top = blocks.t;
    return {top.path_slot_o[n_],     top.path_tag_o[n_],   top.path_kind_o[n_],  top.path_port_o[n_],
            top.path_coherent_o[n_], top.path_fault_o[n_], top.path_level_o[n_], top.path_addr_o[n_]};
  }
  void Compare(const SteeringWorld& world, const UnitJob& job, const Seen& seen) {
    const auto place = world.Find(job, job.address, write_);
    const bool fault = place.fault != Fault::kNone;
    const unsigned generation = job.physical ? 0 : world.generations.at(seen.slot);
    EXPECT_EQ(seen.kind >> 3, !job.physical);
    if (!job.physical) EXPECT_EQ(seen.kind >> 2 & 1, generation);
    EXPECT_EQ(seen.kind >> 1 & 1, place.zero);
    EXPECT_EQ(seen.kind & 1, place.zero || fault);
    EXPECT_EQ(seen.fault, static_cast<unsigned>(place.fault));
    if (fault) EXPECT_EQ(seen.level, place.level);
    if (fault || place.zero) return;
    EXPECT_EQ(seen.port, static_cast<unsigned>(place.at.first));
    EXPECT_EQ(seen.addr, place.at.second);
    EXPECT_EQ(seen.coherent, job.physical || place.coherent);
  }
  /// Offers bursts while slots are free, and checks their results, which come in order. Returns the
  /// cycles from the first burst to the last result.
  uint64_t Run(Steering& blocks, SteeringWorld& world, const std::vector<UnitJob>& bursts) {
    auto& top = blocks.t;
    for (unsigned i = 0; i < 40; ++i) blocks.Step([&] { world.Drive(); }, [&] { world.Sample(write_); });  // the sweep
    size_t next = 0, seen = 0;
    uint64_t first = 0, last = 0;
    Offer offer;
    bool stands = false;
    Seen standing{};
    for (unsigned i = 0; i < 100000 && seen < bursts.size(); ++i)
      blocks.Step(
          [&] {
            world.Drive();
            top.path_valid_i[n_] = offer.Now(next < bursts.size() && next - seen < slots_, blocks,
                                             manner_.idle_percent);
            if (top.path_valid_i[n_]) {
              const UnitJob& burst = bursts[next];
              top.path_tag_i[n_] = next & 0xff;
              top.path_place_i[n_] = Pack(PlaceOf(burst));
            }
            top.path_ready_i[n_] = !blocks.Chance(manner_.stall_percent);
          },
          [&] {
            world.Sample(write_);
            if (top.path_valid_o[n_]) {
              const Seen now = Look(blocks);
              if (stands) EXPECT_TRUE(now == standing) << "changed while it stood";
              standing = now;
            } else {
              EXPECT_FALSE(stands) << "went before it was taken";
            }
            stands = top.path_valid_o[n_] && !top.path_ready_i[n_];
            EXPECT_EQ(top.path_empty_o[n_], next == seen) << "empty_o";
            if (top.path_valid_o[n_] && top.path_ready_i[n_]) {
              ASSERT_LT(seen, next) << "a result of no burst";
              EXPECT_EQ(standing.tag, seen & 0xff);
              EXPECT_EQ(standing.slot, seen % slots_);
              Compare(world, bursts[seen], standing);
              last = blocks.now;
              ++seen;
            }
            if (top.path_valid_i[n_] && top.path_ready_o[n_]) {
              if (next == 0) first = blocks.now;
              offer.Taken();
              ++next;
            }
          });
    top.path_valid_i[n_] = 0;
    for (unsigned i = 0; i < 20; ++i)
      blocks.Step([&] { world.Drive(); },
                  [&] {
                    world.Sample(write_);
                    EXPECT_FALSE(top.path_valid_o[n_]) << "a result too many";
                  });
    EXPECT_EQ(seen, bursts.size()) << "results are missing";
    world.ExpectRest();
    return last - first;
  }
};

TEST_P(Path, EveryBurstHasOneResultAndItIsRight) {
  for (uint64_t seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Steering blocks(seed);
    SteeringWorld world(blocks, 4 + n_, manner_);
    MakePages(world, blocks);
    std::vector<UnitJob> bursts;
    const unsigned physical[] = {0, 10, 50, 50, 90, 100};
    for (unsigned n = 0; n < 400; ++n) bursts.push_back(AnyBurst(blocks, physical[seed - 1]));
    Run(blocks, world, bursts);
    if (HasFailure()) return;
  }
}

TEST_P(Path, AFaultOfTheTranslationIsToldThoughThePageBeZero) {
  Steering blocks(2);
  SteeringWorld world(blocks, 4 + n_, manner_);
  world.pages[0x10000] = {Target::kPeer, 5, true, true, Fault::kNone, 3};
  world.pages[0x10001] = {Target::kPeer, 5, true, true, Fault::kWriteProtect, 3};
  Run(blocks, world,
      {{false, Target::kSystem, 0x10000010, 1, 0},
       {false, Target::kSystem, 0x10001010, 1, 0},
       {false, Target::kSystem, 0x10000ff8, 1, 0}});
}

TEST_P(Path, PhysicalBurstsAndAnswersBothGetOn) {
  // Physical and virtual bursts are always pending, and neither kind may wait until all bursts of
  // the other kind are done.
  Steering blocks(3);
  SteeringWorld world(blocks, 4 + n_, manner_);
  world.pages[0x10000] = {Target::kSystem, 5, false, false, Fault::kNone, 0};
  std::vector<UnitJob> bursts;
  for (unsigned n = 0; n < 600; ++n)
    bursts.push_back(n % 2 ? UnitJob{true, Target::kVram, 64 * n, 1, 0}
                           : UnitJob{false, Target::kSystem, 0x10000000 + n, 1, 0});
  Run(blocks, world, bursts);
}

TEST_P(Path, AResultAndARequestStandUntilTheyAreTaken) {
  Steering blocks(4);
  auto& top = blocks.t;
  unsigned given = 0;
  for (unsigned i = 0; i < 40; ++i) blocks.Step([] {}, [] {});
  for (unsigned i = 0; i < 100; ++i)  // Offer a physical and a virtual burst; accept no result.
    blocks.Step(
        [&] {
          top.path_valid_i[n_] = given < 2;
          top.path_tag_i[n_] = given;
          top.path_place_i[n_] = Pack(FieldsOf({0x1230 + given, given == 0, Target::kVram, kUnitSpace}));
        },
        [&] {
          given += top.path_valid_i[n_] && top.path_ready_o[n_];
          if (i < 60) return;
          EXPECT_TRUE(top.path_valid_o[n_]);
          EXPECT_EQ(top.path_tag_o[n_], 0);
          EXPECT_EQ(top.path_addr_o[n_], 0x1230u);
          EXPECT_TRUE(top.req_valid_o[4 + n_]);
          const auto req = Unpack<Steering::Structs::Request>(top.req_o[4 + n_]);
          EXPECT_EQ(req.tag, 1);
          EXPECT_EQ(req.space, kUnitSpace);
          EXPECT_EQ(req.va, 0x1231u);
          EXPECT_EQ(req.access, write_);
        });
}

INSTANTIATE_TEST_SUITE_P(Sizes, Path, ::testing::Combine(::testing::Values(0, 1), ::testing::Range(0, 4)));

class PathRate : public Path {};  // the path's neighbours never stall

TEST_P(PathRate, AFastPathGivesAResultEveryCycle) {
  Steering blocks(5);
  SteeringWorld world(blocks, 4 + n_, manner_);
  std::vector<UnitJob> bursts;
  for (unsigned n = 0; n < 200; ++n) bursts.push_back({true, Target::kSystem, 64 * n, 1, 0});
  EXPECT_LE(Run(blocks, world, bursts), 200u + 10);
}
INSTANTIATE_TEST_SUITE_P(Sizes, PathRate, ::testing::Combine(::testing::Values(1), ::testing::Values(0)));

}  // namespace
}  // namespace gmmu::dma
