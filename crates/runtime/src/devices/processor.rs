//! What this processor is good at, beyond what it can do at all: how the same kernels are compiled best.
//!
//! ```text
//! wide vectors     vectors of 64 bytes everywhere, or of 32 where the C compiler chooses
//! gathers          v[a], v[b], …, v[h] by one instruction, or by eight loads that are put together
//! ```
//!
//! C compilers go by names that are older than many processors. All ways compute the same: what is answered here cannot show in a result, only in a time.
//!
//! **Wide vectors.** Groups of sums are vectors of 64 bytes in any case; what is added to them should come as wide. Earlier processors of Intel lower their clock for such vectors. Least times with and without
//! (`terrace bench …`, and the same with `TERRACE_CC="cc -mprefer-vector-width=256"`), Intel with half-precision arithmetic, two cores:
//!
//! | | 32 bytes | 64 bytes |
//! | --- | --- | --- |
//! | `dot` | 15.8 ms | 14.8 ms |
//! | `trmv` | 30.0 ms | 15.7 ms |
//! | `black_scholes` | 52.5 ms | 46.8 ms |
//! | `filter` 10, 50, 90 | 41.1, 54.8, 64.0 ms | 33.5, 46.5, 55.2 ms |
//! | `scan` | 41.2 ms | 42.2 ms |
//!
//! **Gathers.** A loop around eight loads needs a register for each index, and twice as many steps are on their way at once; but on most processors the instruction is as many steps inside, and on some it became slower by later
//! corrections. Sparse rows of 16 and of 27 elements, the best C with the instruction and with loads, least times of the same run (`cargo xtask bench-cpu --only spmv`):
//!
//! | | power law: instruction, loads | banded: instruction, loads |
//! | --- | --- | --- |
//! | Intel, AVX-512 | 34.0, 27.5 ms | 36.7, 33.8 ms |
//! | Intel with half-precision arithmetic | 28.3, 29.1 ms | 24.0, 24.9 ms |
//! | AMD, family 25 | 18.8, 17.8 ms | 24.8, 19.0 ms |
//! | AMD, family 26 | 9.2, 10.9 ms | 15.7, 14.0 ms |
//!
//! Terrace's own kernels gain more there (power 32.5 to 27.4, banded 27.3 to 24.0, huge 57.6 to 42.6 ms): they have fewer loads on their way.
//!
//! Declined: processors that nobody has measured, and those without vectors of 64 bytes.

/// How kernels are compiled for this processor.
pub(super) struct Processor {
    /// Vectors of 64 bytes cost nothing beside narrower ones.
    pub(super) wide_vectors: bool,
    /// The instruction for elements that lie anywhere is better than loads.
    pub(super) gathers: bool,
}

/// The first family of AMD's processors on which the instruction is better.
#[cfg(target_arch = "x86_64")]
const FAMILY: u32 = 26;

#[cfg(target_arch = "x86_64")]
pub(super) fn processor() -> Processor {
    use std::arch::x86_64::{__cpuid, __cpuid_count};
    let first = __cpuid(0);
    let vendor = [first.ebx, first.edx, first.ecx].map(u32::to_le_bytes).concat();
    let version = __cpuid(1).eax;
    let family = (version >> 8 & 15) + (version >> 20 & 255);
    // Arithmetic in half precision came with the processors whose gathers needed no corrections.
    let half_precision = first.eax >= 7 && __cpuid_count(7, 0).edx >> 23 & 1 == 1;
    let wide = std::arch::is_x86_feature_detected!("avx512f");
    let intel = wide && vendor == b"GenuineIntel" && half_precision;
    Processor { wide_vectors: intel, gathers: intel || wide && vendor == b"AuthenticAMD" && family >= FAMILY }
}

#[cfg(not(target_arch = "x86_64"))]
pub(super) fn processor() -> Processor {
    Processor { wide_vectors: false, gathers: false }
}
