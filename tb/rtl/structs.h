// SPDX-License-Identifier: Apache-2.0
// Packed structs of the RTL in C++. Verilator exports a C++ struct for each type that a package marks `verilator
// public`: it contains the members of the type, get() (returns the bits of a port) and set() (loads the members from
// these bits).
#pragma once

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

/// Returns the bits of a struct for a port. A port needs zeros above its width, which get() leaves undefined; code that
/// uses a bench is compiled with -ftrivial-auto-var-init=zero (cmake/GmmuVerilate.cmake).
template <typename Struct>
auto Pack(const Struct& fields) {
  return fields.get();
}

/// Changes members of the struct on a port: `change` gets the struct with the port's value, by reference.
template <typename Struct, typename Port, typename Change>
void Repack(Port& port, const Change& change) {
  Struct fields = Unpack<Struct>(port);
  change(fields);
  port = Pack(fields);
}

}  // namespace gmmu
