"""Groups that go on from what was published before: nobody's possible values become fewer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd

from verikit._support.arrays import Rows
from verikit._support.requests import whole
from verikit._support.seed import generator
from verikit.errors import InfeasibleError, SchemaError
from verikit.partition._diversity import deal_buckets
from verikit.partition._partition import Partition, Request, check_request, value_codes
from verikit.partition._requirement import Signatures
from verikit.table import Microdata, Missing
from verikit.words import count, listed, text


@dataclass(slots=True)
class Bucket:
    """People who will share groups, and the values that each of these groups must hold."""

    required: frozenset[int]
    rows: list[int]
    counts: Counter[int]

    def lacking(self) -> list[int]:
        """Required values that nobody here has."""
        return sorted(value for value in self.required if not self.counts[value])

    def is_ready(self, ell: int) -> bool:
        """Whether one group of all of them would do."""
        return not self.lacking() and max(self.counts.values(), default=0) * ell <= len(self.rows)

    def take_in(self, row: int, value: int) -> None:
        """Take one more person in."""
        self.rows.append(row)
        self.counts[value] += 1


def continued(
    ledger: Signatures,
    data: Microdata,
    *,
    ell: int,
    sensitive: str | None = None,
    missing: Missing = "refuse",
    seed: int,
) -> Partition:
    """Group people so that each who was published before is among the same values again.

    Two groupings of the same people leave fewer values open together than each does alone. Here
    every group holds all the values among which each of its people was published before, so that
    later releases rule out nothing that was open; people who came are grouped with them where
    values are lacking, and by themselves otherwise.

    Parameters
    ----------
    ledger
        What was published before (`verikit.release.Ledger`).
    data
        The records now; some people may have come, and some left.
    ell
        No value may fill more than one in ``ell`` of a group.
    sensitive
        The sensitive column; the one with that role where there is just one.
    missing
        Whether missing values are refused, or counted as a value of their own.
    seed
        The randomness by which people are dealt out.

    Returns
    -------
    Partition
        The groups; its ``residue`` are people who share groups of more values, or in which one is
        held several times.

    Raises
    ------
    SchemaError
        If there is no ledger, or the sensitive column is not clear.
    InfeasibleError
        If nobody has a value any more among which somebody was published, or some value is too
        frequent.

    Notes
    -----
    How groups are made is our own, after m-invariance (Xiao and Tao 2007): groups hold the very
    values among which their people were published, each once. Then values can be exchanged among
    these people without changing any release, so nothing becomes certain, whatever follows from
    others, and each of her values stays as likely as before; if groups before held each value once
    too. Where people who left took a value with them, people who came stand in; where these do not
    suffice, no record is made up, as in that paper, but people share groups that hold more values,
    or some more often: they are the ``residue``. Their own groups rule out nothing that was open;
    what follows from those of others together is not ruled out, and small tables can give some of
    them away. `find_left_over` names them, to be held back. O(n log n), and the square of the
    number of different sets of values where groups are joined.

    References
    ----------
    X. Xiao and Y. Tao: m-invariance: towards privacy preserving re-publication of dynamic datasets.
    SIGMOD 2007

    Examples
    --------
    >>> import verikit as vk
    >>> data = vk.load("lhcc_table1")
    >>> first = vk.mask.anatomize(data, partition=vk.partition.anatomy(data, ell=2, seed=1), seed=1)
    >>> ledger = vk.release.Ledger().add(data, *first)
    >>> groups = continued(ledger, data, ell=2, seed=2)
    >>> second = vk.mask.anatomize(data, partition=groups, seed=2)
    >>> rows = [made.key.places[""] for made in (first, second)]
    >>> found = vk.intruder.put_together(first.release, second.release, people=data, rows=rows)
    >>> found.certain
    0
    """
    request = check_request(data, ell, sensitive, missing, "continued")
    people = _read_ledger(ledger, data, request, generator(seed))
    if people.gone:
        values = set(people.values)
        lost = {value for row in people.gone for value in people.sets[row] if value not in values}
        raise InfeasibleError(
            f"{count(len(people.gone), 'person was', 'people were')} published among "
            f"{listed(sorted(lost))}, which nobody has any more; leave them out of this release, "
            "or publish no second one."
        )
    codes, buckets, newcomers = request.codes, people.buckets, people.newcomers
    pairs = _pair_off(buckets, newcomers, codes, request.ell)
    buckets = [bucket for bucket in buckets if bucket.rows]
    _fill_in(buckets, newcomers, codes, request.ell)
    pairs += _deal_newcomers(newcomers, request, people.rng)
    came = [_make_bucket(frozenset(), newcomers, codes)] if newcomers else []
    joined = _join_unready([*buckets, *came], pairs, request.ell, people.values)
    labels, made = np.empty(len(data), np.intp), 0
    for bucket in pairs:
        labels[bucket.rows] = made
        made += 1
    for bucket in joined:
        dealt = _deal_out(bucket, codes, request.ell)
        labels[bucket.rows] = made + dealt
        made += int(dealt.max()) + 1
    residue = sum(len(bucket.rows) for bucket in joined)
    parameters = {"ell": request.ell, "sensitive": request.name}
    return Partition(labels, "continued", parameters, residue)


def find_left_over(
    ledger: Signatures,
    data: Microdata,
    *,
    ell: int,
    sensitive: str | None = None,
    missing: Missing = "refuse",
    seed: int,
) -> Rows:
    """Find the records to hold back so that `continued` has no residue for the others.

    Parameters
    ----------
    ledger, data, ell, sensitive, missing, seed
        As for `continued`.

    Returns
    -------
    numpy.ndarray
        The places of these records; all others share groups that hold the values among which their
        people were published, each once.

    Raises
    ------
    SchemaError
        If there is no ledger, or the sensitive column is not clear.

    References
    ----------
    X. Xiao and Y. Tao: m-invariance: towards privacy preserving re-publication of dynamic datasets.
    SIGMOD 2007

    Notes
    -----
    Our own: that paper makes records up instead. People who are held back may come again later. It
    is seen of them that they are not in this release, and that tells nothing of their values, as
    these too can be exchanged with the others'. As many as possible are kept only in the order in
    which sets of values are looked at.

    Examples
    --------
    Of two people with flu and ulcer the one with ulcer left, and nobody came with it:

    >>> import pandas as pd
    >>> import verikit as vk
    >>> frame = pd.DataFrame({"id": list("abcd"), "ill": ["flu", "ulcer"] * 2, "age": 30})
    >>> roles = {"id": "identifier", "ill": "sensitive"}
    >>> data = vk.Microdata(frame, vk.Schema.guess(frame, **roles))
    >>> first = vk.mask.anatomize(data, partition=vk.Partition.of([0, 0, 1, 1]), seed=1)
    >>> ledger, later = vk.release.Ledger().add(data, *first), data.take([0, 1, 2])
    >>> len(find_left_over(ledger, later, ell=2, seed=1))
    1
    """
    # a value may be too frequent here, as it may be held back
    request = check_request(data, 1, sensitive, missing, "find_left_over")
    request = request._replace(ell=whole(ell, "ell"))
    people = _read_ledger(ledger, data, request, generator(seed))
    groups = _pair_off(people.buckets, people.newcomers, request.codes, request.ell)
    groups += _deal_newcomers(people.newcomers, request, people.rng)
    kept = [row for bucket in groups for row in bucket.rows]
    return np.setdiff1d(np.arange(len(data)), kept)


class Earlier(NamedTuple):
    """The people of a table by what was published of them.

    Parameters
    ----------
    sets
        By record the values among which it was published.
    values
        The values that there are now.
    buckets, newcomers, gone
        Records by their set of values, those of nobody who was published, and those of whose set
        some value is nobody's any more.
    rng
        The randomness.
    """

    sets: Sequence[frozenset[str]]
    values: Sequence[str]
    buckets: list[Bucket]
    newcomers: list[int]
    gone: list[int]
    rng: np.random.Generator


def _read_ledger(
    ledger: Signatures, data: Microdata, request: Request, rng: np.random.Generator
) -> Earlier:
    """Find who was published among which values, in random order."""
    if not hasattr(ledger, "list_signatures"):
        raise SchemaError(
            f"The ledger was given as {type(ledger).__name__}; expected a verikit.release.Ledger, "
            "such as Ledger.beside(key)."
        )
    sets = ledger.list_signatures(data, request.name)
    found = value_codes(data, request.name).values
    values = ["missing" if value is None else text(value) for value in found]
    number = {value: code for code, value in enumerate(values)}
    rows: dict[frozenset[str], list[int]] = {}
    order = data.canonical_order()
    for row in order[rng.permutation(len(order))].tolist():
        rows.setdefault(sets[row], []).append(row)
    newcomers = rows.pop(frozenset(), [])
    lost = [part for part in rows if not all(value in number for value in part)]
    gone = [row for part in lost for row in rows.pop(part)]
    buckets = [
        _make_bucket(frozenset(number[value] for value in part), rows[part], request.codes)
        for part in sorted(rows, key=lambda part: (-len(rows[part]), sorted(part)))
    ]
    return Earlier(sets, values, buckets, newcomers, gone, rng)


def _deal_newcomers(
    newcomers: list[int], request: Request, rng: np.random.Generator
) -> list[Bucket]:
    """Deal people who came to groups that hold each value once; those of too frequent ones stay."""
    rows = np.array(newcomers, np.intp)
    codes = request.codes[rows]
    counts = np.bincount(codes, minlength=request.values)
    most = len(rows) // request.ell
    while np.minimum(counts, most).sum() < request.ell * most:
        most -= 1
    kept = pd.Series(codes).groupby(codes).cumcount().to_numpy() < most
    newcomers[:] = rows[~kept].tolist()
    if not most:
        return []
    groups = Partition(deal_buckets(request, codes[kept], rng)).groups()
    dealt = [rows[kept][places].tolist() for places in groups]
    return [_make_bucket(frozenset(), part, request.codes) for part in dealt]


def _pair_off(buckets: list[Bucket], newcomers: list[int], codes: Rows, ell: int) -> list[Bucket]:
    """Make groups that hold each required value once, as many as there can be; the rest stays.

    People who came stand in for those who left.
    """
    pool: dict[int, list[int]] = {}
    for row in newcomers:
        pool.setdefault(int(codes[row]), []).append(row)
    groups: list[Bucket] = []
    for bucket in buckets:
        required = sorted(bucket.required)
        if len(required) < ell:
            continue
        by_value = {
            value: [row for row in bucket.rows if codes[row] == value] for value in required
        }
        most = max(map(len, by_value.values()))
        many = min(most, *(len(by_value[v]) + len(pool.get(v, ())) for v in required))
        for value, rows in by_value.items():
            came = pool.get(value, [])
            rows += [came.pop() for _ in range(many - len(rows))]
        dealt = [rows[:many] for rows in by_value.values()]
        once = Counter(required)
        groups += [Bucket(bucket.required, list(part), once) for part in zip(*dealt, strict=True)]
        used = {row for rows in dealt for row in rows}
        bucket.rows = [row for row in bucket.rows if row not in used]
        bucket.counts = Counter(codes[bucket.rows].tolist())
    newcomers[:] = [row for rows in pool.values() for row in rows]
    return groups


def _make_bucket(required: frozenset[int], rows: Sequence[int], codes: Rows) -> Bucket:
    return Bucket(required, list(rows), Counter(codes[list(rows)].tolist()))


def _fill_in(buckets: list[Bucket], newcomers: list[int], codes: Rows, ell: int) -> None:
    """Give people who came to groups that lack a value, or hold one too often."""
    pool: dict[int, list[int]] = {}
    for row in newcomers:
        pool.setdefault(int(codes[row]), []).append(row)
    for bucket in buckets:
        for value in bucket.lacking():
            if pool.get(value):
                bucket.take_in(pool[value].pop(), value)
        often = max(bucket.counts.values(), default=0)
        # the values that are wanted first, and of these the rarest
        wanted = sorted(pool, key=lambda v: (v not in bucket.required, bucket.counts[v], v))
        for value in wanted:
            while often * ell > len(bucket.rows) and pool[value] and bucket.counts[value] < often:
                bucket.take_in(pool[value].pop(), value)
    newcomers[:] = [row for rows in pool.values() for row in rows]


def _join_unready(
    buckets: list[Bucket], pairs: list[Bucket], ell: int, values: Sequence[str]
) -> list[Bucket]:
    """Join each bucket that one group would not do for with the one that helps it most.

    Groups that hold each value once are taken where nothing else is left.
    """
    ready = [bucket for bucket in buckets if bucket.is_ready(ell)]
    waiting = [bucket for bucket in buckets if not bucket.is_ready(ell)]
    while waiting:
        bucket = waiting.pop()
        others = waiting + ready or pairs
        if not others:
            often = values[bucket.counts.most_common(1)[0][0]]
            raise InfeasibleError(
                f"No groups of these records can go on from what was published: {often!r} is too "
                f"frequent for ell={ell}; give a smaller ell, or leave records out."
            )
        other = max(others, key=lambda each: _helps(bucket, each))
        for part in (waiting, ready, pairs):
            part[:] = [each for each in part if each is not other]
        joined = Bucket(
            bucket.required | other.required, bucket.rows + other.rows, bucket.counts + other.counts
        )
        (ready if joined.is_ready(ell) else waiting).append(joined)
    return ready


def _helps(bucket: Bucket, other: Bucket) -> tuple[int, int, int]:
    """How much another bucket helps: values that lack, values required of both, few people."""
    given = sum(other.counts[value] > 0 for value in bucket.lacking())
    return given, len(bucket.required & other.required), -len(other.rows)


def _deal_out(bucket: Bucket, codes: Rows, ell: int) -> Rows:
    """Deal people out to as many groups as there can be, value by value in turn."""
    held = codes[bucket.rows]
    order = np.argsort(held, kind="stable")
    required = np.array(sorted(bucket.required), np.intp)
    fewest = min((bucket.counts[value] for value in required.tolist()), default=len(held))
    for groups in range(max(min(fewest, len(held) // ell), 1), 0, -1):
        labels = np.empty(len(held), np.intp)
        labels[order] = np.arange(len(held)) % groups
        keys, counts = np.unique(labels * (int(held.max()) + 1) + held, return_counts=True)
        owner, sizes = keys // (int(held.max()) + 1), np.bincount(labels)
        whole = np.isin(keys % (int(held.max()) + 1), required)
        every = (np.bincount(owner[whole], minlength=groups) == len(required)).all()
        if every and (counts * ell <= sizes[owner]).all():
            break
    return labels
