// SPDX-License-Identifier: Apache-2.0
#include "os/threads/fibre_context.h"

#include <boost/context/preallocated.hpp>
#include <boost/context/protected_fixedsize_stack.hpp>
#include <utility>

namespace gmmu::os {

namespace context = boost::context;

FibreContext::FibreContext(size_t stack_bytes, std::function<void()> body) {
  context::protected_fixedsize_stack stacks(stack_bytes);
  const context::stack_context place = stacks.allocate();
  stack_ = FibreStack(static_cast<const char*>(place.sp) - place.size, place.size);
  context_ = context::fiber(std::allocator_arg, context::preallocated(place.sp, place.size, place), stacks,
                            [this, body = std::move(body)](context::fiber&& caller) {
                              FibreStack::Begin(caller_stack_);
                              caller_ = &caller;
                              try {
                                body();
                              } catch (const context::detail::forced_unwind&) {
                                throw;
                              } catch (...) {
                                error_ = std::current_exception();
                              }
                              ended_ = true;
                              FibreStack::End(caller_stack_);
                              return std::move(caller);
                            });
}

FibreContext::~FibreContext() = default;

void FibreContext::Resume() {
  caller_stack_.Leave(stack_);
  context_ = std::move(context_).resume();
  caller_stack_.Arrive();
  if (ended_) stack_.Open();
}

void FibreContext::Suspend() {
  stack_.Leave(caller_stack_);
  context::fiber caller = std::move(*caller_).resume();
  stack_.Arrive();
  *caller_ = std::move(caller);
}

}  // namespace gmmu::os
