"""Whether a table meets requirements, each by the model that it names."""

from __future__ import annotations

from typing import Any, TypeAlias

from verikit.errors import RecordError
from verikit.matching import Table
from verikit.models import _anonymity_and_diversity, _t_closeness
from verikit.models._anonymity_and_diversity import ApartVerdict
from verikit.models._verdict import ModelVerdict
from verikit.partition import Requirements, list_requirements

Verdict: TypeAlias = ModelVerdict | ApartVerdict
BY_NAME: dict[str, Any] = vars(_anonymity_and_diversity) | vars(_t_closeness)


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
        if one.ledger is not None:
            raise RecordError(
                "What is left together with what was published before is not seen in one release; "
                "protector.audit counts it from the original and the key.",
                field="requirement",
            )
        about: dict[str, Any] = {} if one.model == "k_anonymity" else {"sensitive": one.sensitive}
        found.append(BY_NAME[one.model](release, **one.parameters, **about))
    return tuple(found)
