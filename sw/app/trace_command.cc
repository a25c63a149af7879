// SPDX-License-Identifier: Apache-2.0
#include "app/trace_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "app/cli.h"
#include "app/outputs.h"
#include "app/process.h"
#include "app/progress.h"
#include "app/command_options.h"
#include "app/ddi_trace_file.h"
#include "trace/error.h"
#include "trace/generate.h"
#include "trace/number.h"
#include "trace/open.h"
#include "trace/summary.h"
#include "trace/writer.h"

namespace gmmu::app {
namespace {

using Json = nlohmann::ordered_json;

constexpr uint64_t kShown = 1 << 16;  // number of accesses between two progress updates

const char* Word(trace::Kind kind) {
  return kind == trace::Kind::kRead ? "read" : kind == trace::Kind::kWrite ? "write" : "execute";
}

trace::TraceError Usage(const std::string& option, const std::string& value, const std::string& wanted) {
  return trace::TraceError(fmt::format("--{} {}: give {}", option, value, wanted));
}

/// Parses "N,N,...". The product of the numbers is the number of lines in memory and must fit in 64
/// bits.
std::vector<uint64_t> Organization(const std::string& text) {
  std::vector<uint64_t> levels;
  uint64_t lines = 1;
  for (size_t at = 0; !text.empty() && at != std::string::npos;) {
    const size_t comma = text.find(',', at);
    const auto level = trace::ParseDigits(text.substr(at, comma - at), 10);
    if (!level || *level == 0 || lines > ~uint64_t{0} / *level) {
      throw Usage("organization", text, "N,N,...: how many of each level there are, 2^64 lines at most");
    }
    lines *= *level;
    levels.push_back(*level);
    at = comma == std::string::npos ? comma : comma + 1;
  }
  return levels;
}

trace::ImportOptions Options(const TraceArguments& arguments) {
  trace::ImportOptions options;
  if (arguments.addresses == "virtual") {
    options.addresses = trace::Addresses::kVirtual;
  } else if (arguments.addresses == "physical") {
    options.addresses = trace::Addresses::kPhysical;
  } else if (!arguments.addresses.empty()) {
    throw Usage("addresses", arguments.addresses, "virtual or physical");
  }
  const auto power = [](uint64_t number) { return number != 0 && (number & (number - 1)) == 0; };
  if (arguments.unit.rfind("line:", 0) == 0) {
    const auto line = trace::ParseDigits(arguments.unit.substr(5), 10);
    if (!line || *line < 2 || *line > trace::kMaxUnit || !power(*line)) {
      throw Usage("unit", arguments.unit, fmt::format("a power of two, 2 to {}, behind line:", trace::kMaxUnit));
    }
    options.unit = static_cast<uint32_t>(*line);
  } else if (arguments.unit == "bytes") {
    options.unit = 1;
  } else if (!arguments.unit.empty()) {
    throw Usage("unit", arguments.unit, "bytes or line:N, as line:64");
  }
  if (!arguments.page.empty()) {
    const auto page = trace::ParseNumber(arguments.page);
    if (!page || *page < 512 || *page > uint64_t{1} << 40 || !power(*page)) {
      throw Usage("page", arguments.page, "the bytes of a page, a power of two from 512 on");
    }
    options.page_bytes = *page;
  }
  const auto bounded = [](const char* option, uint64_t value, uint64_t min, uint64_t max) {
    if (value < min || value > max) throw Usage(option, fmt::to_string(value), fmt::format("{} to {}", min, max));
    return static_cast<uint32_t>(value);
  };
  if (arguments.bytes != 0) options.bytes = bounded("bytes", arguments.bytes, 1, trace::kMaxBytes);
  if (arguments.address_bits != 0) options.address_bits = bounded("address-bits", arguments.address_bits, 12, 64);
  options.coalesce = bounded("coalesce", arguments.coalesce, 1, 4096);
  if (!power(options.coalesce)) throw Usage("coalesce", fmt::to_string(arguments.coalesce), "a power of two");
  options.blocks = bounded("blocks", arguments.blocks, 1, 4096);
  options.fetches = arguments.fetches;
  options.organization = Organization(arguments.organization);
  options.name = arguments.name;
  return options;
}

/// Writes the whole workload and returns the number of accesses.
uint64_t Write(trace::Workload& workload, const std::string& path, const std::function<void(uint64_t)>& watch) {
  OutputFile file(path);
  trace::Writer writer(workload.header, path, [&](const void* bytes, size_t size) { file.Write(bytes, size); });
  while (const auto access = workload.source->Next()) {
    writer.Add(*access);
    if (writer.count() % kShown == 0) watch(writer.count());
  }
  writer.Finish();
  file.Commit();
  return writer.count();
}

/// Prints a note about the trace, to `err` if the trace itself goes to standard output, otherwise
/// to `out`.
void SayBeside(const TraceArguments& arguments, const std::string& text, std::FILE* out, std::FILE* err) {
  if (arguments.out == "/dev/stdout") Say(err, "{}\n", text);
  else fmt::print(out, "{}\n", text);
}

int Import(const TraceArguments& arguments, std::FILE* out, std::FILE* err) {
  RefuseSharedFiles({{"OUT", arguments.out}}, {{"IN", arguments.in}});
  Progress progress(err);
  std::vector<std::string> notes;
  trace::Workload workload =
      trace::Import(arguments.format, arguments.in, Options(arguments), notes,
                    [&](uint64_t done, uint64_t total) { progress.Update("import", done, total); });
  const uint64_t count = Write(workload, arguments.out, [](uint64_t) {});
  progress.Finish();
  for (const std::string& note : notes) SayBeside(arguments, note, out, err);
  SayBeside(arguments, fmt::format("{}: {} accesses", arguments.out, count), out, err);
  return kExitGood;
}

int Generate(const TraceArguments& arguments, std::FILE* out, std::FILE* err) {
  if (arguments.what.rfind("gen:", 0) != 0) {
    throw trace::TraceError(arguments.what + ": is no generator: gen:NAME,KEY=VALUE,... (gmmu trace list)");
  }
  Progress progress(err);
  trace::Workload workload = trace::Open(arguments.what, arguments.seed);
  const uint64_t total = workload.header.count.value_or(0);
  const uint64_t count = Write(workload, arguments.out,
                               [&](uint64_t done) { progress.Update("generate", done, total, "accesses"); });
  progress.Finish();
  SayBeside(arguments, fmt::format("{}\n{}: {} accesses", workload.header.provenance, arguments.out, count), out, err);
  return kExitGood;
}

int Info(const TraceArguments& arguments, std::FILE* out, std::FILE* err) {
  Progress progress(err);
  trace::Workload workload = trace::Open(arguments.what, arguments.seed);
  const trace::Header& header = workload.header;
  trace::Summary summary;
  while (const auto access = workload.source->Next()) {
    summary.Add(*access);
    if (summary.count() % kShown == 0) progress.Update("info", summary.count(), header.count.value_or(0), "accesses");
  }
  progress.Finish();
  const bool any = summary.count() != 0;
  Json json = {{"schema", "gmmu-trace-info 1"},
               {"name", header.name},
               {"provenance", header.provenance},
               {"addresses", header.addresses == trace::Addresses::kVirtual ? "virtual" : "physical"},
               {"unit_bytes", header.unit},
               {"page_bytes", header.page_bytes != 0 ? Json(header.page_bytes) : Json()},
               {"address_bits", header.address_bits},
               {"loop", header.loop == trace::Loop::kOpen ? "open" : "closed"},
               {"window", header.window != 0 ? Json(header.window) : Json()},
               {"accesses", summary.count()},
               {"reads", summary.count(trace::Kind::kRead)},
               {"writes", summary.count(trace::Kind::kWrite)},
               {"executions", summary.count(trace::Kind::kExecute)},
               {"bytes", summary.bytes()},
               {"streams", summary.streams()},
               {"max_cycles", summary.cycles()},
               {"first_byte", any ? Json(fmt::format("{:#x}", summary.first())) : Json()},
               {"last_byte", any ? Json(fmt::format("{:#x}", summary.last())) : Json()},
               {"pages_4k", summary.pages_4k()},
               {"pages_64k", summary.pages_64k()},
               {"pages_2m", summary.pages_2m()}};
  if (arguments.json) {
    fmt::print(out, "{}\n", json.dump(2, ' ', false, Json::error_handler_t::replace));
    return kExitGood;
  }
  for (const auto& [key, value] : json.items()) {
    if (key == "schema") continue;
    fmt::print(out, "{:<13} {}\n", key,
               value.is_null()     ? std::string("unknown")
               : value.is_string() ? value.get<std::string>()
                                   : value.dump());
  }
  return kExitGood;
}

int Print(const TraceArguments& arguments, std::FILE* out) {
  trace::Workload workload = trace::Open(arguments.what, arguments.seed);
  const trace::Header& header = workload.header;
  fmt::print(out, "# {} {}: stream, kind, address, bytes, {}\n", header.name,
             header.addresses == trace::Addresses::kVirtual ? "virtual" : "physical",
             header.loop == trace::Loop::kOpen ? "cycle of arrival" : "cycles of computing before");
  for (uint64_t i = 0; i < arguments.first; ++i) {
    const auto access = workload.source->Next();
    if (!access) break;
    fmt::print(out, "{} {} {:#x} {} {}\n", access->stream, Word(access->kind), access->address, access->bytes,
               access->cycles);
  }
  return kExitGood;
}

Json ListAsJson() {
  Json json = {{"schema", "gmmu-trace-list 1"}, {"generators", Json::array()}, {"formats", Json::array()}};
  for (const trace::Generator& generator : trace::Generators()) {
    Json rules = Json::array();
    for (const trace::ParameterRule& rule : generator.rules) {
      const bool file = rule.unit == "file";
      rules.push_back({{"name", rule.name},
                       {"unit", rule.unit},
                       {"default", rule.initial ? Json(*rule.initial) : Json()},
                       {"min", file ? Json() : Json(rule.min)},
                       {"max", file ? Json() : Json(rule.max)},
                       {"text", rule.text}});
    }
    json["generators"].push_back({{"name", generator.name},
                                  {"text", generator.text},
                                  {"follows", generator.follows},
                                  {"parameters", std::move(rules)}});
  }
  for (const trace::Format& format : trace::Formats()) {
    json["formats"].push_back({{"name", format.name}, {"text", format.text}, {"needs", format.needs}});
  }
  return json;
}

int List(const TraceArguments& arguments, std::FILE* out) {
  if (arguments.json) {
    fmt::print(out, "{}\n", ListAsJson().dump(2));
    return kExitGood;
  }
  const auto print = [&](const trace::ParameterRule& rule) {
    if (rule.unit == "file") {
      fmt::print(out, "    {}=FILE: {}\n", rule.name, rule.text);
    } else {
      fmt::print(out, "    {}={} {}, {} to {}: {}\n", rule.name, *rule.initial, rule.unit, rule.min, rule.max,
                 rule.text);
    }
  };
  const size_t common = trace::CommonRules().size();
  for (const trace::Generator& generator : trace::Generators()) {
    fmt::print(out, "gen:{}\n    {}\n    follows {}\n", generator.name, generator.text, generator.follows);
    for (size_t i = 0; i + common < generator.rules.size(); ++i) print(generator.rules[i]);
  }
  fmt::print(out, "of every generator\n");
  for (const trace::ParameterRule& rule : trace::CommonRules()) print(rule);
  for (const trace::Format& format : trace::Formats()) {
    fmt::print(out, "import {}\n    {}\n{}", format.name, format.text,
               format.needs.empty() ? "" : "    needs " + format.needs + "\n");
  }
  return kExitGood;
}

}  // namespace

CLI::App* AddTrace(CLI::App& app, TraceArguments& arguments) {
  CLI::App* trace = app.add_subcommand(
      "trace",
      "Traces of memory accesses and generators of them (docs/traces.md); with a FILE, a trace of a driver's "
      "calls (docs/check-driver.md).");
  trace->require_subcommand(0, 1);
  AddDdiTrace(trace, arguments.calls);
  const auto path = [](CLI::App* command, const char* name, std::string& value, const char* help) {
    command->add_option(name, value, help)->type_name("")->required();
  };
  CLI::App* list = trace->add_subcommand("list", "List the generators, and the formats that import reads.");
  CLI::App* import = trace->add_subcommand("import", "Make a trace of another program's.");
  CLI::App* generate = trace->add_subcommand("generate", "Write what a generator makes into a file.");
  CLI::App* info = trace->add_subcommand("info", "Say what a trace or a generator holds.");
  CLI::App* print = trace->add_subcommand("print", "Print the accesses, one a line.");
  path(import, "FORMAT", arguments.format, "One of gmmu trace list");
  path(import, "IN", arguments.in, "File of that format; -: standard input");
  path(import, "OUT", arguments.out, "Trace to write");
  import->add_option("--addresses", arguments.addresses, "What the addresses are: virtual or physical")
      ->type_name("KIND");
  import->add_option("--unit", arguments.unit, "What the addresses count: bytes, or line:N for lines of N bytes")
      ->type_name("UNIT");
  import->add_option("--page", arguments.page, "Bytes of a page of the recorded system")->type_name("N");
  import->add_option("--name", arguments.name, "Name of the trace; the file's unless given")->type_name("NAME");
  AddNumber(import, "--bytes", arguments.bytes, "Bytes of an access, where the format does not say");
  AddNumber(import, "--address-bits", arguments.address_bits, "Width of the address space, 48 unless given");
  import->add_flag("--fetches", arguments.fetches, "lackey, champsim: fetches of instructions are accesses too");
  AddNumber(import, "--coalesce", arguments.coalesce,
            "accelsim: bytes of a line in which the threads of an instruction make one access, 128 unless given");
  import
      ->add_option("--organization", arguments.organization,
                   "ramulator2-readwrite: how many of each level of the DRAM there are, as 1,1,4,4,65536,128")
      ->type_name("N,N,...");
  AddNumber(import, "--blocks", arguments.blocks, "accelsim: thread blocks that run at once, 1 unless given");
  path(generate, "SPEC", arguments.what, "gen:NAME,KEY=VALUE,...");
  path(generate, "OUT", arguments.out, "Trace to write");
  for (CLI::App* command : {info, print}) path(command, "WHAT", arguments.what, "A trace, or gen:NAME,KEY=VALUE,...");
  for (CLI::App* command : {generate, info, print}) {
    AddNumber(command, "--seed", arguments.seed, "Seed of a generator that does not state one, 0 unless given");
  }
  for (CLI::App* command : {list, info}) command->add_flag("--json", arguments.json, "Print JSON");
  AddNumber(print, "--first", arguments.first, "Print so many accesses only");
  return trace;
}

int Trace(const CLI::App& trace, const TraceArguments& arguments, std::FILE* out, std::FILE* err) {
  if (trace.get_subcommands().empty()) return DdiTrace(arguments.calls, out);
  const std::string command = trace.get_subcommands().front()->get_name();
  if (arguments.calls.any())
    throw trace::TraceError("gmmu trace " + command +
                            " is for accesses of memory; FILE, --compare and the filters are not");
  if ((command == "info" || command == "print") && IsDdiTrace(arguments.what))
    throw trace::TraceError(arguments.what + ": is a trace of a driver's calls: gmmu trace " + arguments.what);
  if (command == "import") return Import(arguments, out, err);
  if (command == "generate") return Generate(arguments, out, err);
  if (command == "info") return Info(arguments, out, err);
  if (command == "print") return Print(arguments, out);
  return List(arguments, out);
}

}  // namespace gmmu::app
