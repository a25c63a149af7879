// SPDX-License-Identifier: Apache-2.0
// Tests linked adapters. Accesses with target peer, and no others, leave through the host port with
// AxUSER kind 3. Accesses of other adapters arrive at s_peer and wait for VRAM only.
#include "tb/rtl/top/gpu_work.h"
#include "tb/rtl/top/peer_traffic.h"

namespace gmmu::top {
namespace {

constexpr uint64_t kPeerVram = 0x200000;  // offset in the peer's VRAM
constexpr unsigned kPeer = 2;             // number of the peer
constexpr uint64_t PeerAddress(uint64_t offset) { return uint64_t{kPeer} << 42 | offset; }

/// Extends GpuWork: 16 pages of adapter 2's VRAM are mapped at 0x600000 of space 1. This GPU is
/// adapter 1 of 3.
class GpuPeer : public GpuWork {
 protected:
  GpuPeer() : peer(gpu, 1) {
    gpu.host.memory.Make(PeerAddress(kPeerVram), 16 * 4096);
    for (uint64_t i = 0; i < 16 * 4096; i += 8) gpu.host.memory.Write64(PeerAddress(kPeerVram) + i, gpu.rng());
    MapPeer(kPeer, kPeerVram);
    Link(3, 1);
    gpu.watch = [this](const Vgmmu_gpu_axi& t) {
      peer.Sample(t);
      if (t.m_host_arvalid) Check(t.m_host_araddr, t.m_host_aruser & 3);
      if (t.m_host_awvalid) Check(t.m_host_awaddr, t.m_host_awuser & 3);
      if (t.m_host_bvalid && t.m_host_bready) written_.erase(t.m_host_bid);
      if (t.m_host_awvalid && t.m_host_awready) {
        if ((t.m_host_awuser & 3) == 3) written_.insert(t.m_host_awid);
        if (t.m_host_awaddr == kFences) EXPECT_TRUE(written_.empty()) << "a fence passed a peer's write that had no B";
      }
    };
  }
  void MapPeer(unsigned adapter, uint64_t offset) {
    for (unsigned i = 0; i < 16; ++i)
      gpu.Map(1, 0x600000 + 4096 * i,
              regs::PteEntry{}
                  .set_valid(1)
                  .set_target(regs::Target::kPeer)
                  .set_adapter(adapter)
                  .set_page((offset >> 12) + i));
    gpu.Set(regs::InvCmd{0});
    gpu.Until([&] { return gpu.Get<regs::InvStatus>().busy() == 0; }, "the flush");
  }
  void Link(unsigned adapters, unsigned own) { gpu.Set(regs::Link{}.set_adapters(adapters).set_own(own)); }
  void Check(uint64_t address, unsigned kind) {
    const bool of_peer = address >> 42 != 0;
    if ((kind == 3) != of_peer && ++wrong_ < 5) ADD_FAILURE() << "kind " << kind << " at " << std::hex << address;
    peers_ += kind == 3;
  }
  static std::vector<uint64_t> Copy(uint64_t from, uint64_t to, uint64_t bytes) {
    return {
        regs::CommandHeaderWord{}.set_opcode(regs::Opcode::kCopy).set_src_space(1).set_dst_space(1).set_words(4).raw,
        from, to, bytes};
  }
  void Execute(const std::vector<uint64_t>& words) {
    Put(0, tail_, words, ++fence_);
    tail_ = (tail_ + 1) % 16;
    Kick(0, tail_);
    gpu.Until([&] { return Fence(0) == fence_ || Status(0).error(); }, "the entry");
  }
  void Restart() {
    gpu.Set(regs::RingCtrl{}, TopMachine::RingAt(0));
    tail_ = 0;
    Kick(0, 0);
    gpu.Set(Ctrl(), TopMachine::RingAt(0));
  }
  regs::Fault Engine(uint64_t from, uint64_t to) {
    Execute(Copy(from, to, 64));
    const regs::Fault reason = Status(0).error() ? Status(0).reason() : regs::Fault::kNone;
    Restart();
    return reason;
  }
  regs::Fault Client(regs::Access access) {
    return gpu.Traffic(0, regs::ClientCtrl{}.set_space(1).set_access(access), 0x600000, 0, 1, 1, 1).reason();
  }

  PeerTraffic peer;
  uint64_t peers_ = 0, wrong_ = 0;
  std::set<unsigned> written_;  // writes to the peer that have no B yet
  unsigned tail_ = 0;
  uint32_t fence_ = 0;
};

TEST_F(GpuPeer, CopiesGoToThePeerAndBackUnderBackPressure) {
  for (unsigned stall : {0u, 40u}) {
    gpu.host.stall_percent = gpu.vram.stall_percent = stall;
    gpu.host.shuffle = gpu.vram.shuffle = stall != 0;
    gpu.host.write_latency = 300;
    Execute(Copy(0x500000, 0x400000, 0x8000));       // Copy from host to VRAM.
    Execute(Copy(0x400000, 0x600000 + 24, 0x5000));  // Copy from VRAM to the peer.
    EXPECT_EQ(gpu.host.memory.Bytes(PeerAddress(kPeerVram + 24), 0x5000), gpu.host.memory.Bytes(kSource, 0x5000));
    Execute(Copy(0x600000 + 24, 0x410000, 0x5000));  // This copies back.
    EXPECT_EQ(gpu.vram.memory.Bytes(kVram + 0x10000, 0x5000), gpu.host.memory.Bytes(kSource, 0x5000));
    // Copy from the peer to host memory; both use the host port.
    Execute(Copy(0x600000, 0x500000 + 0x20000, 0x3000));
    EXPECT_EQ(gpu.host.memory.Bytes(kSource + 0x20000, 0x3000), gpu.host.memory.Bytes(PeerAddress(kPeerVram), 0x3000));
  }
  EXPECT_GT(peers_, 2u * 3 * 0x3000 / TopMachine::kBurst);
}

TEST_F(GpuPeer, ClientsReadAndWriteThePeer) {
  const auto traffic = regs::ClientCtrl{}.set_space(1).set_verify(1).set_access(regs::Access::kWrite);
  for (unsigned c = 0; c < TopMachine::kEngines; ++c)
    gpu.StartTraffic(c, traffic, 0x600000 + 0x3000 * c, 0, 1, 100, 1, c);
  for (unsigned c = 0; c < TopMachine::kEngines; ++c) {
    EXPECT_EQ(gpu.EndTraffic(c).count(), 200u);
    EXPECT_EQ(gpu.Get<regs::ClientResult>(TopMachine::ClientAt(c)).mismatches(), 0u);
  }
  EXPECT_GE(peers_, 200u * TopMachine::kEngines);
}

TEST_F(GpuPeer, APeerIsAbsentForEachReason) {
  const auto absent = [&](const char* why) {
    SCOPED_TRACE(why);
    const uint64_t before = peers_;
    EXPECT_EQ(Client(regs::Access::kRead), regs::Fault::kPeerAbsent);
    EXPECT_EQ(Client(regs::Access::kWrite), regs::Fault::kPeerAbsent);
    EXPECT_EQ(Engine(0x400000, 0x600000), regs::Fault::kPeerAbsent);
    EXPECT_EQ(Engine(0x600000, 0x400000), regs::Fault::kPeerAbsent);
    EXPECT_EQ(peers_, before) << "it was asked";
  };
  EXPECT_EQ(Client(regs::Access::kWrite), regs::Fault::kNone);
  Link(0, 0), absent("nobody is linked");
  Link(1, 0), absent("it is alone");
  Link(2, 1), absent("the index is not below the number");
  Link(3, 2), absent("it is this one");
  Link(3, 1);
  MapPeer(40, kPeerVram), absent("no such index");
  MapPeer(kPeer, uint64_t{1} << 42), absent("the offset has 43 bits");
  MapPeer(kPeer, uint64_t{1} << 47), absent("the offset has 48 bits");
  MapPeer(kPeer, kPeerVram);
  EXPECT_EQ(Engine(0x400000, 0x600000), regs::Fault::kNone);
  Link(7, 1);  // Adapter 6 is linked but does not respond: a bus error.
  MapPeer(6, kPeerVram);
  EXPECT_EQ(Client(regs::Access::kRead), regs::Fault::kBusRead);
  EXPECT_EQ(Engine(0x400000, 0x600000), regs::Fault::kBusWrite);
}

TEST_F(GpuPeer, InboundAccessesReachVramAndItsEndIsTheirs) {
  for (unsigned stall : {0u, 30u}) {
    gpu.vram.stall_percent = stall;
    gpu.vram.shuffle = stall != 0;
    peer.random = true;
    gpu.Run(4000);
    peer.Finish();
    const uint64_t errors = peer.errors, asked = gpu.vram.reads + gpu.vram.writes;
    for (uint64_t past :
         {TopMachine::kVramBytes, TopMachine::kVramBytes + 0x5000, uint64_t{1} << 41, uint64_t{1} << 47})
      peer.Ask(true, past, 3), peer.Ask(false, past, 3);
    peer.Finish();
    EXPECT_EQ(peer.errors, errors + 4 * 5);
    EXPECT_EQ(gpu.vram.reads + gpu.vram.writes, asked) << "past the end something was accessed";
  }
  EXPECT_GT(peer.reads, 200u);
  EXPECT_GT(peer.writes, 200u);
}

TEST_F(GpuPeer, InboundAccessesNeverWaitForTheHostPort) {
  // The GPU's accesses to the host and to peers never complete. They come from the paging engine,
  // and from clients that alternate between VRAM and the host or a peer.
  constexpr uint64_t kTurns[] = {0x680000, 0x6c0000};
  for (unsigned i = 0; i < 32; ++i) {
    const auto page = [&](regs::Target target, uint64_t offset) {
      return regs::PteEntry{}.set_valid(1).set_target(target).set_page((offset >> 12) + i / 2);
    };
    const auto own = page(regs::Target::kVram, 0x400000);
    gpu.Map(1, kTurns[0] + 4096 * i, i % 2 ? page(regs::Target::kPeer, kPeerVram).set_adapter(kPeer) : own);
    gpu.Map(1, kTurns[1] + 4096 * i, i % 2 ? page(regs::Target::kSystem, kSource) : own);
  }
  enum { kNothingTaken, kNoW, kNoBusMaster };
  for (int how : {kNothingTaken, kNoW, kNoBusMaster}) {
    SCOPED_TRACE(how);
    std::vector<uint64_t> words;
    for (unsigned i = 0; i < 8; ++i)
      for (uint64_t word : Copy(0x400000, i % 2 ? 0x420000 : 0x600000, 0x1000)) words.push_back(word);
    Put(0, tail_, words, ++fence_);
    tail_ = (tail_ + 1) % 16;
    Kick(0, tail_);
    gpu.Run(400);
    gpu.host.hold_w = true;
    gpu.host.stall_percent = how == kNothingTaken ? 100 : 0;
    const auto write = regs::ClientCtrl{}.set_space(1).set_access(regs::Access::kWrite);
    const auto read = regs::ClientCtrl{}.set_space(1).set_access(regs::Access::kRead);
    for (unsigned c = 0; c + 1 < TopMachine::kEngines; ++c)
      gpu.StartTraffic(c, c == 0 ? read : write, kTurns[c % 2], 0, 64, 32, 1);
    if (how == kNoBusMaster) gpu.t.bus_master_i = 0;
    gpu.Run(3000);
    const uint64_t reads = peer.reads, writes = peer.writes;
    peer.random = true;
    gpu.Until([&] { return peer.reads > reads + 100 && peer.writes > writes + 100; }, "inbound accesses");
    peer.Finish();
    // The window must still work.
    for (uint32_t i = 0; i < 20; ++i) gpu.WindowWrite(0x700000 + 8 * i, i + how);
    EXPECT_EQ(gpu.WindowRead(0x700000 + 8 * 19), 19u + how);
    // A client that uses only VRAM must still work.
    EXPECT_EQ(gpu.Traffic(TopMachine::kLast, write, 0x420000, 0, 1, 100, 1).count(), 100u);
    gpu.t.bus_master_i = 1;
    gpu.host.hold_w = false;
    gpu.host.stall_percent = 0;
    for (unsigned c = 0; c + 1 < TopMachine::kEngines; ++c) EXPECT_EQ(gpu.EndTraffic(c).count(), 32u);
    gpu.Until([&] { return Fence(0) == fence_; }, "the fence");
  }
}

TEST_F(GpuPeer, SilenceIsForItsOwnWorkOnly) {
  for (unsigned when : {300u, 700u, 1500u}) {
    peer.random = true;
    const auto traffic = regs::ClientCtrl{}.set_space(1).set_verify(1).set_access(regs::Access::kWrite);
    for (unsigned c = 0; c < TopMachine::kEngines; ++c)
      gpu.StartTraffic(c, traffic, c == 0 ? 0x600000 : 0x420000 + 0x8000 * c, 0, 1, 200, 1, c);
    gpu.Run(when);
    gpu.Set(regs::Ctrl{}.set_enable(1).set_silence(1));
    gpu.Until([&] { return gpu.Get<regs::Status>().silent() != 0; }, "silence under inbound load");
    const uint64_t answered = peer.reads + peer.writes;
    for (int i = 0; i < 20; ++i) EXPECT_TRUE(gpu.Get<regs::Status>().silent());
    gpu.Run(2000);
    EXPECT_GT(peer.reads + peer.writes, answered + 50);
    gpu.Set(regs::Ctrl{1});
    for (unsigned c = 0; c < TopMachine::kEngines; ++c) {
      EXPECT_EQ(gpu.EndTraffic(c).count(), 400u);
      EXPECT_EQ(gpu.Get<regs::ClientResult>(TopMachine::ClientAt(c)).mismatches(), 0u);
    }
    peer.Finish();
  }
}

TEST_F(GpuPeer, InboundAccessesAreNoWorkOfItsOwnButTheyKeepTheClock) {
  gpu.Until([&] { return gpu.t.idle_o; }, "the start");
  peer.random = true;
  peer.idle_percent = 0;
  gpu.vram.latency = 60;
  unsigned idle = 0;
  for (int i = 0; i < 30; ++i) {
    EXPECT_TRUE(gpu.Get<regs::Status>().idle());
    for (int k = 0; k < 50; ++k) gpu.Step(), idle += gpu.t.idle_o && peer.Unanswered() != 0;
  }
  EXPECT_EQ(idle, 0u) << "idle_o with a burst that has no answer";
  peer.Finish();
  gpu.Run(20);
  EXPECT_TRUE(gpu.t.idle_o);
}

TEST_F(GpuPeer, AResetUnderInboundLoadAnswersEverything) {
  for (unsigned when = 0; when < 9; ++when) {
    SCOPED_TRACE(when);
    gpu.vram.latency = when % 3 == 2 ? 6000 : 20;  // 6000: responses come after the time-out
    gpu.vram.stall_percent = when % 4 == 1 ? 50 : 0;
    peer.may_fail = false;
    peer.random = true;
    gpu.Run(100 + 37 * when);
    peer.may_fail = true;
    gpu.t.reset_i = 1;
    gpu.Step();
    gpu.t.reset_i = 0;
    gpu.Run(when % 3 == 2 ? 5000 : 600);
    gpu.vram.latency = 20;
    peer.Finish();
    gpu.vram.stall_percent = 0;
    gpu.Until([&] { return gpu.vram.idle() && gpu.t.idle_o; }, "the reset");
    // The peer reads its part of VRAM back.
    for (uint64_t at = PeerTraffic::kBase; at < PeerTraffic::kBase + PeerTraffic::kBytes; at += 4096)
      peer.Ask(true, at, 255), peer.Ask(true, at + 2048, 255);
    peer.Finish();
  }
  EXPECT_GT(peer.errors, 20u);
}

}  // namespace
}  // namespace gmmu::top
