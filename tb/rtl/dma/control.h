// SPDX-License-Identifier: Apache-2.0
// C++ helpers for gmmu_dma_control_bench: conversion of places and faults to its ports' structs,
// and a stream of words.
#pragma once

#include "Vgmmu_dma_control_bench.h"
#include "tb/rtl/dma/command_rules.h"
#include "tb/rtl/dma/dma_commands.h"
#include "tb/rtl/dma/unit_world.h"

namespace gmmu::dma {

GMMU_UNIT_STRUCTS(gmmu_dma_control_bench);
using Steering = BenchOf<Vgmmu_dma_control_bench>;
using SteeringWorld = WorldOf<Steering>;
constexpr unsigned kSpacesOf[] = {2, 16, 16};  ///< indexed by size: smallest, default, four rings

using PlaceFields = GMMU_STRUCT(gmmu_dma_control_bench, place_t);
using FaultFields = GMMU_STRUCT(gmmu_dma_control_bench, dma_fault_t);

/// Packs the {physical, target, space} of a place.
inline unsigned WhereOf(const Place& place) {
  return place.physical << 8 | static_cast<unsigned>(place.target) << 6 | place.space;
}
inline unsigned WhereOf(const PlaceFields& place) { return place.physical << 8 | place.target << 6 | place.space; }
inline PlaceFields FieldsOf(const Place& place) {
  PlaceFields fields{};
  fields.physical = place.physical, fields.target = static_cast<uint8_t>(place.target);
  fields.space = static_cast<uint8_t>(place.space), fields.address = place.address;
  return fields;
}
/// Returns the place of a job's first byte. A physical place has space 0.
inline PlaceFields PlaceOf(const UnitJob& job) {
  return FieldsOf({job.address, job.physical, job.target, job.physical ? 0 : kUnitSpace});
}
/// Packs the {reason, access, level, WhereOf(place)} of a fault.
inline unsigned WhatOf(const FaultFields& fault) {
  return fault.reason << 14 | fault.access << 12 | fault.level << 9 | WhereOf(fault.place);
}

/// The fault with which a block stopped.
struct Failure {
  Fault reason = Fault::kNone;
  regs::Access access = regs::Access::kRead;
  unsigned level = 0;
  Place place;

  FaultFields Fields() const {
    FaultFields fields{};
    fields.reason = static_cast<uint8_t>(reason), fields.access = static_cast<uint8_t>(access);
    fields.level = static_cast<uint8_t>(level), fields.place = FieldsOf(place);
    return fields;
  }
};
/// Returns a failure with this reason and otherwise random fields, which the bench reports to a
/// block.
inline Failure SomeFailure(Steering& blocks, Fault reason) {
  Failure failure;
  failure.reason = reason;
  failure.access = static_cast<regs::Access>(blocks.Random(0, 1));
  failure.level = blocks.Random(0, 5);
  failure.place = {blocks.rng(), blocks.Chance(50), static_cast<Target>(blocks.Random(0, 3)),
                   static_cast<unsigned>(blocks.Random(0, 63))};
  return failure;
}

/// Delivers words to a block as the fetcher does. Reports an error in place of word `error_at`.
class WordStream {
 public:
  std::vector<uint64_t> words;
  size_t taken = 0, error_at = ~size_t{0};

  void Start(const std::vector<uint64_t>& with, size_t error = ~size_t{0}) {
    words = with;
    taken = 0;
    error_at = error;
    offer_ = Offer();
  }
  template <typename Bit, typename Word>
  void Drive(Steering& blocks, unsigned idle_percent, Bit& valid, Word& word, Bit& error) {
    error = taken == error_at;
    valid = offer_.Now(!error && taken < words.size(), blocks, idle_percent);
    word = valid ? words[taken] : blocks.rng();
  }
  void Sample(bool valid, bool ready) {
    if (valid && ready) ++taken, offer_.Taken();
  }

 private:
  Offer offer_;
};

}  // namespace gmmu::dma
