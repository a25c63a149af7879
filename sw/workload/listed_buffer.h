// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "hw/user_mode.h"
#include "os/vidmm/render_calls.h"

namespace gmmu::workload {

struct Life;

/// A command buffer of a process on a GPU without virtual addresses. The plug-in's user-mode half
/// fills it (GMMU_COMMAND_BUFFER) with commands that refer to allocations, and fills in the
/// allocation and patch lists that the kernel needs.
class ListedBuffer {
 public:
  /// `command_bytes` is the size of the command buffer; 0 means the size of the context's DMA buffers.
  ListedBuffer(Life& life, os::GpuProcess* process, uint32_t command_bytes = 0);

  /// Copy and Fill append a command that starts when all earlier writes have completed. If the
  /// command does not fit, they return false and change nothing.
  bool Copy(os::Allocation& source, uint64_t source_offset, os::Allocation& destination, uint64_t destination_offset,
            uint64_t bytes);
  bool Fill(os::Allocation& destination, uint64_t offset, uint64_t bytes, uint32_t pattern);
  bool empty() const { return buffer_.command_bytes == 0; }

  /// Passes the buffer to the kernel and starts a new one.
  os::PacketId Submit(const std::string& what);
  /// Like Submit, but waits until the packet has completed. If the device was lost, throws
  /// os::OsError with the reason.
  void SubmitAndWait(const std::string& what);

 private:
  GMMU_OPERAND Operand(os::Allocation& allocation, uint64_t offset);
  /// Checks that the user-mode half has not written beyond its buffers.
  bool Appended(int answer) const;

  Life& life_;
  os::GpuProcess* process_;
  std::vector<uint8_t> commands_;
  std::vector<GMMU_LISTED_ALLOCATION> allocations_;
  std::vector<GMMU_PATCH_LOCATION> patches_;
  std::vector<os::Allocation*> named_;  // commands refer to the allocation at index n as n + 1
  GMMU_COMMAND_BUFFER buffer_{};
};

/// Copies `bytes` from the start of one allocation to the start of another, `command_bytes` per
/// command. Submits the buffer whenever it is full, and returns when the last submission has
/// completed.
void CopyByCommands(ListedBuffer& buffer, os::Allocation& source, os::Allocation& destination, uint64_t bytes,
                    uint64_t command_bytes, const std::string& what);

}  // namespace gmmu::workload
