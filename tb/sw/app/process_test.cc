// SPDX-License-Identifier: Apache-2.0
// Tests the program as a child process: closed or full standard streams, signals, temporary files.
#include "app/process.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <chrono>
#include <csignal>
#include <nlohmann/json.hpp>
#include <thread>

#include "cli_bench.h"

namespace gmmu::app {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct Process : Cli {
  /// Starts the program in a child process. Its streams are files unless `prepare` changes them.
  pid_t Start(const std::vector<std::string>& arguments, const std::function<void()>& prepare) {
    std::fflush(nullptr);
    const pid_t child = fork();
    if (child != 0) return child;
    Redirect(STDOUT_FILENO, Path("stdout"));
    Redirect(STDERR_FILENO, Path("stderr"));
    prepare();
    BeginProgram();
    std::vector<const char*> argv = {"gmmu"};
    for (const std::string& argument : arguments) argv.push_back(argument.c_str());
    _exit(Main(static_cast<int>(argv.size()), argv.data(), stdout, stderr));
  }
  static void Redirect(int stream, const std::string& path) {
    const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (file != stream) dup2(file, stream);
  }
  static int Wait(pid_t child) {
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
    return status;
  }
  /// Runs the program and returns its exit status. Its output is stored in out_ and err_.
  int Exit(const std::vector<std::string>& arguments, const std::function<void()>& prepare) {
    const int status = Wait(Start(arguments, prepare));
    EXPECT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status);
    out_ = Text("stdout"), err_ = Text("stderr");
    return WEXITSTATUS(status);
  }
  std::string Text(const std::string& name) const {
    std::ifstream file(Path(name));
    return {std::istreambuf_iterator<char>(file), {}};
  }
};

TEST_F(Process, AFileNeverGetsTheNumberOfAStandardStreamThatIsClosed) {
  const std::string bytes(50'000, 'x');
  std::ofstream(Path("input")) << bytes;
  for (int closed = 1; closed < 8; ++closed) {
    SCOPED_TRACE(closed);
    const int status = Exit({"run", Path("input"), "--engine", "fast", "--out", Path("copy"), "--json", Path("report"),
                             "--dump-host", Path("image"), "--trace-ddi", Path("calls")},
                            [&] {
                              for (int stream = 0; stream < 3; ++stream)
                                if ((closed >> stream & 1) != 0) close(stream);
                            });
    const bool printed = (closed & 2) == 0;
    EXPECT_EQ(status, printed ? kExitGood : kExitUsage) << "a report that nobody gets";
    EXPECT_EQ(Text("copy"), bytes);
    EXPECT_TRUE(nlohmann::json::accept(Text("report")));
    EXPECT_TRUE(nlohmann::json::accept(Text("image.json")));
    std::ifstream calls(Path("calls"));
    for (std::string line; std::getline(calls, line);) EXPECT_TRUE(nlohmann::json::accept(line)) << line;
    if (printed) EXPECT_THAT(out_, HasSubstr("verified"));
    if (!printed && (closed & 4) == 0)
      EXPECT_THAT(err_, HasSubstr("gmmu: standard output cannot be written: Bad file descriptor\n"));
  }
}

TEST_F(Process, ARunPassesWhenNobodyCanReadItsProgress) {
  const std::vector<std::string> run = {"run", "--engine", "fast", "--scenario", "context-allocations"};
  EXPECT_EQ(Exit(run, [] { Redirect(STDERR_FILENO, "/dev/full"); }), kExitGood);
  EXPECT_THAT(out_, HasSubstr("context-allocations"));
  EXPECT_EQ(Exit(run,
                 [] {
                   int ends[2];
                   if (pipe(ends) != 0) std::abort();
                   dup2(ends[1], STDERR_FILENO);
                   close(ends[0]);
                   std::signal(SIGPIPE, SIG_DFL);
                 }),
            kExitGood);
  EXPECT_EQ(Exit({"run", "no-such-file"}, [] { Redirect(STDERR_FILENO, "/dev/full"); }), kExitUsage);
  EXPECT_EQ(Exit({"fly"}, [] { Redirect(STDERR_FILENO, "/dev/full"); }), kExitUsage);
  EXPECT_EQ(Exit({"trace", "generate", "gen:sequential,count=10", "/dev/stdout"},
                 [] { Redirect(STDERR_FILENO, "/dev/full"); }),
            kExitGood);
}

TEST_F(Process, AnOutputThatNobodyGetsIsOneLineAndStatus2) {
  ASSERT_EQ(Run({"run", "--engine", "fast", "--scenario", "context-allocations", "--json", Path("a"), "--trace-ddi",
                 Path("calls")}),
            kExitGood);
  const std::vector<std::vector<std::string>> commands = {
      {"run", "--engine", "fast", "--scenario", "context-allocations"},
      {"run", "--engine", "fast", "--scenario", "context-allocations", "--set", "inject.leak=adl"},
      {"run", "--list"},
      {"run", "--help"},
      {"--version"},
      {"config"},
      {"compare", Path("a"), Path("a")},
      {"trace", Path("calls")},
      {"trace", "list"},
      {"trace", "generate", "gen:sequential,count=10", Path("trace")},
      {"replay", "gen:sequential,count=100", "--engine", "fast"},
      {"replay-ddi", Path("calls")},
      {"scan-driver", GMMU_DRIVERS "own.so"},
      {"check-driver", GMMU_DRIVERS "own.so", "--only", "context-allocations"}};
  for (const auto& command : commands) {
    SCOPED_TRACE(command.front() + " " + command.back());
    EXPECT_EQ(Exit(command, [] { Redirect(STDOUT_FILENO, "/dev/full"); }), kExitUsage);
    const std::string last = "gmmu: standard output cannot be written: No space left on device\n";
    EXPECT_THAT(err_, ::testing::EndsWith(last));
    EXPECT_EQ(err_.find("cannot be written"), err_.rfind("cannot be written"));
  }
}

TEST_F(Process, EndsBySigpipeWhenTheReaderOfItsOutputHasEnough) {
  const int status = Wait(Start({"run", "--list"}, [] {
    int ends[2];
    if (pipe(ends) != 0) std::abort();
    dup2(ends[1], STDOUT_FILENO);
    close(ends[0]);
    std::signal(SIGPIPE, SIG_DFL);
  }));
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGPIPE) << status;
  EXPECT_THAT(Text("stderr"), IsEmpty());
}

TEST_F(Process, ASignalThatEndsItLeavesNoFileBehind) {
  const auto wait_for = [&](const std::vector<std::string>& names) {
    const auto here = [&](const std::string& name) {
      return std::any_of(fs::directory_iterator(folder_), fs::directory_iterator(), [&](const auto& entry) {
        return entry.path().filename().string().rfind(name, 0) == 0 &&
               (!entry.is_directory() || !fs::is_empty(entry.path()));
      });
    };
    for (int i = 0; i < 3000 && !std::all_of(names.begin(), names.end(), here); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    return std::all_of(names.begin(), names.end(), here);
  };
  std::ofstream(Path("big")).close();
  fs::resize_file(Path("big"), uint64_t{250} << 20);
  const std::vector<std::string> run = {"run", Path("big"), "--engine", "fast", "--out", Path("copy")};
  const std::vector<std::string> check = {"check-driver", GMMU_DRIVERS "own.so", "--json", Path("report")};
  const std::vector<std::string> sweep = {"run",         "--engine",   "fast",   "--scenario",  "main-job",
                                          "--fail-each", "allocation", "--json", Path("report")};
  for (const auto& [signal, arguments, names] :
       {std::tuple{SIGINT, &check, std::vector<std::string>{"report.partial-", "gmmu-run-"}},
        {SIGTERM, &sweep, {"report.partial-", "gmmu-run-"}},
        {SIGHUP, &run, {"copy.partial-"}},
        {SIGQUIT, &run, {"copy.partial-"}}}) {
    SCOPED_TRACE(signal);
    const pid_t child = Start(*arguments, [&] { setenv("TMPDIR", folder_.c_str(), 1); });
    EXPECT_TRUE(wait_for(names));
    kill(child, signal);
    const int status = Wait(child);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == signal) << status;
    for (const char* stream : {"stdout", "stderr"}) fs::remove(Path(stream));
    for (const auto& entry : fs::directory_iterator(folder_)) EXPECT_EQ(entry.path(), Path("big"));
  }
}

TEST_F(Process, ASignalThatItWasToldToIgnoreIsIgnored) {
  const int status = Wait(Start({"run", "--list"}, [] {
    std::signal(SIGHUP, SIG_IGN);
    BeginProgram();
    raise(SIGHUP);
  }));
  EXPECT_TRUE(WIFEXITED(status));
}

TEST_F(Process, ATemporaryFolderThatIsMissingOrFullIsNamed) {
  const std::vector<std::string> check = {"check-driver", GMMU_DRIVERS "own.so", "--only", "context-allocations"};
  EXPECT_EQ(Exit(check, [&] { setenv("TMPDIR", Path("missing").c_str(), 1); }), kExitUsage);
  EXPECT_THAT(err_, HasSubstr("gmmu: the temporary folder " + Path("missing") + "/gmmu-run-"));
  EXPECT_THAT(err_, HasSubstr("cannot be made: No such file or directory\nSet TMPDIR to a folder "));

  int ends[2];  // a file size limit simulates a full disk and does not affect pipes
  ASSERT_EQ(pipe(ends), 0);
  const int status = Wait(Start(check, [&] {
    setenv("TMPDIR", folder_.c_str(), 1);
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit none = {0, 0};
    setrlimit(RLIMIT_FSIZE, &none);
    dup2(ends[1], STDERR_FILENO);
  }));
  close(ends[1]);
  char text[4096];
  const ssize_t got = read(ends[0], text, sizeof text);
  close(ends[0]);
  EXPECT_EQ(WEXITSTATUS(status), kExitUsage);
  EXPECT_THAT(std::string(text, static_cast<size_t>(std::max<ssize_t>(got, 0))),
              HasSubstr("cannot be written: File too large\nSet TMPDIR to a folder "));
}

}  // namespace
}  // namespace gmmu::app
