//! Finding the OpenCL loader at run time.
//!
//! Building Terrace needs no OpenCL. The loader (`libOpenCL.so.1`) knows the drivers that are installed, one file per driver in
//! `/etc/OpenCL/vendors`:
//!
//! ```text
//! $TERRACE_OPENCL              a file, or a folder with libOpenCL.so.1
//! libOpenCL.so.1  .so          where the system looks
//! ```

use std::path::PathBuf;

use libloading::Library;

const NAMES: [&str; 4] =
    ["libOpenCL.so.1", "libOpenCL.so", "OpenCL.dll", "/System/Library/Frameworks/OpenCL.framework/OpenCL"];

/// The loader's library.
pub(super) fn loader() -> Result<Library, String> {
    let mut places: Vec<PathBuf> = Vec::new();
    if let Some(named) = std::env::var_os("TERRACE_OPENCL").filter(|v| !v.is_empty()).map(PathBuf::from) {
        match named.is_dir() {
            true => places.extend(NAMES.iter().map(|name| named.join(name))),
            false => places.push(named),
        }
    } else {
        places.extend(NAMES.iter().map(PathBuf::from));
    }
    let mut reasons = Vec::new();
    for place in places {
        // SAFETY: the initialisers are the loader's.
        match unsafe { Library::new(&place) } {
            Ok(library) => return Ok(library),
            Err(error) => reasons.push(error.to_string()),
        }
    }
    let first = reasons.into_iter().next().unwrap_or_default();
    Err(format!(
        "no OpenCL: the loader was not found: {first}\ninstall it (the package ocl-icd-libopencl1, or the vendor's), or name the file in TERRACE_OPENCL"
    ))
}
