# SPDX-License-Identifier: Apache-2.0
"""The result line of each test, which run.py prints, and the seeds of a run."""
import json
import os
import time


class Report:
    def __init__(self, test, variant, seed, gpu):
        self.line = {"test": test, "variant": variant, "seed": seed}
        self._gpu = gpu

    @staticmethod
    def seeds(count):
        """The seeds of this run for a test that has `count` of them; the last third is for short ids."""
        first, few = int(os.environ.get("GMMU_SEED", "1")), max(1, count // 3)
        seeds = range(first, first + count)
        return list(seeds[:-few] if os.environ.get("GMMU_ID_BITS", "16") == "16" else seeds[-few:])

    def note(self, text):
        self.line["note"] = text

    def __enter__(self):
        self._start = time.process_time()
        return self

    def __exit__(self, kind, error, _):
        self.line.update(cycles=self._gpu.now, seconds=time.process_time() - self._start,
                         error=f"{kind.__name__}: {error}" if kind else "")
        if path := os.environ.get("GMMU_REPORT"):
            with open(path, "a") as out:
                out.write(json.dumps(self.line) + "\n")
