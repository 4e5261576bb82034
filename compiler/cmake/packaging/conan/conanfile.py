"""Conan 2: conan create compiler/cmake/packaging/conan. Projects take onnxc as a tool_requires."""
import os

from conan import ConanFile
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout
from conan.tools.files import copy


class Onnxc(ConanFile):
    name = "onnxc"
    version = "0.2.0"
    license = "Apache-2.0"
    description = "Ahead-of-time compiler from ONNX models to C++"
    package_type = "application"
    settings = "os", "arch", "compiler", "build_type"
    requires = "protobuf/[>=3.21]", "fmt/[>=9]", "cli11/[>=2.1]"
    generators = "CMakeDeps"

    def build_requirements(self):
        self.tool_requires("protobuf/<host_version>")  # protoc

    def export_sources(self):
        root = os.path.join(self.recipe_folder, "../../../..")
        for pattern in ("CMakeLists.txt", "LICENSE", "*.md", "compiler/*", "templates/*", "runtime_min/*", "proto/*"):
            copy(self, pattern, root, self.export_sources_folder)

    def layout(self):
        cmake_layout(self)

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.variables["ONNXC_BUILD_TESTS"] = False
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()

    def package_info(self):
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = [os.path.join("lib", "cmake", "onnxc")]
