// SPDX-License-Identifier: Apache-2.0
// The extension module gmmu._gmmu. It exposes the library to gmmu/__init__.py, which documents the
// interface for users.
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <string>
#include <tuple>
#include <vector>

#include "gmmu/gmmu.h"
#include "python/options.h"

namespace py = pybind11;

namespace gmmu::python {
namespace {

using CounterRow = std::tuple<std::string, std::string, uint64_t, bool, std::string, std::string>;

std::vector<CounterRow> CountersOf(Machine& machine) {
  std::vector<hw::Counter> counters;
  {
    const py::gil_scoped_release unlocked;
    counters = machine.Counters();
  }
  std::vector<CounterRow> rows;
  for (const hw::Counter& c : counters) rows.emplace_back(c.block, c.name, c.value, c.known, c.unit, c.description);
  return rows;
}

std::unique_ptr<Machine> MakeJob(const Configuration& configuration, const std::string& engine, uint64_t seed,
                                 const std::string& scenario, const py::bytes& input, const py::dict& calls) {
  const std::string bytes = input;
  Job job{{engine, seed}, scenario, {bytes.begin(), bytes.end()}};
  return std::make_unique<Machine>(configuration, std::move(job), ListenerFrom(calls));
}

std::unique_ptr<Machine> MakeReplay(const Configuration& configuration, const std::string& engine, uint64_t seed,
                                    const std::string& workload, const py::dict& options, const py::dict& calls) {
  return std::make_unique<Machine>(configuration, Replay{{engine, seed}, OptionsFrom(workload, options)},
                                   ListenerFrom(calls));
}

}  // namespace
}  // namespace gmmu::python

PYBIND11_MODULE(_gmmu, m) {
  using namespace py::literals;
  using gmmu::Configuration;
  using gmmu::Machine;
  using Unlocked = py::call_guard<py::gil_scoped_release>;

  PYBIND11_NUMPY_DTYPE(gmmu::Access, va, requested, answered, client, bytes, kind, fault, unit);
  py::register_exception<gmmu::Error>(m, "Error", PyExc_ValueError);
  m.def("version", &gmmu::Version);
  m.def("engines", &gmmu::Engines);
  m.def("scenarios", &gmmu::Scenarios);

  py::class_<Configuration>(m, "Configuration")
      .def(py::init<>())
      .def(py::init<const Configuration&>(), "other"_a)
      .def_static("from_toml", &Configuration::FromToml, "text"_a, "file"_a)
      .def_static("from_file", &Configuration::FromFile, "path"_a)
      .def_static("of_scenario", &Configuration::OfScenario, "name"_a)
      .def("set", &Configuration::Set, "changes"_a)
      .def("get", &Configuration::Get, "key"_a)
      .def("keys", &Configuration::Keys)
      .def("to_toml", &Configuration::ToToml)
      .def("to_json", &Configuration::ToJson);

  py::class_<Machine>(m, "Machine")
      .def_static("job", &gmmu::python::MakeJob, "configuration"_a, "engine"_a, "seed"_a, "scenario"_a, "input"_a,
                  "calls"_a)
      .def_static("replay", &gmmu::python::MakeReplay, "configuration"_a, "engine"_a, "seed"_a, "workload"_a,
                  "options"_a, "calls"_a)
      .def("step", &Machine::Step, "cycles"_a, Unlocked())
      .def("run", &Machine::Run, Unlocked())
      .def("counters", &gmmu::python::CountersOf)
      .def("report", &Machine::Report)
      .def_property_readonly("done", &Machine::done)
      .def_property_readonly("cycles", &Machine::cycles)
      .def_property_readonly("ns", &Machine::ns)
      .def_property_readonly("passed", &Machine::Passed);
}
