//! Compiled kernels on disk.
//!
//! An entry is two files named by a hash: what came out, and what it was made from (`.key`: the size and a checksum of the former, then the compiler,
//! its version, the flags, the text). A hit compares the whole key, so that a collision of hashes costs a compilation and never gives the
//! wrong code, and the checksum, so that a file that a crash or a full disk cut short is made again. Work is done in a folder of its own
//! and renamed into place: a reader sees all of a file or none, however many processes compile at once and whenever one of them is killed.
//!
//! ```text
//! ~/.cache/terrace/9f..2c.key   9f..2c.so        $TERRACE_CACHE, or $XDG_CACHE_HOME/terrace, or ~/.cache/terrace
//! ```
//!
//! Plans (`.plan`) are kept in the same way: what the compiler made from a source, see [`kept`].
//!
//! A hit marks its key as used now. When the entries exceed the limit ($TERRACE_CACHE_LIMIT, 512M without it), those used least recently go,
//! and with them what killed processes left behind. A cache that cannot be written is no error: the work is done in a folder for
//! temporary files, and a remark says so. Removing the folder is always safe.

use crate::memory::byte_count;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

/// How many bytes are kept where nothing else is said.
const LIMIT: u64 = 512 << 20;
/// The ending of what [`keep`] writes.
const PLAN: &str = "plan";
/// What was not finished after so long was left behind.
const ABANDONED: Duration = Duration::from_secs(3600);

/// Why nothing could be kept, said where the caller asks for it; once is enough.
pub(super) type Remark = Option<String>;

/// A file that was found or made.
pub(super) struct Made {
    /// Where it is.
    pub(super) path: PathBuf,
    /// Why it is not in the cache.
    pub(super) remark: Remark,
    /// A folder that goes with this value, where the file is not in the cache.
    temporary: Option<PathBuf>,
}

impl Drop for Made {
    fn drop(&mut self) {
        if let Some(folder) = &self.temporary {
            let _ = fs::remove_dir_all(folder);
        }
    }
}

/// The folder, made if necessary.
fn folder() -> Result<PathBuf, String> {
    let set = |name: &str| std::env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
    let path = set("TERRACE_CACHE")
        .or_else(|| set("XDG_CACHE_HOME").map(|p| p.join("terrace")))
        .or_else(|| set("HOME").map(|p| p.join(".cache").join("terrace")))
        .unwrap_or_else(|| std::env::temp_dir().join("terrace-cache"));
    fs::create_dir_all(&path).map_err(|e| cannot_write(&path, &e))?;
    Ok(path)
}

/// Why nothing can be kept, and what to do about it.
fn cannot_write(path: &Path, error: &std::io::Error) -> String {
    format!(
        "the kernel cache cannot be written: {}: {error}\nset TERRACE_CACHE to a folder that can\n\
         until then, kernels are compiled each time",
        path.display()
    )
}

/// The file made from `key`: from the cache, or else by `build`, which writes to the path that it is given, in a folder of its own.
pub(super) fn find_or_build(
    key: &str,
    extension: &str,
    build: &dyn Fn(&Path) -> Result<(), String>,
) -> Result<Made, String> {
    let name = hash(key.as_bytes());
    let why = match folder().and_then(|folder| in_cache(&folder, &name, key, extension, build)) {
        Ok(path) => return Ok(Made { path, remark: limit().err(), temporary: None }),
        Err(why) => why,
    };
    let mut last = why.clone();
    for place in [std::env::temp_dir(), PathBuf::from("/dev/shm")] {
        let folder = temporary_name(&place, "terrace");
        let path = folder.join(format!("{name}.{extension}"));
        let made = fs::create_dir(&folder).map_err(|e| cannot_write(&folder, &e)).and_then(|()| build(&path));
        let temporary = Some(folder);
        let made = made.map(|()| Made { path, remark: Some(why.clone()), temporary: temporary.clone() });
        match made {
            Ok(made) => return Ok(made),
            Err(error) => {
                temporary.iter().for_each(|f| drop(fs::remove_dir_all(f)));
                last = error;
            }
        }
    }
    Err(last)
}

fn in_cache(
    folder: &Path,
    name: &str,
    key: &str,
    extension: &str,
    build: &dyn Fn(&Path) -> Result<(), String>,
) -> Result<PathBuf, String> {
    let made = folder.join(format!("{name}.{extension}"));
    let key_file = made.with_extension("key");
    if is_whole(&made, &key_file, key) {
        mark_as_used(&key_file);
        return Ok(made);
    }
    let work = temporary_name(folder, name);
    fs::create_dir(&work).map_err(|e| cannot_write(&work, &e))?;
    let new = work.join(format!("{name}.{extension}"));
    let result = build(&new).and_then(|()| {
        let write = || {
            let label = work.join("key");
            fs::write(&label, format!("{}\n{key}", seal(&fs::read(&new)?)))?;
            // The result first: a key without its result is no hit.
            fs::rename(&new, &made)?;
            fs::rename(&label, &key_file)
        };
        write().map_err(|e| cannot_write(&made, &e))
    });
    let _ = fs::remove_dir_all(&work);
    result?;
    evict(folder, name, limit().unwrap_or(LIMIT));
    Ok(made)
}

/// What was kept under a key, to the last byte; nothing where it is damaged.
pub fn kept(key: &str) -> Option<Vec<u8>> {
    let file = folder().ok()?.join(format!("{}.{PLAN}", hash(key.as_bytes())));
    let key_file = file.with_extension("key");
    let label = fs::read_to_string(&key_file).ok()?;
    let (sealed, rest) = label.split_once('\n')?;
    let bytes = fs::read(&file).ok().filter(|bytes| rest == key && seal(bytes) == sealed)?;
    mark_as_used(&key_file);
    Some(bytes)
}

/// Keeps bytes under a key, such as a plan under the source that it was made from; a cache that cannot be written forgets them.
pub fn keep(key: &str, bytes: &[u8]) {
    let write = |to: &Path| fs::write(to, bytes).map_err(|e| e.to_string());
    let _ = folder().and_then(|folder| in_cache(&folder, &hash(key.as_bytes()), key, PLAN, &write));
}

/// Whether a file is what its key says, to the last byte.
fn is_whole(made: &Path, key_file: &Path, key: &str) -> bool {
    let Ok(label) = fs::read_to_string(key_file) else { return false };
    let Some((sealed, rest)) = label.split_once('\n') else { return false };
    rest == key && fs::read(made).is_ok_and(|bytes| seal(&bytes) == sealed)
}

/// The size and a checksum.
fn seal(bytes: &[u8]) -> String {
    format!("{} {}", bytes.len(), hash(bytes))
}

fn mark_as_used(key_file: &Path) {
    // A cache that cannot be written forgets its least recently compiled entries instead.
    if let Ok(file) = fs::File::options().append(true).open(key_file) {
        let _ = file.set_modified(SystemTime::now());
    }
}

/// Forgets an entry whose file turned out to be damaged.
pub(super) fn forget(made: &Path) {
    let _ = fs::remove_file(made.with_extension("key"));
    let _ = fs::remove_file(made);
}

/// A file of the cache that always has the same contents, such as a header.
pub(super) fn fixed_file(extension: &str, contents: &str) -> Result<PathBuf, String> {
    let path = folder()?.join(format!("{}.{extension}", hash(contents.as_bytes())));
    if !fs::read(&path).is_ok_and(|bytes| bytes == contents.as_bytes()) {
        put(&path, contents.as_bytes())?;
    }
    Ok(path)
}

/// A short text that was kept under a name, such as what a compiler says of itself.
pub(super) fn recall(name: &str) -> Option<String> {
    fs::read_to_string(folder().ok()?.join(format!("{}.note", hash(name.as_bytes())))).ok()
}

/// Keeps a short text under a name, if that can be.
pub(super) fn remember(name: &str, text: &str) {
    if let Ok(folder) = folder() {
        let _ = put(&folder.join(format!("{}.note", hash(name.as_bytes()))), text.as_bytes());
    }
}

fn put(path: &Path, contents: &[u8]) -> Result<(), String> {
    let temporary = temporary_name(path.parent().unwrap_or(Path::new(".")), "new");
    let written = fs::write(&temporary, contents).and_then(|()| fs::rename(&temporary, path));
    written.map_err(|e| {
        let _ = fs::remove_file(&temporary);
        cannot_write(path, &e)
    })
}

/// How many bytes may be kept; what is no number of bytes counts as unsaid, and is worth a remark.
fn limit() -> Result<u64, String> {
    match std::env::var_os("TERRACE_CACHE_LIMIT").map(|text| text.to_string_lossy().trim().to_string()) {
        None => Ok(LIMIT),
        Some(text) if text.is_empty() => Ok(LIMIT),
        Some(text) => byte_count(&text).map_err(|why| {
            format!("TERRACE_CACHE_LIMIT is no number of bytes: {why}\nthe kernel cache keeps {}M", LIMIT >> 20)
        }),
    }
}

/// Lets entries go, the least recently used first, until the rest fits; `keep` stays.
fn evict(folder: &Path, keep: &str, limit: u64) {
    let now = SystemTime::now();
    let mut entries: Vec<(SystemTime, String, u64)> = Vec::new();
    let mut sizes: std::collections::BTreeMap<String, u64> = std::collections::BTreeMap::new();
    for file in fs::read_dir(folder).into_iter().flatten().flatten() {
        let Ok(data) = file.metadata() else { continue };
        let name = file.file_name().to_string_lossy().into_owned();
        let used = data.modified().unwrap_or(now);
        let old = now.duration_since(used).is_ok_and(|age| age > ABANDONED);
        if name.ends_with(".tmp") {
            if old {
                let _ = if data.is_dir() { fs::remove_dir_all(file.path()) } else { fs::remove_file(file.path()) };
            }
            continue;
        }
        let stem = name.split('.').next().unwrap_or_default().to_string();
        *sizes.entry(stem.clone()).or_default() += data.len();
        if name.ends_with(".key") {
            entries.push((used, stem, 0));
        } else if old
            && !file.path().with_extension("key").exists()
            && !name.ends_with(".h")
            && !name.ends_with(".note")
        {
            let _ = fs::remove_file(file.path());
        }
    }
    for (_, stem, size) in &mut entries {
        *size = sizes.get(stem).copied().unwrap_or(0);
    }
    entries.sort();
    let mut total: u64 = entries.iter().map(|(_, _, size)| size).sum();
    for (_, stem, size) in entries.iter().filter(|(_, stem, _)| stem != keep) {
        if total <= limit {
            break;
        }
        // The key first: without it, the rest is no entry.
        let _ = fs::remove_file(folder.join(format!("{stem}.key")));
        for extension in ["so", "cubin", "clbin", PLAN] {
            let _ = fs::remove_file(folder.join(format!("{stem}.{extension}")));
        }
        total -= size;
    }
}

/// A name that nobody else uses now.
fn temporary_name(folder: &Path, stem: &str) -> PathBuf {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let now = SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |d| d.as_nanos());
    folder.join(format!("{stem}.{}.{count}.{now}.tmp", std::process::id()))
}

/// 128-bit FNV-1a over words of eight bytes, as hexadecimal.
fn hash(bytes: &[u8]) -> String {
    let mut state = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d_u128;
    let (words, rest) = bytes.as_chunks::<8>();
    let mut mix = |word: u128| state = (state ^ word).wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b);
    words.iter().for_each(|word| mix(u64::from_le_bytes(*word).into()));
    rest.iter().for_each(|byte| mix((*byte).into()));
    mix(bytes.len() as u128);
    format!("{state:032x}")
}
