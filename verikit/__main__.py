"""``python -m verikit``, for shells that do not find the ``verikit`` command."""

import sys

from verikit.cli import main

sys.exit(main())
