//! Finding NVIDIA's libraries at run time.
//!
//! Building Terrace needs no CUDA, and neither does running it on anything but an NVIDIA GPU. The driver comes with the GPU
//! (`libcuda.so.1`); the compiler NVRTC may be anywhere:
//!
//! ```text
//! $TERRACE_NVRTC                      a file or a folder
//! libnvrtc.so.13  .12  .so            where the system looks
//! $CUDA_HOME, $CUDA_PATH, /usr/local/cuda                     lib64, lib, targets/x86_64-linux/lib
//! $VIRTUAL_ENV, ~/.local, /usr, /usr/local, /opt/*            lib/python3*/{site,dist}-packages/nvidia/*/lib
//! ```

use std::path::{Path, PathBuf};

use libloading::Library;

const NVRTC_NAMES: [&str; 5] =
    ["libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so", "libnvrtc.so.11.2", "nvrtc64_130_0.dll"];

/// The driver's library.
pub(super) fn driver() -> Result<Library, String> {
    let mut reasons = Vec::new();
    for name in ["libcuda.so.1", "libcuda.so", "/usr/local/nvidia/lib64/libcuda.so.1", "nvcuda.dll"] {
        // SAFETY: the driver's initialisers are NVIDIA's.
        match unsafe { Library::new(name) } {
            Ok(library) => return Ok(library),
            Err(error) => reasons.push(error.to_string()),
        }
    }
    let first = reasons.into_iter().next().unwrap_or_default();
    Err(format!("no NVIDIA driver: {first}\nrun on the CPU instead, or install the driver of the GPU"))
}

/// The library of the run-time compiler, and what it needs; all to be kept.
pub(super) fn nvrtc() -> Result<Vec<Library>, String> {
    for path in nvrtc_paths() {
        let needed = builtins_beside(&path);
        // SAFETY: the initialisers are NVIDIA's.
        if let Ok(library) = unsafe { Library::new(&path) } {
            return Ok(std::iter::once(library).chain(needed).collect());
        }
    }
    Err("no CUDA compiler: libnvrtc was not found\ninstall the CUDA toolkit (or the package nvidia-cuda-nvrtc), or name the file in TERRACE_NVRTC"
        .to_string())
}

/// NVRTC opens a second library by name, which the system does not find in a folder of its own unless it is open already.
fn builtins_beside(path: &Path) -> Vec<Library> {
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty());
    let found = folder.map(|f| children(f, "libnvrtc-builtins.so")).unwrap_or_default();
    // SAFETY: as above.
    found.iter().filter_map(|path| unsafe { Library::new(path) }.ok()).collect()
}

fn nvrtc_paths() -> Vec<PathBuf> {
    let mut paths = Vec::new();
    let folder = |to: &mut Vec<PathBuf>, folder: &Path| {
        to.extend(NVRTC_NAMES.iter().map(|name| folder.join(name)).filter(|path| path.exists()));
    };
    let set = |name: &str| std::env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
    if let Some(named) = set("TERRACE_NVRTC") {
        match named.is_dir() {
            true => folder(&mut paths, &named),
            false => paths.push(named),
        }
    }
    paths.extend(NVRTC_NAMES.iter().map(PathBuf::from));
    let homes = [set("CUDA_HOME"), set("CUDA_PATH"), Some(PathBuf::from("/usr/local/cuda"))];
    for home in homes.into_iter().flatten() {
        for inside in ["lib64", "lib", "targets/x86_64-linux/lib"] {
            folder(&mut paths, &home.join(inside));
        }
    }
    let mut prefixes: Vec<PathBuf> = set("VIRTUAL_ENV").into_iter().collect();
    prefixes.extend(set("HOME").map(|home| home.join(".local")));
    prefixes.extend([PathBuf::from("/usr/local"), PathBuf::from("/usr")]);
    for prefix in children(Path::new("/opt"), "") {
        prefixes.push(prefix.join(".venv"));
        prefixes.push(prefix);
    }
    for prefix in prefixes {
        for python in children(&prefix.join("lib"), "python3") {
            for packages in ["site-packages", "dist-packages"] {
                for package in children(&python.join(packages).join("nvidia"), "") {
                    folder(&mut paths, &package.join("lib"));
                }
            }
        }
    }
    paths
}

/// What is in a folder under names that start so, sorted.
fn children(folder: &Path, start: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut found: Vec<PathBuf> =
        entries.filter(|e| e.file_name().to_string_lossy().starts_with(start)).map(|e| e.path()).collect();
    found.sort();
    found
}
