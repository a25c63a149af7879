// SPDX-License-Identifier: Apache-2.0
#include "app/last_report.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <optional>
#include <utility>

namespace gmmu::app {
namespace {

std::optional<LastReport::Parts> last;

/// Returns false if the text was not written completely.
bool WriteAll(int file, const std::string& text) {
  for (size_t done = 0; done < text.size();) {
    const ssize_t more = write(file, text.data() + done, text.size() - done);
    if (more <= 0) return false;
    done += static_cast<size_t>(more);
  }
  return true;
}

}  // namespace

// The program's state may be corrupt, so use system calls only.
void LastReport::Write() {
  if (!last) return;
  if (last->json != nullptr) {
    const char* const working = last->json->working_path().c_str();
    const int file = open(working, O_WRONLY | O_TRUNC);
    const bool whole = file >= 0 && WriteAll(file, last->json_text);
    if (whole && last->json->working_path() != last->json->path()) rename(working, last->json->path().c_str());
  }
  for (const std::string& path : last->unfinished) unlink(path.c_str());
  WriteAll(fileno(last->out), last->text);
  _exit(1);
}

LastReport::LastReport(Parts parts) {
  std::fflush(parts.out);
  last = std::move(parts);
}

LastReport::~LastReport() { last.reset(); }

}  // namespace gmmu::app
