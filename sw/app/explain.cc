// SPDX-License-Identifier: Apache-2.0
#include "app/explain.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "app/cli.h"
#include "app/command_options.h"
#include "app/outputs.h"
#include "events/explain.h"
#include "events/export.h"
#include "events/reader.h"

namespace gmmu::app {
namespace {

std::string Told(const events::Reader& file, const hw::WalkEvent& walk) {
  return events::Explain(walk, file.LookupsOf(walk));
}
std::string Told(const events::Reader& file, const hw::BufferEvent& buffer) {
  return events::Explain(buffer, file.CommandsOf(buffer));
}
template <typename Event>
std::string Told(const events::Reader&, const Event& event) {
  return events::Explain(event);
}

/// Returns the explanation of one event. If there is no event with this number, the error states
/// the valid range.
template <typename Event>
std::string One(const events::Reader& file, const ExplainArguments& arguments, const char* kind, uint64_t number) {
  const auto unit = static_cast<unsigned>(arguments.unit);
  const auto found = file.All<Event>(unit, number);
  if (!found.empty()) return Told(file, found.front());
  const auto all = file.All<Event>(unit);
  throw events::EventError(fmt::format(
      "{}: no {} {} of GPU {} is in it; it has {}", arguments.file, kind, number, unit,
      all.empty() ? "none" : fmt::format("{}, numbers {} to {}", all.size(), all.front().number, all.back().number)));
}

template <typename Event>
std::string Slowest(const events::Reader& file, const ExplainArguments& arguments) {
  std::string text;
  for (const Event& event : file.Slowest<Event>(static_cast<unsigned>(arguments.count)))
    text += (text.empty() ? "" : "\n") + Told(file, event);
  if (text.empty()) throw events::EventError(arguments.file + ": no " + arguments.slowest + " are in it");
  return text;
}

std::string Slowest(const events::Reader& file, const ExplainArguments& arguments, const std::string& kind) {
  if (kind == "walks") return Slowest<hw::WalkEvent>(file, arguments);
  if (kind == "lookups") return Slowest<hw::LookupEvent>(file, arguments);
  if (kind == "accesses") return Slowest<hw::AccessEvent>(file, arguments);
  if (kind == "commands") return Slowest<hw::CommandEvent>(file, arguments);
  return Slowest<hw::BufferEvent>(file, arguments);
}

void Export(const events::Reader& file, const std::string& path,
            void (*how)(const events::Reader&, const events::Write&)) {
  if (path.empty()) return;
  OutputFile output(path);
  how(file, [&](const std::string& text) { output.Write(text.data(), text.size()); });
  output.Commit();
}

}  // namespace

CLI::App* AddExplain(CLI::App& app, ExplainArguments& arguments) {
  CLI::App* explain = app.add_subcommand(
      "explain",
      "Tell one walk, translation, access, command or paging buffer of a file of --events cycle by cycle, or "
      "export the file for a viewer (docs/events.md).");
  explain->add_option("FILE", arguments.file, "File of gmmu run --events or gmmu replay --events")
      ->type_name("")
      ->required();
  AddNumber(explain, "--walk", arguments.walk, "This walk of the page tables, counted from 1");
  AddNumber(explain, "--lookup", arguments.lookup, "This lookup of a translation port");
  AddNumber(explain, "--access", arguments.access, "This access of a client");
  AddNumber(explain, "--command", arguments.command, "This command of the paging engine");
  AddNumber(explain, "--buffer", arguments.buffer, "This paging buffer, with its commands");
  AddNumber(explain, "--unit", arguments.unit, "Of this GPU, 0 unless given");
  CLI::Option* slowest = explain->add_option("--slowest", arguments.slowest, "Those that took longest")
                             ->type_name("walks | lookups | accesses | commands | buffers")
                             ->check(CLI::IsMember({"walks", "lookups", "accesses", "commands", "buffers"}));
  AddNumber(explain, "--count", arguments.count, "How many of --slowest, 1 unless given")->needs(slowest);
  explain->add_option("--perfetto", arguments.perfetto, "Write all of it for ui.perfetto.dev and chrome://tracing")
      ->type_name("JSON");
  explain->add_option("--kanata", arguments.kanata, "Write all of it for the pipeline viewer Konata")->type_name("LOG");
  return explain;
}

int Explain(const ExplainArguments& arguments, std::FILE* out) {
  const events::Reader file(arguments.file);
  RefuseSharedFiles({{"--perfetto", arguments.perfetto}, {"--kanata", arguments.kanata}}, {{"FILE", arguments.file}});
  std::string text;
  const auto add = [&](const std::string& more) { text += (text.empty() ? "" : "\n") + more; };
  if (arguments.walk != 0) add(One<hw::WalkEvent>(file, arguments, "walk", arguments.walk));
  if (arguments.lookup != 0) add(One<hw::LookupEvent>(file, arguments, "lookup", arguments.lookup));
  if (arguments.access != 0) add(One<hw::AccessEvent>(file, arguments, "access", arguments.access));
  if (arguments.command != 0) add(One<hw::CommandEvent>(file, arguments, "command", arguments.command));
  if (arguments.buffer != 0) add(One<hw::BufferEvent>(file, arguments, "paging buffer", arguments.buffer));
  if (!arguments.slowest.empty()) add(Slowest(file, arguments, arguments.slowest));
  if (text.empty() && arguments.perfetto.empty() && arguments.kanata.empty())
    throw events::EventError("gmmu explain: say what, as --slowest walks or --walk 1; see gmmu explain --help");
  Export(file, arguments.perfetto, events::Perfetto);
  Export(file, arguments.kanata, events::Kanata);
  fmt::print(out, "{}", text);
  return kExitGood;
}

}  // namespace gmmu::app
