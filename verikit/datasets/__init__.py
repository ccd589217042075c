"""The papers' tables, the papers' synthetic data, and readers of real data sets."""

from verikit.datasets._adult import adult
from verikit.datasets._shipped import (
    available,
    describe,
    find_release,
    load,
    published,
    releases,
    schema_of,
)
from verikit.datasets._simulate import simulate

__all__ = [
    "adult", "available", "describe", "find_release", "load", "published", "releases", "schema_of",
    "simulate",
]  # fmt: skip
