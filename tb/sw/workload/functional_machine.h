// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "hw/gmmu_regs.h"
#include "hw/platform.h"
#include "iommu/vtd.h"
#include "pcie/address_map.h"
#include "pcie/config_space.h"
#include "platform/host_image.h"
#include "probe/reference_walk.h"
#include "workload/crc32c.h"

namespace gmmu::test {

struct FunctionalOptions {
  std::vector<hw::InUse> in_use;  ///< what the hardware claims to hold, always
  uint64_t ram_bytes = uint64_t{4} << 30;
  uint64_t vram_bytes = 64 << 20;
  bool iommu = true;
  unsigned clients = 4;
  bool drop_fence = false;  ///< fence records and completions are lost
  uint64_t flip_vram_after =
      0;  ///< after so many bytes of copies into VRAM one bit of the next is wrong
};

/// A test fake: a machine that does at once what the registers and commands ask for. No timing, no
/// bus; the GPU keeps every translation until it is flushed, and says so when the operating system
/// believes in a flush that did not happen.
class FunctionalMachine : public hw::Platform, private hw::Instruments {
 public:
  explicit FunctionalMachine(const FunctionalOptions& options)
      : options_(options),
        map_(options.ram_bytes, options.iommu),
        ram_(map_.ram()),
        iommu_memory_(ram_),
        config_(sim::ConfigSpaceParameters{}),
        iommu_(sim::VtdParameters{}),
        vram_(options.vram_bytes) {
    firmware_.ram = map_.ram();
    firmware_.iommu_base = map_.iommu_base();
    firmware_.gpu_vendor = 0x1234;
    firmware_.gpu_device = 0x474D;
    iommu_.set_message_sink([this](uint64_t address, uint32_t data) {
      messages_.push_back({address, data});
    });
    config_.OnChange([this] {
      for (unsigned bar : {0u, 2u}) {
        map_.SetBar(0, bar, config_.bar_base(bar),
                    config_.bar_active(bar) ? config_.bar_bytes(bar) : 0);
      }
    });
  }

  const hw::FirmwareTables& firmware() const override { return firmware_; }
  hw::HostRam& ram() override { return ram_; }

  uint64_t MmioRead(uint64_t address, unsigned size) override {
    now_ += 500;
    const sim::Decoded at = map_.Decode(address, size);
    if (at.region == sim::Region::kIommu)
      return iommu_.ReadRegister(static_cast<uint32_t>(at.offset), size);
    uint64_t value = ~uint64_t{0};
    if (at.region == sim::Region::kBar && at.bar == 0 && size == 8)
      return ReadRegister(static_cast<uint32_t>(at.offset));
    if (at.region == sim::Region::kBar && at.bar == 2) Window(at.offset, &value, size, false);
    return value;
  }
  void MmioWrite(uint64_t address, unsigned size, uint64_t value) override {
    now_ += 10;
    const sim::Decoded at = map_.Decode(address, size);
    if (at.region == sim::Region::kIommu) {
      iommu_.WriteRegister(static_cast<uint32_t>(at.offset), size, value);
      iommu_.RunQueue(iommu_memory_);
    }
    if (at.region == sim::Region::kBar && at.bar == 0 && size == 8)
      WriteRegister(static_cast<uint32_t>(at.offset), value);
    if (at.region == sim::Region::kBar && at.bar == 2) Window(at.offset, &value, size, true);
  }
  void MmioReadBlock(uint64_t address, void* to, size_t size) override {
    for (size_t i = 0; i < size; i += 8) {
      const uint64_t value = MmioRead(address + i, 8);
      std::memcpy(static_cast<uint8_t*>(to) + i, &value, 8);
    }
  }
  void MmioWriteBlock(uint64_t address, const void* from, size_t size) override {
    for (size_t i = 0; i < size; i += 8) {
      uint64_t value;
      std::memcpy(&value, static_cast<const uint8_t*>(from) + i, 8);
      MmioWrite(address + i, 8, value);
    }
  }
  uint32_t ConfigRead(hw::Bdf bdf, uint16_t offset, unsigned size) override {
    return IsGpu(bdf) ? config_.Read(offset, size) : ~0u >> (32 - 8 * size);
  }
  void ConfigWrite(hw::Bdf bdf, uint16_t offset, unsigned size, uint32_t value) override {
    if (IsGpu(bdf)) config_.Write(offset, size, value);
  }
  std::optional<hw::Message> TakeMessage() override {
    if (messages_.empty()) return std::nullopt;
    const hw::Message message = messages_.front();
    messages_.pop_front();
    return message;
  }
  bool WaitForMessage(uint64_t bound_ns) override {
    now_ += 100;
    if (!messages_.empty()) return true;
    now_ += bound_ns;
    return false;
  }
  uint64_t NowNs() override { return now_; }
  hw::Instruments* instruments() override { return this; }

  sim::VtdCore& iommu() { return iommu_; }
  std::vector<std::string> trouble;  ///< what no software should make a machine do

 private:
  struct Stop {
    regs::Fault reason;
    unsigned level;
    uint64_t address;
    bool physical;
  };
  using Space = std::pair<uint64_t, uint64_t>;  // geometry, root

  static bool IsGpu(hw::Bdf bdf) { return bdf.bus == 1 && bdf.device == 0 && bdf.function == 0; }

  // ---- memory behind the GPU

  bool System(uint64_t logical, void* bytes, size_t size, bool write) {
    auto* at = static_cast<uint8_t*>(bytes);
    ++(write ? bus_.writes : bus_.reads);
    if (!config_.bus_master()) return false;
    while (size != 0) {
      const size_t piece = std::min<size_t>(size, 4096 - logical % 4096);
      const sim::VtdResult result = iommu_.Translate(iommu_memory_, {0x100, logical, write});
      if (result.outcome != sim::VtdOutcome::kMemory) return false;
      const auto watched = watched_.find(result.hpa >> 12);
      if (watched != watched_.end()) ++watched->second;
      if (!(write ? ram_.Write(result.hpa, at, piece) : ram_.Read(result.hpa, at, piece)))
        return false;
      logical += piece, at += piece, size -= piece;
    }
    return true;
  }
  bool Vram(uint64_t offset, void* bytes, size_t size, bool write) {
    if (offset > vram_.size() || size > vram_.size() - offset) return false;
    write ? std::memcpy(&vram_[offset], bytes, size) : std::memcpy(bytes, &vram_[offset], size);
    return true;
  }
  /// Never crosses a page.
  void Target(regs::Target target, uint64_t offset, void* bytes, size_t size, bool write) {
    if (target == regs::Target::kVram) {
      if (!Vram(offset, bytes, size, write)) throw Stop{regs::Fault::kVramRange, 0, offset, true};
      return;
    }
    if (target == regs::Target::kAperture) {
      if (offset / 4096 >= words_[regs::AperturePages::kOffset])
        throw Stop{regs::Fault::kApertureRange, 0, offset, true};
      regs::ApertureEntryEntry entry;
      Vram(words_[regs::ApertureBase::kOffset] + offset / 4096 * 8, &entry.raw, 8, false);
      if (entry.valid() == 0) throw Stop{regs::Fault::kApertureEntry, 0, offset, true};
      offset = entry.page() * 4096 + offset % 4096;
    }
    if (!System(offset, bytes, size, write)) {
      throw Stop{write ? regs::Fault::kBusWrite : regs::Fault::kBusRead, 0, offset, true};
    }
  }
  sim::Translation Translate(unsigned space, uint64_t va, regs::Access access) {
    auto& cache = tlb_[space];
    const auto hit = cache.find(va >> 12);
    if (hit != cache.end()) {
      sim::Translation translation = hit->second;
      translation.gpa.offset |= va & 4095;
      return translation;
    }
    const auto config =
        sim::SpaceConfig::FromRegisters(words_[SpaceBlock(space)], words_[SpaceBlock(space) + 8]);
    sim::Translation translation =
        sim::ReferenceWalk(config, va, access, [this](regs::Target target, uint64_t address) {
          uint64_t entry = 0;
          const bool ok = target == regs::Target::kVram ? Vram(address, &entry, 8, false)
                                                        : System(address, &entry, 8, false);
          return ok ? std::optional(entry) : std::nullopt;
        });
    if (translation.fault != regs::Fault::kNone)
      throw Stop{translation.fault, translation.level, va, false};
    sim::Translation kept = translation;
    kept.gpa.offset &= ~uint64_t{4095};
    cache.emplace(va >> 12, kept);
    return translation;
  }
  void Access(bool physical, regs::Target target, unsigned space, uint64_t address, void* bytes,
              size_t size, bool write) {
    auto* at = static_cast<uint8_t*>(bytes);
    while (size != 0) {
      const size_t piece = std::min<size_t>(size, 4096 - address % 4096);
      if (physical) {
        Target(target, address, at, piece, write);
      } else {
        const auto found =
            Translate(space, address, write ? regs::Access::kWrite : regs::Access::kRead);
        if (found.zero) {
          if (!write) std::memset(at, 0, piece);
        } else {
          Target(found.gpa.target, found.gpa.offset, at, piece, write);
        }
      }
      address += piece, at += piece, size -= piece;
    }
  }

  // ---- registers

  static uint32_t SpaceBlock(unsigned space) {
    return regs::kSpaceBase + regs::kSpaceStride * space;
  }

  void Window(uint64_t offset, void* bytes, size_t size, bool write) {
    if (!Vram(words_[regs::WindowBase::kOffset] + offset, bytes, size, write))
      trouble.push_back("window past VRAM");
  }
  uint64_t ReadRegister(uint32_t offset) {
    switch (offset) {
      case regs::Id::kOffset:
        return regs::Id{}.set_magic(0x554D4D47).set_major(1).raw;
      case regs::Cap0::kOffset:
        return regs::Cap0{}
            .set_clients(options_.clients)
            .set_spaces(16)
            .set_walks(8)
            .set_rings(1)
            .set_reads(32)
            .set_bus_bytes(8)
            .set_va_bits(48)
            .set_pa_bits(48)
            .raw;
      case regs::VramSize::kOffset:
        return options_.vram_bytes;
      case regs::Cycle::kOffset:
        return now_;
      case regs::Status::kOffset:
        return 1;
      default:
        return words_[offset];
    }
  }
  void WriteRegister(uint32_t offset, uint64_t value) {
    if (offset == regs::IntStatus::kOffset) {
      words_[offset] &= ~value;
      if ((words_[offset] & words_[regs::IntEnable::kOffset]) != 0) SendMessage();
      return;
    }
    const uint64_t before = words_[offset];
    words_[offset] = value;
    if (offset == regs::InvCmd::kOffset) {
      regs::InvCmd command;
      command.raw = value;
      Flush(static_cast<unsigned>(command.space()), 0, ~uint64_t{0});
      words_[regs::InvStatus::kOffset] += uint64_t{1} << 32;
    } else if (offset >= regs::kSpaceBase && offset < regs::kClientBase && offset % 16 == 8) {
      if (before != value || words_[offset - 8] != committed_[offset]) {
        Flush((offset - regs::kSpaceBase) / regs::kSpaceStride, 0, ~uint64_t{0});
      }
      committed_[offset] = words_[offset - 8];
    } else if (offset == regs::kRingBase + regs::RingCtrl::kOffset) {
      words_[regs::kRingBase + regs::RingStatus::kOffset] = 0;
      words_[regs::kRingBase + regs::RingHead::kOffset] = 0;
      entries_ = 0;
    } else if (offset == regs::kRingBase + regs::RingTail::kOffset) {
      RunRing();
    } else if (offset >= regs::kClientBase && offset < regs::kPortCountersBase &&
               offset % regs::kClientStride == regs::ClientCtrl::kOffset) {
      RunClient((offset - regs::kClientBase) / regs::kClientStride);
    }
  }
  void SendMessage() {
    if (config_.msi_enable()) messages_.push_back({config_.msi_address(), config_.msi_data()});
  }
  void Cause(uint64_t bits) {
    const bool was = (words_[regs::IntStatus::kOffset] & bits) == bits;
    words_[regs::IntStatus::kOffset] |= bits;
    if (!was && (bits & words_[regs::IntEnable::kOffset]) != 0) SendMessage();
  }
  void Flush(unsigned space, uint64_t start, uint64_t end) {
    auto& cache = tlb_[space];
    if (start == 0 && end == ~uint64_t{0}) {
      cache.clear();
      return;
    }
    for (uint64_t page = start >> 12; page < (end + 4095) >> 12; ++page) cache.erase(page);
  }

  // ---- engine

  void LogFault(const Stop& stop, unsigned space, unsigned port, regs::Access access,
                uint32_t fence) {
    regs::FaultQueueSize size;
    size.raw = words_[regs::FaultQueueSize::kOffset];
    if (size.enable() == 0) return;
    uint64_t record[4] = {regs::FaultRecordWhat{}
                              .set_reason(stop.reason)
                              .set_space(space)
                              .set_port_index(port)
                              .set_access(access)
                              .set_level(stop.level)
                              .set_physical(stop.physical)
                              .set_fence(fence)
                              .raw,
                          stop.address, now_, sequence_++};
    uint64_t& tail = words_[regs::FaultQueueTail::kOffset];
    System(words_[regs::FaultQueueBase::kOffset] + 32 * tail, record, sizeof record, true);
    tail = (tail + 1) & ((uint64_t{1} << size.size_lg2()) - 1);
    Cause(regs::IntStatus{}.set_fault(1).raw);
  }
  void RunRing() {
    const uint32_t ring = regs::kRingBase;
    regs::RingCtrl control;
    control.raw = words_[ring + regs::RingCtrl::kOffset];
    uint64_t& head = words_[ring + regs::RingHead::kOffset];
    const uint64_t mask = (uint64_t{1} << control.size_lg2()) - 1;
    while (control.enable() != 0 && words_[ring + regs::RingStatus::kOffset] == 0 &&
           head != (words_[ring + regs::RingTail::kOffset] & mask)) {
      uint64_t entry[4] = {};
      regs::RingBase base;
      base.raw = words_[ring + regs::RingBase::kOffset];
      System(base.address() + 32 * head, entry, sizeof entry, false);
      regs::RingEntryShape shape;
      shape.raw = entry[1];
      const uint32_t fence = static_cast<uint32_t>(entry[2]);
      head = (head + 1) & mask;
      std::vector<uint64_t> commands(shape.bytes() / 8);
      uint64_t offset = 0;
      try {
        Access(shape.physical() != 0, static_cast<regs::Target>(shape.target()),
               static_cast<unsigned>(shape.space()), entry[0], commands.data(), shape.bytes(),
               false);
        while (offset < commands.size()) {
          regs::CommandHeaderWord header;
          header.raw = commands[offset];
          if (header.words() == 0 || header.words() > commands.size() - offset)
            throw Stop{regs::Fault::kCommandBad, 0, offset * 8, true};
          Execute(header, &commands[offset]);
          offset += header.words();
        }
      } catch (const Stop& stop) {
        LogFault(stop, 0, options_.clients + (stop.reason == regs::Fault::kBusWrite ? 2 : 1),
                 stop.reason == regs::Fault::kBusWrite ? regs::Access::kWrite : regs::Access::kRead,
                 fence);
        words_[ring + regs::RingStatus::kOffset] = regs::RingStatus{}
                                                       .set_error(1)
                                                       .set_reason(stop.reason)
                                                       .set_level(stop.level)
                                                       .set_fence(fence)
                                                       .raw;
        words_[ring + regs::RingErrorCommand::kOffset] =
            regs::RingErrorCommand{}
                .set_offset(offset * 8)
                .set_header(commands.empty() ? 0 : commands[offset] & 0xFFFFFFFF)
                .raw;
        words_[ring + regs::RingErrorAddress::kOffset] = stop.address;
        Cause(regs::IntStatus{}.set_ring_error(1).raw);
        return;
      }
      uint64_t record[2] = {
          regs::FenceRecordCompletion{}.set_fence(fence).set_entries(++entries_).raw, now_};
      if (options_.drop_fence) continue;
      System(words_[ring + regs::RingFenceAddress::kOffset], record, sizeof record, true);
      if (shape.interrupt() != 0) Cause(regs::IntStatus{}.set_fence(1).raw);
    }
  }
  void Execute(regs::CommandHeaderWord header, const uint64_t* words) {
    const auto destination = [&](uint64_t address, void* bytes, size_t size) {
      Access(header.dst_physical() != 0, static_cast<regs::Target>(header.dst_target()),
             static_cast<unsigned>(header.dst_space()), address, bytes, size, true);
    };
    switch (static_cast<regs::Opcode>(header.opcode())) {
      case regs::Opcode::kNop:
        break;
      case regs::Opcode::kCopy: {
        std::vector<uint8_t> bytes(words[3]);
        Access(header.src_physical() != 0, static_cast<regs::Target>(header.src_target()),
               static_cast<unsigned>(header.src_space()), words[1], bytes.data(), bytes.size(),
               false);
        copied_ += bytes.size();
        if (options_.flip_vram_after != 0 && copied_ > options_.flip_vram_after) {
          bytes[bytes.size() / 2] ^= 4;
          options_.flip_vram_after = 0;
        }
        destination(words[2], bytes.data(), bytes.size());
        break;
      }
      case regs::Opcode::kFill: {
        std::vector<uint8_t> bytes(words[2]);
        for (size_t i = 0; i < bytes.size(); ++i)
          bytes[i] = static_cast<uint8_t>(words[3] >> (8 * (i % 4)));
        destination(words[1], bytes.data(), bytes.size());
        break;
      }
      case regs::Opcode::kTableWrite: {
        std::vector<uint64_t> entries(words + 2, words + header.words());
        destination(words[1], entries.data(), entries.size() * 8);
        break;
      }
      case regs::Opcode::kTableRepeat: {
        std::vector<uint64_t> entries(words[2]);
        for (size_t i = 0; i < entries.size(); ++i) entries[i] = words[3] + i * words[4];
        destination(words[1], entries.data(), entries.size() * 8);
        break;
      }
      case regs::Opcode::kApertureMap:
      case regs::Opcode::kApertureList:
      case regs::Opcode::kApertureUnmap: {
        const uint64_t first = words[1] & 0xFFFFFFFF, pages = words[1] >> 32;
        for (uint64_t i = 0; i < pages; ++i) {
          uint64_t entry = words[2];
          if (header.opcode() == regs::Opcode::kApertureMap) entry += i << 12;
          if (header.opcode() == regs::Opcode::kApertureList) entry = words[2 + i];
          Vram(words_[regs::ApertureBase::kOffset] + 8 * (first + i), &entry, 8, true);
        }
        break;
      }
      case regs::Opcode::kFlushTlb: {
        const auto space = static_cast<unsigned>(header.dst_space());
        switch (static_cast<regs::Scope>(header.scope())) {
          case regs::Scope::kGlobal:
            tlb_.clear();
            break;
          case regs::Scope::kSpace:
            Flush(space, 0, ~uint64_t{0});
            break;
          case regs::Scope::kRange:
            Flush(space, words[1], words[2]);
            break;
        }
        break;
      }
      case regs::Opcode::kSignalFence: {
        uint64_t value = words[2];
        destination(words[1], &value, 8);
        if (header.interrupt() != 0) Cause(regs::IntStatus{}.set_fence(1).raw);
        break;
      }
      default:
        throw Stop{regs::Fault::kCommandBad, 0, 0, true};
    }
  }

  void RunClient(unsigned client) {
    const uint32_t block = regs::kClientBase + regs::kClientStride * client;
    regs::ClientCtrl control;
    control.raw = words_[block];
    if (control.start() == 0) return;
    const uint64_t base = words_[block + regs::ClientBase::kOffset];
    const uint64_t first = words_[block + regs::ClientLines::kOffset] & 0xFFFFFFFF;
    const uint64_t stride = words_[block + regs::ClientLines::kOffset] >> 32;
    const uint64_t count = words_[block + regs::ClientOrder::kOffset] & 0xFFFFFFFF;
    const uint64_t step = words_[block + regs::ClientOrder::kOffset] >> 32;
    uint32_t crc = 0;
    uint64_t k = 0, done = 0;
    regs::ClientStatus status;
    try {
      for (; done < count; ++done, k = (k + step) % count) {
        uint8_t line[64];
        Access(false, {}, static_cast<unsigned>(control.space()), base + 64 * (first + stride * k),
               line, 64, false);
        crc = workload::Crc32c(crc, line, 64);
      }
    } catch (const Stop& stop) {
      LogFault(stop, static_cast<unsigned>(control.space()), client, regs::Access::kRead, 0);
      status.set_fault(1).set_reason(stop.reason).set_level(stop.level);
      words_[block + regs::ClientFaultAddress::kOffset] = stop.address;
    }
    words_[block + regs::ClientStatus::kOffset] = status.set_count(done).raw;
    words_[block + regs::ClientResult::kOffset] = crc;
    Cause(regs::IntStatus{}.set_client(1).raw);
  }

  // ---- instruments

  std::vector<hw::Counter> Counters() override { return iommu_.Counters(); }
  std::vector<hw::Finding> Findings() override { return findings_; }
  hw::BusCounts BusTraffic(hw::Bdf) override { return bus_; }
  uint64_t PageAccesses(uint64_t pfn) override { return watched_[pfn]; }
  void NoteFlush(unsigned, unsigned space, uint64_t start, uint64_t end) override {
    for (const auto& [page, translation] : tlb_[space]) {
      if (page < start >> 12 || page > (end - 1) >> 12) continue;
      const auto config =
          sim::SpaceConfig::FromRegisters(words_[SpaceBlock(space)], words_[SpaceBlock(space) + 8]);
      const auto now = sim::ReferenceWalk(
          config, page << 12, regs::Access::kRead, [this](regs::Target target, uint64_t address) {
            uint64_t entry = 0;
            const bool ok = target == regs::Target::kVram ? Vram(address, &entry, 8, false)
                                                          : System(address, &entry, 8, false);
            return ok ? std::optional(entry) : std::nullopt;
          });
      if (!(now == translation))
        findings_.push_back({"translation", "a translation survived its flush"});
    }
  }
  uint64_t Cycles() override { return now_; }
  uint64_t CyclesEvaluated() override { return now_; }
  std::vector<hw::InUse> ResourcesInUse() override { return in_use_; }
  void LoseAnswer(unsigned, uint64_t) override { in_use_.push_back({"rtl_slot", "client 0"}); }

  FunctionalOptions options_;
  sim::AddressMap map_;
  hw::HostRam ram_;
  sim::RamOfIommu iommu_memory_;
  sim::ConfigSpace config_;
  sim::VtdCore iommu_;
  std::vector<uint8_t> vram_;
  hw::FirmwareTables firmware_;
  std::deque<hw::Message> messages_;
  std::unordered_map<uint32_t, uint64_t> words_, committed_;
  std::map<unsigned, std::unordered_map<uint64_t, sim::Translation>> tlb_;
  std::map<uint64_t, uint64_t> watched_;
  std::vector<hw::Finding> findings_;
  hw::BusCounts bus_;
  std::vector<hw::InUse> in_use_ = options_.in_use;
  uint64_t now_ = 0;
  uint64_t entries_ = 0;
  uint64_t sequence_ = 0;
  uint64_t copied_ = 0;
};

}  // namespace gmmu::test
