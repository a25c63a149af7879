// SPDX-License-Identifier: Apache-2.0
// Packed structs of the RTL in C++. Verilator exports a struct of each type that a package marks `verilator public`, with
// the members of the type, get() (the bits of a port) and set() (from these bits).
#pragma once

#include <cstddef>
#include <cstring>

/// The exported struct of the type `name` in the bench `top`: GMMU_STRUCT(gmmu_peer_port_bench, sub_ax_t).
#define GMMU_STRUCT(top, name) V##top##_##name##__struct__0

namespace gmmu {

/// Returns the bits of a port as a struct.
template <typename Struct, typename Port>
Struct Unpack(const Port& port) {
  Struct fields{};
  fields.set(port);
  return fields;
}

/// Returns the bits of a struct for a port. A model requires zeros above the width of a port; get() leaves these bits
/// undefined.
template <typename Struct>
auto Pack(const Struct& fields) {
  using Bits = decltype(fields.get());
  static const Bits mask = [] {
    Bits all{};
    for (size_t at = 0; at < 8 * sizeof(Bits); ++at) {  // A bit belongs to the struct if set() uses it.
      Bits one{};
      const auto bit = static_cast<unsigned char>(1u << at % 8);
      reinterpret_cast<unsigned char*>(&one)[at / 8] = bit;
      Struct with, none;
      std::memset(&with, 0, sizeof with), std::memset(&none, 0, sizeof none);
      with.set(one);
      if (std::memcmp(&with, &none, sizeof none) != 0) reinterpret_cast<unsigned char*>(&all)[at / 8] |= bit;
    }
    return all;
  }();
  Bits bits = fields.get();
  for (size_t n = 0; n < sizeof bits; ++n)
    reinterpret_cast<unsigned char*>(&bits)[n] &= reinterpret_cast<const unsigned char*>(&mask)[n];
  return bits;
}

/// Sets members of the struct on a port: `change` gets the struct, with its present values, by reference.
template <typename Struct, typename Port, typename Change>
void Repack(Port& port, const Change& change) {
  Struct fields = Unpack<Struct>(port);
  change(fields);
  port = Pack(fields);
}

}  // namespace gmmu
