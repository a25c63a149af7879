// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <string>

#include "events/reader.h"

namespace gmmu::events {

using Write = std::function<void(const std::string&)>;

/// Writes the file's events in the JSON format of Chrome's trace viewer, which Perfetto opens: a process for each GPU;
/// walks, lookups, accesses and commands as asynchronous slices that contain their steps; faults, invalidations and
/// interrupts as instants; the number of walks in flight as a counter.
void Perfetto(const Reader& file, const Write& write);

/// Writes the file's events in the format Kanata 0004 of the pipeline viewer Konata: a row for each walk, lookup,
/// access and command, whose stages are its steps.
void Kanata(const Reader& file, const Write& write);

}  // namespace gmmu::events
