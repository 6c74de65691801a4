//! The same work with 1, 2, 4, … threads, up to as many as there are cores: Terrace, and the best way of its best peer in C.
//!
//! ```text
//! saxpy   1 thread 31 ms, 2 threads 21 ms     C: 30, 20
//! ```

use super::measure::{Record, Terrace};
use super::object;
use super::peers::{Peers, Way};
use super::workload::Case;
use terrace_base::Json;

/// 1, 2, 4, … and the number of cores.
pub(crate) fn counts() -> Vec<usize> {
    up_to(std::thread::available_parallelism().map_or(1, usize::from))
}

fn up_to(cores: usize) -> Vec<usize> {
    let mut all: Vec<usize> = std::iter::successors(Some(1), |t| Some(2 * t)).take_while(|t| *t < cores).collect();
    all.push(cores);
    all
}

/// Times at each number of threads, one object each.
pub(crate) fn threads(terrace: &Terrace, peers: &Peers, case: &Case, record: &Record) -> Vec<Json> {
    let best: Vec<Way> = record.best("c").cloned().into_iter().collect();
    let mut all = Vec::new();
    for count in counts() {
        let text = count.to_string();
        let ours = terrace.bench(case, &record.sizes, &["--threads", &text]).ok();
        let ours = ours.and_then(|o| o.at("least_ms").number());
        let ways = peers.measure_with(case, &record.sizes, Some(&best), Some(count)).ways;
        let c = ways.iter().map(|w| w.least).min_by(f64::total_cmp);
        let ms = |time: Option<f64>| time.map_or(Json::Null, Json::from);
        all.push(object([("threads", (count as f64).into()), ("terrace_ms", ms(ours)), ("c_ms", ms(c))]));
    }
    all
}

#[cfg(test)]
mod tests {
    #[test]
    fn powers_and_the_number_of_cores() {
        assert_eq!(super::up_to(1), [1]);
        assert_eq!(super::up_to(2), [1, 2]);
        assert_eq!(super::up_to(12), [1, 2, 4, 8, 12]);
    }
}
