// SPDX-License-Identifier: Apache-2.0
#include "os/base/ledger.h"

#include <stdexcept>
#include <utility>

namespace gmmu::os {

Ledger::Ticket Ledger::Open(std::string kind, std::string name, std::string owner, std::string created_by) {
  open_.emplace(next_, Leak{std::move(kind), std::move(name), std::move(owner), std::move(created_by)});
  return next_++;
}

void Ledger::Close(Ticket ticket) {
  if (open_.erase(ticket) == 0) throw std::logic_error("ledger: a ticket was closed twice");
}

bool Ledger::IsOpen(Ticket ticket, const std::string& kind) const {
  const auto found = open_.find(ticket);
  return found != open_.end() && found->second.kind == kind;
}

std::vector<Leak> Ledger::Leaks() const {
  std::vector<Leak> leaks;
  leaks.reserve(open_.size());
  for (const auto& [ticket, leak] : open_) leaks.push_back(leak);
  return leaks;
}

}  // namespace gmmu::os
