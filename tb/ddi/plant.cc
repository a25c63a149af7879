// SPDX-License-Identifier: Apache-2.0
// Number of the planted fault that is active in this run (tools/plant_ddi.py), from an environment variable; 0 means
// none.
#include <cstdlib>

extern "C" int gmmu_plant() {
  static const char* const text = std::getenv("GMMU_PLANT");
  static const int number = text == nullptr ? 0 : std::atoi(text);
  return number;
}
