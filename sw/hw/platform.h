// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "hw/host_ram.h"

namespace gmmu::hw {

/// A PCI bus, device and function number.
struct Bdf {
  uint8_t bus = 0;
  uint8_t device = 0;
  uint8_t function = 0;
  uint16_t requester_id() const { return static_cast<uint16_t>(bus << 8 | device << 3 | function); }
  std::string ToString() const;  // "01:00.0"
};

/// A message-signalled interrupt as received by the CPU: a write of `data` to 0xFEExxxxx.
struct Message {
  uint64_t address = 0;
  uint32_t data = 0;
};

/// The tables in which firmware describes the machine to the operating system.
struct FirmwareTables {
  std::vector<Range> ram;              ///< installed RAM that the operating system may use
  std::vector<Range> hot_add;          ///< RAM that is offline until software adds it (SRAT, hot-pluggable)
  std::optional<Range> gpu_reserved;   ///< installed RAM that firmware reserves for the GPU
  std::optional<uint64_t> iommu_base;  ///< base of the VT-d unit's registers (DMAR); absent: no IOMMU
  unsigned gpus = 1;                   ///< GPU functions: 01:00.0, 02:00.0, ...
  uint64_t gpu_sizes_in_use = 0;       ///< value for register sizes_in_use; 0: the driver does not write it
  uint16_t gpu_vendor = 0;
  uint16_t gpu_device = 0;
};

/// A counter in a report. `name` is snake_case and unique in its block; description and unit are never empty.
struct Counter {
  std::string block;
  std::string name;
  uint64_t value = 0;
  std::string unit;
  std::string description;
  bool known = true;  ///< false: the engine does not count this, and `value` is 0
};

/// An error that the translation checker or another probe found. A run with any finding fails.
struct Finding {
  std::string probe;  ///< "translation", "bus", ...
  std::string text;
};

/// Request counts of one device. The bus monitor counts them on the device's side of the root
/// complex.
struct BusCounts {
  uint64_t reads = 0;
  uint64_t writes = 0;
  uint64_t messages = 0;
  uint64_t total() const { return reads + writes + messages; }
};

/// An access that a device makes without a request from software: an 8-byte read or write, or a
/// 4-byte interrupt message.
enum class Stray : uint8_t { kRead, kWrite, kMessage };

/// A hardware resource that was allocated and has not been freed yet.
struct InUse {
  std::string kind;  ///< "rtl_slot" (work under way in the GPU), "bus_slot" (a burst at its edge), "pcie_tag"
  std::string name;  ///< name of the resource, or how many there are
};

class ClientAccesses;
class DeviceAccess;

/// Observes the machine and injects faults. A real machine has no such interface.
class Instruments {
 public:
  virtual ~Instruments() = default;
  virtual std::vector<Counter> Counters() = 0;
  virtual std::vector<Finding> Findings() = 0;
  /// Returns the number of requests that the device has put on the bus since reset.
  virtual BusCounts BusAccesses(Bdf device) = 0;
  /// Returns the number of accesses by any device to a host physical page (after the IOMMU), as
  /// evidence that devices are silent. Counting starts at the first call for the page.
  virtual uint64_t PageAccesses(uint64_t pfn) = 0;
  /// Records whether host physical pages [first, first + count) are owned from now on. After the
  /// first call, a device access (after the IOMMU) to a page that is not owned is reported as a
  /// finding.
  virtual void NotePages(uint64_t first, uint64_t count, bool owned) = 0;
  /// Informs the checker that the operating system regards [start, end) of `space` of GPU `unit` as
  /// flushed (0, ~0: the whole space). From now on, the checker expects new translations,
  /// regardless of what the hardware did.
  virtual void NoteFlush(unsigned unit, unsigned space, uint64_t start, uint64_t end) = 0;
  /// Cycles returns the number of GPU clock edges since the end of reset, CyclesEvaluated the
  /// number that the engine evaluated.
  virtual uint64_t Cycles() = 0;
  virtual uint64_t CyclesEvaluated() = 0;
  /// Lists the hardware resources in use. The list must be empty at power-off.
  virtual std::vector<InUse> ResourcesInUse() = 0;
  /// Makes the client ports of GPU `unit` perform these accesses (hw/client_accesses.h) instead of
  /// the previous ones; null stops all accesses. A second call with the same object makes the
  /// machine call Due for every client again. Responses to previous accesses are dropped. While a
  /// client's traffic engine runs, the client performs none of these accesses. A GPU reset ends the
  /// accesses.
  virtual void DriveClients(unsigned unit, ClientAccesses* accesses) = 0;
  /// Injects a fault: client 0 of GPU `unit` reads 64 bytes at `va` in `space`, and the response is
  /// never accepted, so its slot stays in use. Afterwards, the client's traffic engine cannot run.
  virtual void LoseAnswer(unsigned unit, unsigned space, uint64_t va) = 0;
  /// Injects a fault: the device's port sends an access to bus address `address` that no software
  /// requested. The access is then handled like any other. `data` is the data of a write or
  /// message; a read's data is dropped.
  virtual void StrayAccess(Bdf device, Stray kind, uint64_t address, uint32_t data = 0) = 0;
  /// Removes GPU `unit` from its slot. From now on, its configuration space and registers read as
  /// all ones, writes to it are dropped, and it sends no request and no message.
  virtual void Unplug(unsigned unit) = 0;
  virtual bool InSlot(unsigned unit) = 0;
  /// Injects a fault: delays the responses to GPU `unit`'s reads of the 4 KiB page at bus address
  /// `address` until `until_ns` (in the time of NowNs). Work that depends on these reads is delayed
  /// accordingly. Only one page can be delayed at a time.
  virtual void HoldReads(unsigned unit, uint64_t address, uint64_t until_ns) = 0;
  /// Returns the interface to the memory of a machine without client ports (hw/device_access.h), or
  /// null if it has ports.
  virtual DeviceAccess* device_access() { return nullptr; }
};

/// Software's only interface to the machine: what a CPU, its chipset and firmware provide.
///
/// Only calls that access the machine take simulated (or real) time, and only they let other
/// software run. All addresses are host physical. An engine implements this interface; tests use
/// RecordingPlatform (hw/recording.h).
class Platform {
 public:
  virtual ~Platform() = default;

  virtual const FirmwareTables& firmware() const = 0;
  virtual HostRam& ram() = 0;

  /// Access a device or the IOMMU uncached. `size` is 1, 2, 4 or 8, and the address must be
  /// naturally aligned. An address that nothing decodes reads all ones; a write to it is dropped.
  virtual uint64_t MmioRead(uint64_t address, unsigned size) = 0;
  virtual void MmioWrite(uint64_t address, unsigned size, uint64_t value) = 0;
  /// Copy blocks through write-combining. Address and size must be multiples of 8 bytes. The copies
  /// stay in order with other accesses.
  virtual void MmioReadBlock(uint64_t address, void* to, size_t size) = 0;
  virtual void MmioWriteBlock(uint64_t address, const void* from, size_t size) = 0;

  /// Access PCI configuration space. `size` is 1, 2 or 4. Reading a function that does not exist
  /// returns all ones.
  virtual uint32_t ConfigRead(Bdf bdf, uint16_t offset, unsigned size) = 0;
  virtual void ConfigWrite(Bdf bdf, uint16_t offset, unsigned size, uint32_t value) = 0;

  /// Removes and returns the oldest pending interrupt message, or nullopt if none is pending.
  virtual std::optional<Message> TakeMessage() = 0;
  /// Lets time pass until a message is pending (returns true) or `bound_ns` nanoseconds have passed
  /// (returns false).
  virtual bool WaitForMessage(uint64_t bound_ns) = 0;
  /// Returns the nanoseconds since power-on, in the machine's time.
  virtual uint64_t NowNs() = 0;

  /// Returns the machine's instruments, or null on a platform without instruments.
  virtual Instruments* instruments() { return nullptr; }
};

}  // namespace gmmu::hw
