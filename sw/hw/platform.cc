// SPDX-License-Identifier: Apache-2.0
#include "hw/platform.h"

#include <cstdio>

namespace gmmu::hw {

std::string Bdf::ToString() const {
  char text[16];
  std::snprintf(text, sizeof text, "%02x:%02x.%x", unsigned{bus}, unsigned{device}, unsigned{function});
  return text;
}

}  // namespace gmmu::hw
