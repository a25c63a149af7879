// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "ddi/d3dkmddi.h"

namespace gmmu::kmd {

/// What the driver keeps of each operation of a paging buffer in the buffer's private data, and holds a submission
/// against. Little: the system copies nothing and passes the range as it was left.
struct PagingRecord {
  static constexpr uint32_t kMagic = 0x676D6D75;
  uint32_t magic;
  uint32_t operation;
  uint32_t offset;  ///< of its commands in the buffer
  uint32_t bytes;

  static bool Fits(const DXGKARG_BUILDPAGINGBUFFER& args) {
    return args.pDmaBufferPrivateData != nullptr && args.DmaBufferPrivateDataSize >= sizeof(PagingRecord);
  }
  /// The driver's private data is advanced past it.
  static void Append(DXGKARG_BUILDPAGINGBUFFER* args, uint32_t bytes) {
    auto* record = static_cast<PagingRecord*>(args->pDmaBufferPrivateData);
    *record = {kMagic, static_cast<uint32_t>(args->Operation), args->DmaBufferWriteOffset, bytes};
    args->pDmaBufferPrivateData = record + 1;
    args->DmaBufferPrivateDataSize -= sizeof(PagingRecord);
  }
  /// The records say how each byte of the buffer came there.
  static bool Describe(const DXGKARG_SUBMITCOMMANDVIRTUAL& args) {
    const auto* record = static_cast<const PagingRecord*>(args.pDmaBufferPrivateData);
    const uint32_t count = args.DmaBufferPrivateDataSize / sizeof(PagingRecord);
    uint32_t end = 0;
    for (uint32_t i = 0; i < count; ++i) {
      if (record[i].magic != kMagic || record[i].offset != end) return false;
      end += record[i].bytes;
    }
    return end == args.DmaBufferSize && args.DmaBufferPrivateDataSize % sizeof(PagingRecord) == 0;
  }
};
static_assert(sizeof(PagingRecord) == 16, "no hidden padding");

}  // namespace gmmu::kmd
