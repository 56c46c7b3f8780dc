"""``python -m vsacourse`` is the command ``vsacourse``."""

from vsacourse.cli import main

raise SystemExit(main())
