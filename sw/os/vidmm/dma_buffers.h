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

/// A DMA buffer of a context (DXGK_CONTEXTINFO.DmaBufferSize) and the driver's private data. The
/// driver must not write beyond the end of the buffer or of the private data.
struct DmaBuffer {
  SystemBuffer memory;
  uint8_t* cpu = nullptr;
  uint64_t bytes = 0;
  unsigned segment = 0;  ///< 0: contiguous system memory
  uint64_t address = 0;  ///< value of DmaBufferPhysicalAddress
  uint64_t aperture_page = 0;
  std::vector<uint8_t> private_data;  ///< the data, followed by guard bytes
  std::vector<PacketId> packets;      ///< packets that submitted the buffer
  Ledger::Ticket ticket = 0;

  uint64_t private_bytes() const;
  void* private_begin() { return private_bytes() == 0 ? nullptr : private_data.data(); }
  /// Returns a DmaSubmission in which the members common to all submissions of this buffer are
  /// filled in.
  DmaSubmission Submission();
  /// Triggers a bug check if the driver has written beyond the buffer or its private data. `call` is the name of the
  /// driver call that has returned.
  void CheckEnds(const char* call) const;
};

/// The DMA buffers of one context. They are in the aperture segment if the driver's
/// DmaBufferSegmentSet is not 0, otherwise in system memory. A few buffers are used in rotation;
/// Take waits until the next one is free. Call on the VidMm worker thread only.
class DmaBuffers {
 public:
  DmaBuffers(VidMm& vidmm, const GpuProcess& process) : vidmm_(vidmm), process_(process) {}
  /// Frees the buffers; their packets must have completed. The destructor does not free them.
  void Release();
  /// Returns an unused buffer, filled with zeros.
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
