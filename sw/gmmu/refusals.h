// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <stdexcept>
#include <string>
#include <vector>

#include "app/configuration.h"
#include "gmmu/gmmu.h"

namespace gmmu {

/// Calls `work` and returns its result. The libraries throw std::runtime_error for wrong arguments;
/// this function converts the exception to an Error with the same text.
template <typename Work>
auto Refused(const Work& work) -> decltype(work()) {
  try {
    return work();
  } catch (const std::runtime_error& error) {
    throw Error(error.what());
  }
}

/// Parses the text of a configuration and applies the changes, like app::Configuration::FromToml.
/// Throws Error.
app::Configuration Read(const std::string& text, const std::string& file, const std::string& table,
                        const std::vector<std::string>& changes);

}  // namespace gmmu
