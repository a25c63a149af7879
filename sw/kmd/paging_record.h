// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "ddi/d3dkmddi.h"
#include "ddi/wdm.h"

namespace gmmu::kmd {

/// The private data of a submission.
struct PrivateData {
  const uint8_t* begin = nullptr;
  uint32_t bytes = 0;

  static PrivateData Of(const DXGKARG_SUBMITCOMMANDVIRTUAL& args) {
    return {static_cast<const uint8_t*>(args.pDmaBufferPrivateData), args.DmaBufferPrivateDataSize};
  }
  /// Sets `data` to the private data that a physical submission names. Returns false if the named range is invalid.
  static bool Of(const DXGKARG_SUBMITCOMMAND& args, PrivateData* data) {
    const UINT start = args.DmaBufferPrivateDataSubmissionStartOffset;
    const UINT end = args.DmaBufferPrivateDataSubmissionEndOffset;
    if (end < start || end > args.DmaBufferPrivateDataSize) return false;
    if (args.pDmaBufferPrivateData == nullptr) return end == 0;
    *data = {static_cast<const uint8_t*>(args.pDmaBufferPrivateData) + start, end - start};
    return true;
  }
};

/// The address of a paging buffer, stored at the start of its private data. It is needed if the system does not pass
/// the buffer's GPU virtual address, because a submission then contains only an offset into the buffer (observed on
/// Windows build 22621 with buffers in system memory).
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
  /// Returns the start recorded in a submission's private data; magic is 0 if there is none.
  static BufferStart Of(const PrivateData& data) {
    BufferStart start{};
    if (data.begin == nullptr || data.bytes < sizeof start) return {};
    std::memcpy(&start, data.begin, sizeof start);
    return start.magic == kMagic ? start : BufferStart{};
  }
};

/// The driver's record of one operation in a paging buffer, kept in the buffer's private data. Submissions are checked
/// against it. The system does not copy private data; it passes the same memory to the submission call.
struct PagingRecord {
  static constexpr uint32_t kMagic = 0x676D6D75;
  uint32_t magic;
  uint32_t operation;
  uint32_t offset;  ///< offset of the record's commands in the buffer
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
  /// Returns whether the records describe operations that the driver builds, and cover all `bytes` bytes, starting at
  /// `offset`, that a submission executes. A BufferStart may precede the records.
  static bool Describe(const PrivateData& data, uint32_t offset, uint32_t bytes) {
    const uint32_t before = BufferStart::Of(data).magic != 0 ? sizeof(BufferStart) : 0;
    if ((data.bytes - before) % sizeof(PagingRecord) != 0) return false;
    for (uint32_t at = before; at < data.bytes; at += sizeof(PagingRecord)) {
      PagingRecord record;
      std::memcpy(&record, data.begin + at, sizeof record);
      if (record.magic != kMagic || record.operation > DXGK_OPERATION_MAP_APERTURE_SEGMENT2) return false;
      if (record.offset != offset || record.bytes == 0 || record.bytes > bytes) return false;
      offset += record.bytes;
      bytes -= record.bytes;
    }
    return bytes == 0;
  }
};
static_assert(sizeof(PagingRecord) == 16, "no hidden padding");

}  // namespace gmmu::kmd
