# SPDX-License-Identifier: Apache-2.0
"""study_cluster_test.py PROGRAM: a study that runs through Snakemake must have the same rows as one that runs without
it (make study-cluster).

With GMMU_SLURM=1 its jobs run on the Slurm cluster that responds (tools/study/one_node_slurm.sh).
"""
import os
import pathlib
import sqlite3
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = pathlib.Path(sys.argv.pop(1)).resolve()
STUDY = """
engine = "fast"
scenario = "context-allocations"
[[grid]]
iommu.iotlb_ways = [1, 4]
seed = [0, 1]
[[grid]]
inject.leak = ["page"]
"""
SLURM = ("--executor", "slurm", "--jobs", "2", "--slurm-no-account", "--slurm-status-command", "squeue", "--default-resources", "mem_mb=300",
         "--slurm-init-seconds-before-status-checks", "5", "--seconds-between-status-checks", "5")


def rows(db, view):
    with sqlite3.connect(db) as connection:
        connection.row_factory = sqlite3.Row
        return sorted(({name: value for name, value in dict(row).items() if name != "host_seconds"}
                       for row in connection.execute(f"SELECT * FROM {view}")), key=str)


class Cluster(unittest.TestCase):
    def test_the_rows_are_those_of_a_study_that_ran_alone(self):
        with tempfile.TemporaryDirectory(prefix="gmmu_study_", dir=ROOT / "build") as name:
            folder = pathlib.Path(name)
            (folder / "s.toml").write_text(STUDY)

            def study(*more):
                return subprocess.run([sys.executable, str(ROOT / "tools/study/study.py"), str(folder / "s.toml"), "--program", str(PROGRAM),
                                       *more], capture_output=True, text=True)
            alone = study("--db", str(folder / "alone.db"))
            self.assertEqual(alone.returncode, 1, alone.stderr)
            self.assertIn("4 of 5 points passed, 1 failed", alone.stderr)
            self.assertEqual(study("--snakemake", str(folder / "jobs")).returncode, 0)
            how = SLURM if os.environ.get("GMMU_SLURM") else ("--cores", "2")
            done = subprocess.run([pathlib.Path(sys.executable).parent / "snakemake", "--directory", str(folder / "jobs"),
                                   "--snakefile", str(folder / "jobs/Snakefile"), *how], capture_output=True, text=True, timeout=900)
            self.assertEqual(done.returncode, 1, "a point did not pass, so the last job does not either\n" + done.stderr)
            self.assertEqual(len(rows(folder / "s.db", "run")), 5, done.stderr)
            for view in ("run", "phase", "counter"):
                self.assertEqual(rows(folder / "s.db", view), rows(folder / "alone.db", view), view)


if __name__ == "__main__":
    unittest.main()
