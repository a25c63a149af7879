// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <string>

#include "events/reader.h"

namespace gmmu::events {

using Write = std::function<void(const std::string&)>;

/// Writes the file's events in the JSON format of Chrome's trace viewer, which Perfetto also opens.
/// Each GPU is a process. Walks, lookups, accesses and commands are asynchronous slices that
/// contain their steps. Faults, invalidations and interrupts are instants. The number of walks in
/// flight is a counter.
void Perfetto(const Reader& file, const Write& write);

/// Writes the file's events in the Kanata 0004 format of the pipeline viewer Konata. Each walk,
/// lookup, access and command is a row, and its steps are the stages.
void Kanata(const Reader& file, const Write& write);

}  // namespace gmmu::events
