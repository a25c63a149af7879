// SPDX-License-Identifier: Apache-2.0
// The CPU's side: its accesses on their way to the board, and interrupt messages.
#include "board/machine.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "board/sizes.h"
#include "hw/gmmu_regs.h"
#include "platform/engine.h"
#include "platform/machine_parts.h"
#include "twin/time_model.h"

namespace gmmu::sim::board {
namespace {

constexpr uint64_t kForever = ~uint64_t{0};
constexpr size_t kWord = 8;
constexpr size_t kBlockBytes = kMostWords * kWord;
constexpr size_t kWriteBytes = kBlockBytes - kWord;  // the message with them fits into a frame
constexpr uint64_t kLookNs = 10'000'000'000;         // in a wait without a bound: is the GPU still at work?

uint64_t Ones(unsigned size) { return size >= kWord ? kForever : (uint64_t{1} << (8 * size)) - 1; }

/// A PC around a board has the host's own times.
twin::TimeParameters NoTime() {
  twin::TimeParameters time;
  time.iommu_lookup_ps = time.iommu_descriptor_ps = time.pcie_latency_ps = 0;
  time.dram.controller_ps = time.dram.trcd_ps = time.dram.tcas_ps = time.dram.burst_ps = 0;
  return time;
}

}  // namespace

Machine::Machine(const MachineConfig& config, std::unique_ptr<Board> board)
    : config_(config),
      board_(std::move(board)),
      map_(config.host.memory_bytes(), config.iommu.present),
      ram_(map_.ram()),
      space_(ConfigSpaceOf(config.pcie)) {
  host_ = std::make_unique<twin::Host>(ram_,
                                       config.iommu.present ? std::make_unique<VtdCore>(VtdOf(config.iommu)) : nullptr,
                                       NoTime(), agenda_,
                                       [this](uint64_t address, uint32_t data) { Deliver(address, data); });
  space_.OnChange([this] {
    for (const unsigned bar : {0u, 2u})
      map_.SetBar(0, bar, space_.bar_base(bar), space_.bar_active(bar) ? space_.bar_bytes(bar) : 0);
  });
  ReserveForGpu(map_.ram(), config.host.gpu_reserved_kib << 10, firmware_);
  firmware_.iommu_base = config.iommu.present ? map_.iommu_base() : std::nullopt;
  firmware_.gpus = 1;
  firmware_.gpu_sizes_in_use = TurnedDown(config, board_->identity()).raw;
  firmware_.gpu_vendor = static_cast<uint16_t>(space_.Read(0, 2));
  firmware_.gpu_device = static_cast<uint16_t>(space_.Read(2, 2));
  board_->set_bound_ns(config.gpu.mmio_bound_ns);
  board_->set_server(this);
}

Machine::~Machine() { board_->set_server(nullptr); }

// ---- time

/// Performs the work that is due at the host's end.
void Machine::Act() {
  const uint64_t now = NowNs();
  agenda_.RunUntil(now * 1000);
  while (!held_.empty() && held_.front().until_ns <= now) {
    const Held& held = held_.front();
    board_->Complete(held.read.id, held.read.beats, held.ok, held.data);
    held_.pop_front();
  }
}

/// Services the link until a message came, work is due here, or the time has passed.
void Machine::Work(uint64_t machine_ns) {
  Act();
  if (!messages_.empty()) return;
  const uint64_t now = NowNs();
  const auto until = [now](uint64_t ns) { return ns > now ? ns - now : 0; };
  if (!agenda_.empty()) machine_ns = std::min(machine_ns, until(agenda_.next() / 1000 + 1));
  if (!held_.empty()) machine_ns = std::min(machine_ns, until(held_.front().until_ns));
  board_->Work(board_->clock().ToWallNs(machine_ns));
  Act();
}

// ---- accesses of the CPU

uint64_t Machine::ReadGpu(uint32_t offset, const std::string& what) {
  const uint64_t word = board_->AskWord(ReadRegister(offset), what);
  // A configuration may specify less VRAM than the board has.
  return offset == regs::VramSize::kOffset ? std::min(word, config_.gpu.vram_bytes()) : word;
}

uint64_t Machine::MmioRead(uint64_t address, unsigned size) {
  Act();
  const Decoded where = map_.Decode(address, size);
  uint64_t value = 0;
  if (where.region == Region::kRam) return ram_.Read(address, &value, size) ? value : Ones(size);
  if (where.region == Region::kIommu) {
    board_->Work(0);
    return host_->ReadRegister(static_cast<uint32_t>(where.offset), size);
  }
  if (where.region != Region::kBar) return Ones(size);
  ++requests_;
  const auto word = static_cast<uint32_t>(where.offset & ~(kWord - 1));
  const std::string what = fmt::format("a read of {} bytes at {:#x}", size, address);
  value = where.bar == 0 ? ReadGpu(word, what) : board_->AskWord(ReadWindow(word, 1), what);
  return value >> 8 * (where.offset % kWord) & Ones(size);
}

void Machine::MmioWrite(uint64_t address, unsigned size, uint64_t value) {
  Act();
  const Decoded where = map_.Decode(address, size);
  if (where.region == Region::kRam) {
    static_cast<void>(ram_.Write(address, &value, size));
  } else if (where.region == Region::kIommu) {
    board_->Work(0);  // first serves accesses that the GPU sent earlier, with the old programming
    host_->WriteRegister(static_cast<uint32_t>(where.offset), size, value);
    Act();
  } else if (where.region == Region::kBar) {
    ++writes_;
    const auto lane = static_cast<unsigned>(where.offset % kWord);
    const auto word = static_cast<uint32_t>(where.offset - lane);
    const auto strobes = static_cast<uint8_t>(((1u << size) - 1) << lane);
    const uint64_t shifted = value << 8 * lane;
    board_->Post(where.bar == 0 ? WriteRegister(word, strobes, shifted) : WriteWindow(word, strobes, &shifted, 1),
                 fmt::format("a write of {} bytes at {:#x}", size, address));
  }
}

std::vector<Bytes> Machine::BlockReads(const Decoded& where, size_t size) const {
  std::vector<Bytes> reads;
  for (size_t at = 0; at < size;) {
    const size_t piece = where.bar == 0 ? kWord : std::min(size - at, kBlockBytes);
    const auto offset = static_cast<uint32_t>(where.offset + at);
    reads.push_back(where.bar == 0 ? ReadRegister(offset) : ReadWindow(offset, static_cast<unsigned>(piece / kWord)));
    at += piece;
  }
  return reads;
}

void Machine::MmioReadBlock(uint64_t address, void* to, size_t size) {
  const Decoded where = map_.Decode(address, size);
  auto* bytes = static_cast<uint8_t*>(to);
  if (where.region != Region::kBar) {
    for (size_t at = 0; at < size; at += kWord) {
      const uint64_t word = MmioRead(address + at, kWord);
      std::memcpy(bytes + at, &word, kWord);
    }
    return;
  }
  Act();
  const std::vector<Bytes> reads = BlockReads(where, size);
  requests_ += reads.size();
  for (const CpuAnswer& answer : board_->Ask(reads, fmt::format("a read of {} bytes at {:#x}", size, address))) {
    for (const uint64_t word : answer.words) {
      const uint64_t seen = answer.ok ? word : kForever;
      std::memcpy(bytes, &seen, kWord);
      bytes += kWord;
    }
  }
}

void Machine::MmioWriteBlock(uint64_t address, const void* from, size_t size) {
  const auto* bytes = static_cast<const uint8_t*>(from);
  const Decoded where = map_.Decode(address, size);
  const std::string what = fmt::format("a write of {} bytes at {:#x}", size, address);
  Act();
  for (size_t at = 0; at < size;) {
    uint64_t words[kMostWords];
    const bool window = where.region == Region::kBar && where.bar == 2;
    const size_t piece = window ? std::min(size - at, kWriteBytes) : kWord;
    std::memcpy(words, bytes + at, piece);
    if (window) {
      ++writes_;
      board_->Post(WriteWindow(static_cast<uint32_t>(where.offset + at), 0xFF, words,
                               static_cast<unsigned>(piece / kWord)),
                   what);
    } else {
      MmioWrite(address + at, kWord, words[0]);
    }
    at += piece;
  }
}

// ---- configuration space, which is at this end

uint32_t Machine::ConfigRead(hw::Bdf bdf, uint16_t offset, unsigned size) {
  Act();
  board_->Work(0);
  if (bdf.requester_id() != BdfOf(0).requester_id()) return static_cast<uint32_t>(Ones(size));
  ++requests_;
  return space_.Read(offset, size);
}

void Machine::ConfigWrite(hw::Bdf bdf, uint16_t offset, unsigned size, uint32_t value) {
  Act();
  if (bdf.requester_id() != BdfOf(0).requester_id()) return;
  ++requests_;
  const bool powered = space_.powered();
  space_.Write(offset, size, value);
  DriveStraps();
  if (powered && !space_.powered()) LosePower();
}

/// Sends the PCI function's permissions to the board, after the earlier requests, and waits until they take effect. By
/// then all that the GPU sent before has arrived.
void Machine::DriveStraps() {
  const uint64_t control = (space_.bus_master() ? kControlBusMaster : 0) | (space_.msi_enable() ? kControlMsi : 0);
  const uint64_t address = space_.msi_address(), data = space_.msi_data();
  if (control == control_ && address == message_address_ && data == message_data_) return;
  const std::string what = "the GPU's PCI function";
  if (address != message_address_) board_->Post(WriteBoard(kMessageAddress, address), what);
  if (data != message_data_) board_->Post(WriteBoard(kMessageData, data), what);
  if (control != control_) board_->Post(WriteBoard(kControl, control), what);
  control_ = control;
  message_address_ = address;
  message_data_ = data;
  static_cast<void>(board_->AskWord(ReadBoard(kControl), what));
}

/// The board's memory keeps its contents; another key changes how they read.
void Machine::LosePower() {
  constexpr uint64_t kKeys = 0xFFFF, kStep = 0x9E37;  // odd: every key is used before one repeats
  vram_key_ = (vram_key_ + kStep) & kKeys;
  static_cast<void>(board_->AskWord(ReadWindow(0, 1), "VRAM before its power goes"));  // writes have come to the chip
  board_->Post(WriteBoard(kVramKey, vram_key_), "the GPU's power");
}

// ---- messages

void Machine::Deliver(uint64_t address, uint32_t data) {
  const uint64_t late = config_.inject.late_interrupt_ns;
  if (late == 0) return messages_.push_back({address, data});
  agenda_.At(agenda_.now() + (late > kForever / 2000 ? kForever / 2 : late * 1000),
             [this, address, data] { messages_.push_back({address, data}); });
}

std::optional<hw::Message> Machine::TakeMessage() {
  Act();
  if (messages_.empty()) return std::nullopt;
  const hw::Message message = messages_.front();
  messages_.pop_front();
  return message;
}

bool Machine::WaitForMessage(uint64_t bound_ns) {
  const uint64_t start = NowNs();
  uint64_t looked = start, accesses = host_accesses_;
  for (;;) {
    const uint64_t passed = NowNs() - start;
    Work(passed < bound_ns ? bound_ns - passed : 0);
    if (!messages_.empty()) return true;
    if (NowNs() - start >= bound_ns) return false;
    if (bound_ns != kForever || NowNs() - looked < kLookNs) continue;
    looked = NowNs();
    const bool idle = (board_->AskWord(ReadBoard(kStatus), "the board's status") & kStatusIdle) != 0;
    if (idle && accesses == host_accesses_ && messages_.empty() && held_.empty() && agenda_.empty()) {
      throw EngineError(
          fmt::format("the machine stands still at {} ns: the GPU is idle, and nothing can end the wait for an "
                      "interrupt message",
                      NowNs()));
    }
    accesses = host_accesses_;
  }
}

}  // namespace gmmu::sim::board
