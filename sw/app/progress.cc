// SPDX-License-Identifier: Apache-2.0
#include "app/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include "app/process.h"

namespace gmmu::app {

Progress::Progress(std::FILE* to) : to_(to), terminal_(isatty(fileno(to)) != 0) {}

void Progress::Update(const std::string& phase, uint64_t done, uint64_t total, const char* unit) {
  const Clock::time_point now = Clock::now();
  const bool changed = phase != phase_;
  if (changed) {
    phase_ = phase;
    phase_start_ = now;
  }
  if (!terminal_) {
    if (changed) Say(to_, "gmmu: {}\n", phase);
    return;
  }
  if (!changed && done != total && now - last_ < std::chrono::milliseconds(100)) return;
  last_ = now;
  std::string text = "gmmu: " + phase;
  if (total != 0) {
    const double part = static_cast<double>(done) / static_cast<double>(total);
    text += unit != nullptr ? fmt::format("  {} of {} {}", done, total, unit)
                            : fmt::format("  {:.2f} of {:.2f} MiB", static_cast<double>(done) / (1 << 20),
                                          static_cast<double>(total) / (1 << 20));
    text += fmt::format("  {:3.0f} %", 100 * part);
    const double spent = std::chrono::duration<double>(now - phase_start_).count();
    if (part > 0.01 && spent > 0.5) text += fmt::format("  {:.0f} s left", spent / part - spent);
  }
  Say(to_, "\r\033[K{}", text);
  shown_ = true;
}

void Progress::Line(const std::string& text) {
  Finish();
  Say(to_, "{}\n", text);
}

void Progress::Finish() {
  if (!shown_) return;
  Say(to_, "\r\033[K");
  shown_ = false;
}

}  // namespace gmmu::app
