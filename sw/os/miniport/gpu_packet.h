// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "ddi/d3dkmddi.h"

namespace gmmu::os {

/// A process's device, as the GPU scheduler represents it. A lost device stays lost: its queued
/// packets end with PacketEnd::kLost, and it submits no new packet to the GPU.
struct GpuDevice {
  uint64_t id = 0;  ///< never reused
  std::string name;
  HANDLE process = nullptr;  ///< hDxgkProcess, which a page fault report may name
  bool lost = false;
  std::string why;
};

/// Identifies a packet for its whole lifetime; the packet's fence id can change.
using PacketId = uint64_t;

enum class PacketEnd { kPending, kCompleted, kLost };

struct DmaSubmission;

/// A unit of work that the GPU scheduler submits to a node.
struct GpuPacket {
  uint32_t node = 0;
  uint32_t engine = 0;  ///< index of the linked adapter that contains the node (EngineOrdinal)
  HANDLE context = nullptr;
  uint64_t address = 0;  ///< DmaBufferVirtualAddress
  uint64_t bytes = 0;
  uint64_t start = 0;  ///< offset of `address` in its DMA buffer
  void* private_data = nullptr;
  uint64_t private_bytes = 0;
  bool paging = false;
  bool physical = false;               ///< `address` is in system memory and is passed to DxgkDdiSubmitCommand
  std::shared_ptr<DmaSubmission> dma;  ///< physical model: for DxgkDdiPatch and DxgkDdiSubmitCommand; else null
  GpuDevice* device = nullptr;         ///< null: the system's device
  std::string what;                    ///< description for errors and reports
  std::function<void()> before;        ///< runs before each submission, at PASSIVE_LEVEL
  /// Runs once, at DISPATCH_LEVEL or below, when the packet has completed or is lost.
  std::function<void(PacketEnd)> on_end;
};

}  // namespace gmmu::os
