// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "events/export.h"

namespace gmmu::events {
namespace {

using Json = nlohmann::ordered_json;

class Trace {
 public:
  Trace(const Write& write, uint64_t period_ps) : write_(write), us_(static_cast<double>(period_ps) * 1e-6) {
    write_("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n");
  }
  void End() { write_("\n]}\n"); }

  void Put(Json event, uint64_t cycle, unsigned unit) {
    event["ts"] = static_cast<double>(cycle) * us_;
    event["pid"] = unit;
    event["tid"] = 0;
    write_((first_ ? "" : ",\n") + event.dump(-1, ' ', false, Json::error_handler_t::replace));
    first_ = false;
  }
  void Span(const char* kind, const std::string& name, const hw::Span& span, const Json& arguments) {
    Whole(kind, name, span.unit, span.number, span.begin, span.end, arguments, [&] {
      if (span.steps.size() < 2) return;
      for (const hw::Step& step : span.steps) {
        const std::string label = step.level < 0 ? hw::CauseName(step.cause)
                                                 : fmt::format("{} {}", hw::CauseName(step.cause), step.level);
        Whole(kind, label, span.unit, span.number, step.begin, step.end, Json::object(), [] {});
      }
    });
  }
  template <typename Inside>
  void Whole(const char* kind, const std::string& name, unsigned unit, uint64_t number, uint64_t begin, uint64_t end,
             const Json& arguments, const Inside& inside) {
    const std::string id = fmt::format("{}.{}", kind, number);
    Put({{"ph", "b"}, {"cat", kind}, {"name", name}, {"id", id}, {"args", arguments}}, begin, unit);
    inside();
    Put({{"ph", "e"}, {"cat", kind}, {"name", name}, {"id", id}}, end, unit);
  }

 private:
  const Write& write_;
  const double us_;
  bool first_ = true;
};

std::string Hex(uint64_t value) { return fmt::format("0x{:X}", value); }

}  // namespace

void Perfetto(const Reader& file, const Write& write) {
  Trace trace(write, file.period_ps());
  for (const auto& walk : file.All<hw::WalkEvent>()) {
    trace.Span("walk", fmt::format("walk {}", walk.number), walk,
               {{"port", walk.port}, {"space", walk.space}, {"va", Hex(walk.va)}, {"row", walk.row}});
  }
  for (const auto& lookup : file.All<hw::LookupEvent>()) {
    trace.Span("lookup", fmt::format("lookup {}", lookup.number), lookup,
               {{"port", lookup.port},
                {"va", Hex(lookup.va)},
                {"ending", hw::EndingName(lookup.ending)},
                {"walk", lookup.walk}});
  }
  for (const auto& access : file.All<hw::AccessEvent>()) {
    trace.Span("access", fmt::format("access {}", access.number), access,
               {{"client", access.client}, {"va", Hex(access.va)}, {"lookup", access.lookup}});
  }
  for (const auto& buffer : file.All<hw::BufferEvent>()) {
    trace.Whole("buffer", fmt::format("paging buffer {}", buffer.number), buffer.unit, buffer.number, buffer.begin,
                buffer.end, {{"fence", buffer.fence}, {"bytes", buffer.bytes}}, [] {});
  }
  for (const auto& command : file.All<hw::CommandEvent>()) {
    trace.Whole("command", regs::NameOf(regs::CommandHeaderWord{command.header}.opcode()), command.unit, command.number,
                command.begin, command.end, {{"bytes", command.bytes}, {"buffer", command.buffer}}, [&] {
                  if (command.issued == command.begin) return;
                  trace.Whole("command", "queue", command.unit, command.number, command.begin, command.issued,
                              Json::object(), [] {});
                });
  }
  for (const auto& point : file.Points()) {
    trace.Put({{"ph", "i"}, {"s", "p"}, {"name", hw::PointName(point.kind)}, {"args", {{"address", Hex(point.first)}}}},
              point.cycle, point.unit);
  }
  file.Depths([&](unsigned unit, uint64_t cycle, unsigned depth) {
    trace.Put({{"ph", "C"}, {"name", "walks under way"}, {"args", {{"walks", depth}}}}, cycle, unit);
  });
  trace.End();
}

}  // namespace gmmu::events
