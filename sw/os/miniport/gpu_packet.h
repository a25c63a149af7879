// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "ddi/d3dkmddi.h"

namespace gmmu::os {

/// A process' device, as the GPU scheduler sees it. A lost device stays lost: its queued packets end as lost, and no
/// new packet reaches the GPU.
struct GpuDevice {
  uint64_t id = 0;  ///< never given again
  std::string name;
  HANDLE process = nullptr;  ///< hDxgkProcess, as page faults may name it
  bool lost = false;
  std::string why;
};

/// Identifies a packet for its whole life; its fence id may change.
using PacketId = uint64_t;

enum class PacketEnd { kPending, kCompleted, kLost };

struct DmaSubmission;

/// Commands for a node.
struct GpuPacket {
  uint32_t node = 0;
  uint32_t engine = 0;  ///< of linked adapters, the index of the one that has the node (EngineOrdinal)
  HANDLE context = nullptr;
  uint64_t address = 0;  ///< DmaBufferVirtualAddress
  uint64_t bytes = 0;
  void* private_data = nullptr;
  uint64_t private_bytes = 0;
  bool paging = false;
  bool physical = false;               ///< `address` is one of system memory, and DxgkDdiSubmitCommand takes it
  std::shared_ptr<DmaSubmission> dma;  ///< physical model: what DxgkDdiPatch and DxgkDdiSubmitCommand get; else null
  GpuDevice* device = nullptr;         ///< null: the system's
  std::string what;                    ///< for errors and reports
  std::function<void()> before;        ///< runs before each submission, at passive level
  /// Runs once, at dispatch level or below, when the packet has ended.
  std::function<void(PacketEnd)> on_end;
};

}  // namespace gmmu::os
