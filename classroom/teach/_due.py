"""When an assignment is due, and how late one came in."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from verikit.errors import RecordError, quoted

__all__ = ["due_date", "lateness"]

WRITTEN = "%Y-%m-%d %H:%M:%S UTC"


def due_date(told: str) -> str:
    """A date and time in the zone of this computer, or of its own, as the gradebook writes it.

    Examples
    --------
    >>> due_date("2027-05-01T18:00+02:00")
    '2027-05-01 16:00:00 UTC'
    >>> due_date("soon")
    Traceback (most recent call last):
    verikit.errors.RecordError: The due date was given as 'soon'; expected '2027-05-01 18:00'.
    """
    try:
        return datetime.fromisoformat(told).astimezone(UTC).strftime(WRITTEN)
    except (TypeError, ValueError, OverflowError, OSError):
        raise RecordError(
            f"The due date was given as {quoted(told)}; expected '2027-05-01 18:00'."
        ) from None


def lateness(timestamp: str, due: str, *, called_late: bool = False) -> str:
    """How many hours and minutes after the due date; empty if in time, or nothing is known.

    Parameters
    ----------
    timestamp, due
        When it came in and when it was due, such as ``"2027-05-01 16:00:00 UTC"``.
    called_late
        Whether the learning platform calls it late, which counts where the times do not say so.

    Examples
    --------
    >>> lateness("2027-05-02 17:05:00 UTC", "2027-05-01 16:00:00 UTC")
    '25:05'
    >>> lateness("2027-05-01 15:59:59 UTC", "2027-05-01 16:00:00 UTC")
    ''
    >>> lateness("", "", called_late=True)
    'yes'
    """
    came, expected = _moment(timestamp), _moment(due)
    if came and expected and came > expected:
        minutes = -(-int((came - expected).total_seconds()) // 60)
        return f"{minutes // 60}:{minutes % 60:02}"
    return "yes" if called_late else ""


def _moment(text: str) -> datetime | None:
    """A time as we or nbgrader write it: with the name of its zone last."""
    try:
        told, _, zone = text.strip().rpartition(" ")
        return datetime.fromisoformat(told).replace(tzinfo=ZoneInfo(zone))
    except (ValueError, OSError, KeyError):
        return None
