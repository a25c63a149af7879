// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <sstream>
#include <streambuf>

#include "app/cli.h"
#include "app/load_driver.h"
#include "app/outputs.h"
#include "app/progress.h"
#include "os/kernel/driver_guard.h"
#include "platform/config.h"
#include "platform/engine.h"
#include "report/json_report.h"
#include "report/text_report.h"
#include "workload/input.h"
#include "workload/job.h"
#include "workload/scenario.h"

namespace gmmu::app {
namespace {

constexpr const char* kFast = "fast";

/// Lets a writer of std::ostream write to an OutputFile, whose errors pass through as exceptions.
class OutputBuffer : public std::streambuf {
 public:
  explicit OutputBuffer(OutputFile& file) : file_(file) {}

 protected:
  std::streamsize xsputn(const char* bytes, std::streamsize size) override {
    file_.Write(bytes, static_cast<size_t>(size));
    return size;
  }
  int_type overflow(int_type byte) override {
    const char value = static_cast<char>(byte);
    if (byte != traits_type::eof()) file_.Write(&value, 1);
    return traits_type::not_eof(byte);
  }

 private:
  OutputFile& file_;
};

os::Parameters OsParameters(const sim::MachineConfig& config, uint64_t seed) {
  os::Parameters parameters;
  parameters.remap = config.os.iommu == "remap"      ? os::RemapPolicy::kWhenPossible
                     : config.os.iommu == "needed"   ? os::RemapPolicy::kWhenNeeded
                     : config.os.iommu == "identity" ? os::RemapPolicy::kIdentity
                                                     : os::RemapPolicy::kNever;
  parameters.aperture_bytes = config.gpu.aperture_bytes();
  parameters.limit_bits = config.gpu.limit_bits;
  parameters.page_table_bits = config.gpu.page_table_bits;
  parameters.driver["PagingBufferBytes"] = config.driver.paging_buffer_bytes;
  parameters.driver["PagingBufferSegment"] = config.driver.paging_buffer_segment == "aperture" ? 1 : 0;
  parameters.driver["PageTableSegment"] = config.driver.system_tables() ? 0 : 2;  // segments of the driver's caps
  const std::string& mode = config.driver.update_mode;
  parameters.driver["PageTableUpdateMode"] = mode == "cpu_virtual" ? 0 : mode == "gpu_virtual" ? 1 : 2;
  parameters.driver["ExplicitPageTableInvalidation"] = config.driver.explicit_invalidation;
  parameters.driver["MapAperture2"] = config.driver.map_aperture2;
  parameters.driver["CoherentAperture"] = config.driver.coherent_aperture;
  parameters.driver["ContiguousPages"] = config.driver.contiguous_pages;
  parameters.immediate_updates_have_a_buffer = config.os.immediate_updates_have_a_buffer;
  parameters.copies_entries = config.os.copies_entries;
  parameters.physical_paging = config.os.physical_paging;
  parameters.fill_bytes = config.os.fill_kib << 10;
  parameters.deferred_destroy = config.os.deferred_destroy;
  parameters.root_before_submission = config.os.root_before_submission;
  parameters.driver["ContextBytes"] = config.driver.context_kib << 10;
  parameters.driver["ContextShared"] = config.driver.context_shared;
  parameters.driver["DriverVaBytes"] = config.driver.own_va_kib << 10;
  parameters.driver["DriverVaUser"] = 1;
  parameters.driver["VramBase"] = config.driver.vram_base_mib << 20;
  parameters.driver["ApertureBase"] = config.driver.aperture_base_mib << 20;
  parameters.driver["PagingPrivateBytes"] = config.driver.paging_private_bytes;
  parameters.driver["FillByByte"] = config.driver.fill_by_byte;
  parameters.driver["No64BitAtomics"] = config.driver.no_64bit_atomics;
  parameters.driver["IdleForUpdates"] = config.driver.idle_for_updates;
  parameters.driver["InvalidNotCached"] = config.driver.invalid_not_cached;
  parameters.system_process_has_pasid = config.os.system_process_has_pasid;
  if (config.os.bring_up == "windows-22621") parameters.bring_up = os::BringUp::kWindows22621;
  if (config.os.bring_up == "windows-26100") parameters.bring_up = os::BringUp::kWindows26100;
  parameters.window_pages = config.os.window_pages;
  parameters.driver["Leaf64k"] = config.driver.leaf_64k;
  parameters.driver["DualPte"] = config.driver.dual_pte;
  parameters.driver["System64k"] = config.driver.system_64k;
  for (size_t level = 0; level < config.driver.page_table_bytes.size(); ++level)
    parameters.driver["PageTableBytes" + std::to_string(level)] = config.driver.page_table_bytes[level];
  parameters.driver["PageTableAlignment"] = config.driver.page_table_alignment;
  parameters.quantum_ns = config.os.quantum_us * 1000;
  parameters.tdr_delay_ns = config.os.tdr_delay_us * 1000;
  parameters.submit_while_preemption_is_told = config.os.submit_during_preemption;
  parameters.seed = seed;
  parameters.inject.unmapped_page = config.inject.unmapped_page;
  parameters.inject.wrong_pte = config.inject.wrong_pte;
  parameters.inject.wrong_adl = config.inject.wrong_adl;
  parameters.inject.table_order = config.inject.table_order;
  parameters.inject.missing_flush = config.inject.missing_flush;
  parameters.inject.contiguous_bytes = config.inject.contiguous_bytes;
  parameters.open.destroy_in_use_stops = config.os.destroy_in_use_stops;
  parameters.open.section_attributes_refused = config.os.section_attributes_refused;
  parameters.open.dummy_page_logical = config.os.dummy_page_logical;
  parameters.open.aperture_writes_back = config.os.aperture_writes_back;
  parameters.open.highest_visible_inclusive = config.os.highest_visible_inclusive;
  parameters.open.map_aperture2_missing_refused = config.os.map_aperture2_missing_refused;
  parameters.open.reserved_overlap_stops = config.os.reserved_overlap_stops;
  parameters.open.one_failure_status = config.os.one_failure_status;
  parameters.flush_end_inclusive = config.os.flush_end_inclusive;
  parameters.paging_address_is_offset = config.os.paging_address_is_offset;
  parameters.paging_updates_by_gpu = config.os.window_updates == "gpu_physical";
  parameters.inject.lost_interrupts = config.inject.lost_interrupts;
  parameters.build_stack_bytes = config.os.build_stack_kib << 10;
  parameters.dma_remapping_compatible = config.driver.dma_remapping_compatible;
  parameters.open.system_64k_mapped = config.os.system_64k_mapped;
  parameters.open.eviction_tells_entries = config.os.eviction_tells_entries;
  parameters.open.system_segment_behind_last = config.os.system_segment_behind_last;
  parameters.open.both_mmu_models_refused = config.os.both_mmu_models_refused;
  parameters.inject.leak = config.inject.leak;
  parameters.driver["SaveAreaBytes"] = config.driver.save_area_kib << 10;
  parameters.driver["SaveAreaShared"] = config.driver.save_area_shared;
  parameters.driver["Isolation"] = config.driver.isolation;
  parameters.driver["IsolationRequired"] = config.driver.isolation_required;
  parameters.inject.pin_failures = config.inject.pin_failures;
  parameters.inject.pin_failures_after = config.inject.pin_failures_after;
  parameters.inject.window_failures = config.inject.window_failures;
  parameters.inject.window_failures_after = config.inject.window_failures_after;
  parameters.inject.reserved_overlap = config.inject.reserved_overlap;
  if (config.inject.noisy_device == "read") parameters.inject.noisy_device = hw::Stray::kRead;
  if (config.inject.noisy_device == "write") parameters.inject.noisy_device = hw::Stray::kWrite;
  if (config.inject.noisy_device == "message") parameters.inject.noisy_device = hw::Stray::kMessage;
  parameters.iommu_flags = static_cast<uint32_t>(config.os.iommu_flags);
  parameters.secure_vm_key = config.os.secure_vm_key;
  if (config.os.isolation_maps == "all") parameters.isolation_scope = os::IsolationScope::kAll;
  if (config.os.reserved_query == "zero_count") parameters.reserved_query = os::ReservedQuery::kZeroCount;
  const auto& kinds = os::Inject::LeakKinds();
  if (config.inject.leak == "pcie_tag") {
    parameters.inject.leak.clear();  // the machine's, not the operating system's
  } else if (!config.inject.leak.empty() &&
             std::find(kinds.begin(), kinds.end(), config.inject.leak) == kinds.end()) {
    std::string known = "pcie_tag";
    for (const std::string& kind : kinds) known += (known.empty() ? "" : ", ") + kind;
    throw sim::ConfigError("inject.leak: \"" + config.inject.leak +
                           "\" is not a kind of object; known: " + known);
  }
  return parameters;
}

report::Limits LimitsOf(const sim::MachineConfig& config, const RunArguments& arguments) {
  report::Limits limits;
  limits.clock_mhz = config.gpu.clock_mhz;
  limits.bus_bits = config.gpu.data_bits;
  limits.bus_bytes_per_second = static_cast<double>(config.gpu.data_bits) / 8 *
                                static_cast<double>(config.gpu.clock_mhz) * 1e6;
  limits.link_bytes_per_second = config.pcie.payload_bytes_per_second();
  limits.engine = arguments.engine;
  limits.timing = arguments.engine == kFast ? "estimated" : "exact";
  limits.seed = arguments.seed;
  limits.driver = arguments.driver;
  limits.scenario = arguments.scenario;
  limits.input = !arguments.scenario.empty() ? "scenario " + arguments.scenario
                 : arguments.file.empty()    ? "seeded buffer"
                                             : arguments.file;
  return limits;
}

std::unique_ptr<sim::Engine> MakeEngine(const std::string& name, const sim::MachineConfig& config,
                                        const sim::EngineOptions& options) {
#ifdef GMMU_RTL_ENGINE
  if (name != kFast) return sim::Engine::CreateRtl(config, options);
#endif
  (void)name;
  return sim::Engine::CreateFast(config, options);
}

/// A scenario brings its own machine, for which no program is built and kept.
void CheckSizes(const sim::MachineConfig& config, const RunArguments& arguments) {
  if (arguments.scenario.empty() || config.BuildOptions().empty()) return config.CheckBuilt(arguments.config);
  std::string sizes;
  for (const std::string& option : config.BuildOptions()) sizes += (sizes.empty() ? "" : " ") + option;
  throw sim::ConfigError("scenario " + arguments.scenario + " needs a machine of other sizes: " + sizes +
                         "\nRun it with --engine fast, which takes any size.");
}

std::unique_ptr<OutputFile> OpenIfAsked(const std::string& path) {
  return path.empty() ? nullptr : std::make_unique<OutputFile>(path);
}

}  // namespace

int Run(const RunArguments& arguments, std::FILE* out, std::FILE* err) {
  // Everything that can be wrong with the arguments is found before anything is simulated or
  // written.
  std::optional<workload::Scenario> scenario;
  if (!arguments.scenario.empty()) scenario = workload::FindScenario(arguments.scenario);
  const sim::MachineConfig config =
      scenario ? sim::MachineConfig::FromToml(scenario->machine, scenario->file, "machine")
      : arguments.config.empty() ? sim::MachineConfig::Default()
                                 : sim::MachineConfig::FromFile(arguments.config);
  if (arguments.engine != kFast) CheckSizes(config, arguments);
  workload::JobOptions options;
  options.os = OsParameters(config, arguments.seed);
  options.seed = arguments.seed;
  const std::vector<uint8_t> input =
      arguments.file.empty() ? workload::SeededInput(arguments.seed, workload::kDefaultInputBytes)
                             : workload::LoadInput(arguments.file);
  options.input = &input;
  const struct Guarded {
    ~Guarded() { os::DriverGuard::Remove(); }
  } guarded;
  if (!arguments.driver.empty()) {
    options.driver = LoadDriver(arguments.driver);
    os::DriverGuard::Install(reinterpret_cast<const void*>(options.driver));
  }

  const std::string mappings_path = arguments.dump_host.empty() ? "" : arguments.dump_host + ".json";
  RefuseSharedFiles({{"--out", arguments.out},
                     {"--json", arguments.json},
                     {"--dump-host", arguments.dump_host},
                     {"the mappings of --dump-host", mappings_path},
                     {"--waves", arguments.waves},
                     {"--trace-paging", arguments.trace_paging}},
                    {{"the input", arguments.file},
                     {"--config", arguments.config},
                     {"--driver", arguments.driver},
                     {"--scenario", arguments.scenario.find(".toml") == std::string::npos ? "" : arguments.scenario}});
  const auto copy = OpenIfAsked(arguments.out);
  const auto json = OpenIfAsked(arguments.json);
  const auto image = OpenIfAsked(arguments.dump_host);
  const auto mappings = OpenIfAsked(mappings_path);
  const auto waves = OpenIfAsked(arguments.waves);
  const auto trace = OpenIfAsked(arguments.trace_paging);
  if (trace) {
    options.os.trace_paging = [&trace](const std::string& line) {
      trace->Write(line.data(), line.size());
      trace->Write("\n", 1);
    };
  }

  sim::EngineOptions engine_options;
  engine_options.seed = arguments.seed;
  if (waves) engine_options.waves = waves->working_path();
  engine_options.waves_from = arguments.waves_from;
  engine_options.waves_to = arguments.waves_to;
  std::unique_ptr<sim::Engine> engine = MakeEngine(arguments.engine, config, engine_options);

  Progress progress(err);
  options.os.debug_print = [&](std::string text) {
    while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
    progress.Line("driver: " + text);
  };
  if (copy) options.out = [&](const void* bytes, size_t size) { copy->Write(bytes, size); };
  options.progress = [&](const std::string& phase, uint64_t done, uint64_t total) {
    progress.Update(phase, done, total);
  };
  if (image) {
    options.after_first_page_in = [&] {
      OutputBuffer buffer(*image);
      std::ostream stream(&buffer);
      stream.exceptions(std::ios::badbit);  // lets the buffer's OutputError through
      engine->DumpHost(stream);
      const std::string text = engine->DumpMappings();
      mappings->Write(text.data(), text.size());
    };
  }

  const auto start = std::chrono::steady_clock::now();
  workload::JobResult result;
  try {
    engine->Run([&](hw::Platform& platform) {
      if (scenario) {
        workload::RunScenario(platform, *scenario, options, result);
      } else {
        workload::RunMainJob(platform, options, result);
      }
      return 0;
    });
  } catch (const sim::EngineError& error) {
    os::Fault fault;
    fault.source = "machine";
    fault.name = "stopped";
    fault.text = error.what();
    result.faults.push_back(fault);
    result.verified = false;
  }
  result.host_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  engine.reset();  // closes the waves
  progress.Finish();

  const report::Limits limits = LimitsOf(config, arguments);
  if (json) {
    const std::string text = report::JsonReport(result, limits);
    json->Write(text.data(), text.size());
    json->Commit();
  }
  if (copy && result.verified) copy->Commit();
  if (image && result.verified) {
    image->Commit();
    mappings->Commit();
  }
  if (waves) waves->Commit();
  if (trace) trace->Commit();
  fmt::print(out, "{}", report::TextReport(result, limits));
  std::fflush(out);
  return result.Passed() ? kExitGood : kExitFailed;
}

}  // namespace gmmu::app
