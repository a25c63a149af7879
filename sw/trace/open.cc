// SPDX-License-Identifier: Apache-2.0
#include "trace/open.h"

#include <fmt/format.h>

#include <utility>

#include "trace/error.h"
#include "trace/file_source.h"
#include "trace/generate.h"

namespace gmmu::trace {
namespace {

/// Rejects accesses outside the address space of the replay, which may be smaller than the recorded
/// one.
class Narrow : public Source {
 public:
  Narrow(std::unique_ptr<Source> source, const Header& header, const std::string& path)
      : source_(std::move(source)), header_(header), path_(path) {}
  std::optional<Access> Next() override {
    const std::optional<Access> access = source_->Next();
    if (access) {
      if (const std::string wrong = Wrong(*access, header_); !wrong.empty()) {
        throw TraceError(fmt::format("{}: record {}: {}", path_, count_, wrong));
      }
    }
    ++count_;
    return access;
  }

 private:
  std::unique_ptr<Source> source_;
  const Header header_;
  const std::string path_;
  uint64_t count_ = 0;
};

}  // namespace

Workload Open(const std::string& what, uint64_t seed, unsigned address_bits) {
  if (what.rfind("gen:", 0) == 0) return Generate(what, seed, address_bits);
  auto file = std::make_unique<FileSource>(what);
  Workload workload{file->header(), nullptr};
  if (address_bits >= workload.header.address_bits) {
    workload.source = std::move(file);
  } else {
    workload.header.address_bits = address_bits;
    workload.source = std::make_unique<Narrow>(std::move(file), workload.header, what);
  }
  return workload;
}

}  // namespace gmmu::trace
