// SPDX-License-Identifier: Apache-2.0
// Which planted fault this run has (tools/plant_ddi.py): a number from the environment, 0 is none.
#include <cstdlib>

extern "C" int gmmu_plant() {
  static const char* const text = std::getenv("GMMU_PLANT");
  static const int number = text == nullptr ? 0 : std::atoi(text);
  return number;
}
