// swift-tools-version:5.6
// The command `swift package onnxc`, for packages that depend on this one.
import PackageDescription

let package = Package(
  name: "OnnxcCommand",
  products: [.plugin(name: "OnnxcCommand", targets: ["OnnxcCommand"])],
  targets: [
    .plugin(
      name: "OnnxcCommand",
      capability: .command(
        intent: .custom(verb: "onnxc", description: "Compile an ONNX model into a C target"),
        permissions: [.writeToPackageDirectory(reason: "the C++ of the model becomes a target in Sources")]))
  ]
)
