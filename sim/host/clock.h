// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <string>

namespace gmmu::sim {

class Agenda;

/// A machine's time in picoseconds since power-on. Time passes only during calls to these
/// functions, while the software waits.
class Clock {
 public:
  static constexpr uint64_t kForever = ~uint64_t{0};

  virtual ~Clock() = default;
  virtual uint64_t NowPs() = 0;
  /// Lets `ps` picoseconds pass.
  virtual void Pass(uint64_t ps) = 0;
  /// Lets time pass until `ready` is true. Returns false if `bound_ps` elapse first; kForever means
  /// no bound. Throws EngineError, whose message contains `what`, if the bound is kForever and no
  /// event is left that could end the wait.
  virtual bool Await(const std::function<bool()>& ready, uint64_t bound_ps, const std::string& what) = 0;
  /// Runs all events that are due. The machine calls it before each access by the software. Only
  /// clocks that advance on their own override it.
  virtual void CatchUp() {}

  /// Converts nanoseconds to picoseconds; a value that does not fit becomes kForever.
  static uint64_t ToPs(uint64_t ns) { return ns > kForever / 1000 ? kForever : ns * 1000; }
  /// Returns `now + ps`, limited to kForever.
  static uint64_t Later(uint64_t now, uint64_t ps) { return ps > kForever - now ? kForever : now + ps; }
};

/// The clock of a machine that keeps all its events in an agenda.
class AgendaClock : public Clock {
 public:
  explicit AgendaClock(Agenda& agenda) : agenda_(agenda) {}
  uint64_t NowPs() override;
  void Pass(uint64_t ps) override;
  bool Await(const std::function<bool()>& ready, uint64_t bound_ps, const std::string& what) override;

 private:
  Agenda& agenda_;
};

}  // namespace gmmu::sim
