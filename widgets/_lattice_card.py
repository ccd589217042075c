"""What the card of the lattice says: the step, the picture, the trail, the classes at a node."""

from __future__ import annotations

from html import escape

import pandas as pd

from verikit._support import html as _html
from verikit.lattice import VERDICTS, Classified, Lattice, Node, Search, describe_node
from verikit.models import ModelVerdict
from verikit.widgets import _lattice_picture as pictures
from verikit.widgets._lattice_picture import Scene
from verikit.widgets._pieces import listing, note
from verikit.words import count

__all__ = ["classes", "picture", "trail"]


def picture(scene: Scene, known: Classified) -> str:
    """The lattice in nodes, with its legend; a large one by height."""
    if not pictures.few(scene.lattice):
        return note("Nodes of each height of the lattice that meet k:") + pictures.by_height(known)
    marks = {
        VERDICTS[seen.verdict]
        for seen in scene.seen.values()
        if seen.counted or seen.verdict == "pruned"
    }
    if any(not seen.counted and seen.verdict != "pruned" for seen in scene.seen.values()):
        marks.add("dashed: not counted")
    if len(scene.seen) < len(scene.lattice):
        marks.add("not looked at")
    if scene.chosen is not None or scene.now:
        marks.add("chosen" if scene.chosen is not None else "looked at now")
    told = f"In a node: the levels of {', '.join(scene.lattice.names)}. On the left: their sum."
    return pictures.drawn(scene) + pictures.legend(marks) + note(told)


def trail(search: Search, now: int, whole: Lattice) -> str:
    """The steps shown as a table, the last first."""
    shown = search.trail[:now]
    frame = pd.DataFrame(
        {
            "step": range(1, now + 1),
            "levels": [describe_node(step.node, step.columns or whole.names) for step in shown],
            "verdict": [VERDICTS[step.verdict] for step in shown],
            f"records in classes under {search.k}": pd.array([s.short for s in shown], "Int64"),
            "why": [step.reason for step in shown],
        }
    )
    content = listing(frame.iloc[::-1], "The steps", what=("earlier step", "earlier steps"))
    summary = f"<summary>{escape(count(now, 'step'))} as a table, the last first</summary>"
    return _html.element("details", summary + content, id="vk-trail")


def classes(verdict: ModelVerdict, node: Node, search: Search, whole: Lattice) -> str:
    """The classes of the table that a node would publish, the smallest first."""
    frame = verdict.to_frame().drop(columns="value").sort_values("records", kind="stable")
    small = int(frame.loc[~frame["met"].astype(bool), "records"].sum())
    said = (
        f"{count(len(frame), 'class', 'classes')} of records that look alike; {small or 'none'} of "
        f"{int(frame['records'].sum()):,} records in classes of fewer than {search.k}. "
        f"{search.allowed or 'None'} may be left out."
    )
    title = _html.element("h3", escape(f"The table at {describe_node(node, whole.names)}"))
    frame = frame.rename(columns={"met": f"at least {search.k}"})
    return (
        title
        + note(said)
        + listing(
            frame, "The classes at this node", what=("class", "classes"), counted=("records",)
        )
    )
