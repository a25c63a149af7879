# SPDX-License-Identifier: Apache-2.0
"""The common frame of command-line programs: standard streams, signals, and errors as one line.

    sys.exit(command.run("gmmu study", main, (StudyError,)))
"""
import os
import signal
import sys


class OutputError(Exception):
    """Standard output cannot be written."""


class Output:
    """Standard output. An error becomes an OutputError, except for a pipe without a reader."""

    def __init__(self, stream):
        self.stream = stream

    def write(self, text):
        return self.checked(self.stream.write, text)

    def flush(self):
        self.checked(self.stream.flush)

    def checked(self, call, *values):
        try:
            return call(*values)
        except BrokenPipeError:
            raise
        except OSError as error:
            raise OutputError(f"standard output cannot be written: {error.strerror}") from error

    def __getattr__(self, name):
        return getattr(self.stream, name)


class Progress(Output):
    """Standard error. Text that cannot be written is dropped, because nobody reads it, and the program continues."""

    def checked(self, call, *values):
        try:
            return call(*values)
        except OSError:
            return 0


def begin():
    """Opens those of descriptors 0 to 2 that are closed, read-only, so that no other file gets their number."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.set_inheritable(os.open(os.devnull, os.O_RDONLY), True)
    sys.stdout = Output(sys.stdout or open(1, "w", closefd=False))
    sys.stderr = Progress(sys.stderr or open(2, "w", closefd=False))


def interrupted(*_):
    raise KeyboardInterrupt


def run(name, main, expected=(), interruption="interrupted"):
    """Returns the exit status of main(); 1 if interrupted, 2 with one line for an error of `expected` or of a file."""
    begin()
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, interrupted)
    code, text = 2, ""
    try:
        try:
            code = main()
        except SystemExit as end:  # raised by argparse, or with a message
            code, text = (1, end.code) if isinstance(end.code, str) else (end.code or 0, "")
        sys.stdout.flush()
    except KeyboardInterrupt:
        code, text = 1, interruption
    except BrokenPipeError:
        code = 1
    except (OutputError, *expected) as error:
        code, text = 2, f"{name}: {error}"
    except OSError as error:
        place = f"{error.filename}: " if error.filename is not None else ""
        code, text = 2, f"{name}: {place}{error.strerror or error}"
    if text:
        print(text, file=sys.stderr, flush=True)
    try:
        sys.stdout.flush()
    except (OutputError, BrokenPipeError):  # otherwise the interpreter would report it again at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    return code
