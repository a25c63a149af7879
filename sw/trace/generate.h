// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "trace/open.h"
#include "trace/parameters.h"

namespace gmmu::trace {

/// What a generator creates from its parameters.
struct Generated {
  std::unique_ptr<Source> source;  ///< its accesses have `cycles` 0
  uint64_t end = 0;                ///< one past the last byte that the source may access
  std::optional<uint64_t> count;
  uint32_t window = 0;  ///< as Header::window
};

/// Creates a generator whose constructor reads the parameters and sets `end`.
template <typename Kernel>
Generated Make(const Parameters& parameters) {
  auto kernel = std::make_unique<Kernel>(parameters);
  const uint64_t end = kernel->end;
  return {std::move(kernel), end, std::nullopt, 0};
}

struct Generator {
  std::string name;
  std::string text;     ///< describes the order of its accesses
  std::string follows;  ///< the paper, benchmark or textbook from which the order is taken
  std::vector<ParameterRule> rules;
  std::function<Generated(const Parameters& parameters)> make;
};

/// Each of the first three functions returns the generators of one source file; Generators()
/// returns all of them.
std::vector<Generator> Patterns();
std::vector<Generator> Kernels();
std::vector<Generator> SparseKernels();
const std::vector<Generator>& Generators();
/// Parameters common to all generators.
const std::vector<ParameterRule>& CommonRules();

/// `spec` is `gen:NAME[,KEY=VALUE]...`. The other arguments are those of Open. Throws TraceError.
Workload Generate(const std::string& spec, uint64_t seed, unsigned address_bits);

/// Random numbers for a generator. The sequence is the same on every machine.
class Random {
 public:
  explicit Random(uint64_t seed) : engine_(seed) {}
  /// Returns a number in [0, bound). The bias of the modulo operation is below 2^-24 for the bounds used here.
  uint64_t Below(uint64_t bound) { return engine_() % bound; }
  bool Percent(uint64_t percent) { return Below(100) < percent; }
  double Fraction() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }

 private:
  std::mt19937_64 engine_;
};

/// Places arrays one after another, each at a multiple of 2 MiB.
class Arrays {
 public:
  explicit Arrays(uint64_t base) : end_(base) {}
  uint64_t Place(uint64_t bytes) {
    const uint64_t place = (end_ + (2 << 20) - 1) & ~uint64_t{(2 << 20) - 1};
    end_ = place + bytes;
    return place;
  }
  uint64_t end() const { return end_; }

 private:
  uint64_t end_;
};

/// Appends the accesses to [address, address + bytes), split at multiples of `line`.
void Span(std::vector<Access>& list, uint64_t address, uint64_t bytes, uint64_t line, Kind kind, uint64_t stream);

}  // namespace gmmu::trace
