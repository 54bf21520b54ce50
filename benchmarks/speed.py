"""CPU per page of a whole crawl against the floor, and nothing else: `compare.py` without peers and stages.

All options of compare.py are understood.
"""

from __future__ import annotations

import sys

from compare import main

if __name__ == "__main__":
    sys.exit(main(["--stages", "0", *sys.argv[1:]]))
