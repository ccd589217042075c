"""The errors of verikit: each is a ``ValueError`` and says in one sentence what to do."""

__all__ = ["FormatError", "InfeasibleError", "RecordError", "SchemaError", "VerikitError"]


class VerikitError(ValueError):
    """What was given does not fit; the message tells what was expected and what to do."""


class SchemaError(VerikitError):
    """A table and its description (columns, roles, kinds, hierarchies) disagree."""


class RecordError(VerikitError):
    """A record, a value or a request about one record cannot be used as given."""


class InfeasibleError(VerikitError):
    """What was asked for cannot be reached with these data; the message names what can."""


class FormatError(VerikitError):
    """A file, a folder or a name cannot be read as what it should be."""
