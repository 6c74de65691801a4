//! From kernels to text: one printer per language, all with the same file names. Nothing here touches files or devices.

pub mod c;
pub mod cuda;
pub mod shared;
