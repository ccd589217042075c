"""How many may have the self-check open at a time: each has a Python of her own."""

from __future__ import annotations

import os
from contextvars import ContextVar
from importlib import import_module
from typing import Any
from uuid import uuid4

from verikit._support.html import element, page
from verikit.words import count

__all__ = ["MOST", "VISITORS", "limit_visitors"]

MOST, VISITORS = 8, "VERIKIT_VISITORS"  # some 120 MB each
FULL = (
    "The self-check is open {} already, which is as often as its owner allows. Close one of its "
    "tabs and load this page again; one that nobody uses ends after ten minutes."
)


def limit_visitors() -> None:
    """Let Voilà open no more pages at a time than some, and say so to whoever comes then.

    A page that is being opened holds a place under the name that its kernel will have, so that many
    who come at once are counted too.
    """
    most = int(os.environ.get(VISITORS, MOST))
    tornado: Any = import_module("tornado.web")
    handler: Any = import_module("voila.tornado.handler").TornadoVoilaHandler
    kernels: Any = import_module("jupyter_client.multikernelmanager").MultiKernelManager
    opening: set[str] = set()
    place: ContextVar[str | None] = ContextVar("place", default=None)
    get, new_id = handler.get, kernels.new_kernel_id

    async def limited(self: Any, path: str | None = None) -> Any:
        warm = self.kernel_manager.get_pool_size(self.notebook_path or path)
        if len(opening.union(self.kernel_manager.list_kernel_ids())) >= most + warm:
            self.set_status(503)
            words = FULL.format(count(most, "time"))
            return self.finish(page("verikit", element("main", element("p", words), class_="vk")))
        mine = str(uuid4())
        opening.add(mine)
        place.set(mine)
        try:
            return await get(self, path)
        finally:
            opening.discard(mine)

    def named(self: Any, **kwargs: Any) -> str:
        mine = place.get()
        place.set(None)
        return mine or str(new_id(self, **kwargs))

    handler.get, kernels.new_kernel_id = tornado.authenticated(limited), named
