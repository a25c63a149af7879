// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <utility>

#include "app/configuration.h"
#include "app/engines.h"
#include "app/simulated.h"
#include "gmmu/gmmu.h"
#include "gmmu/refusals.h"
#include "gmmu/turns.h"
#include "gmmu/watched_platform.h"
#include "gmmu/work.h"
#include "host/engine.h"

namespace gmmu {
namespace {

constexpr uint64_t kNever = ~uint64_t{0};
constexpr size_t kAccessesAtOnce = 4096;

std::atomic<bool> one_runs{false};

/// Ensures that the process has at most one machine.
struct OnlyOne {
  OnlyOne() {
    if (one_runs.exchange(true))
      throw Error("there is another machine in this process: destroy it before a second one is made");
  }
  ~OnlyOne() { one_runs = false; }
};

/// Returns the engine with that name, or the first engine if the name is empty.
Engine Known(Engine engine) {
  const std::vector<std::string>& known = Engines();
  if (engine.name.empty()) engine.name = known.front();
  if (std::find(known.begin(), known.end(), engine.name) == known.end()) {
    std::string names;
    for (const std::string& name : known) names += (names.empty() ? "" : ", ") + name;
    throw Error("no engine \"" + engine.name + "\" in this build; there is: " + names);
  }
  return engine;
}

os::Fault Stopped(const std::string& source, const std::string& text) {
  os::Fault fault;
  fault.source = source;
  fault.name = "stopped";
  fault.text = text;
  return fault;
}

}  // namespace

/// Runs the machine on its own thread, which yields to its owner's thread between CPU accesses and
/// at each event.
class Machine::Life : private Watcher {
 public:
  Life(app::Configuration configuration, const Engine& engine, std::unique_ptr<Work> work, Listener listener)
      : configuration_(std::move(configuration)),
        engine_(engine),
        work_(std::move(work)),
        listener_(std::move(listener)),
        idle_(MakeIdle()),
        turns_([this] { Live(); }) {
    Refused([&] { (void)turns_.Resume(nullptr); });  // creates the engine on the machine's thread
  }

  ~Life() override {
    given_up_ = true;
    listener_ = {};
    event_ = nullptr;
    while (turns_.begun() && !turns_.ended()) {
      try {
        turns_.Resume(nullptr);
      } catch (...) {  // ignore errors during the shutdown
      }
    }
  }

  bool Step(uint64_t cycles) {
    target_ = cycles > kNever - cycles_ ? kNever : cycles_ + cycles;
    pause_ = false;
    return Go();
  }

  std::vector<hw::Counter> Counters() {
    if (platform_ == nullptr) return counters_;
    request_ = [this] { counters_ = platform_->instruments()->Counters(); };
    (void)turns_.Resume(nullptr);
    return counters_;
  }

  const std::string& Report() const {
    if (report_.empty()) throw std::logic_error("there is a report when a job or a replay is done");
    return report_;
  }
  bool Passed() const {
    (void)Report();
    return work_->result.Passed();
  }

  bool done() const { return turns_.ended(); }
  uint64_t cycles() const { return cycles_; }
  uint64_t ns() const { return ns_; }
  int result() const { return exit_; }

 private:
  /// Runs the machine up to the next pause. Called on the owner's thread.
  bool Go() {
    while (true) {
      if (event_) {  // `event_` was set when the machine's thread last ran
        const auto event = std::exchange(event_, nullptr);
        event();
      } else if (!turns_.Resume(idle_)) {
        Close();
        return false;
      } else if (!event_) {
        return true;
      }
    }
  }

  /// Runs on the machine's thread until the work has completed.
  void Live() {
    sim::EngineOptions options;
    options.seed = engine_.seed;
    const std::unique_ptr<sim::Engine> engine = app::FindEngine(engine_.name)->make({configuration_.machine, options});
    turns_.Yield();
    if (given_up_) return;
    const auto start = std::chrono::steady_clock::now();
    try {
      exit_ = engine->Run([this](hw::Platform& platform) {
        WatchedPlatform watched(platform, *this);
        platform_ = &platform;
        const struct Gone {
          ~Gone() { platform = nullptr; }
          hw::Platform*& platform;
        } gone{platform_};
        const int result = work_->run(watched, Options());
        Flush();
        Note();
        counters_ = platform.instruments()->Counters();
        return result;
      });
    } catch (const sim::EngineError& error) {
      if (!work_->report) throw;
      work_->result.faults.push_back(Stopped("machine", error.what()));
    } catch (const std::logic_error& error) {
      if (!work_->report) throw;
      work_->result.faults.push_back(
          Stopped("os", std::string("an invariant of the model is broken: ") + error.what()));
    }
    if (given_up_) return;
    workload::JobResult& result = work_->result;
    app::Conclude(configuration_.machine, result);
    result.host_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }

  void Close() {
    if (closed_) return;
    closed_ = true;
    if (!work_->report) return;
    report::Limits limits = app::SimulatedLimits(configuration_.machine, *app::FindEngine(engine_.name), engine_.seed);
    limits.scenario = work_->scenario;
    limits.configuration = configuration_.ToJson();
    report_ = work_->report(limits);
    if (!listener_.fault) return;
    for (const os::Fault& fault : work_->result.faults) listener_.fault(fault);
  }

  workload::JobOptions Options() {
    workload::JobOptions options;
    options.os = configuration_.OsParameters(engine_.seed);
    options.seed = engine_.seed;
    if (listener_.print) options.os.debug_print = [this](std::string text) { Tell([&] { listener_.print(text); }); };
    if (listener_.paging)
      options.os.trace_paging = [this](const std::string& line) { Tell([&] { listener_.paging(line); }); };
    if (listener_.output)
      options.out = [this](const void* bytes, size_t size) { Tell([&] { listener_.output(bytes, size); }); };
    if (listener_.progress) {
      options.progress = [this](const std::string& phase, uint64_t done, uint64_t total) {
        Flush();
        Tell([&] { listener_.progress(phase, done, total); });
      };
    }
    return options;
  }

  /// Makes the owner's thread call `event`, and continues when the owner resumes this thread.
  /// `event` may refer to objects on this thread's stack.
  void Tell(std::function<void()> event) {
    if (given_up_) return;
    Note();
    event_ = std::move(event);
    Wait();
  }

  void Flush() {
    if (told_.empty() || given_up_) return;
    Tell([this] { listener_.accesses(told_.data(), told_.size()); });
    told_.clear();
  }

  /// Yields to the owner's thread. While it waits, this thread executes the owner's requests,
  /// because only this thread may access the machine.
  void Wait() {
    turns_.Yield();
    while (request_) {
      std::exchange(request_, nullptr)();
      turns_.Yield();
    }
  }

  void Note() {
    cycles_ = platform_->instruments()->Cycles();
    ns_ = platform_->NowNs();
  }

  // Watcher
  void Look() override {
    if (told_.size() >= kAccessesAtOnce) Flush();
    if (!given_up_ && (pause_ || (target_ != kNever && platform_->instruments()->Cycles() >= target_))) {
      Flush();
      Note();
      Wait();
    }
    // The software must let this error propagate. It is not thrown during stack unwinding, because
    // destructors may still need the machine.
    if (given_up_ && std::uncaught_exceptions() == 0) throw sim::EngineError("the machine was given up");
  }

  uint64_t LongestWaitNs() override {
    if (given_up_) return kNever;
    constexpr uint64_t kOften = 1'000'000;  // longest time between pause checks, in ns or cycles
    if (target_ == kNever) return kOften;
    const uint64_t now = platform_->instruments()->Cycles();
    const uint64_t left = target_ > now ? target_ - now : 1;
    return std::min(left, kOften) * 1000 / configuration_.machine.gpu.clock_mhz + 1;
  }

  void Answered(const Access& access) override {
    if (listener_.accesses) told_.push_back(access);
  }

  std::function<void()> MakeIdle() {
    if (!listener_.idle) return nullptr;
    return [this] {
      try {
        listener_.idle();
      } catch (...) {
        pause_ = true;
        throw;
      }
    };
  }

  const OnlyOne only_one_;
  app::Configuration configuration_;
  const Engine engine_;
  const std::unique_ptr<Work> work_;
  Listener listener_;
  const std::function<void()> idle_;
  std::string report_;
  bool closed_ = false;
  int exit_ = 0;

  // The thread that currently runs is the only one that accesses this state.
  hw::Platform* platform_ = nullptr;  ///< set while software runs
  uint64_t target_ = 0, cycles_ = 0, ns_ = 0;
  std::vector<hw::Counter> counters_;
  std::vector<Access> told_;
  std::function<void()> event_, request_;
  std::atomic<bool> pause_{false}, given_up_{false};
  Turns turns_;
};

Machine::Machine(const Configuration& c, Job job, Listener listener) {
  const app::Configuration configuration = Read(c.text_, c.file_, c.table_, c.changes_);
  const Engine engine = Known(job.engine);
  life_ = std::make_unique<Life>(configuration, engine, WorkOf(std::move(job)), std::move(listener));
}

Machine::Machine(const Configuration& c, Replay replay, Listener listener) {
  app::Configuration configuration = Read(c.text_, c.file_, c.table_, c.changes_);
  const Engine engine = Known(replay.engine);
  std::unique_ptr<Work> work = WorkOf(replay, configuration);
  life_ = std::make_unique<Life>(std::move(configuration), engine, std::move(work), std::move(listener));
}

Machine::Machine(const Configuration& c, Software software, Listener listener) {
  const app::Configuration configuration = Read(c.text_, c.file_, c.table_, c.changes_);
  const Engine engine = Known(software.engine);
  life_ = std::make_unique<Life>(configuration, engine, WorkOf(std::move(software)), std::move(listener));
}

Machine::~Machine() = default;

bool Machine::Step(uint64_t cycles) { return life_->Step(cycles); }
void Machine::Run() { (void)life_->Step(kNever); }
bool Machine::done() const { return life_->done(); }
uint64_t Machine::cycles() const { return life_->cycles(); }
uint64_t Machine::ns() const { return life_->ns(); }
std::vector<hw::Counter> Machine::Counters() { return life_->Counters(); }
const std::string& Machine::Report() const { return life_->Report(); }
bool Machine::Passed() const { return life_->Passed(); }
int Machine::result() const { return life_->result(); }

}  // namespace gmmu
