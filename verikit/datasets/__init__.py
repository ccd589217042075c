"""Invented people, the papers' tables, their synthetic data, and readers of real data sets."""

from verikit.datasets._readers import acl, adult, baskets, cahousing, census_income, eusilc, pums
from verikit.datasets._shipped import (
    available,
    describe,
    example_record,
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
    "example_record", "find_release", "load", "published", "pums", "releases", "schema_of",
    "simulate",
]  # fmt: skip
