"""Packages are computed here; everything else is in pyproject.toml."""

from setuptools import find_packages, setup

TOP = (
    "agents",
    "core",
    "examinees",
    "exams",
    "graphs",
    "llm",
    "metrics",
    "optimizers",
    "prompts",
    "reports",
    "storage",
)
PACKAGE_DIR = {"viva": "viva", **{f"viva.{top}": top for top in TOP}}

setup(
    packages=[
        f"{name}{'.' if sub else ''}{sub}"
        for name, folder in PACKAGE_DIR.items()
        for sub in ("", *find_packages(folder))
    ],
    package_dir=PACKAGE_DIR,
)
