"""Where large tables are worked on: DuckDB in this process, or a Spark session handed over."""

from __future__ import annotations

import secrets
import tempfile
import weakref
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import pandas as pd

from verikit._support.extras import needed
from verikit._support.guard import named
from verikit._support.partial_files import new_token, part_of, remove, sweep
from verikit._support.requests import flag, whole
from verikit._support.writing import together
from verikit.errors import FormatError, RecordError, SchemaError, VerikitError, shortened
from verikit.large import allowed_bytes

K = TypeVar("K")
GONE = ("sparkcontext was shut down", "stopped sparkcontext", "connection refused", "'nonetype'")


class Engine:
    """DuckDB or Spark, asked by expressions of Ibis; used in a ``with``, it cleans up behind it.

    Parameters
    ----------
    backend
        What runs the expressions.
    spill
        A folder for what does not fit into memory, which is removed in the end; None for Spark,
        which has its own.
    """

    def __init__(self, backend: Any, spill: Path | None) -> None:
        self.backend, self.spill = backend, spill
        self._closed = weakref.finalize(self, _remove_abandoned, backend, spill)

    @property
    def name(self) -> str:
        """What it is called in a sentence."""
        return "DuckDB" if self.spill is not None else "Spark"

    @property
    def memory_mb(self) -> float | None:
        """What DuckDB may hold, in megabytes; None for Spark."""
        if self.spill is None:
            return None
        with self.refusing():
            told = self.backend.con.execute("select current_setting('memory_limit')").fetchone()[0]
        number, unit = told.split(" ")
        sizes = {"KiB": 2**10, "MiB": 2**20, "GiB": 2**30}
        return float(number) * sizes[unit] / 1e6 if unit in sizes else float(number) / 1e6

    def close(self) -> None:
        """End DuckDB and remove its folder; a Spark session belongs to who handed it over."""
        self._closed()

    def __enter__(self) -> Engine:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Engine({self.name})"

    @contextmanager
    def refusing(self, what: str = "The table") -> Iterator[None]:
        """Turn what an engine says into one sentence."""
        if not self._closed.alive:
            raise FormatError(f"{self.name} was closed; connect again, and open the table anew.")
        try:
            yield
        except (VerikitError, GeneratorExit):
            raise
        except Exception as error:  # engines fail in many ways
            refusal = self._make_refusal(what, error)
            raise refusal from error

    def _make_refusal(self, what: str, error: Exception) -> BaseException:
        said = " ".join(str(error).split())
        if "Interrupt" in type(error).__name__ or said.lower().endswith("query interrupted"):
            return KeyboardInterrupt()
        if "OutOfMemory" in type(error).__name__ or "OutOfMemoryError" in said:
            return FormatError(
                f"{what} needs more memory than {self.name} may hold; connect with a higher "
                "memory_mb, or ask for fewer columns."
            )
        gone = self.spill is None and any(word in said.lower() for word in GONE)
        if gone or (self.spill is None and _stop_session(self.backend._session)):
            return FormatError(
                "The Spark session has ended; start one, connect again, and open the table anew."
            )
        return FormatError(
            f"{what} cannot be worked on by {self.name}: "
            f"{shortened(said, 160).rstrip('.') or type(error).__name__}."
        )

    def fetch(self, expression: Any, what: str = "The table") -> Any:
        """A frame of what an expression gives."""
        with self.refusing(what):
            return self.backend.execute(expression)

    def measure(self, table: Any, measures: Mapping[K, Any]) -> dict[K, Any]:
        """What some aggregates of a table come to, each under its own name; in one query."""
        if not measures:
            return {}
        asked = {f"m{at}": measure for at, measure in enumerate(measures.values())}
        found = self.fetch(table.aggregate(**asked))
        return {name: found[f"m{at}"].iloc[0] for at, name in enumerate(measures)}

    def arrow(self, expression: Any, what: str = "The table") -> Any:
        """A table of Arrow of what an expression gives."""
        with self.refusing(what):
            return self.backend.to_pyarrow(expression)

    def of_frame(self, frame: pd.DataFrame) -> Any:
        """A frame as a table of the engine."""
        import pyarrow as pa

        with self.refusing():
            held, name = pa.Table.from_pandas(frame, preserve_index=False), self._make_name()
            if self.spill is None:
                self.backend._session.createDataFrame(held).createOrReplaceTempView(name)
                return self.backend.table(name)
            self.backend.con.register(f"{name}_given", held)
            self.backend.con.execute(f"create table {name} as select * from {name}_given")
            self.backend.con.unregister(f"{name}_given")
            return self.backend.table(name)

    def kept(self, expression: Any, what: str = "The table") -> Any:
        """What an expression gives, worked out once: a table of DuckDB, or what Spark keeps."""
        import ibis

        with self.refusing(what):
            if self.spill is None:
                table = expression.cache()
                self.backend.execute(table.count())  # now: what it is made of may be given up
                return table
            name, told = self._make_name(), ibis.to_sql(expression, dialect="duckdb")
            self.backend.con.execute(f"create table {name} as {told}")
            return self.backend.table(name)

    def save(self, table: Any, path: str | Path, order: str) -> Path:
        """Write a table without collecting it: a file of DuckDB, a folder of parts of Spark.

        Its name says whether it is CSV, which ``.csv`` is, or Parquet, which any other is.
        """
        kind, lines = "csv" if Path(path).suffix == ".csv" else "parquet", table.order_by(order)
        with together() as new:
            if self.spill is not None:
                part = new.elsewhere(path)
                with self.refusing(named(path)):
                    self._copy_table(lines, part, kind)
                return Path(path)
            home = new.folder(path)
            with self.refusing(named(path)):
                told = self.backend._session.sql(self.backend.compile(lines)).write
                told.format(kind).option("header", value=True).save(home.absolute().as_uri())
            if not (home / "_SUCCESS").is_file():
                raise FormatError(
                    f"Spark did not write {named(path)} where this process sees it; name a folder "
                    "that its workers and this process share."
                )
        return Path(path)

    def _copy_table(self, lines: Any, part: Path, kind: str) -> None:
        """Have DuckDB write a file, whatever its folders are called."""
        import ibis

        told, place = ibis.to_sql(lines, dialect="duckdb"), str(part).replace("'", "''")
        header = ", header" if kind == "csv" else ""
        self.backend.con.execute(f"copy ({told}) to '{place}' (format {kind}{header})")

    def drop(self, table: Any) -> None:
        """Give up a table that was kept."""
        with self.refusing():
            if self.spill is None:
                table.release()
            else:
                self.backend.con.execute(f"drop table if exists {table.get_name()}")

    def _make_name(self) -> str:
        import ibis

        return str(ibis.util.gen_name("verikit")).lower()


def connect(session: Any = None, *, memory_mb: int | None = None, progress: bool = False) -> Engine:
    """Work on large tables with DuckDB in this process, or with a Spark session.

    Parameters
    ----------
    session
        A running Spark session; DuckDB by default. Nothing else differs between the two.
    memory_mb
        How many megabytes DuckDB may hold; what is more goes to a folder of its own, which is
        removed in the end. By default 1,000, or what ``VERIKIT_MEMORY_MB`` says.
    progress
        Whether DuckDB is to show a bar while it works; Spark has a page of its own.

    Returns
    -------
    Engine
        To be used in a ``with``, and given to `open_table`.

    Raises
    ------
    FormatError
        If Ibis or the engine's package is missing, or the session has ended.
    RecordError
        If the session is none, or the megabytes are no whole number.

    Notes
    -----
    All engines run the same expressions; workers, shuffles and retries are theirs.

    Examples
    --------
    >>> with connect(memory_mb=500) as engine:
    ...     engine, round(engine.memory_mb)
    (Engine(DuckDB), 500)
    """
    needed("Working on large tables", "scale", "ibis", "pyarrow", "pyarrow_hotfix", "rich")
    if session is None:
        needed("Working on large tables here", "scale", "duckdb")
        limit = whole(memory_mb, "memory_mb") if memory_mb is not None else None
        return _connect_duckdb(limit, flag(progress, "progress"))
    if memory_mb is not None:
        raise RecordError(
            "memory_mb is for DuckDB; a Spark session has its memory from who started it."
        )
    return _connect_spark(session)


def _connect_duckdb(memory_mb: int | None, progress: bool) -> Engine:
    import ibis

    limit = f"{memory_mb if memory_mb is not None else allowed_bytes() // 10**6}MB"
    spill = make_spill()
    try:
        backend = ibis.duckdb.connect(memory_limit=limit, temp_directory=str(spill))
        backend.con.execute(f"set enable_progress_bar = {str(progress).lower()}")
        # Statistics of Parquet leave NaN out, from which DuckDB would conclude that there is none.
        backend.con.execute("set disabled_optimizers = 'statistics_propagation'")
    except Exception:
        remove(spill)
        raise
    return Engine(backend, spill)


def _connect_spark(session: Any) -> Engine:
    if not type(session).__module__.startswith("pyspark."):
        raise RecordError.given(
            "The session", type(session).__name__, "a running Spark session, or nothing, for DuckDB"
        )
    import ibis

    try:
        running = session.sparkContext._jsc is not None
        backend = ibis.pyspark.connect(session) if running else None
    except Exception as error:
        raise SchemaError(f"Spark does not answer: {shortened(str(error), 120)}.") from error
    if backend is None:
        raise FormatError("The Spark session has ended; start one and connect again.")
    return Engine(backend, None)


def _stop_session(session: Any) -> bool:
    """Whether a Spark session does nothing any more, whatever it says of that."""
    try:
        held = session.sparkContext._jsc
        return held is None or bool(held.sc().isStopped())
    except Exception:  # its process is gone
        return True


def _remove_abandoned(backend: Any, spill: Path | None) -> None:
    if spill is None:
        return
    try:
        backend.disconnect()
    finally:
        remove(spill)


def make_spill() -> Path:
    """Make a folder for what does not fit into memory, and remove those of processes that are gone.

    Notes
    -----
    A process that is killed, as a kernel that is restarted, removes nothing; its folder is known by
    its name, as is whatever it had not finished writing. On Windows such folders stay.

    Examples
    --------
    >>> made = make_spill()
    >>> made.is_dir()
    True
    >>> remove(made)
    """
    home = Path(tempfile.gettempdir()) / f"verikit-spill-{secrets.token_hex(8)}"
    sweep(home)
    made = part_of(home, new_token(), 0)
    made.mkdir(mode=0o700)
    return made
