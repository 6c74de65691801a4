//! The messages of the front end, one function each.
//!
//! | codes | about | module |
//! | --- | --- | --- |
//! | `T0050` to `T0060`, `T0068` to `T0079` | names | [`names`] |
//! | `T0061` to `T0066` | imports | [`imports`] |
//! | `T0100` to `T0129` | types | [`types`] |
//! | `T0150` to `T0169` | sizes | [`sizes`] |
//! | `T0180` to `T0189` | warnings | [`types`] |
//!
//! [`explain`](crate::explain) has the long form of each.

mod imports;
mod names;
mod sizes;
mod types;

pub(crate) use imports::*;
pub(crate) use names::*;
pub(crate) use sizes::*;
pub(crate) use types::*;

use terrace_base::Diagnostic;

/// Adds the nearest of some names as a hint, if one is near.
pub(crate) fn suggest<'c>(report: Diagnostic, name: &str, candidates: impl IntoIterator<Item = &'c str>) -> Diagnostic {
    let most = 1 + name.len() / 4;
    // Lengths that differ more cannot be near, and large programs have many names.
    let near = candidates.into_iter().filter(|c| c.len().abs_diff(name.len()) <= most);
    match near.map(|c| (distance(name, c), c)).min() {
        Some((d, c)) if d <= most && d < name.len() => report.hint(format!("did you mean `{c}`?")),
        _ => report,
    }
}

/// Says in which imported module a name is.
pub(crate) fn elsewhere(report: Diagnostic, name: &str, there: &str) -> Diagnostic {
    let module = there.strip_suffix(name).map_or(there, |m| m.trim_end_matches('.'));
    report.hint(format!("`{name}` is in module `{module}`: write `{there}`"))
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

/// `1 argument`, `2 arguments`.
pub(crate) fn count(n: usize, what: &str) -> String {
    match n {
        0 => format!("no {what}s"),
        1 => format!("1 {what}"),
        n => format!("{n} {what}s"),
    }
}

/// Names with backticks, in a sentence.
pub(crate) fn listed<'n>(names: impl IntoIterator<Item = &'n str>) -> String {
    let quoted: Vec<String> = names.into_iter().map(|n| format!("`{n}`")).collect();
    match quoted.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => quoted.concat(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances() {
        let check = |a: &str, b: &str, expected: usize| assert_eq!(distance(a, b), expected, "{a} {b}");
        check("area", "area", 0);
        check("area", "aera", 1);
        check("sum", "sums", 1);
        check("", "abc", 3);
        check("length", "len", 3);
    }
}
