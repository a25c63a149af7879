# SPDX-License-Identifier: Apache-2.0
"""Runs one row of the array with one scenario, and repeats it without a setting for as long as it is refused, not
applicable or failing, so that one conflict does not hide the other settings of the row."""
import hashlib

import reduce
import verdict

ATTEMPTS = 60  # conflicts of a row, after which its remaining settings count as not run


class Conflict:
    """The smallest settings with which a scenario ends as `verdict` says."""

    def __init__(self, settings, ended):
        self.settings, self.verdict = settings, ended

    def within(self, settings):
        return all(settings.get(key) == value for key, value in self.settings.items())


class Settler:
    """Settles rows for one program and engine. `known`: conflicts of other scenarios, which are tried first."""

    def __init__(self, command, known):
        self.command, self.known, self.of_scenario, self.runs = command, known, {}, 0

    def run(self, scenario, seed, settings, report=None):
        self.runs += 1
        return verdict.run(self.command(scenario, seed, settings), settings, report)

    def conflict(self, scenario, seed, settings, ended):
        """The conflict that made the run with `settings` end so."""
        def same(part):
            again = self.run(scenario, seed, part)
            return (again.kind, again.sort) == (ended.kind, ended.sort)

        for old in list(self.known):
            if old.verdict.kind == ended.kind and old.settings and old.within(settings):
                again = self.run(scenario, seed, old.settings)
                if again.kind == ended.kind:
                    return Conflict(old.settings, again)
        first = verdict.named(ended.text.splitlines()[0] if ended.text else "", settings)
        subject = {key: settings[key] for key in first}
        if ended.kind == verdict.REFUSED and subject and same(subject):
            made = Conflict(subject, ended)  # the message says it all
        else:
            least = reduce.smallest(subject if subject and same(subject) else settings, same)
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
                if ended.kind != verdict.FAILED:
                    mine.append(met)
            conflicts.append(met)
            if not met.settings:
                return None, conflicts, seed
            keys = sorted(met.settings)
            settings.pop(keys[(number + len(conflicts)) % len(keys)])
        return None, conflicts, seed
