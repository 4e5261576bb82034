// SPDX-License-Identifier: Apache-2.0
// Writes the C++ of an ONNX model as the target Sources/NAME, whose module Swift imports.
// usage: swift package onnxc MODEL [OPTION of onnxc compile...]
import Foundation
import PackagePlugin

@main
struct OnnxcCommand: CommandPlugin {
  func performCommand(context: PluginContext, arguments: [String]) async throws {
    guard let model = arguments.first else {
      Diagnostics.error("usage: swift package onnxc MODEL [OPTION...]")
      return
    }
    guard let program = findProgram() else {
      Diagnostics.error("there is no onnxc on PATH; install it, or set ONNXC_EXECUTABLE to the program")
      return
    }
    let root = URL(fileURLWithPath: context.package.directory.string)
    let modelURL = URL(fileURLWithPath: model, relativeTo: root)
    let name = identifier(modelURL.deletingPathExtension().lastPathComponent)
    let folder = root.appendingPathComponent("Sources/\(name)")
    let headers = folder.appendingPathComponent("include")
    try FileManager.default.createDirectory(at: headers, withIntermediateDirectories: true)
    // Weights in the source: a target has no flag that shows the assembler a file.
    let words = [modelURL.path, "-o", folder.appendingPathComponent(name).path, "-q", "--weights", "string"]
    guard try run(program, words + arguments.dropFirst()) else { return }
    let header = headers.appendingPathComponent("\(name).h")
    try? FileManager.default.removeItem(at: header)
    try FileManager.default.moveItem(at: folder.appendingPathComponent("\(name).h"), to: header)
    print("Sources/\(name) has the model: add .target(name: \"\(name)\") to Package.swift")
  }

  /// The program: $ONNXC_EXECUTABLE, else the one on PATH.
  func findProgram() -> URL? {
    let environment = ProcessInfo.processInfo.environment
    if let path = environment["ONNXC_EXECUTABLE"], !path.isEmpty { return URL(fileURLWithPath: path) }
    let folders = (environment["PATH"] ?? "").split(separator: ":")
    let paths = folders.map { URL(fileURLWithPath: String($0)).appendingPathComponent("onnxc") }
    return paths.first { FileManager.default.isExecutableFile(atPath: $0.path) }
  }

  func identifier(_ stem: String) -> String {
    String(stem.lowercased().map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" })
  }

  func run(_ program: URL, _ words: [String]) throws -> Bool {
    let process = Process()
    process.executableURL = program
    process.arguments = words
    try process.run()
    process.waitUntilExit()
    if process.terminationStatus == 0 { return true }
    Diagnostics.error("\(program.path) ends with \(process.terminationStatus)")
    return false
  }
}
