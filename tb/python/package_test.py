#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""package_test.py: tests the Python package gmmu as it is installed (PYTHONPATH), on the fast engine; some
tests run one machine after the other on every engine of the package."""
import pathlib
import signal
import tempfile
import threading
import time
import unittest

import numpy

import gmmu

BYTES = bytes(index * 11 % 251 for index in range(64 << 10))
RANDOM = "gen:random,footprint=1MiB,count=3000"


def timeless(report):
    return {name: value for name, value in report.items() if name != "host_seconds"}


class ConfigurationTest(unittest.TestCase):
    def test_is_a_mapping_with_values_of_python(self):
        configuration = gmmu.Configuration("[gpu]\nvram_mib = 32\n")
        self.assertEqual(configuration["gpu.vram_mib"], 32)
        configuration["gpu.vram_mib"] = numpy.int64(128)
        configuration.update({"iommu.present": False, "os.iommu": "physical", "gpu.page_table_bits": [9, 9, 9, 9]})
        self.assertEqual((configuration["gpu.vram_mib"], configuration["iommu.present"], configuration["os.iommu"],
                          configuration["gpu.page_table_bits"]), (128, False, "physical", [9, 9, 9, 9]))
        self.assertIn("gpu.l2_entries", list(configuration))
        self.assertEqual(configuration.to_dict()["gpu"]["vram_mib"], 128)
        self.assertEqual(gmmu.Configuration(configuration.to_toml()).to_dict(), configuration.to_dict())

    def test_refuses_with_the_text_of_the_program_and_stays_as_it_was(self):
        configuration = gmmu.Configuration()
        with self.assertRaisesRegex(gmmu.Error, "unknown key gpu.vram_mb; the nearest is gpu.vram_mib"):
            configuration.update({"gpu.vram_mib": 128, "gpu.vram_mb": 1})
        self.assertEqual(configuration.to_dict(), gmmu.Configuration().to_dict())
        with self.assertRaisesRegex(ValueError, "/no/such.toml"):
            gmmu.Configuration(file="/no/such.toml")
        with self.assertRaises(TypeError):
            gmmu.Configuration("", file="x")

    def test_a_copy_is_another_one(self):
        first = gmmu.Configuration()
        second = first.copy()
        second["gpu.vram_mib"] = 128
        self.assertNotEqual(first["gpu.vram_mib"], 128)


class RunTest(unittest.TestCase):
    def test_gives_the_report_and_the_bytes(self):
        back, phases = [], []
        report = gmmu.run(data=BYTES, engine="fast", seed=3, on_output=back.append,
                          on_progress=lambda phase, done, total: phases.append(phase))
        self.assertTrue(report.passed)
        self.assertEqual(b"".join(back), BYTES)
        self.assertIn("page in", phases)
        self.assertEqual(report.phase("page in")["bytes"], len(BYTES))
        self.assertEqual(report["machine"]["seed"], 3)

    def test_takes_a_file(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "input")
            path.write_bytes(BYTES)
            first = gmmu.run(file=path, engine="fast")
        self.assertEqual(timeless(first), timeless(gmmu.run(data=BYTES, engine="fast")))

    def test_does_not_depend_on_steps(self):
        whole = gmmu.run(data=BYTES, engine="fast")
        with gmmu.Machine.for_run(data=BYTES, engine="fast") as machine:
            last = 0
            while machine.step(50_000):
                self.assertGreaterEqual(machine.cycles, last + 50_000)
                last = machine.cycles
                counters = machine.counters()
                self.assertEqual(counters.dtype.names, ("block", "name", "value", "known", "unit"))
                self.assertGreater(len(counters), 50)
            self.assertTrue(machine.done)
            self.assertEqual(timeless(machine.report()), timeless(whole))

    def test_tells_the_faults_of_a_scenario(self):
        faults = []
        scenario = "noisy-device"
        self.assertIn(scenario, gmmu.scenarios())
        report = gmmu.run(scenario=scenario, engine="fast", on_fault=faults.append)
        self.assertEqual(faults, report["faults"])
        self.assertTrue(faults)

    def test_passes_on_what_a_callback_raises_and_can_go_on(self):
        calls = []

        def progress(phase, done, total):
            calls.append(phase)
            if len(calls) == 3:
                raise KeyError("enough")

        with gmmu.Machine.for_run(data=BYTES, engine="fast", on_progress=progress) as machine:
            with self.assertRaisesRegex(KeyError, "enough"):
                machine.run()
            self.assertFalse(machine.done)
            self.assertTrue(machine.run().passed)
        with self.assertRaisesRegex(TypeError, "on_foo; there are: on_progress"):
            gmmu.run(on_foo=print)

    def test_can_be_interrupted(self):
        before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it
        self.addCleanup(signal.signal, signal.SIGINT, before)
        timer = threading.Timer(0.3, lambda: signal.raise_signal(signal.SIGINT))
        timer.start()
        start = time.monotonic()
        with self.assertRaises(KeyboardInterrupt):
            for _ in range(1000):
                gmmu.run(engine="fast")
        timer.join()
        self.assertLess(time.monotonic() - start, 30)
        self.assertTrue(gmmu.run(data=BYTES, engine="fast").passed)

    def test_several_machines_one_after_the_other_on_every_engine(self):
        cycles = {}
        for engine in gmmu.engines() * 2:
            with gmmu.Machine.for_run(data=BYTES, engine=engine) as given_up:
                self.assertTrue(given_up.step(20_000))
            with self.assertRaisesRegex(ValueError, "was closed"):
                given_up.step(1)
            report = gmmu.run(data=BYTES, engine=engine, seed=3)
            self.assertTrue(report.passed)
            self.assertEqual(cycles.setdefault(engine, report["cycles"]), report["cycles"])
            self.assertEqual(report["machine"]["engine"], engine)

    def test_refuses_a_second_machine_and_unknown_names(self):
        with gmmu.Machine.for_run(engine="fast") as machine:
            with self.assertRaisesRegex(gmmu.Error, "another machine"):
                gmmu.run(engine="fast")
            machine.step(1000)
        with self.assertRaisesRegex(gmmu.Error, 'no engine "slow" in this build'):
            gmmu.run(engine="slow")
        with self.assertRaisesRegex(gmmu.Error, "no scenario"):
            gmmu.run(scenario="none")


class ReplayTest(unittest.TestCase):
    def test_has_histograms_that_agree_with_the_report(self):
        report = gmmu.replay(RANDOM, {"gpu.l2_entries": 1024}, engine="fast", warmup=500, page_size="64k")
        histogram = report.latency()
        summary = report.phase("region")["latency"]
        self.assertEqual(histogram.buckets["count"].sum(), histogram.count)
        self.assertEqual(histogram.count, 2500)
        self.assertEqual((histogram.quantile(0.5), histogram.quantile(0.99)), (summary["p50"], summary["p99"]))
        self.assertEqual(report["configuration"]["gpu"]["l2_entries"], 1024)
        with self.assertRaisesRegex(KeyError, "there are: .*region"):
            report.phase("none")

    def test_tells_each_access_as_an_array(self):
        arrays = []
        report = gmmu.replay(RANDOM, engine="fast", on_accesses=arrays.append)
        accesses = numpy.concatenate(arrays)
        self.assertEqual(len(accesses), sum(phase["requests"] for phase in report["replay"]["phases"]))
        latency = accesses["answered"] - accesses["requested"]
        self.assertEqual(latency.max(), report.latency(port=True).max)
        self.assertAlmostEqual(latency.mean(), report.latency(port=True).mean, places=6)
        self.assertFalse(accesses["fault"].any())

    def test_pages_come_on_demand(self):
        report = gmmu.replay(RANDOM, engine="fast", demand=True, batch=4, prefetch=2, resident=1, evict="random")
        self.assertTrue(report.passed)
        self.assertGreater(report.latency().max, gmmu.replay(RANDOM, engine="fast").latency().max)
        with self.assertRaisesRegex(gmmu.Error, "prefetch: 'all' is none of none | tree"):
            gmmu.replay(RANDOM, demand=True, prefetch="all")

    def test_refuses_options_by_name(self):
        with self.assertRaisesRegex(gmmu.Error, "no option pages; there are: accesses"):
            gmmu.replay(RANDOM, pages="64k")
        with self.assertRaisesRegex(gmmu.Error, "page_size: '1m' is none of 2m | 4k | 64k"):
            gmmu.replay(RANDOM, page_size="1m")
        with self.assertRaisesRegex(gmmu.Error, "warps: 0 is not a number from 1 to 1024"):
            gmmu.replay(RANDOM, warps=0)


if __name__ == "__main__":
    unittest.main()
