"""Try what one half of the groups teaches on pairs of the other half, whose truth is published."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from verikit._support.arrays import Flags, Floats, Ints, Rows
from verikit.matching._learn_by_groups import (
    BALANCES,
    PLACES,
    Grouped,
    Learned,
    balance_chances,
    learn_tables,
    sum_log_chances,
)

STRENGTHS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.85, 1.0, 1.2, 1.5, 2.0)
FEWEST = 20  # groups of a half, so that luck can be told
PAIRS = 1_000  # of groups that are put together in each half, at most
TAUGHT = 100_000  # people of a half from whom is learned, about
WIDER = 1.05  # how much farther apart than in one group people of two may lie
ERRORS = 2.0  # standard errors that are taken off what is borne out
STEPS = 10  # tenths of a chance, above the share in the group and below
ALIKE = 1e-9  # chances that differ by less are the same
AGAINST = 3.0  # times what speaks against a likeliest value counts at least: one column may forbid


class Tested(NamedTuple):
    """How far what was learned can be relied on, as groups tell from which was not learned.

    Parameters
    ----------
    strength
        The power to which what was learned is taken; 0 where it helped with no other group.
    values
        On how many values of other groups it was tried.
    least, most
        Which part at least and at most of what was learned is borne out: by tenth of the way from
        the share in the group to 1 where the chance learned lies above it, then by tenth of the
        share where below, then where below and yet likeliest for the person.
    half
        In which half each group is.
    others
        By half the tables that were learned from the other one, in hundredths.
    """

    strength: float
    values: int
    least: Floats
    most: Floats
    half: Flags
    others: tuple[Learned | None, Learned | None]

    def lower(self, people: Grouped, chances: Floats, shares: Floats) -> Floats:
        """Tell of chances only what is borne out, beside shares in the group.

        A chance above the share in the group is told as the share and the least part of the way to
        it that other groups bear out; one below as the share without the most.
        """
        step = _find_steps(people, chances, shares)
        part = np.where(chances > shares, self.least[step], self.most[step])
        seen = 1 - 1 / (self.values + 2)  # all that so many tries can show
        told = np.maximum(shares + part * (chances - shares), 0)
        return np.asarray(np.minimum(told, np.maximum(seen, shares)))


class Tries(NamedTuple):
    """Pairs of groups put together: whose values are told apart, by people of which of the two.

    Parameters
    ----------
    both
        The people of each pair as one group.
    first
        How much of each value the first group of the pair holds.
    side
        Who is of the first.
    logs
        What the tables of the other half say of each person with each value.
    weights
        How much each value counts.
    """

    both: Grouped
    first: Floats
    side: Flags
    logs: Floats
    weights: Floats


def try_on_pairs(
    people: Grouped, hashes: Ints, *, apart: bool = False, random: bool = False
) -> Tested:
    """Try what one half of the groups teaches on pairs of groups of the other half.

    Two groups are put together as if only their union were known, and it is asked of whose people
    each value is: which the release tells. They are drawn from groups that are so alike that people
    of two lie no farther apart than those of one; where none are, nothing is borne out. The
    strength is the least that does as well as the best one, but for chance; how much of the chances
    at that strength is borne out is counted for each tenth of the way, less two standard errors.

    Parameters
    ----------
    people
        The people and their groups.
    hashes
        A number of each group that follows from what it holds, and from nothing else.
    apart
        Whether columns were shuffled one by one.
    random
        Whether the groups are known not to depend on who has which value, so that of two groups
        the values that one of them lacks may be tried alone.
    """
    half = np.asarray(hashes & 1, bool)
    order = np.argsort(hashes, kind="stable")
    order = order[people.sizes[order] > 0]
    parts = [order[half[order] == which] for which in (False, True)]
    nothing = Tested(0.0, 0, np.zeros(3 * STEPS), np.ones(3 * STEPS), half, (None, None))
    if min(map(len, parts)) < FEWEST:
        return nothing
    taught = [learn_tables(_take_some(people, part), apart=apart) for part in parts]
    short = [
        part._replace(tables=tuple(np.round(t, PLACES - 1) for t in part.tables)) for part in taught
    ]
    nothing = nothing._replace(others=(short[1], short[0]))
    tries = []
    for part, learned in zip(parts, reversed(taught), strict=True):
        first, second = _pair_groups(people, part, hashes, learned)
        if not len(first):
            return nothing
        tries.append(_put_together(people, (first, second), learned, random=random))
    losses = np.concatenate([_count_losses(part) for part in tries], axis=1)
    best = int(losses.sum(1).argmin())
    more = losses - losses[best]
    fair = more.sum(1) <= np.sqrt(np.square(more).sum(1))
    strength = STRENGTHS[int(np.argmax(fair))]
    least, most = _find_parts(tries, strength)
    values = round(sum(float(part.both.amount[part.weights > 0].sum()) for part in tries))
    if not least.any():
        return nothing._replace(values=values)
    return nothing._replace(strength=strength, values=values, least=least, most=most)


def _take_some(people: Grouped, groups: Rows) -> Grouped:
    """As many of some groups as hold the people from whom is learned."""
    enough = int(np.searchsorted(np.cumsum(people.sizes[groups]), TAUGHT)) + 1
    return people.take(groups[:enough], np.arange(len(groups[:enough])))[0]


def _pair_groups(
    people: Grouped, groups: Rows, hashes: Ints, learned: Learned
) -> tuple[Rows, Rows]:
    """Pairs of groups as alike as the people of one; none where there are none.

    Groups are cut in two at the median of their widest column, again and again, until people of one
    part lie no farther apart than those of one group, and are paired inside the parts.
    """
    scores = _score_people(people, learned)
    count, sizes = len(people.sizes), people.sizes[groups].astype(np.float64)
    sums = np.array([np.bincount(people.group, part, count)[groups] for part in scores])
    squares = np.bincount(people.group, np.square(scores).sum(0), count)[groups].sum()
    inside = (squares - (sums**2 / sizes).sum()) / max((sizes - 1).sum(), 1)
    order, block = np.arange(len(groups)), np.zeros(len(groups), np.intp)
    while True:
        held = np.bincount(block, sizes[order])
        around = sum((np.bincount(block, part[order]) ** 2 / held).sum() for part in sums)
        alike = (squares - around) / max(held.sum() - len(held), 1) <= WIDER * inside
        amount = np.bincount(block)
        if alike or amount.max() < 4:
            break
        starts = np.cumsum(amount) - amount
        means = (sums / sizes)[:, order]
        width = np.maximum.reduceat(means, starts, 1) - np.minimum.reduceat(means, starts, 1)
        order = order[np.lexsort((means[width.argmax(0)[block], np.arange(len(order))], block))]
        low = np.where(amount < 4, amount, amount // 4 * 2)[block]
        cut = 2 * block + (np.arange(len(order)) - starts[block] >= low)
        block = np.unique(cut, return_inverse=True)[1]
    if not alike:
        return groups[:0], groups[:0]
    order = groups[order[np.lexsort((order, block))]]  # groups come in the order of their hashes
    pairs = order[: len(order) // 2 * 2].reshape(-1, 2)
    some = pairs[np.argsort(hashes[pairs[:, 0]], kind="stable")[:PAIRS]]
    return some[:, 0], some[:, 1]


def _score_people(people: Grouped, learned: Learned) -> Floats:
    """What each column tells apart best, as a number for each person (first singular vector)."""
    found = []
    for codes, table in zip(people.codes, learned.tables, strict=True):
        shares = np.bincount(codes, minlength=len(table)) / max(len(codes), 1)
        said = table[:, :-1] * np.sqrt(people.shares[:-1])
        said = said - shares @ said
        if not said.size:
            continue
        leading = np.linalg.svd(said * np.sqrt(shares)[:, None], full_matrices=False)[2][0]
        found.append((said @ leading)[codes])
    return np.array(found).reshape(-1, len(people.group))


def _put_together(
    people: Grouped, sides: tuple[Rows, Rows], learned: Learned, *, random: bool
) -> Tries:
    """Pairs of groups as one each."""
    pairs = np.arange(len(sides[0]))
    both, rows = people.take(np.concatenate(sides), np.tile(pairs, 2))
    leads = np.zeros(len(people.sizes), bool)
    leads[sides[0]] = True
    one, _ = people.take(sides[0], pairs)
    every, own = (part.owner * people.values + part.value for part in (both, one))
    share = np.zeros(len(both.amount))
    share[np.searchsorted(every, own)] = one.amount
    weights = _weigh_values(both, share)
    if random:  # where no group holds a value twice, one that both hold had to be dealt to both
        once = np.bincount(people.value, people.amount > 1, people.values) == 0
        weights = np.where(once[both.value] & (both.amount > 1), 0, weights)
    logs = sum_log_chances(both, learned.tables)
    return Tries(both, share, leads[people.group[rows]], logs, weights)


def _weigh_values(both: Grouped, first: Floats) -> Floats:
    """How often values of the other group stand in one group with each value: so much it counts.

    Inside a group values are told apart that stand in groups together; others teach nothing of it.
    """
    shape = (int(both.owner[-1]) + 1, both.values)
    sides = np.zeros((2, *shape))
    sides[:, both.owner, both.value] = first, both.amount - first
    held = (sides.reshape(-1, both.values) > 0).astype(np.float64)
    often = held.sum(0)
    expected = np.maximum(np.outer(often, often) / len(held), 1e-300)
    together = np.minimum(held.T @ held / expected, 1.0)
    np.fill_diagonal(together, 0)
    met = sides @ together / np.maximum(sides.sum(2, keepdims=True), 1e-300)
    share, place = first / both.amount, (both.owner, both.value)
    return np.asarray(share * met[1][place] + (1 - share) * met[0][place])


def _count_losses(tries: Tries) -> Floats:
    """By strength and pair of groups: how badly the values of one are told from the other's."""
    both = tries.both
    at, person = both.slots
    share, hers, losses = tries.first / both.amount, tries.side[person], []
    for strength in STRENGTHS:
        chances = balance_chances(both, strength * tries.logs, 5 * BALANCES).chances
        told = np.bincount(at, chances * hers, len(share)) / np.bincount(at, chances, len(share))
        told = np.clip(told, 1e-3, 1 - 1e-3)
        loss = -both.amount * (share * np.log(told) + (1 - share) * np.log(1 - told))
        losses.append(np.bincount(both.owner, tries.weights * loss))
    return np.array(losses)


def _find_steps(people: Grouped, chances: Floats, shares: Floats) -> Rows:
    """The tenth of each chance: above a share, below it, below it and the person's likeliest."""
    above = (chances - shares) / np.maximum(1 - shares, 1e-12)
    way = np.where(chances < shares, chances / shares, above)
    tenth = np.minimum((way * STEPS).astype(np.intp), STEPS - 1)
    top = np.maximum.reduceat(chances, people.first)[people.slots[1]] - ALIKE
    return np.asarray(tenth + STEPS * (chances < shares) * (1 + (chances >= top)))


def _find_parts(tries: Sequence[Tries], strength: float) -> tuple[Floats, Floats]:
    """Which part of what was learned is borne out, at least and at most, by step of the chance.

    How many more of a value one group holds than its size would have it is regressed on how much
    likelier its people look to have it than by the share, step by step (least squares, errors that
    allow for values of one pair that hang together).
    """
    size, parts = 3 * STEPS, []
    for part in tries:
        both = part.both
        at, person = both.slots
        chances = balance_chances(both, strength * part.logs, 5 * BALANCES).chances
        share = both.amount / np.bincount(both.owner, both.amount)[both.owner]
        gained = (chances - share[at]) * part.side[person]
        step = at * size + _find_steps(both, chances, share[at])
        found = np.bincount(step, gained, len(share) * size).reshape(-1, size)
        people = np.bincount(both.group, part.side)[both.owner]
        root = np.sqrt(part.weights)
        parts.append((found * root[:, None], (part.first - people * share) * root, both.owner))
    seen = np.concatenate([part[0] for part in parts])
    more = np.concatenate([part[1] for part in parts])
    pair = np.concatenate([parts[0][2], parts[1][2] + parts[0][2][-1] + 1])
    if _find_slopes(seen.sum(1, keepdims=True), more, pair)[0][0] <= 0:
        return np.zeros(size), np.ones(size)
    return _find_slopes(seen, more, pair)


def _find_slopes(seen: Floats, more: Floats, pair: Rows) -> tuple[Floats, Floats]:
    """Slopes less and plus their errors, at least 0 and at least 1; those of few people 0 and 1."""
    inner = seen.T @ seen
    few = np.diag(inner) < 3
    inverse = np.linalg.inv(inner + 1e-9 * np.eye(len(inner)))
    slope = inverse @ (seen.T @ more)
    rest = more - seen @ slope
    by_pair = np.array([np.bincount(pair, part * rest) for part in seen.T])
    spread = inverse @ (by_pair @ by_pair.T) @ inverse
    plain = np.diag(inverse) * (rest @ rest) / max(len(rest) - len(inner), 1)
    error = ERRORS * np.sqrt(np.maximum(np.diag(spread), plain))
    least, most = np.clip(slope - error, 0, 1), np.maximum(slope + error, 1)
    least, most = np.floor(least * 100) / 100, np.ceil(most * 100) / 100
    most = np.where(few, 1, most)
    most[2 * STEPS :] = np.maximum(most[2 * STEPS :], AGAINST)
    return np.where(few, 0, least), most
