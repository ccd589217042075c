"""What a release keeps and what it loses."""

from verikit.utility._rank_correlation import rank_correlation
from verikit.utility._residual_noise import Noise, residual_noise

__all__ = ["Noise", "rank_correlation", "residual_noise"]
