// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "tb/bench/row.h"

namespace gmmu::bench {

/// A table for a terminal: figure, limit, ratio, target and configuration of each row. What rows in
/// a row have in common stands once above them.
std::string TextTable(const std::vector<Row>& rows);

/// {"rows": [{"name", "figure", "unit", "limit", "limit_text", "ratio", "better", "target",
/// "target_of", "met", "config", "state", "note"}]}. What a row does not have is null.
std::string Json(const std::vector<Row>& rows);

}  // namespace gmmu::bench
