"""Groups that go on from what was published before: nobody's possible values become fewer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from verikit._support.arrays import Rows
from verikit._support.seed import generator
from verikit.errors import InfeasibleError, SchemaError
from verikit.partition._partition import Partition, check_request, value_codes
from verikit.table import Microdata, Missing
from verikit.words import count, listed, text


class Signatures(Protocol):
    """What knows among which values each person was published (`verikit.release.Ledger`)."""

    def list_signatures(self, data: Microdata, name: str) -> list[frozenset[str]]:
        """List for each record the values that all of her groups held; none for newcomers."""


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
        The groups; its ``residue`` are people who share groups of other values.

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
    others. Where people who left took a value with them, people who came stand in; where these do
    not suffice, no record is made up, as in that paper, but people share groups that hold more
    values, or some more often: they are the ``residue``. Their own groups rule out nothing that was
    open; what follows from those of others together is not ruled out. O(n log n), and the square
    of the number of different sets of values where groups are joined.

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
    name, codes = request.name, request.codes
    if not hasattr(ledger, "list_signatures"):
        raise SchemaError(
            f"The ledger was given as {type(ledger).__name__}; expected a verikit.release.Ledger, "
            "such as Ledger.beside(key)."
        )
    sets = ledger.list_signatures(data, name)
    values = [
        "missing" if value is None else text(value) for value in value_codes(data, name).values
    ]
    order = data.canonical_order()
    order = order[generator(seed).permutation(len(order))]
    buckets, newcomers = _make_buckets(sets, codes, values, order)
    pairs = _pair_off(buckets, newcomers, codes, request.ell)
    buckets = [bucket for bucket in buckets if bucket.rows]
    _fill_in(buckets, newcomers, codes, request.ell)
    came = _make_bucket(frozenset(), newcomers, codes)
    joined = _join_unready([*buckets, *([came] if newcomers else [])], pairs, request.ell, values)
    residue = sum(len(bucket.rows) for bucket in joined if bucket.required)
    labels, made = np.empty(len(data), np.intp), 0
    for bucket in (*pairs, *joined):
        dealt = _deal_out(bucket, codes, request.ell)
        labels[bucket.rows] = made + dealt
        made += int(dealt.max()) + 1
    return Partition(labels, "continued", {"ell": request.ell, "sensitive": name}, residue)


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


def _make_buckets(
    sets: Sequence[frozenset[str]], codes: Rows, values: Sequence[str], order: Rows
) -> tuple[list[Bucket], list[int]]:
    """People by the values they were published among, and those who came, in the order given."""
    number = {value: code for code, value in enumerate(values)}
    rows: dict[frozenset[str], list[int]] = {}
    for row in order.tolist():
        rows.setdefault(sets[row], []).append(row)
    newcomers = rows.pop(frozenset(), [])
    gone = sorted({value for part in rows for value in part if value not in number})
    if gone:
        people = sum(len(part) for held, part in rows.items() if not held.isdisjoint(gone))
        raise InfeasibleError(
            f"{count(people, 'person was', 'people were')} published among {listed(gone)}, which "
            "nobody has any more; leave them out of this release, or publish no second one."
        )
    ordered = sorted(rows, key=lambda part: (-len(rows[part]), sorted(part)))
    found = [
        _make_bucket(frozenset(number[value] for value in part), rows[part], codes)
        for part in ordered
    ]
    return found, newcomers


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
