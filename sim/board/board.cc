// SPDX-License-Identifier: Apache-2.0
#include "board/board.h"

#include <algorithm>
#include <variant>

#include <fmt/format.h>

#include "host/engine.h"
#include "hw/gmmu_regs.h"

namespace gmmu::sim::board {
namespace {

constexpr double kSlowSimulation = 1.0 / 400;  // assumed until the simulated board reports its speed
constexpr uint64_t kSilentNs = 500'000'000;
constexpr uint64_t kPulseNs = 100'000'000;
constexpr uint64_t kStepNs = 50'000'000;  // longest single wait for bytes from the port
constexpr size_t kMostBytes = 65'536;     // limit for one read from the port
// Upper bound on the bytes in flight ahead of a request: earlier requests, including those in the
// link window, and the GPU's reads with their data.
constexpr uint64_t kUnderWay = 16 * kRequestBytes + 64 * 2'048;
constexpr uint64_t kSecond = 1'000'000'000;
constexpr uint64_t kSilenceNs = 1'638'400,
                   kSilences = 4;            // an idle board sends a keep-alive every 2^17 cycles at 80 MHz
constexpr uint64_t kVramNs = 1'000'000'000;  // far more time than VRAM initialization takes
constexpr unsigned kBitsPerByte = 10;
constexpr uint64_t kBoardNs = 4'500'000'000;  // added for the USB converter, board and a busy host

}  // namespace

std::string BuildName(uint64_t build) {
  std::string text;
  for (unsigned i = 0; i < 8; ++i) text += fmt::format("{:02x}", build >> 8 * i & 0xFF);
  return text;
}

Board::Board(const BoardOptions& options)
    : baud_(options.baud),
      process_(options.simulator.empty()
                   ? nullptr
                   : std::make_unique<SimProcess>(options.simulator, options.simulator_arguments)),
      clock_(process_ ? kSlowSimulation : 1) {
  set_bound_ns(0);
  try {
    Open(options);
    ReadIdentity();
    CheckIdentity();
    AwaitVram();
  } catch (const PortError& error) {
    throw BoardError(error.what());
  } catch (const EngineError& error) {
    throw BoardError(error.what());
  }
  set_bound_ns(0);
}

void Board::set_bound_ns(uint64_t ns) {
  const auto link = static_cast<uint64_t>(1e9 * kUnderWay * kBitsPerByte / line_rate());
  bound_ns_ = std::max(ns, link + kBoardNs);
}

// ---- the session

void Board::Open(const BoardOptions& options) {
  const std::string path = process_ ? process_->port() : options.port;
  port_ = std::make_unique<SerialPort>(path, options.baud);
  link_ = std::make_unique<LinkEnd>(options.times, 1, clock_.WallNs());
  while (link_->state() != LinkState::kOpen) {
    if (link_->state() == LinkState::kDead) throw BoardError(path + ": " + Unopened());
    Work(kStepNs);
  }
  open_ = true;
}

std::string Board::Unopened() const {
  switch (link_->cause()) {
    case LinkCause::kSilence:
      return fmt::format("no byte came in 3 s\nIs the board switched on, and has it the bitstream? Is this its port?");
    case LinkCause::kNoFrame:
      return fmt::format(
          "bytes come but no frame at {} bit/s: the board's line has another rate, or it is no board of "
          "gmmu\nGive the rate of its bitstream with --baud.",
          baud_);
    case LinkCause::kVersion:
      return fmt::format(
          "the board has version {} of the link, this program has {}\nLoad a bitstream of this version "
          "of gmmu, or use the program that it was made with.",
          link_->version(), kProtocolVersion);
    default: return "the board announces itself, but takes no session\nPress its reset button and try again.";
  }
}

void Board::ReadIdentity() {
  std::vector<Bytes> requests;
  for (const uint8_t index : {kIdentity, kBuild, kClock, kVramBytes, kName}) requests.push_back(ReadBoard(index));
  for (const uint32_t offset : {regs::Id::kOffset, regs::Cap0::kOffset, regs::Cap1::kOffset, regs::Cap2::kOffset})
    requests.push_back(ReadRegister(offset));
  const std::vector<CpuAnswer> answers = Ask(requests, "the board's identity");
  std::vector<uint64_t> words;
  for (const CpuAnswer& answer : answers) words.push_back(answer.words.empty() ? 0 : answer.words[0]);
  const uint64_t identity = words[0];
  identity_.version = static_cast<unsigned>(identity >> 56);
  identity_.build = words[1];
  identity_.clock_hz = words[2] & 0xFFFF'FFFF;
  identity_.line_rate = words[2] >> 32;
  identity_.vram_bytes = words[3];
  for (unsigned i = 0; i < 8 && (words[4] >> 8 * i & 0xFF) != 0; ++i)
    identity_.name += static_cast<char>(words[4] >> 8 * i & 0xFF);
  identity_.id = words[5];
  identity_.cap0 = words[6];
  identity_.cap1 = words[7];
  identity_.cap2 = words[8];
  std::string magic;
  for (unsigned i = 0; i < 7; ++i) magic += static_cast<char>(identity >> 8 * i & 0xFF);
  if (magic != "GMMUBRD") {
    throw BoardError(
        fmt::format("{}: the other end is no board of gmmu: its identity reads {:#x}\nLoad the bitstream "
                    "of this version of gmmu.",
                    port_->path(), identity));
  }
}

void Board::CheckIdentity() const {
  constexpr uint64_t kMagic = 0x554D4D47;
  const regs::Id id{identity_.id};
  if (identity_.version != kProtocolVersion || id.magic() != kMagic || id.major() != 1) {
    throw BoardError(
        fmt::format("{}: another bitstream: link version {}, GPU {:#x} version {}.{}; this program has link "
                    "version {} and GPU version 1\nLoad the bitstream of this version of gmmu.",
                    port_->path(), identity_.version, id.magic(), id.major(), id.minor(), kProtocolVersion));
  }
  if (identity_.clock_hz == 0 || identity_.vram_bytes == 0)
    throw BoardError(port_->path() +
                     ": the board says neither its clock nor its VRAM: another bitstream\nLoad the "
                     "bitstream of this version of gmmu.");
}

void Board::AwaitVram() {
  const uint64_t start = clock_.NowNs();
  while ((AskWord(ReadBoard(kStatus), "the board's status") & kStatusVramReady) == 0) {
    if (clock_.NowNs() - start < kVramNs) continue;
    throw BoardError(port_->path() +
                     ": the board's VRAM is not initialized\nPress its reset button and try again; if "
                     "that does not help, its SDRAM is broken.");
  }
}

// ---- servicing the link while the session is open

void Board::Fail(const std::string& text) {
  failure_ = text;
  throw EngineError(text);
}

void Board::CheckAlive() {
  if (!failure_.empty()) throw EngineError(failure_);
  if (!open_ || link_->state() != LinkState::kDead) return;
  const std::string during = what_.empty() ? "" : ", while it was asked for " + what_;
  switch (link_->cause()) {
    case LinkCause::kReset: Fail("the board was reset in the middle of the run" + during);
    case LinkCause::kVersion: Fail("the board was loaded with another bitstream in the middle of the run" + during);
    case LinkCause::kLost:
      Fail(
          fmt::format("the board stopped answering: no good frame for {} s{}; {} bytes for it are not acknowledged, {} "
                      "frames came damaged",
                      link_->dead() / kSecond, during, link_->waiting(), link_->counts().damaged));
    default: break;  // these causes occur only before the session is open; Open reports them
  }
}

/// Processes received bytes. Returns true if they completed a message.
bool Board::Take() {
  uint8_t bytes[4096];
  size_t all = 0;
  for (size_t got; all < kMostBytes && (got = port_->Read(bytes, sizeof bytes)) > 0; all += got)
    link_->Receive(bytes, got, clock_.WallNs());
  const Bytes stream = link_->Take();
  if (stream.empty()) return false;
  reader_.Add(stream);
  while (const auto message = reader_.Next()) Serve(*message);
  return true;
}

void Board::Serve(const UpMessage& message) {
  if (const auto* read = std::get_if<HostRead>(&message)) {
    if (server_ != nullptr) server_->Read(*read);
    else Complete(read->id, read->beats, false, {});
  } else if (const auto* write = std::get_if<HostWrite>(&message)) {
    dma_bytes_ += write->data.size();
    if (server_ != nullptr) server_->Write(*write);
  } else if (const auto* answer = std::get_if<CpuAnswer>(&message)) {
    answers_.push_back(*answer);
  } else {
    credit_.Give(std::get<RequestRoom>(message).bytes);
  }
}

/// Writes frames to the port until it accepts no more bytes.
void Board::Flush() {
  for (;;) {
    if (line_.empty()) line_ = link_->Pull(clock_.WallNs());
    if (line_.empty()) return;
    const size_t put = port_->Write(line_.data(), line_.size());
    line_.erase(line_.begin(), line_.begin() + static_cast<ptrdiff_t>(put));
    if (put == 0) return;
  }
}

void Board::Work(uint64_t wall_ns) {
  if (!failure_.empty()) throw EngineError(failure_);
  try {
    const bool served = Take();
    Flush();
    const uint64_t now = clock_.WallNs(), wake = link_->WakeNs();
    if (!served && wall_ns != 0 && now < wake) {
      port_->Wait(!line_.empty(), std::min({wall_ns, wake - now, kStepNs}));
      Take();
      Flush();
    }
  } catch (const PortError& error) {
    Fail(error.what());
  } catch (const MessageError& error) {
    Fail(std::string("the ends of the link do not agree: ") + error.what());
  }
  CheckAlive();
  const uint64_t now = clock_.WallNs();
  if (now < pulsed_ns_ + kPulseNs) return;
  pulsed_ns_ = now;
  if (process_) {
    if (const auto speed = process_->NewSpeed()) {
      clock_.set_speed(*speed);
      link_->set_dead(LinkTimes().dead + kSilences * clock_.ToWallNs(kSilenceNs));
    }
  }
  if (pulse_) pulse_();
}

void Board::Await(const std::function<bool()>& done, const std::string& what) {
  what_ = what;
  const uint64_t start = clock_.NowNs();
  while (!done()) {
    Work(kStepNs);
    if (done()) break;
    const uint64_t passed = clock_.NowNs() - start;
    const uint64_t silent = clock_.WallNs() - link_->last_good_ns();
    // If the line is silent, the link itself declares the board dead.
    if (passed <= bound_ns_ || silent > kSilentNs) continue;
    Fail(fmt::format(
        "no answer to {} in {} ms; the link last heard a good frame {} ms ago, {} bytes of requests wait at "
        "the board",
        what, passed / 1'000'000, silent / 1'000'000, kRequestBytes - credit_.left()));
  }
  what_.clear();
}

// ---- requests

void Board::Post(const Bytes& request, const std::string& what) {
  if (!failure_.empty()) throw EngineError(failure_);
  if (!credit_.Has(request.size())) Await([&] { return credit_.Has(request.size()); }, "room for " + what);
  credit_.Spend(request.size());
  link_->Send(request);
  Work(0);
}

std::vector<CpuAnswer> Board::Ask(const std::vector<Bytes>& requests, const std::string& what) {
  if (!failure_.empty()) throw EngineError(failure_);
  size_t answered = 0;
  for (const Bytes& request : requests) {
    // Each response proves that the board works, so the time limit restarts with each one.
    while (!credit_.Has(request.size())) {
      answered = answers_.size();
      Await([&] { return credit_.Has(request.size()) || answers_.size() > answered; }, what);
    }
    credit_.Spend(request.size());
    link_->Send(request);
  }
  while (answers_.size() < requests.size()) {
    answered = answers_.size();
    Await([&] { return answers_.size() > answered; }, what);
  }
  std::vector<CpuAnswer> answers(answers_.begin(), answers_.end());
  answers_.clear();
  return answers;
}

uint64_t Board::AskWord(const Bytes& request, const std::string& what) {
  const CpuAnswer answer = Ask({request}, what)[0];
  return answer.ok && !answer.words.empty() ? answer.words[0] : ~uint64_t{0};
}

void Board::Complete(uint16_t id, unsigned beats, bool ok, const Bytes& data) {
  if (ok) dma_bytes_ += data.size();
  link_->Send(Completion(id, beats, ok, data));
}

}  // namespace gmmu::sim::board
