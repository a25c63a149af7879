// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <pybind11/pybind11.h>

#include "gmmu/gmmu.h"

namespace gmmu::python {

/// Converts {name: value} to replay options. Names and values are those of `gmmu replay`
/// ("page_size": "64k"). Throws Error for an unknown name or an invalid value.
replay::Options OptionsFrom(const std::string& workload, const pybind11::dict& values);

/// Creates a listener from {name: callable or None}. Valid names are "progress", "accesses",
/// "fault", "output", "print" and "paging".
Listener ListenerFrom(const pybind11::dict& calls);

}  // namespace gmmu::python
