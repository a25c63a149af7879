// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>

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
  /// Sets `data` to the private data of a physical submission. Returns false if the submission's
  /// range is invalid.
  static bool Of(const DXGKARG_SUBMITCOMMAND& args, PrivateData* data) {
    const UINT start = args.DmaBufferPrivateDataSubmissionStartOffset;
    const UINT end = args.DmaBufferPrivateDataSubmissionEndOffset;
    if (end < start || end > args.DmaBufferPrivateDataSize) return false;
    if (args.pDmaBufferPrivateData == nullptr) return end == 0;
    *data = {static_cast<const uint8_t*>(args.pDmaBufferPrivateData) + start, end - start};
    return true;
  }
};

/// The physical address of a paging buffer, which is needed if the system does not pass the
/// buffer's GPU virtual address: the submission then contains only a byte offset (observed on
/// Windows build 22621 with buffers in system memory). The driver stores it in the private data of
/// every operation, because a submission can begin with any operation.
struct BufferStart {
  static constexpr uint64_t kMagic = 0x74726174735f4d47;
  static constexpr uint32_t kMost = 64;  ///< maximum number of operations per buffer
  uint64_t magic;
  uint64_t physical;  ///< address of the first byte; also its bus address, because DMA is not remapped

  static bool Wanted(const DXGKARG_BUILDPAGINGBUFFER& args) {
    return args.DmaBufferGpuVirtualAddress == 0 && args.pDmaBufferPrivateData != nullptr;
  }
  static bool Fits(const DXGKARG_BUILDPAGINGBUFFER& args) {
    return args.DmaBufferPrivateDataSize >= sizeof(BufferStart);
  }
  /// Writes the buffer's start to the private data and advances the pointer. Call this before
  /// pDmaBuffer is advanced.
  static void Append(DXGKARG_BUILDPAGINGBUFFER* args) {
    const BufferStart start{kMagic, static_cast<uint64_t>(MmGetPhysicalAddress(args->pDmaBuffer).QuadPart) -
                                        args->DmaBufferWriteOffset};
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

/// The driver's record of one operation in a paging buffer, kept in the buffer's private data.
/// Submissions are checked against these records. This works because the system does not copy
/// private data: it passes the same memory to the submission call.
struct PagingRecord {
  static constexpr uint32_t kMagic = 0x676D6D75;
  uint32_t magic;
  uint32_t operation;
  uint32_t offset;  ///< offset of the record's commands in the buffer
  uint32_t bytes;

  /// Returns whether a record fits and still leaves `reserved` bytes of private data free.
  static bool Fits(const DXGKARG_BUILDPAGINGBUFFER& args, size_t reserved) {
    return args.pDmaBufferPrivateData != nullptr && args.DmaBufferPrivateDataSize >= reserved + sizeof(PagingRecord);
  }
  /// Writes the record to the private data and advances the pointer.
  static void Append(DXGKARG_BUILDPAGINGBUFFER* args, uint32_t bytes) {
    auto* record = static_cast<PagingRecord*>(args->pDmaBufferPrivateData);
    *record = {kMagic, static_cast<uint32_t>(args->Operation), args->DmaBufferWriteOffset, bytes};
    args->pDmaBufferPrivateData = record + 1;
    args->DmaBufferPrivateDataSize -= sizeof(PagingRecord);
  }
  /// True if the records describe operations that the driver builds, and cover all `bytes` bytes
  /// that a submission executes. A BufferStart may precede each record. The submission begins at
  /// `offset` of its buffer or, if `offset` is absent, at the first record's offset.
  static bool Describe(const PrivateData& data, std::optional<uint32_t> offset, uint32_t bytes) {
    for (uint32_t at = 0; at < data.bytes; at += sizeof(PagingRecord)) {
      if (BufferStart::Of({data.begin + at, data.bytes - at}).magic != 0) at += sizeof(BufferStart);
      PagingRecord record;
      if (data.bytes - at < sizeof record) return false;
      std::memcpy(&record, data.begin + at, sizeof record);
      if (record.magic != kMagic || record.operation > DXGK_OPERATION_MAP_APERTURE_SEGMENT2) return false;
      if (record.offset != offset.value_or(record.offset) || record.bytes == 0 || record.bytes > bytes) return false;
      offset = record.offset + record.bytes;
      bytes -= record.bytes;
    }
    return bytes == 0;
  }
};
static_assert(sizeof(PagingRecord) == 16, "no hidden padding");

}  // namespace gmmu::kmd
