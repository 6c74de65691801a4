//! What depends on each other: the strongly connected parts of a graph, what others depend on first.
//!
//! ```text
//! a reads b, b reads c, c reads b, d reads a          {b, c}  {a}  {d}
//! ```
//!
//! R. Tarjan, "Depth-first search and linear graph algorithms", 1972, with a stack of its own: chains of variables are long.

use std::collections::BTreeMap;

/// The parts of a graph that is given by what each node reads. Nodes that are read and not in the graph do not count.
pub(super) fn components<K: Copy + Ord>(reads: &BTreeMap<K, Vec<K>>) -> Vec<Vec<K>> {
    let mut numbers: BTreeMap<K, usize> = BTreeMap::new();
    let mut lows: BTreeMap<K, usize> = BTreeMap::new();
    let (mut open, mut found): (Vec<K>, Vec<Vec<K>>) = (Vec::new(), Vec::new());
    for root in reads.keys().filter(|k| reads.contains_key(k)) {
        if numbers.contains_key(root) {
            continue;
        }
        // A node, and how many of its edges were followed.
        let mut path: Vec<(K, usize)> = vec![(*root, 0)];
        while let Some((node, next)) = path.pop() {
            if next == 0 {
                let number = numbers.len();
                numbers.insert(node, number);
                lows.insert(node, number);
                open.push(node);
            }
            if let Some(other) = reads[&node].get(next) {
                path.push((node, next + 1));
                if reads.contains_key(other) && !numbers.contains_key(other) {
                    path.push((*other, 0));
                } else if open.contains(other) {
                    lows.insert(node, lows[&node].min(numbers[other]));
                }
                continue;
            }
            if lows[&node] == numbers[&node] {
                let from = open.iter().position(|k| *k == node).expect("it is open");
                found.push(open.split_off(from));
            }
            if let Some((parent, _)) = path.last() {
                lows.insert(*parent, lows[parent].min(lows[&node]));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cycles_are_found_and_come_after_what_they_read() {
        let check = |edges: &[(char, &str)], expected: &[&str]| {
            let reads: BTreeMap<char, Vec<char>> = edges.iter().map(|(k, to)| (*k, to.chars().collect())).collect();
            let found: Vec<String> = components(&reads).into_iter().map(|c| c.into_iter().collect()).collect();
            assert_eq!(found, expected);
        };
        check(&[('a', "b"), ('b', "c"), ('c', "b"), ('d', "a")], &["bc", "a", "d"]);
        check(&[('a', "ax"), ('b', "")], &["a", "b"]);
        check(&[('a', "bc"), ('b', "d"), ('c', "da"), ('d', "")], &["d", "b", "ac"]);
        check(&[('a', "b"), ('b', "c"), ('c', "da"), ('d', "b"), ('e', "cc")], &["abcd", "e"]);
    }
}
