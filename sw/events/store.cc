// SPDX-License-Identifier: Apache-2.0
#include "events/store.h"

#include <sqlite3.h>

#include <stdexcept>

namespace gmmu::events {
namespace {

constexpr const char* kSchema = R"(
CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT);
CREATE TABLE causes(id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE endings(id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE points_kinds(id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE walks(unit, number, begin, end, port, space, va, row, start_level, lost, PRIMARY KEY(unit, number)) WITHOUT ROWID;
CREATE TABLE reads(unit, walk, n, level, leaf_64k, host, address, bytes, word, error, offered, accepted, answered,
                   PRIMARY KEY(unit, walk, n)) WITHOUT ROWID;
CREATE TABLE lookups(unit, number, begin, end, port, space, tag, va, access, ending, fault, walk,
                     PRIMARY KEY(unit, number)) WITHOUT ROWID;
CREATE TABLE accesses(unit, number, begin, end, client, slot, lookup, va, access, fault,
                      PRIMARY KEY(unit, number)) WITHOUT ROWID;
CREATE TABLE buffers(unit, number, begin, end, fence, address, bytes, completed, PRIMARY KEY(unit, number)) WITHOUT ROWID;
CREATE TABLE commands(unit, number, begin, issued, end, buffer, fence, offset, opcode, bytes, finished,
                      PRIMARY KEY(unit, number)) WITHOUT ROWID;
CREATE TABLE points(unit, cycle, kind, port, space, code, first, second);
CREATE TABLE steps(kind TEXT, unit, number, n, cause, level, begin, end, PRIMARY KEY(kind, unit, number, n)) WITHOUT ROWID;
CREATE TABLE spent(kind TEXT, unit, number, cause, cycles, PRIMARY KEY(kind, unit, number, cause)) WITHOUT ROWID;
CREATE TABLE depths(unit, gauge, cycle, depth);
)";

/// The table of each Store::Statement and its number of columns. The first column of kStep and
/// kSpent is text.
constexpr struct {
  const char* table;
  int columns;
} kTables[] = {{"meta", 2},      {"walks", 10}, {"reads", 13}, {"lookups", 12}, {"accesses", 10}, {"buffers", 8},
               {"commands", 11}, {"points", 8}, {"steps", 8},  {"spent", 5},    {"depths", 4}};

}  // namespace

Store::Store(const std::string& path) {
  if (sqlite3_open_v2(path.c_str(), &file_, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr) != SQLITE_OK) Fail();
  // An incomplete file is deleted, so no journal is needed.
  Execute("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -65536; BEGIN");
  Execute(kSchema);
  Execute(("PRAGMA user_version = " + std::to_string(kFileVersion)).c_str());
  for (size_t i = 0; i < kStatements && failure_.empty(); ++i) {
    std::string sql = std::string("INSERT INTO ") + kTables[i].table + " VALUES(?";
    for (int column = 1; column < kTables[i].columns; ++column) sql += ",?";
    if (sqlite3_prepare_v2(file_, (sql + ")").c_str(), -1, &statements_[i], nullptr) != SQLITE_OK) Fail();
  }
  for (size_t i = 0; i < hw::kCauses; ++i) {
    Execute(("INSERT INTO causes VALUES(" + std::to_string(i) + ",'" + hw::CauseName(static_cast<hw::Cause>(i)) + "')")
                .c_str());
  }
  for (size_t i = 0; i < static_cast<size_t>(hw::Ending::kCount); ++i) {
    Execute(
        ("INSERT INTO endings VALUES(" + std::to_string(i) + ",'" + hw::EndingName(static_cast<hw::Ending>(i)) + "')")
            .c_str());
  }
  for (const auto kind : {hw::PointKind::kFault, hw::PointKind::kInvalidation, hw::PointKind::kInterrupt}) {
    Execute(("INSERT INTO points_kinds VALUES(" + std::to_string(static_cast<int>(kind)) + ",'" + hw::PointName(kind) +
             "')")
                .c_str());
  }
  if (failure_.empty()) return;
  const std::string reason = failure_;
  Finish();
  throw std::runtime_error(reason);
}

Store::~Store() { Finish(); }

void Store::Fail() {
  if (failure_.empty()) failure_ = sqlite3_errmsg(file_);
}

void Store::Execute(const char* sql) {
  if (failure_.empty() && sqlite3_exec(file_, sql, nullptr, nullptr, nullptr) != SQLITE_OK) Fail();
}

/// Binds `numbers` to the last columns of the statement and executes it.
void Store::Insert(Statement statement, const std::vector<int64_t>& numbers) {
  if (!failure_.empty()) return;
  sqlite3_stmt* s = statements_[statement];
  int column = kTables[statement].columns - static_cast<int>(numbers.size());
  for (const int64_t number : numbers) sqlite3_bind_int64(s, ++column, number);
  if (sqlite3_step(s) != SQLITE_DONE) Fail();
  sqlite3_reset(s);
}

void Store::Note(const std::string& key, const std::string& value) {
  if (!failure_.empty()) return;
  sqlite3_bind_text(statements_[kMeta], 1, key.c_str(), -1, SQLITE_TRANSIENT);
  sqlite3_bind_text(statements_[kMeta], 2, value.c_str(), -1, SQLITE_TRANSIENT);
  Insert(kMeta, {});
}

void Store::Steps(const char* kind, const hw::Span& span) {
  if (!failure_.empty()) return;
  sqlite3_bind_text(statements_[kStep], 1, kind, -1, SQLITE_STATIC);
  for (size_t n = 0; n < span.steps.size(); ++n) {
    const hw::Step& step = span.steps[n];
    Insert(kStep,
           {span.unit, static_cast<int64_t>(span.number), static_cast<int64_t>(n), static_cast<int64_t>(step.cause),
            step.level, static_cast<int64_t>(step.begin), static_cast<int64_t>(step.end)});
  }
}

void Store::Spent(const char* kind, const hw::EngineSpan& span) {
  if (!failure_.empty()) return;
  sqlite3_bind_text(statements_[kSpent], 1, kind, -1, SQLITE_STATIC);
  for (size_t i = 0; i < hw::kCauses; ++i) {
    if (span.spent[i] == 0) continue;
    Insert(kSpent, {span.unit, static_cast<int64_t>(span.number), static_cast<int64_t>(i),
                    static_cast<int64_t>(span.spent[i])});
  }
}

void Store::Put(const hw::WalkEvent& e) {
  const auto number = static_cast<int64_t>(e.number);
  Insert(kWalk, {e.unit, number, static_cast<int64_t>(e.begin), static_cast<int64_t>(e.end), e.port, e.space,
                 static_cast<int64_t>(e.va), e.row, e.start_level, e.lost});
  for (size_t n = 0; n < e.reads.size(); ++n) {
    const hw::TableRead& r = e.reads[n];
    Insert(kRead,
           {e.unit, number, static_cast<int64_t>(n), r.level, r.leaf_64k, r.host, static_cast<int64_t>(r.address),
            r.bytes, static_cast<int64_t>(r.word), r.error, static_cast<int64_t>(r.offered),
            static_cast<int64_t>(r.accepted), static_cast<int64_t>(r.answered)});
  }
  Steps("walk", e);
}

void Store::Put(const hw::LookupEvent& e) {
  Insert(kLookup, {e.unit, static_cast<int64_t>(e.number), static_cast<int64_t>(e.begin), static_cast<int64_t>(e.end),
                   e.port, e.space, e.tag, static_cast<int64_t>(e.va), static_cast<int64_t>(e.access),
                   static_cast<int64_t>(e.ending), static_cast<int64_t>(e.fault), static_cast<int64_t>(e.walk)});
  Steps("lookup", e);
}

void Store::Put(const hw::AccessEvent& e) {
  Insert(kAccess, {e.unit, static_cast<int64_t>(e.number), static_cast<int64_t>(e.begin), static_cast<int64_t>(e.end),
                   e.client, e.slot, static_cast<int64_t>(e.lookup), static_cast<int64_t>(e.va),
                   static_cast<int64_t>(e.access), static_cast<int64_t>(e.fault)});
  Steps("access", e);
}

void Store::Put(const hw::BufferEvent& e) {
  Insert(kBuffer, {e.unit, static_cast<int64_t>(e.number), static_cast<int64_t>(e.begin), static_cast<int64_t>(e.end),
                   e.fence, static_cast<int64_t>(e.address), e.bytes, e.completed});
  Spent("buffer", e);
}

void Store::Put(const hw::CommandEvent& e) {
  Insert(kCommand,
         {e.unit, static_cast<int64_t>(e.number), static_cast<int64_t>(e.begin), static_cast<int64_t>(e.issued),
          static_cast<int64_t>(e.end), static_cast<int64_t>(e.buffer), e.fence, e.offset,
          static_cast<int64_t>(e.header & 0xFF), static_cast<int64_t>(e.bytes), e.finished});
  Spent("command", e);
}

void Store::Put(const hw::PointEvent& e) {
  Insert(kPoint, {e.unit, static_cast<int64_t>(e.cycle), static_cast<int64_t>(e.kind), e.port, e.space, e.code,
                  static_cast<int64_t>(e.first), static_cast<int64_t>(e.second)});
}

void Store::Add(const Record& record) {
  ++records_;
  std::visit([&](const auto& event) { Put(event); }, record);
}

void Store::Depth(unsigned unit, hw::Gauge gauge, uint64_t cycle, unsigned depth) {
  if (gauge != hw::Gauge::kWalks) return;  // the depth of kLookups follows from table `lookups`
  Insert(kDepth, {unit, static_cast<int64_t>(gauge), static_cast<int64_t>(cycle), depth});
}

void Store::Finish() {
  for (sqlite3_stmt*& statement : statements_) {
    sqlite3_finalize(statement);
    statement = nullptr;
  }
  sqlite3_close(file_);
  file_ = nullptr;
}

void Store::Close() {
  Execute("COMMIT");
  Finish();
  if (!failure_.empty()) throw std::runtime_error(failure_);
}

}  // namespace gmmu::events
