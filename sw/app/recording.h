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

/// Arguments of --events and of the related options.
struct EventArguments {
  std::string file;  ///< the file that the recording is written to; empty: no recording
  events::WindowOptions window;
  std::string trigger;
};

/// Makes `option` parse a trigger (events::ParseTrigger) and store it in `window`.
void TakeTrigger(CLI::Option* option, events::WindowOptions& window);

/// Adds --events, --events-from, --events-to, --events-on and --events-around.
void AddEvents(CLI::App* command, EventArguments& arguments);

/// Records the events of a run in a file and sums their cycles by cause. All files are opened before the run, so that
/// an unwritable one is reported before anything is simulated.
class Recording {
 public:
  /// Returns null if the arguments request no recording. Throws OutputError if the engine has no events or a file
  /// cannot be created.
  static std::unique_ptr<Recording> Make(const EventArguments& arguments, const std::string& engine,
                                         uint64_t period_ps);

  ~Recording();
  hw::EventSink* sink();
  void SetPhase(const std::string& name);
  /// Call it when the run has ended. Events whose cycles by cause do not add up to their duration become findings in
  /// `result`. Throws OutputError.
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
