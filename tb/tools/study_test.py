# SPDX-License-Identifier: Apache-2.0
"""study_test.py PROGRAM: tests gmmu study on the program's fast engine."""
import csv
import os
import pathlib
import resource
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = pathlib.Path(sys.argv.pop(1)).resolve()
sys.path.insert(0, str(ROOT / "tools/study"))
import plan  # noqa: E402
import runner  # noqa: E402

HUNDRED = """
title = "IOTLB of a small job"
engine = "fast"
scenario = "context-allocations"

[[grid]]
iommu.iotlb_sets = { from = 1, to = 16, times = 2 }
iommu.iotlb_ways = [1, 4]
seed = { from = 0, to = 9 }
"""
TINY = """
engine = "fast"
scenario = "context-allocations"
[grid]
seed = [1, 2, 3]
"""


def command(study, *more, program=PROGRAM):
    return [sys.executable, str(ROOT / "tools/study/study.py"), str(study), "--program", str(program), *more]


class StudyTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="gmmu_study_")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def file(self, text, name="s.toml"):
        path = self.folder / name
        path.write_text(text)
        return path

    def study(self, text, *more, status=0, program=PROGRAM, **options):
        """Returns what a study wrote to standard error and standard output."""
        study = self.file(text)
        done = subprocess.run(command(study, *more, program=program), capture_output=True, text=True, timeout=300, **options)
        self.assertEqual(done.returncode, status, done.stderr + done.stdout)
        return done.stderr + done.stdout

    def rows(self, view, db="s.db"):
        """Returns the rows of a view without the columns that depend on the computer."""
        with sqlite3.connect(self.folder / db) as connection:
            connection.row_factory = sqlite3.Row
            rows = [dict(row) for row in connection.execute(f"SELECT * FROM {view}")]
        for row in rows:
            row.pop("host_seconds", None)
        return sorted(rows, key=str)

    def script(self, text):
        """Writes a script that replaces the program. `arguments` are its own; `go()` calls the real program."""
        path = self.folder / "gmmu"
        path.write_text(f"#!{sys.executable}\nimport os, sys, time\narguments = sys.argv[1:]\n"
                        f"def go():\n    os.execv({str(PROGRAM)!r}, [{str(PROGRAM)!r}, *arguments])\n"
                        f"if arguments[0] == 'config' or '--list' in arguments:\n    go()\nseed = int(arguments[arguments.index('--seed') + 1])\n{text}\n")
        path.chmod(0o755)
        return path


class Replay(StudyTest):
    def test_a_workload_is_an_axis_and_its_latencies_are_figures(self):
        self.study("""
command = "replay"
engine = "fast"
arguments = ["--warps", "1", "--fragmented", "100", "--warmup", "500"]
[[grid]]
workload = ["gen:chase,footprint=128KiB,count=1000", "gen:chase,footprint=8MiB,count=1000"]
gpu.l2_entries = [128, 512]
""")
        rows = {(row["workload"].split(",")[1], row["gpu.l2_entries"]): row for row in self.rows("run")}
        self.assertEqual({row["accesses"] for row in rows.values()}, {500})
        self.assertLess(rows["footprint=128KiB", 128]["latency_mean"], rows["footprint=8MiB", 128]["latency_mean"])
        self.assertLessEqual(rows["footprint=8MiB", 512]["latency_p50"], rows["footprint=8MiB", 512]["latency_p99"])
        done = subprocess.run(command(self.folder / "s.toml", "--export", str(self.folder / "out")), capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.folder / "out/runs.csv", newline="") as file:
            exported = {(row["workload"].split(",")[1], int(row["gpu.l2_entries"])): float(row["latency_mean"]) for row in csv.DictReader(file)}
        self.assertEqual(exported, {key: row["latency_mean"] for key, row in rows.items()})

    def test_what_pages_on_demand_moved_are_figures(self):
        self.study("""
command = "replay"
engine = "fast"
arguments = ["--demand"]
[[grid]]
workload = ["gen:random,footprint=1MiB,count=500", "gen:random,footprint=4MiB,count=500"]
""")
        small, large = sorted(self.rows("run"), key=lambda row: row["demand_far_faults"])
        for row in (small, large):
            self.assertEqual(row["demand_bytes_in"], (row["demand_faulted"] + row["demand_prefetched"]) * 65536)
            self.assertGreater(row["demand_wait_cycles_mean"], 0)
            self.assertLessEqual(row["demand_wait_cycles_mean"], row["demand_wait_cycles_p99"] * 2)
        self.assertLess(small["demand_bytes_in"], large["demand_bytes_in"])


class Resume(StudyTest):
    def test_a_study_that_was_killed_goes_on_and_has_the_rows_of_one_in_one_go(self):
        study = self.file(HUNDRED)
        log = self.folder / "log"
        slow = self.folder / "slow"  # while this file exists, points after the 40th are slow: the study cannot end
        slow.touch()
        counting = self.script(f"with open({str(log)!r}, 'a+') as file:\n    print(arguments, file=file)\n"
                               f"    file.seek(0)\n    late = len(file.readlines()) > 40\n"
                               f"if late and os.path.exists({str(slow)!r}): time.sleep(3)\ngo()")
        with open(self.folder / "said", "w") as said:
            process = subprocess.Popen(command(study, program=counting), stderr=said, start_new_session=True)
        end = time.monotonic() + 200
        while self.count() < 30 and time.monotonic() < end:
            time.sleep(0.02)
        os.killpg(process.pid, signal.SIGKILL)  # its programs too, which would otherwise continue to write the log
        process.wait()
        slow.unlink()
        killed_at = self.count()
        self.assertGreaterEqual(killed_at, 30)
        self.assertLess(killed_at, 100, "it ended before it was killed")
        before = len(log.read_text().splitlines())
        said = self.study(HUNDRED, program=counting)
        self.assertIn(f"{100 - killed_at} to run, {killed_at} were finished before", said)
        self.assertEqual(len(log.read_text().splitlines()) - before, 100 - killed_at, "a finished point ran again")

        one = self.folder / "one.db"
        self.study(HUNDRED, "--db", str(one), program=counting)
        self.assertEqual(len(self.rows("run")), 100)
        self.assertEqual({row["status"] for row in self.rows("run")}, {"passed"})
        for view in ("run", "phase", "counter"):
            self.assertEqual(self.rows(view), self.rows(view, "one.db"), view)
        self.assertIn("0 to run, 100 were finished before", self.study(HUNDRED, program=counting))

    def count(self):
        if not (self.folder / "s.db").exists():
            return 0
        with sqlite3.connect(self.folder / "s.db", timeout=30) as connection:
            try:
                return connection.execute("SELECT count(*) FROM point").fetchone()[0]
            except sqlite3.OperationalError:  # the tables do not exist yet
                return 0

    def test_an_interrupt_keeps_what_was_finished(self):
        slow = self.script("time.sleep(0.1 if seed < 3 else 60)\ngo()")
        process = subprocess.Popen(command(self.file(TINY.replace("[1, 2, 3]", "[1, 2, 3, 4]")), program=slow),
                                   stderr=subprocess.PIPE, text=True)
        end = time.monotonic() + 100
        while self.count() < 2 and time.monotonic() < end:
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=20)
        self.assertEqual(process.returncode, 1, said)
        self.assertIn("interrupted; what was finished is kept", said)
        self.assertNotIn("Traceback", said)
        self.assertEqual(self.count(), 2)
        self.assertIn("4 points: 2 passed, 2 to run", self.study(TINY.replace("[1, 2, 3]", "[1, 2, 3, 4]"), "--status", program=slow))

    def test_another_program_input_or_configuration_is_another_point(self):
        self.file("[gpu]\nvram_mib = 64\n", "base.toml")
        (self.folder / "input").write_bytes(b"1" * 4096)
        text = 'engine = "fast"\nconfig = "base.toml"\nworkload = "input"\n[grid]\ngpu.vram_latency = [50, 100]\n'
        self.study(text)
        self.assertIn("0 to run", self.study(text))
        (self.folder / "input").write_bytes(b"2" * 4096)
        self.assertIn("2 to run", self.study(text))
        self.file("[gpu]\nvram_mib = 128\n", "base.toml")
        self.assertIn("2 to run", self.study(text))
        self.assertEqual([row["gpu.vram_mib"] for row in self.rows("run")], [128, 128])
        self.assertIn("1 to run, 2 were finished", self.study(text.replace("[50, 100]", "[50, 100, 150]")))
        self.assertIn("3 to run", self.study(text.replace("[50, 100]", "[50, 100, 150]"), program=self.script("go()")))

    def test_two_studies_do_not_write_to_one_file(self):
        slow = self.script("time.sleep(60)")
        process = subprocess.Popen(command(self.file(TINY), program=slow), stderr=subprocess.PIPE, text=True)
        process.stderr.readline(), process.stderr.readline()
        self.assertIn("another gmmu study is writing to it", self.study(TINY, status=2))
        process.terminate()
        process.communicate()


class Points(StudyTest):
    def test_a_point_that_fails_is_a_row_with_its_error_and_the_study_goes_on(self):
        said = self.study('engine = "fast"\n[grid]\ninject.leak = ["", "adl"]\nseed = [0, 1]\n', status=1)
        rows = {(row["inject.leak"], row["seed"]): row for row in self.rows("run")}
        self.assertEqual({key: row["status"] for key, row in rows.items()},
                         {("", 0): "passed", ("", 1): "passed", ("adl", 0): "failed", ("adl", 1): "failed"})
        self.assertRegex(rows["adl", 0]["error"], "leaked page 0x[0-9a-f]+ of application")
        self.assertEqual(rows["adl", 0]["passed"], 0)
        self.assertIn("2 of 4 points passed, 2 failed", said)

    def test_errors_timeouts_and_signals_have_their_words(self):
        program = self.script("if seed == 1: os.kill(os.getpid(), 11)\nif seed == 2: time.sleep(60)\n"
                              "if seed == 4: sys.exit('no such thing')\ngo()")
        self.study("limit_seconds = 5\n" + TINY.replace("[1, 2, 3]", "[1, 2, 3, 4]"), "--jobs", "4", status=1, program=program)
        rows = {row["seed"]: (row["status"], row["error"]) for row in self.rows("run")}
        self.assertEqual(rows[1], ("error", "ended by SIGSEGV"))
        self.assertEqual(rows[2][0], "timeout")
        self.assertIn("took more than 5 s", rows[2][1])
        self.assertEqual(rows[3], ("passed", None))
        self.assertEqual(rows[4], ("error", "no such thing"))
        self.assertIn("1 to run, 3 were finished", self.study(TINY.replace("[1, 2, 3]", "[1, 2, 3, 4]"), status=1, program=program))

    def test_again_runs_what_did_not_pass(self):
        mark = self.folder / "mark"
        program = self.script(f"if seed == 2 and not os.path.exists({str(mark)!r}): sys.exit('not yet')\ngo()")
        self.study(TINY, status=1, program=program)
        mark.touch()
        self.assertIn("0 to run", self.study(TINY, status=1, program=program))
        self.assertIn("1 to run, 2 were finished", self.study(TINY, "--again", program=program))

    def test_grids_and_lists_make_the_points_that_they_name(self):
        text = ('engine = "fast"\n[set]\ngpu.vram_mib = 96\n[[grid]]\ngpu.page_table_bits = [[9, 9, 9, 9], [9, 9, 9]]\nseed = [0, 1]\n'
                '[[list]]\ngpu.vram_latency = [50, 60, 70]\nSEED')
        said = self.study(text.replace("SEED", "seed = { from = 5, to = 9, step = 2 }\n"))
        self.assertIn("7 points over gpu.page_table_bits, seed, gpu.vram_latency", said)
        rows = [(row["gpu.page_table_bits"], row["gpu.vram_latency"], row["seed"], row["gpu.vram_mib"]) for row in
                sorted(self.rows("run"), key=lambda row: row["run"])]
        self.assertEqual([row[2] for row in rows], [0, 1, 0, 1, 5, 7, 9])
        self.assertEqual([row[1] for row in rows[4:]], [50, 60, 70])
        self.assertEqual(rows[2][0], "[9,9,9]")
        self.assertEqual({row[3] for row in rows}, {96})

    def test_keys_change_the_machine_of_a_scenario(self):
        self.study('engine = "fast"\n[grid]\nscenario = ["linked-two", "context-allocations"]\niommu.iotlb_ways = [1, 2]\n')
        self.assertEqual([(row["scenario"], row["iommu.iotlb_ways"]) for row in sorted(self.rows("run"), key=lambda row: row["run"])],
                         [("linked-two", 1), ("linked-two", 2), ("context-allocations", 1), ("context-allocations", 2)])


class BadInput(StudyTest):
    def refused(self, text, said):
        self.assertIn(said, self.study(text, status=2))
        self.assertFalse((self.folder / "s.db").exists())

    def test_names_file_line_and_the_nearest_keys(self):
        self.refused('engine = "fast"\n[grid]\nseed = [1]\ngpu.l2_entrys = [1]\n', "s.toml:4: unknown key gpu.l2_entrys; near it: gpu.l2_entries")
        self.refused('engine = "fast"\n[grid]\niotlb_sets = [1]\n', "s.toml:3: unknown key iotlb_sets; near it: iommu.iotlb_sets")
        self.refused('engin = "fast"\n', "s.toml:1: unknown key engin; near it: engine")
        self.refused('[grid]\ngpu.vram_mib = [64,\n 0]\n', "s.toml:2: gpu.vram_mib = 0 is not possible; allowed: integer of 1 to 65536")
        self.refused('[grid]\nos.iommu = ["off"]\n', 's.toml:2: os.iommu = "off" is not possible')
        self.refused('engine = "quick"\n', 's.toml:1: engine = "quick" is not possible; allowed: rtl or fast')
        self.refused('[grid]\nseed = []\n', "s.toml:2: seed has no value")
        self.refused('[grid]\nseed = { from = 3, to = 1 }\n', "s.toml:2: seed: a range is")
        self.refused('[[list]]\nseed = [1, 2]\ngpu.vram_mib = [64, 65, 66]\n', "must be equally long: seed has 2, gpu.vram_mib has 3")
        self.refused('[grid\n', "s.toml:1:")
        self.refused('scenario = "linked-two"\nconfig = "x.toml"\n', "a scenario has its own machine")

    def test_refuses_values_of_every_other_type(self):
        keys = runner.schema_keys(PROGRAM)

        def refused(text, said):
            with self.assertRaises(plan.StudyError) as refusal:
                plan.Study(self.file(text), keys, lambda _: (), lambda: ())
            self.assertIn(said, str(refusal.exception))

        for limit in ("nan", "inf", "-inf", "0", "-1", "true", "1e300", "2000001", "1979-05-27", '"1"', "[1]"):
            refused(f"limit_seconds = {limit}\n" + TINY, "s.toml:1: limit_seconds is the longest that a point may take")
        for value in ("1979-05-27", "07:32:00", "1979-05-27T07:32:00Z", "[1979-05-27]", "nan", "{ from = 1979-05-27, to = 3 }"):
            for name in ("seed", "gpu.vram_mib", "engine", "arguments"):
                refused(f"[grid]\n{name} = {value}\n", f"s.toml:2: {name}")
        for name in ("seed", "gpu.vram_mib"):
            table = "[set]\n" if "." in name else "\n"
            refused(f"{table}{name} = {{ from = 1, to = 2 }}\n", f"s.toml:2: {name} is a range, which belongs into [[grid]] or [[list]]")
            refused(f"{table}{name} = {{ from = 1, to = 2, times = 2 }}\n", f"s.toml:2: {name} = [1, 2] is not possible")
            refused(f"[grid]\n{name} = {{ from = 0, to = {10**30} }}\n", f"s.toml:2: {name}: a range has at most")
        refused(f"seed = {2**64}\n", "s.toml:1: seed = 18446744073709551616 is not possible; allowed: a whole number from 0")
        refused('command = "fly"\n', 's.toml:1: command = "fly" is not possible; allowed: run or replay')
        refused("title = 1979-05-27\n", 's.toml:1: title = "1979-05-27" is not possible; allowed: a string')
        refused("seed = " + "9" * 5000 + "\n", "s.toml: cannot be read: Exceeds the limit")
        refused("seed = " + "[" * 5000 + "\n", "s.toml")

    def test_a_plan_refuses_files_that_are_not_there(self):
        for text in ('config = "none.toml"\n', '[grid]\nconfig = ["none.toml"]\n', 'scenario = "none.toml"\n', 'workload = "none.toml"\n',
                     'command = "replay"\n[[list]]\nworkload = ["gen:chase,count=1000", "none.toml"]\n'):
            self.assertRegex(self.study(text, "--plan", status=2), r's\.toml:\d: (config|scenario|workload) = "none.toml": .*/none\.toml is no file\n')
        self.assertIn("is a folder", self.study(f'workload = "{self.folder}"\n', "--plan", status=2))

    def test_a_plan_refuses_scenarios_that_the_program_has_not(self):
        for text in ('scenario = "linked-too"\n', '\n[[grid]]\nscenario = ["linked-two", "linked-too"]\n',
                     '[[list]]\nscenario = ["linked-two", "linked-too"]\nseed = [1, 2]\n'):
            self.assertRegex(self.study(text, "--plan", status=2),
                             r's\.toml:[123]: scenario = "linked-too": there is no such scenario; near it: linked-two')
        self.assertIn("gmmu run --list has the names", self.study('scenario = "qqqqqq"\n', "--plan", status=2))

    def test_a_list_as_long_as_a_range_costs_nothing_before_it_runs(self):
        text = 'engine = "fast"\n[[list]]\nseed = { from = 1, to = 1_000_000_000 }\ngpu.vram_latency = 50\n'
        self.assertIn("1000000000 points over seed, gpu.vram_latency", self.study(text, "--plan"))

    def test_results_in_a_folder_that_is_not_there(self):
        said = self.study(TINY, "--db", str(self.folder / "none/x.db"), status=2)
        self.assertIn("none/x.db.lock: cannot be written: No such file or directory\nGive another place by --db.\n", said)
        self.assertNotIn("Errno", said)

    def test_standard_streams_that_are_closed_or_full(self):
        study, full = self.file(TINY), open("/dev/full", "w")
        self.addCleanup(full.close)
        run = lambda *more, **streams: subprocess.run(command(study, *more), text=True, timeout=100, **streams)  # noqa: E731
        self.assertEqual(run(stdout=subprocess.PIPE, stderr=full).returncode, 0)
        (self.folder / "s.db").unlink()
        self.assertEqual(run(preexec_fn=lambda: [os.close(stream) for stream in range(3)]).returncode, 0)
        self.assertEqual(len(self.rows("run")), 3)
        for more in (("--status",), ("--help",)):
            done = run(*more, stdout=full, stderr=subprocess.PIPE)
            self.assertEqual(done.returncode, 2)
            self.assertIn("gmmu study: standard output cannot be written: No space left on device\n", done.stderr)
            self.assertNotIn("Traceback", done.stderr)
            done = run(*more, stderr=subprocess.PIPE, preexec_fn=lambda: os.close(1))
            self.assertEqual((done.returncode, done.stderr.splitlines()[-1]),
                             (2, "gmmu study: standard output cannot be written: Bad file descriptor"))

    def test_a_huge_grid_says_how_long_it_takes_and_wants_yes(self):
        text = TINY.replace("[1, 2, 3]", "{ from = 1, to = 1_000_000 }")
        self.refused(text, "1000000 points; the first took")
        self.refused(text, "More than 10000 need --yes.")

    def test_files_that_are_not_there(self):
        done = subprocess.run(command(self.folder / "none.toml"), capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("none.toml: cannot be read: No such file or directory", done.stderr)
        self.assertIn("there are no results yet", self.study(TINY, "--status", status=2))
        (self.folder / "s.db").write_text("no database" * 100)
        self.assertIn("give another file by --db", self.study(TINY, status=2))

    def test_a_full_disk_loses_nothing_that_was_finished(self):
        limit, most = 300_000, resource.RLIM_INFINITY  # largest file in bytes, for the study only
        program = self.script(f"import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, ({most}, {most}))\ngo()")
        said = self.study(HUNDRED, status=2, program=program,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, most)))
        self.assertIn("cannot be written", said)
        self.assertIn("What was finished is kept", said)
        kept = len(self.rows("run"))
        self.assertGreater(kept, 2)
        self.assertIn(f"{100 - kept} to run, {kept} were finished before", self.study(HUNDRED, program=program))
        self.assertEqual(len(self.rows("run")), 100)


class Export(StudyTest):
    def test_writes_tidy_rows_as_csv_and_parquet(self):
        self.study('engine = "fast"\n[grid]\niommu.iotlb_sets = [1, 16]\nseed = [0, 1]\n')
        out = self.folder / "out"
        told = self.study('engine = "fast"\n[grid]\niommu.iotlb_sets = [1, 16]\nseed = [0, 1]\n', "--export", str(out))
        self.assertEqual(sorted(path.name for path in out.iterdir()),
                         ["counters.csv", "counters.parquet", "phases.csv", "phases.parquet", "runs.csv", "runs.parquet"])
        self.assertIn(str(out / "runs.parquet"), told)
        with open(out / "runs.csv", newline="") as file:
            runs = list(csv.DictReader(file))
        views = sorted(self.rows("run"), key=lambda row: row["run"])
        self.assertEqual([(int(row["run"]), int(row["iommu.iotlb_sets"]), int(row["seed"]), int(row["cycles"])) for row in runs],
                         [(row["run"], row["iommu.iotlb_sets"], row["seed"], row["cycles"]) for row in views])
        self.assertEqual(runs[0]["counters.gpu_walker.walk_issue_cycles"], "", "not counted on this engine")
        self.assertGreater(int(runs[0]["counters.iommu.iotlb_misses"]), int(runs[2]["counters.iommu.iotlb_misses"]), "the same seed")
        with open(out / "phases.csv", newline="") as file:
            phases = list(csv.DictReader(file))
        self.assertEqual(len(phases), len(self.rows("phase")))
        self.assertEqual({row["name"] for row in phases} & {"page in", "page out"}, {"page in", "page out"})
        import duckdb
        got = duckdb.sql(f"SELECT run, \"iommu.iotlb_sets\", cycles, \"counters.iommu.iotlb_misses\" FROM '{out}/runs.parquet' ORDER BY run").fetchall()
        self.assertEqual(got, [(int(row["run"]), int(row["iommu.iotlb_sets"]), int(row["cycles"]),
                                int(row["counters.iommu.iotlb_misses"])) for row in runs])


class Builds(StudyTest):
    def test_a_size_of_the_rtl_costs_one_build_above_what_was_built_and_none_below(self):
        """The script ./gmmu is replaced by one that copies the program instead of building it."""
        root = self.folder / "root"
        (root / "build").mkdir(parents=True)
        fast = root / "build/gmmu"   # the program that is already built also runs the fast engine
        fast.write_text("#!/bin/sh\ncase $1 in config) ;; *) set -- $(echo \" $* \" | sed 's/ --engine rtl / --engine fast /') ;; esac\n"
                        f"exec {PROGRAM} \"$@\"\n")
        fast.chmod(0o755)
        door = root / "gmmu"
        door.write_text(f"#!/bin/sh\necho \"$@\" >>{root}/builds\nname={root}/build/$(echo \"$@\" | cksum | cut -d' ' -f1)\n"
                        "printf '#!/bin/sh\\n# %s\\ncase $1 in config) ;; *) set -- $(echo \" $* \" | sed \"s/ --engine rtl / --engine fast /\") ;; "
                        f"esac\\nexec {PROGRAM} \"$@\"\\n' \"$*\" >$name\nchmod +x $name\necho $name\n")
        door.chmod(0o755)
        study = self.file('[grid]\ngpu.l2_entries = [64, 128, 1024, 2048]\ngpu.walks = 2\nseed = [0, 1, 2]\n')

        def run(*more):
            return subprocess.run([sys.executable, str(ROOT / "tools/study/study.py"), str(study), "--root", str(root), *more],
                                  capture_output=True, text=True)
        done = run("--plan")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("builds of the RTL: 2, each once", done.stderr)
        self.assertFalse((root / "builds").exists())
        done = run()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("12 of 12 points passed", done.stderr)
        self.assertIn("build 1 of 2 took", done.stderr)
        self.assertEqual((root / "builds").read_text().splitlines(),
                         ["build --set gpu.l2_entries=1024", "build --set gpu.l2_entries=2048"])
        self.assertEqual([row["gpu.l2_entries"] for row in sorted(self.rows("run"), key=lambda row: row["run"])],
                         [64] * 3 + [128] * 3 + [1024] * 3 + [2048] * 3)
        self.assertIn("12 points: 12 passed, 0 to run", run("--status").stdout)


if __name__ == "__main__":
    unittest.main()
