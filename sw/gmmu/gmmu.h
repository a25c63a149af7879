// SPDX-License-Identifier: Apache-2.0
#pragma once
// The library's front: a configuration, a machine, its work (docs/library.md). What this header declares, and what it
// includes, is what versions promise.
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

/// A configuration, an input or an option that cannot be used. what() is one to three lines: where, what, and the way
/// out, as the program gmmu prints them. Nothing was simulated.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// "0.1.0": of the library.
const char* Version();
/// Those that this build can simulate with, the first is the default: "rtl" (exact) where it was built, "fast".
const std::vector<std::string>& Engines();
/// Names of the scenarios that are built in.
std::vector<std::string> Scenarios();

/// The settings of machine, operating system and driver (docs/settings.md). Always complete and without contradiction:
/// what would break that throws Error and changes nothing.
class Configuration {
 public:
  Configuration();  ///< the defaults
  /// Errors name the text `file`.
  static Configuration FromToml(const std::string& text, const std::string& file = "configuration");
  static Configuration FromFile(const std::string& path);
  /// The machine of a scenario: a name, or a path that ends in ".toml".
  static Configuration OfScenario(const std::string& name);

  /// Changes together, each "SECTION.KEY=VALUE" with a value as TOML has it ("gpu.vram_mib=128").
  void Set(const std::vector<std::string>& changes);
  /// The value of a key as TOML has it.
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

/// What a machine runs on, and what every random choice in it is drawn from.
struct Engine {
  std::string name;  ///< one of Engines(); empty: the first
  uint64_t seed = 0;
};

/// The main job, or a scenario with its procedure: `gmmu run`.
struct Job {
  Engine engine;
  std::string scenario;        ///< empty: the main job
  std::vector<uint8_t> input;  ///< bytes that the main job pages; empty: 1 MiB drawn from the seed
};

/// Accesses of a trace or a generator on the client ports: `gmmu replay`.
struct Replay {
  Engine engine;            ///< its seed stands for that of the options
  replay::Options options;  ///< `workload` is a file or "gen:NAME,KEY=VALUE,..."
};

/// Software of one's own on the bare machine, without the operating system model and its driver.
struct Software {
  Engine engine;
  std::function<int(hw::Platform&)> run;
};

/// A request at a client port that was answered (Replay only).
struct Access {
  uint64_t va;         ///< GPU virtual address
  uint64_t requested;  ///< GPU cycle in which the port was first offered it
  uint64_t answered;   ///< GPU cycle in which the last beat of the answer was taken
  uint32_t client;
  uint8_t bytes;
  uint8_t kind;   ///< regs::Access: 0 read, 1 write, 2 execute
  uint8_t fault;  ///< regs::Fault: 0 none
  uint8_t unit;   ///< GPU
};

/// What a machine tells while it runs. Each may be empty. They are called by Step and Run, on the thread that called
/// these, in the order of the events; what they throw leaves Step, and the next Step goes on behind the event.
struct Listener {
  /// A phase, and how much of it is done: bytes, pieces or accesses.
  std::function<void(const std::string& phase, uint64_t done, uint64_t total)> progress;
  /// Answered requests in the order of their answers, some at a time.
  std::function<void(const Access* accesses, size_t count)> accesses;
  /// Each fault of the report, when the work has ended.
  std::function<void(const os::Fault&)> fault;
  /// Bytes that the CPU read back after they were paged out, in their order (the main job).
  std::function<void(const void* bytes, size_t size)> output;
  /// What the driver prints.
  std::function<void(const std::string&)> print;
  /// A line of JSON for each paging buffer that the driver built (--trace-paging).
  std::function<void(const std::string&)> paging;
  /// Called ten times a second while the machine runs, so that the caller can interrupt it by throwing.
  std::function<void()> idle;
};

/// A machine with its work. A process may have several one after the other, but one at a time: a second one throws
/// Error. Not for use by several threads at once.
class Machine {
 public:
  Machine(const Configuration& configuration, Job job, Listener listener = {});
  Machine(const Configuration& configuration, Replay replay, Listener listener = {});
  Machine(const Configuration& configuration, Software software, Listener listener = {});
  /// Work that has not ended is given up.
  ~Machine();
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  /// Lets at least `cycles` GPU cycles pass, up to the next moment between two accesses of the CPU; true while there is
  /// work left. An access may take tens of thousands of cycles, as a read of a register behind the GPU's copies does.
  /// Results do not depend on the steps. Throws what the software throws.
  bool Step(uint64_t cycles);
  /// Runs to the end of the work.
  void Run();
  bool done() const;

  /// GPU cycles since the end of reset, and nanoseconds since power-on, at the end of the last step.
  uint64_t cycles() const;
  uint64_t ns() const;
  /// All counters as they are now; before the first step none. Reading them takes no time on the fast engine, and about
  /// a microsecond of the machine's time on the RTL.
  std::vector<hw::Counter> Counters();

  /// The report as JSON (docs/report-schema.md), and whether everything was as it should be. Of a Job and a Replay, when
  /// done; else both throw std::logic_error.
  const std::string& Report() const;
  bool Passed() const;
  /// What Software returned, when done.
  int result() const;

 private:
  class Life;
  std::unique_ptr<Life> life_;
};

}  // namespace gmmu
