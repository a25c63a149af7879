// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "ddi/d3dkmddi.h"

namespace gmmu::kmd {

/// Where a paging buffer lies, at the start of its private data, when the system does not give its GPU virtual address:
/// then a submission says only where in the buffer it begins (seen on build 22621 with buffers in system memory).
struct BufferStart {
  static constexpr uint64_t kMagic = 0x74726174735f4d47;
  uint64_t magic;
  uint64_t physical;  ///< address of the first byte; also its bus address, because DMA is not remapped

  static bool Wanted(const DXGKARG_BUILDPAGINGBUFFER& args) {
    return args.DmaBufferGpuVirtualAddress == 0 && args.DmaBufferWriteOffset == 0 &&
           args.pDmaBufferPrivateData != nullptr && args.DmaBufferPrivateDataSize >= sizeof(BufferStart);
  }
  /// Writes the start and advances the private data past it. Call it before pDmaBuffer is advanced.
  static void Append(DXGKARG_BUILDPAGINGBUFFER* args) {
    const BufferStart start{kMagic, static_cast<uint64_t>(MmGetPhysicalAddress(args->pDmaBuffer).QuadPart)};
    std::memcpy(args->pDmaBufferPrivateData, &start, sizeof start);
    args->pDmaBufferPrivateData = static_cast<uint8_t*>(args->pDmaBufferPrivateData) + sizeof start;
    args->DmaBufferPrivateDataSize -= static_cast<UINT>(sizeof start);
  }
  /// The start in a submission's private data; magic is 0 if there is none.
  static BufferStart Of(const DXGKARG_SUBMITCOMMANDVIRTUAL& args) {
    BufferStart start{};
    if (args.pDmaBufferPrivateData == nullptr || args.DmaBufferPrivateDataSize < sizeof start) return {};
    std::memcpy(&start, args.pDmaBufferPrivateData, sizeof start);
    return start.magic == kMagic ? start : BufferStart{};
  }
};

/// The driver's record of one operation of a paging buffer. It lies in the buffer's private data, and a submission is
/// checked against it. The system does not copy private data, it passes the same range on.
struct PagingRecord {
  static constexpr uint32_t kMagic = 0x676D6D75;
  uint32_t magic;
  uint32_t operation;
  uint32_t offset;  ///< of its commands in the buffer
  uint32_t bytes;

  /// `before` is the number of bytes of private data that precede the record.
  static bool Fits(const DXGKARG_BUILDPAGINGBUFFER& args, size_t before) {
    return args.pDmaBufferPrivateData != nullptr && args.DmaBufferPrivateDataSize >= before + sizeof(PagingRecord);
  }
  /// Writes the record and advances the private data past it.
  static void Append(DXGKARG_BUILDPAGINGBUFFER* args, uint32_t bytes) {
    auto* record = static_cast<PagingRecord*>(args->pDmaBufferPrivateData);
    *record = {kMagic, static_cast<uint32_t>(args->Operation), args->DmaBufferWriteOffset, bytes};
    args->pDmaBufferPrivateData = record + 1;
    args->DmaBufferPrivateDataSize -= sizeof(PagingRecord);
  }
  /// Whether the records account for each byte of the buffer. `before` bytes precede them.
  static bool Describe(const DXGKARG_SUBMITCOMMANDVIRTUAL& args, uint32_t before) {
    const auto* record =
        reinterpret_cast<const PagingRecord*>(static_cast<uint8_t*>(args.pDmaBufferPrivateData) + before);
    const uint32_t count = (args.DmaBufferPrivateDataSize - before) / sizeof(PagingRecord);
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
