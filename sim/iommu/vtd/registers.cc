// SPDX-License-Identifier: Apache-2.0
// The register file: the values that software reads, and the effects of its writes.
#include "iommu/vtd/core.h"
#include "iommu/vtd/formats.h"

namespace gmmu::sim {
namespace {

constexpr uint64_t kBusy = uint64_t{1} << 63;  // CCMD.ICC, IOTLB.IVT
constexpr uint64_t kTailMask = 0x7FFF0;
constexpr uint64_t kInterruptTableMask = ~uint64_t{0xFFF} | 0xF;  // EIME is reserved without ECAP.EIM
constexpr uint64_t kQueueAddressMask = ~uint64_t{0xFFF} | 0x800 | 7;

uint64_t WithHalf(uint64_t old, bool high, uint32_t value) {
  return high ? (old & 0xFFFFFFFF) | uint64_t{value} << 32 : (old & ~uint64_t{0xFFFFFFFF}) | value;
}

}  // namespace

uint64_t VtdCore::Cap() const {
  const VtdParameters& p = parameters_;
  return uint64_t{6}                                // ND: 64K domains
         | uint64_t{p.rwbf} << 4                    //
         | uint64_t{p.caching_mode} << 7            //
         | uint64_t{p.sagaw} << 8                   //
         | uint64_t{p.mgaw - 1} << 16               //
         | uint64_t{p.fro} << 24                    //
         | uint64_t{p.pages_2m} << 34               //
         | uint64_t{p.pages_1g} << 35               //
         | uint64_t{1} << 39                        // PSI
         | uint64_t{p.num_fault_records - 1} << 40  //
         | uint64_t{p.mamv} << 48                   //
         | uint64_t{3} << 54;                       // DWD, DRD
}

uint64_t VtdCore::Ecap() const {
  return 1                                                 // C: coherent table reads
         | 1u << 1                                         // QI
         | uint64_t{parameters_.interrupt_remapping} << 3  //
         | uint64_t{parameters_.pass_through} << 6         //
         | uint64_t{parameters_.snoop_control} << 7        //
         | uint64_t{parameters_.iro} << 8;
}

bool VtdCore::IsRecord(uint32_t offset) const {
  return offset >= records_offset() && offset < records_offset() + 16 * log_.records();
}

bool VtdCore::Is64Bit(uint32_t offset) const {
  switch (offset & ~7u) {
    case vtd::kCap:
    case vtd::kEcap:
    case vtd::kRtaddr:
    case vtd::kCcmd:
    case vtd::kIqh:
    case vtd::kIqt:
    case vtd::kIqa:
    case vtd::kIrta:
    case vtd::kIqercd: return true;
    default: return (offset & ~7u) == iva_offset() || (offset & ~7u) == iotlb_offset() || IsRecord(offset);
  }
}

uint64_t VtdCore::Read64(uint32_t offset) const {
  switch (offset) {
    case vtd::kCap: return Cap();
    case vtd::kEcap: return Ecap();
    case vtd::kRtaddr: return rtaddr_;
    case vtd::kCcmd: return ccmd_;
    case vtd::kIqh: return iqh_;
    case vtd::kIqt: return iqt_;
    case vtd::kIqa: return iqa_;
    case vtd::kIqercd: return iqercd_;
    case vtd::kIrta: return irta_;
    default: break;
  }
  if (offset == iotlb_offset()) return iotlb_command_;
  if (IsRecord(offset)) {
    const uint32_t at = offset - records_offset();
    return log_.record(at / 16, at % 16 == 8);
  }
  return 0;  // IVA is write-only
}

uint32_t VtdCore::Read32(uint32_t offset) const {
  if (Is64Bit(offset)) return static_cast<uint32_t>(Read64(offset & ~7u) >> (offset % 8 * 8));
  switch (offset) {
    case vtd::kVer: return 0x10;
    case vtd::kGsts: return status_;
    case vtd::kFsts: return log_.status();
    case vtd::kFectl: return log_.event().control();
    case vtd::kFedata: return log_.event().data();
    case vtd::kFeaddr: return log_.event().address();
    case vtd::kIcs: return ics_;
    case vtd::kIectl: return completion_.control();
    case vtd::kIedata: return completion_.data();
    case vtd::kIeaddr: return completion_.address();
    default: return 0;
  }
}

uint64_t VtdCore::ReadRegister(uint32_t offset, unsigned size) const {
  if ((size != 4 && size != 8) || offset % size != 0 || offset >= register_bytes_)
    return size >= 8 ? ~uint64_t{0} : (uint64_t{1} << 8 * size) - 1;
  if (size == 4) return Read32(offset);
  if (Is64Bit(offset)) return Read64(offset);
  return Read32(offset) | uint64_t{Read32(offset + 4)} << 32;
}

void VtdCore::WriteRegister(uint32_t offset, unsigned size, uint64_t value) {
  const bool shape = (size == 4 || size == 8) && offset % size == 0 && offset < register_bytes_;
  if (!shape || (size == 8 && !Is64Bit(offset))) {
    ++count_.bad_accesses;
    return;
  }
  if (size == 4) {
    Is64Bit(offset) ? WriteHalf(offset, static_cast<uint32_t>(value)) : Write32(offset, static_cast<uint32_t>(value));
    return;
  }
  // IQT takes effect when its low half is written, all other registers when their high half is
  // written, so write that half last.
  const bool tail = offset == vtd::kIqt;
  WriteHalf(offset + (tail ? 4 : 0), static_cast<uint32_t>(tail ? value >> 32 : value));
  WriteHalf(offset + (tail ? 0 : 4), static_cast<uint32_t>(tail ? value : value >> 32));
}

void VtdCore::WriteHalf(uint32_t offset, uint32_t value) {
  const bool high = offset % 8 != 0;
  const uint32_t base = offset & ~7u;
  switch (base) {
    case vtd::kRtaddr: rtaddr_ = WithHalf(rtaddr_, high, value) & ~uint64_t{0xFFF}; return;
    case vtd::kCcmd:
      if (context_busy_) return;
      ccmd_ = WithHalf(ccmd_, high, value) & ~(uint64_t{3} << 59);
      if (high && (ccmd_ & kBusy) != 0) ContextCommand();
      return;
    case vtd::kIqt: iqt_ = WithHalf(iqt_, high, value) & kTailMask; return;
    case vtd::kIqa: iqa_ = WithHalf(iqa_, high, value) & kQueueAddressMask; return;
    case vtd::kIrta:
      if (parameters_.interrupt_remapping) irta_ = WithHalf(irta_, high, value) & kInterruptTableMask;
      return;
    default: break;
  }
  if (base == iva_offset()) {
    iva_ = WithHalf(iva_, high, value);
  } else if (base == iotlb_offset()) {
    if (iotlb_busy_) return;
    iotlb_command_ = WithHalf(iotlb_command_, high, value) & ~(uint64_t{3} << 57);
    if (high && (iotlb_command_ & kBusy) != 0) IotlbCommand();
  } else if (IsRecord(offset)) {
    const uint32_t at = offset - records_offset();
    if (at % 16 == 12 && value >> 31 != 0) log_.ClearRecord(at / 16);
  }
}

void VtdCore::Write32(uint32_t offset, uint32_t value) {
  switch (offset) {
    case vtd::kGcmd: WriteCommand(value); break;
    case vtd::kFsts: {
      const bool stopped = (log_.status() & vtd::kIqe) != 0;
      log_.WriteStatus(value);
      if (stopped && (log_.status() & vtd::kIqe) == 0) iqercd_ = 0;
      break;
    }
    case vtd::kFectl: log_.event().WriteControl(value); break;
    case vtd::kFedata: log_.event().WriteData(value); break;
    case vtd::kFeaddr: log_.event().WriteAddress(value); break;
    case vtd::kIcs:
      ics_ &= ~(value & 1);
      if (ics_ == 0) completion_.ConditionsCleared();
      break;
    case vtd::kIectl: completion_.WriteControl(value); break;
    case vtd::kIedata: completion_.WriteData(value); break;
    case vtd::kIeaddr: completion_.WriteAddress(value); break;
    default: break;  // read-only or not supported
  }
}

void VtdCore::WriteCommand(uint32_t value) {
  if ((value & vtd::kTe) != 0) {
    disabling_ = false;
    if ((status_ & vtd::kTe) == 0 && !enabling_) {
      translating_ = enabling_ = true;
      enable_wait_ = drains_.Mark(true, true);  // TES waits until untranslated requests are done
    }
  } else if (translating() && !disabling_) {
    enabling_ = false;
    disabling_ = true;
    disable_wait_ = drains_.Mark(true, true);
  }
  if ((value & vtd::kSrtp) != 0) {
    root_ = rtaddr_;
    status_ |= vtd::kSrtp;
  }
  if (parameters_.interrupt_remapping) WriteInterruptCommand(value);
  if ((value & vtd::kWbf) != 0 && parameters_.rwbf) ++count_.flushes;
  if ((value & vtd::kQie) != 0) {
    status_ |= vtd::kQie;
  } else if (queue_on()) {
    status_ &= ~vtd::kQie;
    StopQueue();
  }
  CheckDrains();
}

void VtdCore::WriteInterruptCommand(uint32_t value) {
  if ((value & vtd::kSirtp) != 0) {
    interrupts_.SetTable(irta_);
    status_ |= vtd::kSirtp;
  }
  status_ = (status_ & ~(vtd::kIre | vtd::kCfi)) | (value & (vtd::kIre | vtd::kCfi));
  interrupts_.set_enabled((value & vtd::kIre) != 0);
  interrupts_.set_compatibility((value & vtd::kCfi) != 0);
}

void VtdCore::CheckDrains() {
  if (enabling_ && drains_.Done(enable_wait_)) {
    enabling_ = false;
    status_ |= vtd::kTe;
  }
  if (disabling_ && drains_.Done(disable_wait_)) {
    translating_ = disabling_ = false;
    status_ &= ~vtd::kTe;
  }
  if (context_busy_ && drains_.Done(context_wait_)) {
    context_busy_ = false;
    ccmd_ &= ~kBusy;
  }
  if (iotlb_busy_ && drains_.Done(iotlb_wait_)) {
    iotlb_busy_ = false;
    iotlb_command_ &= ~kBusy;
  }
}

}  // namespace gmmu::sim
