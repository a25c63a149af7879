# SPDX-License-Identifier: Apache-2.0
"""One run of the program with a scenario and settings, and what its end means."""
import collections
import contextlib
import json
import pathlib
import re
import resource
import subprocess
import tempfile

VERIFIED, REFUSED, NOT_APPLICABLE, FAILED = "verified", "refused", "not applicable", "failed"
LIMIT = {"fast": 60, "rtl": 900}  # processor seconds of a run
MEMORY = 4 << 20                  # KiB of memory that a run may have resident


class Verdict:
    """`kind`; `text`: the reason, in lines; `sort`: the reason without numbers, which is equal for failures of one sort;
    `keys`: the settings of the run that a refusal names."""

    def __init__(self, kind, text="", keys=()):
        self.kind, self.text, self.keys = kind, text.strip(), tuple(keys)
        self.sort = re.sub(r"0x[0-9a-f]+|\d+", "#", self.text.splitlines()[0] if self.text else "")[:160]


Ended = collections.namedtuple("Ended", "returncode stdout stderr fat")


def words(program, scenario, engine, seed, settings, driver=""):
    """The command of a run. A driver runs without a device of ours, and therefore on no engine."""
    return ([str(program), "run", *(["--device", "none"] if driver else ["--engine", engine]), "--scenario", scenario, "--seed", str(seed)]
            + (["--driver", driver] if driver else [])
            + [word for key, value in sorted(settings.items()) for word in ("--set", f"{key}={value}")])


def named(text, settings):
    """The settings whose keys stand in a text, as "os.iommu" or as "[os] iommu"."""
    text = re.sub(r"\[(?:machine\.)?(\w+)\] (\w+)", r"\1.\2", text)
    found = [(at.start(), key) for key in settings if (at := re.search(rf"(?<![\w.]){re.escape(key)}(?!\w)", text))]
    return [key for _, key in sorted(found)]


def limits(seconds):
    def begin():
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    return begin


def watched(words, begin):
    """Runs a command to its end, or kills it when it has more than MEMORY resident."""
    with subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace",
                          preexec_fn=begin) as process:
        fat = False
        while True:
            with contextlib.suppress(subprocess.TimeoutExpired):
                out, err = process.communicate(timeout=0.2)
                return Ended(process.returncode, out, err, fat)
            with contextlib.suppress(OSError, TypeError):
                resident = re.search(r"VmRSS:\s*(\d+)", pathlib.Path(f"/proc/{process.pid}/status").read_text())
                if resident and int(resident[1]) > MEMORY:
                    fat = True
                    process.kill()


def run(command, settings, report=None):
    """The verdict of a run. `report`: where its JSON report stays; by default in a file that is deleted."""
    seconds = LIMIT["rtl" if "rtl" in command else "fast"]
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(report or folder + "/report.json")
        done = watched([*command, "--json", str(report)], limits(seconds))
        said = json.loads(report.read_text()) if report.exists() else {}
    complaint = [line.removeprefix("gmmu: ") for line in done.stderr.splitlines() if not PROGRESS.match(line)]
    if done.returncode == 0:
        return Verdict(VERIFIED)
    if done.returncode == 3:
        return Verdict(NOT_APPLICABLE, "\n".join(complaint) or said.get("not_applicable") or done.stdout)
    if done.returncode == 2:
        text = "\n".join(complaint)
        keys = named(text, settings)
        return Verdict(REFUSED, text, keys) if keys else Verdict(FAILED, "refused, and no setting is named: " + text)
    if done.returncode == 1:
        wrong = re.search(r"^What went wrong\n((?:  .*\n?)+)", done.stdout, re.MULTILINE)
        text = wrong.group(1) if wrong else "\n".join(complaint) or done.stdout
        return Verdict(FAILED, "\n".join(line.strip() for line in text.splitlines()))
    text = "\n".join(complaint[-5:])
    if done.fat:
        return Verdict(FAILED, f"more than {MEMORY >> 20} GiB of memory\n{text}")
    if -done.returncode in (9, 24):
        return Verdict(FAILED, f"no end in {seconds} processor seconds\n{text}")
    return Verdict(FAILED, f"exit status {done.returncode}\n{text}")


PROGRESS = re.compile(r"gmmu: (power o|making |copying |page in|page out|clients |two processes|aperture$|round )|\s*$")
