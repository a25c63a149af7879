// SPDX-License-Identifier: Apache-2.0
#include "trace/generate.h"

#include <fmt/format.h>

#include <algorithm>

#include "trace/error.h"

namespace gmmu::trace {
namespace {

/// Adds cycles of computation, or arrival cycles, to the accesses of a generator.
class Timed : public Source {
 public:
  Timed(std::unique_ptr<Source> source, const Header& header, uint64_t compute, uint64_t period)
      : source_(std::move(source)), header_(header), compute_(compute), period_(period) {}

  std::optional<Access> Next() override {
    std::optional<Access> access = source_->Next();
    if (!access) return access;
    access->cycles = period_ != 0 ? arrival_ : compute_;
    arrival_ += period_;
    if (const std::string wrong = Wrong(*access, header_); !wrong.empty()) {
      throw TraceError(fmt::format("{}: {}", header_.provenance, wrong));
    }
    return access;
  }

 private:
  std::unique_ptr<Source> source_;
  const Header header_;
  const uint64_t compute_, period_;
  uint64_t arrival_ = 0;
};

}  // namespace

void Span(std::vector<Access>& list, uint64_t address, uint64_t bytes, uint64_t line, Kind kind, uint64_t stream) {
  while (bytes != 0) {
    const uint64_t size = std::min(bytes, line - address % line);
    list.push_back({address, static_cast<uint32_t>(size), kind, static_cast<uint32_t>(stream), 0});
    address += size;
    bytes -= size;
  }
}

const std::vector<ParameterRule>& CommonRules() {
  static const std::vector<ParameterRule> kRules = {
      {"base", 256 << 20, "bytes", 0, uint64_t{1} << 62, "address of the first array, a multiple of 2 MiB"},
      {"compute", 0, "cycles", 0, 1 << 20, "computing before each access of a stream (closed loop)"},
      {"period", 0, "cycles", 0, 1 << 20, "between two arrivals of all streams together; 0: closed loop"},
      {"seed", 0, "number", 0, ~uint64_t{0}, "of chance; that of the command unless given"}};
  return kRules;
}

const std::vector<Generator>& Generators() {
  static const std::vector<Generator> kGenerators = [] {
    std::vector<Generator> all = Patterns();
    for (auto* more : {Kernels, SparseKernels}) {
      for (Generator& generator : more()) all.push_back(std::move(generator));
    }
    for (Generator& generator : all) {
      generator.rules.insert(generator.rules.end(), CommonRules().begin(), CommonRules().end());
    }
    return all;
  }();
  return kGenerators;
}

Workload Generate(const std::string& spec, uint64_t seed, unsigned address_bits) {
  const size_t comma = std::min(spec.find(','), spec.size());
  const std::string name = spec.substr(4, comma - 4);
  const auto found = std::find_if(Generators().begin(), Generators().end(),
                                  [&](const Generator& one) { return one.name == name; });
  if (found == Generators().end()) {
    std::string names;
    for (const Generator& one : Generators()) names += (names.empty() ? "" : ", ") + one.name;
    throw TraceError(fmt::format("{}: there is no generator \"{}\"; there are {}", spec, name, names));
  }
  Parameters parameters(name, comma == spec.size() ? "" : spec.substr(comma + 1), found->rules);
  if (comma + 1 == spec.size()) parameters.Refuse("ends in a comma");
  if (!parameters.given("seed")) parameters.Set("seed", seed);
  if (parameters["base"] % (2 << 20) != 0) parameters.Refuse("base is not a multiple of 2 MiB");
  if (parameters["compute"] != 0 && parameters["period"] != 0) {
    parameters.Refuse("compute is of a closed loop, period of an open one: give one of them");
  }
  Generated generated = found->make(parameters);
  Workload workload;
  Header& header = workload.header;
  header.name = name;
  header.provenance = parameters.Spec();
  header.address_bits = std::min(48u, address_bits);
  header.loop = parameters["period"] != 0 ? Loop::kOpen : Loop::kClosed;
  header.window = generated.window;
  header.count = generated.count;
  if (generated.window != 0 && header.loop == Loop::kOpen) {
    parameters.Refuse("each access depends on the one before: it has no period");
  }
  if ((generated.end - 1) >> header.address_bits != 0) {
    parameters.Refuse(
        fmt::format("ends at {:#x}, beyond the address space of {} bits; a smaller base or footprint fits",
                    generated.end, header.address_bits));
  }
  workload.source = std::make_unique<Timed>(std::move(generated.source), header, parameters["compute"],
                                            parameters["period"]);
  return workload;
}

}  // namespace gmmu::trace
