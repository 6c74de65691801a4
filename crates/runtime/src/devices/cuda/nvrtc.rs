//! NVRTC: from CUDA text to machine code.
//!
//! ```text
//! compile_cubin("extern \"C\" __global__ void k(...) {...}", "sm_90")   the bytes that cuModuleLoadData takes
//! ```
//!
//! Needs no GPU, so tests compile everything for several architectures. `--fmad=false` because contraction happened in the compiler, once, for
//! all back ends. Results are kept in the cache on disk.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::sync::OnceLock;

use libloading::Library;

use super::super::{KernelResources, cache};
use super::library;

const FLAGS: [&str; 3] = ["--fmad=false", "-default-device", "--std=c++17"];

type Program = *mut c_void;

/// The functions that are used.
struct Nvrtc {
    version: unsafe extern "C" fn(*mut c_int, *mut c_int) -> c_int,
    create: unsafe extern "C" fn(
        *mut Program,
        *const c_char,
        *const c_char,
        c_int,
        *const *const c_char,
        *const *const c_char,
    ) -> c_int,
    compile: unsafe extern "C" fn(Program, c_int, *const *const c_char) -> c_int,
    destroy: unsafe extern "C" fn(*mut Program) -> c_int,
    log_size: unsafe extern "C" fn(Program, *mut usize) -> c_int,
    log: unsafe extern "C" fn(Program, *mut c_char) -> c_int,
    cubin_size: unsafe extern "C" fn(Program, *mut usize) -> c_int,
    cubin: unsafe extern "C" fn(Program, *mut c_char) -> c_int,
    words: unsafe extern "C" fn(c_int) -> *const c_char,
    _libraries: Vec<Library>,
}

fn nvrtc() -> Result<&'static Nvrtc, String> {
    static LOADED: OnceLock<Result<Nvrtc, String>> = OnceLock::new();
    LOADED.get_or_init(open).as_ref().map_err(Clone::clone)
}

fn open() -> Result<Nvrtc, String> {
    let libraries = library::nvrtc()?;
    let library = libraries.first().ok_or("no CUDA compiler")?;
    macro_rules! function {
        ($name:literal) => {{
            // SAFETY: the types are those of nvrtc.h, and the library is kept for ever.
            let symbol = unsafe { library.get($name.as_bytes()) };
            *symbol.map_err(|e| format!("libnvrtc has no {}: {e}", $name))?
        }};
    }
    Ok(Nvrtc {
        version: function!("nvrtcVersion"),
        create: function!("nvrtcCreateProgram"),
        compile: function!("nvrtcCompileProgram"),
        destroy: function!("nvrtcDestroyProgram"),
        log_size: function!("nvrtcGetProgramLogSize"),
        log: function!("nvrtcGetProgramLog"),
        cubin_size: function!("nvrtcGetCUBINSize"),
        cubin: function!("nvrtcGetCUBIN"),
        words: function!("nvrtcGetErrorString"),
        _libraries: libraries,
    })
}

/// The version of the CUDA compiler, or why there is none.
pub fn nvrtc_available() -> Result<String, String> {
    let nvrtc = nvrtc()?;
    let (mut major, mut minor) = (0, 0);
    // SAFETY: two integers to write to.
    let status = unsafe { (nvrtc.version)(&mut major, &mut minor) };
    nvrtc.check(status, "asking for its version")?;
    Ok(format!("NVRTC {major}.{minor}"))
}

/// Compiles CUDA text to machine code for an architecture such as `sm_90`; needs no GPU.
pub fn compile_cubin(text: &str, arch: &str) -> Result<Vec<u8>, String> {
    let version = nvrtc_available()?;
    let key = format!("{version}\n{arch}\n{}\n{text}", FLAGS.join(" "));
    let build = |to: &std::path::Path| {
        let (cubin, _) = nvrtc()?.compile_text(text, arch, &[])?;
        std::fs::write(to, cubin).map_err(|e| format!("{}: {e}", to.display()))
    };
    let made = cache::find_or_build(&key, "cubin", &build)?;
    let read = |path: &std::path::Path| std::fs::read(path).map_err(|e| format!("{}: {e}", path.display()));
    let cubin = read(&made.path)?;
    // A cubin is an ELF file; anything else was damaged on disk.
    if cubin.starts_with(b"\x7fELF") {
        return Ok(cubin);
    }
    cache::forget(&made.path);
    read(&cache::find_or_build(&key, "cubin", &build)?.path)
}

/// What the compiler makes of the kernels in a CUDA text, for an architecture such as `sm_90`; needs no GPU.
pub fn cuda_resources(text: &str, arch: &str) -> Result<Vec<KernelResources>, String> {
    let (_, log) = nvrtc()?.compile_text(text, arch, &["--ptxas-options=-v"])?;
    Ok(resources_in(&log))
}

/// Reads what the assembler says of each kernel.
fn resources_in(log: &str) -> Vec<KernelResources> {
    let mut found: Vec<KernelResources> = Vec::new();
    // The number before a word, in a list such as `Used 10 registers, 256 bytes smem`.
    let before = |line: &str, word: &str| {
        let part = line.split([',', ':']).find(|part| part.trim().ends_with(word))?;
        part.split_whitespace().find_map(|w| w.parse().ok())
    };
    for line in log.lines() {
        if let Some(name) = line.split("Compiling entry function '").nth(1).and_then(|rest| rest.split('\'').next()) {
            found.push(KernelResources { name: name.to_string(), registers: 0, shared_bytes: 0, local_bytes: 0 });
        } else if let Some(kernel) = found.last_mut() {
            kernel.local_bytes = before(line, "bytes stack frame").unwrap_or(kernel.local_bytes);
            kernel.registers = before(line, "registers").unwrap_or(kernel.registers);
            kernel.shared_bytes = before(line, "bytes smem").unwrap_or(kernel.shared_bytes);
        }
    }
    found
}

impl Nvrtc {
    fn check(&self, status: c_int, doing: &str) -> Result<(), String> {
        if status == 0 {
            return Ok(());
        }
        // SAFETY: the function returns a constant text for every number.
        let words = unsafe { CStr::from_ptr((self.words)(status)) }.to_string_lossy();
        Err(format!("the CUDA compiler failed at {doing}: {words}"))
    }

    /// The cubin, and what the compiler says.
    fn compile_text(&self, text: &str, arch: &str, more: &[&str]) -> Result<(Vec<u8>, String), String> {
        let c_text = |text: &str| CString::new(text).map_err(|_| "a zero byte in the kernels".to_string());
        let text = c_text(text)?;
        let arch = format!("--gpu-architecture={arch}");
        let options =
            FLAGS.iter().chain(more).copied().chain([arch.as_str()]).map(c_text).collect::<Result<Vec<_>, _>>()?;
        let options: Vec<*const c_char> = options.iter().map(|o| o.as_ptr()).collect();
        let mut program: Program = std::ptr::null_mut();
        let none = std::ptr::null();
        // SAFETY: the texts end with a zero and outlive the call; there are no headers.
        let status = unsafe { (self.create)(&mut program, text.as_ptr(), c"kernels.cu".as_ptr(), 0, none, none) };
        self.check(status, "starting")?;
        // SAFETY: the program was created, and the options outlive the call.
        let status = unsafe { (self.compile)(program, options.len() as c_int, options.as_ptr()) };
        let result = match status {
            0 => self.bytes(program, self.cubin_size, self.cubin).map(|cubin| (cubin, self.log_of(program))),
            _ => Err(format!("the CUDA compiler cannot compile the kernels:\n{}", self.log_of(program))),
        };
        // SAFETY: created above, used no more.
        unsafe { (self.destroy)(&mut program) };
        result
    }

    fn log_of(&self, program: Program) -> String {
        let log = self.bytes(program, self.log_size, self.log).unwrap_or_default();
        String::from_utf8_lossy(&log).trim_end_matches('\0').to_string()
    }

    fn bytes(
        &self,
        program: Program,
        size: unsafe extern "C" fn(Program, *mut usize) -> c_int,
        get: unsafe extern "C" fn(Program, *mut c_char) -> c_int,
    ) -> Result<Vec<u8>, String> {
        let mut count = 0;
        // SAFETY: a size to write to.
        self.check(unsafe { size(program, &mut count) }, "asking for a size")?;
        let mut bytes = vec![0u8; count];
        // SAFETY: as many bytes as the library asked for.
        self.check(unsafe { get(program, bytes.as_mut_ptr().cast()) }, "copying a result")?;
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_assembler_says_is_read() {
        let log = "ptxas info    : 0 bytes gmem\n\
                   ptxas info    : Compiling entry function 'k' for 'sm_80'\n\
                   ptxas info    : Function properties for k\n\
                   ptxas         .     24 bytes stack frame, 8 bytes spill stores, 16 bytes spill loads\n\
                   ptxas info    : Used 10 registers, used 1 barriers, 256 bytes smem, 360 bytes cmem[0]\n\
                   ptxas info    : Compiling entry function 'other' for 'sm_80'\n\
                   ptxas info    : Used 7 registers, 360 bytes cmem[0]\n";
        let of = |name: &str, registers, shared_bytes, local_bytes| KernelResources {
            name: name.to_string(),
            registers,
            shared_bytes,
            local_bytes,
        };
        assert_eq!(resources_in(log), [of("k", 10, 256, 24), of("other", 7, 0, 0)]);
    }
}
