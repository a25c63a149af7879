// SPDX-License-Identifier: Apache-2.0
// Which planted fault this run has: gmmu_plant_pkg reads it once, when a model is made. 0 is none.
// With a fault the assertions of the RTL are off: they would end the run before a test can notice.
#include <cstdlib>

#include "verilated.h"

extern "C" int gmmu_plant() {
  const char* text = std::getenv("GMMU_PLANT");
  const int number = text == nullptr ? 0 : std::atoi(text);
  if (number != 0) Verilated::assertOn(false);  // applies to the context created last
  return number;
}
