// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "trace/import.h"
#include "trace/number.h"
#include "trace/queue_source.h"

namespace gmmu::trace {
namespace {

/// Parses lines "I  address,size", " L address,size", " S ..." and " M ..." (a load and a store of
/// the same bytes). Addresses are hexadecimal, sizes decimal. Valgrind's own lines start with == or
/// --.
class Lackey : public QueueSource {
 public:
  Lackey(const std::string& path, const Header& header, bool fetches, Input::Watch watch)
      : input_(path, std::move(watch)), header_(header), fetches_(fetches) {}

 protected:
  bool Fill(std::vector<Access>& queue) override {
    if (!input_.Line(line_)) {
      if (banner_ && !end_) {
        throw TraceError(
            fmt::format("{}:{}: ends in the middle: valgrind's line \"Exit code\" is missing (it also is with "
                        "--basic-counts=no)",
                        input_.path(), input_.line()));
      }
      if (!any_) throw TraceError(input_.path() + ": has no access; was it made with --trace-mem=yes?");
      return false;
    }
    if (Words(line_).empty()) return true;
    if (line_.rfind("==", 0) == 0 || line_.rfind("--", 0) == 0) {
      banner_ = banner_ || line_.find("Lackey") != std::string::npos;
      end_ = end_ || line_.find("Exit code:") != std::string::npos;
      return true;
    }
    const char kind = line_.size() < 3 ? '?' : line_[0] == ' ' ? line_[1] : line_[0];
    const size_t comma = line_.find(',');
    if (line_.size() < 5 || line_[2] != ' ' || comma == std::string::npos ||
        std::string_view("ILSM").find(kind) == std::string_view::npos) {
      throw input_.Wrong(Quoted(line_) +
                         " is no line of lackey; if the program's own output is in the file, run valgrind with "
                         "--log-file=FILE");
    }
    const size_t begin = line_.find_first_not_of(' ', 2);
    const auto address = ParseHex(std::string_view(line_).substr(begin, comma - begin));
    const auto bytes = ParseNumber(std::string_view(line_).substr(comma + 1));
    if (!address || !bytes) throw input_.Wrong(Quoted(line_) + " has no address,size");
    if (*bytes > kMaxBytes) {
      throw input_.Wrong(fmt::format("{} has {} bytes; an access has at most {}", Quoted(line_), *bytes, kMaxBytes));
    }
    any_ = true;
    if (kind == 'I' && !fetches_) {
      ++cycles_;
      return true;
    }
    Access access{*address, static_cast<uint32_t>(*bytes), Kind::kRead, 0, cycles_};
    cycles_ = 0;
    if (kind == 'I') access.kind = Kind::kExecute;
    if (kind == 'S') access.kind = Kind::kWrite;
    if (const std::string wrong = Wrong(access, header_); !wrong.empty()) throw input_.Wrong(wrong);
    queue.push_back(access);
    if (kind == 'M') {
      access.kind = Kind::kWrite;
      access.cycles = 0;
      queue.push_back(access);
    }
    return true;
  }

 private:
  Input input_;
  const Header header_;
  const bool fetches_;
  std::string line_;
  uint64_t cycles_ = 0;  // instructions since the last access
  bool banner_ = false, end_ = false, any_ = false;
};

}  // namespace

std::unique_ptr<Source> ReadLackey(const std::string& path, const Header& header, const ImportOptions& options,
                                   Input::Watch watch) {
  return std::make_unique<Lackey>(path, header, options.fetches, std::move(watch));
}

}  // namespace gmmu::trace
