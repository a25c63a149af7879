// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "Vgmmu_gpu_axi.h"

namespace gmmu::bench {

/// Makes 8-byte reads at all client ports concurrently. Client k mod clients reads address k. Each
/// client issues its reads in order, with as many in flight as it has ids. Call Drive before the
/// edge, and Sample when the inputs have settled.
class ClientReads {
 public:
  /// The first read is issued at clock edge `start`.
  ClientReads(uint64_t start, unsigned space, std::vector<uint64_t> addresses);

  void Drive(Vgmmu_gpu_axi& top, uint64_t cycle);
  void Sample(const Vgmmu_gpu_axi& top, uint64_t cycle);

  bool done() const { return answered_ == addresses_.size(); }
  unsigned faults() const { return faults_; }
  uint64_t first() const { return first_; }  ///< edge at which the first request was accepted
  uint64_t last() const { return last_; }    ///< edge at which the last response was accepted

 private:
  static constexpr unsigned kClients = GMMU_CLIENTS, kIds = 64;
  struct Client {
    size_t next = 0;  ///< index of the client's next address
    unsigned id = 0;  ///< id of the next request; `busy`: no id is free
    std::array<bool, kIds> busy{};
  };

  const uint64_t start_;
  const unsigned space_;
  const std::vector<uint64_t> addresses_;
  std::array<Client, kClients> clients_;
  size_t answered_ = 0;
  unsigned faults_ = 0;
  uint64_t first_ = 0, last_ = 0;
};

}  // namespace gmmu::bench
