// SPDX-License-Identifier: Apache-2.0
#include "host/plain_machine.h"

#include "host/host.h"

namespace gmmu::sim {

Machine::Parts HostOf(PlainHost& host, Device& device) {
  return {host.map, host.ram, host.host, host.messages, device};
}

}  // namespace gmmu::sim
