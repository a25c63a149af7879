// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "events/record.h"

struct sqlite3;
struct sqlite3_stmt;

namespace gmmu::events {

/// The user_version of the SQLite file. Increment it when a table or column is removed or changes
/// its meaning.
inline constexpr int kFileVersion = 1;

/// Writes records to an SQLite file, whose tables are described in docs/events.md. The file must be
/// empty or must not exist.
class Store : public RecordSink {
 public:
  /// Throws std::runtime_error if the file cannot be created; what() contains only the reason.
  explicit Store(const std::string& path);
  ~Store() override;
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  void Add(const Record& record) override;
  void Depth(unsigned unit, hw::Gauge gauge, uint64_t cycle, unsigned depth) override;
  /// Adds a row to the `meta` table.
  void Note(const std::string& key, const std::string& value);
  /// Writes pending records and closes the file. Throws std::runtime_error with the first error
  /// that has prevented a record from being written; earlier calls do not throw.
  void Close();
  uint64_t records() const { return records_; }

 private:
  enum Statement {
    kMeta,
    kWalk,
    kRead,
    kLookup,
    kAccess,
    kBuffer,
    kCommand,
    kPoint,
    kStep,
    kSpent,
    kDepth,
    kStatements
  };
  void Execute(const char* sql);
  void Insert(Statement statement, const std::vector<int64_t>& numbers);
  void Steps(const char* kind, const hw::Span& span);
  void Spent(const char* kind, const hw::EngineSpan& span);
  void Put(const hw::WalkEvent& event);
  void Put(const hw::LookupEvent& event);
  void Put(const hw::AccessEvent& event);
  void Put(const hw::BufferEvent& event);
  void Put(const hw::CommandEvent& event);
  void Put(const hw::PointEvent& event);
  void Fail();
  void Finish();

  sqlite3* file_ = nullptr;
  std::array<sqlite3_stmt*, kStatements> statements_{};
  std::string failure_;
  uint64_t records_ = 0;
};

}  // namespace gmmu::events
