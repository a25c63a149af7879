// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <pybind11/pybind11.h>

#include "gmmu/gmmu.h"

namespace gmmu::python {

/// The options of a replay from {name: value}, with the names and values of `gmmu replay` ("page_size": "64k"). Throws
/// Error for an unknown name and a wrong value.
replay::Options OptionsFrom(const std::string& workload, const pybind11::dict& values);

/// The calls of a listener from {name: callable or None}: "progress", "accesses", "fault", "output", "print", "paging".
Listener ListenerFrom(const pybind11::dict& calls);

}  // namespace gmmu::python
