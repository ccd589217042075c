"""The situations in which sentences are said are shared with the tests of the card."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parent))
