// SPDX-License-Identifier: Apache-2.0
#include "host/bare_machine.h"

#include <map>
#include <stdexcept>
#include <string>

namespace gmmu::sim {
namespace {

void Require(bool good, const char* what) {
  if (!good) throw std::runtime_error(std::string("bare machine: ") + what);
}

}  // namespace

hw::Bdf BareMachine::bdf() const {
  hw::Bdf bdf = kGpu;
  bdf.bus = static_cast<uint8_t>(kGpu.bus + unit_);
  return bdf;
}

void BareMachine::PowerOn() {
  p_.ConfigWrite(bdf(), 0x10, 4, static_cast<uint32_t>(registers()));
  p_.ConfigWrite(bdf(), 0x18, 4, static_cast<uint32_t>(window()));
  p_.ConfigWrite(bdf(), 0x54, 4, 0xFEE00000);
  p_.ConfigWrite(bdf(), 0x5C, 2, kMessageData + unit_);
  p_.ConfigWrite(bdf(), 0x52, 2, 1);
  p_.ConfigWrite(bdf(), 0x04, 2, 6);
}

void BareMachine::StartRing() {
  const uint32_t ring = regs::kRingBase;
  Write(ring + regs::RingBase::kOffset,
        regs::RingBase().set_address(Host(kRing)).set_target(regs::Target::kSystem).raw);
  Write(ring + regs::RingFenceAddress::kOffset, Host(kFence));
  Write(ring + regs::RingCtrl::kOffset, regs::RingCtrl().set_size_lg2(4).set_enable(1).set_privileged(1).raw);
  Write(regs::IntEnable::kOffset, regs::IntEnable().set_enable(3).raw);
  Write(regs::Ctrl::kOffset, regs::Ctrl().set_enable(1).raw);
}

bool BareMachine::Execute(const std::vector<uint64_t>& commands) {
  Submit(commands);
  return Await();
}

void BareMachine::Submit(const std::vector<uint64_t>& commands) {
  const uint64_t entry[4] = {Host(kBuffer),
                             regs::RingEntryShape()
                                 .set_bytes(commands.size() * 8)
                                 .set_physical(1)
                                 .set_target(regs::Target::kSystem)
                                 .set_irq(1)
                                 .raw,
                             tail_ + 1, 0};
  Require(p_.ram().Write(Host(kBuffer), commands.data(), commands.size() * 8), "no page for commands");
  Require(p_.ram().Write(Host(kRing) + (tail_ % 16) * 32, entry, sizeof entry), "no page for the ring");
  ++tail_;
  Write(regs::kRingBase + regs::RingTail::kOffset, tail_ % 16);
}

bool BareMachine::Await() {
  if (!p_.WaitForMessage(bound_ns_)) return false;
  const auto message = p_.TakeMessage();
  Require(message->data == kMessageData + unit_ && message->address == 0xFEE00000, "another message");
  // The record must be in memory before the message arrives. Check it before the register read,
  // which would push a late record to memory.
  const bool fenced = Fenced();
  const bool good = status().error() == 0;
  if (good) Require(fenced, "the message came before the fence");
  Write(regs::IntStatus::kOffset, 0x3F);
  return good;
}

bool BareMachine::Fenced() {
  uint32_t fence = 0;
  Require(p_.ram().Read(Host(kFence), &fence, sizeof fence), "no page for the fence");
  return fence == tail_;
}

void BareMachine::StopRing() {
  Write(regs::kRingBase + regs::RingCtrl::kOffset, 0);
  for (int i = 0; i < 100 && (Read(regs::Status::kOffset) & 1) == 0; ++i) {}
}

void BareMachine::RestartRing() {
  StopRing();
  tail_ = 0;
  Write(regs::kRingBase + regs::RingTail::kOffset, 0);
  StartRing();
}

std::vector<uint64_t> BareMachine::Copy(regs::Target from, uint64_t source, regs::Target to, uint64_t destination,
                                        uint64_t bytes) {
  return {regs::CommandHeaderWord()
              .set_opcode(regs::Opcode::kCopy)
              .set_wait_writes(1)
              .set_src_physical(1)
              .set_dst_physical(1)
              .set_src_target(from)
              .set_dst_target(to)
              .set_words(4)
              .raw,
          source, destination, bytes};
}

void BareMachine::MapSpace(const std::vector<uint64_t>& pages) {
  std::vector<uint64_t> leaf;
  for (const uint64_t page : pages)
    leaf.push_back(regs::PteEntry().set_valid(1).set_target(regs::Target::kVram).set_page(page >> 12).raw);
  MapEntries(leaf);
}

void BareMachine::MapEntries(const std::vector<uint64_t>& leaf) {
  const uint64_t root = regs::PteEntry().set_valid(1).set_target(regs::Target::kVram).set_page(2).raw;
  WriteVram(0x1000, &root, 8);
  WriteVram(0x2000, leaf.data(), leaf.size() * 8);
  const uint32_t space = regs::kSpaceBase + regs::kSpaceStride;
  Write(space + regs::SpaceGeometry::kOffset,
        regs::SpaceGeometry().set_levels(2).set_bits0(9).set_bits1(9).set_root_entries(512).raw);
  Write(space + regs::SpaceRoot::kOffset,
        regs::SpaceRoot().set_address(0x1000).set_target(regs::Target::kVram).set_enable(1).raw);
  for (int i = 0; i < 100 && (Read(regs::InvStatus::kOffset) & 1) != 0; ++i) {}
}

void BareMachine::Link(unsigned adapters) {
  Write(regs::Link::kOffset, regs::Link().set_adapters(adapters).set_own(unit_).raw);
}

void BareMachine::WriteVram(uint64_t offset, const void* from, size_t size) {
  p_.MmioWriteBlock(window() + offset, from, size);
  (void)p_.MmioRead(window() + offset, 8);  // the read returns after the write has arrived
}

bool BareMachine::ClientReads(uint32_t lines, uint64_t base) {
  Write(regs::Ctrl::kOffset, regs::Ctrl().set_enable(1).raw);
  Write(regs::kClientBase + regs::ClientBase::kOffset, base);
  Write(regs::kClientBase + regs::ClientLines::kOffset, regs::ClientLines().set_stride(1).raw);
  Write(regs::kClientBase + regs::ClientOrder::kOffset, regs::ClientOrder().set_count(lines).set_step(1).raw);
  Write(regs::kClientBase + regs::ClientCtrl::kOffset, regs::ClientCtrl().set_start(1).set_space(1).raw);
  regs::ClientStatus status;
  for (int i = 0; i < 1000; ++i) {
    status.raw = Read(regs::kClientBase + regs::ClientStatus::kOffset);
    if (status.busy() == 0) break;
  }
  Require(status.busy() == 0, "the client did not end");
  return status.fault() == 0 && status.count() == lines;
}

void BareMachine::InvalidateSpace() {
  Write(regs::InvCmd::kOffset, regs::InvCmd().set_scope(regs::Scope::kSpace).set_space(1).raw);
  for (int i = 0; i < 100 && (Read(regs::InvStatus::kOffset) & 1) != 0; ++i) {}
}

void BareMachine::Put(uint64_t address, uint64_t word) {
  Require(p_.ram().Write(address, &word, 8), "no such host memory");
}

void BareMachine::Fill(uint64_t address, size_t size, uint8_t seed) {
  std::vector<uint8_t> bytes(size);
  for (size_t i = 0; i < size; ++i) bytes[i] = static_cast<uint8_t>(i * 7 + i / 256 + seed);
  Require(p_.ram().Write(address, bytes.data(), size), "no such host memory");
}

std::vector<uint8_t> BareMachine::Bytes(uint64_t address, size_t size) {
  std::vector<uint8_t> bytes(size);
  Require(p_.ram().Read(address, bytes.data(), size), "no such host memory");
  return bytes;
}

void BareMachine::TranslateDma(const std::vector<Mapping>& pages) {
  constexpr uint64_t kReadWrite = 3, kPresent = 1;
  Put(kRootTable + 1 * 16, kContextTable | kPresent);
  Put(kContextTable, kTop | kPresent);
  Put(kContextTable + 8, 2 | 1 << 8);  // 48-bit address width, domain 1
  uint64_t next = kTop + 0x1000;
  std::map<uint64_t, uint64_t> tables;  // next-level tables, by address of the entry pointing there
  for (const Mapping& mapping : pages) {
    uint64_t table = kTop;
    for (int shift = 39; shift > 12; shift -= 9) {
      const uint64_t entry = table + (mapping.logical >> shift & 511) * 8;
      const auto [found, fresh] = tables.try_emplace(entry, next);
      if (fresh) {
        Put(entry, next | kReadWrite);
        next += 0x1000;
      }
      table = found->second;
    }
    Put(table + (mapping.logical >> 12 & 511) * 8, mapping.host | kReadWrite);
  }
  const uint64_t unit = *p_.firmware().iommu_base;
  p_.MmioWrite(unit + 0x20, 8, kRootTable);
  p_.MmioWrite(unit + 0x18, 4, 1u << 30);
  Require((p_.MmioRead(unit + 0x1C, 4) & 1u << 30) != 0, "no root table pointer");
  p_.MmioWrite(unit + 0x18, 4, 1u << 31);
  Require((p_.MmioRead(unit + 0x1C, 4) & 1u << 31) != 0, "translation is off");
}

}  // namespace gmmu::sim
