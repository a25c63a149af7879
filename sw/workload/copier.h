// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "os/application/video_memory.h"

namespace gmmu::workload {

class RenderBuffer;
struct Life;

/// A process whose packets must do each command once and in order.
///
/// It has a source and a place for each round. The packet of a round copies the source to the round's place and
/// overwrites the source, page by page, and nobody touches that place again: whoever leaves a command out, takes them
/// out of order or does them again behind others leaves wrong bytes there to the end. (A command that is done twice in
/// a row is not seen: it does the same.)
class Copier {
 public:
  Copier(Life& life, const std::string& name, uint64_t pages, uint32_t rounds);
  ~Copier();

  /// Rounds come in order, from 1.
  void SubmitRound(uint32_t round);
  /// Waits for all packets; kLost if one was.
  os::PacketEnd Finish();
  /// All bytes, read by this client.
  void Check(unsigned client = 0);
  uint64_t bytes() const;
  void End();

  bool lost() const;
  const std::string& name() const;

 private:
  uint64_t PlaceOf(uint32_t round, uint64_t page) const;

  Life& life_;
  const uint64_t pages_;
  const uint32_t rounds_;
  os::GpuProcess* process_ = nullptr;
  os::Allocation* allocation_ = nullptr;
  uint64_t va_ = 0;  ///< the source, then the places of rounds 1 and on
  std::vector<std::unique_ptr<RenderBuffer>> buffers_;
  std::vector<os::PacketId> packets_;
};

}  // namespace gmmu::workload
