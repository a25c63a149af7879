// SPDX-License-Identifier: Apache-2.0
#include "hw/recording.h"

#include <algorithm>
#include <cstring>

namespace gmmu::hw {
namespace {

constexpr unsigned kConfigBytes = 256;

uint64_t Ones(unsigned size) { return size >= 8 ? ~uint64_t{0} : (uint64_t{1} << 8 * size) - 1; }

uint64_t Get(const uint8_t* from, unsigned size) {
  uint64_t value = 0;
  std::memcpy(&value, from, size);
  return value;
}

}  // namespace

RecordingPlatform::RecordingPlatform(const Options& options)
    : options_(options),
      ram_(options.ram),
      vram_(options.vram_bytes),
      config_(kConfigBytes),
      config_writable_(kConfigBytes) {
  firmware_.ram = options.ram;
  firmware_.iommu_base = options.iommu_base;
  firmware_.gpu_vendor = options.vendor;
  firmware_.gpu_device = options.device;

  const auto put = [this](unsigned offset, unsigned size, uint32_t value, uint32_t writable) {
    std::memcpy(&config_[offset], &value, size);
    std::memcpy(&config_writable_[offset], &writable, size);
  };
  put(0x00, 4, options.vendor | uint32_t{options.device} << 16, 0);
  put(0x04, 4, 0x00100000, 0x0406);  // command: memory, bus master, no INTx; status: capabilities
  put(0x08, 4, 0x03000000, 0);       // display controller
  put(0x10, 4, 0, ~(options.bar0_bytes - 1));
  put(0x18, 4, 0, ~(options.bar2_bytes - 1));
  put(0x34, 1, kMsi, 0);
  put(kMsi, 4, 0x00800005, 0x00010000);  // MSI, last capability, 64-bit address, one vector
  put(kMsi + 4, 4, 0, 0xFFFFFFFC);
  put(kMsi + 8, 4, 0, 0xFFFFFFFF);
  put(kMsi + 12, 4, 0, 0xFFFF);
}

void RecordingPlatform::OnMmio(Range range, Handler handler) {
  mmio_.push_back({range, std::move(handler)});
}

void RecordingPlatform::OnRegister(Range offsets, Handler handler) {
  bar0_.push_back({offsets, std::move(handler)});
}

uint64_t RecordingPlatform::Register(uint32_t offset) const {
  const auto found = registers_.find(offset / 8);
  return found == registers_.end() ? 0 : found->second;
}

std::vector<RecordingPlatform::Access> RecordingPlatform::LogOf(Kind kind, Range range) const {
  std::vector<Access> accesses;
  std::copy_if(log_.begin(), log_.end(), std::back_inserter(accesses), [&](const Access& access) {
    return access.kind == kind && access.address >= range.start && access.address < range.end;
  });
  return accesses;
}

uint64_t RecordingPlatform::BarBase(unsigned bar) const {
  if ((bar != 0 && bar != 2) || (config_[4] & 2) == 0) return 0;
  return ConfigWord(0x10 + 4 * bar) & ~uint32_t{0xF};
}

Message RecordingPlatform::programmed_message() const {
  return {ConfigWord(kMsi + 4) | uint64_t{ConfigWord(kMsi + 8)} << 32,
          ConfigWord(kMsi + 12) & 0xFFFF};
}

uint32_t RecordingPlatform::ConfigWord(unsigned offset) const {
  return static_cast<uint32_t>(Get(&config_[offset], 4));
}

void RecordingPlatform::Log(Kind kind, uint64_t address, uint64_t size, uint64_t value) {
  log_.push_back({kind, address, size, value});
}

const RecordingPlatform::Mapped* RecordingPlatform::Find(const std::vector<Mapped>& handlers,
                                                         uint64_t address) {
  for (auto it = handlers.rbegin(); it != handlers.rend(); ++it) {
    if (address >= it->range.start && address < it->range.end) return &*it;
  }
  return nullptr;
}

uint8_t* RecordingPlatform::VramAt(uint64_t address, size_t size) {
  const uint64_t bar2 = BarBase(2);
  if (bar2 == 0 || address < bar2 || address - bar2 >= options_.bar2_bytes) return nullptr;
  const uint64_t at = Register(options_.window_base_register) + (address - bar2);
  return at <= vram_.size() && size <= vram_.size() - at ? vram_.data() + at : nullptr;
}

uint64_t RecordingPlatform::Load(uint64_t address, unsigned size) {
  if (const Mapped* mapped = Find(mmio_, address)) {
    if (!mapped->handler.read) return Ones(size);
    return mapped->handler.read(address - mapped->range.start, size) & Ones(size);
  }
  const uint64_t bar0 = BarBase(0);
  if (bar0 != 0 && address >= bar0 && address - bar0 < options_.bar0_bytes) {
    const uint64_t offset = address - bar0;
    if (const Mapped* mapped = Find(bar0_, offset)) {
      if (!mapped->handler.read) return Ones(size);
      return mapped->handler.read(offset - mapped->range.start, size) & Ones(size);
    }
    return Register(static_cast<uint32_t>(offset)) >> 8 * (offset % 8) & Ones(size);
  }
  if (const uint8_t* at = VramAt(address, size)) return Get(at, size);
  return Ones(size);
}

void RecordingPlatform::Store(uint64_t address, unsigned size, uint64_t value) {
  value &= Ones(size);
  if (const Mapped* mapped = Find(mmio_, address)) {
    if (mapped->handler.write) mapped->handler.write(address - mapped->range.start, size, value);
    return;
  }
  const uint64_t bar0 = BarBase(0);
  if (bar0 != 0 && address >= bar0 && address - bar0 < options_.bar0_bytes) {
    const uint64_t offset = address - bar0;
    if (const Mapped* mapped = Find(bar0_, offset)) {
      if (mapped->handler.write) mapped->handler.write(offset - mapped->range.start, size, value);
      return;
    }
    uint64_t& word = registers_[static_cast<uint32_t>(offset / 8)];
    const unsigned shift = 8 * (offset % 8);
    word = (word & ~(Ones(size) << shift)) | value << shift;
    return;
  }
  if (uint8_t* at = VramAt(address, size)) std::memcpy(at, &value, size);
}

uint64_t RecordingPlatform::MmioRead(uint64_t address, unsigned size) {
  now_ns_ += options_.step_ns;
  const uint64_t value = Load(address, size);
  Log(Kind::kMmioRead, address, size, value);
  return value;
}

void RecordingPlatform::MmioWrite(uint64_t address, unsigned size, uint64_t value) {
  now_ns_ += options_.step_ns;
  Log(Kind::kMmioWrite, address, size, value & Ones(size));
  Store(address, size, value);
}

void RecordingPlatform::MmioReadBlock(uint64_t address, void* to, size_t size) {
  now_ns_ += options_.step_ns;
  auto* out = static_cast<uint8_t*>(to);
  for (size_t done = 0; done < size; done += 8) {
    const uint64_t value = Load(address + done, 8);
    std::memcpy(out + done, &value, 8);
  }
  Log(Kind::kBlockRead, address, size, size >= 8 ? Get(out, 8) : 0);
}

void RecordingPlatform::MmioWriteBlock(uint64_t address, const void* from, size_t size) {
  now_ns_ += options_.step_ns;
  const auto* in = static_cast<const uint8_t*>(from);
  Log(Kind::kBlockWrite, address, size, size >= 8 ? Get(in, 8) : 0);
  for (size_t done = 0; done < size; done += 8) Store(address + done, 8, Get(in + done, 8));
}

uint32_t RecordingPlatform::ConfigRead(Bdf bdf, uint16_t offset, unsigned size) {
  now_ns_ += options_.step_ns;
  uint64_t value = Ones(size);
  if (bdf.requester_id() == options_.gpu.requester_id())
    value = offset + size <= kConfigBytes ? Get(&config_[offset], size) : 0;
  Log(Kind::kConfigRead, uint64_t{bdf.requester_id()} << 16 | offset, size, value);
  return static_cast<uint32_t>(value);
}

void RecordingPlatform::ConfigWrite(Bdf bdf, uint16_t offset, unsigned size, uint32_t value) {
  now_ns_ += options_.step_ns;
  Log(Kind::kConfigWrite, uint64_t{bdf.requester_id()} << 16 | offset, size, value);
  if (bdf.requester_id() != options_.gpu.requester_id() || offset + size > kConfigBytes) return;
  for (unsigned i = 0; i < size; ++i) {
    const uint8_t writable = config_writable_[offset + i];
    const auto byte = static_cast<uint8_t>(value >> 8 * i);
    config_[offset + i] =
        static_cast<uint8_t>((config_[offset + i] & ~writable) | (byte & writable));
  }
}

std::optional<Message> RecordingPlatform::TakeMessage() {
  now_ns_ += options_.step_ns;
  std::optional<Message> message;
  if (!messages_.empty()) {
    message = messages_.front();
    messages_.pop_front();
  }
  Log(Kind::kTakeMessage, message ? message->address : 0, 4, message ? message->data : 0);
  return message;
}

bool RecordingPlatform::WaitForMessage(uint64_t bound_ns) {
  now_ns_ += options_.step_ns;
  if (messages_.empty() && idle_) idle_();
  const bool pending = !messages_.empty();
  if (!pending) now_ns_ += bound_ns;
  Log(Kind::kWaitForMessage, 0, bound_ns, pending ? 1 : 0);
  return pending;
}

}  // namespace gmmu::hw
