// SPDX-License-Identifier: Apache-2.0
#include "trace/writer.h"

#include <fmt/format.h>
#include <zstd.h>

#include <utility>

#include "trace/error.h"
#include "trace/frame.h"

namespace gmmu::trace {

struct Writer::Zstd {
  ZSTD_CCtx* context = ZSTD_createCCtx();
  std::string out;
  Zstd() {
    ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, 3);
    ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
  }
  ~Zstd() { ZSTD_freeCCtx(context); }
};

Writer::Writer(const Header& header, const std::string& path, Sink sink)
    : header_(header), path_(path), sink_(std::move(sink)), zstd_(std::make_unique<Zstd>()) {
  const std::string text = ToText(header_);
  if (text.size() > kMaxHeader)
    throw TraceError(path_ + ": name and provenance are too long for the header of a trace");
  sink_(text.data(), text.size());
  Frame(kHeaderFrame, text);
}

Writer::~Writer() = default;

void Writer::Frame(char type, const std::string& content) {
  std::string bytes(1, type);
  bytes += content;
  zstd_->out.resize(ZSTD_compressBound(bytes.size()));
  const size_t size = ZSTD_compress2(zstd_->context, zstd_->out.data(), zstd_->out.size(), bytes.data(), bytes.size());
  if (ZSTD_isError(size)) throw TraceError(path_ + ": zstd: " + ZSTD_getErrorName(size));
  sink_(zstd_->out.data(), size);
}

void Writer::Flush() {
  if (records_.empty()) return;
  std::string content;
  PutNumber(content, first_);
  PutNumber(content, count_ - first_);
  content += records_;
  Frame(kRecordFrame, content);
  records_.clear();
  first_ = count_;
}

void Writer::Add(const Access& access) {
  if (const std::string wrong = Wrong(access, header_); !wrong.empty()) {
    throw TraceError(fmt::format("{}: record {}: {}", path_, count_, wrong));
  }
  if (header_.loop == Loop::kOpen && access.cycles < arrived_) {
    throw TraceError(fmt::format("{}: record {}: arrives at cycle {}, before the last one at cycle {}", path_, count_,
                                 access.cycles, arrived_));
  }
  if (records_.empty()) last_ = Access{};  // deltas restart, so each frame can be decoded alone
  const uint64_t cycles = header_.loop == Loop::kOpen ? access.cycles - last_.cycles : access.cycles;
  const uint64_t address = access.address / header_.unit;
  const uint32_t bytes = access.bytes / header_.unit;
  uint8_t flags = static_cast<uint8_t>(access.kind);
  if (access.stream != last_.stream) flags |= kNewStream;
  if (bytes != last_.bytes) flags |= kNewBytes;
  if (cycles != 0) flags |= kHasCycles;
  records_ += static_cast<char>(flags);
  if (flags & kNewStream) PutNumber(records_, access.stream);
  if (flags & kNewBytes) PutNumber(records_, bytes);
  if (flags & kHasCycles) PutNumber(records_, cycles);
  PutNumber(records_, ZigZag(address - last_.address));
  last_ = access;
  last_.address = address;
  last_.bytes = bytes;
  if (header_.loop == Loop::kOpen) arrived_ = access.cycles;
  ++kinds_[static_cast<size_t>(access.kind)];
  ++count_;
  if (count_ - first_ == kFrameRecords) Flush();
}

void Writer::Finish() {
  Flush();
  if (header_.count && *header_.count != count_) {
    throw TraceError(fmt::format("{}: {} accesses were written, but {} were announced", path_, count_, *header_.count));
  }
  std::string content;
  PutNumber(content, count_);
  for (const uint64_t kind : kinds_) PutNumber(content, kind);
  Frame(kEndFrame, content);
}

}  // namespace gmmu::trace
