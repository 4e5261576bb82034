#!/usr/bin/env python3
"""Runs the Conan recipe with stand-ins for Conan's modules, as `conan create` calls it.

usage: conan_recipe.py RECIPE_FOLDER VERSION EXPORT_FOLDER_OR_ADDRESS
"""
import fnmatch
import os
import shutil
import sys
import types

import yaml

calls = []


class ConanFile:
    recipe_folder, conan_data = None, None
    version = None

    def requires(self, name):
        calls.append(f"requires {name}")

    def tool_requires(self, name):
        calls.append(f"tool_requires {name}")


class Tool:
    """CMake, CMakeDeps, CMakeToolchain: what the recipe sets and calls."""

    def __init__(self, recipe):
        self.recipe, self.cache_variables = recipe, {}

    def __getattr__(self, name):
        return lambda: calls.append(f"{type(self).__name__}.{name} {self.cache_variables}".strip())


class ConanInvalidConfiguration(Exception):
    pass


def copy(recipe, pattern, source, target):
    for at, _, names in os.walk(source):
        for name in names:
            path = os.path.relpath(os.path.join(at, name), source)
            if fnmatch.fnmatch(path, pattern) and not path.startswith("build"):
                os.makedirs(os.path.dirname(os.path.join(target, path)), exist_ok=True)
                shutil.copyfile(os.path.join(source, path), os.path.join(target, path))


def load(recipe, path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def module(name, **members):
    sys.modules[name] = types.ModuleType(name)
    sys.modules[name].__dict__.update(members)


def install_modules(crosses):
    tools = {name: type(name, (Tool,), {}) for name in ("CMake", "CMakeDeps", "CMakeToolchain")}
    module("conan", ConanFile=ConanFile)
    module("conan.errors", ConanInvalidConfiguration=ConanInvalidConfiguration)
    module("conan.tools")
    module("conan.tools.build", cross_building=lambda recipe: crosses[0])
    module("conan.tools.cmake", cmake_layout=lambda recipe: calls.append("layout"), **tools)
    module("conan.tools.files", copy=copy, load=load,
           get=lambda recipe, url, sha256, strip_root: calls.append(f"get {url}"))


def attributes(*names):
    return types.SimpleNamespace(**{name: name for name in names})


def main(folder, version, place):
    crosses = [False]
    install_modules(crosses)
    space = {"__name__": "conanfile"}
    exec(compile(load(None, os.path.join(folder, "conanfile.py")), "conanfile.py", "exec"), space)
    recipe = space["Onnxc"]()
    recipe.recipe_folder = folder
    data = os.path.join(folder, "conandata.yml")
    recipe.conan_data = yaml.safe_load(load(None, data)) if os.path.exists(data) else None
    recipe.export_sources_folder = place
    recipe.info = types.SimpleNamespace(settings=attributes("os", "arch", "compiler", "build_type"))
    recipe.cpp_info = types.SimpleNamespace(set_property=lambda *words: calls.append(" ".join(words)))

    recipe.set_version()
    assert recipe.version == version, recipe.version
    for step in ("export_sources", "source", "requirements", "build_requirements", "validate", "layout", "generate", "build",
                 "package", "package_id", "package_info"):
        getattr(recipe, step)()
    assert ("get " + place in calls) == bool(recipe.conan_data), calls
    assert "CMake.install {}" in calls and "tool_requires protobuf/<host_version>" in calls, calls
    assert set(vars(recipe.info.settings)) == {"os", "arch"}, recipe.info.settings
    crosses[0] = True
    try:
        recipe.validate()
    except ConanInvalidConfiguration as error:
        assert "tool_requires" in str(error), error
    else:
        raise AssertionError("an onnxc for another system")


if __name__ == "__main__":
    main(*sys.argv[1:])
