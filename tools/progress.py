#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a part of the build and prints its progress and an estimate of the time left on standard error.

  progress.py [--every SECONDS] build FOLDER TARGET JOBS     ninja's target in that folder
  progress.py [--every SECONDS] configure LOG COMMAND...     CMake, with its output in LOG

On a terminal it is one line that is rewritten each second, otherwise a line every 30 seconds (--every). All output of
compilers and ninja, except the names of finished steps, is passed on. Exit status: that of the command.

The estimate for a step is its longest time in the folder's .ninja_log: the last one might be that of a hit in the
compiler cache. For a step without an entry, it is the usual time of its kind. The rate of finished steps corrects
both.
"""
import argparse
import os
import re
import select
import shutil
import subprocess
import sys
import tempfile
import time

MARK = b"\x01"
# Maps patterns of a build step's output line to the step's usual seconds; the first match counts.
KINDS = (("^Linking", .4), (r"\.gch$", 6), (r"^Building C object", .3), (r"/verilated/.*/slow_", 1), ("/verilated/", 3),
         ("/Unity/", 7), ("^Building CXX", 2.5), ("", .3))
TRUSTED = 60  # seconds after which the measured rate weighs as much as the expected one


def duration(seconds):
    return f"{seconds // 60:.0f} min {seconds % 60:.0f} s" if seconds >= 60 else f"{seconds:.0f} s"


def left(seconds):
    if seconds < 5:
        return "almost done"
    return f"about {seconds / 60:.0f} min left" if seconds >= 90 else f"about {-(-seconds // 10) * 10:.0f} s left"


class Steps:
    """The steps that are planned, and an estimate of the time that they take."""

    def __init__(self, planned, jobs):
        self.planned, self.jobs, self.start = planned, jobs, time.monotonic()
        self.count, self.total, self.most, self.finished, self.done = len(planned), len(planned), 0, 0, 0.0
        self.estimate()

    def finish(self, total, name):
        """`total`: ninja's count, which falls by the steps whose inputs turn out to be unchanged."""
        if name not in self.planned:
            return  # a step that writes build.ninja
        self.most = max(self.most, total)
        self.total = self.count - (self.most - total)
        self.finished += 1
        self.done += self.planned.pop(name)
        self.estimate()

    def estimate(self):
        self.last = time.monotonic()
        rate = (self.done + self.jobs * TRUSTED) / (self.last - self.start + TRUSTED)  # usual seconds per second
        longest = max(self.planned.values(), default=0)
        self.rest = sum(self.planned.values())
        if self.planned:  # some of these steps may be skipped
            self.rest *= (self.total - self.finished) / len(self.planned)
        self.seconds = max(self.rest / rate, min(longest, self.rest) * self.jobs / rate)

    def text(self):
        if self.total == 0:
            return ""
        now = time.monotonic()
        return (f"{self.finished} of {self.total} steps, {100 * self.done / max(self.done + self.rest, .01):.0f} %, "
                f"{duration(now - self.start)} so far, {left(self.seconds - (now - self.last))}")


class Display:
    """The progress line, with whole lines of other output above it."""

    def __init__(self, every):
        self.terminal = os.isatty(2)
        self.every = 1 if self.terminal else every
        self.due = time.monotonic() + self.every
        self.standing = False  # an unfinished progress line is on the terminal

    def write(self, data):
        try:
            while data:
                data = data[os.write(2, data):]
        except OSError:
            pass  # no reader: the build continues

    def pass_on(self, line):
        self.clear()
        self.write(line)

    def clear(self):
        if self.standing:
            self.write(b"\r\x1b[K")
        self.standing = False

    def show(self, text):
        """Called often; prints if the next line is due."""
        if time.monotonic() < self.due:
            return
        self.due = time.monotonic() + self.every
        if text and self.terminal:
            self.write(f"\rgmmu: {text}"[:shutil.get_terminal_size((80, 24)).columns].encode() + b"\x1b[K")
            self.standing = True
        elif text:
            self.write(f"gmmu: {text}\n".encode())


def follow(command, every, take, text, **options):
    """Runs a command and calls `take` with each line of its output; prints what take returns. Returns the exit
    status."""
    display = Display(every)
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **options)
    rest = b""
    while True:
        try:
            if not select.select([process.stdout], [], [], max(0, display.due - time.monotonic()))[0]:
                display.show(text())
                continue
            data = os.read(process.stdout.fileno(), 1 << 16)
            lines = (rest + data).splitlines(keepends=True)
            rest = lines.pop() if data and lines and not lines[-1].endswith(b"\n") else b""
            for line in lines:
                if shown := take(line):
                    display.pass_on(shown)
            if not data:
                break
            display.show(text())
        except KeyboardInterrupt:
            continue  # the command receives the signal too, and ends
    display.clear()
    status = process.wait()
    return status if status >= 0 else 128 - status


def past(folder):
    """Output -> the longest time that .ninja_log has for it."""
    seconds = {}
    try:
        with open(os.path.join(folder, ".ninja_log")) as log:
            for line in log:
                parts = line.rstrip("\n").split("\t")
                if len(parts) == 5:
                    seconds[parts[3]] = max(seconds.get(parts[3], 0), (int(parts[1]) - int(parts[0])) / 1000)
    except (OSError, ValueError):
        pass
    return seconds


def plan(folder, target, environment):
    """{line of a step: its seconds} for the steps that ninja would run now; {} if ninja does not list them."""
    # Excludes the step that regenerates build.ninja, because a dry run would stop at it. CMake has
    # just run anyway.
    try:
        with open(os.path.join(folder, "build.ninja")) as file:
            text = re.sub(r"^build build\.ninja.*?^$", "", file.read(), flags=re.MULTILINE | re.DOTALL)
    except OSError:
        return {}
    known = past(folder)
    with tempfile.NamedTemporaryFile("w", suffix=".ninja") as file:
        file.write(text)
        file.flush()
        said = subprocess.run(["ninja", "-f", file.name, "-n", target], cwd=folder, env=environment, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL).stdout
    names = [line.split(MARK)[2].decode(errors="replace") for line in said.splitlines() if line.count(MARK) == 2]
    return {name: known.get(name.split(" ")[-1]) or next(usual for kind, usual in KINDS if re.search(kind, name)) for name in names}


def build(folder, target, jobs, every):
    environment = dict(os.environ, NINJA_STATUS=(MARK + b"%t" + MARK).decode())
    steps = Steps(plan(folder, target, environment), int(jobs))

    def take(line):
        parts = line.split(MARK)
        if len(parts) != 3:
            return line
        steps.finish(int(parts[1]), parts[2].decode(errors="replace").rstrip("\n"))
        return parts[0] and parts[0] + b"\n"  # output that did not end its line

    return follow(["ninja", "-j", jobs, target], every, take, steps.text, cwd=folder, env=environment)


def configure(log, command, every):
    made, tops, start = [], [0], time.monotonic()

    def take(line):
        out.write(line)
        if found := re.match(rb"-- Verilating (\d+) tops", line):
            tops[0] = int(found.group(1))
        elif line.startswith(b"-- Verilated "):
            made.append(line)

    with open(log, "wb", buffering=0) as out:
        return follow(command, every, take, lambda: tops[0] and f"{len(made)} of {tops[0]} tops of the RTL verilated, "
                                                                f"{duration(time.monotonic() - start)} so far")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--every", type=float, default=30)
    parts = parser.add_subparsers(dest="part", required=True)
    of_build = parts.add_parser("build")
    of_build.add_argument("folder")
    of_build.add_argument("target")
    of_build.add_argument("jobs")
    of_configure = parts.add_parser("configure")
    of_configure.add_argument("log")
    of_configure.add_argument("command", nargs=argparse.REMAINDER)
    arguments = parser.parse_args()
    if arguments.part == "build":
        return build(arguments.folder, arguments.target, arguments.jobs, arguments.every)
    return configure(arguments.log, arguments.command, arguments.every)


if __name__ == "__main__":
    sys.exit(main())
