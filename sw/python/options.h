// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <pybind11/pybind11.h>

#include "gmmu/gmmu.h"

namespace gmmu::python {

/// Converts {name: value}, with the names and values of `gmmu replay` ("page_size": "64k"), to the options of a replay.
/// Throws Error for an unknown name or a wrong value.
replay::Options OptionsFrom(const std::string& workload, const pybind11::dict& values);

/// Makes a listener from {name: callable or None}; names: "progress", "accesses", "fault", "output", "print", "paging".
Listener ListenerFrom(const pybind11::dict& calls);

}  // namespace gmmu::python
