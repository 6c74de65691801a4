//! PoCL for the tests: an OpenCL driver that runs kernels on the CPU.
//!
//! ```text
//! there already      PoCL is installed, or OCL_ICD_VENDORS says   taken as it is
//! target/pocl/opened   packages of the system, fetched and opened  no root, nothing installed
//! none               a line says so, and the OpenCL tests do nothing
//! ```
//!
//! Packages come from wherever this system gets its packages (`apt-get download`), with what they need and the system lacks. The loader is told
//! by `OCL_ICD_VENDORS` which driver there is, and `LD_LIBRARY_PATH` says where the libraries are. `TERRACE_OPENCL=none` does without.

use super::{root, run};
use std::path::{Path, PathBuf};
use std::process::Command;

/// What the tests need in their environment to find OpenCL, and words for people.
pub(crate) struct Found {
    /// Where it comes from.
    pub(crate) what: String,
    /// Variables and values.
    pub(crate) environment: Vec<(&'static str, PathBuf)>,
}

/// The packages, but for the libraries that the driver needs and the system lacks.
const PACKAGES: [&str; 3] = ["ocl-icd-libopencl1", "libpocl2", "libpocl2-common"];

/// OpenCL for the tests, or why there is none.
pub(crate) fn pocl() -> Result<Found, String> {
    if std::env::var_os("TERRACE_OPENCL").is_some_and(|v| v == "none") {
        return Err("TERRACE_OPENCL=none".to_string());
    }
    if Path::new("/etc/OpenCL/vendors/pocl.icd").exists() || std::env::var_os("OCL_ICD_VENDORS").is_some() {
        return Ok(Found { what: "the drivers of this system".to_string(), environment: Vec::new() });
    }
    let home = root().join("target/pocl");
    let opened = home.join("opened");
    if library(&opened, "libpocl.so.2").is_none() {
        fetch(&home, &opened)?;
    }
    let find = |name: &str| library(&opened, name).ok_or_else(|| format!("the packages have no {name}"));
    let (loader, driver) = (find("libOpenCL.so.1")?, find("libpocl.so.2")?);
    let folders = [Some(loader.clone()), Some(driver.clone()), library(&opened, "libclang-cpp.so")];
    let mut folders: Vec<PathBuf> =
        folders.into_iter().flatten().filter_map(|p| Some(p.parent()?.to_path_buf())).collect();
    folders.extend(std::env::var_os("LD_LIBRARY_PATH").iter().flat_map(std::env::split_paths));
    folders.dedup();
    let folders = std::env::join_paths(folders).map_err(|e| e.to_string())?;
    Ok(Found {
        what: opened.display().to_string(),
        environment: vec![
            ("LD_LIBRARY_PATH", PathBuf::from(folders)),
            ("TERRACE_OPENCL", loader),
            ("OCL_ICD_VENDORS", driver),
            ("POCL_CACHE_DIR", home.join("kernels")),
        ],
    })
}

/// Fetches the packages and opens them below a folder.
fn fetch(home: &Path, opened: &Path) -> Result<(), String> {
    let packages = home.join("packages");
    std::fs::create_dir_all(&packages).map_err(|e| format!("{}: {e}", packages.display()))?;
    let download = |names: &[&str]| run(Command::new("apt-get").arg("download").args(names).current_dir(&packages));
    // The list of packages may be empty, or older than the packages.
    download(&PACKAGES).or_else(|why| {
        run(Command::new("apt-get").arg("update")).map_err(|_| why).and_then(|()| download(&PACKAGES))
    })?;
    open(&packages, opened)?;
    let driver = library(opened, "libpocl.so.2").ok_or("the packages have no libpocl")?;
    let missing: Vec<String> = missing_libraries(&driver)?.iter().filter_map(|l| package_of(l)).collect();
    if !missing.is_empty() {
        download(&missing.iter().map(String::as_str).collect::<Vec<_>>())?;
        open(&packages, opened)?;
    }
    Ok(())
}

fn open(packages: &Path, to: &Path) -> Result<(), String> {
    for package in std::fs::read_dir(packages).into_iter().flatten().flatten().map(|e| e.path()) {
        if package.extension().is_some_and(|e| e == "deb") {
            run(Command::new("dpkg").arg("-x").arg(&package).arg(to))?;
        }
    }
    Ok(())
}

/// The package that has a library such as `libLLVM-15.so.1` or `libclang-cpp.so.15`, by the names that Debian gives them.
fn package_of(library: &str) -> Option<String> {
    let (stem, version) = library.split_once(".so.")?;
    if let Some(of_llvm) = stem.strip_prefix("libLLVM-") {
        return Some(format!("libllvm{of_llvm}"));
    }
    let dash = if stem.ends_with(|c: char| c.is_ascii_digit()) { "-" } else { "" };
    Some(format!("{stem}{dash}{}", version.split('.').next()?))
}

fn missing_libraries(of: &Path) -> Result<Vec<String>, String> {
    let output = Command::new("ldd").arg(of).output().map_err(|e| format!("ldd: {e}"))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    Ok(text.lines().filter_map(|l| Some(l.trim().strip_suffix("=> not found")?.trim().to_string())).collect())
}

/// The first file below a folder whose name starts so, in order of names.
fn library(folder: &Path, name: &str) -> Option<PathBuf> {
    let mut inside: Vec<PathBuf> = std::fs::read_dir(folder).ok()?.flatten().map(|e| e.path()).collect();
    inside.sort();
    let named = |p: &&PathBuf| p.file_name().is_some_and(|n| n.to_string_lossy().starts_with(name)) && p.exists();
    let here = inside.iter().find(named).cloned();
    here.or_else(|| inside.iter().filter(|p| p.is_dir() && !p.is_symlink()).find_map(|p| library(p, name)))
}

#[cfg(test)]
mod tests {
    use super::package_of;

    #[test]
    fn libraries_have_packages() {
        assert_eq!(package_of("libLLVM-15.so.1").as_deref(), Some("libllvm15"));
        assert_eq!(package_of("libclang-cpp.so.15").as_deref(), Some("libclang-cpp15"));
        assert_eq!(package_of("libhwloc.so.15").as_deref(), Some("libhwloc15"));
        assert_eq!(package_of("libz3.so.4").as_deref(), Some("libz3-4"));
    }
}
