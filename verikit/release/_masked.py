"""What a mask returns: a release, and the key that stays behind."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from verikit._support.unfinished import place_of
from verikit._support.writing import together
from verikit.errors import FormatError
from verikit.release._key import Key
from verikit.release._kind import Release

__all__ = ["Masked"]


class Masked(NamedTuple):
    """What a method returns: ``release, key = vk.mask.noise(...)``."""

    release: Release
    key: Key

    def save(
        self, folder: str | Path, key: str | Path, *, parquet: bool = False, page: bool = False
    ) -> Path:
        """Write the release as a folder and its key to a file somewhere else: both, or neither.

        If the process is killed, both or neither are there too, but for the moment between their
        last two steps: a key that is left alone there is taken back when the same is saved again.
        A release is never there without its key.
        """
        published, place = place_of(folder).resolve(), place_of(key)
        if published in (place, *place.parents):
            raise FormatError(
                f"The key {str(key)!r} would lie in the published folder {str(folder)!r}; keep it "
                "somewhere else."
            )
        with together() as new:
            self.key._write(new, key)
            self.release.save(new.folder(folder), parquet=parquet, page=page)
        return Path(folder)
