"""Conan 2: conan create compiler/cmake/packaging/conan --build-require. Projects take onnxc as a tool_requires.

onnxc is a tool of the build: it runs where the project is built, whatever that is built for, and so do its libraries.
"""
import os
import re

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.build import cross_building
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, get, load

PARTS = ("CMakeLists.txt", "LICENSE", "*.md", "compiler/*", "docs/*", "templates/*", "runtime_min/*", "proto/*")


class Onnxc(ConanFile):
    name = "onnxc"
    license = "Apache-2.0"
    description = "Ahead-of-time compiler from ONNX models to C++"
    package_type = "application"
    settings = "os", "arch", "compiler", "build_type"

    def _tree(self):
        return os.path.join(self.recipe_folder, "../../../..")

    def set_version(self):
        # A release has the address of its sources in conandata.yml; in the tree the version is that of the project.
        released = list((self.conan_data or {}).get("sources", {}))
        if released:
            self.version = self.version or released[0]
            return
        project = load(self, os.path.join(self._tree(), "CMakeLists.txt"))
        self.version = re.search(r"project\(onnxc VERSION ([0-9.]+)", project).group(1)

    def export_sources(self):
        if not self.conan_data:
            for pattern in PARTS:
                copy(self, pattern, self._tree(), self.export_sources_folder)

    def source(self):
        if self.conan_data:
            get(self, **self.conan_data["sources"][self.version], strip_root=True)

    def requirements(self):
        self.requires("protobuf/[>=3.21]")
        self.requires("fmt/[>=9]")
        self.requires("cli11/[>=2.1]")

    def build_requirements(self):
        self.tool_requires("protobuf/<host_version>")  # protoc

    def validate(self):
        if cross_building(self):
            raise ConanInvalidConfiguration("onnxc runs where the project is built: name it in tool_requires, not in "
                                            "requires; compiler/cmake/hosts/build.sh builds it for other systems")

    def layout(self):
        cmake_layout(self)

    def generate(self):
        CMakeDeps(self).generate()
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["ONNXC_BUILD_TESTS"] = False
        toolchain.cache_variables["CMAKE_FIND_PACKAGE_PREFER_CONFIG"] = True
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()

    def package_id(self):
        # What it generates does not depend on what it was compiled with.
        del self.info.settings.compiler
        del self.info.settings.build_type

    def package_info(self):
        # find_package(onnxc) finds the package's own files, and the program is on the PATH of the build.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = [os.path.join("lib", "cmake", "onnxc")]
        self.cpp_info.libdirs = []
        self.cpp_info.includedirs = []
