// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "events/record.h"

struct sqlite3;

namespace gmmu::events {

/// Thrown if the file was not written by Store or lacks the requested event; what() contains the
/// remedy.
class EventError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Reads a file written by Store. Every call may throw EventError.
class Reader {
 public:
  explicit Reader(const std::string& path);
  ~Reader();
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  /// Returns a value from the `meta` table, or an empty string if the table lacks the key.
  std::string Note(const std::string& key) const;
  /// Picoseconds per cycle.
  uint64_t period_ps() const { return period_ps_; }

  /// Returns the events of one kind in ascending order, or only the one with number `number`.
  /// `Event` is any type of Record except PointEvent.
  template <typename Event>
  std::vector<Event> All(std::optional<unsigned> unit = std::nullopt,
                         std::optional<uint64_t> number = std::nullopt) const;
  /// Returns the `count` longest events, longest first.
  template <typename Event>
  std::vector<Event> Slowest(unsigned count) const;
  std::vector<hw::LookupEvent> LookupsOf(const hw::WalkEvent& walk) const;
  std::vector<hw::CommandEvent> CommandsOf(const hw::BufferEvent& buffer) const;
  std::vector<hw::PointEvent> Points() const;
  /// Calls `each` for every change in the number of walks in flight, in cycle order.
  void Depths(const std::function<void(unsigned unit, uint64_t cycle, unsigned depth)>& each) const;

 private:
  using Row = std::vector<int64_t>;
  void Query(const std::string& sql, const std::vector<int64_t>& values,
             const std::function<void(const Row&)>& each) const;
  template <typename Event>
  std::vector<Event> Where(const std::string& rest, const std::vector<int64_t>& values) const;
  void Fill(hw::WalkEvent& event, const Row& row) const;
  void Fill(hw::LookupEvent& event, const Row& row) const;
  void Fill(hw::AccessEvent& event, const Row& row) const;
  void Fill(hw::BufferEvent& event, const Row& row) const;
  void Fill(hw::CommandEvent& event, const Row& row) const;
  void Steps(const char* kind, hw::Span& span) const;
  void Spent(const char* kind, hw::EngineSpan& span) const;

  const std::string path_;
  sqlite3* file_ = nullptr;
  uint64_t period_ps_ = 1000;
};

}  // namespace gmmu::events
