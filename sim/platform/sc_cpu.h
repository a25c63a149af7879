// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <exception>
#include <functional>
#include <string>

#include <systemc>

#include "host/clock.h"
#include "hw/platform.h"

namespace gmmu::sim {

class ScAgenda;

/// The CPU. It runs software on one SystemC thread, and time passes while the software waits.
///
/// After each wait the thread yields again at the same time, so that it runs after all other
/// processes scheduled for that time.
class Cpu : public sc_core::sc_module, public Clock {
 public:
  explicit Cpu(sc_core::sc_module_name name);

  /// Sets the platform on which Main runs the software. Both arguments must outlive the simulation.
  void Connect(ScAgenda& agenda, hw::Platform& platform) {
    agenda_ = &agenda;
    platform_ = &platform;
  }
  void set_software(std::function<int(hw::Platform&)> software) { software_ = std::move(software); }
  bool finished() const { return finished_; }
  /// Ends the current wait with an EngineError. Called when no further event can occur.
  void Stuck();
  /// Returns the software's result, or throws its exception. Call it after the software has returned.
  int Result() const;
  /// Makes the software check the condition it waits for, because an event occurred that may have
  /// changed it.
  void Wake() { wake_.notify(sc_core::SC_ZERO_TIME); }

  // Clock
  uint64_t NowPs() override;
  void Pass(uint64_t ps) override;
  bool Await(const std::function<bool()>& ready, uint64_t bound_ps, const std::string& what) override;

 private:
  void Main();

  ScAgenda* agenda_ = nullptr;
  hw::Platform* platform_ = nullptr;
  std::function<int(hw::Platform&)> software_;
  sc_core::sc_event wake_;
  bool stuck_ = false;
  bool finished_ = false;
  int result_ = 0;
  std::exception_ptr error_;
};

}  // namespace gmmu::sim
