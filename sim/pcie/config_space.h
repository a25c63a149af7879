// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <functional>

namespace gmmu::sim {

struct ConfigSpaceParameters {
  uint16_t vendor = 0x1234;
  uint16_t device = 0x474D;
  uint8_t revision = 0;
  uint32_t bar0_bytes = 64u << 10;  ///< registers; a power of two, at least 4 KiB
  uint32_t bar2_bytes = 64u << 20;  ///< window onto VRAM
  uint32_t bar4_bytes = 0;          ///< further registers; 0: no BAR4
  uint32_t class_code = 0x030000;
  bool line_interrupt = false;      ///< interrupt pin INTA instead of the MSI capability
  unsigned max_payload = 256;       ///< largest payload in the PCIe capability, 128..4096
  unsigned max_read_request = 512;  ///< reset value of Max_Read_Request_Size
  unsigned link_generation = 3;
  unsigned link_lanes = 8;
};

/// The interrupt message that software has programmed into the function's MSI capability: a write
/// of `data` to `address`, sent only while `enable` is set. Fields and words match message_t in
/// rtl/pkg/gmmu_pkg.sv.
struct FunctionMessage {
  bool enable = false;
  uint32_t data = 0;
  uint64_t address = 0;

  std::array<uint64_t, 2> Words() const { return {address, uint64_t{enable} << 32 | data}; }
};

/// The 256 bytes of configuration space of one GPU function: a type-0 header and the capabilities
/// MSI, PCI Express and power management.
///
///   0x00 vendor, device     0x04 command, status (capabilities)   0x08 class, revision
///   0x10 BAR0 (32-bit memory, registers)   0x18 BAR2 (32-bit memory, window)   0x34 -> 0x50
///   0x50 MSI: one vector, 64-bit address   0x60 PCI Express endpoint
///   0xA0 power management: D0 and D3, registers are kept in D3 (No_Soft_Reset)
///
/// Software sizes a BAR as usual: it writes all ones and reads the BAR back; the lowest address bit that reads 1 is the
/// size.
class ConfigSpace {
 public:
  static constexpr uint16_t kMsi = 0x50;
  static constexpr uint16_t kExpress = 0x60;
  static constexpr uint16_t kPower = 0xA0;

  explicit ConfigSpace(const ConfigSpaceParameters& parameters);

  /// `size` is 1, 2 or 4, naturally aligned, inside 4 KiB. Other accesses read all ones and write
  /// nothing. At offset 256 and above, reads return 0 and writes are dropped.
  uint32_t Read(uint16_t offset, unsigned size) const;
  void Write(uint16_t offset, unsigned size, uint32_t value);

  bool memory_enable() const { return present_ && (Word(0x04) & 2) != 0; }
  /// Whether the function may issue requests: bus mastering is enabled, and the function is in D0.
  bool bus_master() const { return present_ && (Word(0x04) & 4) != 0 && powered(); }
  bool intx_disable() const { return (Word(0x04) & 0x400) != 0; }

  /// Return the address and the size of BAR 0, 2 or 4. The size of any other BAR is 0.
  uint64_t bar_base(unsigned bar) const;
  uint64_t bar_bytes(unsigned bar) const;
  /// Whether the BAR responds: memory decoding is on, its address is not 0, and the function is in D0.
  bool bar_active(unsigned bar) const;

  FunctionMessage message() const {
    return {present_ && (Half(kMsi + 2) & 1) != 0, Half(kMsi + 12), Word(kMsi + 4) | uint64_t{Word(kMsi + 8)} << 32};
  }
  /// Returns the vector to which software has routed the interrupt pin, or 0 if software has not
  /// routed it.
  uint32_t line() const { return bytes_[0x3C]; }
  bool has_line() const { return parameters_.line_interrupt; }

  /// Whether the device's memory has power; false in D3.
  bool powered() const { return (Half(kPower + 4) & 3) == 0; }

  unsigned max_payload() const { return 128u << (Half(kExpress + 8) >> 5 & 7); }
  unsigned max_read_request() const { return 128u << (Half(kExpress + 8) >> 12 & 7); }

  /// Sets a hook that is called after each write that changes a register.
  void OnChange(std::function<void()> hook) { hook_ = std::move(hook); }

  /// Plugs the function in if it was unplugged, resets the registers and calls the hook.
  void Reset();
  /// Unplugs the function: it decodes no access, every configuration read returns all ones, and it
  /// issues no requests and no interrupt messages.
  void Unplug();
  bool present() const { return present_; }

 private:
  uint32_t Word(unsigned offset) const;
  uint16_t Half(unsigned offset) const;
  void Put(unsigned offset, unsigned size, uint32_t value, uint32_t writable);

  const ConfigSpaceParameters parameters_;
  std::array<uint8_t, 256> bytes_{};
  std::array<uint8_t, 256> writable_{};  ///< bits that software may change
  std::function<void()> hook_;
  bool present_ = true;
};

}  // namespace gmmu::sim
