"""The papers' tables, the papers' synthetic data, and readers of real data sets."""

from verikit.datasets._adult import adult
from verikit.datasets._cahousing import cahousing
from verikit.datasets._census_income import census_income
from verikit.datasets._edges import acl, baskets
from verikit.datasets._eusilc import eusilc
from verikit.datasets._pums import pums
from verikit.datasets._shipped import (
    available,
    describe,
    find_release,
    load,
    published,
    releases,
    schema_of,
)
from verikit.datasets._shipped import tables_of as tables_of
from verikit.datasets._simulate import simulate

__all__ = [
    "acl", "adult", "available", "baskets", "cahousing", "census_income", "describe", "eusilc",
    "find_release", "load", "published", "pums", "releases", "schema_of", "simulate",
]  # fmt: skip
