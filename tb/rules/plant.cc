// SPDX-License-Identifier: Apache-2.0
// Number of the planted fault that is active in this run, which gmmu_plant_pkg reads once, when a model is constructed.
// 0 means none. With a fault, the RTL's assertions are off, because they would end the run before a test can notice the
// fault.
#include <cstdlib>

#include "verilated.h"

extern "C" int gmmu_plant() {
  const char* text = std::getenv("GMMU_PLANT");
  const int number = text == nullptr ? 0 : std::atoi(text);
  if (number != 0) Verilated::assertOn(false);  // applies to the context created last
  return number;
}
