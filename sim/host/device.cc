// SPDX-License-Identifier: Apache-2.0
#include "host/device.h"

#include <algorithm>

#include <fmt/format.h>

#include "host/engine.h"

namespace gmmu::sim {
namespace {

[[noreturn]] void Refuse(const char* what) {
  throw EngineError(fmt::format("this machine cannot {}: only a simulated GPU of this project can", what));
}

/// Splits the access at multiples of Device::kBlockBytes and calls `piece` with each part and the
/// part's position in the access.
template <class Piece>
void Cut(BarAccess access, const Piece& piece) {
  const uint64_t start = access.address, end = access.address + access.size;
  while (access.address < end) {
    access.size = std::min<uint64_t>(end - access.address, Device::kBlockBytes - access.address % Device::kBlockBytes);
    piece(access, access.address - start);
    access.address += access.size, access.offset += access.size;
  }
}

}  // namespace

std::string BarAccess::Text(bool write) const {
  return fmt::format("a {} of {} bytes at {:#x}", write ? "write" : "read", size, address);
}

void Device::ReadBlock(const BarAccess& access, void* to) {
  Cut(access, [&](const BarAccess& piece, uint64_t at) { Read(piece, static_cast<uint8_t*>(to) + at); });
}

void Device::WriteBlock(const BarAccess& access, const void* from) {
  Cut(access, [&](const BarAccess& piece, uint64_t at) { Write(piece, static_cast<const uint8_t*>(from) + at); });
}

void Device::DriveClients(unsigned, hw::ClientAccesses*) { Refuse("make accesses of client ports"); }
void Device::LoseAnswer(unsigned, unsigned, uint64_t) { Refuse("lose an answer"); }
void Device::HoldReads(unsigned, uint64_t, uint64_t) { Refuse("hold reads back"); }

}  // namespace gmmu::sim
