// SPDX-License-Identifier: Apache-2.0
#include "tb/sim/host/linked.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace gmmu::sim {

using regs::Fault;
using regs::Target;

LinkedMachine::LinkedMachine(hw::Platform& p) : p_(p) {
  const unsigned count = p.firmware().gpus;
  for (unsigned unit = 0; unit < count; ++unit) {
    gpus_.push_back(std::make_unique<BareMachine>(p, unit));
    gpus_.back()->PowerOn();
    gpus_.back()->Link(count);
    std::vector<uint64_t> leaf;
    for (uint64_t i = 0; i < kPages; ++i)
      leaf.push_back(regs::PteEntry().set_valid(1).set_target(Target::kVram).set_page((kVram >> 12) + i).raw);
    for (unsigned peer = 0; peer < count; ++peer)
      for (uint64_t i = 0; i < kPages; ++i) leaf.push_back(PeerPage(peer, kVram + 4096 * i).raw);
    gpus_.back()->MapEntries(leaf);
    gpus_.back()->StartRing();
  }
}

regs::PteEntry LinkedMachine::PeerPage(unsigned unit, uint64_t offset) {
  return regs::PteEntry().set_valid(1).set_target(Target::kPeer).set_adapter(unit).set_page(offset >> 12);
}

std::vector<uint64_t> LinkedMachine::Copy(uint64_t from, uint64_t to, uint64_t bytes) {
  return {regs::CommandHeaderWord().set_opcode(regs::Opcode::kCopy).set_src_space(1).set_dst_space(1).set_words(4).raw,
          from, to, bytes};
}

std::vector<uint8_t> LinkedMachine::Pattern(uint8_t seed, size_t size) {
  std::vector<uint8_t> bytes(size);
  for (size_t i = 0; i < size; ++i) bytes[i] = static_cast<uint8_t>(i * 5 + i / 256 + seed * 61);
  return bytes;
}

void LinkedMachine::FillVram(unsigned unit, uint8_t seed) {
  const std::vector<uint8_t> bytes = Pattern(seed);
  gpu(unit).WriteVram(kVram, bytes.data(), bytes.size());
}

std::vector<uint8_t> LinkedMachine::Vram(unsigned unit, uint64_t offset, size_t size) {
  std::vector<uint8_t> bytes(size);
  p_.MmioReadBlock(gpu(unit).window() + kVram + offset, bytes.data(), size);
  return bytes;
}

bool LinkedMachine::AwaitAll(uint64_t bound_ns) {
  std::vector<bool> done(units());
  const uint64_t end = p_.NowNs() + bound_ns;
  while (!std::all_of(done.begin(), done.end(), [](bool d) { return d; })) {
    const uint64_t now = p_.NowNs();
    if (now >= end || !p_.WaitForMessage(end - now)) return false;
    const auto message = p_.TakeMessage();
    const unsigned unit = message->data - BareMachine::kMessageData;
    if (unit >= units() || gpu(unit).status().error() != 0) return false;
    gpu(unit).Write(regs::IntStatus::kOffset, 0x3F);
    done[unit] = gpu(unit).Fenced();
  }
  return true;
}

Fault LinkedMachine::StoppedBy(unsigned unit) {
  const Fault reason = gpu(unit).status().error() != 0 ? gpu(unit).status().reason() : Fault::kNone;
  gpu(unit).RestartRing();
  return reason;
}

// ---- contract tests for every engine

void RegistersAndVramAreEachGpusOwn(hw::Platform& p) {
  LinkedMachine m(p);
  for (unsigned unit = 0; unit < m.units(); ++unit) {
    m.gpu(unit).Write(regs::InvStart::kOffset, 0x1000 + unit);
    m.FillVram(unit, static_cast<uint8_t>(unit));
    EXPECT_EQ(regs::Link{m.gpu(unit).Read(regs::Link::kOffset)}.own(), unit);
    EXPECT_EQ(p.ConfigRead(m.gpu(unit).bdf(), 0, 2), p.firmware().gpu_vendor);
  }
  for (unsigned unit = 0; unit < m.units(); ++unit) {
    EXPECT_EQ(m.gpu(unit).Read(regs::InvStart::kOffset), 0x1000u + unit);
    EXPECT_EQ(m.Vram(unit), LinkedMachine::Pattern(static_cast<uint8_t>(unit))) << unit;
  }
  EXPECT_EQ(p.ConfigRead({static_cast<uint8_t>(1 + m.units()), 0, 0}, 0, 2), 0xFFFFu);
}

void CopiesGoToThePeersVramAndBack(hw::Platform& p) {
  LinkedMachine m(p);
  const unsigned last = m.units() - 1;
  constexpr uint64_t kHalf = LinkedMachine::kBytes / 2, kOdd = 77;
  m.FillVram(0, 1);
  m.FillVram(last, 2);
  // Copies to the peer; the address is unaligned, and the range crosses a page boundary.
  ASSERT_TRUE(m.gpu(0).Execute(m.Copy(m.Own(), m.Of(last, kOdd), kHalf)));
  std::vector<uint8_t> want = LinkedMachine::Pattern(2);
  const std::vector<uint8_t> mine = LinkedMachine::Pattern(1);
  std::copy_n(mine.begin(), kHalf, want.begin() + kOdd);
  EXPECT_EQ(m.Vram(last), want);
  EXPECT_EQ(m.Vram(0), mine);
  // Copies back to another range of the GPU's own VRAM.
  ASSERT_TRUE(m.gpu(0).Execute(m.Copy(m.Of(last, kOdd), m.Own(kHalf), kHalf)));
  std::vector<uint8_t> back = mine;
  std::copy_n(mine.begin(), kHalf, back.begin() + kHalf);
  EXPECT_EQ(m.Vram(0), back);
  EXPECT_EQ(m.Vram(last), want);
}

void ClientsReadThePeersVram(hw::Platform& p) {
  LinkedMachine m(p);
  m.FillVram(0, 3);
  m.FillVram(1, 3);
  constexpr uint32_t kLines = 64;
  const auto crc = [&](uint64_t base) {
    EXPECT_TRUE(m.gpu(0).ClientReads(kLines, base));
    return static_cast<uint32_t>(m.gpu(0).Read(regs::kClientBase + regs::ClientResult::kOffset));
  };
  const uint32_t own = crc(LinkedMachine::Own());
  EXPECT_EQ(crc(LinkedMachine::Of(1)), own);
  m.FillVram(1, 4);
  EXPECT_NE(crc(LinkedMachine::Of(1)), own);  // differs from the GPU's own VRAM
}

void TheFenceComesBehindThePeersAnswer(hw::Platform& p, uint64_t least_ns) {
  LinkedMachine m(p);
  m.FillVram(0, 1);
  const uint64_t began = p.NowNs();
  m.gpu(0).Submit(m.Copy(m.Own(), m.Of(1), 64));
  ASSERT_TRUE(m.gpu(0).Await());
  EXPECT_GE(p.NowNs() - began, least_ns);
  EXPECT_EQ(m.Vram(1, 0, 64), LinkedMachine::Pattern(1, 64));
}

void PeersThatAreNotLinkedAreAbsent(hw::Platform& p) {
  LinkedMachine m(p);
  BareMachine& gpu = m.gpu(0);
  const auto reason = [&](uint64_t to) {
    EXPECT_FALSE(gpu.Execute(m.Copy(m.Own(), to, 64)));
    return m.StoppedBy(0);
  };
  EXPECT_EQ(reason(m.Of(0)), Fault::kPeerAbsent);  // the GPU's own index is not a peer
  gpu.Link(1);
  EXPECT_EQ(reason(m.Of(1)), Fault::kPeerAbsent);
  gpu.Write(regs::Link::kOffset, 0);
  EXPECT_EQ(reason(m.Of(1)), Fault::kPeerAbsent);
  gpu.Link(m.units());
  const uint64_t beyond = m.PeerPage(1, uint64_t{1} << 42).raw;  // the link carries only 42 address bits
  gpu.WriteVram(0x2000, &beyond, 8);
  gpu.InvalidateSpace();
  EXPECT_EQ(reason(m.Own()), Fault::kPeerAbsent);
  EXPECT_TRUE(gpu.Execute(m.Copy(m.Own(4096), m.Of(1), 64)));
}

void WhatTheLinkDoesNotReachIsABusError(hw::Platform& p, uint64_t vram_bytes) {
  LinkedMachine m(p);
  BareMachine& gpu = m.gpu(0);
  gpu.Write(regs::Link::kOffset, regs::Link().set_adapters(7).set_own(0).raw);
  const uint64_t entries[2] = {m.PeerPage(1, vram_bytes).raw, m.PeerPage(m.units(), 0).raw};
  gpu.WriteVram(0x2000, entries, sizeof entries);
  gpu.InvalidateSpace();
  for (const uint64_t at : {m.Own(), m.Own(4096)}) {
    EXPECT_FALSE(gpu.Execute(m.Copy(m.Of(1), at, 64)));
    EXPECT_EQ(m.StoppedBy(0), Fault::kBusWrite);
    EXPECT_FALSE(gpu.Execute(m.Copy(at, m.Of(1), 64)));
    EXPECT_EQ(m.StoppedBy(0), Fault::kBusRead);
  }
}

void ARingSwitchedOnTakesWhatIsBelowItsTail(hw::Platform& p) {
  LinkedMachine m(p);
  BareMachine& gpu = m.gpu(0);
  EXPECT_FALSE(gpu.Execute(m.Copy(m.Own(), m.Of(0), 64)));
  gpu.StopRing();
  gpu.StartRing();  // the head is 0 again and the tail unchanged, so the entry is executed again
  EXPECT_FALSE(gpu.Await());
  EXPECT_EQ(m.StoppedBy(0), Fault::kPeerAbsent);
  EXPECT_FALSE(p.WaitForMessage(10'000));  // StoppedBy has set the tail to 0, so no entry runs
}

/// Every GPU writes to the next GPU and reads from the previous one, all concurrently.
void AllWriteIntoEachOtherAtOnce(hw::Platform& p) {
  LinkedMachine m(p);
  constexpr uint64_t kQuarter = LinkedMachine::kBytes / 4;
  constexpr unsigned kRounds = 12;
  const unsigned n = m.units();
  for (unsigned unit = 0; unit < n; ++unit) m.FillVram(unit, static_cast<uint8_t>(unit));
  for (unsigned unit = 0; unit < n; ++unit) {
    std::vector<uint64_t> commands;
    for (unsigned round = 0; round < kRounds; ++round) {
      for (const auto& copy : {m.Copy(m.Own(), m.Of((unit + 1) % n, kQuarter), kQuarter),
                               m.Copy(m.Of((unit + n - 1) % n), m.Own(2 * kQuarter), kQuarter)})
        commands.insert(commands.end(), copy.begin(), copy.end());
    }
    m.gpu(unit).Submit(commands);
  }
  ASSERT_TRUE(m.AwaitAll());
  for (unsigned unit = 0; unit < n; ++unit) {
    const auto before = LinkedMachine::Pattern(static_cast<uint8_t>((unit + n - 1) % n), kQuarter);
    EXPECT_EQ(m.Vram(unit, kQuarter, kQuarter), before) << unit;
    EXPECT_EQ(m.Vram(unit, 2 * kQuarter, kQuarter), before) << unit;
  }
}

void InterruptsAndRequestersAreEachGpusOwn(hw::Platform& p) {
  LinkedMachine m(p);
  for (unsigned unit = 0; unit < m.units(); ++unit) {
    std::vector<uint64_t> before, after;
    for (unsigned i = 0; i < m.units(); ++i) before.push_back(p.instruments()->BusAccesses(m.gpu(i).bdf()).total());
    ASSERT_TRUE(m.gpu(unit).Execute(m.Copy(m.Own(), m.Own(4096), 64)));  // Execute also checks the message's data
    for (unsigned i = 0; i < m.units(); ++i) {
      const uint64_t now = p.instruments()->BusAccesses(m.gpu(i).bdf()).total();
      EXPECT_EQ(now != before[i], i == unit) << i;
    }
  }
}

}  // namespace gmmu::sim
