// SPDX-License-Identifier: Apache-2.0
#include "app/replay.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <map>
#include <memory>

#include "app/cli.h"
#include "app/command_options.h"
#include "app/configuration.h"
#include "app/engines.h"
#include "app/not_begun.h"
#include "app/outputs.h"
#include "app/progress.h"
#include "app/simulated.h"
#include "host/engine.h"
#include "host/machine_parts.h"
#include "replay/replay.h"
#include "replay/replay_report.h"
#include "trace/number.h"
#include "trace/open.h"
#include "workload/job.h"

namespace gmmu::app {
namespace {

template <typename Enum>
void AddChoice(CLI::App* command, const std::string& name, Enum& value, const std::map<std::string, Enum>& choices,
               const std::string& help) {
  std::string names;
  for (const auto& choice : choices) names += (names.empty() ? "" : " | ") + choice.first;
  command
      ->add_option_function<std::string>(
          name,
          [&value, choices, name, names](const std::string& text) {
            const auto found = choices.find(text);
            if (found == choices.end()) throw CLI::ValidationError(name, "\"" + text + "\" is none of " + names);
            value = found->second;
          },
          help)
      ->type_name(names);
}

void AddSmall(CLI::App* command, const std::string& name, unsigned& value, uint64_t min, uint64_t max,
              const std::string& help) {
  command
      ->add_option_function<std::string>(
          name,
          [&value, name, min, max](const std::string& text) {
            const auto number = trace::ParseNumber(text);
            if (!number || *number < min || *number > max) {
              throw CLI::ValidationError(name, fmt::format("\"{}\" is not a number from {} to {}", text, min, max));
            }
            value = static_cast<unsigned>(*number);
          },
          help)
      ->type_name("N");
}

}  // namespace

CLI::App* AddReplay(CLI::App& app, ReplayArguments& arguments) {
  replay::Options& o = arguments.options;
  CLI::App* replay = app.add_subcommand(
      "replay",
      "Put the accesses of a trace or a generator on the GPU's client ports and measure their translations: latency in "
      "cycles with percentiles, throughput, counters by phase. Addresses are moved into the GPU's address space by "
      "regions of 2 MiB (sw/replay/README.md); every translation is compared with a walk of the page tables.");
  replay
      ->add_option("WORKLOAD", o.workload,
                   "File of a trace, or gen:NAME,KEY=VALUE,... (docs/traces.md has the format and the generators)")
      ->type_name("")
      ->required();
  replay->add_option("--engine", arguments.engine, "What stands in for the hardware: rtl (exact), fast (estimated)")
      ->type_name("NAME");
  replay->add_option("--config", arguments.config, "Machine description, TOML (see gmmu config)")->type_name("FILE");
  AddChanges(replay, arguments.set);
  replay->add_option("--json", arguments.json, "Write the report as JSON")->type_name("REPORT");
  AddEvents(replay, arguments.events);
  AddNumber(replay, "--seed", o.seed, "Seed of the generator and of the placement, 0 unless given");

  AddSmall(replay, "--compute-units", o.compute_units, 1, replay::kMostUnits,
           "Compute units, one a client port; as many as there are unless given");
  AddSmall(replay, "--warps", o.warps, 1, replay::kMostWarps, "Warps of a compute unit, 8 unless given");
  AddSmall(replay, "--window", o.window, 1, replay::kMostWindow,
           "Closed loop: accesses of a warp in flight; as the workload states unless given, else 1");
  AddNumber(replay, "--gap", o.gap,
            "Closed loop: cycles of computing before each access of a warp, beside what the workload states");
  AddChoice(replay, "--assign", o.assign, replay::kAssigns,
            "An access belongs to the warp of its stream, modulo their number; or to the next warp in turn");
  replay->add_flag("--coalesce", o.coalesce,
                   "Accesses of a warp that follow each other in the same lines of 64 bytes become one request");

  AddNumber(replay, "--skip", o.skip, "Accesses at the beginning that are left out");
  AddNumber(replay, "--warmup", o.warmup, "Accesses after them that are made and not counted");
  AddNumber(replay, "--accesses", o.accesses,
            "Then the accesses of the region of interest; all that follow unless given");
  AddNumber(replay, "--epoch", o.epoch, "A row of counters every N accesses of the region");
  AddNumber(replay, "--epoch-cycles", o.epoch_cycles,
            "A row of counters every N cycles of the region; time in which nothing is in flight is not cut");

  AddChoice(replay, "--page-size", o.page_size, replay::kPageSizes,
            "Pages that are mapped, 4k unless given. Whole blocks of 64 KiB in pages of 4 KiB are marked contiguous "
            "unless driver.contiguous_pages is false; 64k sets driver.leaf_64k, whatever the configuration says");
  AddChoice(replay, "--memory", o.memory, replay::kMemories,
            "Where the pages are: VRAM, or system memory behind link and IOMMU");
  replay->add_flag("--keep-gaps", o.keep_gaps,
                   "Keep the distances of the workload's addresses; else regions of 2 MiB that it does not touch are "
                   "closed up");
  AddSmall(replay, "--fragmented", o.fragmented, 0, 100,
           "Percent of the blocks (64 KiB; with 2m large pages) that are scattered pages of 4 KiB, drawn by the seed");
  replay->add_flag(
      "--demand", o.demand,
      "No page is mapped at first: an access to one that is not faults, the system brings its piece of 64 KiB "
      "into VRAM, and the access is made again");
  AddSmall(replay, "--batch", o.batch, 1, replay::kMostBatch,
           "Of --demand: pieces that the system brings at a time, 32 unless given");
  replay
      ->add_option_function<std::string>(
          "--prefetch",
          [&o](const std::string& text) {
            const auto number = text == "none" ? std::optional<uint64_t>(0) : trace::ParseNumber(text);
            o.prefetch_tree = text == "tree";
            if (!o.prefetch_tree && (!number || *number > replay::kMostPrefetch)) {
              throw CLI::ValidationError("--prefetch", fmt::format("\"{}\" is none of tree, none and 0 to {}", text,
                                                                   replay::kMostPrefetch));
            }
            o.prefetch = o.prefetch_tree ? 0 : static_cast<unsigned>(*number);
          },
          "Of --demand: what comes beside a piece: N that follow it, or whole subtrees of 2 MiB of which more than "
          "half is "
          "there")
      ->type_name("tree | none | N");
  AddNumber(replay, "--resident", o.resident_mib,
            "Of --demand: MiB of VRAM for pieces; as much as the workload touches unless given");
  AddChoice(
      replay, "--evict", o.evict, replay::kEvicts,
      "Of --demand: the piece that leaves: that was accessed longest ago (lru unless given), or any, by the seed");
  return replay;
}

int Replay(const ReplayArguments& arguments, std::FILE* out, std::FILE* err) {
  const std::string engine_name = arguments.engine.empty() ? Engines().front() : arguments.engine;
  const EngineKind* const kind = FindEngine(engine_name);
  if (kind == nullptr || !kind->named)
    throw replay::ReplayError(
        fmt::format("no engine \"{}\" in this build; there is: {}", engine_name, fmt::join(Engines(), ", ")));
  if (!kind->simulated_gpu)
    throw replay::ReplayError(
        fmt::format("client ports of engine {} are not driven from outside; give --engine rtl or fast", engine_name));
  const replay::Options& options = arguments.options;
  if (options.accesses == 0) throw replay::ReplayError("--accesses 0 leaves nothing to measure; give 1 and more");
  Configuration configuration = Configuration::FromFile(arguments.config, arguments.set);
  PreparePages(options, configuration);
  if (configuration.device.present())
    throw replay::ReplayError("device.model is for gmmu run: a replay drives client ports");
  const sim::MachineConfig& config = configuration.machine;
  if (kind->built_sizes) config.CheckBuilt(arguments.config);
  RefuseSharedFiles({{"--json", arguments.json}, {"--events", arguments.events.file}},
                    {{"the workload", options.workload}, {"--config", arguments.config}});

  Progress progress(err);
  const trace::Header header = trace::Open(options.workload, options.seed).header;
  const replay::Opener open = [&] { return trace::Open(options.workload, options.seed).source; };
  const replay::Plan plan =
      replay::MakePlan(options, header, open, FactsOf(configuration),
                       [&](uint64_t done, uint64_t total) { progress.Update("reading", done, total, "accesses"); });
  const auto json = arguments.json.empty() ? nullptr : std::make_unique<OutputFile>(arguments.json);
  sim::EngineOptions engine_options;
  engine_options.seed = options.seed;
  const auto recording = Recording::Make(arguments.events, engine_name, sim::PeriodPs(config.gpu));
  if (recording) engine_options.events = recording->sink();
  const std::unique_ptr<sim::Engine> engine = kind->make({config, engine_options});

  workload::JobOptions job;
  job.os = configuration.OsParameters(options.seed);
  job.seed = options.seed;
  job.progress = [&](const std::string& phase, uint64_t done, uint64_t total) {
    if (recording) recording->SetPhase(phase);
    progress.Update(phase, done, total, phase == "mapping" ? "pieces" : "accesses");
  };
  const auto start = std::chrono::steady_clock::now();
  workload::JobResult job_result;
  replay::Result result;
  try {
    engine->Run([&](hw::Platform& platform) {
      replay::RunReplay(platform, plan, open, job, job_result, result);
      return 0;
    });
  } catch (const sim::EngineError& error) {
    os::Fault fault;
    fault.source = "machine";
    fault.name = "stopped";
    fault.text = error.what();
    job_result.faults.push_back(fault);
  }
  Conclude(config, job_result);
  job_result.host_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  progress.Finish();
  RefuseNotBegun(job_result, configuration, arguments.set, false);
  if (recording) recording->End(job_result);

  report::Limits limits = SimulatedLimits(config, *kind, options.seed);
  limits.input = options.workload;
  limits.configuration = configuration.ToJson();
  if (json) {
    std::string text = replay::JsonReport(plan, result, job_result, limits);
    if (recording) text = recording->AddTo(text);
    json->Write(text.data(), text.size());
    json->Commit();
  }
  fmt::print(out, "{}", replay::TextReport(plan, result, job_result, limits));
  if (recording) fmt::print(out, "{}", recording->Text());
  return job_result.Passed() ? kExitGood : kExitFailed;
}

}  // namespace gmmu::app
