// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "events/export.h"

namespace gmmu::events {
namespace {

/// The lines of the log, sorted by cycle. Within a cycle, a row starts before its stages, and ends
/// after them.
class Log {
 public:
  void Row(const hw::Span& span, const std::string& label) {
    Begin(span.unit, span.number, span.begin, label);
    for (const hw::Step& step : span.steps) {
      Stage(step.begin, step.end,
            step.level < 0 ? hw::CauseName(step.cause) : fmt::format("{}{}", hw::CauseName(step.cause), step.level));
    }
    Retire(span.end);
  }
  void Row(const hw::CommandEvent& command, const std::string& label) {
    Begin(command.unit, command.number, command.begin, label);
    if (command.issued != command.begin) Stage(command.begin, command.issued, "queue");
    Stage(command.issued, command.end, "transfer");
    Retire(command.end);
  }
  void Write(const events::Write& write) {
    std::stable_sort(lines_.begin(), lines_.end(), [](const Line& a, const Line& b) {
      return std::tie(a.cycle, a.order) < std::tie(b.cycle, b.order);
    });
    uint64_t now = lines_.empty() ? 0 : lines_.front().cycle;
    write(fmt::format("Kanata\t0004\nC=\t{}\n", now));
    for (const Line& line : lines_) {
      if (line.cycle != now) write(fmt::format("C\t{}\n", line.cycle - now));
      now = line.cycle;
      write(line.text);
    }
  }

 private:
  struct Line {
    uint64_t cycle;
    int order;
    std::string text;
  };
  void Begin(unsigned unit, uint64_t number, uint64_t cycle, const std::string& label) {
    ++id_;
    lines_.push_back({cycle, 1, fmt::format("I\t{}\t{}\t{}\nL\t{}\t0\t{}\n", id_, number, unit, id_, label)});
  }
  void Stage(uint64_t begin, uint64_t end, const std::string& name) {
    if (begin == end) return;
    lines_.push_back({begin, 2, fmt::format("S\t{}\t0\t{}\n", id_, name)});
    lines_.push_back({end, 0, fmt::format("E\t{}\t0\t{}\n", id_, name)});
  }
  void Retire(uint64_t cycle) { lines_.push_back({cycle, 3, fmt::format("R\t{}\t{}\t0\n", id_, id_)}); }

  uint64_t id_ = ~uint64_t{0};  // number of the latest row; rows count from 0
  std::vector<Line> lines_;
};

}  // namespace

void Kanata(const Reader& file, const Write& write) {
  Log log;
  for (const auto& walk : file.All<hw::WalkEvent>())
    log.Row(walk, fmt::format("walk {}: port {} va 0x{:X}", walk.number, walk.port, walk.va));
  for (const auto& lookup : file.All<hw::LookupEvent>())
    log.Row(lookup, fmt::format("lookup {}: port {} va 0x{:X}", lookup.number, lookup.port, lookup.va));
  for (const auto& access : file.All<hw::AccessEvent>())
    log.Row(access, fmt::format("access {}: client {} va 0x{:X}", access.number, access.client, access.va));
  for (const auto& command : file.All<hw::CommandEvent>()) {
    log.Row(command, fmt::format("command {}: {} of {} bytes", command.number,
                                 regs::NameOf(regs::CommandHeaderWord{command.header}.opcode()), command.bytes));
  }
  log.Write(write);
}

}  // namespace gmmu::events
