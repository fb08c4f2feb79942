# SPDX-License-Identifier: GPL-2.0-or-later
"""The folder of a run: what was asked for (run.json) and every measurement (runs.jsonl).

A measurement is one line, on the disk before the next one starts, so an interrupted run goes on
where it was, and a full disk loses nothing.
"""

import fcntl
import json
import os
from contextlib import contextmanager
from pathlib import Path

from .errors import UserError

IDENTITY = "run.json"
MEASUREMENTS = "runs.jsonl"


@contextmanager
def writing(path):
    """Turns what the disk says into what the user must do."""
    try:
        yield
    except OSError as error:
        raise UserError(
            f"cannot write {path}: {error.strerror}; what was measured until now is kept: "
            "make room, then give the same command again"
        ) from None


def write_whole(path, text):
    """Replaces a file at once, or leaves it as it was."""
    path = Path(path)
    new = path.with_name(path.name + ".new")
    with writing(path):
        try:
            with open(new, "w", encoding="utf-8") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            os.replace(new, path)
        except OSError:
            new.unlink(missing_ok=True)
            raise


class Store:
    """An output folder that belongs to one run."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self.path = self.folder / MEASUREMENTS
        self.identity = {}
        self.measurements = []
        self._file = None

    @property
    def is_published(self):
        """Whether it has what was published of a run, not the single measurements."""
        return not self.path.exists()

    @classmethod
    def read(cls, folder):
        """The run in FOLDER, to look at."""
        store = cls(folder)
        path = store.folder / IDENTITY
        try:
            store.identity = json.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise UserError(
                f"{folder} holds no run (there is no {IDENTITY}); cape-bench run makes one", 2
            ) from None
        except (OSError, ValueError) as error:
            raise UserError(f"cannot read {path}: {error}") from None
        store._read_measurements()
        return store

    def _read_measurements(self):
        """All whole lines; the end of one that a killed run was writing is cut off."""
        try:
            data = self.path.read_bytes()
        except FileNotFoundError:
            return 0
        except OSError as error:
            raise UserError(f"cannot read {self.path}: {error.strerror}") from None
        whole = data.rfind(b"\n") + 1
        for number, line in enumerate(data[:whole].splitlines(), 1):
            try:
                self.measurements.append(json.loads(line))
            except ValueError:
                raise UserError(f"{self.path}, line {number}: damaged") from None
        return whole

    @classmethod
    def open(cls, folder, identity):
        """The run in FOLDER, to begin it or to go on with it."""
        path = Path(folder) / IDENTITY
        if path.exists():
            store = cls.read(folder)
            store._compare(identity)
            store._extend(identity)
            store._note_load(identity["machine"])
        else:
            store = cls(folder)
            store._begin(identity)
        store._open_file()
        return store

    def _begin(self, identity):
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            if any(self.folder.iterdir()):
                raise UserError(f"{self.folder} holds something else; name a new folder", 2)
        except OSError as error:
            raise UserError(f"cannot use {self.folder}: {error.strerror}", 2) from None
        self.identity = identity
        self._write_identity()

    def _extend(self, identity):
        """More experiments and repetitions are added to those that the run has; nothing goes."""
        old, new = self.identity, identity
        added = [name for name in new["experiments"] if name not in old["experiments"]]
        repetitions = max(each["settings"]["repetitions"] for each in (old, new))
        if added or repetitions != old["settings"]["repetitions"]:
            old["experiments"] = old["experiments"] + added
            old["settings"]["repetitions"] = repetitions
            self._write_identity()

    def _compare(self, identity):
        def fixed(whole, name):
            found = whole.get(name)
            if name != "settings" or not found:
                return found
            return {key: value for key, value in found.items() if key != "repetitions"}

        for name in ("settings", "binaries"):
            old, new = fixed(self.identity, name), fixed(identity, name)
            if old != new:
                raise UserError(
                    f"{self.folder} holds another run: its {name} are {old}, now they are {new}; "
                    "name a new folder, or give the old command to go on with it",
                    2,
                )

    def _note_load(self, truth):
        """A run is as good as its worst beginning."""
        known = self.identity["machine"]
        if float(truth["load"]) > float(known["load"]):
            known["load"] = truth["load"]
            self._write_identity()

    def _write_identity(self):
        write_whole(self.folder / IDENTITY, json.dumps(self.identity, indent=1) + "\n")

    def _open_file(self):
        with writing(self.path):
            self._file = open(self.path, "ab")
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise UserError(f"another cape-bench is measuring into {self.folder}", 2) from None
        self.measurements = []
        with writing(self.path):
            self._file.truncate(self._read_measurements())

    def add(self, measurement):
        """Writes one measurement down."""
        line = json.dumps(measurement).encode() + b"\n"
        end = os.fstat(self._file.fileno()).st_size
        with writing(self.path):
            try:
                while line:
                    line = line[os.write(self._file.fileno(), line) :]
                os.fsync(self._file.fileno())
            except OSError:
                self._file.truncate(end)
                raise
        self.measurements.append(measurement)

    def close(self):
        if self._file:
            self._file.close()
