# SPDX-License-Identifier: Apache-2.0
"""The frame of a program in Python: standard streams, signals, and errors as one line.

    sys.exit(command.run("gmmu study", main, (StudyError,)))
"""
import os
import signal
import sys


class OutputError(Exception):
    """Standard output cannot be written."""


class Output:
    """Standard output: an error is an OutputError, but for a pipe that nobody reads."""

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
    """Standard error: what cannot be written is dropped, since nobody reads it, and the work goes on."""

    def checked(self, call, *values):
        try:
            return call(*values)
        except OSError:
            return 0


def begin():
    """Opens the descriptors 0 to 2 that are closed, so that no file gets their number: nothing can be written to them."""
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
    """The exit status of main(); 1 when it is interrupted, 2 with one line for an error of `expected` or of a file."""
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
    except (OutputError, BrokenPipeError):  # the interpreter would report it again at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    return code
