// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>

#include "kmd/command_buffer.h"
#include "os/application/adapter.h"
#include "os/application/host.h"
#include "os/vidmm/vidmm.h"

namespace gmmu::workload {

class PlugIn;
struct Life;

/// A command buffer of a process, allocated as a user-mode driver would: in system memory that is
/// mapped at GPU virtual addresses of the process and written by the CPU. All addresses are GPU
/// virtual addresses of the process.
///
/// Calls throw os::OsError if the buffer is full or the GPU has no node for processes.
class RenderBuffer {
 public:
  RenderBuffer(Life& life, os::GpuProcess* process, uint64_t bytes);

  /// These calls append a command that starts when all earlier writes have completed.
  void Copy(uint64_t source, uint64_t destination, uint64_t bytes);
  void Fill(uint64_t destination, uint64_t bytes, uint32_t pattern);

  os::PacketId Submit(const std::string& what);
  /// Frees the memory and the addresses. The buffer's packets must have completed.
  void Release();

 private:
  void Wrote(uint32_t bytes);
  uint64_t used() const;

  Life& life_;
  os::GpuProcess* process_;
  const PlugIn* const plug_in_;  ///< writes the commands; null: those of kmd/command_buffer.h
  os::SystemBuffer memory_;
  uint8_t* cpu_ = nullptr;
  uint64_t va_ = 0, used_ = 0;
  uint32_t space_ = 0;
  kmd::CommandBuffer commands_;
};

}  // namespace gmmu::workload
