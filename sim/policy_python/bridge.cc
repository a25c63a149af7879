// SPDX-License-Identifier: Apache-2.0
// Lets a Python class make the decisions of a policy of the fast engine (sim/twin/policy.h). The
// program loads this shared object only if policy.file ends in .py, so the program itself does not
// depend on Python.
#include <pybind11/embed.h>
#include <pybind11/stl.h>

#include <memory>
#include <string>

#include "host/engine.h"
#include "twin/policy.h"

namespace py = pybind11;

namespace gmmu::sim::twin {
namespace {

/// Runs `call`, which calls into Python. A Python exception ends the run and supplies the error
/// message.
template <typename Call>
auto Guarded(const char* what, Call call) {
  try {
    return call();
  } catch (const std::exception& error) {
    throw EngineError(std::string("the policy's ") + what + " failed: " + error.what());
  }
}

class PythonPolicy : public Policy {
 public:
  explicit PythonPolicy(const py::object& policy)
      : build_(Method(policy, "build")),
        place_(Method(policy, "place")),
        fill_(Method(policy, "fill")),
        prefetch_(Method(policy, "prefetch")),
        next_(Method(policy, "next")) {
    if (!build_ && !place_ && !fill_ && !prefetch_ && !next_)
      throw std::runtime_error("class Policy has none of the methods build, place, fill, prefetch and next");
  }

  void Build(Hierarchy& hierarchy) override {
    if (build_) Guarded("build", [&] { build_(py::cast(&hierarchy, py::return_value_policy::reference)); });
  }
  unsigned Place(const TlbSet& set) override {
    if (!place_) return Policy::Place(set);
    return Guarded("place", [&] {
      const py::object way = place_(py::cast(&set, py::return_value_policy::reference));
      if (way.is_none()) return kNowhere;
      const auto place = way.cast<unsigned>();
      if (place >= set.count)
        throw py::value_error("returns " + std::to_string(place) + ", which is none of " + std::to_string(set.count) +
                              " places, nor None");
      return place;
    });
  }
  unsigned Fill(const TlbMiss& miss) override {
    if (!fill_) return Policy::Fill(miss);
    return Guarded("fill", [&] {
      const auto entries = fill_(py::cast(&miss, py::return_value_policy::reference)).cast<unsigned>();
      if (entries == 0 || entries > 32 || (entries & (entries - 1)) != 0)
        throw py::value_error("returns " + std::to_string(entries) + ", which is not 1, 2, 4, 8, 16 or 32");
      return entries;
    });
  }
  void Prefetch(const TlbMiss& miss, std::vector<uint64_t>& vpns) override {
    if (!prefetch_) return;
    Guarded("prefetch", [&] {
      vpns = prefetch_(py::cast(&miss, py::return_value_policy::reference)).cast<std::vector<uint64_t>>();
    });
  }
  size_t Next(const std::vector<WaitingWalk>& waiting) override {
    if (!next_) return 0;
    return Guarded("next", [&] { return next_(waiting).cast<size_t>(); });
  }

 private:
  static py::object Method(const py::object& policy, const char* name) {
    return py::getattr(policy, name, py::object());
  }

  const py::object build_, place_, fill_, prefetch_, next_;  // bound methods; null: default
};

std::string& LastError() {
  static std::string text;
  return text;
}

/// `arguments` is the path of the Python file, a newline, and the arguments of the policy itself.
Policy* Create(const char* arguments, uint64_t seed, const char** error) {
  const std::string text = arguments;
  const size_t end = text.find('\n');
  try {
    if (!Py_IsInitialized()) py::initialize_interpreter(/*init_signal_handlers=*/false);  // never finalized
    py::module_::import("gmmu_policy");
    const py::dict run = py::module_::import("runpy").attr("run_path")(text.substr(0, end));
    if (!run.contains("Policy")) throw std::runtime_error("has no class Policy");
    return new PythonPolicy(run["Policy"](text.substr(end + 1), seed));
  } catch (const std::exception& failure) {
    LastError() = failure.what();
    *error = LastError().c_str();
    return nullptr;
  }
}

}  // namespace
}  // namespace gmmu::sim::twin

// NOLINTNEXTLINE
PYBIND11_EMBEDDED_MODULE(gmmu_policy, module) {
  using namespace gmmu::sim::twin;
  py::class_<TlbLine>(module, "TlbLine")
      .def_readonly("valid", &TlbLine::valid)
      .def_readonly("space", &TlbLine::space)
      .def_readonly("port", &TlbLine::port)
      .def_readonly("vpn", &TlbLine::vpn)
      .def_readonly("filled_ps", &TlbLine::filled_ps)
      .def_readonly("used_ps", &TlbLine::used_ps)
      .def_readonly("uses", &TlbLine::uses)
      .def_readwrite("mark", &TlbLine::mark);
  py::class_<TlbSet>(module, "TlbSet")
      .def_readonly("level", &TlbSet::level)
      .def_readonly("port", &TlbSet::port)
      .def_readonly("space", &TlbSet::space)
      .def_readonly("vpn", &TlbSet::vpn)
      .def_readonly("now_ps", &TlbSet::now_ps)
      .def_readonly("prefetch", &TlbSet::prefetch)
      .def_readonly("turn", &TlbSet::turn)
      .def("hardware", [](const TlbSet& set) { return Policy().Place(set); })
      .def_property_readonly("lines", [](const TlbSet& set) {
        py::list lines;
        for (unsigned i = 0; i < set.count; ++i)
          lines.append(py::cast(set.lines + i, py::return_value_policy::reference));
        return lines;
      });
  py::class_<TlbMiss>(module, "TlbMiss")
      .def_readonly("port", &TlbMiss::port)
      .def_readonly("space", &TlbMiss::space)
      .def_readonly("vpn", &TlbMiss::vpn)
      .def_readonly("group", &TlbMiss::group)
      .def_readonly("now_ps", &TlbMiss::now_ps)
      .def_readonly("neighbour", &TlbMiss::neighbour);
  py::class_<WaitingWalk>(module, "WaitingWalk")
      .def_readonly("port", &WaitingWalk::port)
      .def_readonly("space", &WaitingWalk::space)
      .def_readonly("vpn", &WaitingWalk::vpn)
      .def_readonly("group", &WaitingWalk::group)
      .def_readonly("since_ps", &WaitingWalk::since_ps)
      .def_readonly("reads", &WaitingWalk::reads)
      .def_readonly("waiters", &WaitingWalk::waiters);
  py::enum_<Hierarchy::WalkCache>(module, "WalkCache")
      .value("split", Hierarchy::WalkCache::kSplit)
      .value("unified", Hierarchy::WalkCache::kUnified)
      .value("none", Hierarchy::WalkCache::kNone);
  py::class_<Hierarchy>(module, "Hierarchy")
      .def_readonly("clients", &Hierarchy::clients)
      .def_readwrite("ideal", &Hierarchy::ideal)
      .def_readwrite("l1_cycles", &Hierarchy::l1_cycles)
      .def_readwrite("l2_cycles", &Hierarchy::l2_cycles)
      .def_readwrite("l2_block", &Hierarchy::l2_block)
      .def_readwrite("l3_entries", &Hierarchy::l3_entries)
      .def_readwrite("l3_ways", &Hierarchy::l3_ways)
      .def_readwrite("l3_cycles", &Hierarchy::l3_cycles)
      .def_readwrite("walk_cache", &Hierarchy::walk_cache)
      .def_readwrite("walk_cache_entries", &Hierarchy::walk_cache_entries)
      .def_readwrite("pte_cache_lines", &Hierarchy::pte_cache_lines)
      .def_readwrite("pte_cache_ways", &Hierarchy::pte_cache_ways)
      .def_readwrite("pte_cache_cycles", &Hierarchy::pte_cache_cycles)
      .def_readwrite("walks", &Hierarchy::walks)
      .def_readwrite("step_cycles", &Hierarchy::step_cycles)
      .def_readwrite("queue", &Hierarchy::queue)
      .def_readwrite("merge_lines", &Hierarchy::merge_lines)
      .def_readwrite("stall", &Hierarchy::stall);
}

GMMU_POLICY(gmmu::sim::twin::Create);
