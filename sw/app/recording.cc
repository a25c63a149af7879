// SPDX-License-Identifier: Apache-2.0
#include "app/recording.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "app/command_options.h"
#include "app/outputs.h"
#include "events/causes.h"
#include "events/store.h"
#include "workload/job.h"

namespace gmmu::app {
namespace {

OutputError CannotWrite(const std::string& path, const std::string& reason) {
  return OutputError(path + ": " + reason + "\nGive --events a file on a disk with room.");
}

const std::string& Checked(const OutputFile& output) {
  std::error_code none;
  if (!std::filesystem::is_regular_file(output.working_path(), none))
    throw CannotWrite(output.path(), "a file of events needs a regular file, since it is written in no order");
  return output.working_path();
}

}  // namespace

void TakeTrigger(CLI::Option* option, events::WindowOptions& window) {
  option->type_name("fault | stall:N")
      ->check(CLI::Validator(
          [&window](std::string& text) {
            try {
              events::ParseTrigger(text, window);
            } catch (const std::invalid_argument& error) {
              return std::string(error.what());
            }
            return std::string();
          },
          ""));
}

void AddEvents(CLI::App* command, EventArguments& arguments) {
  CLI::Option* file =
      command
          ->add_option("--events", arguments.file,
                       "Write what the GPUs do, walk by walk and command by command, as SQLite (docs/events.md)")
          ->type_name("FILE");
  AddNumber(command, "--events-from", arguments.window.from, "First GPU cycle of the events")->needs(file);
  AddNumber(command, "--events-to", arguments.window.to, "One past the last GPU cycle of the events")->needs(file);
  CLI::Option* on = command
                        ->add_option("--events-on", arguments.trigger,
                                     "Only events around a fault, or around what takes more than N cycles")
                        ->needs(file);
  TakeTrigger(on, arguments.window);
  AddNumber(command, "--events-around", arguments.window.around,
            "With --events-on: cycles before and after, 10000 unless given")
      ->needs(on);
}

struct Recording::Parts {
  Parts(const EventArguments& arguments, uint64_t period_ps)
      : output(arguments.file), store(Checked(output)), window(arguments.window, store), both(window, causes) {
    store.Note("program", "gmmu " GMMU_VERSION);
    store.Note("period_ps", std::to_string(period_ps));
    store.Note("from", std::to_string(arguments.window.from));
    store.Note("to", std::to_string(arguments.window.to));
    store.Note("on", arguments.trigger);
  }

  OutputFile output;
  events::Store store;
  events::Window window;
  events::Causes causes;
  events::Both both;
};

Recording::Recording(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Recording::~Recording() = default;
hw::EventSink* Recording::sink() { return &parts_->both; }
void Recording::SetPhase(const std::string& name) { parts_->causes.SetPhase(name); }

std::unique_ptr<Recording> Recording::Make(const EventArguments& arguments, const std::string& engine,
                                           uint64_t period_ps) {
  if (arguments.file.empty()) return nullptr;
  if (engine != "rtl")
    throw OutputError("--events: the engine " + engine + " has no events\nRun it with --engine rtl.");
  if (arguments.window.from >= arguments.window.to)
    throw OutputError("--events-from is not before --events-to: nothing would be recorded");
  try {
    return std::unique_ptr<Recording>(new Recording(std::make_unique<Parts>(arguments, period_ps)));
  } catch (const OutputError&) {
    throw;
  } catch (const std::runtime_error& error) {
    throw CannotWrite(arguments.file, error.what());
  }
}

void Recording::End(workload::JobResult& result) {
  if (parts_->causes.mismatches() != 0) {
    result.findings.push_back(
        {"events", fmt::format("{} events whose causes do not add up to their time", parts_->causes.mismatches())});
  }
  parts_->store.Note("triggers", std::to_string(parts_->window.triggers()));
  parts_->store.Note("first_trigger",
                     parts_->window.triggers() == 0 ? "none" : std::to_string(parts_->window.first_trigger()));
  parts_->store.Note("lost", std::to_string(parts_->window.lost()));
  try {
    parts_->store.Close();
  } catch (const std::runtime_error& error) {
    throw CannotWrite(parts_->output.path(), error.what());
  }
  parts_->output.Commit();
}

std::string Recording::AddTo(const std::string& report) const {
  auto json = nlohmann::ordered_json::parse(report);
  json["causes"] = parts_->causes.Json();
  return json.dump(2) + "\n";
}

std::string Recording::Text() const {
  std::string text = fmt::format("  events                {} in {}\n", parts_->store.records(), parts_->output.path());
  if (parts_->window.triggers() != 0)
    text += fmt::format("    {} triggers, the first at cycle {}\n", parts_->window.triggers(),
                        parts_->window.first_trigger());
  if (parts_->window.lost() != 0)
    text +=
        fmt::format("    {} events before a trigger are lost: more than {} waited; give a smaller --events-around\n",
                    parts_->window.lost(), events::Window::kMostWaiting);
  return text + parts_->causes.Text();
}

}  // namespace gmmu::app
