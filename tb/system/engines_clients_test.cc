// SPDX-License-Identifier: Apache-2.0
// Runs the same client accesses on both engines. Results must be equal, except for times.
#include "tb/system/engines_script.h"

namespace gmmu::test {
namespace {

TEST(Engines, RunClientsTheSameWay) {
  ExpectSame([](Script& s) {
    MakePages(s);
    const auto ctrl = [] { return regs::ClientCtrl().set_space(1); };
    Script::Run run;
    run.count = 0;
    s.Client("nothing", run);
    run.count = 300;
    s.Client("read", run);
    run.stride = 4, run.count = 200, run.step = 7, run.first = 1;
    s.Client("permuted", run);
    run.client = 2;
    run.ctrl = ctrl().set_access(Access::kExecute);
    s.Client("execute", run);
    run.ctrl = ctrl().set_access(Access::kWrite);
    run.seed = 0x123456789ABCDEF;
    run.base = 0x40000, run.stride = 1, run.count = 100, run.step = 1;
    s.Client("write", run);
    run.ctrl.set_verify(1);
    s.Client("verified write", run);
    run.ctrl = ctrl().set_verify(1);
    s.Client("verified read", run);
    run.seed ^= 1;
    s.Client("verified read of another seed", run);
    run.ctrl = ctrl().set_pattern(regs::Pattern::kRandom).set_footprint_lg2(8);
    run.base = 0;
    s.Client("random", run);
    run.ctrl.set_access(Access::kWrite).set_verify(1);
    s.Client("random verified write", run);
    for (uint64_t i = 0; i < 16; ++i) s.PutVram(kVram + (i ^ 5) * 4096 + 64, (i + 5) % 16 * 4096 + 64);
    run = Script::Run();
    run.ctrl = ctrl().set_pattern(regs::Pattern::kChase).set_access(Access::kWrite);
    run.first = 1, run.count = 40;
    s.Client("chase", run);
    s.PutVram(kVram + (5 ^ 5) * 4096 + 64, 0x2043);  // a pointer with its ignored low bits set
    s.Client("chase of a crooked pointer", run);
    s.SayVram(kVram, 0x10000);
    s.SayHost(Script::kData, 1 << 20);
    s.Say("read bytes", s.Read(regs::kCountersBase + regs::CountersClientReadBytes::kOffset));
    s.Say("written bytes", s.Read(regs::kCountersBase + regs::CountersClientWriteBytes::kOffset));
    for (uint32_t port = 0; port < 4; ++port) {
      s.Say("lookups", s.Read(regs::kPortCountersBase + port * regs::kPortCountersStride));
      s.Say("faults",
            s.Read(regs::kPortCountersBase + port * regs::kPortCountersStride + regs::PortCountersFaults::kOffset));
    }
    const auto one = [&](const std::string& name, uint64_t va, Access access, uint32_t lines = 3) {
      Script::Run fault;
      fault.ctrl = ctrl().set_access(access);
      fault.base = va;
      fault.count = lines;
      s.Client(name, fault);
    };
    one("hole", 0x80000, Access::kRead);
    one("into a hole", 0x7FF80 - 0x10000, Access::kWrite, 20);
    one("read only", 0x90000, Access::kWrite);
    one("no execute", 0x91000, Access::kExecute);
    one("zero", 0x92000, Access::kRead);
    one("zero written", 0x92000, Access::kWrite);
    one("aperture", 0x93000, Access::kRead);
    one("peer", 0x94000, Access::kRead);
    one("VRAM range", 0x95000, Access::kWrite);
    one("bus read", 0x96000, Access::kRead);
    one("bus write", 0x96000, Access::kWrite);
    one("reserved", 0x97000, Access::kRead);
    one("aperture range", 0x98000, Access::kRead);
    one("aperture entry", 0x99000, Access::kRead);
    one("va range", uint64_t{1} << 40, Access::kRead);
    one("root bound", uint64_t{8} << 21, Access::kRead);
    run = Script::Run();
    run.ctrl.set_space(2);
    s.Client("disabled", run);
    run.ctrl.set_space(40);
    s.Client("not built", run);
    run.ctrl = ctrl().set_pattern(static_cast<regs::Pattern>(3));
    s.Client("pattern 3", run);
    run.ctrl = ctrl().set_access(static_cast<Access>(3));
    s.Client("access 3", run);
    run.ctrl = ctrl();
    run.base = 0x1010;
    s.Client("crooked base", run);
  });
}

TEST(Engines, TranslateEveryFormTheSameWay) {
  ExpectSame(
      [](Script& s) {
        MakePages(s);
        const uint32_t block = regs::kSpaceBase + 4 * regs::kSpaceStride;
        const auto configure = [&](uint64_t geometry, uint64_t root) {
          s.Write(block, geometry);
          s.Write(block + 8, root);
          while ((s.Read(regs::InvStatus::kOffset) & 1) != 0) {}
          s.Say("operations", s.Read(regs::InvStatus::kOffset));
          s.Say("causes", s.Read(regs::IntStatus::kOffset));
        };
        const auto probe = [&](const std::string& name, uint64_t va, Access access = Access::kRead) {
          Script::Run run;
          run.ctrl.set_space(4).set_access(access);
          run.base = va;
          run.count = 2;
          s.Client(name, run);
        };
        const uint64_t root = regs::SpaceRoot().set_address(0x400000).set_target(Target::kVram).set_enable(1).raw;
        const auto geometry =
            regs::SpaceGeometry().set_levels(3).set_bits0(4).set_bits1(5).set_bits2(6).set_root_entries(64);
        configure(geometry.raw, root);
        configure(geometry.raw, root);  // equal
        const auto entry = [&](uint64_t at, regs::PteEntry word) { s.PutVram(0x400000 + at, word.raw); };
        entry(0, Script::Page(Target::kVram, 0x401000));
        entry(8, Script::Page(Target::kVram, kVram).set_large(1));            // 2 MiB, aligned
        entry(16, Script::Page(Target::kVram, kVram + 0x1000).set_large(1));  // not aligned
        entry(24, regs::PteEntry().set_zero(1));
        entry(32, Script::Page(Target::kPeer, 0x401000));
        entry(40, Script::Page(Target::kVram, uint64_t{1} << 40));
        entry(0x1000, Script::Page(Target::kVram, 0x402000));
        entry(0x1008, Script::Page(Target::kVram, kVram).set_large(1));  // 64 KiB
        entry(0x1010, Script::Page(Target::kVram, 0x402000).set_contiguous(1));
        entry(0x1018, Script::Page(Target::kVram, 0x402000).set_read_only(1).set_no_execute(1));
        for (uint64_t i = 0; i < 16; ++i)
          entry(0x2000 + 8 * i, Script::Page(Target::kVram, kVram + i * 4096).set_contiguous(1));
        probe("contiguous", 0x3000);
        probe("large 64 KiB", 0x15000);
        probe("contiguous above", 0x20000);
        probe("attributes above", 0x31000, Access::kWrite);
        probe("large 2 MiB", 0x205000);
        probe("misaligned large", 0x400000);
        probe("zero above", 0x612340);
        probe("table at a peer", 0x800000);
        probe("table past VRAM", 0xA00000);
        entry(0x1000, Script::Page(Target::kVram, 0x403000));  // the changed entry takes effect only after the flush
        probe("stale", 0x3000);
        s.Write(regs::InvStart::kOffset, 0x3000);
        s.Write(regs::InvEnd::kOffset, 0x3001);
        s.Write(regs::InvCmd::kOffset, regs::InvCmd().set_scope(Scope::kRange).set_space(4).raw);
        while ((s.Read(regs::InvStatus::kOffset) & 1) != 0) {}
        probe("flushed", 0x3000);
        for (const uint64_t levels : {0, 1, 2, 6, 7}) {
          auto other = geometry;
          configure(other.set_levels(levels).set_bits3(3).set_bits4(3).set_bits5(3).raw, root);
          probe(fmt::format("{} levels", levels), 0x3000);
        }
        configure(regs::SpaceGeometry(geometry).set_bits1(14).raw, root);
        probe("14 bits", 0x3000);
        configure(regs::SpaceGeometry(geometry).set_bits1(0).raw, root);
        probe("no bits", 0x3000);
        configure(regs::SpaceGeometry().set_levels(3).set_bits0(13).set_bits1(13).set_bits2(13).set_root_entries(9).raw,
                  root);
        probe("51 bits", 0x3000);
        configure(geometry.raw, regs::SpaceRoot{root}.set_target(Target::kAperture).raw);
        probe("root in the aperture", 0x3000);
        configure(geometry.raw, regs::SpaceRoot{root}.set_enable(0).raw);
        probe("disabled", 0x3000);
      },
      /*checker=*/false);  // the reference walk does not model the address width of the hardware
}

TEST(Engines, CountAndHoldTheSameWay) {
  ExpectSame([](Script& s) {
    MakePages(s);
    s.Write(regs::IntEnable::kOffset, 0x1F);
    s.Write(regs::FaultQueueSize::kOffset, regs::FaultQueueSize().set_size_lg2(1).set_enable(1).raw);
    Script::Run run;
    run.base = 0x80000;
    for (int i = 0; i < 3; ++i) {  // software does not advance the head, so the queue fills up
      s.Write(regs::kClientBase + 8, run.base);
      s.Write(regs::kClientBase + 0x18, regs::ClientOrder().set_count(1).set_step(1).raw);
      s.Write(regs::kClientBase, regs::ClientCtrl().set_start(1).set_space(1).raw);
      static_cast<void>(s.platform().WaitForMessage(20'000));
      while (s.platform().TakeMessage()) {}
      s.Say("tail", s.Read(regs::FaultQueueTail::kOffset));
    }
    s.Write(regs::FaultQueueSize::kOffset, regs::FaultQueueSize().set_size_lg2(1).raw);
    s.Client("off", run);
    s.Say("tail", s.Read(regs::FaultQueueTail::kOffset));
    // While bus mastering is off, the fault is dropped and the read of host memory waits.
    s.Write(regs::FaultQueueSize::kOffset, regs::FaultQueueSize().set_size_lg2(7).set_enable(1).raw);
    s.platform().ConfigWrite(Bare::kGpu, 4, 2, 2);
    s.Client("dropped", run);
    s.Say("tail", s.Read(regs::FaultQueueTail::kOffset));
    s.Write(regs::kClientBase + 8, 0x40000);
    s.Write(regs::kClientBase, regs::ClientCtrl().set_start(1).set_space(1).raw);
    s.Say("no message", s.platform().WaitForMessage(20'000));
    s.Say("status", s.Read(regs::kClientBase + regs::ClientStatus::kOffset));
    s.Say("idle", s.Read(regs::Status::kOffset));
    s.platform().ConfigWrite(Bare::kGpu, 4, 2, 6);
    s.Say("message", s.platform().WaitForMessage(20'000));
    static_cast<void>(s.platform().WaitForMessage(5'000));
    while (s.platform().TakeMessage()) {}
    s.Say("status", s.Read(regs::kClientBase + regs::ClientStatus::kOffset));
    s.Say("causes", s.Read(regs::IntStatus::kOffset));
    s.Write(regs::IntStatus::kOffset, 4);  // leaves one cause pending
    s.Say("message", s.platform().WaitForMessage(20'000));
    while (s.platform().TakeMessage()) {}
    s.Write(regs::IntStatus::kOffset, 8);
    s.Say("message", s.platform().WaitForMessage(20'000));
    s.Say("idle", s.Read(regs::Status::kOffset));
    // Each time the queue is re-enabled, it is smaller than before.
    for (const unsigned lg2 : {7u, 2u, 1u}) {
      s.Write(regs::FaultQueueSize::kOffset, regs::FaultQueueSize().set_size_lg2(lg2).raw);
      s.Say("off: tail", s.Read(regs::FaultQueueTail::kOffset));
      s.Write(regs::FaultQueueSize::kOffset, regs::FaultQueueSize().set_size_lg2(lg2).set_enable(1).raw);
      s.Say(fmt::format("2^{} records: tail", lg2), s.Read(regs::FaultQueueTail::kOffset));
      for (int i = 0; i < 5; ++i) {
        s.Write(regs::kClientBase + 8, 0x80000);
        s.Write(regs::kClientBase, regs::ClientCtrl().set_start(1).set_space(1).raw);
        static_cast<void>(s.platform().WaitForMessage(5'000));
        while (s.platform().TakeMessage()) {}
        s.Say("tail", s.Read(regs::FaultQueueTail::kOffset));
      }
    }
  });
}

}  // namespace
}  // namespace gmmu::test
