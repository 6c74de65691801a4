//! Kernels in several units, so that several compilers work at once.
//!
//! Of all that happens before a program runs, the C compiler takes longest, and it is one thread. Kernels know nothing of each other, so each
//! can stand in any unit:
//!
//! ```text
//! lu, 62 kernels, 166 KB      one unit     1.8 s
//! on two cores                two units    0.9 s each, at once
//! ```
//!
//! Units are made region by region (`regions`): what may not be wanted at all stands apart. In a region, long kernels are dealt out first, each to the unit that has
//! least so far; within a unit they keep their order. Kernels whose threads run functions by themselves stay together, with those functions. A short text stays one unit: what every unit begins with is compiled again for each.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use terrace_plan::Plan;

use super::regions::regions;

/// The least text that is worth a unit of its own.
const SHORT: usize = 24 << 10;
const MOST: usize = 16;

/// A text and the kernels that are in it.
pub(super) struct Unit {
    /// What is compiled.
    pub(super) text: String,
    /// Which kernels of the plan.
    pub(super) kernels: Vec<usize>,
    /// Units of one region are wanted together.
    pub(super) region: usize,
}

/// The text of some kernels.
pub(super) fn text_of(plan: &Plan, kernels: &[usize]) -> String {
    let mut text = plan.preamble.clone();
    if kernels.iter().any(|k| plan.kernels[*k].alone) {
        text.push_str(&plan.alone);
    }
    for kernel in kernels {
        text.push('\n');
        text.push_str(&plan.kernels[*kernel].text);
    }
    text.push('\n');
    text
}

/// The kernels of a plan in units; those of a region in as many as compilers can work at once, one after the other.
pub(super) fn units(plan: &Plan, compilers: usize) -> Vec<Unit> {
    let write = |(region, kernels): (usize, Vec<usize>)| Unit { text: text_of(plan, &kernels), kernels, region };
    let of = |(at, region)| dealt(groups(plan, region), compilers).into_iter().map(move |kernels| (at, kernels));
    regions(plan).into_iter().enumerate().flat_map(of).map(write).collect()
}

/// Kernels that must stand together, and how long their text is.
type Group = (usize, Vec<usize>);

fn groups(plan: &Plan, region: Vec<usize>) -> Vec<Group> {
    let length = |kernels: &[usize]| kernels.iter().map(|k| plan.kernels[*k].text.len()).sum::<usize>();
    let (alone, others): (Vec<usize>, Vec<usize>) = region.into_iter().partition(|k| plan.kernels[*k].alone);
    let others = others.into_iter().map(|k| (length(&[k]), vec![k]));
    let together = Some((plan.alone.len() + length(&alone), alone)).filter(|(_, alone)| !alone.is_empty());
    others.chain(together).collect()
}

/// Which kernels stand together.
fn dealt(mut groups: Vec<Group>, compilers: usize) -> Vec<Vec<usize>> {
    let total: usize = groups.iter().map(|(length, _)| length).sum();
    let count = (total / SHORT).min(compilers).clamp(1, MOST);
    groups.sort_by_key(|(length, kernels)| (std::cmp::Reverse(*length), kernels.clone()));
    let mut units = vec![(0, Vec::new()); count];
    for (length, kernels) in groups {
        let least = units.iter_mut().min_by_key(|(length, _)| *length).expect("there is one");
        least.0 += length;
        least.1.extend(kernels);
    }
    let mut units: Vec<Vec<usize>> = units.into_iter().map(|(_, kernels)| kernels).collect();
    units.iter_mut().for_each(|kernels| kernels.sort_unstable());
    units.retain(|kernels| !kernels.is_empty());
    units
}

/// Does something for every unit, on so many threads; the results are in the order of the units.
pub(super) fn at_once<U: Sync, T: Send, E: Send>(
    units: &[U],
    threads: usize,
    work: impl Fn(&U) -> Result<T, E> + Sync,
) -> Result<Vec<T>, E> {
    if units.len() < 2 || threads < 2 {
        return units.iter().map(work).collect();
    }
    let (next, done) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let worker = || {
        while let Some((at, unit)) = {
            let at = next.fetch_add(1, Ordering::Relaxed);
            units.get(at).map(|unit| (at, unit))
        } {
            let result = work(unit);
            done.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push((at, result));
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads.min(units.len()) {
            scope.spawn(worker);
        }
        worker();
    });
    let mut done = done.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    done.sort_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_are_dealt_out_by_length() {
        let check = |lengths: &[usize], compilers, expected: &[&[usize]]| {
            let groups = lengths.iter().enumerate().map(|(id, length)| (length << 10, vec![id])).collect();
            assert_eq!(dealt(groups, compilers), expected);
        };
        check(&[], 4, &[]);
        check(&[10, 10, 10], 4, &[&[0, 1, 2]]);
        check(&[10, 20, 30], 2, &[&[2], &[0, 1]]);
        check(&[10, 20, 30], 1, &[&[0, 1, 2]]);
        check(&[40, 1, 40, 2, 40], 3, &[&[0, 3], &[1, 2], &[4]]);
        check(&[100], 3, &[&[0]]);
        let together = vec![(40 << 10, vec![1]), (35 << 10, vec![3]), (10 << 10, vec![4]), (50 << 10, vec![0, 2])];
        assert_eq!(dealt(together, 2), [vec![0, 2, 4], vec![1, 3]]);
    }

    #[test]
    fn results_are_in_order_and_the_first_failure_counts() {
        let unit = |k: usize| Unit { text: String::new(), kernels: vec![k], region: 0 };
        let units: Vec<Unit> = (0..9).map(unit).collect();
        let double = |unit: &Unit| Ok::<usize, String>(2 * unit.kernels[0]);
        for threads in [1, 2, 4, 20] {
            assert_eq!(at_once(&units, threads, double), Ok((0..9).map(|k| 2 * k).collect()));
            let odd = |unit: &Unit| if unit.kernels[0] % 4 == 3 { Err(unit.kernels[0]) } else { Ok(()) };
            assert_eq!(at_once(&units, threads, odd), Err(3));
        }
    }
}
