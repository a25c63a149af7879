// SPDX-License-Identifier: Apache-2.0
// Implements the routines that access device registers through the drivers' views.
#include "ddi/wdm.h"
#include "ddi/wdm_memory.h"
#include "os/guard/driver_guard.h"
#include "os/kernel/kernel.h"

using gmmu::os::Kernel;

namespace {

/// If `at` is in a register view, reads the register; otherwise reads system memory.
template <typename Word>
Word ReadWord(volatile Word* at) {
  Kernel& kernel = Kernel::Current();
  if (!kernel.mmio().Contains(at)) return *at;
  gmmu::os::DriverGuard::CheckTime(kernel.hal().NowNs(),
                                   gmmu::os::DriverGuard::kBoundNs * kernel.parameters().wait_scale);
  return static_cast<Word>(kernel.hal().Read(kernel.mmio().Resolve(at, sizeof(Word)), sizeof(Word)));
}

template <typename Word>
void WriteWord(volatile Word* at, Word value) {
  Kernel& kernel = Kernel::Current();
  if (!kernel.mmio().Contains(at)) {
    *at = value;
    return;
  }
  kernel.hal().Write(kernel.mmio().Resolve(at, sizeof(Word)), sizeof(Word), value);
}

/// Touches every page of a driver's buffer, like Windows' probe of a buffer, so that a bad pointer
/// faults here, where the fault is attributed to the driver's call. A later fault would be
/// attributed to the machine.
void Touch(ULONG64* buffer, size_t bytes, bool write) {
  constexpr size_t kStep = 4096 / sizeof(ULONG64);
  const auto touch = [write](volatile ULONG64& word) {
    const ULONG64 value = word;
    if (write) word = value;
  };
  for (size_t at = 0; at < bytes / sizeof(ULONG64); at += kStep) touch(buffer[at]);
  touch(buffer[bytes / sizeof(ULONG64) - 1]);
}

template <typename Word>
void ReadWords(volatile Word* at, Word* to, ULONG count) {
  for (ULONG i = 0; i < count; ++i) to[i] = ReadWord(at + i);
}
template <typename Word>
void WriteWords(volatile Word* at, const Word* from, ULONG count) {
  for (ULONG i = 0; i < count; ++i) WriteWord(at + i, from[i]);
}

}  // namespace

extern "C" {

ULONG READ_REGISTER_ULONG(volatile ULONG* Register) { return ReadWord(Register); }
void WRITE_REGISTER_ULONG(volatile ULONG* Register, ULONG Value) { WriteWord(Register, Value); }
ULONG64 READ_REGISTER_ULONG64(volatile ULONG64* Register) { return ReadWord(Register); }
void WRITE_REGISTER_ULONG64(volatile ULONG64* Register, ULONG64 Value) { WriteWord(Register, Value); }

void WRITE_REGISTER_BUFFER_ULONG64(volatile ULONG64* Register, ULONG64* Buffer, ULONG Count) {
  Kernel& kernel = Kernel::Current();
  if (Count == 0) return;
  if (!kernel.mmio().Contains(Register)) {
    for (ULONG i = 0; i < Count; ++i) Register[i] = Buffer[i];
    return;
  }
  const size_t bytes = size_t{Count} * sizeof(ULONG64);
  Touch(Buffer, bytes, false);
  kernel.hal().WriteBlock(kernel.mmio().Resolve(Register, bytes), Buffer, bytes);
}

void READ_REGISTER_BUFFER_ULONG64(volatile ULONG64* Register, ULONG64* Buffer, ULONG Count) {
  Kernel& kernel = Kernel::Current();
  if (Count == 0) return;
  if (!kernel.mmio().Contains(Register)) {
    for (ULONG i = 0; i < Count; ++i) Buffer[i] = Register[i];
    return;
  }
  const size_t bytes = size_t{Count} * sizeof(ULONG64);
  Touch(Buffer, bytes, true);
  kernel.hal().ReadBlock(kernel.mmio().Resolve(Register, bytes), Buffer, bytes);
}

UCHAR READ_REGISTER_UCHAR(volatile UCHAR* Register) { return ReadWord(Register); }
USHORT READ_REGISTER_USHORT(volatile USHORT* Register) { return ReadWord(Register); }
void WRITE_REGISTER_UCHAR(volatile UCHAR* Register, UCHAR Value) { WriteWord(Register, Value); }
void WRITE_REGISTER_USHORT(volatile USHORT* Register, USHORT Value) { WriteWord(Register, Value); }
void READ_REGISTER_BUFFER_ULONG(volatile ULONG* Register, PULONG Buffer, ULONG Count) {
  ReadWords(Register, Buffer, Count);
}
void WRITE_REGISTER_BUFFER_ULONG(volatile ULONG* Register, PULONG Buffer, ULONG Count) {
  WriteWords(Register, Buffer, Count);
}
void READ_REGISTER_BUFFER_UCHAR(volatile UCHAR* Register, PUCHAR Buffer, ULONG Count) {
  ReadWords(Register, Buffer, Count);
}
void WRITE_REGISTER_BUFFER_UCHAR(volatile UCHAR* Register, PUCHAR Buffer, ULONG Count) {
  WriteWords(Register, Buffer, Count);
}

}  // extern "C"
