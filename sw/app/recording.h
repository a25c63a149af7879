// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <string>

#include "events/window.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI
namespace gmmu::workload {
struct JobResult;
}

namespace gmmu::app {

/// Arguments of --events and the related options.
struct EventArguments {
  std::string file;  ///< the file that the recording is written to; empty: no recording
  events::WindowOptions window;
  std::string trigger;
};

/// Makes `option` parse a trigger (events::ParseTrigger) and store it in `window`.
void TakeTrigger(CLI::Option* option, events::WindowOptions& window);

/// Adds --events, --events-from, --events-to, --events-on and --events-around.
void AddEvents(CLI::App* command, EventArguments& arguments);

/// Records the events of a run in a file and sums their cycles by cause. All files are opened
/// before the run, so that a file that cannot be written is reported before anything is simulated.
class Recording {
 public:
  /// Returns null if no recording is requested. Throws OutputError if the engine has no events or a
  /// file cannot be created.
  static std::unique_ptr<Recording> Make(const EventArguments& arguments, const std::string& engine,
                                         uint64_t period_ps);

  ~Recording();
  hw::EventSink* sink();
  void SetPhase(const std::string& name);
  /// Call this when the run has ended. If the cycles by cause of an event do not add up to its
  /// duration, a finding is added to `result`. Throws OutputError.
  void End(workload::JobResult& result);
  /// Returns the JSON text `report` with the additional member `causes`.
  std::string AddTo(const std::string& report) const;
  /// Returns the lines for the text report.
  std::string Text() const;

 private:
  struct Parts;
  explicit Recording(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace gmmu::app
