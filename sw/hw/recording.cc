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

RecordingPlatform::RecordingPlatform(const Options& options) : options_(options), ram_(options.ram) {
  firmware_.ram = options.ram;
  firmware_.iommu_base = options.iommu_base;
  firmware_.gpus = options.gpus;
  firmware_.gpu_vendor = options.vendor;
  firmware_.gpu_device = options.device;
  for (unsigned unit = 0; unit < options.gpus; ++unit) functions_.push_back(NewFunction(options, unit));
}

RecordingPlatform::Function RecordingPlatform::NewFunction(const Options& options, unsigned unit) {
  Function function;
  function.bdf = options.gpu;
  function.bdf.bus = static_cast<uint8_t>(options.gpu.bus + unit);
  function.vram.resize(options.vram_bytes);
  function.config.resize(kConfigBytes);
  function.config_writable.resize(kConfigBytes);
  const auto put = [&](unsigned offset, unsigned size, uint32_t value, uint32_t writable) {
    std::memcpy(&function.config[offset], &value, size);
    std::memcpy(&function.config_writable[offset], &writable, size);
  };
  put(0x00, 4, options.vendor | uint32_t{options.device} << 16, 0);
  put(0x04, 4, 0x00100000, 0x0406);  // command: memory, bus master, INTx off; status: capabilities
  put(0x08, 4, 0x03000000, 0);       // display controller
  put(0x10, 4, 0, ~(options.bar0_bytes - 1));
  put(0x18, 4, 0, ~(options.bar2_bytes - 1));
  put(0x34, 1, kMsi, 0);
  put(kMsi, 4, 0x00800005, 0x00010000);  // MSI, 64-bit address, one vector; the last capability
  put(kMsi + 4, 4, 0, 0xFFFFFFFC);
  put(kMsi + 8, 4, 0, 0xFFFFFFFF);
  put(kMsi + 12, 4, 0, 0xFFFF);
  return function;
}

void RecordingPlatform::OnMmio(Range range, Handler handler) { mmio_.push_back({range, std::move(handler)}); }

void RecordingPlatform::OnRegister(Range offsets, Handler handler, unsigned unit) {
  functions_[unit].bar0.push_back({offsets, std::move(handler)});
}

uint64_t RecordingPlatform::Register(uint32_t offset, unsigned unit) const { return functions_[unit].Register(offset); }

uint64_t RecordingPlatform::Function::Register(uint32_t offset) const {
  const auto found = registers.find(offset / 8);
  return found == registers.end() ? 0 : found->second;
}

std::vector<RecordingPlatform::Access> RecordingPlatform::LogOf(Kind kind, Range range) const {
  std::vector<Access> accesses;
  std::copy_if(log_.begin(), log_.end(), std::back_inserter(accesses), [&](const Access& access) {
    return access.kind == kind && access.address >= range.start && access.address < range.end;
  });
  return accesses;
}

uint64_t RecordingPlatform::BarBase(unsigned bar, unsigned unit) const { return functions_[unit].BarBase(bar); }

uint64_t RecordingPlatform::Function::BarBase(unsigned bar) const {
  if ((bar != 0 && bar != 2) || (config[4] & 2) == 0) return 0;
  return ConfigWord(0x10 + 4 * bar) & ~uint32_t{0xF};
}

Message RecordingPlatform::programmed_message(unsigned unit) const {
  const Function& function = functions_[unit];
  return {function.ConfigWord(kMsi + 4) | uint64_t{function.ConfigWord(kMsi + 8)} << 32,
          function.ConfigWord(kMsi + 12) & 0xFFFF};
}

uint32_t RecordingPlatform::Function::ConfigWord(unsigned offset) const {
  return static_cast<uint32_t>(Get(&config[offset], 4));
}

RecordingPlatform::Function* RecordingPlatform::At(Bdf bdf) {
  const auto found = std::find_if(functions_.begin(), functions_.end(),
                                  [&](const Function& f) { return f.bdf.requester_id() == bdf.requester_id(); });
  return found == functions_.end() ? nullptr : &*found;
}

RecordingPlatform::Function* RecordingPlatform::Holding(unsigned bar, uint64_t address) {
  const uint64_t bytes = bar == 0 ? options_.bar0_bytes : options_.bar2_bytes;
  for (Function& function : functions_) {
    const uint64_t base = function.BarBase(bar);
    if (base != 0 && address >= base && address - base < bytes) return &function;
  }
  return nullptr;
}

void RecordingPlatform::Log(Kind kind, uint64_t address, uint64_t size, uint64_t value) {
  log_.push_back({kind, address, size, value});
}

const RecordingPlatform::Mapped* RecordingPlatform::Find(const std::vector<Mapped>& handlers, uint64_t address) {
  for (auto it = handlers.rbegin(); it != handlers.rend(); ++it) {
    if (address >= it->range.start && address < it->range.end) return &*it;
  }
  return nullptr;
}

uint8_t* RecordingPlatform::VramAt(uint64_t address, size_t size) {
  Function* function = Holding(2, address);
  if (function == nullptr) return nullptr;
  std::vector<uint8_t>& vram = function->vram;
  const uint64_t at = function->Register(options_.window_base_register) + (address - function->BarBase(2));
  return at <= vram.size() && size <= vram.size() - at ? vram.data() + at : nullptr;
}

uint64_t RecordingPlatform::Load(uint64_t address, unsigned size) {
  if (const Mapped* mapped = Find(mmio_, address)) {
    if (!mapped->handler.read) return Ones(size);
    return mapped->handler.read(address - mapped->range.start, size) & Ones(size);
  }
  if (const Function* function = Holding(0, address)) {
    const uint64_t offset = address - function->BarBase(0);
    if (const Mapped* mapped = Find(function->bar0, offset)) {
      if (!mapped->handler.read) return Ones(size);
      return mapped->handler.read(offset - mapped->range.start, size) & Ones(size);
    }
    return function->Register(static_cast<uint32_t>(offset)) >> 8 * (offset % 8) & Ones(size);
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
  if (Function* function = Holding(0, address)) {
    const uint64_t offset = address - function->BarBase(0);
    if (const Mapped* mapped = Find(function->bar0, offset)) {
      if (mapped->handler.write) mapped->handler.write(offset - mapped->range.start, size, value);
      return;
    }
    uint64_t& word = function->registers[static_cast<uint32_t>(offset / 8)];
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
  if (const Function* function = At(bdf))
    value = offset + size <= kConfigBytes ? Get(&function->config[offset], size) : 0;
  Log(Kind::kConfigRead, uint64_t{bdf.requester_id()} << 16 | offset, size, value);
  return static_cast<uint32_t>(value);
}

void RecordingPlatform::ConfigWrite(Bdf bdf, uint16_t offset, unsigned size, uint32_t value) {
  now_ns_ += options_.step_ns;
  Log(Kind::kConfigWrite, uint64_t{bdf.requester_id()} << 16 | offset, size, value);
  Function* function = At(bdf);
  if (function == nullptr || offset + size > kConfigBytes) return;
  for (unsigned i = 0; i < size; ++i) {
    const uint8_t writable = function->config_writable[offset + i];
    const auto byte = static_cast<uint8_t>(value >> 8 * i);
    uint8_t& held = function->config[offset + i];
    held = static_cast<uint8_t>((held & ~writable) | (byte & writable));
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
