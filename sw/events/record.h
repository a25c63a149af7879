// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <variant>

#include "hw/events.h"

namespace gmmu::events {

/// Any record that a machine produces.
using Record =
    std::variant<hw::WalkEvent, hw::LookupEvent, hw::AccessEvent, hw::BufferEvent, hw::CommandEvent, hw::PointEvent>;

inline uint64_t BeginOf(const hw::PointEvent& event) { return event.cycle; }
inline uint64_t EndOf(const hw::PointEvent& event) { return event.cycle; }
template <typename Event>
uint64_t BeginOf(const Event& event) {
  return event.begin;
}
template <typename Event>
uint64_t EndOf(const Event& event) {
  return event.end;
}

/// A sink that treats all kinds of records alike. A subclass implements Add.
class RecordSink : public hw::EventSink {
 public:
  virtual void Add(const Record& record) = 0;
  void Take(const hw::WalkEvent& event) override { Add(event); }
  void Take(const hw::LookupEvent& event) override { Add(event); }
  void Take(const hw::AccessEvent& event) override { Add(event); }
  void Take(const hw::BufferEvent& event) override { Add(event); }
  void Take(const hw::CommandEvent& event) override { Add(event); }
  void Take(const hw::PointEvent& event) override { Add(event); }
  void Depth(unsigned, hw::Gauge, uint64_t, unsigned) override {}
};

/// Forwards every record to two sinks.
class Both : public RecordSink {
 public:
  Both(RecordSink& first, RecordSink& second) : first_(first), second_(second) {}
  void Add(const Record& record) override {
    first_.Add(record);
    second_.Add(record);
  }
  void Depth(unsigned unit, hw::Gauge gauge, uint64_t cycle, unsigned depth) override {
    first_.Depth(unit, gauge, cycle, depth);
    second_.Depth(unit, gauge, cycle, depth);
  }

 private:
  RecordSink& first_;
  RecordSink& second_;
};

}  // namespace gmmu::events
