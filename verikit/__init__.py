"""verikit: learn, apply and check the anonymization of microdata.

>>> import verikit as vk
>>> data = vk.load("dm_table1")
>>> release, key = vk.mask.noise(data, scale=0.5, seed=7)
>>> release
TableRelease(20 records of X1, X2, X3; method noise)
"""

from verikit import mask, models, papers, partition, subject
from verikit.datasets import load, published, simulate
from verikit.errors import FormatError, InfeasibleError, RecordError, SchemaError, VerikitError
from verikit.hierarchy import Hierarchy
from verikit.partition import Partition
from verikit.release import Key, Masked, SplitRelease, TableRelease, open_release
from verikit.subject import Criterion, SubjectReport, check
from verikit.table import Column, Microdata, Schema, read

__all__ = [
    "Column",
    "Criterion",
    "FormatError",
    "Hierarchy",
    "InfeasibleError",
    "Key",
    "Masked",
    "Microdata",
    "Partition",
    "RecordError",
    "Schema",
    "SchemaError",
    "SplitRelease",
    "SubjectReport",
    "TableRelease",
    "VerikitError",
    "check",
    "load",
    "mask",
    "models",
    "open_release",
    "papers",
    "partition",
    "published",
    "read",
    "simulate",
    "subject",
]
