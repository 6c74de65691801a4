//! Threads that share the runs of a launch.
//!
//! A step over a grid that fits the cache takes a few microseconds, and so does waking a thread. The threads of a team therefore look for more
//! work for a while after they had some, and sleep only then:
//!
//! ```text
//! caller     run 0 1 2 3 │ the host program │ run 0 1 2 3 │ …
//! helper     run 4 5 6 7 │ looks for work   │ run 4 5 6 7 │ looks … sleeps
//! ```
//!
//! Every thread has a part of the runs that is its own, the same part in every launch of as many, so that it finds in its cache what it wrote the last time.
//! Who is done with the own part helps with the others'. To help is voluntary: the caller opens a job, does whatever nobody else takes, closes
//! the job, and waits for those that joined it. A thread that wakes late finds it closed, and nobody has waited.
//!
//! One word says all this: the number of the job, how many threads are wanted, whether it is open, how many joined.
//!
//! Who launches what in which thread shows in no result. Declined: two jobs at once. Whoever finds the team taken works alone.

use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How long a thread looks for work before it sleeps, and the caller for the end of a job.
const LOOK: Duration = Duration::from_micros(100);

/// How often it looks before it asks for the time.
const LOOKS: u32 = 64;

/// A field of the state: how many have joined.
const JOINED: u64 = 0xffff;
/// A field of the state: whether more may join.
const OPEN: u64 = 1 << 16;
/// Where the number of threads that are wanted begins, and its width.
const WANTED: u32 = 17;
const MOST: u64 = 0x7fff;
/// Where the number of the job begins.
const NUMBER: u32 = 32;

/// Who does a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Who {
    /// The caller and threads that are awake.
    Awake,
    /// The caller and all threads.
    All,
    /// All threads, but not the caller: they have stacks of the size that the team was made with.
    Threads,
}

/// Some threads.
pub(crate) struct Team {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
}

struct Shared {
    state: AtomicU64,
    job: UnsafeCell<Job>,
    /// What is left of each part.
    parts: Box<[Part]>,
    /// How many have left the job.
    left: AtomicU64,
    /// Whether the caller sleeps until all have left.
    awaited: AtomicBool,
    asleep: AtomicUsize,
    ended: AtomicBool,
    /// How long threads look for work.
    look: Duration,
    sleep: Mutex<()>,
    work: Condvar,
    end: Condvar,
    /// Held by whoever has the team.
    taken: Mutex<()>,
}

/// The runs that a thread begins with; apart from those of others, because each is changed all the time.
#[repr(align(128))]
#[derive(Default)]
struct Part {
    next: AtomicU64,
    end: AtomicU64,
}

struct Job {
    run: *const (dyn Fn(u64) + Sync),
}

/// Ends the process if a run panics: the caller would go while others still use what is the caller's, or wait for ever.
struct Unwinds;

impl Drop for Unwinds {
    fn drop(&mut self) {
        std::process::abort();
    }
}

// SAFETY: the job is written while it is closed and nobody is in it, and read by those that joined it after it was opened; what it points to
// outlives them, because the caller waits. All else is atomic or locked.
unsafe impl Sync for Shared {}
// SAFETY: as above.
unsafe impl Send for Shared {}

fn lock(mutex: &Mutex<()>) -> MutexGuard<'_, ()> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Team {
    /// So many threads with stacks of so many bytes.
    pub(crate) fn new(count: usize, stack: usize) -> Result<Team, String> {
        let count = count.clamp(1, MOST as usize - 1);
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let shared = Arc::new(Shared {
            state: AtomicU64::new(0),
            job: UnsafeCell::new(Job { run: &|_| () }),
            parts: (0..=count).map(|_| Part::default()).collect(),
            left: AtomicU64::new(0),
            awaited: AtomicBool::new(false),
            asleep: AtomicUsize::new(0),
            ended: AtomicBool::new(false),
            // Who looks keeps others from working, if there are no cores for all.
            look: if count > cores { Duration::ZERO } else { LOOK },
            sleep: Mutex::new(()),
            work: Condvar::new(),
            end: Condvar::new(),
            taken: Mutex::new(()),
        });
        let mut team = Team { shared, threads: Vec::new() };
        for me in 1..=count {
            let (shared, name) = (team.shared.clone(), format!("terrace-{me}"));
            // With the caller at work there is no core for the last one.
            let look = if me == count { Duration::ZERO } else { shared.look };
            let started = std::thread::Builder::new().name(name).stack_size(stack).spawn(move || shared.help(me, look));
            team.threads.push(started.map_err(|e| format!("threads cannot be started: {e}"))?);
        }
        Ok(team)
    }

    /// How many threads look for work at this moment.
    pub(crate) fn awake(&self) -> usize {
        self.threads.len() - self.shared.asleep.load(Ordering::Relaxed).min(self.threads.len())
    }

    /// Calls the function for each of so many runs; how many threads did that.
    pub(crate) fn run(&self, runs: u64, who: Who, run: &(dyn Fn(u64) + Sync)) -> u64 {
        if runs == 0 {
            return 1;
        }
        let shared = &*self.shared;
        let count = self.threads.len() as u64;
        let (first, wanted) = if who == Who::Threads { (1, count) } else { (0, count - 1) };
        let taken = match shared.taken.try_lock() {
            Ok(taken) => taken,
            Err(TryLockError::Poisoned(taken)) => taken.into_inner(),
            Err(TryLockError::WouldBlock) if who == Who::Threads => lock(&shared.taken),
            Err(TryLockError::WouldBlock) => {
                (0..runs).for_each(run);
                return 1;
            }
        };
        let wanted = wanted.min(runs - 1 + first);
        shared.divide(runs, first, wanted);
        // SAFETY: nobody is in a job, and nobody joins before the state says that there is one. The function outlives the job: this call ends after it.
        unsafe {
            (*shared.job.get()).run = std::mem::transmute::<&(dyn Fn(u64) + Sync), *const (dyn Fn(u64) + Sync)>(run)
        };
        shared.left.store(0, Ordering::Relaxed);
        let number = (shared.state.load(Ordering::Relaxed) >> NUMBER).wrapping_add(1);
        shared.state.store(number << NUMBER | wanted << WANTED | OPEN, Ordering::SeqCst);
        if who != Who::Awake && shared.asleep.load(Ordering::SeqCst) > 0 {
            let _asleep = lock(&shared.sleep);
            shared.work.notify_all();
        }
        let left = || shared.left.load(Ordering::SeqCst);
        let look = match who {
            // Whoever leaves has seen that no run is left. Meanwhile the core of the caller is wanted.
            Who::Threads => {
                shared.wait(Duration::ZERO, || left() > 0);
                Duration::ZERO
            }
            Who::Awake | Who::All => {
                shared.take(0, run);
                shared.look
            }
        };
        let joined = shared.state.fetch_and(!OPEN, Ordering::AcqRel) & JOINED;
        shared.wait(look, || left() == joined);
        drop(taken);
        joined + 1 - first
    }
}

impl Drop for Team {
    fn drop(&mut self) {
        self.shared.ended.store(true, Ordering::SeqCst);
        {
            let _asleep = lock(&self.shared.sleep);
            self.shared.work.notify_all();
        }
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

impl Shared {
    /// Each of the threads gets as many runs as the others.
    fn divide(&self, runs: u64, first: u64, wanted: u64) {
        let members = wanted + 1 - first;
        let bound = |k: u64| (u128::from(runs) * u128::from(k) / u128::from(members)) as u64;
        for (at, part) in (0..).zip(&self.parts) {
            let member = (first..=wanted).contains(&at);
            let (next, end) = if member { (bound(at - first), bound(at - first + 1)) } else { (0, 0) };
            part.next.store(next, Ordering::Relaxed);
            part.end.store(end, Ordering::Relaxed);
        }
    }

    /// Does runs until none is left: first the own ones.
    fn take(&self, me: usize, run: &(dyn Fn(u64) + Sync)) {
        let unwinds = Unwinds;
        let (before, from_me) = self.parts.split_at(me);
        for part in from_me.iter().chain(before) {
            let end = part.end.load(Ordering::Relaxed);
            // Who looks at a part that is done does not write to it.
            while part.next.load(Ordering::Relaxed) < end {
                let at = part.next.fetch_add(1, Ordering::Relaxed);
                if at < end {
                    run(at);
                }
            }
        }
        std::mem::forget(unwinds);
    }

    /// Waits for something that becomes true when a thread leaves, and looks for it for so long before sleeping.
    fn wait(&self, look: Duration, done: impl Fn() -> bool) {
        if looked(look, &done) {
            return;
        }
        let mut asleep = lock(&self.sleep);
        self.awaited.store(true, Ordering::SeqCst);
        while !done() {
            asleep = self.end.wait(asleep).unwrap_or_else(PoisonError::into_inner);
        }
        self.awaited.store(false, Ordering::SeqCst);
    }

    /// What a thread does all its life.
    fn help(&self, me: usize, look: Duration) {
        let mut seen = 0;
        while let Some(number) = self.next_job(seen, me as u64, look) {
            seen = number;
            // SAFETY: this thread has joined the job, so it is written, and the caller waits until this thread has left.
            let run = unsafe { &*(*self.job.get()).run };
            self.take(me, run);
            self.left.fetch_add(1, Ordering::SeqCst);
            if self.awaited.load(Ordering::SeqCst) {
                let _asleep = lock(&self.sleep);
                self.end.notify_all();
            }
        }
    }

    /// Joins the next job that wants this thread, and gives its number; nothing when the team is dissolved.
    fn next_job(&self, mut seen: u64, me: u64, look: Duration) -> Option<u64> {
        loop {
            // A job that is over is a reason to go on looking: the next one may follow.
            let another = |state: u64| state >> NUMBER != seen && state >> WANTED & MOST >= me;
            let news = || another(self.state.load(Ordering::SeqCst)) || self.ended.load(Ordering::SeqCst);
            if !looked(look, news) {
                let mut asleep = lock(&self.sleep);
                self.asleep.fetch_add(1, Ordering::SeqCst);
                while !news() {
                    asleep = self.work.wait(asleep).unwrap_or_else(PoisonError::into_inner);
                }
                self.asleep.fetch_sub(1, Ordering::SeqCst);
            }
            if self.ended.load(Ordering::SeqCst) {
                return None;
            }
            let mut state = self.state.load(Ordering::Acquire);
            while another(state) && state & OPEN != 0 {
                match self.state.compare_exchange_weak(state, state + 1, Ordering::AcqRel, Ordering::Acquire) {
                    Ok(_) => return Some(state >> NUMBER),
                    Err(now) => state = now,
                }
            }
            seen = state >> NUMBER;
        }
    }
}

/// Whether something came true while somebody looked for so long.
fn looked(long: Duration, news: impl Fn() -> bool) -> bool {
    if news() {
        return true;
    }
    let start = Instant::now();
    while start.elapsed() < long {
        for _ in 0..LOOKS {
            if news() {
                return true;
            }
            std::hint::spin_loop();
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every run is done once, whoever does it.
    fn check(team: &Team, runs: u64, who: Who) {
        let counts: Vec<AtomicU64> = (0..runs).map(|_| AtomicU64::new(0)).collect();
        let members = team.run(runs, who, &|at| {
            counts[at as usize].fetch_add(1, Ordering::Relaxed);
        });
        assert!(members <= team.threads.len() as u64 + 1);
        assert!(counts.iter().all(|c| c.load(Ordering::Relaxed) == 1), "{who:?}, {runs} runs");
    }

    #[test]
    fn every_run_is_done_once() {
        for count in [1, 2, 7] {
            let team = Team::new(count, 1 << 20).expect("threads");
            for round in 0..300 {
                for who in [Who::Awake, Who::All, Who::Threads] {
                    check(&team, [0, 1, 2, 3, 64, 1000][round % 6], who);
                }
                if round % 100 == 99 {
                    // Long enough for all to fall asleep.
                    std::thread::sleep(2 * LOOK);
                }
            }
        }
    }

    #[test]
    fn several_callers_share_a_team() {
        let team = Team::new(2, 1 << 20).expect("threads");
        std::thread::scope(|scope| {
            for who in [Who::Awake, Who::All, Who::Threads] {
                let team = &team;
                scope.spawn(move || (0..500).for_each(|round| check(team, round % 9, who)));
            }
        });
    }

    #[test]
    fn sleepers_are_woken_when_all_are_wanted() {
        let team = Team::new(2, 1 << 20).expect("threads");
        while team.awake() > 0 {
            std::thread::yield_now();
        }
        // Each run waits for the other one: one thread alone would wait for ever.
        let (arrived, meeting) = (AtomicU64::new(0), Duration::from_secs(60));
        let meet = |_| {
            arrived.fetch_add(1, Ordering::SeqCst);
            let all_here = || arrived.load(Ordering::SeqCst) == 2;
            assert!(looked(meeting, all_here), "nobody came");
        };
        assert_eq!(team.run(2, Who::All, &meet), 2);
        arrived.store(0, Ordering::SeqCst);
        assert_eq!(team.run(2, Who::Threads, &meet), 2);
    }

    #[test]
    fn whoever_is_done_helps() {
        let team = Team::new(2, 1 << 20).expect("threads");
        let (done, patience) = (AtomicU64::new(0), Duration::from_secs(60));
        // The first run waits for all others, some of which are the same thread's.
        let runs = |at| match at {
            0 => assert!(looked(patience, || done.load(Ordering::SeqCst) == 9), "nobody helped"),
            _ => {
                done.fetch_add(1, Ordering::SeqCst);
            }
        };
        assert_eq!(team.run(10, Who::All, &runs), 2);
    }
}
