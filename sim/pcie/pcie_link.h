// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "hw/platform.h"

namespace gmmu::sim {

enum class TlpKind : uint8_t { kPosted, kNonPosted, kCompletion };
inline constexpr unsigned kTlpKinds = 3;

/// The flow-control credits that a receiver advertises for one kind of TLP. A data credit is 16
/// bytes.
struct PcieCredits {
  unsigned headers = 64;
  unsigned data = 1024;
};

struct PcieParameters {
  unsigned generation = 3;     ///< 1..5
  unsigned lanes = 8;          ///< 1, 2, 4, 8, 16
  unsigned tlp_overhead = 24;  ///< bytes per TLP in addition to its payload: framing, sequence number, header, CRC
  /// Share of the raw rate that remains after acknowledgements and credit updates, in parts per
  /// million (57.88 of 62.96 Gb/s).
  unsigned link_layer_ppm = 919'300;
  unsigned max_payload = 256;              ///< 128..4096, a power of two
  unsigned max_read_request = 512;         ///< 128..4096, a power of two
  unsigned read_completion_boundary = 64;  ///< 64 or 128
  unsigned tags = 64;                      ///< limit on reads in flight per requester, 1..1024
  uint64_t latency_ps = 250'000;           ///< in each direction, from the last byte sent to the last byte received
  std::array<PcieCredits, kTlpKinds> credits{PcieCredits{64, 1024}, PcieCredits{64, 64}, PcieCredits{128, 2048}};
};

/// Throws std::invalid_argument, whose message names the parameter, if a parameter is out of range.
void Check(const PcieParameters& parameters);

/// Returns the bits per second after line coding (8b/10b in generations 1 and 2, 128b/130b in later ones), before any
/// other overhead.
double RawBitsPerSecond(const PcieParameters& parameters);
/// Returns the bits per second left for TLPs (payload and overhead): the raw rate less acknowledgements and credit
/// updates.
double TlpBitsPerSecond(const PcieParameters& parameters);
/// Returns the payload's share of the TLP rate for writes of `size` bytes: size / (ceil(size / MPS) x overhead + size).
double WriteEfficiency(const PcieParameters& parameters, uint64_t size);
/// Returns the payload's share of the TLP rate in the direction of the completions, for reads of
/// `size` bytes aligned to the completion boundary.
double ReadEfficiency(const PcieParameters& parameters, uint64_t size);

/// One TLP's part of a request or completion. A read request has no payload; its `bytes` is the requested size.
struct TlpPiece {
  uint64_t address = 0;
  unsigned bytes = 0;
};

/// Splits [address, address + bytes) into write TLPs at the maximum payload size and at 4 KiB
/// boundaries. The TLPs are in ascending order; for 0 bytes there are none.
std::vector<TlpPiece> SplitWrite(const PcieParameters& parameters, uint64_t address, uint64_t bytes);
/// Splits the range into read requests at the maximum read request size and at 4 KiB boundaries.
std::vector<TlpPiece> SplitRead(const PcieParameters& parameters, uint64_t address, uint64_t bytes);
/// Splits the range of one read request into its completions at the maximum payload size. All but
/// the last end on a completion boundary.
std::vector<TlpPiece> SplitCompletion(const PcieParameters& parameters, uint64_t address, uint64_t bytes);

/// One direction of a PCIe link. TLPs reserve the wire in call order.
class PcieDirection {
 public:
  struct Sent {
    uint64_t start_ps = 0;   ///< first byte on the wire
    uint64_t sent_ps = 0;    ///< the last byte leaves the sender
    uint64_t arrive_ps = 0;  ///< the last byte arrives at the receiver
  };

  PcieDirection(const PcieParameters& parameters, const char* block);

  /// Whether the receiver's credits allow this TLP to be sent now.
  bool CanSend(TlpKind kind, unsigned payload_bytes) const;
  /// Sends a TLP that is ready at `ready_ps` and uses its credits. Call it only when CanSend is true.
  Sent Send(TlpKind kind, unsigned payload_bytes, uint64_t ready_ps);
  /// Returns a TLP's credits to the sender. Call it when the receiver has removed the TLP from its
  /// buffer.
  void Release(TlpKind kind, unsigned payload_bytes);

  /// Returns the earliest time at which another TLP can start.
  uint64_t free_ps() const { return (free_fs_ + 999) / 1000; }
  /// Whether all credits have been returned, which means that the receiver's buffers are empty.
  bool idle() const;
  std::vector<hw::Counter> Counters() const;

 private:
  struct Used {
    unsigned headers = 0, data = 0;
  };
  static unsigned DataCredits(unsigned bytes) { return (bytes + 15) / 16; }

  const PcieParameters parameters_;
  const char* block_;
  const double fs_per_byte_;
  uint64_t free_fs_ = 0;
  std::array<Used, kTlpKinds> used_{};
  std::array<uint64_t, kTlpKinds> tlps_{}, payload_{};
  uint64_t busy_fs_ = 0;
};

/// The tags for one requester's reads. Allocate returns the lowest free tag, or none.
class TagPool {
 public:
  explicit TagPool(unsigned tags) : used_(tags, false) {}
  std::optional<unsigned> Allocate();
  void Free(unsigned tag);  ///< asserts that the tag is in use
  unsigned in_use() const { return in_use_; }
  bool full() const { return in_use_ == used_.size(); }

 private:
  std::vector<bool> used_;
  unsigned in_use_ = 0;
};

/// A PCIe link: `up` carries traffic from the device to the host, `down` from the host to the device.
struct PcieLink {
  explicit PcieLink(const PcieParameters& parameters)
      : up(parameters, "pcie_up"), down(parameters, "pcie_down"), tags(parameters.tags) {}
  PcieDirection up;
  PcieDirection down;
  TagPool tags;
};

}  // namespace gmmu::sim
