// SPDX-License-Identifier: Apache-2.0
#include "pcie/config_space.h"

#include <cstring>

namespace gmmu::sim {
namespace {

constexpr unsigned kCommand = 0x04, kBar0 = 0x10, kCapabilities = 0x34;
constexpr uint32_t kBarAddress = ~uint32_t{0xF};

uint32_t PowerCode(unsigned bytes) {  // Encodes a power of two: 128 becomes 0, 256 becomes 1, ...
  uint32_t code = 0;
  while (code < 5 && (128u << code) < bytes) ++code;
  return code;
}

}  // namespace

ConfigSpace::ConfigSpace(const ConfigSpaceParameters& parameters) : parameters_(parameters) { Reset(); }

void ConfigSpace::Reset() {
  const ConfigSpaceParameters& p = parameters_;
  bytes_.fill(0);
  writable_.fill(0);
  Put(0x00, 4, p.vendor | uint32_t{p.device} << 16, 0);
  Put(kCommand, 4, 0x0010'0000, 0x0406);  // writable: memory, bus master, INTx disable; status: capability list
  Put(0x08, 4, p.class_code << 8 | p.revision, 0);
  Put(0x0C, 4, 0, 0xFF);  // cache line size: writable, without effect
  Put(kBar0, 4, 0, ~(p.bar0_bytes - 1));
  Put(kBar0 + 8, 4, 0, ~(p.bar2_bytes - 1));
  if (p.bar4_bytes != 0) Put(kBar0 + 16, 4, 0, ~(p.bar4_bytes - 1));
  Put(0x2C, 4, p.vendor | uint32_t{p.device} << 16, 0);
  Put(kCapabilities, 1, p.line_interrupt ? kExpress : kMsi, 0);
  Put(0x3C, 1, 0, 0xFF);  // interrupt line: writable by software, without effect
  if (p.line_interrupt) {
    Put(0x3D, 1, 1, 0);  // INTA
  } else {
    Put(kMsi, 4, 0x0080'0000u | kExpress << 8 | 0x05, 0x0001'0000);  // 64-bit address, one vector
    Put(kMsi + 4, 4, 0, 0xFFFF'FFFC);
    Put(kMsi + 8, 4, 0, 0xFFFF'FFFF);
    Put(kMsi + 12, 4, 0, 0xFFFF);
  }

  present_ = true;
  const uint32_t payload = PowerCode(p.max_payload);
  Put(kPower, 4, 0x0003'0001, 0);                  // version 3; the last capability
  Put(kPower + 4, 2, 0x0008, 0x0003);              // No_Soft_Reset; power state is writable
  Put(kExpress, 4, 0x0002'0010 | kPower << 8, 0);  // version 2, endpoint
  Put(kExpress + 4, 4, payload, 0);
  Put(kExpress + 8, 2, payload << 5 | PowerCode(p.max_read_request) << 12 | 1u << 4, 0x70F0);
  Put(kExpress + 12, 4, p.link_generation | p.link_lanes << 4, 0);
  Put(kExpress + 18, 2, p.link_generation | p.link_lanes << 4, 0);
  if (hook_) hook_();
}

void ConfigSpace::Put(unsigned offset, unsigned size, uint32_t value, uint32_t writable) {
  std::memcpy(&bytes_[offset], &value, size);
  std::memcpy(&writable_[offset], &writable, size);
}

uint32_t ConfigSpace::Word(unsigned offset) const {
  uint32_t value;
  std::memcpy(&value, &bytes_[offset], 4);
  return value;
}

uint16_t ConfigSpace::Half(unsigned offset) const {
  uint16_t value;
  std::memcpy(&value, &bytes_[offset], 2);
  return value;
}

uint32_t ConfigSpace::Read(uint16_t offset, unsigned size) const {
  if (!present_ || (size != 1 && size != 2 && size != 4) || offset % size != 0 || offset >= 4096) return ~uint32_t{0};
  if (offset >= bytes_.size()) return 0;
  uint32_t value = 0;
  std::memcpy(&value, &bytes_[offset], size);
  return value;
}

void ConfigSpace::Unplug() {
  present_ = false;
  if (hook_) hook_();
}

void ConfigSpace::Write(uint16_t offset, unsigned size, uint32_t value) {
  if (!present_ || (size != 1 && size != 2 && size != 4) || offset % size != 0 || offset >= bytes_.size()) return;
  bool changed = false;
  for (unsigned i = 0; i < size; ++i) {
    const uint8_t mask = writable_[offset + i];
    const auto wanted = static_cast<uint8_t>(value >> 8 * i);
    const auto now = static_cast<uint8_t>((bytes_[offset + i] & ~mask) | (wanted & mask));
    changed = changed || now != bytes_[offset + i];
    bytes_[offset + i] = now;
  }
  if (changed && hook_) hook_();
}

uint64_t ConfigSpace::bar_base(unsigned bar) const {
  return bar_bytes(bar) != 0 ? Word(kBar0 + 4 * bar) & kBarAddress : 0;
}

uint64_t ConfigSpace::bar_bytes(unsigned bar) const {
  return bar == 0 ? parameters_.bar0_bytes : bar == 2 ? parameters_.bar2_bytes : bar == 4 ? parameters_.bar4_bytes : 0;
}

bool ConfigSpace::bar_active(unsigned bar) const { return memory_enable() && powered() && bar_base(bar) != 0; }

}  // namespace gmmu::sim
