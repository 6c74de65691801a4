//! Signatures that a program's author expects, written above each function.
//!
//! ```text
//! --: keep[n](xs: [n]f64) -> ?[m]. [m]f64      the signature, up to the names of sizes
//! --:   where m <= n                           a fact that must be among those found
//! --: checks zip, index                        the kinds of the checks that stay, in the order of the text; none without this line
//! --: inside regular, irregular                the parallel operators inside other ones, in the order of the text
//! entry keep(xs: []f64) -> []f64 = …
//! ```
//!
//! They are written by hand from what is known of the function, so that a snapshot taken of a mistake does not make it right.
//! Two signatures are the same if renaming sizes makes them equal: [`plain`] names sizes by the order in which they occur.

use std::collections::BTreeMap;

/// What is expected of one function.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Expected {
    /// The name of the function.
    pub function: String,
    /// The line on which the function stands, from 1.
    pub line: usize,
    /// Its signature.
    pub signature: Option<String>,
    /// Facts below the signature.
    pub facts: Vec<String>,
    /// The kinds of the checks that stay.
    pub checks: Vec<String>,
    /// How regular the parallel operators inside other ones are.
    pub inside: Option<Vec<String>>,
}

/// The expectations of a program, or the first line that is none.
pub fn expected(text: &str) -> Result<Vec<Expected>, String> {
    let mut all = Vec::new();
    let mut open: Option<Expected> = None;
    for (k, line) in text.lines().enumerate() {
        if let Some(said) = line.strip_prefix("--:") {
            read(said.trim(), open.get_or_insert_default()).map_err(|why| format!("line {}: {why}", k + 1))?;
        } else if let Some(mut found) = open.take() {
            let Some(rest) = line.strip_prefix("def ").or_else(|| line.strip_prefix("entry ")) else {
                return Err(format!("line {}: a function stands below its expectations", k + 1));
            };
            found.function = rest.chars().take_while(|c| is_name(*c)).collect();
            found.line = k + 1;
            if let Some(signature) = &found.signature
                && !signature.starts_with(&found.function)
            {
                return Err(format!("line {}: the signature above is that of another function", k + 1));
            }
            all.push(found);
        }
    }
    Ok(all)
}

fn read(said: &str, into: &mut Expected) -> Result<(), String> {
    let list = |words: &str| words.split(',').map(|w| w.trim().to_string()).filter(|w| !w.is_empty()).collect();
    if let Some(fact) = said.strip_prefix("where ") {
        into.facts.push(fact.trim().to_string());
    } else if let Some(words) = said.strip_prefix("checks") {
        into.checks = list(words);
    } else if let Some(words) = said.strip_prefix("inside") {
        into.inside = Some(list(words));
    } else if said.contains("->") && into.signature.is_none() {
        into.signature = Some(said.to_string());
    } else {
        return Err(format!("`{said}` is no signature, `where`, `checks` or `inside`"));
    }
    Ok(())
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// A signature without its list of sizes, and its facts, with sizes named `s1`, `s2`, … as they occur in the types.
pub fn plain(signature: &str, facts: &[String]) -> (String, Vec<String>) {
    let open = signature.find('(').unwrap_or(0);
    let (head, types) = signature.split_at(open);
    let name: String = head.chars().take_while(|c| is_name(*c)).collect();
    let (types, exists) = without_exists(types);
    let mut sizes: Vec<String> = words(&head[name.len()..]);
    sizes.extend(exists);
    sizes.extend(bound(&types));
    let mut names = BTreeMap::new();
    let types = renamed(&types, &sizes, &mut names);
    let facts = facts.iter().map(|fact| renamed(fact, &sizes, &mut names)).collect();
    (format!("{name}{types}"), facts)
}

/// The types without `?[m].`, and what stood there.
fn without_exists(types: &str) -> (String, Vec<String>) {
    let parts = types.split_once("?[").and_then(|(before, rest)| Some((before, rest.split_once("].")?)));
    match parts {
        Some((before, (inside, after))) => (format!("{before}{}", after.trim_start()), words(inside)),
        None => (types.to_string(), Vec::new()),
    }
}

fn words(text: &str) -> Vec<String> {
    let parts = text.split(|c: char| !is_name(c)).filter(|w| !w.is_empty());
    parts.map(str::to_string).collect()
}

/// The positions that a type names: `i` in `[i < n]` and `sum(i < n: …)`.
fn bound(types: &str) -> Vec<String> {
    let mut found = Vec::new();
    for opening in ["[", "sum("] {
        for part in types.split(opening).skip(1) {
            let name: String = part.chars().take_while(|c| is_name(*c)).collect();
            if !name.is_empty() && part[name.len()..].starts_with(" < ") {
                found.push(name);
            }
        }
    }
    found
}

fn renamed(text: &str, sizes: &[String], names: &mut BTreeMap<String, String>) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(start) = rest.find(is_name) {
        out.push_str(&rest[..start]);
        let end = rest[start..].find(|c| !is_name(c)).map_or(rest.len(), |n| start + n);
        let word = &rest[start..end];
        // `xs:` is a parameter, whatever sizes are called; the end of `sum(i < n: …)` is not.
        let parameter = rest[end..].starts_with(": ") && !out.ends_with("< ");
        if sizes.iter().any(|s| s == word) && !parameter {
            let next = format!("s{}", names.len() + 1);
            out.push_str(names.entry(word.to_string()).or_insert(next));
        } else {
            out.push_str(word);
        }
        rest = &rest[end..];
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(a: &str, b: &str, same: bool) {
        assert_eq!(plain(a, &[]) == plain(b, &[]), same, "{a}\n{b}\n{:?}\n{:?}", plain(a, &[]), plain(b, &[]));
    }

    #[test]
    fn names_of_sizes_do_not_matter() {
        check("f[n, m](a: [n][m]f64) -> [m]f64", "f[q, r](a: [q][r]f64) -> [r]f64", true);
        check("f[n, m](a: [n][m]f64) -> [m]f64", "f[m, n](a: [n][m]f64) -> [m]f64", true);
        check("f[n, m](a: [n][m]f64) -> [m]f64", "f[n, m](a: [n][m]f64) -> [n]f64", false);
        check("f[n, m](a: [n]f64, b: [m]f64) -> f64", "f[n](a: [n]f64, b: [n]f64) -> f64", false);
        check("f[n](xs: [n]f64) -> ?[m]. [m]f64", "f[m](xs: [m]f64) -> ?[k]. [k]f64", true);
        check("f[n](xs: [n]f64) -> ?[m]. [m]f64", "f[n](xs: [n]f64) -> [n]f64", false);
        check("f[n, k](a: [i < n][k(i)]f64) -> f64", "f[m, l](a: [j < m][l(j)]f64) -> f64", true);
        check(
            "f[n, k](a: [i < n][k(i)]f64) -> [sum(i < n: k(i))]f64",
            "f[a, b](a: [j < a][b(j)]f64) -> [sum(j < a: b(j))]f64",
            true,
        );
        check("f(n: i64) -> [n]i64", "f(m: i64) -> [m]i64", false);
    }

    #[test]
    fn facts_use_the_names_of_the_signature() {
        let fact = |f: &str| vec![f.to_string()];
        let (a, b) = ("f[n](xs: [n]f64) -> ?[m]. [m]f64", "f[a](xs: [a]f64) -> ?[b]. [b]f64");
        assert_eq!(plain(a, &fact("m <= n")), plain(b, &fact("b <= a")));
        assert_ne!(plain(a, &fact("m <= n")), plain(b, &fact("a <= b")));
    }

    #[test]
    fn expectations_stand_above_their_function() {
        let text = "--: f[n](xs: [n]f64) -> [n]f64\n--:   where n <= 3\n--: checks zip, index\n--: inside regular\nentry f(xs: []f64) -> []f64 = xs\n";
        let found = expected(text).expect("expectations");
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].function.as_str(), found[0].line, found[0].checks.len()), ("f", 5, 2));
        assert_eq!(found[0].inside.as_deref(), Some(["regular".to_string()].as_slice()));
        assert!(expected("--: checks\n\ndef f() -> i64 = 1\n").is_err());
        assert!(expected("--: g() -> i64\ndef f() -> i64 = 1\n").is_err());
        assert!(expected("--: what\ndef f() -> i64 = 1\n").is_err());
    }
}
