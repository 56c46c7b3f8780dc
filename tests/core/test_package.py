"""What ``import vsacourse`` loads, and the examples in the docstrings."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import subprocess
import sys

import pytest

import vsacourse
import vsacourse.algebra
import vsacourse.memory
import vsacourse.metrics
import vsacourse.structures
import vsacourse.tasks
import vsacourse.theory
import vsacourse.training
import vsacourse.transformer

HEAVY = ("torch", "scipy", "matplotlib", "ipywidgets", "IPython", "pandas")
NEED_TORCH = ("vsacourse.transformer.module",)
MODULES = [
    "vsacourse",
    "vsacourse.backend",
    "vsacourse.memory",
    "vsacourse.metrics",
    "vsacourse.structures",
    "vsacourse.tasks",
    "vsacourse.training",
    "vsacourse.transformer",
    *(
        f"{package.__name__}.{module.name}"
        for package in (
            vsacourse.algebra,
            vsacourse.memory,
            vsacourse.metrics,
            vsacourse.structures,
            vsacourse.tasks,
            vsacourse.theory,
            vsacourse.training,
            vsacourse.transformer,
        )
        for module in pkgutil.iter_modules(package.__path__)
    ),
]


def test_import_loads_nothing_heavy():
    code = (
        "import sys, vsacourse.metrics, vsacourse.structures, vsacourse.theory\n"
        "import sys, vsacourse.structures, vsacourse.theory, vsacourse.training\n"
        "from vsacourse import BSC, FHRR, HRR, MAP, ItemMemory, __version__\n"
        f"print([name for name in {HEAVY} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_numpy_work_does_not_load_torch():
    code = (
        "import sys, numpy as np\n"
        "from vsacourse import HRR, ItemMemory\n"
        "memory = ItemMemory.random(HRR(64), ['a', 'b'], np.random.default_rng(0))\n"
        "assert memory.cleanup(HRR(64).bind(memory['a'], HRR(64).identity())).names == 'a'\n"
        "print('torch' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def module_of(name):
    """Import a module of the library; what needs torch is skipped where torch is missing."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name != "torch" or name not in NEED_TORCH:
            raise
        pytest.skip("torch is not installed")


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings(name):
    assert doctest.testmod(module_of(name)).failed == 0


@pytest.mark.parametrize("name", MODULES)
def test_public_names_exist_and_are_documented(name):
    module = module_of(name)
    for public in module.__all__:
        thing = getattr(module, public)
        if callable(thing):
            assert thing.__doc__, f"{name}.{public} has no docstring"
