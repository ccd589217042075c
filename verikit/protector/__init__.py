"""The protector: what can be said of a release by whoever holds the original and the key."""

from verikit.protector._audit import AuditReport, audit
from verikit.protector._audit_page import BAR_STYLE as BAR_STYLE
from verikit.protector._audit_page import Bar as Bar
from verikit.protector._audit_page import audit_facts as audit_facts
from verikit.protector._audit_page import draw_bars as draw_bars
from verikit.protector._audit_page import list_policies as list_policies
from verikit.protector._audit_page import loss_facts as loss_facts
from verikit.protector._audit_page import show_loss as show_loss
from verikit.protector._audit_page import show_policies as show_policies
from verikit.protector._choose import Choice, Goal, choose, trade_off
from verikit.protector._choose import find_cheapest_masking as find_cheapest_masking
from verikit.protector._choose import method_name as method_name
from verikit.protector._choose import require_knob as require_knob
from verikit.protector._correct_links import CorrectLinks, correct_by_subset, correct_links
from verikit.protector._correct_links import cell_texts as cell_texts
from verikit.protector._correct_links import compare_redrawn as compare_redrawn
from verikit.protector._exposure import Baselines, Exposure, baselines, exposure, reporting
from verikit.protector._exposure import count_again as count_again
from verikit.protector._exposure import say_draw as say_draw
from verikit.protector._guessed_values import GuessedValues, guessed_values
from verikit.protector._noisy_answer import NoisyAnswer, noisy_answer, noisy_counts
from verikit.protector._population_risk import PopulationRisk, population_risk
from verikit.protector._population_risk import describe_sample as describe_sample
from verikit.protector._reverse_map import reverse_map

__all__ = [
    "AuditReport",
    "Baselines",
    "Choice",
    "CorrectLinks",
    "Exposure",
    "Goal",
    "GuessedValues",
    "NoisyAnswer",
    "PopulationRisk",
    "audit",
    "baselines",
    "choose",
    "correct_by_subset",
    "correct_links",
    "exposure",
    "guessed_values",
    "noisy_answer",
    "noisy_counts",
    "population_risk",
    "reporting",
    "reverse_map",
    "trade_off",
]
