// SPDX-License-Identifier: Apache-2.0
#include "os/dxgkrnl/linked_chain.h"

namespace gmmu::os {

LinkedChain FindChain(const std::vector<LinkAnswer>& answers) {
  LinkedChain chain;
  const LINKED_DEVICE& first = answers.front().link;
  if (first.NumberOfLinksInChain <= 1) {
    chain.members = {0};
    return chain;
  }
  const std::string name = "chain " + std::to_string(first.ChainUid) + " of linked adapters: ";
  const auto refuse = [&](const std::string& text) {
    chain.refusal = name + text + "; Windows would start in VGA mode (DxgkDdiLinkDevice)";
    return chain;
  };
  std::string found, leads;
  unsigned lead_count = 0;
  for (size_t i = 0; i < answers.size(); ++i) {
    const LINKED_DEVICE& link = answers[i].link;
    if (link.NumberOfLinksInChain <= 1 || link.ChainUid != first.ChainUid) continue;
    if (link.NumberOfLinksInChain != first.NumberOfLinksInChain) {
      return refuse("LINKED_DEVICE.NumberOfLinksInChain is " + std::to_string(link.NumberOfLinksInChain) + " for " +
                    answers[i].device + " and " + std::to_string(first.NumberOfLinksInChain) + " for " +
                    answers.front().device);
    }
    found += (found.empty() ? "" : ", ") + answers[i].device;
    chain.members.push_back(i);
    if (!link.LeadLink) continue;
    leads += (leads.empty() ? "" : ", ") + answers[i].device;
    chain.lead = i;
    ++lead_count;
  }
  const ULONG expected = first.NumberOfLinksInChain;
  if (chain.members.size() != expected) {
    std::string text = "the driver announces " + std::to_string(expected) + " adapters, " +
                       std::to_string(chain.members.size()) + " were enumerated (" + found + ")";
    for (size_t missing = chain.members.size(); missing < expected; ++missing)
      text += ", adapter " + std::to_string(missing + 1) + " of " + std::to_string(expected) + " is missing";
    return refuse(text);
  }
  if (lead_count != 1) {
    return refuse("LINKED_DEVICE.LeadLink is TRUE for " + std::to_string(lead_count) + " adapters" +
                  (leads.empty() ? "" : " (" + leads + ")") + ", one must lead");
  }
  return chain;
}

}  // namespace gmmu::os
