// SPDX-License-Identifier: Apache-2.0
// C++ types for the packed structs of the RTL. Verilator exports a C++ struct for each type that a
// package marks `verilator public`. The struct has the members of the type, get() (returns the bits
// of a port) and set() (loads the members from these bits).
#pragma once

#include <array>
#include <cstdint>
#include <cstring>

/// The exported struct for type `name` of bench `top`, for example
/// GMMU_STRUCT(gmmu_peer_port_bench, sub_ax_t).
#define GMMU_STRUCT(top, name) V##top##_##name##__struct__0

namespace gmmu {

/// Returns the bits of a port as a struct.
template <typename Struct, typename Port>
Struct Unpack(const Port& port) {
  Struct fields{};
  fields.set(port);
  return fields;
}

/// Returns a struct as the bits of a port, with zeros above its width. get() leaves those bits
/// undefined, and a member that is wider in C++ than in the RTL may spill into them.
template <typename Struct>
auto Pack(const Struct& fields) {
  using Bits = decltype(fields.get());
  using Bytes = std::array<uint8_t, sizeof(Bits)>;
  static const Bytes mask = [] {
    Bytes used{};
    for (unsigned bit = 0; bit < 8 * sizeof(Bits); ++bit) {
      Bytes one{};
      one[bit / 8] = static_cast<uint8_t>(1u << bit % 8);
      Bits bits;
      std::memcpy(&bits, one.data(), sizeof bits);
      Struct zeros, ones;
      std::memset(static_cast<void*>(&zeros), 0, sizeof zeros), std::memset(static_cast<void*>(&ones), 0, sizeof ones);
      ones.set(bits);
      if (std::memcmp(&zeros, &ones, sizeof zeros) != 0) used[bit / 8] |= one[bit / 8];
    }
    return used;
  }();
  Bits bits = fields.get();
  Bytes bytes;
  std::memcpy(bytes.data(), &bits, sizeof bits);
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] &= mask[i];
  std::memcpy(&bits, bytes.data(), sizeof bits);
  return bits;
}

/// Changes members of the struct on a port. `change` receives the struct by reference, filled from
/// the port; the result is written back.
template <typename Struct, typename Port, typename Change>
void Repack(Port& port, const Change& change) {
  Struct fields = Unpack<Struct>(port);
  change(fields);
  port = Pack(fields);
}

}  // namespace gmmu
