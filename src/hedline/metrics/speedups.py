"""The compiled inner loops of ROUGE, or None: without a compiler, or with `HEDLINE_KERNELS=0`, Python does the same."""

from __future__ import annotations

import os
from typing import Any

compiled: Any = None
if os.environ.get("HEDLINE_KERNELS", "1") != "0":
    try:
        from hedline.metrics import _speedups as compiled  # type: ignore[attr-defined,no-redef]
    except ImportError:
        compiled = None
