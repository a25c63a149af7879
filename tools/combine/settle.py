# SPDX-License-Identifier: Apache-2.0
"""Runs one row of the array with one scenario, and repeats it without a setting for as long as it is refused, not
applicable or failing, so that one conflict does not hide the other settings of the row."""
import hashlib

import reduce
import verdict

ATTEMPTS = 60  # limit of conflicts in a row; its remaining settings then count as not run


class Conflict:
    """Settings with which a scenario ends as `verdict` says. `smallest`: fewer do not suffice, so that other rows with
    these settings need no run."""

    def __init__(self, settings, ended, smallest=True):
        self.settings, self.verdict, self.smallest = settings, ended, smallest

    def within(self, settings):
        return all(settings.get(key) == value for key, value in self.settings.items())


class Settler:
    """Settles rows for one program and engine. `known`: conflicts of other scenarios, which are tried first."""

    def __init__(self, command, known):
        self.command, self.known, self.of_scenario, self.runs = command, known, {}, 0
        self.keys_of = {}  # kind of outcome -> keys of the conflicts with this outcome

    def run(self, scenario, seed, settings, report=None):
        self.runs += 1
        return verdict.run(self.command(scenario, seed, settings), settings, report)

    def conflict(self, scenario, seed, settings, ended):
        """The conflict that made the run with `settings` end so."""
        def same(part):
            again = self.run(scenario, seed, part)
            return (again.kind, again.sort) == (ended.kind, ended.sort)

        first = verdict.named(ended.text.splitlines()[0] if ended.text else "", settings)
        subject = {key: settings[key] for key in first}
        if ended.kind == verdict.REFUSED and subject:
            return Conflict(subject, ended, smallest=False)  # the message says it; to reduce it costs more than a run
        for old in list(self.known):
            if old.verdict.kind == ended.kind and old.settings and old.within(settings):
                again = self.run(scenario, seed, old.settings)
                if again.kind == ended.kind:
                    return Conflict(old.settings, again)
        tried = self.keys_of.setdefault((ended.kind, ended.sort), [])
        parts = [subject] + [{key: settings[key] for key in keys} for keys in tried if settings.keys() >= keys]
        least = reduce.smallest(next((part for part in parts if part and same(part)), settings), same)
        if least.keys() not in tried:
            tried.append(least.keys())
        made = Conflict(least, self.run(scenario, seed, least))
        if made.settings not in [old.settings for old in self.known]:
            self.known.append(made)
        return made

    def settle(self, scenario, row, number, report=None):
        """(settings that ran, [(conflict, seed)], seed). The settings are None if the scenario is not
        verified even with none."""
        seed = int.from_bytes(hashlib.sha256(f"{scenario} {number}".encode()).digest()[:4], "big") % 100_000
        settings, conflicts = dict(row), []
        mine = self.of_scenario.setdefault(scenario, [])
        while len(conflicts) < ATTEMPTS:
            met = next((old for old in mine if old.within(settings)), None)
            if met is None:
                ended = self.run(scenario, seed, settings, report)
                if ended.kind == verdict.VERIFIED:
                    return settings, conflicts, seed
                met = self.conflict(scenario, seed, settings, ended)
                if ended.kind != verdict.FAILED and met.smallest:
                    mine.append(met)
            conflicts.append(met)
            if not met.settings:
                return None, conflicts, seed
            keys = sorted(met.settings)
            settings.pop(keys[(number + len(conflicts)) % len(keys)])
        return None, conflicts, seed
