"""``verikit choose``, ``mask`` and ``audit``: for whoever holds the original records."""

from __future__ import annotations

import inspect
import json
import secrets
import shlex
import sys
import textwrap
from dataclasses import KW_ONLY, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from verikit import lattice
from verikit._support.requests import one_of
from verikit.cli._declare import Command, Requirement, Spelling, read_parameters
from verikit.cli._inputs import (
    parse_value,
    read_hierarchy,
    read_pairs,
    read_schema,
    write_document,
)
from verikit.datasets import find_release
from verikit.errors import FormatError, InfeasibleError, RecordError, SchemaError
from verikit.matching import count_values_left
from verikit.partition import Partition, anatomy, continued, min_sum_error, mondrian
from verikit.partition import Requirement as ClassRequirement
from verikit.release import (
    ON_REPETITION,
    Key,
    Ledger,
    Masked,
    TableRelease,
    by_secrets,
    to_json_value,
)
from verikit.table import Microdata, Schema, read, read_frame
from verikit.words import joined, listed, not_compared

if TYPE_CHECKING:
    from verikit.intruder import Memorized
    from verikit.protector import AuditReport, Choice

GROUPED_BY = ("k", "ell", "alike", "e", "groups")
SEARCHES = ("datafly", "samarati", "incognito", "k_optimize")
GIVEN_OTHERWISE = ("data", "graph", "seed")
ADVICE = {
    "partition": "Give --k, --ell (and --alike), --k and --e, --require, or --groups FILE.",
    "levels": "Give --search, with --k or --require, or levels by number.",
    "hierarchy": "Give the sensitive column its own with --hierarchy NAME=FILE or --schema.",
}
MANY_RECORDS = 1_000  # records from which on an audit may take seconds
DOCUMENTS = (".html", ".htm", ".json")


@dataclass
class Groups:
    """By which groups and hierarchies records are masked.

    Parameters
    ----------
    k : COUNT
        records, or values, in each group
    ell : COUNT
        different sensitive values in each group
    alike : COUNT
        with --ell: groups inside parts of at least so many alike records, of which somebody who
        repeats the method learns no more than they show
    e : WIDTH
        with --k: how far apart those values lie
    require : MODEL,NAME=VALUE
        what each group must meet, such as t_closeness,t=0.2, or continued,ell=2 for values left by
        it and what the ledger beside the key tells of before; may be repeated
    search
        for generalize, with --k or --require: levels of the hierarchies, found by datafly,
        samarati, incognito or k_optimize, instead of groups
    suppression : SHARE
        with --search: of the records, how many may be suppressed at most (default: 0)
    groups : FILE
        a table with one line a record and its group in the column 'group'
    again
        with --ell: by groups that go on with the values among which each person was published
        before, as the ledger beside the key tells
    hierarchy : NAME=FILE
        a column's hierarchy: one line a value, from the value to the root
    """

    _: KW_ONLY
    k: int | None = None
    ell: int | None = None
    alike: int | None = None
    e: float | None = None
    require: list[str] = field(default_factory=list)
    search: str | None = None
    suppression: float = 0.0
    groups: str | None = None
    again: bool = False
    hierarchy: list[str] = field(default_factory=list)

    def read_required(self, key: str) -> dict[str, Any]:
        """Read what every group must meet, by size and by model."""
        asked = [ClassRequirement.read(one, Ledger.beside(key)) for one in self.require]
        beside = [n for n in ("ell", "alike", "e", "groups", "again") if getattr(self, n)]
        if beside and (asked or self.search):
            given = "--require" if asked else "--search"
            raise RecordError(f"{given} goes with --k only; --{beside[0]} was given too.")
        return {"k": self.k, "requirement": asked or None}

    def find_levels(self, data: Microdata, key: str) -> lattice.Search:
        """Search the levels of all hierarchies for what is required."""
        one_of(self.search, "--search", SEARCHES)
        asked = self.read_required(key)
        found: lattice.Search = getattr(lattice, str(self.search))(
            data, suppression=self.suppression, **asked
        )
        return found

    def make_partition(
        self, data: Microdata, seed: int, key: str, missing: Any = "refuse"
    ) -> Partition:
        """Make the groups that were asked for, drawn with a seed of their own."""
        from verikit.mask import draw_grouping_seed, mix_values

        if self.search or self.suppression:
            raise RecordError(
                "--search finds levels for generalize, not groups; leave it and --suppression out."
            )
        drawn, asked = draw_grouping_seed(seed), self.read_required(key)
        if self.groups is not None:
            return _read_groups(self.groups, data)
        if self.again and self.ell is not None:
            return continued(Ledger.beside(key), data, ell=self.ell, seed=drawn)
        if self.e is not None and self.k is not None:
            return min_sum_error(data, k=self.k, e=self.e, seed=drawn)
        if self.ell is not None and self.alike is not None:
            return anatomy(data, ell=self.ell, alike=self.alike, seed=drawn)
        if self.ell is not None:
            return mix_values(data, self.ell, drawn)
        if (self.k is None and not self.require) or self.alike is not None or self.again:
            alone = "--again" if self.again else "--e" if self.alike is None else "--alike"
            lacking = "--k" if alone == "--e" else "--ell"
            raise RecordError(
                f"{alone} was given without {lacking}; give how many values each group holds too."
            )
        return mondrian(data, missing=missing, **asked)


@dataclass
class Mask(Command):
    """Make a release and its key from a table.

    Make a release and its key from a table. Both are written, or neither; what was stopped can be
    given again.

    Parameters
    ----------
    method
        a method of verikit.mask, such as noise
    original
        the original records, a table file
    set_ : NAME=VALUE
        a parameter, listed below; numbers, true, false and JSON are understood
    out : FOLDER
        where to publish
    key : FILE
        where to keep the key
    links
        write into the release how many people the strongest attack links rightly, counted with a
        fresh seed, and how many luck gives
    """

    stopped = "nothing was published"
    method: str
    original: str
    _: KW_ONLY
    spelling: Spelling
    set_: list[str] = field(default_factory=list)
    groups: Groups
    out: str
    key: str
    schema: str | None = None
    seed: int | None = None
    links: bool = False
    json: bool = False
    quiet: bool = False

    def execute(self) -> int:
        """Mask a table; write the release and, somewhere else, its key."""
        from verikit.mask import METHODS

        _check_method(self.method)
        check_places(self.out, self.key)
        data = _read_original(self.original, self.schema, self.groups.hierarchy, self.spelling)
        for note in data.notes:
            print(note, file=sys.stderr)
        seed = secrets.randbits(63) if self.seed is None else self.seed
        parameters = self.build_arguments(data, seed)
        self.say(f"Masking {len(data):,} records …")
        masked = METHODS[self.method].function(data, **parameters, seed=seed)
        lines = [f"Published in {self.out!r}; keep the key {self.key!r} to yourself."]
        if self.links:
            reported = _report_links(data, masked.release)
            masked = Masked(reported, masked.key)
            lines.append(_say_reported(reported))
        if by_secrets(masked.release):
            lines.append(ON_REPETITION)
        ledger = enter_release(data, masked, self.key)
        masked.save(self.out, self.key, ledger=ledger)
        self.done = f"the release lies whole in {self.out!r}, its key in {self.key!r}"
        facts = _describe_written(self.out, self.key, masked)
        self.show(facts, "\n".join([repr(masked.release), *lines]))
        return 0

    def build_arguments(self, data: Microdata, seed: int) -> dict[str, Any]:
        """Build what the method is called with: parameters, groups and a hierarchy; none lacks."""
        known = list_parameters(self.method)
        found = {name: parse_value(value) for name, value in read_pairs(self.set_, "--set").items()}
        grouped = {name: getattr(self.groups, name) for name in GROUPED_BY}
        optional = ("again", "require", "search", "suppression")
        grouped |= {name: getattr(self.groups, name) or None for name in optional}
        grouped = {n: given for n, given in grouped.items() if given is not None}
        if self.groups.search and "levels" in known:
            found["levels"] = self.groups.find_levels(data, self.key)
        elif grouped and "partition" in known:
            found["partition"] = self.groups.make_partition(
                data, seed, self.key, found.get("missing", "refuse")
            )
        elif grouped:
            found |= grouped
            found |= {"groups": _read_groups(found["groups"], data)} if "groups" in found else {}
        if "hierarchy" in known and "hierarchy" not in found:
            trees = [c.hierarchy for c in data.schema.sensitive if c.hierarchy is not None]
            found |= {"hierarchy": trees[0]} if trees else {}
        unknown = [name for name in found if name not in known]
        lacking = [name for name, p in known.items() if p.default is p.empty and name not in found]
        if unknown or lacking:
            advice = " ".join(ADVICE[name] for name in lacking if name in ADVICE)
            raise RecordError(
                f"mask {self.method} takes {listed(known, 12) or 'no parameter'}; given with --set "
                f"were {listed(found, 12) or 'none'}. {advice}".strip()
            )
        return found


def _check_method(name: str) -> None:
    """Refuse what is no method, or one that masks no table."""
    from verikit.mask import METHODS

    if name == "synthesize":
        raise RecordError(
            "'synthesize' draws a table from a model, for which there is no key; call "
            "verikit.mask.synthesize from Python, and give what it draws to  verikit publish."
        )
    if name not in METHODS:
        raise RecordError(f"There is no method {name!r}; verikit has {listed(METHODS, 40)}.")
    if METHODS[name].takes is not Microdata:
        raise RecordError(
            f"mask {name} takes a {METHODS[name].takes.__name__}, which no table file holds; call "
            f"verikit.mask.{name} from Python."
        )


def list_parameters(method: str) -> dict[str, inspect.Parameter]:
    """List what a method can be told, besides the table and the seed."""
    from verikit.mask import METHODS

    takes = inspect.signature(METHODS[method].function).parameters
    return {name: parameter for name, parameter in takes.items() if name not in GIVEN_OTHERWISE}


def _read_groups(path: str, data: Microdata) -> Partition:
    frame = read_frame(path)
    names = [name for name in frame.columns if name == "group"] or list(frame.columns)
    if len(names) > 1 or len(frame) != len(data):
        raise SchemaError(
            f"{path!r} holds {len(frame):,} lines of {listed(frame.columns)}; expected a column "
            f"'group' with one line for each of the {len(data):,} records."
        )
    return Partition.of(frame[names[0]])


def describe_methods() -> str:
    """Describe every method and its parameters, for the end of the help."""
    from verikit.mask import METHODS

    lines = ["methods and their parameters, each given with --set:"]
    for name, method in METHODS.items():
        if method.takes is not Microdata:
            continue
        documented = read_parameters(method.function)
        lines += ["", f"  {name}: {method.words}"]
        for parameter, kept in list_parameters(name).items():
            needed = " (needed)" if kept.default is kept.empty else ""
            words = ADVICE.get(parameter) or documented.get(parameter, ("", ""))[1]
            shown = f"{parameter}{needed}: {words}".rstrip(": ")
            lines += textwrap.wrap(shown, 96, initial_indent="    ", subsequent_indent="      ")
    return "\n".join(lines)


def _report_links(data: Microdata, release: Any) -> TableRelease:
    """Report in the release the count of a seed that nobody chose and nobody keeps."""
    from verikit.protector import reporting

    return reporting(data, release, seed=secrets.randbits(63))


def _say_reported(release: TableRelease) -> str:
    said = (
        f"It reports that the strongest attack links {release.reported_links:,} of "
        f"{len(release):,} people rightly; luck gives about {release.reported_luck:.1f}."
    )
    return " ".join(filter(None, (not_compared(release.not_compared), said)))


def check_places(out: str, key: str, what: str = "key") -> None:
    """Refuse a key that would be published, before any work is done."""
    folder, place = Path(out), Path(key)
    if folder.resolve() in (place.resolve(), *place.resolve().parents):
        raise FormatError(
            f"The {what} {key!r} would lie in the published folder {out!r}; keep it somewhere else."
        )


def enter_release(data: Microdata, masked: Masked, place: str) -> Ledger:
    """Warn of what was published of the same people before; give the ledger with one more."""
    ledger = Ledger.beside(place)
    for said in ledger.warn(data, *masked, count_left=count_values_left):
        print(f"warning: {said}", file=sys.stderr)
    return ledger.add(data, *masked)


def _read_original(
    path: str, schema: str | None, hierarchies: list[str], spelling: Spelling
) -> Microdata:
    """Read the original records with the schema and the hierarchies that were given."""
    data = read(path, read_schema(schema) if schema else None, **spelling.keywords)
    described = data.schema
    for name, file in read_pairs(hierarchies, "--hierarchy").items():
        described = described.with_column(name, hierarchy=read_hierarchy(file))
    return data if described is data.schema else Microdata(data.frame, described)


def _describe_written(out: str, key: str, masked: Masked) -> dict[str, object]:
    """Describe what was written, without anything of the key."""
    release = masked.release
    facts = {"method": release.method, "parameters": to_json_value(dict(release.parameters))}
    return {"out": out, "key": key, "records": len(release), **facts}


@dataclass
class Choose(Command):
    """Find the least masking that meets a goal.

    Try a method with more and less masking, and find the least that meets a goal: at most so many
    right links of an attack, or places and diversity kept by a share of the records; of tables
    joined by groups, at most so many sensitive values guessed rightly. With --out and --key the
    release found is written; without, only told.

    Parameters
    ----------
    method
        noise, rank_swap, rank_swap_cycles, microaggregate, mdav or shuffle; or anatomize or
        permute_all
    original
        the original records, a table file
    links : COUNT
        right links allowed at most
    guessed : SHARE
        of the people, for how many the sensitive value may be guessed rightly at most
    guess
        by the group, by learning, or by learning above control (default: learning)
    control : FILE
        for above control: records of people who are not in the table
    share
        of the records, how many keep distance and diversity, from 0 to 1 (default: 1)
    require : MODEL,NAME=VALUE
        what each class of records must meet, such as t_closeness,t=0.2, or continued,ell=2 for
        values left by it and what the ledger beside the key tells of before; may be repeated
    attack
        whose links are counted (default: strongest)
    seeds : COUNT
        how many seeds must meet the goal
    hierarchy : NAME=FILE
        of a column
    out : FOLDER
        where to write the release found
    key : FILE
        where to keep its key
    """

    method: str
    original: str
    _: KW_ONLY
    links: int | None = None
    guessed: float | None = None
    guess: str = "learning"
    control: str | None = None
    share: float = 1.0
    require: list[str] = field(default_factory=list)
    attack: str = "strongest"
    seeds: int = 1
    seed: int | None = None
    requirement: Requirement
    schema: str | None = None
    hierarchy: list[str] = field(default_factory=list)
    spelling: Spelling
    out: str | None = None
    key: str | None = None
    json: bool = False
    quiet: bool = False

    def execute(self) -> int:
        """Print the trials, what was found, and how to make it; 1 where nothing meets the goal."""
        from verikit.protector import Goal, choose, require_knob

        if bool(self.out) != bool(self.key):
            raise FormatError("--out says where the release goes and --key its key; give both.")
        if self.out and self.key:
            check_places(self.out, self.key)
        require_knob(self.method)
        names = ("share", "links", "attack", "guessed", "guess")
        wanted: Any = {name: getattr(self, name) for name in names}
        ledger = Ledger.beside(self.key) if self.key else None
        required = [ClassRequirement.read(one, ledger) for one in self.require]
        wanted["requirement"] = required or None
        goal = Goal(**self.requirement.keywords, **wanted)
        data = _read_original(self.original, self.schema, self.hierarchy, self.spelling)
        others = self.control and read_original_like(self.control, self.schema, data.schema)
        try:
            found = choose(
                data,
                self.method,
                goal,
                seed=secrets.randbits(53) if self.seed is None else self.seed,
                seeds=self.seeds,
                control=others or None,
                progress=lambda n, most: self.say(f"Masking {n} of at most {most} tried …"),
            )
        except InfeasibleError as error:
            print(error, file=sys.stderr)
            return 1
        if self.out and self.key and found.masked is not None:
            ledger = enter_release(data, found.masked, self.key)
            found.masked.save(self.out, self.key, ledger=ledger)
            self.done = f"the release lies whole in {self.out!r}, its key in {self.key!r}"
        self._show_choice(found)
        return 0

    def _show_choice(self, found: Choice) -> None:
        """Show the trials, what was found, and where it lies or how to make one like it."""
        from verikit.protector import require_knob

        knob, again = require_knob(self.method), found.fresh
        settings = {**knob.fixed, found.parameter: found.value}
        counted = "links" if self.guessed is None else "guessed"
        fresh = None if again is None else {counted: getattr(again, counted), "met": again.met}
        facts = {"method": found.method, "settings": settings, "fresh_seed": fresh}
        facts["trials"] = json.loads(found.to_frame().to_json(orient="records"))
        if self.out and self.key and found.masked is not None:
            facts["written"] = _describe_written(self.out, self.key, found.masked)
            last = f"Written to {self.out!r}; keep the key {self.key!r} to yourself."
        else:  # its release has another randomness
            parts = ["verikit", "mask", getattr(knob.function, "__name__", self.method)]
            parts += [self.original, *(["--schema", self.schema] if self.schema else [])]
            parts += [part for h in self.hierarchy for part in ("--hierarchy", h)]
            if knob.groups is not None:
                parts += [f"--{found.parameter}", str(found.value)]
            else:
                parts += [part for key, v in settings.items() for part in ("--set", f"{key}={v}")]
            parts += ["--out", "draft", "--key", "draft.key"]
            last = f"To make one like it:  {shlex.join(parts)}"
        self.show(facts, f"{found.to_frame().to_string(index=False)}\n\n{found}\n\n{last}")


@dataclass
class Audit(Command):
    """Check a release record by record, with its key.

    Parameters
    ----------
    original
        the original records, CSV or Parquet
    release
        the release's folder or file
    key : FILE
        the key of the release; one drawn from a model has none
    worst : N
        records to print (default: 20)
    json
        print every record as JSON
    out : FOLDER
        write the release once more, with how many people the strongest attack links rightly,
        counted with a fresh seed, and how many luck gives
    report : FILE
        write the audit as .html or .json, to be handed out
    control : FILE
        of a table published by groups: records of people who are not in it, to see how many of
        their values are guessed by who learned from it; of one drawn from a model: of people whom
        it did not learn from, to see how many it memorized
    promise : TEXT
        what a bare table promises of its values, such as "drawn from a model"
    require : MODEL,NAME=VALUE
        what each class of the published records must meet; may be repeated
    internal
        tell of single records too, for you alone
    force
        replace what stands at FILE
    """

    original: str
    release: str
    _: KW_ONLY
    key: str | None = None
    schema: str | None = None
    requirement: Requirement
    worst: int = 20
    json: bool = False
    quiet: bool = False
    out: str | None = None
    report: str | None = None
    control: str | None = None
    promise: str | None = None
    require: list[str] = field(default_factory=list)
    internal: bool = False
    force: bool = False

    def execute(self) -> int:
        """Print the audit, its verdict last."""
        from verikit.protector import audit

        if self.internal and not self.report:
            raise FormatError("--internal says what --report FILE holds; give both.")
        if self.report:
            check_document(self.report, "--report")
        release = open_masked(self.release, self.key, self.promise)
        if self.key is None:
            return self._audit_drawn(release)
        key = Key.open(self.key)
        data = read_original_like(self.original, self.schema, release.schema)
        if len(data) > MANY_RECORDS:
            self.say(f"Auditing {len(data):,} records …")
        others: Any = {"ledger": Ledger.beside(self.key)}
        if self.control:
            others["control"] = read_original_like(self.control, self.schema, release.schema)
        others["requirement"] = [
            ClassRequirement.read(one, others["ledger"]) for one in self.require
        ] or None
        report = audit(data, release, key, **others, **self.requirement.keywords)
        self._write_report(report)
        facts = report.to_frame().to_json(orient="records") if self.json else None
        text = "" if self.json else f"{report.to_frame(self.worst).to_string(index=False)}\n\n"
        self.show(facts, text, repr(report))
        if self.out:
            reported = _report_links(data, release)
            reported.save(self.out)
            beside = sys.stderr if self.json else None
            print(f"Written to {self.out!r}. {_say_reported(reported)}", file=beside)
        return int(report.met is False)

    def _audit_drawn(self, release: Any) -> int:
        """Print how many people a model memorized; 1 where it did."""
        given: dict[str, Any] = {"--out (verikit publish writes what is given away)": self.out}
        given |= {"--require": self.require, "a requirement": self.requirement.keywords}
        found = audit_drawn(self.original, release, self.control, self.schema, given)
        self._write_report(found)
        facts = found.to_frame().to_json(orient="records")
        self.show(facts if self.json else None, "", repr(found))
        return int(found.least > 0)

    def _write_report(self, report: AuditReport | Memorized) -> None:
        """Write the audit where it was asked for."""
        if self.report:
            document = render_audit(report, self.report, internal=self.internal)
            write_document(self.report, document, replace=self.force, private=self.internal)
            self.done = f"the audit lies whole in {self.report!r}"


def open_masked(place: str, key: str | None, promise: str | None) -> Any:
    """Open a release that is audited or given away: with its key, unless drawn from a model."""
    release = find_release(place, **({"promise": promise} if promise else {}))
    drawn = getattr(release, "from_model", False)
    if key is None and not drawn:
        raise FormatError(
            "--key FILE is missing; only a table drawn from a model has none (a bare table says so "
            'by --promise "drawn from a model").'
        )
    if key is not None and drawn:
        raise FormatError(
            "--key was given for a table drawn from a model, of which no row is anybody's; leave "
            "it out, and give --control FILE."
        )
    return release


def audit_drawn(
    original: str, release: Any, control: str | None, schema: str | None, given: dict[str, Any]
) -> Memorized:
    """Audit a table drawn from a model beside a control; what asks for rows of people is refused.

    Nobody's row is in it, so that no link is counted, no place required, and no key kept.
    """
    from verikit.protector import audit

    unasked = [name for name, value in given.items() if value]
    if unasked:
        raise FormatError(
            "No row of a table drawn from a model is anybody's, so that there are no links to "
            f"count or report, and no places to require; leave out {joined(unasked)}."
        )
    if not control:
        raise FormatError(
            "--control FILE is missing; a table drawn from a model is audited beside people whom "
            "the model did not learn from, such as a random half that was kept apart."
        )
    people, others = (
        read_original_like(path, schema, release.schema) for path in (original, control)
    )
    return audit(people, release, control=others)


def check_document(name: str, option: str) -> None:
    """Refuse a name that does not say whether a page or JSON is meant."""
    if Path(name).suffix.lower() not in DOCUMENTS:
        raise FormatError(
            f"{option} was given as {name!r}; expected a name that ends in "
            f"{joined(DOCUMENTS, 'or')}."
        )


def render_audit(report: AuditReport | Memorized, name: str, *, internal: bool) -> str:
    """Render the audit as the name of its file asks for."""
    write = report.json if Path(name).suffix.lower() == ".json" else report.html
    return write(internal=internal)


def read_original_like(path: str, schema: str | None, released: Schema) -> Microdata:
    """Read the original records, described as the release is unless a schema is given."""
    if schema:
        return read(path, read_schema(schema))
    data = read(path)
    known = {column.name: column for column in released}
    columns = tuple(known.get(column.name, column) for column in data.schema)
    return read(path, Schema(columns))
