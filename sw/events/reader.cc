// SPDX-License-Identifier: Apache-2.0
#include "events/reader.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include "events/store.h"

namespace gmmu::events {
namespace {

template <typename Event>
constexpr const char* kTableOf = nullptr;
template <>
constexpr const char* kTableOf<hw::WalkEvent> = "walks";
template <>
constexpr const char* kTableOf<hw::LookupEvent> = "lookups";
template <>
constexpr const char* kTableOf<hw::AccessEvent> = "accesses";
template <>
constexpr const char* kTableOf<hw::BufferEvent> = "buffers";
template <>
constexpr const char* kTableOf<hw::CommandEvent> = "commands";

unsigned U(int64_t value) { return static_cast<unsigned>(value); }
uint64_t W(int64_t value) { return static_cast<uint64_t>(value); }

}  // namespace

Reader::Reader(const std::string& path) : path_(path) {
  if (sqlite3_open_v2(path.c_str(), &file_, SQLITE_OPEN_READONLY, nullptr) != SQLITE_OK) {
    const std::string reason = sqlite3_errmsg(file_);
    sqlite3_close(file_);
    throw EventError(path + ": " + reason + "\nGive a file of gmmu run --events.");
  }
  int64_t version = -1;
  try {
    Query("PRAGMA user_version", {}, [&](const Row& row) { version = row[0]; });
    if (version != kFileVersion) {
      throw EventError(
          fmt::format("{}: version {} of the tables, this program reads {}\nRecord it again with gmmu run "
                      "--events.",
                      path, version, kFileVersion));
    }
  } catch (...) {
    sqlite3_close(file_);
    throw;
  }
  const std::string period = Note("period_ps");
  if (!period.empty()) period_ps_ = std::stoull(period);
}

Reader::~Reader() { sqlite3_close(file_); }

void Reader::Query(const std::string& sql, const std::vector<int64_t>& values,
                   const std::function<void(const Row&)>& each) const {
  sqlite3_stmt* statement = nullptr;
  int status = sqlite3_prepare_v2(file_, sql.c_str(), -1, &statement, nullptr);
  for (size_t i = 0; i < values.size(); ++i) sqlite3_bind_int64(statement, static_cast<int>(i) + 1, values[i]);
  Row row;
  while (status == SQLITE_OK || status == SQLITE_ROW) {
    status = sqlite3_step(statement);
    if (status != SQLITE_ROW) break;
    row.resize(static_cast<size_t>(sqlite3_column_count(statement)));
    for (size_t i = 0; i < row.size(); ++i) row[i] = sqlite3_column_int64(statement, static_cast<int>(i));
    each(row);
  }
  sqlite3_finalize(statement);
  if (status != SQLITE_DONE)
    throw EventError(path_ + ": " + sqlite3_errmsg(file_) + "\nGive a file of gmmu run --events.");
}

std::string Reader::Note(const std::string& key) const {
  sqlite3_stmt* statement = nullptr;
  std::string value;
  if (sqlite3_prepare_v2(file_, "SELECT value FROM meta WHERE key = ?", -1, &statement, nullptr) == SQLITE_OK) {
    sqlite3_bind_text(statement, 1, key.c_str(), -1, SQLITE_TRANSIENT);
    if (sqlite3_step(statement) == SQLITE_ROW) value = reinterpret_cast<const char*>(sqlite3_column_text(statement, 0));
  }
  sqlite3_finalize(statement);
  return value;
}

void Reader::Steps(const char* kind, hw::Span& span) const {
  Query(
      fmt::format("SELECT cause, level, begin, end FROM steps WHERE kind = '{}' AND unit = ? AND number = ? ORDER BY n",
                  kind),
      {span.unit, static_cast<int64_t>(span.number)}, [&](const Row& row) {
        span.steps.push_back({static_cast<hw::Cause>(row[0]), static_cast<int>(row[1]), W(row[2]), W(row[3])});
      });
}

void Reader::Spent(const char* kind, hw::EngineSpan& span) const {
  Query(fmt::format("SELECT cause, cycles FROM spent WHERE kind = '{}' AND unit = ? AND number = ?", kind),
        {span.unit, static_cast<int64_t>(span.number)},
        [&](const Row& row) { span.spent.at(static_cast<size_t>(row[0])) = W(row[1]); });
}

void Reader::Fill(hw::WalkEvent& e, const Row& row) const {
  e.begin = W(row[2]);
  e.end = W(row[3]);
  e.port = U(row[4]);
  e.space = U(row[5]);
  e.va = W(row[6]);
  e.row = U(row[7]);
  e.start_level = static_cast<int>(row[8]);
  e.lost = row[9] != 0;
  Query(
      "SELECT level, leaf_64k, host, address, bytes, word, error, offered, accepted, answered FROM reads WHERE unit = "
      "? "
      "AND walk = ? ORDER BY n",
      {row[0], row[1]}, [&](const Row& r) {
        e.reads.push_back({static_cast<int>(r[0]), r[1] != 0, r[2] != 0, W(r[3]), U(r[4]), W(r[5]), r[6] != 0, W(r[7]),
                           W(r[8]), W(r[9])});
      });
  Steps("walk", e);
}

void Reader::Fill(hw::LookupEvent& e, const Row& row) const {
  e.begin = W(row[2]);
  e.end = W(row[3]);
  e.port = U(row[4]);
  e.space = U(row[5]);
  e.tag = U(row[6]);
  e.va = W(row[7]);
  e.access = static_cast<regs::Access>(row[8]);
  e.ending = static_cast<hw::Ending>(row[9]);
  e.fault = static_cast<regs::Fault>(row[10]);
  e.walk = W(row[11]);
  Steps("lookup", e);
}

void Reader::Fill(hw::AccessEvent& e, const Row& row) const {
  e.begin = W(row[2]);
  e.end = W(row[3]);
  e.client = U(row[4]);
  e.slot = U(row[5]);
  e.lookup = W(row[6]);
  e.va = W(row[7]);
  e.access = static_cast<regs::Access>(row[8]);
  e.fault = static_cast<regs::Fault>(row[9]);
  Steps("access", e);
}

void Reader::Fill(hw::BufferEvent& e, const Row& row) const {
  e.begin = W(row[2]);
  e.end = W(row[3]);
  e.fence = U(row[4]);
  e.address = W(row[5]);
  e.bytes = U(row[6]);
  e.completed = row[7] != 0;
  Spent("buffer", e);
}

void Reader::Fill(hw::CommandEvent& e, const Row& row) const {
  e.begin = W(row[2]);
  e.issued = W(row[3]);
  e.end = W(row[4]);
  e.buffer = W(row[5]);
  e.fence = U(row[6]);
  e.offset = U(row[7]);
  e.header = U(row[8]);
  e.bytes = W(row[9]);
  e.finished = row[10] != 0;
  Spent("command", e);
}

template <typename Event>
std::vector<Event> Reader::Where(const std::string& rest, const std::vector<int64_t>& values) const {
  std::vector<Event> all;
  Query(fmt::format("SELECT * FROM {} {}", kTableOf<Event>, rest), values, [&](const Row& row) {
    Event event;
    event.unit = U(row[0]);
    event.number = W(row[1]);
    Fill(event, row);
    all.push_back(std::move(event));
  });
  return all;
}

template <typename Event>
std::vector<Event> Reader::All(std::optional<unsigned> unit, std::optional<uint64_t> number) const {
  if (!unit) return Where<Event>("ORDER BY unit, number", {});
  if (!number) return Where<Event>("WHERE unit = ? ORDER BY number", {*unit});
  return Where<Event>("WHERE unit = ? AND number = ?", {*unit, static_cast<int64_t>(*number)});
}

template <typename Event>
std::vector<Event> Reader::Slowest(unsigned count) const {
  return Where<Event>("ORDER BY end - begin DESC, unit, number LIMIT ?", {count});
}

#define GMMU_READS(Event)                                                                                 \
  template std::vector<Event> Reader::All<Event>(std::optional<unsigned>, std::optional<uint64_t>) const; \
  template std::vector<Event> Reader::Slowest<Event>(unsigned) const;
GMMU_READS(hw::WalkEvent)
GMMU_READS(hw::LookupEvent)
GMMU_READS(hw::AccessEvent)
GMMU_READS(hw::BufferEvent)
GMMU_READS(hw::CommandEvent)
#undef GMMU_READS

std::vector<hw::LookupEvent> Reader::LookupsOf(const hw::WalkEvent& walk) const {
  return Where<hw::LookupEvent>("WHERE unit = ? AND walk = ? ORDER BY end",
                                {walk.unit, static_cast<int64_t>(walk.number)});
}

std::vector<hw::CommandEvent> Reader::CommandsOf(const hw::BufferEvent& buffer) const {
  return Where<hw::CommandEvent>("WHERE unit = ? AND buffer = ? ORDER BY number",
                                 {buffer.unit, static_cast<int64_t>(buffer.number)});
}

std::vector<hw::PointEvent> Reader::Points() const {
  std::vector<hw::PointEvent> all;
  Query("SELECT * FROM points ORDER BY cycle", {}, [&](const Row& r) {
    all.push_back({U(r[0]), static_cast<hw::PointKind>(r[2]), W(r[1]), U(r[3]), U(r[4]), U(r[5]), W(r[6]), W(r[7])});
  });
  return all;
}

void Reader::Depths(const std::function<void(unsigned, uint64_t, unsigned)>& each) const {
  Query("SELECT unit, cycle, depth FROM depths WHERE gauge = 0 ORDER BY cycle", {},
        [&](const Row& r) { each(U(r[0]), W(r[1]), U(r[2])); });
}

}  // namespace gmmu::events
