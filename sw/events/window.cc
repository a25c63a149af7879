// SPDX-License-Identifier: Apache-2.0
#include "events/window.h"

#include <charconv>
#include <stdexcept>

namespace gmmu::events {

void ParseTrigger(const std::string& text, WindowOptions& options) {
  constexpr std::string_view kStall = "stall:";
  if (text == "fault") {
    options.trigger = WindowOptions::Trigger::kFault;
    return;
  }
  if (text.rfind(kStall, 0) == 0) {
    const char* end = text.data() + text.size();
    const auto parsed = std::from_chars(text.data() + kStall.size(), end, options.stall);
    if (parsed.ec == std::errc() && parsed.ptr == end) {
      options.trigger = WindowOptions::Trigger::kStall;
      return;
    }
  }
  throw std::invalid_argument("\"" + text + "\" is no trigger; give fault, or stall:N with a number of cycles");
}

bool Window::Triggers(const Record& record) const {
  if (options_.trigger == WindowOptions::Trigger::kFault) {
    const auto* point = std::get_if<hw::PointEvent>(&record);
    return point != nullptr && point->kind == hw::PointKind::kFault;
  }
  return std::visit([&](const auto& event) { return EndOf(event) - BeginOf(event) > options_.stall; }, record);
}

void Window::Add(const Record& record) {
  const uint64_t begin = std::visit([](const auto& event) { return BeginOf(event); }, record);
  const uint64_t end = std::visit([](const auto& event) { return EndOf(event); }, record);
  if (end < options_.from || begin >= options_.to) return;
  if (options_.trigger == WindowOptions::Trigger::kNone) return to_.Add(record);
  if (Triggers(record)) {
    if (triggers_++ == 0) first_trigger_ = end;
    open_until_ = end + options_.around;
    for (const Record& waiting : waiting_) {
      const uint64_t ended = std::visit([](const auto& event) { return EndOf(event); }, waiting);
      if (ended + options_.around >= end) to_.Add(waiting);
    }
    waiting_.clear();
  }
  if (open_until_ != 0 && end <= open_until_) return to_.Add(record);
  waiting_.push_back(record);
  const auto old = [&](const Record& waiting) {
    return std::visit([&](const auto& event) { return EndOf(event) + options_.around < end; }, waiting);
  };
  while (old(waiting_.front())) waiting_.pop_front();
  if (waiting_.size() > kMostWaiting) {
    waiting_.pop_front();
    ++lost_;
  }
}

void Window::Depth(unsigned unit, hw::Gauge gauge, uint64_t cycle, unsigned depth) {
  if (options_.trigger != WindowOptions::Trigger::kNone || cycle < options_.from || cycle >= options_.to) return;
  to_.Depth(unit, gauge, cycle, depth);
}

}  // namespace gmmu::events
