"""Builds the optional compiled parts; everything works without them (and without a compiler)."""

from pathlib import Path

from setuptools import Extension, setup

RUNTIME = Path("src/hedline/runtime")
kernels = Extension(
    "hedline.runtime._kernels",
    [str(RUNTIME / "kernels.c")],
    depends=[str(path) for path in sorted(RUNTIME.glob("kernels_*.h"))],
    optional=True,
    # fast-math is not wanted (infinities are data); contraction lets a*b+c be one instruction.
    extra_compile_args=["-O3", "-ffp-contract=fast", "-fno-math-errno"],
)
speedups = Extension("hedline.metrics._speedups", ["src/hedline/metrics/speedups.c"], optional=True)
setup(ext_modules=[kernels, speedups])
