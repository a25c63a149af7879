// SPDX-License-Identifier: Apache-2.0
// Defines the number of the planted fault that is active in this run; 0 means none. gmmu_plant_pkg
// reads it once, when a model is constructed. While a fault is active, the RTL's assertions are
// off, because they would end the run before a test can detect the fault.
#include <cstdlib>

#include "verilated.h"

extern "C" int gmmu_plant() {
  const char* text = std::getenv("GMMU_PLANT");
  const int number = text == nullptr ? 0 : std::atoi(text);
  if (number != 0) Verilated::assertOn(false);  // affects the most recently created context
  return number;
}
