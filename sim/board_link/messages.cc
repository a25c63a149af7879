// SPDX-License-Identifier: Apache-2.0
#include "board_link/messages.h"

#include <fmt/format.h>

namespace gmmu::sim::board {
namespace {

constexpr uint8_t kReadHost = 0x01, kWriteHost = 0x02, kAnswer = 0x03, kRoom = 0x04;
constexpr uint8_t kWriteRegister = 0x11, kReadRegister = 0x12, kWriteWindow = 0x13, kReadWindow = 0x14;
constexpr uint8_t kWriteBoard = 0x15, kReadBoard = 0x16, kCompletion = 0x17;
constexpr uint8_t kOkay = 0, kError = 2;
constexpr size_t kWord = 8;

/// Reads fields from a stream; `ok` becomes false if the stream is too short.
struct Fields {
  const Bytes& bytes;
  size_t at;
  bool ok = true;

  bool Has(size_t size) { return ok = ok && size <= bytes.size() - at; }
  uint64_t Number(size_t size) {
    if (!Has(size)) return 0;
    uint64_t value = 0;
    for (size_t i = 0; i < size; ++i) value |= uint64_t{bytes[at++]} << 8 * i;
    return value;
  }
};

void Put(Bytes& to, uint64_t value, size_t size) {
  for (size_t i = 0; i < size; ++i) to.push_back(static_cast<uint8_t>(value >> 8 * i));
}

HostRead TakeRead(Fields& in) {
  HostRead read;
  read.id = static_cast<uint16_t>(in.Number(2));
  read.user.raw = static_cast<uint32_t>(in.Number(4));
  read.address = in.Number(6);
  read.beats = static_cast<unsigned>(in.Number(1)) + 1;
  return read;
}

HostWrite TakeWrite(Fields& in) {
  HostWrite write;
  write.user.raw = static_cast<uint32_t>(in.Number(4));
  write.address = in.Number(6);
  write.beats = static_cast<unsigned>(in.Number(1)) + 1;
  const uint64_t form = in.Number(1);
  if (form > 1)
    throw MessageError(fmt::format("a write of host memory of form {}, which the protocol does not have", form));
  if (!in.Has(write.beats * (kWord + form))) return write;
  for (unsigned beat = 0; beat < write.beats; ++beat) {
    const auto all = static_cast<uint8_t>(beat == 0 ? 0xFF << write.address % kWord : 0xFF);
    write.strobes.push_back(form == 0 ? all : in.bytes[in.at++]);
    const auto from = in.bytes.begin() + static_cast<ptrdiff_t>(in.at);
    write.data.insert(write.data.end(), from, from + kWord);
    in.at += kWord;
  }
  return write;
}

CpuAnswer TakeAnswer(Fields& in) {
  CpuAnswer answer;
  const uint64_t words = in.Number(1);
  answer.ok = in.Number(1) == kOkay;
  if (in.Has(words * kWord))
    for (uint64_t i = 0; i < words; ++i) answer.words.push_back(in.Number(kWord));
  return answer;
}

}  // namespace

void UpReader::Add(const Bytes& bytes) {
  bytes_.erase(bytes_.begin(), bytes_.begin() + static_cast<ptrdiff_t>(at_));
  at_ = 0;
  bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
}

std::optional<UpMessage> UpReader::Next() {
  if (at_ == bytes_.size()) return std::nullopt;
  Fields in{bytes_, at_ + 1};
  UpMessage message;
  switch (bytes_[at_]) {
    case kReadHost: message = TakeRead(in); break;
    case kWriteHost: message = TakeWrite(in); break;
    case kAnswer: message = TakeAnswer(in); break;
    case kRoom: message = RequestRoom{static_cast<size_t>(in.Number(2))}; break;
    default:
      throw MessageError(
          fmt::format("a message of kind {:#x} from the board, which the protocol does not have", bytes_[at_]));
  }
  if (!in.ok) return std::nullopt;
  at_ = in.at;
  return message;
}

Bytes WriteRegister(uint32_t offset, uint8_t strobes, uint64_t value) {
  Bytes m = {kWriteRegister};
  Put(m, offset, 2);
  Put(m, strobes, 1);
  Put(m, value, kWord);
  return m;
}

Bytes ReadRegister(uint32_t offset) {
  Bytes m = {kReadRegister};
  Put(m, offset, 2);
  return m;
}

Bytes WriteWindow(uint32_t offset, uint8_t strobes, const uint64_t* words, unsigned count) {
  Bytes m = {kWriteWindow};
  Put(m, offset, 4);
  Put(m, count, 1);
  Put(m, strobes, 1);
  for (unsigned i = 0; i < count; ++i) Put(m, words[i], kWord);
  return m;
}

Bytes ReadWindow(uint32_t offset, unsigned count) {
  Bytes m = {kReadWindow};
  Put(m, offset, 4);
  Put(m, count, 1);
  return m;
}

Bytes WriteBoard(uint8_t index, uint64_t value) {
  Bytes m = {kWriteBoard, index};
  Put(m, value, kWord);
  return m;
}

Bytes ReadBoard(uint8_t index) { return {kReadBoard, index}; }

Bytes Completion(uint16_t id, unsigned beats, bool ok, const Bytes& data) {
  Bytes m = {kCompletion};
  Put(m, id, 2);
  Put(m, beats - 1, 1);
  Put(m, ok ? kOkay : kError, 1);
  if (ok) m.insert(m.end(), data.begin(), data.end());
  return m;
}

void RequestCredit::Give(size_t bytes) {
  if (bytes > kRequestBytes - left_)
    throw MessageError(fmt::format("the board gives back room for {} bytes of requests, of {} that it was sent", bytes,
                                   kRequestBytes - left_));
  left_ += bytes;
}

}  // namespace gmmu::sim::board
