# SPDX-License-Identifier: Apache-2.0
"""Tests the checks of tools/rooms.py and tools/sizes.py on small trees that this file creates."""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import rooms  # noqa: E402
import sizes  # noqa: E402
import tree  # noqa: E402


class Rooms(unittest.TestCase):
    def errors(self, files, exceptions=()):
        return rooms.include_errors(files, dict(exceptions))

    def test_includes_of_the_own_room_and_of_those_below_pass(self):
        self.assertEqual(self.errors({
            "sw/os/vidmm/a.cc": '#include <map>\n#include "os/vidmm/a.h"\n#include "os/kernel/b.h"\n#include "hw/c.h"\n',
            "sw/ddi/d.h": '#include "e.h"\n',
            "sim/twin/f.cc": '#include "memory/g.h"\n#include "hw/c.h"\n',
            "sim/gpu/sc_h.cc": '#include "Vgmmu_gpu_axi.h"\n'}), [])

    def test_an_include_that_points_upward_is_named(self):
        for path, header, room in (("sw/os/kernel/a.cc", "os/vidmm/vidmm.h", "sw/os/vidmm"),
                                   ("sw/os/vidmm/a.h", "kmd/adapter.h", "sw/kmd"),
                                   ("sw/kmd/a.cc", "os/kernel/kernel.h", "sw/os/kernel"),
                                   ("sw/kmd/a.cc", "kmd/build/build.h", "sw/kmd/build"),
                                   ("sw/hw/a.h", "pcie/link.h", "sim/pcie"),
                                   ("sim/iommu/a.cc", "twin/fast_engine.h", "sim/twin"),
                                   ("sim/twin/a.cc", "workload/job.h", "sw/workload")):
            with self.subTest(path=path, header=header):
                found = self.errors({path: f'// text\n  #  include "{header}"\n'})
                own = path.rsplit("/", 1)[0]
                self.assertEqual(found, [f"{path}:2: includes {header}, but {own} does not stand on {room}"])

    def test_an_upward_include_that_is_planted_in_the_checkout_is_found(self):
        files = tree.texts(("sw", "sim"), (".h", ".cc"))
        self.assertEqual(rooms.include_errors(files), [])
        path = next(path for path in files if path.startswith("sw/os/kernel/"))
        files[path] += '#include "os/tables/geometry.h"\n'
        self.assertEqual(len(rooms.include_errors(files)), 1)

    def test_users_of_the_operating_system_include_the_application_s_classes_calls_and_values_only(self):
        values = "".join(f'#include "{value.removeprefix("sw/")}"\n' for value in sorted(rooms.CALLS | rooms.VALUES))
        for room in rooms.USERS:
            with self.subTest(room=room):
                self.assertEqual(self.errors({f"{room}/a.cc": values + '#include "os/application/gpu.h"\n'}), [])
                self.assertEqual(self.errors({f"{room}/a.cc": '#include "os/hal/hal.h"\n'}),
                                 [f"{room}/a.cc:1: includes os/hal/hal.h, but {room} has sw/os/application for it"])
        past = {("sw/app/a.cc", "sw/os/hal/hal.h"): "why"}
        self.assertEqual(self.errors({"sw/app/a.cc": '#include "os/hal/hal.h"\n'}, past), [])
        self.assertEqual(len(self.errors({"sw/app/a.cc": ""}, past)), 1)

    def test_an_include_past_the_application_s_classes_that_is_planted_in_the_checkout_is_found(self):
        files = tree.texts(("sw", "sim"), (".h", ".cc"))
        self.assertTrue(rooms.CALLS | rooms.VALUES <= {f"sw/{header}" for path, text in files.items() for _, header in
                                         tree.includes(text) if path.rsplit("/", 1)[0] in rooms.USERS})
        files["sw/workload/procedures/sleep.cc"] += '#include "os/vidsch/vidsch.h"\n'
        files["sw/workload/procedures/sleep.cc"] += '#include "os/vidmm/paging_work.h"\n'
        self.assertEqual(len(rooms.include_errors(files)), 2)

    def test_a_type_that_is_completed_for_applications_in_the_checkout_is_found(self):
        files = tree.texts(("sw", "sim"), (".h", ".cc"))
        self.assertEqual(rooms.open_errors(files), [])
        files["sw/os/tables/protection.h"] += '#include "os/vidmm/gpu_process.h"\n'
        self.assertIn("sw/os/vidmm/mappings.h: completes the type of sw/os/vidmm/gpu_process.h for applications",
                      rooms.open_errors(files))

    def test_a_room_without_a_row_and_a_row_without_a_room_are_named(self):
        files = ("sw/os/attic/a.cc", "sw/hw/b.h", "sw/hw/c.cc")
        self.assertEqual(rooms.row_errors(files, ("sw/os/attic", "sw/hw")), [])
        self.assertEqual(rooms.row_errors(files, ("sw/hw", "sw/cellar")),
                         ["sw/os/attic: this room has no row in tools/rooms.py",
                          "tools/rooms.py: sw/cellar has a row, but no such folder has sources"])

    def test_a_row_that_is_planted_beside_those_of_the_checkout_is_found(self):
        files = tree.texts(("sw", "sim"), (".h", ".cc"))
        self.assertEqual(rooms.row_errors(files), [])
        self.assertEqual(len(rooms.row_errors(files, [*rooms.ROOMS, "sw/cellar"])), 1)

    def test_an_exception_holds_for_its_file_only_and_must_be_used(self):
        upward = {("sw/kmd/a.cc", "sw/kmd/build/b.h"): "why"}
        text = '#include "kmd/build/b.h"\n'
        self.assertEqual(self.errors({"sw/kmd/a.cc": text}, upward), [])
        self.assertEqual(len(self.errors({"sw/kmd/a.cc": text, "sw/kmd/c.cc": text}, upward)), 1)
        self.assertEqual(self.errors({"sw/kmd/a.cc": ""}, upward),
                         ["tools/rooms.py: sw/kmd/a.cc does not include sw/kmd/build/b.h; remove this exception"])

    def test_no_room_stands_on_itself(self):
        for room, lower in rooms.ROOMS.items():
            for other in lower:
                self.assertNotIn(room, rooms.below(other))


class Sizes(unittest.TestCase):
    def test_files_above_the_limit_and_exceptions_without_need_are_named(self):
        files = {"a.cc": "\n" * 401, "b.cc": "\n" * 400, "c.h": "\n" * 500, "d.h": "\n"}
        self.assertEqual(sizes.line_errors(files, {"c.h": "table", "d.h": "table"}),
                         ["a.cc: 401 lines, at most 400 are allowed", "tools/sizes.py: d.h needs no exception"])

    def test_headers_are_counted_once_however_they_are_reached(self):
        files = {"sw/os/a.h": '#include "os/b.h"\n#include "hw/c.h"\n#include <map>\n', "sw/os/b.h": '#include "hw/c.h"\n',
                 "sw/hw/c.h": '#include "d.h"\n', "sw/hw/d.h": '#include "os/a.h"\n'}
        self.assertEqual(sizes.reach(files)["sw/os/a.h"], {"sw/os/b.h", "sw/hw/c.h", "sw/hw/d.h"})
        many = {f"sw/x/{n}.h": f'#include "x/{n + 1}.h"\n' for n in range(27)}
        self.assertEqual(sizes.header_errors(many), ["sw/x/0.h: reaches 26 project headers, at most 25 are allowed"])
        kit = {path.replace("sw/x", "sw/ddi"): text.replace("x/", "ddi/") for path, text in many.items()}
        self.assertEqual(sizes.header_errors({**kit, "sw/y/a.h": '#include "ddi/0.h"\n'}), [])

    def test_public_methods_are_counted(self):
        text = """
// class Comment { void No(); };
class One final : public Base<int> {
 public:
  explicit One(int a) : a_(a), b_{1} {}
  ~One() override = default;
  One& operator=(const One&) = delete;
  using Done = std::function<void(int)>;
  [[nodiscard]] bool First(int a = Default());
  int second() const { return a_ ? 1 : 2; }
  template <typename T>
  void Third(T&& t) {
    for (;;) { t(); }
  }
  std::function<void(int)> handler;
  struct Inner {
    void InnerOnly();
  };
  static std::map<int, int> Fourth(const char* text = "a;b{");

 private:
  void Hidden();
  int a_ = Start(), b_;

 public:
  virtual void Fifth() = 0;
};
struct Two { int x = 0; void Only(); };
enum class Three { kA, kB };
class Four;
"""
        self.assertEqual([(name, count) for name, _, count in sizes.public_methods(text)],
                         [("One", 5), ("Inner", 1), ("Two", 1)])
        big = "class Big {\n public:\n" + "".join(f"  void F{n}();\n" for n in range(41)) + "};\n"
        self.assertEqual(sizes.method_errors({"a.h": big}),
                         ["a.h:1: class Big has 41 public methods, at most 40 are allowed"])


if __name__ == "__main__":
    unittest.main()
