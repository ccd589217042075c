"""The facts of a paper are worked out in modules beside this file."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parent))
