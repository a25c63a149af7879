// SPDX-License-Identifier: Apache-2.0
// Tests each error of the paging engine: where the ring stops, what it reports, and which work has
// been done.
#include "tb/rtl/dma/dma_fixture.h"

namespace gmmu::dma {
namespace {

class EngineErrors : public Engine {
 protected:
  /// Executes a valid copy, then `words`, then a copy that must not start. The ring must stop at
  /// `words`.
  void ExpectRefused(const std::vector<uint64_t>& words, Fault reason, bool privileged = true) {
    SCOPED_TRACE(regs::NameOf(reason));
    Start(1, {}, privileged);
    if (!privileged) OneSpace();
    Buffer good;
    good.Copy(Src(3), privileged ? Dst(5) : Own(5), 3000);
    Model model(*m, kApertureBase);
    model.Execute(good.words);
    uint64_t header = words[0];
    Buffer all = good;
    all.Words(words).Copy(Src(0), privileged ? Dst(8192) : Own(8192), 3000);
    uint32_t fence = m->Submit(0, all.words, true);
    ASSERT_TRUE(m->Finish());
    ExpectStop(reason, 32, fence, header);
    EXPECT_EQ(m->fence_irqs, 0u);
    EXPECT_EQ(m->controls.size(), 0u);
    EXPECT_EQ(m->Ring(0).last_fence, 0u);
    Compare(model);
    AtRest();
  }
  static uint64_t Head(unsigned opcode, unsigned words, uint64_t more = 0) {
    return opcode | uint64_t{words} << 48 | more;
  }
};

TEST_F(EngineErrors, MalformedCommandsAreRefused) {
  Buffer b;
  ExpectRefused({Head(77, 1)}, Fault::kCommandBad);
  ExpectRefused({Head(0, 0)}, Fault::kCommandBad);
  ExpectRefused({Head(0, 60000)}, Fault::kCommandBad);                                // exceeds the buffer
  ExpectRefused({Head(1, 5), 0, 0, 0, 0}, Fault::kCommandBad);                        // A copy must have 4 words.
  ExpectRefused({Head(1, 4, uint64_t{1} << 20), kSrc, kDst, 8}, Fault::kCommandBad);  // A reserved bit is set.
  ExpectRefused({Head(1, 4, uint64_t{1} << 45), kSrc, kDst, 8}, Fault::kCommandBad);
  ExpectRefused({Head(3, 2), kDst}, Fault::kCommandBad);           // The command has no table entry.
  ExpectRefused({Head(8, 3, 3 << 10), 0, 0}, Fault::kCommandBad);  // The scope is undefined.
}

TEST_F(EngineErrors, BadOperandsAreRefused) {
  ExpectRefused(Buffer().Copy(Src(0), Dst(0), uint64_t{1} << 48).words, Fault::kCommandBad);
  ExpectRefused(Buffer().Copy(Virtual(1, ~uint64_t{0} - 10), Dst(0), 99).words, Fault::kCommandBad);
  ExpectRefused(Buffer().Copy(Src(0), Physical(Target::kSystem, (uint64_t{1} << 48) - 8), 9).words, Fault::kCommandBad);
  ExpectRefused(Buffer().Copy(Physical(Target::kVram, uint64_t{1} << 50), Dst(0), 9).words, Fault::kCommandBad);
  Buffer fill;
  fill.Fill(Dst(0), 8, 1);
  fill.words[3] |= uint64_t{1} << 32;
  ExpectRefused(fill.words, Fault::kCommandBad);
  ExpectRefused(Buffer().TableWrite(Dst(4), {1}).words, Fault::kCommandBad);
  ExpectRefused(Buffer().TableRepeat(Dst(1), 1, 1, 1).words, Fault::kCommandBad);
  ExpectRefused(Buffer().Signal(Dst(4), 1).words, Fault::kCommandBad);
  ExpectRefused(Buffer().Flush(Scope::kRange, 2, 0x3000, 0x2000).words, Fault::kCommandBad);
  Buffer list;
  list.ApertureList(0, {1, 1});
  list.words[1] = uint64_t{3} << 32;
  ExpectRefused(list.words, Fault::kCommandBad);
}

TEST_F(EngineErrors, UnbuiltSpacesAndApertureRangesAreRefused) {
  Place far = Src(0);
  far.space = 16;
  ExpectRefused(Buffer().Copy(far, Dst(0), 8).words, Fault::kSpaceDisabled);
  ExpectRefused(Buffer().Fill(Virtual(200, kDst), 8, 1).words, Fault::kSpaceDisabled);
  ExpectRefused(Buffer().Flush(Scope::kSpace, 64, 0, 0).words, Fault::kSpaceDisabled);
  ExpectRefused(Buffer().ApertureMap(kAperturePages - 1, 2, 1).words, Fault::kApertureRange);
  ExpectRefused(Buffer().ApertureUnmap(~0u, ~0u, 1).words, Fault::kApertureRange);
  ExpectRefused(Buffer().ApertureList(kAperturePages, {1}).words, Fault::kApertureRange);
}

TEST_F(EngineErrors, ApertureEntriesPastTheEndOfTheAddressesAreRefused) {
  const uint64_t base = 0xffff'ffff'f000;  // base of the last 512 entries below 2^48
  const auto refused = [&](const Buffer& buffer) {
    Start(1, {}, true);
    m->t.aperture_base_i = base;
    m->t.aperture_pages_i = 4096;
    m->vram.Make(0, 0x1000);
    const auto before = m->vram.Bytes(0, 0x1000);
    const uint32_t fence = m->Submit(0, buffer.words, true);
    ASSERT_TRUE(m->Finish());
    ExpectStop(Fault::kApertureRange, 0, fence, buffer.words[0]);
    EXPECT_EQ(m->vram.Bytes(0, 0x1000), before) << "the address has wrapped";
    AtRest();
  };
  refused(Buffer().ApertureMap(600, 4, 1));
  refused(Buffer().ApertureMap(511, 2, 1));
  refused(Buffer().ApertureUnmap(512, 1, 1));
  refused(Buffer().ApertureList(511, {1, 2}));
}

TEST_F(EngineErrors, RingsWithoutPrivilegeMayNotTouchTablesOrPhysicalMemory) {
  Place system = Physical(Target::kSystem, 0x400000), vram = Physical(Target::kVram, 0x400000);
  for (auto& words :
       {Buffer().Copy(vram, Own(0), 8).words, Buffer().Copy(Src(0), system, 8).words, Buffer().Fill(vram, 8, 1).words,
        Buffer().TableWrite(Own(0), {1}).words, Buffer().TableRepeat(Own(0), 1, 1, 1).words,
        Buffer().ApertureMap(0, 1, 1).words, Buffer().ApertureList(0, {1}).words, Buffer().ApertureUnmap(0, 1, 1).words,
        Buffer().Flush(Scope::kGlobal, 0, 0, 0).words, Buffer().Signal(system, 1).words})
    ExpectRefused(words, Fault::kNotPrivileged, false);
}

TEST_F(EngineErrors, RingsWithoutPrivilegeMayNotNameAnotherSpaceThanTheirBuffers) {
  for (auto& words : {Buffer().Copy(Src(0), Dst(0), 8).words, Buffer().Copy(Dst(0), Own(0), 8).words,
                      Buffer().Fill(Dst(0), 8, 1).words, Buffer().Signal(Dst(0), 1).words,
                      Buffer().Flush(Scope::kSpace, 2, 0, 0).words, Buffer().Flush(Scope::kRange, 0, 0, 4096).words,
                      Buffer().Fill(Virtual(65, kDst), 8, 1).words})
    ExpectRefused(words, Fault::kNotPrivileged, false);
}

TEST_F(EngineErrors, RingsWithoutPrivilegeMayMoveVirtualMemory) {
  Start(1, {}, false);
  OneSpace();
  Buffer buffer;
  buffer.Copy(Src(1), Own(2), 9000).Fill(Own(20000), 100, 5).Signal(Own(30000), 6);
  buffer.Flush(Scope::kSpace, 1, 0, 0);
  RunAndCompare(buffer);
}

TEST_F(EngineErrors, TransferFaultsNameAddressAccessAndLevel) {
  Start(2);
  m->pages.erase({1, (kSrc >> 12) + 2});
  Buffer buffer;
  buffer.Copy(Src(0), Dst(0), 100).Copy(Src(5000), Dst(9000), 9000).Copy(Src(0), Dst(30000), 9);
  uint32_t fence = m->Submit(0, buffer.words);
  ASSERT_TRUE(m->Finish());
  ExpectStop(Fault::kEntryInvalid, 32, fence, buffer.words[4]);
  EXPECT_EQ(m->Ring(0).error_address, kSrc + 8192);
  EXPECT_EQ(m->Ring(0).access, 0);
  EXPECT_EQ(m->Ring(0).level, 1);
  EXPECT_EQ(m->faults[0].port, 5);
  EXPECT_EQ(m->faults[0].space, 1);
  AtRest();

  Start(3);
  m->pages[{2, (kDst >> 12) + 1}].read_only = true;
  buffer = Buffer().Fill(Dst(0), 100, 1).TableRepeat(Dst(4000), 1000, 1, 1);
  fence = m->Submit(0, buffer.words);
  ASSERT_TRUE(m->Finish());
  ExpectStop(Fault::kWriteProtect, 32, fence, buffer.words[4]);
  EXPECT_EQ(m->Ring(0).error_address, kDst + 4096);
  EXPECT_EQ(m->Ring(0).access, 1);
  EXPECT_EQ(m->faults[0].port, 6);
  AtRest();
}

TEST_F(EngineErrors, RouteAndBusErrorsStopTheRing) {
  auto stops = [&](Buffer buffer, Fault reason, uint64_t offset, uint64_t address) {
    uint32_t fence = m->Submit(0, buffer.words);
    ASSERT_TRUE(m->Finish());
    ExpectStop(reason, offset, fence, buffer.words[offset / 8]);
    EXPECT_EQ(m->Ring(0).error_address, address);
    AtRest();
  };
  constexpr uint64_t kEnd = Machine::kVramBytes;
  Start(4);
  m->vram.Make(kEnd - 4096, 4096);
  stops(Buffer().Nop(0).Copy(Physical(Target::kVram, kEnd - 10), Dst(0), 11), Fault::kVramRange, 8, kEnd);
  Start(5);
  m->vram.Make(kEnd - 4096, 4096);
  stops(Buffer().Fill(Physical(Target::kVram, kEnd - 10), 11, 1), Fault::kVramRange, 0, kEnd);
  Start(6);
  stops(Buffer().Fill(Physical(Target::kPeer, 0), 11, 1), Fault::kPeerAbsent, 0, 0);
  Start(7);
  stops(Buffer().Copy(Physical(Target::kAperture, uint64_t{kAperturePages} << 12), Dst(0), 11), Fault::kApertureRange,
        0, uint64_t{kAperturePages} << 12);
  Start(8);
  stops(Buffer().ApertureMap(1, 1, 0).Fill(Physical(Target::kAperture, 4099), 11, 1), Fault::kApertureEntry, 24, 4099);
  Start(9);
  Page page = m->pages[{1, (kSrc >> 12) + 1}];
  m->bus_errors.insert({page.target == Target::kVram ? 0 : 1, page.offset >> 12});
  stops(Buffer().Copy(Src(0), Dst(0), 5000), Fault::kBusRead, 0, kSrc + 4096);
  Start(10);
  page = m->pages[{2, (kDst >> 12) + 1}];
  m->bus_errors.insert({page.target == Target::kVram ? 0 : 1, page.offset >> 12});
  stops(Buffer().Copy(Src(0), Dst(0), 4100), Fault::kBusWrite, 0, kDst + 4096);
}

TEST_F(EngineErrors, AnEarlierCommandsLateWriteErrorWins) {
  Timing timing;
  timing.write_min = timing.write_max = 3000;
  Start(11, timing);
  Page page = m->pages[{2, kDst >> 12}];
  m->bus_errors.insert({page.target == Target::kVram ? 0 : 1, page.offset >> 12});
  m->pages.erase({1, (kSrc >> 12) + 5});
  Buffer buffer;
  buffer.Fill(Dst(0), 64, 1).Copy(Src(5 * 4096), Dst(8192), 64);
  uint32_t fence = m->Submit(0, buffer.words);
  ASSERT_TRUE(m->Finish());
  ExpectStop(Fault::kBusWrite, 0, fence, buffer.words[0]);
  AtRest();

  // A transfer's fault takes precedence over the malformed command that follows it.
  Start(12, timing);
  page = m->pages[{2, kDst >> 12}];
  m->bus_errors.insert({page.target == Target::kVram ? 0 : 1, page.offset >> 12});
  buffer = Buffer().Fill(Dst(0), 64, 1).Words({0xff});
  fence = m->Submit(0, buffer.words);
  ASSERT_TRUE(m->Finish());
  ExpectStop(Fault::kBusWrite, 0, fence, buffer.words[0]);
  AtRest();
}

TEST_F(EngineErrors, NothingIsIssuedAfterAWriteErrorIsSeen) {
  Timing timing = Timing::Ideal(20);
  Start(19, timing);
  Page page = m->pages[{2, kDst >> 12}];
  m->bus_errors.insert({page.target == Target::kVram ? 0 : 1, page.offset >> 12});
  m->Submit(0, Buffer().Fill(Dst(0), 64, 1).Fill(Dst(4096), 30 * 4096, 2).words);
  ASSERT_TRUE(m->Finish());
  EXPECT_TRUE(m->Ring(0).error);
  EXPECT_LT(m->bursts[Machine::kWrite], 20u);  // Without the error, there would be 961 bursts.
  AtRest();
}

TEST_F(EngineErrors, AnUnreadableBufferStopsAfterWhatWasRead) {
  for (bool bus : {false, true})
    // The readable page ends inside a header, the operands or the inline words.
    for (unsigned skip : {509u, 510u, 511u, 400u}) {
      SCOPED_TRACE(skip);
      Start(13);
      Buffer buffer;
      buffer.Copy(Src(0), Dst(0), 2000).Nop(skip - 5, 0);
      size_t offset = buffer.bytes();
      std::vector<uint64_t> entries(600, 0x77);
      buffer.TableWrite(Dst(8192), entries);
      Model model(*m, kApertureBase);
      model.Execute(buffer.words, offset);
      uint64_t address = 0x71000000;
      m->host.Make(address, 16384);
      for (size_t n = 0; n < buffer.words.size(); ++n) m->host.Write64(address + 8 * n, buffer.words[n]);
      m->pages[{15, address >> 12}] = {Target::kSystem, address};
      if (bus) {
        m->pages[{15, (address >> 12) + 1}] = {Target::kSystem, address + 4096};
        m->bus_errors.insert({1, (address >> 12) + 1});
      }
      uint32_t fence = m->SubmitEntry(0, address, buffer.bytes() | uint64_t{15} << 40);
      m->Doorbell(0);
      ASSERT_TRUE(m->Finish());
      Fault reason = bus ? Fault::kCommandFetch : Fault::kEntryInvalid;
      ExpectStop(reason, offset, fence, offset == 4096 ? 0 : buffer.words[offset / 8]);
      EXPECT_EQ(m->Ring(0).error_address, address + 4096);
      EXPECT_EQ(m->faults[0].port, 4);
      if (skip != 400) Compare(model);
      AtRest();
    }
}

TEST_F(EngineErrors, AnUnreadableBufferStopsWithinTheWordsOfANop) {
  Start(14);
  Buffer buffer;
  buffer.Copy(Src(0), Dst(0), 2000);
  const size_t offset = buffer.bytes();
  buffer.Nop(800, 0);
  Model model(*m, kApertureBase);
  model.Execute(buffer.words, offset);
  const uint64_t address = 0x71000000;
  m->host.Make(address, 4096);
  for (size_t n = 0; n < 512; ++n) m->host.Write64(address + 8 * n, buffer.words[n]);
  m->pages[{15, address >> 12}] = {Target::kSystem, address};
  uint32_t fence = m->SubmitEntry(0, address, buffer.bytes() | uint64_t{15} << 40);
  m->Doorbell(0);
  ASSERT_TRUE(m->Finish());
  ExpectStop(Fault::kEntryInvalid, offset, fence, buffer.words[offset / 8]);
  EXPECT_EQ(m->Ring(0).error_address, address + 4096);
  Compare(model);
  AtRest();
}

TEST_F(EngineErrors, ABadRingEntryStopsTheRing) {
  auto stops = [&](uint64_t address, uint64_t shape, Fault reason, bool privileged = true) {
    Start(14, {}, privileged);
    uint32_t fence = m->SubmitEntry(0, address, shape);
    m->Doorbell(0);
    ASSERT_TRUE(m->Finish());
    ExpectStop(reason, 0, fence, 0);
    EXPECT_EQ(m->Ring(0).error_address, Machine::kRingBase);
    AtRest();
  };
  constexpr uint64_t kPhysical = uint64_t{1} << 32, kSpace = uint64_t{15} << 40;
  stops(0x1004, 8 | kSpace, Fault::kRingFetch);
  stops(0x1000, 12 | kSpace, Fault::kRingFetch);
  stops(0x1000, 8 | kSpace | uint64_t{1} << 60, Fault::kRingFetch);
  stops(0x1000, 8 | kSpace | uint64_t{1} << 33, Fault::kRingFetch);
  stops(~uint64_t{7}, 16 | kSpace, Fault::kRingFetch);
  stops(uint64_t{1} << 48, 8 | kPhysical, Fault::kRingFetch);
  stops(0x1000, 8 | kPhysical, Fault::kNotPrivileged, false);
  stops(0x1000, 8 | uint64_t{16} << 40, Fault::kSpaceDisabled);

  Start(15);
  m->bus_errors.insert({1, Machine::kRingBase >> 12});
  m->SubmitEntry(0, 0, 0);
  m->Doorbell(0);
  ASSERT_TRUE(m->Finish());
  ExpectStop(Fault::kRingFetch, 0, 0, 0);
  AtRest();

  Start(16);
  m->StopRing(0);
  m->Step();
  m->SetRing(0, [](auto& ring) { ring.enable = ring.tail = ring.base_target = 1, ring.base = Machine::kVramBytes; });
  ASSERT_TRUE(m->Finish());
  ExpectStop(Fault::kVramRange, 0, 0, 0);
  AtRest();
}

TEST_F(EngineErrors, AFenceRecordThatCannotBeWrittenStopsTheRing) {
  Start(17);
  m->bus_errors.insert({1, Machine::kFenceBase >> 12});
  Buffer buffer;
  buffer.Copy(Src(0), Dst(0), 3000);
  uint32_t fence = m->Submit(0, buffer.words, true);
  ASSERT_TRUE(m->Finish());
  ExpectStop(Fault::kBusWrite, 32, fence, 0);
  EXPECT_EQ(m->Ring(0).last_fence, 0u);
  EXPECT_EQ(m->fence_irqs, 0u);
  AtRest();
}

TEST_F(EngineErrors, TheFaultIsLoggedBeforeTheRingShowsIt) {
  Start(18);
  m->fault_ready = false;
  m->Submit(0, {0xff});
  m->Run(2000);
  EXPECT_FALSE(m->Ring(0).error);
  EXPECT_FALSE(m->t.idle_o);
  m->fault_ready = true;
  ASSERT_TRUE(m->Finish());
  EXPECT_TRUE(m->Ring(0).error);
}

}  // namespace
}  // namespace gmmu::dma
