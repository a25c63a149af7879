// SPDX-License-Identifier: Apache-2.0
#include "app/child_run.h"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <thread>

#include "app/outputs.h"
#include "app/process.h"
#include "app/temporary_folder.h"

namespace gmmu::app {
namespace {

using Clock = std::chrono::steady_clock;
using Json = nlohmann::json;

[[noreturn]] void Child(const RunArguments& arguments, const TemporaryFolder& folder) {
  setpgid(0, 0);
  std::FILE* out = std::fopen(folder.File("out").c_str(), "w");
  std::FILE* err = std::fopen(folder.File("err").c_str(), "w");
  if (out == nullptr || err == nullptr) _exit(kExitUsage);
  dup2(fileno(err), STDERR_FILENO);  // capture the messages of a driver that calls exit
  const int status = Caught([&] { return Run(arguments, out, err); }, out, err);
  std::fclose(out);
  std::fclose(err);
  _exit(status);
}

/// Waits for the process to exit, and kills it after `seconds`. Returns true if it exited by
/// itself.
bool Await(pid_t child, unsigned seconds, int* status) {
  const auto end = Clock::now() + std::chrono::seconds(seconds);
  for (auto pause = std::chrono::milliseconds(1);; pause = std::min(2 * pause, std::chrono::milliseconds(32))) {
    if (waitpid(child, status, WNOHANG) == child) return true;
    if (Clock::now() >= end) break;
    std::this_thread::sleep_for(pause);
  }
  kill(child, SIGKILL);
  while (waitpid(child, status, 0) < 0 && errno == EINTR) continue;
  return false;
}

std::string FirstLine(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  while (std::getline(file, line)) {
    if (line.rfind("gmmu: ", 0) == 0 && line.find(": ", 6) != std::string::npos) return line;
  }
  return "";
}

/// Returns the error message of a run that did not begin, without the program name.
std::string TextOf(const std::string& path) {
  std::ifstream file(path);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const size_t begin = text.rfind("gmmu: ");
  return begin == std::string::npos ? text : text.substr(begin + 6, text.find_last_not_of('\n') - begin - 5);
}

void Judge(const Json& report, ChildRun& run) {
  run.passed = report.at("passed").get<bool>();
  if (report.contains("refused_on_purpose")) {
    const Json& refusal = report["refused_on_purpose"];
    run.seen = refusal.at("seen").get<uint64_t>();
    run.refused = refusal.at("what").get<std::string>();
    run.inside = refusal.at("inside").get<std::string>();
  }
  const auto add = [&](const std::string& end, const std::string& text) {
    if (run.end.empty()) run.end = end;
    run.wrong.push_back(text);
  };
  if (run.passed) {
    run.end = "passed";
    return;
  }
  for (const Json& fault : report.at("faults")) {
    const auto name = fault.at("name").get<std::string>();
    const Json& stop = fault.at("bug_check");
    add(name == "bug_check" ? "bug check" + (stop.is_null() ? "" : " " + stop.at("code").get<std::string>())
        : name == "stopped" ? "refused"
                            : name,
        fault.at("text").get<std::string>());
  }
  for (const Json& finding : report.at("findings")) {
    add("finding", finding.at("probe").get<std::string>() + " checker: " + finding.at("text").get<std::string>());
  }
  for (const Json& leak : report.at("leaks")) {
    add("leak", fmt::format("leaked {} {} of {}, created by {}", leak.at("kind").get<std::string>(),
                            leak.at("name").get<std::string>(), leak.at("owner").get<std::string>(),
                            leak.at("created_by").get<std::string>()));
  }
  for (const Json& check : report.at("checks")) {
    if (!check.at("passed").get<bool>())
      add("wrong bytes",
          fmt::format("check \"{}\": {}", check.at("name").get<std::string>(), check.at("text").get<std::string>()));
  }
  if (run.end == "refused" && !report.at("leaks").empty()) run.end = "leak";
  if (run.end.empty() && !report.at("not_applicable").is_null()) {
    add("not applicable", report["not_applicable"].get<std::string>());
  }
  if (run.end.empty()) add("failed", "the run did not end as its scenario expects");
}

}  // namespace

ChildRun RunInChild(RunArguments arguments, unsigned seconds) {
  const TemporaryFolder folder;
  arguments.json = folder.File("report.json");
  const auto start = Clock::now();
  std::fflush(nullptr);
  const pid_t child = ForkChild();
  if (child < 0) throw OutputError(std::string("no process can be started: ") + std::strerror(errno));
  if (child == 0) Child(arguments, folder);
  int status = 0;
  const bool ended = Await(child, seconds, &status);
  ChildEnded();
  ChildRun run;
  run.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  std::ifstream file(arguments.json);
  const Json report = Json::parse(file, nullptr, false);
  if (!ended) {
    run.end = "hung";
    run.wrong = {fmt::format("the run did not end within {} s and was ended", seconds)};
  } else if (WIFSIGNALED(status)) {
    run.end = "crashed";
    run.wrong = {fmt::format("the program was ended by signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)))};
  } else if (report.is_discarded()) {
    folder.CheckRoom();
    run.end = "no report";
    if (WEXITSTATUS(status) == kExitUsage) run.usage = TextOf(folder.File("err"));
    run.wrong = {fmt::format("exit status {}: {}", WEXITSTATUS(status), FirstLine(folder.File("err")))};
  } else {
    Judge(report, run);
  }
  if (run.end == "leak")  // list leaks first: a leak is more specific than a refusal
    std::stable_partition(run.wrong.begin(), run.wrong.end(),
                          [](const std::string& line) { return line.rfind("leaked ", 0) == 0; });
  if (!run.wrong.empty()) run.text = run.wrong.front();
  return run;
}

std::string CommandOf(const RunArguments& arguments) {
  std::string command = "gmmu run --engine " + arguments.engine;
  const auto add = [&](const char* option, const std::string& value) {
    if (!value.empty()) command += std::string(" ") + option + " " + value;
  };
  add("--scenario", arguments.scenario);
  add("--driver", arguments.driver);
  add("--device", arguments.device);
  add("--config", arguments.config);
  if (arguments.seed != 0) add("--seed", std::to_string(arguments.seed));
  for (const std::string& change : arguments.set) add("--set", change);
  return arguments.file.empty() ? command : command + " " + arguments.file;
}

}  // namespace gmmu::app
