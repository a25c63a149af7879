// SPDX-License-Identifier: Apache-2.0
#include "tb/sim/board/fake_board.h"

#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <stdexcept>

#include "host/machine_parts.h"
#include "pcie/config_space.h"
#include "twin/gpu_parameters.h"

namespace gmmu::sim::board {
namespace {

constexpr uint64_t kKeepAliveNs = 1'600'000;
constexpr size_t kRequestMemory = 2048;
constexpr uint64_t kMessages = 0xFEE00000, kMessagesEnd = 0xFEF00000;

uint64_t Number(const BoardEnd::Bytes& from, size_t at, size_t size) {
  uint64_t value = 0;
  for (size_t i = 0; i < size; ++i) value |= uint64_t{from[at + i]} << 8 * i;
  return value;
}

void Put(BoardEnd::Bytes& to, uint64_t value, size_t size) {
  for (size_t i = 0; i < size; ++i) to.push_back(static_cast<uint8_t>(value >> 8 * i));
}

twin::GpuParameters Parameters(const MachineConfig& config) {
  twin::GpuParameters p = twin::GpuParameters::From(config, 0);
  p.checker = false;
  return p;
}

}  // namespace

MachineConfig FakeBoard::SmallConfig() {
  MachineConfig config;
  config.gpu.clients = 2;
  config.gpu.rings = 1;
  config.gpu.walks = 4;
  config.gpu.reads_in_flight = 16;
  config.gpu.vram_mib = 32;
  config.gpu.clock_mhz = 80;
  return config;
}

FakeBoard::FakeBoard(const FakeBoardOptions& options)
    : options_(options),
      random_(options.seed),
      master_(posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)),
      end_(kKeepAliveNs, 8, options.version),
      peers_({1, 200'000, 16}, agenda_) {
  if (grantpt(master_) != 0 || unlockpt(master_) != 0) throw std::runtime_error("no pseudo-terminal");
  port_ = ptsname(master_);
  termios raw;
  tcgetattr(master_, &raw);
  cfmakeraw(&raw);
  tcsetattr(master_, TCSANOW, &raw);
  gpu_ = std::make_unique<twin::Gpu>(0, BdfOf(0), Parameters(options.config), static_cast<HostAccess&>(*this), peers_,
                                     agenda_);
  thread_ = std::thread([this] { Main(); });
}

FakeBoard::~FakeBoard() {
  stop_ = true;
  thread_.join();
  close(master_);
}

std::string FakeBoard::violation() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return violation_;
}

void FakeBoard::Violated(const std::string& what) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (violation_.empty()) violation_ = what;
}

uint64_t FakeBoard::NowNs() const {
  return static_cast<uint64_t>(std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count());
}

// ---- the thread

void FakeBoard::Main() {
  const uint64_t start = NowNs();
  while (!stop_) {
    try {
      Session();
      Io();
      Session();
      DoRequests();
      agenda_.RunUntil((NowNs() - start) * 1000);
      DoRequests();
    } catch (const Stopped&) {}
    pollfd line = {master_, POLLIN, 0};
    timespec wait = {0, agenda_.empty() ? 1'000'000 : 50'000};
    ppoll(&line, 1, &wait, nullptr);
    if ((line.revents & POLLHUP) != 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

bool FakeBoard::Noisy(uint8_t& byte) {
  if (options_.noise == 0 || random_() % 1'000'000 >= options_.noise) return true;
  byte ^= static_cast<uint8_t>(1 << random_() % 8);
  return random_() % 2 == 0;  // if false, the byte is lost
}

void FakeBoard::Io() {
  uint8_t bytes[4096];
  const bool cut = bytes_up_ >= options_.cut_after;
  if (reset_.exchange(false)) end_.Reset();
  for (ssize_t got; (got = read(master_, bytes, sizeof bytes)) > 0;) {
    for (ssize_t i = 0; i < got; ++i)
      if (!cut && Noisy(bytes[i])) end_.Receive(bytes[i]);
  }
  for (Bytes payload; !(payload = end_.TakeFrame()).empty();)
    stream_.insert(stream_.end(), payload.begin(), payload.end());
  if (end_.hellos() == hellos_) TakeMessages();
  for (;;) {
    if (line_.empty()) {
      for (uint8_t byte : end_.Pull(NowNs())) {
        if (options_.mute) byte = static_cast<uint8_t>(random_() | 1);
        if (Noisy(byte)) line_.push_back(byte);
      }
    }
    if (line_.empty()) break;
    if (cut) {
      line_.clear();
      break;
    }
    const ssize_t put = write(master_, line_.data(), line_.size());
    if (put <= 0) break;
    bytes_up_ += static_cast<uint64_t>(put);
    line_.erase(line_.begin(), line_.begin() + put);
  }
  if (!end_.violation().empty()) Violated(end_.violation());
}

/// Starts a session: a hello frame resets the GPU and the whole link state.
void FakeBoard::Session() {
  if (end_.hellos() == hellos_) return;
  hellos_ = end_.hellos();
  requests_.clear();
  stream_.clear();
  completed_.clear();
  held_bytes_ = 0;
  busy_ = false;
  began_ns_ = NowNs();
  for (uint8_t index : {5, 16, 17}) WriteBoard(index, 0);
  gpu_->Reset();
}

// ---- messages down

void FakeBoard::TakeMessages() {
  while (TakeMessage()) {}
}

bool FakeBoard::TakeMessage() {
  if (stream_.empty()) return false;
  size_t size = 0;
  switch (stream_[0]) {
    case 0x11: size = 12; break;
    case 0x12: size = 3; break;
    case 0x13: size = stream_.size() < 6 ? 7 : 7 + 8 * size_t{stream_[5]}; break;
    case 0x14: size = 6; break;
    case 0x15: size = 10; break;
    case 0x16: size = 2; break;
    case 0x17: size = stream_.size() < 5 ? 5 : 5 + (stream_[4] == 0 ? 8 * (size_t{stream_[3]} + 1) : 0); break;
    default: Violated("message of kind " + std::to_string(stream_[0])); return false;
  }
  if (stream_.size() < size) return false;
  const Bytes message(stream_.begin(), stream_.begin() + static_cast<ptrdiff_t>(size));
  stream_.erase(stream_.begin(), stream_.begin() + static_cast<ptrdiff_t>(size));
  if (message[0] == 0x17) {
    completed_[static_cast<uint16_t>(Number(message, 1, 2))] = {message[4] == 0,
                                                                Bytes(message.begin() + 5, message.end())};
    return true;
  }
  held_bytes_ += size;
  if (held_bytes_ > kRequestMemory) Violated("the host sent requests without room");
  requests_.push_back(message);
  return true;
}

void FakeBoard::DoRequests() {
  while (!busy_ && !requests_.empty()) {
    const Bytes request = requests_.front();
    requests_.pop_front();
    held_bytes_ -= request.size();
    Bytes room = {0x04};
    Put(room, request.size(), 2);
    end_.Send(room);
    Do(request);
  }
}

void FakeBoard::Do(const Bytes& request) {
  twin::GpuAccess access;
  access.write = request[0] == 0x11 || request[0] == 0x13;
  const bool window = request[0] == 0x13 || request[0] == 0x14;
  access.target = window ? twin::GpuAccess::Target::kWindow : twin::GpuAccess::Target::kRegisters;
  if (request[0] == 0x15) return WriteBoard(request[1], Number(request, 2, 8));
  if (request[0] == 0x16) return Answer({ReadBoard(request[1])}, true);
  access.offset = Number(request, 1, window ? 4 : 2) & ~(window ? options_.stuck_address : 0);
  const unsigned words = window ? request[5] : 1;
  if (words == 0 || words > 32 || access.offset % 8 != 0) Violated("a window access of " + std::to_string(words));
  if (!access.write) {
    access.data.resize(8 * words);
    return Access(std::move(access), words);
  }
  if (window && access.offset >= options_.bad_from) return;
  const unsigned strobes = request[window ? 6 : 3];
  const size_t from = window ? 7 : 4;
  unsigned lane = 0, bytes = 0;
  while (lane < 8 && (strobes >> lane & 1) == 0) ++lane;
  while (lane + bytes < 8 && (strobes >> (lane + bytes) & 1) != 0) ++bytes;
  access.offset += lane;
  access.data.assign(request.begin() + static_cast<ptrdiff_t>(from + lane),
                     strobes == 0xFF ? request.end() : request.begin() + static_cast<ptrdiff_t>(from + lane + bytes));
  Access(std::move(access), 0);
}

/// Passes an access to the GPU; later accesses wait until it has completed. With `words` = 0, the host gets no
/// response.
void FakeBoard::Access(twin::GpuAccess access, unsigned words) {
  busy_ = true;
  const bool window = access.target == twin::GpuAccess::Target::kWindow;
  access.done = [this, words, window](bool ok, const std::vector<uint8_t>& data) {
    busy_ = false;
    if (words == 0) return;
    std::vector<uint64_t> values(words);
    std::memcpy(values.data(), data.data(), 8 * words);
    if (window)
      for (uint64_t& value : values) value |= options_.stuck_data;
    Answer(values, ok);
  };
  gpu_->Push(std::move(access));
}

void FakeBoard::Answer(const std::vector<uint64_t>& words, bool ok) {
  Bytes answer = {0x03, static_cast<uint8_t>(words.size()), static_cast<uint8_t>(ok ? 0 : 2)};
  for (const uint64_t word : words) Put(answer, word, 8);
  end_.Send(answer);
}

// ---- board registers

void FakeBoard::ConfigWrite(uint32_t offset, unsigned size, uint32_t value) {
  twin::GpuAccess access;
  access.target = twin::GpuAccess::Target::kConfig;
  access.write = true;
  access.offset = offset;
  access.data.resize(size);
  std::memcpy(access.data.data(), &value, size);
  gpu_->Push(std::move(access));
}

void FakeBoard::WriteBoard(uint8_t index, uint64_t value) {
  if (index == 11) {  // the key of VRAM: a new key changes the contents, as D3 does
    if (value != vram_key_) ConfigWrite(ConfigSpace::kPower + 4, 2, 3), ConfigWrite(ConfigSpace::kPower + 4, 2, 0);
    vram_key_ = value;
  } else if (index == 16) {
    message_[0] = value;
    ConfigWrite(ConfigSpace::kMsi + 4, 4, static_cast<uint32_t>(value));
    ConfigWrite(ConfigSpace::kMsi + 8, 4, static_cast<uint32_t>(value >> 32));
  } else if (index == 17) {
    message_[1] = value;
    ConfigWrite(ConfigSpace::kMsi + 12, 2, static_cast<uint16_t>(value));
    ConfigWrite(ConfigSpace::kMsi + 2, 2, 0x80 | (value >> 32 & 1));
  } else if (index == 5) {
    control_ = value & ~uint64_t{8};
    ConfigWrite(0x04, 2, value & 1 ? 4 : 0);
    gpu_->Silence((value >> 2 & 1) != 0);
    if ((value >> 3 & 1) != 0) gpu_->Reset();
  }
}

uint64_t FakeBoard::ReadBoard(uint8_t index) {
  uint64_t identity = uint64_t{options_.version} << 56;
  for (size_t i = 0; i < 7; ++i) identity |= static_cast<uint64_t>(options_.identity[i]) << 8 * i;
  uint64_t name = 0;
  for (size_t i = 0; i < 4; ++i) name |= static_cast<uint64_t>("fake"[i]) << 8 * i;
  switch (index) {
    case 0: return identity;
    case 1: return 0x8877'6655'4433'2211;
    case 2: return options_.config.gpu.clock_mhz * 1'000'000 | uint64_t{3'000'000} << 32;
    case 3: return options_.config.gpu.vram_bytes();
    case 4: return (NowNs() - began_ns_) * options_.config.gpu.clock_mhz / 1'000;
    case 5: return control_;
    case 8: return (gpu_->idle() ? 4u : 0u) | (options_.vram_ready ? 16u : 0u);
    case 9: return end_.damaged() & 0xFFFF;
    case 10: return name;
    case 11: return vram_key_;
    case 16:
    case 17: return message_[index - 16];
    default: return 0;
  }
}

// ---- the GPU's accesses to host memory

bool FakeBoard::Read(uint16_t, uint64_t logical, void* to, size_t size, bool snoop) {
  const unsigned session = hellos_;
  auto* bytes = static_cast<uint8_t*>(to);
  while (size > 0) {
    const uint64_t lead = logical % 8;
    const size_t piece = std::min<size_t>(size, 2'048 - lead);
    const auto beats = static_cast<unsigned>((lead + piece + 7) / 8);
    const uint16_t id = next_id_++;
    Bytes read = {0x01};
    Put(read, id, 2);
    Put(read, snoop ? 0 : 1u << 23, 4);
    Put(read, logical, 6);
    Put(read, beats - 1, 1);
    end_.Send(read);
    while (completed_.count(id) == 0) {
      pollfd line = {master_, POLLIN, 0};
      timespec wait = {0, 500'000};
      Io();
      if (completed_.count(id) != 0) break;
      if (stop_ || end_.hellos() != session || end_.session() == 0) throw Stopped();
      ppoll(&line, 1, &wait, nullptr);
    }
    const Completed done = completed_[id];
    completed_.erase(id);
    if (!done.ok) return false;
    if (done.data.size() != 8 * beats) Violated("a read brought another number of beats");
    std::memcpy(bytes, done.data.data() + lead, piece);
    logical += piece, bytes += piece, size -= piece;
  }
  return true;
}

void FakeBoard::Write(uint16_t, uint64_t logical, const void* from, size_t size, bool snoop) {
  const auto* bytes = static_cast<const uint8_t*>(from);
  while (size > 0) {
    const uint64_t lead = logical % 8;
    const size_t piece = std::min<size_t>(size, 2'048 - lead);
    const auto beats = static_cast<unsigned>((lead + piece + 7) / 8);
    const bool strobed = (lead + piece) % 8 != 0;
    const bool message = logical >= kMessages && logical < kMessagesEnd;
    Bytes write = {0x02};
    Put(write, (message ? 2 : 0) | (snoop ? 0 : 1u << 23), 4);
    Put(write, logical, 6);
    Put(write, beats - 1, 1);
    Put(write, strobed ? 1 : 0, 1);
    for (uint64_t at = 0; at < 8 * uint64_t{beats}; at += 8) {
      uint8_t strobes = 0;
      Bytes word(8, 0xEE);  // bytes without a strobe have this value
      for (uint64_t i = at; i < at + 8; ++i) {
        if (i < lead || i >= lead + piece) continue;
        strobes |= static_cast<uint8_t>(1 << (i - at));
        word[i - at] = bytes[i - lead];
      }
      if (strobed) write.push_back(strobes);
      write.insert(write.end(), word.begin(), word.end());
    }
    end_.Send(write);
    logical += piece, bytes += piece, size -= piece;
  }
}

}  // namespace gmmu::sim::board
