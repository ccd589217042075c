"""The contracts share their tables and example arguments: two modules beside this file."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parent))
