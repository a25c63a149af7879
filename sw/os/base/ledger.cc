// SPDX-License-Identifier: Apache-2.0
#include "os/base/ledger.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "os/base/text.h"

namespace gmmu::os {

Ledger::Ticket Ledger::Add(const std::string& kind, const std::string& owner, const std::string& created_by,
                           Entry entry) {
  const auto held = [this](const std::string& text) { return &*texts_.insert(text).first; };
  entry.kind = held(kind);
  entry.owner = held(owner);
  entry.created_by = held(created_by);
  open_.emplace(next_, std::move(entry));
  return next_++;
}

Ledger::Ticket Ledger::Open(const std::string& kind, std::string name, const std::string& owner,
                            const std::string& created_by) {
  Entry entry{};
  entry.name = std::move(name);
  return Add(kind, owner, created_by, std::move(entry));
}

Ledger::Ticket Ledger::OpenRange(const std::string& kind, uint64_t start, uint64_t size, const std::string& owner,
                                 const std::string& created_by) {
  Entry entry{};
  entry.start = start;
  entry.size = size;
  return Add(kind, owner, created_by, std::move(entry));
}

void Ledger::Close(Ticket ticket) {
  if (open_.erase(ticket) == 0) throw std::logic_error("ledger: a ticket was closed twice");
}

bool Ledger::IsOpen(Ticket ticket, const std::string& kind) const {
  const auto found = open_.find(ticket);
  return found != open_.end() && *found->second.kind == kind;
}

std::vector<Leak> Ledger::Leaks() const {
  std::vector<Ticket> tickets;  // tickets are numbered in the order of Open calls
  tickets.reserve(open_.size());
  for (const auto& [ticket, entry] : open_) tickets.push_back(ticket);
  std::sort(tickets.begin(), tickets.end());
  std::vector<Leak> leaks;
  leaks.reserve(tickets.size());
  for (const Ticket ticket : tickets) {
    const Entry& entry = open_.at(ticket);
    const std::string name = entry.size == 0 ? entry.name : Hex(entry.start) + "+" + Hex(entry.size);
    leaks.push_back({*entry.kind, name, *entry.owner, *entry.created_by});
  }
  return leaks;
}

}  // namespace gmmu::os
