// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "os/base/ledger.h"
#include "os/memory/system_buffer.h"
#include "os/miniport/gpu_packet.h"

namespace gmmu::os {

class VidMm;
struct DmaSubmission;
struct GpuProcess;

/// One DMA buffer of a context (DXGK_CONTEXTINFO.DmaBufferSize) with the driver's private data. What lies behind their ends
/// must not be written.
struct DmaBuffer {
  SystemBuffer memory;
  uint8_t* cpu = nullptr;
  uint64_t bytes = 0;
  unsigned segment = 0;  ///< 0: contiguous system memory
  uint64_t address = 0;  ///< as DmaBufferPhysicalAddress has it
  uint64_t aperture_page = 0;
  std::vector<uint8_t> private_data;  ///< with the guard behind it
  std::vector<PacketId> packets;      ///< its submissions
  Ledger::Ticket ticket = 0;

  uint64_t private_bytes() const;
  void* private_begin() { return private_bytes() == 0 ? nullptr : private_data.data(); }
  /// What every submission of it says.
  DmaSubmission Submission();
  /// A bug check when the driver has written behind the buffer or its private data; `call`: the one that has returned.
  void CheckEnds(const char* call) const;
};

/// The DMA buffers of one context: in system memory, or in the aperture segment when DmaBufferSegmentSet names it. A few
/// go round; one that is under way is waited for. Call on the VidMm worker thread only.
class DmaBuffers {
 public:
  DmaBuffers(VidMm& vidmm, const GpuProcess& process) : vidmm_(vidmm), process_(process) {}
  /// Must be called, when their packets have ended; the destructor only forgets.
  void Release();
  /// One that nothing uses, filled with zeros.
  DmaBuffer& Take();

 private:
  static constexpr size_t kMost = 4;
  std::unique_ptr<DmaBuffer> Make();

  VidMm& vidmm_;
  const GpuProcess& process_;
  std::vector<std::unique_ptr<DmaBuffer>> buffers_;
  size_t next_ = 0;
};

}  // namespace gmmu::os
