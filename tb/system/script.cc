// SPDX-License-Identifier: Apache-2.0
#include "tb/system/script.h"

#include <fmt/format.h>

#include "hw/crc32c.h"

namespace gmmu::test {
namespace {

using regs::Target;

constexpr unsigned kRingLg2 = 4, kFaultsLg2 = 7;
constexpr uint32_t kRing = regs::kRingBase;

}  // namespace

Script::Script(hw::Platform& platform) : p_(platform), bare_(platform) {
  bare_.PowerOn();
  Write(regs::FaultQueueBase::kOffset, kFaults);
  Write(regs::FaultQueueSize::kOffset, regs::FaultQueueSize().set_size_lg2(kFaultsLg2).set_enable(1).raw);
  Write(regs::Ctrl::kOffset, 1);
  bare_.Fill(kData, 1 << 20, 3);
}

void Script::Say(const std::string& name, uint64_t value) { Say(fmt::format("{} {:#x}", name, value)); }

void Script::SayVram(uint64_t offset, uint64_t bytes) {
  StartRing();
  Submit(fmt::format("VRAM {:#x}", offset), {Head(regs::Opcode::kCopy, 4,
                                                  regs::CommandHeaderWord()
                                                      .set_src_physical(1)
                                                      .set_src_target(Target::kVram)
                                                      .set_dst_physical(1)
                                                      .set_dst_target(Target::kSystem)
                                                      .raw),
                                             offset, kScratch, bytes});
  SayHost(kScratch, bytes);
}

void Script::SayHost(uint64_t address, uint64_t bytes) {
  const auto data = bare_.Bytes(address, bytes);
  Say(fmt::format("host {:#x}", address), hw::Crc32c(0, data.data(), data.size()));
}

bool Script::Until(uint32_t offset, uint64_t mask, uint64_t value) {
  for (int i = 0; i < 2000; ++i) {
    if ((Read(offset) & mask) == value) return true;
  }
  Say("nothing came");
  return false;
}

// ---- tables

void Script::MakeSpace(unsigned space) {
  const std::vector<uint64_t> zeros(1024, 0);
  bare_.WriteVram(Root(space), zeros.data(), zeros.size() * 8);
  PutVram(Root(space), Page(Target::kVram, Leaf(space)).raw);
  const uint32_t block = regs::kSpaceBase + regs::kSpaceStride * space;
  Write(block + regs::SpaceGeometry::kOffset,
        regs::SpaceGeometry().set_levels(2).set_bits0(9).set_bits1(9).set_root_entries(8).raw);
  Write(block + regs::SpaceRoot::kOffset,
        regs::SpaceRoot().set_address(Root(space)).set_target(Target::kVram).set_enable(1).raw);
  Until(regs::InvStatus::kOffset, 1, 0);
}

void Script::Map(unsigned space, uint64_t va, regs::PteEntry entry) { PutVram(Leaf(space) + va / 4096 * 8, entry.raw); }

regs::PteEntry Script::Page(Target target, uint64_t address) {
  return regs::PteEntry().set_valid(1).set_target(target).set_page(address / 4096);
}

// ---- ring 0

void Script::StartRing(bool privileged) {
  tail_ = 0;
  Write(kRing + regs::RingCtrl::kOffset, 0);
  Write(kRing + regs::RingTail::kOffset, 0);
  Write(kRing + regs::RingBase::kOffset, regs::RingBase().set_address(Bare::kRing).set_target(Target::kSystem).raw);
  Write(kRing + regs::RingFenceAddress::kOffset, Bare::kFence);
  Write(kRing + regs::RingCtrl::kOffset,
        regs::RingCtrl().set_size_lg2(kRingLg2).set_enable(1).set_privileged(privileged).raw);
}

uint64_t Script::Head(regs::Opcode opcode, unsigned words, uint64_t more) {
  return regs::CommandHeaderWord().set_opcode(opcode).set_words(words).raw | more;
}

void Script::Submit(const std::string& name, const std::vector<uint64_t>& words) {
  if (!p_.ram().Write(Bare::kBuffer, words.data(), words.size() * 8)) Say("no memory");
  SubmitEntry(
      name, Bare::kBuffer,
      regs::RingEntryShape().set_bytes(words.size() * 8).set_physical(1).set_target(Target::kSystem).set_irq(1).raw);
}

void Script::SubmitEntry(const std::string& name, uint64_t buffer, uint64_t shape) {
  const bool privileged = regs::RingCtrl{Read(kRing + regs::RingCtrl::kOffset)}.privileged() != 0;
  const uint64_t entry[4] = {buffer, shape, ++fence_, 0};
  if (!p_.ram().Write(Bare::kRing + 32 * tail_, entry, sizeof entry)) Say("no memory");
  tail_ = (tail_ + 1) % (1 << kRingLg2);
  Write(kRing + regs::RingTail::kOffset, tail_);
  for (int i = 0; i < 2000; ++i) {
    const regs::RingStatus status{Read(kRing + regs::RingStatus::kOffset)};
    if (status.error() != 0 || Read(kRing + regs::RingHead::kOffset) == tail_) break;
  }
  const regs::RingStatus status{Read(kRing + regs::RingStatus::kOffset)};
  uint64_t record = 0;
  if (!p_.ram().Read(Bare::kFence, &record, 8)) Say("no memory");
  Say(fmt::format("{}: {} head {} fence {} record {:#x}", name,
                  status.error() == 0 ? "done" : regs::NameOf(status.reason()), Read(kRing + regs::RingHead::kOffset),
                  Read(kRing + regs::RingLastFence::kOffset), record));
  if (status.error() != 0) {
    Say("  status", status.raw);
    Say("  command", Read(kRing + regs::RingErrorCommand::kOffset));
    Say("  address", Read(kRing + regs::RingErrorAddress::kOffset));
  }
  SayTrouble();
  if (status.error() != 0) StartRing(privileged);
}

// ---- clients

void Script::Client(const std::string& name, const Run& run) {
  const uint32_t block = regs::kClientBase + regs::kClientStride * run.client;
  Write(block + regs::ClientBase::kOffset, run.base);
  Write(block + regs::ClientLines::kOffset, regs::ClientLines().set_first(run.first).set_stride(run.stride).raw);
  Write(block + regs::ClientOrder::kOffset, regs::ClientOrder().set_count(run.count).set_step(run.step).raw);
  Write(block + regs::ClientSeed::kOffset, run.seed);
  Write(block + regs::ClientCtrl::kOffset, regs::ClientCtrl(run.ctrl).set_start(1).raw);
  Until(block + regs::ClientStatus::kOffset, 1, 0);
  Say(name + ": status", Read(block + regs::ClientStatus::kOffset));
  Say("  result", Read(block + regs::ClientResult::kOffset));
  Say("  fault address", Read(block + regs::ClientFaultAddress::kOffset));
  Say("  ctrl", Read(block + regs::ClientCtrl::kOffset));
  SayTrouble();
}

void Script::SayTrouble() {
  static_cast<void>(p_.WaitForMessage(5'000));  // lets messages in flight arrive
  const regs::FaultQueueTail tail{Read(regs::FaultQueueTail::kOffset)};
  for (; records_ % (1 << kFaultsLg2) != tail.index(); ++records_) {
    uint64_t record[4] = {};
    if (!p_.ram().Read(kFaults + 32 * (records_ % (1 << kFaultsLg2)), record, sizeof record)) Say("no memory");
    Say(fmt::format("  record what {:#x} where {:#x} number {}", record[0], record[1], record[3]));
  }
  Write(regs::FaultQueueHead::kOffset, tail.index());
  const uint64_t causes = Read(regs::IntStatus::kOffset);
  Say("  causes", causes);
  Write(regs::IntStatus::kOffset, causes);
}

}  // namespace gmmu::test
