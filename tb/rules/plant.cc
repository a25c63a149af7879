// SPDX-License-Identifier: Apache-2.0
// Which planted fault this run has: gmmu_plant_pkg asks once, when a model is made. 0 is none.
#include <cstdlib>

extern "C" int gmmu_plant() {
  const char* number = std::getenv("GMMU_PLANT");
  return number == nullptr ? 0 : std::atoi(number);
}
