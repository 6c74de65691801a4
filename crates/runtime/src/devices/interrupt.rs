//! Stopping in the middle.
//!
//! A request to stop is one flag for the process. The executor looks at it before every statement of the host program, and the CPU before every
//! range of tiles that a thread takes up, so that a run ends with [`crate::RunError::Stopped`] after the range that is being worked on.
//!
//! [`on_interrupt`] raises the flag when Ctrl-C is pressed. The signal is blocked in all threads and one thread waits for it: no
//! code runs inside a signal handler, and nothing that is half done is disturbed. What Terrace writes appears under its name only when
//! it is complete, so that a process may end at any moment without leaving a broken file.

use std::sync::atomic::{AtomicBool, Ordering};

static STOP: AtomicBool = AtomicBool::new(false);

/// Whether runs should stop.
pub(crate) fn stopped() -> bool {
    STOP.load(Ordering::Relaxed)
}

/// Asks all runs of this process to stop, or lets new ones start again.
pub fn request_stop(stop: bool) {
    STOP.store(stop, Ordering::Relaxed);
}

/// From now on Ctrl-C stops runs and then does what is said here, each time, on a thread of its own. To be called before other threads exist; false
/// where the system has no such signal.
#[cfg(unix)]
pub fn on_interrupt(mut then: impl FnMut() + Send + 'static) -> bool {
    use std::ffi::c_int;
    const SIGINT: c_int = 2;
    #[cfg(target_os = "linux")]
    const SIG_BLOCK: c_int = 0;
    #[cfg(not(target_os = "linux"))]
    const SIG_BLOCK: c_int = 1;
    /// At least as large as any system's set of signals.
    #[repr(C, align(16))]
    struct SignalSet([u64; 16]);
    unsafe extern "C" {
        fn sigemptyset(set: *mut SignalSet) -> c_int;
        fn sigaddset(set: *mut SignalSet, signal: c_int) -> c_int;
        fn pthread_sigmask(how: c_int, set: *const SignalSet, old: *mut SignalSet) -> c_int;
        fn sigwait(set: *const SignalSet, signal: *mut c_int) -> c_int;
    }
    let mut set = SignalSet([0; 16]);
    // SAFETY: the set is larger than any system's, and lives during the calls; no old mask is asked for.
    let blocked = unsafe {
        sigemptyset(&mut set) == 0
            && sigaddset(&mut set, SIGINT) == 0
            && pthread_sigmask(SIG_BLOCK, &set, std::ptr::null_mut()) == 0
    };
    let wait = move || {
        let mut signal = 0;
        // SAFETY: as above.
        while unsafe { sigwait(&set, &mut signal) } == 0 {
            request_stop(true);
            then();
        }
    };
    blocked && std::thread::Builder::new().name("terrace-interrupt".to_string()).spawn(wait).is_ok()
}

/// From now on Ctrl-C stops runs; here the system decides alone.
#[cfg(not(unix))]
pub fn on_interrupt(_then: impl FnMut() + Send + 'static) -> bool {
    false
}
