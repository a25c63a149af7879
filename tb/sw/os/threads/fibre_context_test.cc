// SPDX-License-Identifier: Apache-2.0
#include "os/threads/fibre_context.h"

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>

namespace gmmu::os {
namespace {

constexpr size_t kBytes = 64 << 10;

TEST(FibreContext, SwitchesBetweenItsCallerAndItsBody) {
  std::string steps;
  std::unique_ptr<FibreContext> fibre;
  fibre = std::make_unique<FibreContext>(kBytes, [&] {
    steps += 'a';
    fibre->Suspend();
    steps += 'b';
  });
  EXPECT_EQ(steps, "") << "nothing runs before the first Resume";
  fibre->Resume();
  EXPECT_EQ(steps, "a");
  EXPECT_FALSE(fibre->ended());
  fibre->Resume();
  EXPECT_EQ(steps, "ab");
  EXPECT_TRUE(fibre->ended());
  EXPECT_EQ(fibre->error(), nullptr);
}

TEST(FibreContext, KeepsTheExceptionThatEndsItsBody) {
  FibreContext fibre(kBytes, [] { throw std::runtime_error("broken"); });
  fibre.Resume();
  EXPECT_TRUE(fibre.ended());
  EXPECT_THROW(std::rethrow_exception(fibre.error()), std::runtime_error);
}

TEST(FibreContext, UnwindsABodyThatHasNotEnded) {
  bool unwound = false;
  struct AtEnd {
    bool& unwound;
    ~AtEnd() { unwound = true; }
  };
  {
    std::unique_ptr<FibreContext> fibre;
    fibre = std::make_unique<FibreContext>(kBytes, [&] {
      const AtEnd at_end{unwound};
      fibre->Suspend();
      ADD_FAILURE() << "it was not resumed";
    });
    fibre->Resume();
    EXPECT_FALSE(unwound);
  }
  EXPECT_TRUE(unwound);
}

}  // namespace
}  // namespace gmmu::os
