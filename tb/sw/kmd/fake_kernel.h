// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "ddi/dispmprt.h"
#include "hw/gmmu_regs.h"
#include "kmd/registers.h"

namespace gmmu::kmd::test {

/// Stands in for Dxgkrnl, the kernel and the device's registers, so that the driver can run alone.
/// It records calls and simulates nothing: each test sets the state of the device itself. Only one
/// instance may exist at a time.
class FakeKernel {
 public:
  FakeKernel();
  ~FakeKernel();

  // Properties of the machine. Set them before the driver reads them.
  std::map<std::string, uint64_t> parameters;
  uint64_t vram_bytes = 8 << 20;
  bool contiguous_adls = true;  ///< false: ADLs are page arrays
  /// Interface version of the kernel's callback table. The driver's own version is the parameter
  /// InterfaceVersion.
  ULONG kernel_version = DXGKDDI_INTERFACE_VERSION;
  int fail_at_memory_call = -1;  ///< index of the memory callback that fails

  // Registers in BAR0, and VRAM seen through BAR2.
  uint64_t& reg(uint32_t offset) { return registers_[offset]; }
  template <typename Register>
  Register Reg(uint32_t block = 0) {
    Register value;
    value.raw = registers_[block + Register::kOffset];
    return value;
  }
  struct Access {
    bool window;
    uint64_t offset;
    uint64_t value;
  };
  std::vector<Access> writes;                   ///< to both BARs, in order
  std::function<void(const Access&)> on_write;  ///< the device's reaction to a register write
  std::map<uint64_t, uint64_t> vram;            ///< words by VRAM byte offset
  void* WindowPointer(uint64_t offset) { return window_.get() + offset; }
  static constexpr uint64_t kWindowBytes = 8 << 20;
  static constexpr LONGLONG kWindowAddress = 0xD0000000;
  bool never_quiet = false;  ///< inv_status stays busy
  uint64_t sizes_held = 0;   ///< if not 0, the value that sizes_in_use always reads as

  // Counts of resources that the driver holds, and of calls that it has made.
  int objects = 0, adls = 0, views = 0, bars = 0;
  int64_t pool_blocks = 0;
  /// Number of allocations by DxgkCbAllocateContiguousMemory, DxgkCbAllocatePagesForMdl,
  /// DxgkCbMapMdlToIoMmu and the kernel routine, respectively.
  int contiguous = 0, pages = 0, lists = 0, kernel_memory = 0;
  std::vector<DXGKARGCB_NOTIFY_INTERRUPT_DATA> notifications;
  std::function<void(const DXGKARGCB_NOTIFY_INTERRUPT_DATA&)> on_notify;  ///< called inside the notification
  int dpcs = 0, notified_dpcs = 0;
  bool at_device_level = false;       ///< true inside DxgkCbSynchronizeExecution
  std::vector<std::string> mistakes;  ///< wrong uses of callbacks

  /// Live context allocations, and address ranges that the driver has reserved.
  /// fail_at_context_call is the index of the create or reserve call that fails.
  struct ContextAllocation {
    DXGKARGCB_CREATECONTEXTALLOCATION args{};
    uint64_t va = 0;
    std::vector<uint64_t> words;
  };
  std::map<HANDLE, ContextAllocation> context_allocations;
  std::vector<DXGKARGCB_RESERVEGPUVIRTUALADDRESSRANGE> reserved;
  int context_calls = 0;
  int fail_at_context_call = -1;

  /// Returns the system memory at a logical address that was passed to the hardware, or null.
  uint64_t* SystemMemory(uint64_t logical);

  // The loaded driver.
  DRIVER_INITIALIZATION_DATA table{};
  PVOID adapter = nullptr;
  ULONG sources = 1, children = 1;  ///< the numbers that the driver returned
  NTSTATUS Load();                  ///< DriverEntry and AddDevice
  NTSTATUS Start();                 ///< StartDevice
  void Unload();                    ///< StopDevice and RemoveDevice

  template <typename Output, typename Input>
  NTSTATUS Query(DXGK_QUERYADAPTERINFOTYPE type, const Input& input, Output* output) {
    DXGKARG_QUERYADAPTERINFO args{};
    args.Type = type;
    args.pInputData = const_cast<Input*>(&input);
    args.InputDataSize = sizeof input;
    args.pOutputData = output;
    args.OutputDataSize = sizeof *output;
    return table.DxgkDdiQueryAdapterInfo(adapter, &args);
  }
  template <typename Output>
  NTSTATUS Query(DXGK_QUERYADAPTERINFOTYPE type, Output* output) {
    return Query(type, 0, output);
  }

  uint64_t ReadWord(const volatile void* at);
  void WriteWord(volatile void* at, uint64_t value);

  struct Object {
    std::vector<uint64_t> memory;
    std::vector<DXGK_PAGE_NUMBER> pages;
    DXGK_ADL adl{};
    bool has_adl = false;
    bool mapped = false;
  };
  std::map<HANDLE, std::unique_ptr<Object>> memory;
  bool MemoryCallFails();

 private:
  int memory_calls_ = 0;
  std::unique_ptr<uint8_t[]> registers_view_;
  std::unique_ptr<uint8_t[]> window_;
  std::map<uint32_t, uint64_t> registers_;
};

}  // namespace gmmu::kmd::test
