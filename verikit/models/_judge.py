"""Whether a table meets requirements, each by the model that it names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from verikit.matching import Table
from verikit.models._anonymity_and_diversity import (
    ApartVerdict,
    distinct_diversity,
    entropy_diversity,
    frequency_diversity,
    k_anonymity,
    ke_anonymity,
    recursive_diversity,
)
from verikit.models._t_closeness import t_closeness
from verikit.models._verdict import ModelVerdict
from verikit.partition import Requirements, list_requirements

Verdict = ModelVerdict | ApartVerdict
BY_NAME: dict[str, Callable[..., Verdict]] = {
    model.__name__: model
    for model in (
        k_anonymity, distinct_diversity, entropy_diversity, frequency_diversity,
        recursive_diversity, t_closeness, ke_anonymity,
    )
}  # fmt: skip


def judge(release: Table, requirement: Requirements) -> tuple[Verdict, ...]:
    """Judge a table by one requirement or several; what a search suppressed is one more class.

    Examples
    --------
    >>> import verikit as vk
    >>> from verikit.models import Requirement
    >>> asked = [Requirement("k_anonymity", k=3), Requirement("t_closeness", t=0.5)]
    >>> [verdict.met for verdict in judge(vk.published("ks_table6"), asked)]
    [True, False]
    """
    found = []
    for one in list_requirements(None, requirement):
        about: dict[str, Any] = {} if one.model == "k_anonymity" else {"sensitive": one.sensitive}
        found.append(BY_NAME[one.model](release, **one.parameters, **about))
    return tuple(found)
