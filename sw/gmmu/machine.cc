// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <optional>
#include <utility>

#include "app/simulated.h"
#include "gmmu/gmmu.h"
#include "gmmu/refusals.h"
#include "gmmu/turns.h"
#include "gmmu/watched_platform.h"
#include "platform/engine.h"
#include "replay/replay.h"
#include "replay/replay_report.h"
#include "report/json_report.h"
#include "trace/open.h"
#include "workload/input.h"
#include "workload/job.h"
#include "workload/scenario.h"

namespace gmmu {
namespace {

constexpr uint64_t kNever = ~uint64_t{0};
constexpr size_t kAccessesAtOnce = 4096;

std::atomic<bool> one_runs{false};

/// The one machine of the process.
struct OnlyOne {
  OnlyOne() {
    if (one_runs.exchange(true))
      throw Error("there is another machine in this process: destroy it before a second one is made");
  }
  ~OnlyOne() { one_runs = false; }
};

os::Fault Stopped(const std::string& source, const std::string& text) {
  os::Fault fault;
  fault.source = source;
  fault.name = "stopped";
  fault.text = text;
  return fault;
}

}  // namespace

const char* Version() { return GMMU_VERSION; }

const std::vector<std::string>& Engines() {
#ifdef GMMU_RTL_ENGINE
  static const std::vector<std::string> kEngines = {"rtl", "fast"};
#else
  static const std::vector<std::string> kEngines = {"fast"};
#endif
  return kEngines;
}

std::vector<std::string> Scenarios() {
  std::vector<std::string> names;
  for (const workload::Scenario& scenario : workload::Scenarios()) names.push_back(scenario.name);
  return names;
}

/// The machine on a thread of its own. It waits there for its owner between two accesses of the CPU and with each event.
class Machine::Work : private Watcher {
 public:
  Work(app::Configuration configuration, const Engine& engine, Listener listener)
      : configuration_(std::move(configuration)),
        engine_name_(engine.name.empty() ? Engines().front() : engine.name),
        seed_(engine.seed),
        listener_(std::move(listener)),
        idle_(MakeIdle()),
        turns_([this] { Live(); }) {
    const std::vector<std::string>& known = Engines();
    if (std::find(known.begin(), known.end(), engine_name_) == known.end()) {
      std::string names;
      for (const std::string& name : known) names += (names.empty() ? "" : ", ") + name;
      throw Error("no engine \"" + engine_name_ + "\" in this build; there is: " + names);
    }
  }

  ~Work() override {
    given_up_ = true;
    listener_ = {};
    event_ = nullptr;
    while (turns_.begun() && !turns_.ended()) {
      try {
        turns_.Resume(nullptr);
      } catch (...) {  // how it ends is of no interest
      }
    }
  }

  void SetJob(Job job) {
    std::optional<workload::Scenario> scenario;
    if (!job.scenario.empty()) scenario = Refused([&] { return workload::FindScenario(job.scenario); });
    if (job.input.size() > workload::kMaxInputBytes) throw Error("an input has at most 256 MiB");
    input_ = job.input.empty() ? workload::SeededInput(seed_, workload::kDefaultInputBytes) : std::move(job.input);
    scenario_ = job.scenario;
    software_ = [this, scenario](hw::Platform& platform) {
      workload::JobOptions options = Options();
      options.input = &input_;
      if (scenario) {
        workload::RunScenario(platform, *scenario, options, result_);
      } else {
        workload::RunMainJob(platform, options, result_);
      }
      return 0;
    };
    make_report_ = [this] { return report::JsonReport(result_, limits_); };
    Make();
  }

  void SetReplay(const Replay& replay) {
    replay::Options options = replay.options;
    options.seed = seed_;
    if (options.accesses == 0) throw Error("0 accesses leave nothing to measure; give 1 and more");
    Refused([&] { app::PreparePages(options, "the configuration", configuration_); });
    const sim::MachineConfig& machine = configuration_.machine;
    const trace::Header header = Refused([&] { return trace::Open(options.workload, options.seed).header; });
    const replay::Opener open = [options] { return trace::Open(options.workload, options.seed).source; };
    plan_ = Refused([&] {
      return replay::MakePlan(options, header, open,
                              {static_cast<unsigned>(machine.gpu.clients), machine.gpu.vram_bytes(),
                               static_cast<unsigned>(machine.gpu.va_bits)});
    });
    software_ = [this, open](hw::Platform& platform) {
      replay::RunReplay(platform, *plan_, open, Options(), result_, replayed_);
      return 0;
    };
    make_report_ = [this] { return replay::JsonReport(*plan_, replayed_, result_, limits_); };
    Make();
  }

  void SetSoftware(Software software) {
    software_ = std::move(software.run);
    if (!software_) throw Error("there is no software to run");
    Make();
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
    return result_.Passed();
  }

  bool done() const { return turns_.ended(); }
  uint64_t cycles() const { return cycles_; }
  uint64_t ns() const { return ns_; }
  int result() const { return exit_; }

 private:
  /// The owner's side: the machine runs up to the next pause.
  bool Go() {
    while (true) {
      if (event_) {  // told by the last turn
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

  /// Makes the engine, on the thread on which it runs.
  void Make() {
    limits_ = app::SimulatedLimits(configuration_.machine, engine_name_, seed_);
    limits_.scenario = scenario_;
    limits_.configuration = configuration_.ToJson();
    Refused([&] { (void)turns_.Resume(nullptr); });
  }

  /// The thread's side.
  void Live() {
    sim::EngineOptions options;
    options.seed = seed_;
    const std::unique_ptr<sim::Engine> engine = app::MakeSimulated(engine_name_, configuration_.machine, options);
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
        const int result = software_(watched);
        Flush();
        Note();
        counters_ = platform.instruments()->Counters();
        return result;
      });
    } catch (const sim::EngineError& error) {
      if (!make_report_) throw;
      result_.faults.push_back(Stopped("machine", error.what()));
    } catch (const std::logic_error& error) {
      if (!make_report_) throw;
      result_.faults.push_back(Stopped("os", std::string("an invariant of the model is broken: ") + error.what()));
    }
    if (given_up_) return;
    result_.verified = result_.verified && result_.faults.empty();
    result_.host_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }

  void Close() {
    if (closed_) return;
    closed_ = true;
    if (!make_report_) return;
    report_ = make_report_();
    if (!listener_.fault) return;
    for (const os::Fault& fault : result_.faults) listener_.fault(fault);
  }

  workload::JobOptions Options() {
    workload::JobOptions options;
    options.os = configuration_.OsParameters(seed_);
    options.seed = seed_;
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

  /// Has the owner call `event`, and goes on when it asks for that. The text of an event lives on this thread's stack.
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

  /// The owner's turn. What it asks for in the meantime is done here, where the machine may be touched.
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
    // The rooms above let this error through; while another one is on its way they may still need the machine.
    if (given_up_ && std::uncaught_exceptions() == 0) throw sim::EngineError("the machine was given up");
  }

  uint64_t LongestWaitNs() override {
    if (given_up_) return kNever;
    constexpr uint64_t kOften = 1'000'000;  // so that an interruption and many accesses are noticed; ns, and cycles
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
  const std::string engine_name_;
  const uint64_t seed_;
  Listener listener_;
  const std::function<void()> idle_;
  std::vector<uint8_t> input_;
  std::string scenario_;
  report::Limits limits_;
  std::optional<replay::Plan> plan_;
  replay::Result replayed_;
  workload::JobResult result_;
  std::function<int(hw::Platform&)> software_;
  std::function<std::string()> make_report_;  ///< null: software of one's own
  std::string report_;
  bool closed_ = false;
  int exit_ = 0;

  // Of whose turn it is.
  hw::Platform* platform_ = nullptr;  ///< while software runs
  uint64_t target_ = 0, cycles_ = 0, ns_ = 0;
  std::vector<hw::Counter> counters_;
  std::vector<Access> told_;
  std::function<void()> event_, request_;
  std::atomic<bool> pause_{false}, given_up_{false};
  Turns turns_;
};

Machine::Machine(const Configuration& c, Job job, Listener listener)
    : work_(std::make_unique<Work>(Read(c.text_, c.file_, c.table_, c.changes_), job.engine, std::move(listener))) {
  work_->SetJob(std::move(job));
}

Machine::Machine(const Configuration& c, Replay replay, Listener listener)
    : work_(std::make_unique<Work>(Read(c.text_, c.file_, c.table_, c.changes_), replay.engine, std::move(listener))) {
  work_->SetReplay(replay);
}

Machine::Machine(const Configuration& c, Software software, Listener listener)
    : work_(
          std::make_unique<Work>(Read(c.text_, c.file_, c.table_, c.changes_), software.engine, std::move(listener))) {
  work_->SetSoftware(std::move(software));
}

Machine::~Machine() = default;

bool Machine::Step(uint64_t cycles) { return work_->Step(cycles); }
void Machine::Run() { (void)work_->Step(kNever); }
bool Machine::done() const { return work_->done(); }
uint64_t Machine::cycles() const { return work_->cycles(); }
uint64_t Machine::ns() const { return work_->ns(); }
std::vector<hw::Counter> Machine::Counters() { return work_->Counters(); }
const std::string& Machine::Report() const { return work_->Report(); }
bool Machine::Passed() const { return work_->Passed(); }
int Machine::result() const { return work_->result(); }

}  // namespace gmmu
