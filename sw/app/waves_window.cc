// SPDX-License-Identifier: Apache-2.0
#include "app/waves_window.h"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "app/cli.h"
#include "app/command_options.h"
#include "app/process.h"
#include "app/temporary_folder.h"
#include "events/reader.h"

namespace gmmu::app {
namespace {

/// Returns the arguments of the preliminary run, which writes no outputs and records only events
/// around the trigger.
RunArguments Before(const RunArguments& arguments, const std::string& events) {
  RunArguments before = arguments;
  before.waves.clear();
  before.waves_on.on.clear();
  before.out.clear();
  before.json.clear();
  before.dump_host.clear();
  before.trace_paging.clear();
  before.events = {events, arguments.waves_on.window, arguments.waves_on.on};
  before.events.window.around = 1;
  return before;
}

}  // namespace

void AddWavesTrigger(CLI::App* command, CLI::Option* waves, WavesTrigger& trigger) {
  CLI::Option* on = command
                        ->add_option("--waves-on", trigger.on,
                                     "Only waves around the first fault, or the first that takes more than N cycles; "
                                     "the run is made twice")
                        ->needs(waves);
  TakeTrigger(on, trigger.window);
  on->excludes(command->get_option("--waves-from"))->excludes(command->get_option("--waves-to"));
  AddNumber(command, "--waves-around", trigger.window.around,
            "With --waves-on: cycles before and after, 1000 unless given")
      ->needs(on);
}

void FindWavesWindow(RunArguments& arguments, std::FILE* err) {
  const TemporaryFolder folder;
  const std::string events = folder.File("events.db");
  Say(err, "gmmu: looking for the first {}: the run without waves\n", arguments.waves_on.on);
  std::fflush(nullptr);
  const pid_t child = ForkChild();
  if (child < 0) throw NoTrigger(fmt::format("--waves-on: no process for the first run: {}", std::strerror(errno)));
  if (child == 0) {
    std::FILE* const nothing = std::fopen("/dev/null", "w");
    try {
      Run(Before(arguments, events), nothing != nullptr ? nothing : err, err);
    } catch (const std::exception& error) {
      Say(err, "gmmu: {}\n", error.what());
    }
    _exit(0);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  ChildEnded();
  if (!WIFEXITED(status))
    throw NoTrigger(
        fmt::format("--waves-on: the first run ended by signal {}: no waves are written", WTERMSIG(status)));
  folder.CheckRoom();
  if (!std::filesystem::exists(events))
    throw NoTrigger("--waves-on: the first run did not come to its end: no waves are written");
  const std::string first = events::Reader(events).Note("first_trigger");
  if (first == "none")
    throw NoTrigger(fmt::format("--waves-on {}: nothing of the kind happened in the run: no waves are written",
                                arguments.waves_on.on));
  const uint64_t cycle = std::stoull(first);
  arguments.waves_from = cycle - std::min(cycle, arguments.waves_on.window.around);
  arguments.waves_to = cycle + arguments.waves_on.window.around + 1;
  Say(err, "gmmu: the first was at cycle {}; waves from {} to {}\n", cycle, arguments.waves_from, arguments.waves_to);
}

}  // namespace gmmu::app
