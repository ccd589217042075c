"""The self-check: the published table, a person's values, and what they mean together."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from html import escape
from pathlib import Path
from typing import Any, cast

import traitlets

from verikit._support.requests import one_of
from verikit._support.told import Told
from verikit.datasets import example_record, published, releases
from verikit.errors import SchemaError
from verikit.languages import (
    LANGUAGES,
    choose_language,
    form_text,
    localize_number,
    read_language,
    speaks_of,
    translate,
    use_language,
)
from verikit.ranks.spread import Criterion, criteria_by_name
from verikit.release import Release
from verikit.subject import Repeated, SubjectReport, check, kind_of, repetition
from verikit.subject import card as cards
from verikit.subject.masked import Repetition
from verikit.widgets import _form as form
from verikit.widgets._callbacks import guard_box, say_error
from verikit.widgets._opening import SPELLING, Opened, TablePanel, concerns_table, spelling_parts
from verikit.widgets._panel import Card, Part
from verikit.words import count

EXAMPLE = "people_masked"
RUNS, SLICE = 100, 0.1
OFFERED = ("variance", "robust variance", "distinct", "entropy", "t-closeness")
MEASURES = ("distance", "diversity", "k", "ell", "e", "node", "match")
MOST_NODES = 100
ALL = 2  # the whole record gets half of all warnings by mistake, and each size below half the rest


class SelfCheck(TablePanel):
    """A page on which a person checks her own record against a published table.

    Parameters
    ----------
    release
        What was published; or the name of a shipped table, of which some come with a person filled
        in; by default 32 invented people.
    distance, diversity, criterion, k, ell, e, node, match
        What she requires, as `verikit.check` takes it; the form asks for what the kind of release
        can judge, and for deviations in place of variances.
    language
        In which language it speaks and is answered, such as ``"de"``; None for that of the
        browser. It can be chosen on the page. Of releases whose sentences stand in English only it
        speaks English, and says so.

    Notes
    -----
    It computes nothing: every change calls `verikit.check`, whose result is held in ``report``;
    that is None while nothing, or nothing usable, is typed. What is typed is sent to Python only,
    and kept nowhere.

    Where method and parameters are published, the method is then repeated with her record, between
    messages and so without keeping her from typing, and the answer is completed by what is found;
    ``finish`` does what is left of it at once. Different sets of values that are tried against a
    table share the warnings by mistake: half of them go to the whole record, and of the other half
    the k-th further set gets one part in k (k + 1), so that all of them together, however many,
    warn no more people by mistake than is said.

    References
    ----------
    [DM]_ section 4

    Examples
    --------
    >>> panel = SelfCheck()
    >>> panel.record, panel.report.headline.state
    ({'age': '34', 'postcode': '3104'}, 'warning-you')
    >>> panel = SelfCheck("dm_table1_masked")
    >>> panel.report.attributes["distance"].tolist()
    [4, 1, 4]
    >>> panel.record = {"X1": "100.87", "X2": "about 900"}
    >>> panel.report is None, str(panel.last_error)
    (True, "'X2' was given as 'about 900'; expected a number.")
    """

    record = traitlets.Dict(help="Her values by attribute, as typed; empty is not said.")
    distance = traitlets.Any(allow_none=True, help="The places she requires.")
    diversity = traitlets.Any(allow_none=True, help="The diversity she requires within them.")
    criterion = traitlets.Any("variance", help="How diversity is measured.")
    k = traitlets.Any(allow_none=True, help="How many records she requires to fit her values.")
    ell = traitlets.Any(allow_none=True, help="How many sensitive values she requires of them.")
    e = traitlets.Any(allow_none=True, help="How far apart she requires these values to lie.")
    node = traitlets.Any(allow_none=True, help="The group of values that may be known of her.")
    match = traitlets.Any(allow_none=True, help="The row that she takes to be hers.")
    language = traitlets.Enum(LANGUAGES, "en", allow_none=True).tag(sync=True)
    report = traitlets.Instance(
        SubjectReport, allow_none=True, read_only=True, help="The answer; None if there is none."
    )

    def __init__(  # noqa: PLR0913 - one question, and what she may set about it
        self,
        release: Release | str | None = None,
        *,
        distance: float | Mapping[str, int] | None = None,
        diversity: float | Mapping[str, float] | None = None,
        criterion: str | Criterion | Mapping[str, str | Criterion] = "variance",
        k: int | None = None,
        ell: int | None = None,
        e: float | None = None,
        node: str | None = None,
        match: int | None = None,
        language: str | None = "en",
    ) -> None:
        self._wrong: dict[str, Exception] = {}
        self._answer = ""
        self._example: dict[str, str] = {}
        self._looks = AlphaSpending()
        self._file = Opened()
        self._to_repeat: Mapping[str, Any] = {}
        self._again: Repetition | None = None
        self._share = 0
        self._offered: tuple[str, ...] = OFFERED
        if not isinstance(criterion, Mapping):
            self._offered = (*dict.fromkeys((*OFFERED, Criterion.of(criterion).name)),)
        required = {"distance": distance, "diversity": diversity, "k": k, "ell": ell, "e": e}
        required["match"] = match
        if language is not None:
            one_of(language, "language", LANGUAGES)
        language = language or os.environ.get("VERIKIT_LANGUAGE") or None
        super().__init__(criterion=criterion, node=node, language=language, **required)
        self.observe(self._check_later, ["record", "criterion", *MEASURES])
        self.observe(self._change_language, "language")
        asked = os.environ.get("VERIKIT_RELEASE", "") if release is None else ""
        start = Path(os.environ.get("VERIKIT_START", "."))
        if asked in releases() and not (start / asked).exists():
            release = asked
        named = isinstance(release, str) and release in releases()
        self._shown = str(release) if named else EXAMPLE
        if named or release is None:
            self._take_example()
        else:
            self._take_table(cast("Release", release), source="given")
        if asked and release is None:
            self._open_path(asked, os.environ.get("VERIKIT_PROMISE", "untold"))

    def __repr__(self) -> str:
        records = count(len(self._release), "record")
        return f"SelfCheck({records} of {', '.join(self._release.schema.names)})"

    @property
    def spoken_language(self) -> str:
        """The language of form and card: hers, unless this kind of release has English only."""
        wanted = self.language or "en"
        return wanted if speaks_of(wanted, self._kind.says) else "en"

    def language_choices(self) -> Mapping[str, Any]:
        """The languages, and what stands above a page of its own."""
        chosen = self.language or "en"
        with use_language(chosen):
            words = {name: form_text(name) for name in ("title", "lead")}
            label = form_text("language")
        names = [(name, read_language(name).words["name"]) for name in LANGUAGES]
        return {"languages": names, "chosen": chosen, "label": label, **words}

    def on_languages(self, languages: object) -> None:
        """Speak the language of the browser where no other was given."""
        if self.language is None:
            self.language = choose_language(languages)

    def _change_language(self, _: Any = None) -> None:
        """Say everything in another language; the example is spelled anew, her own values stay."""
        shown, before = self.record == self._example, self._example
        if before:
            self._example = self._example_record()
        if shown and self._example != before:
            self.record = self._example
        else:
            self._check_later()

    def _check_later(self, _: Any = None) -> None:
        """Check what is typed, once no more of it comes in."""
        if not self._latest.postpone(self._check_now):
            self._check_now()

    ask_again = _check_later

    def _check_now(self) -> None:
        """Check what is typed now; an error stands at its box, and the old answer is greyed."""
        with guard_box(self), use_language(self.spoken_language):
            self._wrong = {at: error for at, error in self._wrong.items() if concerns_table(at)}
            values, wrong = form.read_values(self._columns, self.record, self._release)
            for name, error in wrong.items():
                self.show_error(error, f"record/{name}")
            if wrong:
                return
            self._to_repeat, self._again, self._share = {}, None, 0
            if not values and len(self._release):
                self._show_checked(values, lambda: None)
                return
            find, show = self._ask(values), partial(self._show_checked, values)
            words = form_text("comparing", records=len(self._release))
            if not self._latest.start_apart(find, show, words):
                show(find)

    def _ask(
        self, values: Mapping[str, Any], runs: int | Repeated = 0
    ) -> Callable[[], SubjectReport]:
        """The check of some values; sets of attributes that were tried before it count."""
        required = {name: getattr(self, name) for name in self._kind.judges}
        more: dict[str, Any] = form.read_requirements(required, values)
        if self._ranked:
            criteria = self._criteria_by_name()
            asked = {name: part for name, part in criteria.items() if name in values}
            more |= {"criterion": asked, "looks": self._looks.at(values)}
        language = self.spoken_language
        return partial(check, values, self._release, **more, runs=runs, language=language)

    def _show_checked(
        self,
        values: Mapping[str, Any],
        find: Callable[[], SubjectReport | None],
        *,
        again: bool = True,
    ) -> None:
        """Show the answer, and repeat the published method with her values if it can be."""
        with guard_box(self):
            report, self._answer = find(), ""
            if report is not None:
                self._looks.count_attempt(values, report.facts)
                name = self._named or form_text(self._source)
                self._answer = cards.write_card(report, self._release.schema, name)
            self.set_trait("last_error", None)
            self.set_trait("report", report)
            self.send_screen()
            if again and values:  # made ready once nothing more is typed
                self._to_repeat = values
                self._latest.do_meanwhile(lambda: self._repeat_method(SLICE))

    def _repeat_method(self, seconds: float) -> bool:
        """Repeat the published method for a moment; whether all is done and shown."""
        values, self._to_repeat = self._to_repeat, {}
        if not values:
            return True
        with use_language(self.spoken_language):
            work = self._again = self._again or repetition(values, self._release, runs=RUNS)
            if work is None:
                return True
            work.advance(seconds)
            if work.found is None:
                self._to_repeat = values
                share = int(20 * work.share) * 5
                if share != self._share:
                    self._share = share
                    said = form_text("repeating", share=share)
                    self.send({"kind": "wait", "say": said, "hushed": True, "stop": True})
                return False
            self._show_checked(values, self._ask(values, work.found), again=False)
        return True

    def was_stopped(self) -> bool:
        """Whether there is no answer because somebody stopped it, not the opening of a table."""
        return super().was_stopped() and self.report is None

    def on_stop(self) -> None:
        """The published method is not repeated further; the answer stands without it."""
        self._to_repeat = {}

    def finish(self) -> None:
        """Repeat the published method as often as is left to do, and complete the answer."""
        self._repeat_method(float("inf"))

    def show_error(self, error: Exception, place: str) -> None:
        """Show an error at the box it concerns; unless that is a file, no answer is current."""
        box = place or self.find_box(getattr(error, "field", ""))
        self._wrong[box] = error
        self.set_trait("last_error", error)
        if not concerns_table(place):
            self.set_trait("report", None)
        self.send_screen()

    def on_value(self, place: str, value: str) -> None:
        """A box changed: a value of the record, a requirement, or where a table lies."""
        name, _, of = place.partition("/")
        if name == "record" and of:
            self.record = {**self.record, of: value}
        elif name == "diversity" and of:
            asked = self.diversity, self._columns, of, value, self._criteria_by_name()[of]
            self.diversity = form.set_diversity(*asked)
        elif name in MEASURES:
            self.set_trait(name, value)
        elif name == "criterion":
            criterion = Criterion.of(value).name
            self.diversity = None  # another measure has another unit
            self.criterion = criterion
        elif name == "path":
            self._open_path(value.strip())
        elif name == "language":
            self.language = value
        elif name == SPELLING and of:
            self._file = self._file.change(of, value)
            self._read_file(place)

    def on_press(self, place: str) -> None:
        """The example again."""
        if place == "example":
            self._take_example()

    def _take_example(self) -> None:
        self._take_table(published(self._shown), source="running")

    def _example_record(self) -> dict[str, str]:
        """The values of the example, as people of the language write them."""
        with use_language(self.spoken_language):
            record = example_record(self._shown).items()
            return {name: localize_number(str(value)) for name, value in record}

    def _take_table(
        self, release: Release, named: str = "", *, source: str = "", file: Opened | None = None
    ) -> None:
        """Make a release the one that is checked against; nothing that was typed stays."""
        kind, prepared = kind_of(release), release.prepare()
        ranked = "distance" in kind.judges
        columns, reasons = form.list_columns(prepared, ranked=ranked)
        if not columns:
            raise SchemaError(
                Told(
                    f"{named or 'The table'!r} has no column by which records can be compared; it "
                    f"has {', '.join(release.schema.names)}.",
                    "incomparable",
                    name=repr(named or form_text(source)),
                    known=list(release.schema.names),
                )
            )
        self._release, self._kind, self._ranked = prepared, kind, ranked
        self._source, self._named = source, named
        self._columns, self._reasons = columns, reasons
        self._nodes: list[str] = []
        if "node" in kind.judges:  # groups of values that can be named, the largest first
            trees: list[Any] = [column.hierarchy for column in release.schema.sensitive]
            size = {node: len(tree.leaves(node)) for tree in trees for node in tree.nodes}
            self._nodes = sorted(size, key=lambda node: -size[node])[:MOST_NODES]
        self._wrong, self._answer, self._path, self._file = {}, "", "", file or Opened()
        self._looks, self._to_repeat = AlphaSpending(column.name for column in columns), {}
        self._example, before = {}, self.record
        if source == "running":
            self._example = self._example_record()
        self.record = self._example
        if before == self._example:
            self._check_later()

    def _criteria_by_name(self) -> dict[str, Criterion]:
        names = [column.name for column in self._columns]
        asked = self.criterion
        if isinstance(asked, Mapping):  # another table may lack some of them
            asked = {name: part for name, part in asked.items() if name in names}
        return criteria_by_name(asked, names)

    def lay_out(self) -> list[Part]:
        """The table, her values, and what this kind of release lets her require."""
        lines = [form_text("leave"), *map(translate, self._release.notes)]
        lines += [form_text(why, title=title, most=form.MOST) for why, title in self._reasons]
        if self._example and self.record == self._example:
            lines.append(form_text("filled"))
        name = self._named or form_text(self._source)
        table = form.table_part(name, self._release, self._path, example=bool(self._example))
        if self.spoken_language != (self.language or self.spoken_language):
            with use_language(str(self.language)):  # it says in her language that all is English
                table = replace(table, lines=[*table.lines, (form_text("english"), "soft")])
        asked = form.Requirement(
            {name: getattr(self, name) for name in MEASURES},
            self._criteria_by_name(),
            self._offered,
            self._columns,
            self._nodes,
        )
        boxes = [
            form.make_field(
                self._release,
                column,
                form.show_typed(self.record.get(column.name)),
                ranked=self._ranked,
            )
            for column in self._columns
        ]
        title, said = f"2\u2002{form_text('yours')}", [(line, "soft") for line in lines]
        hers = Part("record", title, said, boxes)
        requirement = form.requirement_part(self._kind, asked)
        spelled, promised = spelling_parts(self._file) or (None, None)
        return [*filter(None, [table, spelled, hers, promised, requirement])]

    def errors(self) -> dict[str, str]:
        """What is wrong, by box, in the language that is spoken."""
        return {place: say_error(error) for place, error in self._wrong.items()}

    def card(self) -> Card:
        """The answer; or the last one, greyed; or what to do first."""
        title = f"3\u2002{form_text('means')}"
        shown = cards.write_problem(say_error(self._wrong[""])) if "" in self._wrong else ""
        if self.report is not None:
            return Card(title, self._answer, cards.say_aloud(self.report))
        if self._answer:
            said = form_text("attention")
            return Card(title, shown + cards.write_outdated(self._answer), said)
        said = form_text("first")
        return Card(title, shown or cards.write_waiting(said), said)

    def write_saved(self) -> str:
        """The shipped example as it comes; never a table or values of anybody's own."""
        shipped = bool(self._example) and self.record == self._example
        if shipped and not self._wrong:
            return super().write_saved()
        with use_language(self.spoken_language):
            return f"<p>{escape(form_text('not-saved'))}</p>"


class AlphaSpending:
    """Among how many looks the warnings by mistake are divided, for each set of attributes.

    The shares of all sets add up to no more than 1, whatever is tried and in whatever order; a
    set that was tried before keeps its share. Sets of one size share: the whole record gets a half,
    those that leave one attribute out a quarter, and so on. Boxes are filled one after another, and
    whoever leaves the last one empty has tried smaller sets on the way.

    Parameters
    ----------
    names
        The attributes of the whole record.

    Examples
    --------
    >>> looks = AlphaSpending(["age", "income", "rent", "town"])
    >>> looks.at(["age", "income", "rent", "town"])
    2
    >>> looks.at(["age", "income"]), looks.at(["age", "town"]), looks.at(["age", "rent", "town"])
    (8, 8, 8)
    >>> looks.count_attempt(["age", "income"], {"chance": {"least": 0.001, "alpha": 0.01}})
    >>> looks.at(["age", "income"]), looks.at(["age", "town"]), looks.at(["age", "rent", "town"])
    (8, 24, 8)

    With two attributes nothing else can be tried:

    >>> AlphaSpending(["age", "town"]).at(["age", "town"])
    1
    """

    def __init__(self, names: Iterable[str] = ()) -> None:
        self._names = frozenset(names)
        self._tried: dict[int, list[frozenset[str]]] = {}

    def at(self, given: Iterable[str]) -> int:
        """Among how many looks the warnings by mistake are divided when these are tried."""
        asked, most = frozenset(given), len(self._names) - 2
        if most <= 0:
            return 1
        if asked == self._names:
            return ALL
        share = ALL ** min(len(self._names) - len(asked) + 1, most)
        before = self._tried.get(len(asked), [])
        place = before.index(asked) if asked in before else len(before)
        return share * (place + 1) * (place + 2)

    def count_attempt(self, given: Iterable[str], facts: Mapping[str, Any]) -> None:
        """Count a set that was tried, if its match could have warned at all."""
        asked, chance = frozenset(given), facts.get("chance")
        able = chance is not None and chance["least"] <= chance["alpha"] / self.at(asked)
        before = self._tried.setdefault(len(asked), [])
        if able and asked not in before:
            before.append(asked)
