// SPDX-License-Identifier: Apache-2.0
#pragma once
// The library's public header: a configuration, a machine and its work (docs/library.md). The
// version number covers what this header declares and includes.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "hw/platform.h"
#include "os/base/errors.h"
#include "replay/options.h"

namespace gmmu {

/// Thrown for a configuration, an input or an option that cannot be used. what() has one to three
/// lines in the format of the program gmmu: the place, the error, and the remedy. Nothing has been
/// simulated.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The library's version, for example "0.1.0".
const char* Version();
/// The engines of this build, the default first: "rtl" (exact) if it was built, otherwise "fast".
const std::vector<std::string>& Engines();
/// The names of the built-in scenarios.
std::vector<std::string> Scenarios();

/// The settings of the machine, the operating system and the driver (docs/settings.md). They are
/// always complete and consistent: a change that would make them inconsistent throws Error and has
/// no effect.
class Configuration {
 public:
  Configuration();  ///< the defaults
  /// Errors refer to the text as `file`.
  static Configuration FromToml(const std::string& text, const std::string& file = "configuration");
  static Configuration FromFile(const std::string& path);
  /// Returns the machine of a scenario. `name` is the scenario's name, or a path that ends in
  /// ".toml".
  static Configuration OfScenario(const std::string& name);

  /// Applies several changes at once. Each has the form "SECTION.KEY=VALUE" with a TOML value
  /// ("gpu.vram_mib=128").
  void Set(const std::vector<std::string>& changes);
  /// Returns the value of a key as TOML.
  std::string Get(const std::string& key) const;
  /// Full names of all keys, in the order of docs/settings.md.
  std::vector<std::string> Keys() const;
  std::string ToToml() const;
  std::string ToJson() const;

 private:
  friend class Machine;
  std::string text_, file_, table_;
  std::vector<std::string> changes_;
};

/// The engine that runs a machine, and the seed of the machine's random choices.
struct Engine {
  std::string name;  ///< one of Engines(); empty: the first of them
  uint64_t seed = 0;
};

/// The main job, or a scenario with its procedure, as in `gmmu run`.
struct Job {
  Engine engine;
  std::string scenario;        ///< empty: the main job
  std::vector<uint8_t> input;  ///< the bytes that the main job pages; empty: 1 MiB of random bytes from the seed
};

/// Accesses of a trace or generator, made at the client ports as in `gmmu replay`.
struct Replay {
  Engine engine;            ///< `engine.seed` replaces `options.seed`
  replay::Options options;  ///< `workload` is a file or "gen:NAME,KEY=VALUE,..."
};

/// User software on the bare machine, without the operating system model and its driver.
struct Software {
  Engine engine;
  std::function<int(hw::Platform&)> run;
};

/// A completed request at a client port (Replay only).
struct Access {
  uint64_t va;         ///< GPU virtual address
  uint64_t requested;  ///< GPU cycle in which the request was first offered to the port
  uint64_t answered;   ///< GPU cycle in which the last beat of the response was accepted
  uint32_t client;
  uint8_t bytes;
  uint8_t kind;   ///< regs::Access: 0 read, 1 write, 2 execute
  uint8_t fault;  ///< regs::Fault; 0: none
  uint8_t unit;   ///< index of the GPU
};

/// Callbacks of a running machine; each may be empty. Step and Run call them on the calling thread,
/// in event order. If a callback throws, the exception propagates out of Step, and the next Step
/// continues after the event.
struct Listener {
  /// Reports a phase and its progress in bytes, pieces or accesses.
  std::function<void(const std::string& phase, uint64_t done, uint64_t total)> progress;
  /// Receives completed requests in completion order, several per call.
  std::function<void(const Access* accesses, size_t count)> accesses;
  /// Called for each fault in the report when the work has completed.
  std::function<void(const os::Fault&)> fault;
  /// Main job only: receives, in order, the bytes that the CPU read back after page-out.
  std::function<void(const void* bytes, size_t size)> output;
  /// Receives text that the driver prints.
  std::function<void(const std::string&)> print;
  /// Receives a line of JSON for each paging buffer that the driver built (--trace-paging).
  std::function<void(const std::string&)> paging;
  /// Called ten times a second while the machine runs. The caller can interrupt the machine by
  /// throwing from it.
  std::function<void()> idle;
};

/// A machine with its work. A process may create several machines one after the other, but only one
/// may exist at a time: a second one throws Error. Only one thread may use a machine at a time.
class Machine {
 public:
  Machine(const Configuration& configuration, Job job, Listener listener = {});
  Machine(const Configuration& configuration, Replay replay, Listener listener = {});
  Machine(const Configuration& configuration, Software software, Listener listener = {});
  /// Abandons work that has not completed.
  ~Machine();
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  /// Runs for at least `cycles` GPU cycles and stops at the next boundary between two CPU accesses.
  /// Returns true if work is left. One access may take tens of thousands of cycles, for example a
  /// register read queued behind the GPU's copies. Results do not depend on the step sizes.
  /// Rethrows the software's exceptions.
  bool Step(uint64_t cycles);
  /// Runs until the work has completed.
  void Run();
  bool done() const;

  /// State at the end of the last step: GPU cycles since the end of reset, and nanoseconds since power-on.
  uint64_t cycles() const;
  uint64_t ns() const;
  /// Returns the current values of all counters. The list is empty before the first step. Reading them takes no time on
  /// the fast engine, and about a microsecond of machine time on the RTL.
  std::vector<hw::Counter> Counters();

  /// Report returns the report as JSON (docs/report-schema.md). Passed returns whether the run
  /// passed. Both throw std::logic_error unless a Job or Replay has completed.
  const std::string& Report() const;
  bool Passed() const;
  /// The return value of Software::run. Valid when it has returned.
  int result() const;

 private:
  class Life;
  std::unique_ptr<Life> life_;
};

}  // namespace gmmu
