// SPDX-License-Identifier: Apache-2.0
#include "trace/file_source.h"

#include <fmt/format.h>
#include <zstd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "trace/error.h"
#include "trace/frame.h"

namespace gmmu::trace {

struct FileSource::File {
  std::FILE* file = nullptr;
  ZSTD_DCtx* context = ZSTD_createDCtx();
  std::array<char, 65536> bytes;
  size_t size = 0, at = 0;  // number of bytes in `bytes`; read position in `bytes`
  uint64_t before = 0;      // offset of `bytes` in the file

  ~File() {
    if (file != nullptr) std::fclose(file);
    ZSTD_freeDCtx(context);
  }
  /// True if there is a next byte. Reads more of the file if necessary.
  bool More() {
    if (at < size) return true;
    before += size;
    at = 0;
    size = std::fread(bytes.data(), 1, bytes.size(), file);
    return size != 0;
  }
  uint64_t Offset() const { return before + at; }
  /// Reads the next `most` bytes of the file. Returns fewer at the end of the file.
  std::string Take(size_t most) {
    std::string taken;
    while (taken.size() < most && More()) taken += bytes[at++];
    return taken;
  }
};

FileSource::FileSource(const std::string& path) : path_(path), file_(std::make_unique<File>()), unpacked_(kMaxFrame) {
  file_->file = std::fopen(path.c_str(), "rb");
  if (file_->file == nullptr) throw TraceError(path + ": cannot be opened: " + std::strerror(errno));
  std::string text;
  const auto ended = [&] { return text.size() >= 2 && text.compare(text.size() - 2, 2, "\n\n") == 0; };
  while (!ended() && text.size() < kMaxHeader && file_->More()) text += file_->Take(1);
  if (std::ferror(file_->file)) throw TraceError(path + ": cannot be read: " + std::strerror(errno));
  if (text.empty()) throw TraceError(path + ": is empty");
  if (!ended() && text.rfind("gmmu-trace ", 0) == 0) {
    if (text.find('\r') != std::string::npos) ParseHeader(text, path);  // throws for that line
    throw TraceError(path + ": ends in its header, or has no empty line behind it");
  }
  header_ = ParseHeader(text, path);
  if (Frame() != kHeaderFrame || frame_.substr(1) != text) {
    throw TraceError(path + ": the header is not the one that the trace was written with; it was changed or damaged");
  }
}

FileSource::~FileSource() = default;

void FileSource::Fail(const std::string& what) const {
  throw TraceError(fmt::format("{}: record {}, frame at offset {}: {}", path_, count_, offset_, what));
}

char FileSource::Frame() {
  offset_ = file_->Offset();
  ZSTD_DCtx_reset(file_->context, ZSTD_reset_session_only);
  ZSTD_outBuffer out{unpacked_.data(), unpacked_.size(), 0};
  // RFC 8878, 3.1.1.1.1: the byte after the magic number is the frame header descriptor. Its bit 2
  // means that a checksum follows.
  const std::string begin = file_->Take(sizeof(uint32_t) + 1);
  ZSTD_inBuffer first{begin.data(), begin.size(), 0};
  size_t left = begin.empty() ? 1 : ZSTD_decompressStream(file_->context, &out, &first);
  if (ZSTD_isError(left)) Fail(std::string("the frame is damaged: ") + ZSTD_getErrorName(left));
  if (begin.size() > sizeof(uint32_t) && (begin.back() & 4) == 0) {
    Fail(
        "the frame has no checksum of its content, which every frame of a trace has; was it packed by another "
        "program?");
  }
  while (left != 0) {
    if (!file_->More()) {
      if (std::ferror(file_->file)) Fail(std::string("cannot be read: ") + std::strerror(errno));
      Fail(file_->Offset() == offset_ ? "the file ends before the trace does; it is not complete"
                                      : "the file ends in the middle of this frame; it is not complete");
    }
    ZSTD_inBuffer in{file_->bytes.data(), file_->size, file_->at};
    left = ZSTD_decompressStream(file_->context, &out, &in);
    file_->at = in.pos;
    if (ZSTD_isError(left)) Fail(std::string("the frame is damaged: ") + ZSTD_getErrorName(left));
    if (left != 0 && out.pos == out.size)
      Fail(fmt::format("the frame has more than {} bytes; it is damaged", kMaxFrame));
  }
  frame_ = std::string_view(unpacked_.data(), out.pos);
  at_ = 1;
  if (frame_.empty()) Fail("the frame is empty; it is damaged");
  return frame_[0];
}

uint64_t FileSource::Number(const char* what) {
  uint64_t value = 0;
  for (unsigned shift = 0; shift < 64 && at_ < frame_.size(); shift += 7) {
    const uint8_t byte = static_cast<uint8_t>(frame_[at_++]);
    if (shift == 63 && byte > 1) break;
    value |= uint64_t{byte & 0x7fu} << shift;
    if (byte < 0x80) return value;
  }
  Fail(fmt::format("{} is no number of at most 64 bits", what));
}

void FileSource::NextFrame() {
  const char type = Frame();
  if (type == kEndFrame) return End();
  if (type != kRecordFrame) Fail(fmt::format("a frame of type {:#x} is not known", static_cast<uint8_t>(type)));
  const uint64_t first = Number("the first record");
  if (first != count_) Fail(fmt::format("the frame begins with record {}: a frame is missing or stands twice", first));
  left_ = Number("the count of records");
  if (left_ == 0 || left_ > kFrameRecords)
    Fail(fmt::format("{} records in a frame, not 1 to {}", left_, kFrameRecords));
  last_ = Access{};
}

void FileSource::End() {
  if (Number("the count") != count_) Fail("the end states another count than there are records");
  for (const uint64_t kind : kinds_) {
    if (Number("a count by kind") != kind) Fail("the end states other counts of reads, writes and executions");
  }
  if (at_ != frame_.size()) Fail("bytes behind the end's counts");
  if (header_.count && *header_.count != count_) {
    Fail(fmt::format("the header states {} accesses, and there are {}", *header_.count, count_));
  }
  if (file_->More()) {
    Fail(
        fmt::format("bytes behind the end of the trace, at offset {}: a second trace, perhaps of another unit? "
                    "One file has one",
                    file_->Offset()));
  }
  ended_ = true;
}

std::optional<Access> FileSource::Next() {
  while (left_ == 0 && !ended_) NextFrame();
  if (ended_) return std::nullopt;
  if (at_ == frame_.size()) Fail("the frame has fewer records than it states");
  const uint8_t flags = static_cast<uint8_t>(frame_[at_++]);
  if ((flags & kReserved) != 0 || (flags & kKindMask) > static_cast<uint8_t>(Kind::kExecute)) {
    Fail(fmt::format("{:#x} begins no record", flags));
  }
  const auto bounded = [&](const char* what, uint64_t max) {
    const uint64_t number = Number(what);
    if (number > max) Fail(fmt::format("{} is {}, more than {}", what, number, max));
    return static_cast<uint32_t>(number);
  };
  if (flags & kNewStream) last_.stream = bounded("the stream", kMaxStreams - 1);
  if (flags & kNewBytes) last_.bytes = bounded("the size", kMaxBytes / header_.unit);
  const uint64_t cycles = flags & kHasCycles ? Number("the cycles") : 0;
  const uint64_t before = last_.cycles;
  last_.cycles = header_.loop == Loop::kOpen ? before + cycles : cycles;
  if (header_.loop == Loop::kOpen) {
    if (last_.cycles < before) Fail("the cycle of arrival has more than 64 bits");
    if (last_.cycles < arrived_) Fail(fmt::format("it arrives at cycle {}, before the last one", last_.cycles));
    arrived_ = last_.cycles;
  }
  last_.address += UnZigZag(Number("the address"));
  last_.kind = static_cast<Kind>(flags & kKindMask);
  Access access = last_;
  if (header_.unit > 1 && last_.address > ~uint64_t{0} / header_.unit) Fail("the address has more than 64 bits");
  access.address *= header_.unit;
  access.bytes *= header_.unit;
  if (const std::string wrong = Wrong(access, header_); !wrong.empty()) Fail(wrong);
  ++kinds_[flags & kKindMask];
  ++count_;
  if (--left_ == 0 && at_ != frame_.size()) Fail("the frame has bytes behind its last record");
  return access;
}

}  // namespace gmmu::trace
