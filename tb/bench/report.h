// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "tb/bench/row.h"

namespace gmmu::bench {

/// Returns a table for a terminal: figure, limit, ratio, target and configuration of each row. Values shared by
/// consecutive rows are printed once, above them.
std::string TextTable(const std::vector<Row>& rows);

/// Returns {"rows": [{"name", "figure", "unit", "limit", "limit_text", "ratio", "better", "target", "target_of", "met",
/// "config", "state", "note"}]}. A value that a row lacks is null.
std::string Json(const std::vector<Row>& rows);

}  // namespace gmmu::bench
