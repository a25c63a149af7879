// SPDX-License-Identifier: Apache-2.0
// The base of every RTL bench: the Verilated top, its clock, random numbers, and bounded waits. It
// does not use GoogleTest, because the measurements of tb/bench also use some of these benches;
// block_test.h contains the GoogleTest fixture.
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>

#include "tb/rtl/coverage.h"
#include "tb/rtl/manner.h"
#include "verilated.h"

namespace gmmu {

/// One Verilated top `Top` and its clock. The constructor does not reset the top: set
/// the inputs that a reset needs, then call Reset.
///
/// A cycle consists of: set inputs, Settle, read outputs, Edge. A bench that models the block's neighbours does this in
/// an override of Step, which Run and Until then use.
template <typename Top>
class BlockBench : public Dice {
  // Returns the top's clock input, clk_i, or aclk in gmmu_gpu_axi; ResetOf likewise returns rst_i
  // or areset. Callers pass an int, so that the first overload is preferred if its port exists.
  template <typename T>
  static auto Clock(T& t, int) -> decltype((t.clk_i)) {
    return t.clk_i;
  }
  template <typename T>
  static auto Clock(T& t, long) -> decltype((t.aclk)) {
    return t.aclk;
  }
  template <typename T>
  static auto ResetOf(T& t, int) -> decltype((t.rst_i)) {
    return t.rst_i;
  }
  template <typename T>
  static auto ResetOf(T& t, long) -> decltype((t.areset)) {
    return t.areset;
  }
  VerilatedContext context_;  // declared before the model, so that it outlives the model
  const std::unique_ptr<Top> top_ = std::make_unique<Top>(&context_);
  Coverage coverage_{context_};

 public:
  /// `size` selects an instance of the block in the bench's top; the instances have different parameters.
  BlockBench(unsigned size, uint64_t seed) : Dice(seed), n(size) {}
  explicit BlockBench(uint64_t seed) : BlockBench(0, seed) {}
  BlockBench(const BlockBench&) = delete;
  BlockBench& operator=(const BlockBench&) = delete;
  virtual ~BlockBench() { t.final(); }

  Top& t = *top_;    ///< the ports
  const unsigned n;  ///< size index of the instance
  uint64_t now = 0;  ///< cycles so far, except those of Reset
  Manner manner{0, 0};

  bool Idle() { return Chance(manner.idle_percent); }
  bool Stall() { return Chance(manner.stall_percent); }

  /// Holds reset for `cycles` cycles with the other inputs unchanged, without calling Step.
  void Reset(unsigned cycles = 4) {
    ResetOf(t, 0) = 1;
    for (unsigned i = 0; i < cycles; ++i) Settle(), Edge(), --now;
    ResetOf(t, 0) = 0;
    Settle();
  }
  /// Propagates the inputs to the outputs.
  void Settle() {
    Clock(t, 0) = 0;
    t.eval();
  }
  /// Makes the rising edge. Call Settle first, with the inputs of this cycle.
  void Edge() {
    Clock(t, 0) = 1;
    t.eval();
    ++now;
  }
  virtual void Step() { Settle(), Edge(); }
  /// Runs one cycle: `drive` sets the inputs, and `sample` reads the settled valids and readys
  /// before the edge.
  template <typename Drive, typename Sample>
  void Step(const Drive& drive, const Sample& sample) {
    drive();
    Settle();
    sample();
    Edge();
  }
  void Run(uint64_t cycles) {
    while (cycles-- > 0) Step();
  }
  /// Steps until `done()` is true. Throws std::runtime_error, which names `what`, if it is still
  /// false after `bound` steps.
  template <typename Done>
  void Until(const Done& done, const std::string& what, uint64_t bound) {
    for (uint64_t i = 0; !done(); ++i) {
      if (i == bound) throw std::runtime_error("waited " + std::to_string(bound) + " cycles for " + what);
      Step();
    }
  }
};

}  // namespace gmmu
