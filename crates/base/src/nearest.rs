//! The name that somebody may have meant.
//!
//! ```text
//! lenght      length        two neighbours swapped: one edit
//! ```
//!
//! A name is near if a quarter of its characters, and one more, are enough to edit; nothing farther is offered.

/// The nearest of some names, if one is near.
pub fn nearest<'c>(name: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    let most = 1 + name.len() / 4;
    // Lengths that differ more cannot be near, and large programs have many names.
    let near = candidates.into_iter().filter(|c| c.len().abs_diff(name.len()) <= most);
    let (edits, found) = near.map(|c| (distance(name, c), c)).min()?;
    (edits <= most && edits < name.len()).then_some(found)
}

/// How many single-character edits lead from one name to the other; swapped neighbours count as one.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut before: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for i in 0..a.len() {
        let mut next = vec![i + 1];
        for j in 0..b.len() {
            let mut cost = (row[j] + usize::from(a[i] != b[j])).min(row[j + 1] + 1).min(next[j] + 1);
            if i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j] {
                cost = cost.min(before[j - 1] + 1);
            }
            next.push(cost);
        }
        before = std::mem::replace(&mut row, next);
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::{distance, nearest};

    #[test]
    fn distances() {
        let check = |a: &str, b: &str, expected: usize| assert_eq!(distance(a, b), expected, "{a} {b}");
        check("area", "area", 0);
        check("area", "aera", 1);
        check("sum", "sums", 1);
        check("", "abc", 3);
        check("length", "len", 3);
    }

    #[test]
    fn near_names_and_far_ones() {
        assert_eq!(nearest("lenght", ["length", "sum"]), Some("length"));
        assert_eq!(nearest("f.1.outr", ["f.1.outer", "f.2.outer"]), Some("f.1.outer"));
        assert_eq!(nearest("x", ["y"]), None);
    }
}
