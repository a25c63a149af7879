// SPDX-License-Identifier: Apache-2.0
// Packed structs of the RTL in C++. Verilator exports a struct of each type that a package marks `verilator public`, with
// the members of the type, get() (the bits of a port) and set() (from these bits).
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

/// Sets members of the struct on a port: `change` gets the struct, with its present values, by reference.
template <typename Struct, typename Port, typename Change>
void Repack(Port& port, const Change& change) {
  Struct fields = Unpack<Struct>(port);
  change(fields);
  port = fields.get();
}

}  // namespace gmmu
