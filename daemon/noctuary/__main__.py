"""`noctuary` and `python -m noctuary`."""

from __future__ import annotations

import gc
import sys

RARELY = 50_000
"""New objects after which garbage is looked for: reading a large memory makes many and no garbage."""
_INTERRUPTED = 130


def main() -> None:
    """Run the command line and leave with its exit code."""
    gc.set_threshold(RARELY)
    try:
        from noctuary.doors.cli import run
    except KeyboardInterrupt:
        sys.exit(_INTERRUPTED)
    code = run(sys.argv[1:])
    gc.freeze()  # all goes with the process, and need not be looked through before
    sys.exit(code)


if __name__ == "__main__":
    main()
