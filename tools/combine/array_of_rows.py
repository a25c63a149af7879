# SPDX-License-Identifier: Apache-2.0
"""Covering arrays: rows of settings such that each pair of values of two keys is in a row, and each triple of values of
three keys of factors.THREE_WAY."""
import covertable

import factors as keys


def rows(factors, seed):
    """(pairs, triples): two arrays, each [{key: value}] without the values that are defaults. The same factors and seed
    give the same rows."""
    three = [factor for factor in factors if factor.key in keys.THREE_WAY]
    return array(factors, 2, seed), array(three, 3, seed) if len(three) > 2 else []


def array(factors, strength, seed):
    made = covertable.make({factor.key: factor.values for factor in factors}, strength=strength, sorter=covertable.sorters.hash,
                           criterion=covertable.criteria.simple, salt=str(seed))
    default = {factor.key: factor.default for factor in factors}
    return [{key: value for key, value in sorted(row.items()) if value != default[key]} for row in made]


def pairs(factors):
    """The number of pairs of values of two keys."""
    sizes = [len(factor.values) for factor in factors]
    return (sum(sizes) ** 2 - sum(size * size for size in sizes)) // 2


class Covered:
    """The pairs of values that have been together in a run."""

    def __init__(self, factors):
        self.at, self.total, self.seen = {}, pairs(factors), []
        self.default = {factor.key: factor.default for factor in factors}
        for factor in factors:
            for value in factor.values:
                self.at[factor.key, value] = len(self.at)
        self.seen = [0] * len(self.at)  # for each value, one bit per value paired with it
        self.own = {}
        for factor in factors:
            mask = sum(1 << self.at[factor.key, value] for value in factor.values)
            self.own.update({self.at[factor.key, value]: mask for value in factor.values})

    def add(self, settings):
        numbers = [self.at[key, settings.get(key, default)] for key, default in self.default.items()]
        mask = sum(1 << number for number in numbers)
        for number in numbers:
            self.seen[number] |= mask & ~self.own[number]

    @property
    def count(self):
        return sum(mask.bit_count() for mask in self.seen) // 2
