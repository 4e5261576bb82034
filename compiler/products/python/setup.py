"""Wheels of this package hold the compiled library: pip wheel ."""
import os
import runpy

from setuptools import setup
from setuptools.command.build_py import build_py
from wheel.bdist_wheel import bdist_wheel

folder = os.path.dirname(os.path.abspath(__file__))
build = runpy.run_path(os.path.join(folder, "_build.py"))
spec = build["read_spec"](folder)


class Build(build_py):
    def run(self):
        super().run()
        build["compile_to"](folder, spec, os.path.join(self.build_lib, spec["name"]))


class Wheel(bdist_wheel):
    """For this kind of machine, and for every Python 3."""

    def finalize_options(self):
        super().finalize_options()
        self.root_is_pure = False

    def get_tag(self):
        return ("py3", "none", super().get_tag()[2])


setup(cmdclass={"build_py": Build, "bdist_wheel": Wheel})
