// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nlohmann/json.hpp>

#include "events/histogram.h"

namespace gmmu::events {

inline constexpr struct {
  const char* name;
  unsigned permyriad;
} kQuantiles[] = {{"p50", 5'000}, {"p90", 9'000}, {"p99", 9'900}, {"p99.9", 9'990}};

/// Returns an object with count, min, mean, quantiles and max. If `buckets` is true, it also
/// contains the list of [first, last, count].
nlohmann::ordered_json JsonOf(const Histogram& histogram, bool buckets);

}  // namespace gmmu::events
