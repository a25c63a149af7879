// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include <tlm>

#include "gpu/bus_extension.h"

namespace gmmu::sim {

inline constexpr size_t kMaxTransactionBytes = 4096;

/// A transaction that owns its buffer and its extension. TransactionPool constructs it.
class PooledTransaction : public tlm::tlm_generic_payload {
 public:
  explicit PooledTransaction(tlm::tlm_mm_interface* pool)
      : tlm_generic_payload(pool),
        extension(new BusExtension),
        buffer(kMaxTransactionBytes),
        enables(kMaxTransactionBytes) {
    set_extension(extension);  // the payload owns its extension
  }

  BusExtension* const extension;
  std::vector<uint8_t> buffer;
  std::vector<uint8_t> enables;
  uint64_t owner_tag = 0;  ///< free for use by the initiator
};

/// A pool of reusable transactions. It allocates a transaction only if all existing ones are in
/// use, so it grows to the largest number in flight at once.
///
/// Acquire returns a transaction with one reference. When its last reference is released, the
/// transaction returns to the pool.
class TransactionPool : public tlm::tlm_mm_interface {
 public:
  PooledTransaction* Acquire(tlm::tlm_command command, uint64_t address, size_t offset, size_t bytes) {
    if (free_.empty()) {
      all_.push_back(std::make_unique<PooledTransaction>(this));
      free_.push_back(all_.back().get());
    }
    PooledTransaction* t = free_.back();
    free_.pop_back();
    t->acquire();
    t->set_command(command);
    t->set_address(address);
    t->set_data_ptr(t->buffer.data() + offset);
    t->set_data_length(static_cast<unsigned>(bytes));
    t->set_streaming_width(static_cast<unsigned>(bytes));
    t->set_byte_enable_ptr(nullptr);
    t->set_byte_enable_length(0);
    t->set_dmi_allowed(false);
    t->set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    t->extension->no_snoop = false;
    return t;
  }
  void free(tlm::tlm_generic_payload* t) override { free_.push_back(static_cast<PooledTransaction*>(t)); }
  size_t in_flight() const { return all_.size() - free_.size(); }

 private:
  std::vector<std::unique_ptr<PooledTransaction>> all_;
  std::vector<PooledTransaction*> free_;
};

}  // namespace gmmu::sim
