# SPDX-License-Identifier: Apache-2.0
"""Runs points, several at once: their programs, records, progress and an estimate of the time left."""
import datetime
import functools
import hashlib
import json
import os
import queue
import shutil
import signal
import subprocess
import sys
import threading
import time

from plan import StudyError, keys_of


def digest_of(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


class Digests:
    """Digests of files, each read once."""

    def __init__(self):
        self.known = {}

    def __call__(self, path):
        path = str(path)
        if path not in self.known:
            self.known[path] = digest_of(path)
        return self.known[path]


def schema_keys(program):
    done = subprocess.run([program, "config", "--json-schema"], capture_output=True, text=True)
    if done.returncode != 0:
        raise StudyError(f"{program} config --json-schema: {done.stderr.strip() or f'exit status {done.returncode}'}")
    return keys_of(json.loads(done.stdout))


def unbuilt_by(program):
    """The function with which Study checks options: the CMake variables of sizes to which the program's RTL cannot be
    reduced."""
    @functools.lru_cache(maxsize=None)
    def unbuilt(options):
        done = subprocess.run([program, "config", "--build-options", *options], capture_output=True, text=True)
        return frozenset(line.partition("=")[0] for line in done.stdout.split()) if done.returncode == 0 else frozenset()
    return unbuilt


def scenarios_of(program):
    """The function with which Study gets the names of the scenarios."""
    def scenarios():
        done = subprocess.run([program, "run", "--list"], capture_output=True, text=True)
        if done.returncode != 0:
            raise StudyError(f"{program} run --list: {done.stderr.strip() or f'exit status {done.returncode}'}")
        return [line.partition(",")[0] for line in done.stdout.splitlines() if line and not line.startswith(" ")]
    return scenarios


class Programs:
    """The program of a point: the given one, or one with other sizes, which `./gmmu build` builds and keeps."""

    def __init__(self, root, program):
        self.root, self.default = root, program or root / "build" / "gmmu"
        self.builds = program is None
        self.made = {}  # build options -> (path, seconds)

    def path(self, build):
        """None: the program does not exist before make()."""
        if build is None or not self.builds:
            return self.default
        return self.made.get(build, (None,))[0]

    def make(self, build):
        """Builds the program unless it exists; ./gmmu prints its progress on standard error."""
        begin = time.monotonic()
        done = subprocess.run([self.root / "gmmu", "build", *build], stdout=subprocess.PIPE, text=True)
        if done.returncode != 0:
            raise StudyError(f"./gmmu build {' '.join(build)} failed with exit status {done.returncode}")
        seconds = time.monotonic() - begin
        self.made[build] = (done.stdout.split("\n")[-2], seconds)
        return seconds


def report_in(text):
    """The report at the beginning of a program's output; None if there is none."""
    try:
        report, _ = json.JSONDecoder().raw_decode(text)
        return report if isinstance(report, dict) and "machine" in report else None
    except ValueError:
        return None


def why(status, report, err, timeout):
    """(status, error) of a record."""
    last = [line for line in err.strip().splitlines() if line.strip()]
    if timeout is not None:
        return "timeout", f"took more than {timeout:g} s (limit_seconds) and was ended; last line: {last[-1] if last else ''}"
    if status == 0 and report is not None:
        return "passed", None
    found = [f"check \"{check['name']}\": {check['text']}" for check in (report or {}).get("checks", []) if not check["passed"]]
    for kind in ("faults", "findings"):
        found += [f"{kind[:-1]}: {one['text']}" for one in (report or {}).get(kind, [])]
    found += [f"leaked {leak['kind']} {leak['name']} of {leak['owner']}" for leak in (report or {}).get("leaks", [])]
    if report is not None:
        return "failed", "; ".join(found[:3]) or f"exit status {status}"
    if status < 0:
        return "error", f"ended by {signal.Signals(-status).name}"
    return "error", " ".join(last[-3:]) or f"exit status {status} without a report"


class Runner:
    """`keep(record)` is called in the caller's thread for each point, in the order in which they end."""

    def __init__(self, study, programs, digests):
        self.study, self.programs, self.digests = study, programs, digests
        self.processes, self.lock, self.stopped = set(), threading.Lock(), False
        # Ensures that a child does not outlive this process (setpriv is in Debian's util-linux).
        guard = shutil.which("setpriv")
        self.guard = [guard, "--pdeathsig", "KILL"] if guard else []

    def identity(self, point):
        """None if its program has to be built first."""
        program = self.programs.path(point.build())
        return program and point.identity(self.digests(program), self.digests)

    def call(self, command, text, limit):
        """(status, output, errors); status None: it took longer than `limit` seconds."""
        with self.lock:
            if self.stopped:
                raise InterruptedError
            process = subprocess.Popen([*self.guard, *command], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE, text=True, errors="replace", cwd=self.study.path.resolve().parent,
                                       start_new_session=True)  # only this process receives a Ctrl-C
            self.processes.add(process)
        try:
            out, err = process.communicate(text, timeout=limit)
            return process.returncode, out, err
        except subprocess.TimeoutExpired:
            process.kill()
            _, err = process.communicate()
            return None, "", err
        finally:
            with self.lock:
                self.processes.discard(process)

    def run(self, point):
        """The record of a point."""
        program = str(self.programs.path(point.build()))
        begin, limit = time.monotonic(), self.study.limit_seconds
        status, out, err, text = 0, "", "", ""
        if point.config_command():
            status, text, err = self.call([program, *point.config_command()], "", limit)
        command = point.command()
        if status == 0:
            status, out, err = self.call([program, *command], text, limit)
        report = report_in(out)
        state, error = why(status, report, err, limit if status is None else None)
        return {"id": self.identity(point), "axes": point.axes, "status": state, "error": error, "exit": status,
                "seconds": round(time.monotonic() - begin, 3),
                "ended": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
                "program": self.digests(program), "command": [*command, *(point.changes() if not point.scenario else [])],
                "report": report}

    def all(self, numbers, jobs, keep, progress):
        """Runs the points with these numbers, `jobs` at once."""
        todo, done = iter(numbers), queue.Queue()

        def work():
            while True:
                with self.lock:
                    number = next(todo, None)
                if number is None or self.stopped:
                    return done.put(None)
                try:
                    done.put(self.run(self.study.point(number)))
                except InterruptedError:
                    return done.put(None)
                except Exception as error:  # script error: the study must not wait for an ended thread
                    done.put(error)
                    return done.put(None)

        threads = [threading.Thread(target=work, daemon=True) for _ in range(jobs)]
        for thread in threads:
            thread.start()
        at_work = len(threads)
        try:
            while at_work:
                try:
                    record = done.get(timeout=0.5)
                except queue.Empty:
                    progress.show()
                    continue
                if record is None:
                    at_work -= 1
                elif isinstance(record, Exception):
                    raise record
                else:
                    keep(record)
                    progress.ended(record)
        finally:
            self.stop()
            progress.close()

    def stop(self):
        """Ends all running processes."""
        with self.lock:
            self.stopped = True
            running = list(self.processes)
        for process in running:
            try:
                process.kill()
            except ProcessLookupError:
                pass


def seconds(value):
    value = int(value + 0.5)
    if value < 100:
        return f"{value} s"
    if value < 6000:
        return f"{value // 60} min {value % 60} s"
    return f"{value // 3600} h {value % 3600 // 60} min" if value < 3 * 86400 else f"{value / 86400:.1f} days"


class Progress:
    """On a terminal, one line that is rewritten. Otherwise a line at each twentieth of the points, at most every two
    seconds, and one every half minute."""

    def __init__(self, total, jobs):
        self.total, self.jobs, self.to = total, jobs, sys.stderr
        self.done = self.failed = 0
        self.begin = self.last = time.monotonic()
        self.terminal = self.to.isatty()
        self.told = 0
        self.width = 0

    def ended(self, record):
        self.done += 1
        if record["status"] != "passed":
            self.failed += 1
            axes = ", ".join(f"{name} = {value}" for name, value in record["axes"].items())
            self.line(f"{record['status']}: {axes or 'the point'}: {record['error']}")
        if self.done == 1 and self.total > 1:
            left = record["seconds"] * (self.total - 1) / self.jobs
            self.line(f"one point took {record['seconds']:.1f} s: {self.total - 1} more take about {seconds(left)} on {self.jobs} jobs")
        self.show()

    def line(self, text):
        self.clear()
        print(f"study: {text}", file=self.to, flush=True)

    def clear(self):
        if self.terminal and self.width:
            self.to.write("\r" + " " * self.width + "\r")
            self.width = 0

    def show(self):
        now = time.monotonic()
        text = f"{self.done} of {self.total} points, {self.failed} not passed"
        if self.done:
            text += f", {seconds((now - self.begin) * (self.total - self.done) / self.done)} left"
        if self.terminal:
            self.clear()
            self.to.write(f"study: {text}"[:shutil.get_terminal_size().columns - 1])
            self.width = len(text) + 7
            self.to.flush()
        elif self.done == self.total or (self.done * 20 // self.total > self.told and now - self.last >= 2) or now - self.last >= 30:
            self.told, self.last = self.done * 20 // self.total, now
            print(f"study: {text}", file=self.to, flush=True)

    def close(self):
        self.clear()


def jobs_or_all(jobs):
    return jobs or len(os.sched_getaffinity(0))
