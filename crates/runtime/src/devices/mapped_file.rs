//! A file as memory that nobody has read yet.
//!
//! The system brings a page from the disk when something touches it, and takes it away again when memory is short. Programs are lent the
//! bytes as they would be lent anybody's ([`crate::Owner`]):
//!
//! ```text
//! map_file(xs.npy)     40 GB at an address; sum(xs) streams through them, xs[7] reads 4 KB
//! ```
//!
//! What it rests on: nobody cuts the file short while it is mapped. Then reading beyond its new end ends the process (SIGBUS), as it does in
//! every program that maps files; and numbers that others write over the old ones are seen. A file that is replaced, as Terrace's own are
//! written, keeps its old contents for those who have mapped it.
//!
//! Declines systems other than Unix, and empty files.

use std::fs::File;
use std::io::Error;

use crate::values::Owner;

/// The bytes of a file.
#[cfg(unix)]
pub fn map_file(file: &File) -> Result<Owner, Error> {
    use std::os::fd::AsRawFd;
    let length = usize::try_from(file.metadata()?.len()).map_err(Error::other)?;
    // SAFETY: the system chooses the address, so nothing else is there; it refuses a length of 0 and files that cannot be mapped.
    let address = unsafe { mmap(std::ptr::null_mut(), length, PROT_READ, MAP_PRIVATE, file.as_raw_fd(), 0) };
    if address as isize == -1 {
        return Err(Error::last_os_error());
    }
    Ok(std::sync::Arc::new(Mapped { address, length }))
}

#[cfg(not(unix))]
pub fn map_file(_: &File) -> Result<Owner, Error> {
    Err(Error::from(std::io::ErrorKind::Unsupported))
}

#[cfg(unix)]
const PROT_READ: i32 = 1;
#[cfg(unix)]
const MAP_PRIVATE: i32 = 2;

#[cfg(unix)]
unsafe extern "C" {
    fn mmap(
        address: *mut std::ffi::c_void,
        length: usize,
        protection: i32,
        flags: i32,
        file: i32,
        at: std::ffi::c_long,
    ) -> *mut std::ffi::c_void;
    fn munmap(address: *mut std::ffi::c_void, length: usize) -> i32;
}

#[cfg(unix)]
struct Mapped {
    address: *mut std::ffi::c_void,
    length: usize,
}

// SAFETY: the memory is only read, from any thread, and unmapped once.
#[cfg(unix)]
unsafe impl Send for Mapped {}
#[cfg(unix)]
unsafe impl Sync for Mapped {}

#[cfg(unix)]
impl AsRef<[u8]> for Mapped {
    fn as_ref(&self) -> &[u8] {
        // SAFETY: so many bytes are mapped here until this is dropped; the head says what the file must not do.
        unsafe { std::slice::from_raw_parts(self.address.cast(), self.length) }
    }
}

#[cfg(unix)]
impl Drop for Mapped {
    fn drop(&mut self) {
        // SAFETY: it was mapped with this length, and nobody has the bytes any more.
        unsafe { munmap(self.address, self.length) };
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_seen_as_it_is_and_outlives_its_name() {
        let path = std::env::temp_dir().join(format!("terrace-mapped-{}", std::process::id()));
        let bytes: Vec<u8> = (0..100_000u32).map(|k| (k % 251) as u8).collect();
        std::fs::write(&path, &bytes).expect("a temporary file");
        let mapped = map_file(&File::open(&path).expect("it was written")).expect("it can be mapped");
        std::fs::remove_file(&path).expect("it is there");
        assert!((*mapped).as_ref() == bytes);
        std::fs::write(&path, []).expect("a temporary file");
        assert!(map_file(&File::open(&path).expect("it was written")).is_err(), "nothing cannot be mapped");
        std::fs::remove_file(&path).expect("it is there");
    }
}
