// SPDX-License-Identifier: Apache-2.0
#include "python/options.h"

#include <pybind11/numpy.h>

#include <cstring>
#include <map>
#include <string>

#include "report/json_report.h"

namespace py = pybind11;

namespace gmmu::python {
namespace {

uint64_t Number(const std::string& name, const py::handle& value, uint64_t min, uint64_t max) {
  uint64_t number = 0;
  bool good = !py::isinstance<py::bool_>(value);
  try {
    number = value.cast<uint64_t>();
  } catch (const py::cast_error&) {
    good = false;
  }
  if (!good || number < min || number > max) {
    throw Error(name + ": " + py::repr(value).cast<std::string>() + " is not a number from " + std::to_string(min) +
                " to " + std::to_string(max));
  }
  return number;
}

template <typename Enum>
Enum Choice(const std::string& name, const py::handle& value, const std::map<std::string, Enum>& choices) {
  std::string names;
  for (const auto& [choice, number] : choices) {
    if (py::isinstance<py::str>(value) && value.cast<std::string>() == choice) return number;
    names += (names.empty() ? "" : " | ") + choice;
  }
  throw Error(name + ": " + py::repr(value).cast<std::string>() + " is none of " + names);
}

bool Switch(const std::string& name, const py::handle& value) {
  if (!py::isinstance<py::bool_>(value))
    throw Error(name + ": " + py::repr(value).cast<std::string>() + " is neither True nor False");
  return value.cast<bool>();
}

py::object CallOf(const py::dict& calls, const char* name) {
  if (!calls.contains(name) || calls[name].is_none()) return py::object();
  py::object call = calls[name];
  if (PyCallable_Check(call.ptr()) == 0) throw py::type_error("on_" + std::string(name) + " cannot be called");
  return call;
}

}  // namespace

replay::Options OptionsFrom(const std::string& workload, const py::dict& values) {
  replay::Options o;
  o.workload = workload;
  const std::map<std::string, std::function<void(const std::string&, const py::handle&)>> known = {
      {"compute_units", [&](auto& n, auto& v) { o.compute_units = Number(n, v, 1, replay::kMostUnits); }},
      {"warps", [&](auto& n, auto& v) { o.warps = Number(n, v, 1, replay::kMostWarps); }},
      {"window", [&](auto& n, auto& v) { o.window = Number(n, v, 1, replay::kMostWindow); }},
      {"gap", [&](auto& n, auto& v) { o.gap = Number(n, v, 0, replay::kAll); }},
      {"assign", [&](auto& n, auto& v) { o.assign = Choice(n, v, replay::kAssigns); }},
      {"coalesce", [&](auto& n, auto& v) { o.coalesce = Switch(n, v); }},
      {"skip", [&](auto& n, auto& v) { o.skip = Number(n, v, 0, replay::kAll); }},
      {"warmup", [&](auto& n, auto& v) { o.warmup = Number(n, v, 0, replay::kAll); }},
      {"accesses", [&](auto& n, auto& v) { o.accesses = Number(n, v, 1, replay::kAll); }},
      {"epoch", [&](auto& n, auto& v) { o.epoch = Number(n, v, 0, replay::kAll); }},
      {"epoch_cycles", [&](auto& n, auto& v) { o.epoch_cycles = Number(n, v, 0, replay::kAll); }},
      {"page_size", [&](auto& n, auto& v) { o.page_size = Choice(n, v, replay::kPageSizes); }},
      {"memory", [&](auto& n, auto& v) { o.memory = Choice(n, v, replay::kMemories); }},
      {"keep_gaps", [&](auto& n, auto& v) { o.keep_gaps = Switch(n, v); }},
      {"fragmented", [&](auto& n, auto& v) { o.fragmented = Number(n, v, 0, 100); }},
      {"demand", [&](auto& n, auto& v) { o.demand = Switch(n, v); }},
      {"batch", [&](auto& n, auto& v) { o.batch = Number(n, v, 1, replay::kMostBatch); }},
      {"prefetch",
       [&](auto& n, auto& v) {
         const bool named = py::isinstance<py::str>(v);
         o.prefetch_tree = named && Choice<bool>(n, v, {{"tree", true}, {"none", false}});
         o.prefetch = named ? 0 : Number(n, v, 0, replay::kMostPrefetch);
       }},
      {"resident", [&](auto& n, auto& v) { o.resident_mib = Number(n, v, 0, replay::kAll); }},
      {"evict", [&](auto& n, auto& v) { o.evict = Choice(n, v, replay::kEvicts); }},
  };
  for (const auto& [key, value] : values) {
    const auto name = key.cast<std::string>();
    const auto found = known.find(name);
    if (found == known.end()) {
      std::string names;
      for (const auto& option : known) names += (names.empty() ? "" : ", ") + option.first;
      throw Error("replay has no option " + name + "; there are: " + names);
    }
    found->second(name, value);
  }
  return o;
}

Listener ListenerFrom(const py::dict& calls) {
  Listener listener;
  if (const py::object call = CallOf(calls, "progress")) {
    listener.progress = [call](const std::string& phase, uint64_t done, uint64_t total) {
      const py::gil_scoped_acquire lock;
      call(phase, done, total);
    };
  }
  if (const py::object call = CallOf(calls, "accesses")) {
    listener.accesses = [call](const Access* accesses, size_t count) {
      const py::gil_scoped_acquire lock;
      call(py::array_t<Access>(static_cast<py::ssize_t>(count), accesses));
    };
  }
  if (const py::object call = CallOf(calls, "fault")) {
    listener.fault = [call](const os::Fault& fault) {
      const py::gil_scoped_acquire lock;
      call(py::module_::import("json").attr("loads")(report::FaultAsJson(fault)));
    };
  }
  if (const py::object call = CallOf(calls, "output")) {
    listener.output = [call](const void* bytes, size_t size) {
      const py::gil_scoped_acquire lock;
      call(py::bytes(static_cast<const char*>(bytes), size));
    };
  }
  if (const py::object call = CallOf(calls, "print")) {
    listener.print = [call](const std::string& text) {
      const py::gil_scoped_acquire lock;
      call(text);
    };
  }
  if (const py::object call = CallOf(calls, "paging")) {
    listener.paging = [call](const std::string& line) {
      const py::gil_scoped_acquire lock;
      call(line);
    };
  }
  listener.idle = [] {
    const py::gil_scoped_acquire lock;
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
  };
  return listener;
}

}  // namespace gmmu::python
