// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <vector>

#include "iommu/vtd/types.h"

namespace gmmu::sim {

/// Sends an interrupt message: a 32-bit write of `data` to `address`.
using VtdMessageSink = std::function<void(uint64_t address, uint32_t data)>;

/// One of the unit's own interrupts, with its control, data and address registers (FECTL etc. or
/// IECTL etc.).
///
/// A condition sets IP. If the interrupt is unmasked, the unit sends the message and clears IP. If
/// it is masked, IP stays set until software either unmasks the interrupt, which sends the message,
/// or clears all conditions.
class VtdEvent {
 public:
  void set_sink(VtdMessageSink sink) { sink_ = std::move(sink); }
  void Raise();
  void ConditionsCleared() { pending_ = false; }

  uint32_t control() const;  ///< [31] IM, [30] IP
  void WriteControl(uint32_t value);
  uint32_t data() const { return data_; }
  void WriteData(uint32_t value) { data_ = value; }
  uint32_t address() const { return address_; }
  void WriteAddress(uint32_t value) { address_ = value & ~uint32_t{3}; }

 private:
  void Send();

  VtdMessageSink sink_;
  bool masked_ = true;
  bool pending_ = false;
  uint32_t data_ = 0;
  uint32_t address_ = 0;
};

/// The fault records, the status register FSTS and the fault interrupt.
class VtdFaultLog {
 public:
  VtdFaultLog(unsigned records, bool collapse) : collapse_(collapse), records_(records) {}

  /// Records a blocked request. If the log is full, it sets PFO instead. `info` is the request's
  /// address or, for an interrupt request, the index of its entry in bits [63:48].
  void Record(uint16_t sid, uint64_t info, bool write, VtdAddressType type, VtdReason reason);
  /// Sets IQE, ICE or ITE of FSTS.
  void RaiseStatus(uint32_t bit);

  uint32_t status() const;           ///< FSTS
  void WriteStatus(uint32_t value);  ///< write 1 to clear: PFO, IQE, ICE, ITE
  uint64_t record(unsigned index, bool high) const;
  void ClearRecord(unsigned index);  ///< called when software writes 1 to the record's F bit
  unsigned records() const { return static_cast<unsigned>(records_.size()); }

  VtdEvent& event() { return event_; }
  const VtdEvent& event() const { return event_; }
  uint64_t recorded() const { return recorded_; }
  uint64_t lost() const { return lost_; }

 private:
  struct Words {
    uint64_t low = 0, high = 0;
  };
  bool Quiet() const { return (status() & ~uint32_t{0xFF01}) == 0; }  ///< neither PPF nor an error bit is set
  void AfterClear();
  bool PendingFault() const;

  const bool collapse_;
  std::vector<Words> records_;
  unsigned next_ = 0;   ///< index of the record for the next fault
  unsigned first_ = 0;  ///< FRI
  uint32_t bits_ = 0;   ///< PFO, IQE, ICE, ITE
  uint64_t recorded_ = 0, lost_ = 0;
  VtdEvent event_;
};

}  // namespace gmmu::sim
