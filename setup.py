"""Builds the optional compiled kernels; everything works without them (and without a compiler)."""

from pathlib import Path

from setuptools import Extension, setup

SOURCE = "src/hedline/runtime/kernels.c"
extensions = []
if Path(SOURCE).exists():
    extensions.append(
        Extension("hedline.runtime._kernels", [SOURCE], optional=True, extra_compile_args=["-O3"])
    )
setup(ext_modules=extensions)
