// SPDX-License-Identifier: Apache-2.0
// Defines the number of the planted fault that is active in this run (tools/plant_ddi.py). It comes
// from an environment variable; 0 means none.
#include <cstdlib>

extern "C" int gmmu_plant() {
  static const char* const text = std::getenv("GMMU_PLANT");
  static const int number = text == nullptr ? 0 : std::atoi(text);
  return number;
}
