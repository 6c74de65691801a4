//! From kernels to text: one printer per language, all with the same file names. Nothing here touches files or devices. What only CPUs
//! have, vector code and functions that threads run by themselves, stands apart; so does what compilers of OpenCL need, barriers outside of branches.

pub mod alone;
pub mod barriers;
pub mod c;
pub mod cuda;
pub mod opencl;
pub mod shared;
pub mod vector;
