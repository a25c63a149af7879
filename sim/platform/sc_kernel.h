// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>

#include <systemc>

namespace gmmu::sim {

/// Gives a machine its own SystemC kernel, so that a process can create several machines, and can
/// also contain the user's own SystemC platform (sc_gpu.h). The destructor makes the previous
/// kernel current again. Do not use this class inside a process of a running simulation.
class Kernel {
 public:
  Kernel()
      : current_(sc_core::sc_curr_simcontext),
        default_(sc_core::sc_default_global_context),
        context_(std::make_unique<sc_core::sc_simcontext>()) {
    sc_core::sc_curr_simcontext = sc_core::sc_default_global_context = context_.get();
    sc_core::sc_report_handler::set_actions(sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
  }
  ~Kernel() {
    sc_core::sc_curr_simcontext = current_;
    sc_core::sc_default_global_context = default_;
    // SystemC 3 and later deletes the context's coroutine package before the threads that still
    // wait, whose destructors use the package. A TLM target socket without b_transport creates such
    // a thread. Therefore the context is leaked deliberately.
    if (SC_VERSION_MAJOR >= 3) static_cast<void>(context_.release());
  }

 private:
  sc_core::sc_simcontext *const current_, *const default_;
  std::unique_ptr<sc_core::sc_simcontext> context_;
};

}  // namespace gmmu::sim
