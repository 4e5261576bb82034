// SPDX-License-Identifier: Apache-2.0
//! Compiles ONNX models for Rust programs. See README.md.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{exit, Command};

mod binding;

/// A model that a build script compiles into a static library and `$OUT_DIR/NAME.rs`, which calls it.
pub struct Model {
    path: PathBuf,
    name: String,
    options: Vec<String>,
    flags: Vec<String>,
}

impl Model {
    /// The name is that of the file, with `_` in place of what identifiers may not have.
    pub fn new(path: impl AsRef<Path>) -> Self {
        let path = path.as_ref().to_path_buf();
        let stem = path.file_stem().map_or("model".into(), |s| s.to_string_lossy().to_lowercase());
        let name = stem.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        Model { path, name, options: Vec::new(), flags: Vec::new() }
    }

    /// The name of the functions and of the file that is to be included.
    pub fn name(mut self, name: &str) -> Self {
        self.name = name.into();
        self
    }

    /// An option of `onnxc compile`, or its value.
    pub fn option(mut self, option: &str) -> Self {
        self.options.push(option.into());
        self
    }

    /// A flag of the C++ compiler.
    pub fn flag(mut self, flag: &str) -> Self {
        self.flags.push(flag.into());
        self
    }

    /// Compiles, or ends the build with what is wrong.
    pub fn compile(&self) {
        if let Err(text) = self.try_compile() {
            eprintln!("error: {}: {}", self.path.display(), text);
            exit(1);
        }
    }

    pub fn try_compile(&self) -> Result<(), String> {
        let out = PathBuf::from(variable("OUT_DIR")?);
        let folder = out.join(format!("onnxc_{}", self.name));
        let _ = fs::remove_dir_all(&folder);
        for name in ["ONNXC_EXECUTABLE", "CXX", "CXXFLAGS", "AR"] {
            println!("cargo:rerun-if-env-changed={name}");
        }
        println!("cargo:rerun-if-changed={}", self.path.display());
        self.generate(&folder)?;
        let header = read(&folder.join(format!("{}.h", self.name)))?;
        let text = binding::of_header(&self.name, &header)?;
        self.build_library(&folder, &out)?;
        fs::write(out.join(format!("{}.rs", self.name)), text).map_err(|e| e.to_string())
    }

    fn generate(&self, folder: &Path) -> Result<(), String> {
        let mut command = Command::new(onnxc()?);
        command.arg(&self.path).arg("-o").arg(folder.join(&self.name)).arg("-q").args(&self.options);
        if !self.options.iter().any(|o| o.starts_with("--target")) {
            command.args(["--target", target().0]);
        }
        run(command)
    }

    fn build_library(&self, folder: &Path, out: &Path) -> Result<(), String> {
        let mut objects = Vec::new();
        let entries = fs::read_dir(folder).map_err(|e| e.to_string())?;
        for source in entries.filter_map(|e| e.ok()).map(|e| e.path()) {
            if source.extension().map_or(true, |e| e != "cpp") {
                continue;
            }
            let object = source.with_extension("o");
            let mut command = Command::new(tool("CXX", "c++")?);
            command.args(["-std=c++17", "-O3", "-fPIC", "-fvisibility=hidden"]).args(target().1);
            command.args(env::var("CXXFLAGS").unwrap_or_default().split_whitespace()).args(&self.flags);
            command.arg("-I").arg(folder).arg("-c").arg(&source).arg("-o").arg(&object);
            run(command)?;
            objects.push(object);
        }
        objects.sort();
        let library = out.join(format!("lib{}_onnxc.a", self.name));
        let _ = fs::remove_file(&library);
        let mut command = Command::new(tool("AR", "ar")?);
        command.arg("crs").arg(&library).args(&objects);
        run(command)?;
        println!("cargo:rustc-link-search=native={}", out.display());
        println!("cargo:rustc-link-lib=static={}_onnxc", self.name);
        Ok(())
    }
}

fn variable(name: &str) -> Result<String, String> {
    env::var(name).map_err(|_| format!("{name} is not set: call this in build.rs"))
}

fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))
}

/// The program: $ONNXC_EXECUTABLE, else the one on PATH.
fn onnxc() -> Result<PathBuf, String> {
    if let Some(path) = env::var_os("ONNXC_EXECUTABLE").filter(|p| !p.is_empty()) {
        return Ok(path.into());
    }
    let name = format!("onnxc{}", env::consts::EXE_SUFFIX);
    env::split_paths(&env::var_os("PATH").unwrap_or_default())
        .map(|folder| folder.join(&name))
        .find(|path| path.is_file())
        .ok_or_else(|| "there is no onnxc on PATH; install it, or set ONNXC_EXECUTABLE to the program".into())
}

/// A tool of the target: $NAME_<target>, $NAME, or the default one where the target is this machine.
fn tool(name: &str, default: &str) -> Result<String, String> {
    let target = variable("TARGET")?;
    let for_target = format!("{name}_{}", target.replace('-', "_"));
    println!("cargo:rerun-if-env-changed={for_target}");
    match env::var(&for_target).or_else(|_| env::var(name)) {
        Ok(found) => Ok(found),
        Err(_) if target == variable("HOST")? => Ok(default.into()),
        Err(_) => Err(format!("set {for_target} to the tool for {target}")),
    }
}

/// onnxc's name of the instructions that Rust may use, and the flags of the C++ compiler for them.
fn target() -> (&'static str, &'static [&'static str]) {
    let features = env::var("CARGO_CFG_TARGET_FEATURE").unwrap_or_default();
    let has = |name| features.split(',').any(|f| f == name);
    match env::var("CARGO_CFG_TARGET_ARCH").as_deref() {
        Ok("x86_64") if has("avx512f") && has("avx512vl") => ("x86-64-v4", &["-march=x86-64-v4"]),
        Ok("x86_64") if has("avx2") && has("fma") => ("x86-64-v3", &["-march=x86-64-v3"]),
        Ok("x86_64") if has("sse4.2") => ("x86-64-v2", &["-march=x86-64-v2"]),
        Ok("aarch64") => ("armv8-a", &[]),
        _ => ("generic", &[]),
    }
}

fn run(mut command: Command) -> Result<(), String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let done = command.output().map_err(|e| format!("cannot run {program}: {e}"))?;
    if done.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&done.stderr);
    Err(format!("{program} fails ({}):\n{}", done.status, said.trim_end()))
}
