#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""make library: gmmu as a library in projects of others, a line for each way. Everything is in build/library. make integration runs
python and notebook; the others compile the software once more, rtl and what follows it the Verilated GPU too.

  run.py [--only NAME]... [--software-of BUILD] [--jobs N]

  subdirectory   examples/library with these sources by add_subdirectory; installs them from there into a prefix
  package        the same program by find_package from that prefix; a version that does not fit is refused
  pkg-config     the same program by g++ and pkg-config
  python         pip builds and installs the package; its tests, its annotations and its stub. With --software-of the module is
                 linked with the libraries of that build, in place of compiling them once more
  notebook       the cells of examples/reach.ipynb run one after the other
  rtl            the library with both engines, installed into a prefix of its own; the same program by find_package and pkg-config
  tlm            examples/tlm, a GPU in a SystemC platform of one's own, with that library
  python-rtl     pip builds and installs the package with both engines; its tests

Exit status: 0 all passed, 1 one failed, 2 something that it needs is not there.
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / "build/library"
PREFIX, PREFIX_RTL, SITE = BUILD / "prefix", BUILD / "prefix-rtl", BUILD / "site"
EXAMPLE, PACKAGE = ROOT / "examples/library", ROOT / "sw/python/gmmu"


class Failed(Exception):
    pass


def run(command, name, expect=0, **environment):
    """Runs a command with its output in build/library/NAME.log, and returns that output. Raises Failed on another exit
    status."""
    log = BUILD / f"{name}.log"
    with open(log, "w") as out:
        done = subprocess.run([str(word) for word in command], cwd=ROOT, stdout=out, stderr=subprocess.STDOUT,
                              env={**os.environ, **environment}, timeout=3600)
    text = log.read_text()
    if done.returncode != expect:
        raise Failed(f"exit status {done.returncode}, its output is in {log.relative_to(ROOT)}:\n" +
                     "\n".join(text.splitlines()[-15:]))
    return text


def with_path(site):
    """Returns a PYTHONPATH that begins with the installed package."""
    return os.pathsep.join([str(site), *filter(None, [os.environ.get("PYTHONPATH")])])


class Ways:
    def __init__(self, jobs, software_of):
        self.jobs, self.software_of = jobs, software_of
        self.said = None  # output of the program of an earlier way

    def build(self, folder, source, target, *settings):
        generator = ["-G", "Ninja"] if shutil.which("ninja") else []
        run(["cmake", "-S", source, "-B", folder, *generator, *settings], f"{folder.name}-configure")
        run(["cmake", "--build", folder, "--target", target, "--parallel", self.jobs], f"{folder.name}-build")

    def install(self, folder, prefix):
        shutil.rmtree(prefix, ignore_errors=True)
        run(["cmake", "--install", folder, "--prefix", prefix], f"{prefix.name}-install")

    def subdirectory(self):
        folder = BUILD / "subdirectory"
        self.build(folder, EXAMPLE, "reach", f"-DGMMU_SOURCE={ROOT}", "-DGMMU_INSTALL=ON")
        cache = (folder / "CMakeCache.txt").read_text()
        for off in ("GMMU_TESTS", "GMMU_RTL", "GMMU_PROGRAM"):
            if f"{off}:BOOL=OFF" not in cache:
                raise Failed(f"{off} is not off in a project of another top")
        self.says(["fast"], run([folder / "reach"], "subdirectory"))
        self.install(folder, PREFIX)

    def says(self, engines, output):
        """Checks that the library has these engines, and that each one copied the expected bytes."""
        copied = re.findall(r"^copy on the bare machine, engine (\w+): equal", output, re.MULTILINE)
        if copied != engines:
            raise Failed(f"equal copies by {copied}, not by {engines}")
        others = [line for line in output.splitlines() if "engine rtl" not in line]
        if self.said not in (None, others):
            raise Failed("the program says something else than when it was built another way")
        self.said = others

    def by_package(self, name, prefix, engines):
        folder = BUILD / name
        shutil.rmtree(folder, ignore_errors=True)
        self.build(folder, EXAMPLE, "reach", f"-DCMAKE_PREFIX_PATH={prefix}")
        self.says(engines, run([folder / "reach"], name))

    def by_pkg_config(self, name, prefix, engines):
        if not shutil.which("pkg-config"):
            raise Failed("pkg-config is not installed; Debian's package is pkg-config")
        found = next(prefix.rglob("gmmu.pc")).parent
        flags = run(["pkg-config", "--cflags", "--libs", "gmmu"], name, PKG_CONFIG_PATH=str(found)).split()
        program = BUILD / f"reach-{name}"
        run(["g++", EXAMPLE / "reach.cc", "-o", program, *flags], f"{name}-build")
        self.says(engines, run([program], name))

    def package(self):
        self.by_package("package", PREFIX, ["fast"])
        newer = BUILD / "newer"
        shutil.rmtree(newer, ignore_errors=True)
        newer.mkdir()
        (newer / "CMakeLists.txt").write_text("cmake_minimum_required(VERSION 3.25)\nproject(newer CXX)\n"
                                              "find_package(gmmu 0.99 REQUIRED)\n")
        if "version" not in run(["cmake", "-S", newer, "-B", newer / "build", f"-DCMAKE_PREFIX_PATH={PREFIX}"], "newer", expect=1):
            raise Failed("the refusal of version 0.99 does not say why")

    def pkg_config(self):
        self.by_pkg_config("pkg-config", PREFIX, ["fast"])

    def pip(self, name, site, *settings):
        shutil.rmtree(site, ignore_errors=True)
        run([sys.executable, "-m", "pip", "install", "--no-build-isolation", "--no-deps", "--disable-pip-version-check",
             "-C", f"build-dir={BUILD / name}", *settings, "--target", site, "."], f"{name}-pip",
            CMAKE_BUILD_PARALLEL_LEVEL=str(self.jobs))
        run([sys.executable, ROOT / "tb/python/package_test.py"], name, PYTHONPATH=with_path(site))

    def python(self):
        self.pip("python", SITE, "-C", f"cmake.define.GMMU_SOFTWARE_OF={self.software_of or ''}")
        made = BUILD / "stubs"
        run([sys.executable, "-m", "pybind11_stubgen", "gmmu._gmmu", "-o", made], "stubs", PYTHONPATH=with_path(SITE))
        stub = made / "gmmu/_gmmu.pyi"
        if (PACKAGE / "_gmmu.pyi").read_text() != "# SPDX-License-Identifier: Apache-2.0\n" + stub.read_text():
            raise Failed(f"sw/python/gmmu/_gmmu.pyi is not what the module has, which is in {stub.relative_to(ROOT)}")
        run([sys.executable, "-m", "mypy", "--strict", "--allow-any-generics", "--cache-dir", BUILD / "mypy", SITE / "gmmu",
             ROOT / "tb/python/annotations.py"], "mypy", MYPYPATH=str(SITE))

    def notebook(self):
        run([sys.executable, ROOT / "tools/notebook.py", ROOT / "examples/reach.ipynb", "--pictures", BUILD / "pictures"],
            "notebook", PYTHONPATH=with_path(SITE), MPLBACKEND="Agg")
        if not list((BUILD / "pictures").glob("*.png")):
            raise Failed("the notebook drew nothing")

    def build_with_rtl(self):
        """Builds position-independent code, so that a shared object such as the Python module can link the library."""
        folder = BUILD / "rtl"
        self.build(folder, ROOT, "gmmu_archive", "-DGMMU_RTL=ON", "-DGMMU_TESTS=OFF", "-DGMMU_PROGRAM=OFF",
                   "-DCMAKE_POSITION_INDEPENDENT_CODE=ON")
        self.install(folder, PREFIX_RTL)

    def rtl(self):
        self.build_with_rtl()
        self.by_package("package-rtl", PREFIX_RTL, ["rtl", "fast"])
        self.by_pkg_config("pkg-config-rtl", PREFIX_RTL, ["rtl", "fast"])

    def tlm(self):
        self.build_with_rtl()
        folder = BUILD / "tlm"
        shutil.rmtree(folder, ignore_errors=True)
        self.build(folder, ROOT / "examples/tlm", "tlm", f"-DCMAKE_PREFIX_PATH={PREFIX_RTL}")
        if "are equal in memory" not in run([folder / "tlm"], "tlm"):
            raise Failed("the program does not say that the bytes are equal")

    def python_rtl(self):
        self.pip("python-rtl", BUILD / "site-rtl", "-C", "cmake.define.GMMU_RTL=ON")
        engines = run([sys.executable, "-c", "import gmmu; print(gmmu.engines())"], "engines", PYTHONPATH=with_path(BUILD / "site-rtl"))
        if "rtl" not in engines:
            raise Failed("the package does not have the RTL")


def main():
    names = ["subdirectory", "package", "pkg-config", "python", "notebook", "rtl", "tlm", "python-rtl"]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", action="append", choices=names, help="some of the ways; later ones need what earlier ones left")
    parser.add_argument("--software-of", type=pathlib.Path, metavar="BUILD", help="a build in which the target gmmu is current")
    parser.add_argument("--jobs", type=int, default=int(os.environ.get("GMMU_JOBS", os.cpu_count())))
    arguments = parser.parse_args()
    if not shutil.which("cmake"):
        print("library: cmake is not installed; Debian's package is cmake")
        return 2
    BUILD.mkdir(parents=True, exist_ok=True)
    chosen = arguments.only or names
    ways, failed = Ways(arguments.jobs, arguments.software_of and arguments.software_of.resolve()), 0
    for name in names:
        if name not in chosen:
            continue
        print(f"library: {name} ...", flush=True)
        start = time.monotonic()
        try:
            getattr(ways, name.replace("-", "_"))()
            verdict = "passed"
        except (Failed, subprocess.TimeoutExpired) as error:
            verdict, failed = f"FAILED  {error}", failed + 1
        print(f"library: {name:14} {time.monotonic() - start:6.0f} s  {verdict}", flush=True)
    print(f"library: {len(chosen) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
