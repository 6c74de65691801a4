//! Compiled kernels on disk.
//!
//! An entry is two files named by a hash: what it was made from (`.key`: the compiler, its version, the flags, the text) and what came
//! out. A hit compares the whole key, so that a collision of hashes costs a compilation and never gives the wrong code. Files are
//! written under a name of their own and renamed into place: a reader sees all of a file or none, however many
//! processes compile at once and whenever one of them is killed.
//!
//! ```text
//! ~/.cache/terrace/9f..2c.key   9f..2c.so        $TERRACE_CACHE, or $XDG_CACHE_HOME/terrace, or ~/.cache/terrace
//! ```
//!
//! Declined: a bound on the size of the cache. Removing the folder is always safe.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// The folder, made if necessary.
pub(super) fn folder() -> Result<PathBuf, String> {
    let set = |name: &str| std::env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
    let path = set("TERRACE_CACHE")
        .or_else(|| set("XDG_CACHE_HOME").map(|p| p.join("terrace")))
        .or_else(|| set("HOME").map(|p| p.join(".cache").join("terrace")))
        .unwrap_or_else(|| std::env::temp_dir().join("terrace-cache"));
    fs::create_dir_all(&path).map_err(|e| cannot_write(&path, &e))?;
    Ok(path)
}

/// Why nothing can be kept, and what to do about it.
pub(super) fn cannot_write(path: &Path, error: &std::io::Error) -> String {
    format!("the kernel cache cannot be written: {}: {error}\nset TERRACE_CACHE to a folder that can", path.display())
}

/// The file made from `key`: from the cache, or else by `build`, which writes to the path that it is given.
pub(super) fn find_or_build(
    key: &str,
    extension: &str,
    build: &dyn Fn(&Path) -> Result<(), String>,
) -> Result<PathBuf, String> {
    let folder = folder()?;
    let name = hash(key);
    let made = folder.join(format!("{name}.{extension}"));
    let key_file = folder.join(format!("{name}.key"));
    let known = |path: &Path| fs::read(path).is_ok_and(|bytes| bytes == key.as_bytes());
    if made.exists() && known(&key_file) {
        return Ok(made);
    }
    let temporary = temporary_name(&folder, &name);
    let result = build(&temporary).and_then(|()| {
        // The result first: a key without a result is no hit.
        fs::rename(&temporary, &made).map_err(|e| cannot_write(&made, &e))?;
        put(&key_file, key.as_bytes())
    });
    if result.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    result.map(|()| made)
}

/// Forgets an entry whose file turned out to be damaged.
pub(super) fn forget(made: &Path) {
    let _ = fs::remove_file(made.with_extension("key"));
    let _ = fs::remove_file(made);
}

/// A file of the cache that always has the same contents, such as a header.
pub(super) fn fixed_file(extension: &str, contents: &str) -> Result<PathBuf, String> {
    let path = folder()?.join(format!("{}.{extension}", hash(contents)));
    if !fs::read(&path).is_ok_and(|bytes| bytes == contents.as_bytes()) {
        put(&path, contents.as_bytes())?;
    }
    Ok(path)
}

fn put(path: &Path, contents: &[u8]) -> Result<(), String> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let temporary = temporary_name(folder, "new");
    let written = fs::write(&temporary, contents).and_then(|()| fs::rename(&temporary, path));
    written.map_err(|e| {
        let _ = fs::remove_file(&temporary);
        cannot_write(path, &e)
    })
}

/// A name that nobody else uses now.
pub(super) fn temporary_name(folder: &Path, stem: &str) -> PathBuf {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |d| d.as_nanos());
    folder.join(format!("{stem}.{}.{count}.{now}.tmp", std::process::id()))
}

/// 128-bit FNV-1a, as hexadecimal.
fn hash(text: &str) -> String {
    let mut state = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d_u128;
    for byte in text.bytes() {
        state = (state ^ u128::from(byte)).wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b);
    }
    format!("{state:032x}")
}
