//! How inputs are changed: bytes for data files, bytes and words for source text.

use crate::random::generate::Random;

/// Numbers that readers of files trip over.
const EDGES: [&[u8]; 12] = [
    &[0],
    &[0xFF],
    &[0x7F],
    &[0x80],
    &[0, 0, 0, 0],
    &[0xFF, 0xFF, 0xFF, 0xFF],
    &[0xFF, 0xFF, 0xFF, 0x7F],
    &[0, 0, 0, 0x80],
    &[0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F],
    &[0, 0, 0, 0, 0, 0, 0, 0x80],
    &[0, 0, 0, 0, 0, 0, 0x10, 0],
    &[1, 0, 0, 0],
];

/// The words and marks of the seeds, each once.
pub(super) fn words(seeds: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let mut all: Vec<Vec<u8>> = seeds.iter().flat_map(|s| cut(s)).map(<[u8]>::to_vec).collect();
    all.sort();
    all.dedup();
    all.retain(|w| !w.iter().all(u8::is_ascii_whitespace));
    all
}

/// A text cut into words, spaces and single marks.
fn cut(text: &[u8]) -> Vec<&[u8]> {
    let kind = |b: u8| match b {
        b if b.is_ascii_alphanumeric() || b == b'_' => 0,
        b if b.is_ascii_whitespace() => 1,
        _ => 2,
    };
    let mut out = Vec::new();
    let mut from = 0;
    for at in 1..=text.len() {
        if at == text.len() || kind(text[at]) != kind(text[at - 1]) || kind(text[at]) == 2 {
            out.push(&text[from..at]);
            from = at;
        }
    }
    out
}

/// One of the pool, changed in one to four places.
pub(super) fn changed(pool: &[Vec<u8>], words: &[Vec<u8>], is_text: bool, random: &mut Random) -> Vec<u8> {
    let mut input = pool.get(random.below(pool.len())).cloned().unwrap_or_default();
    for _ in 0..=random.below(4) {
        input = match random.below(if is_text { 4 } else { 1 }) {
            0 => by_bytes(input, pool, random),
            _ => by_words(&input, words, random),
        };
    }
    // What is too long says nothing new, slowly.
    input.truncate(64 << 10);
    input
}

fn by_bytes(mut input: Vec<u8>, pool: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    let at = random.below(input.len() + 1);
    let end = (at + random.below(32)).min(input.len());
    match random.below(7) {
        0 if at < input.len() => input[at] ^= 1 << random.below(8),
        1 if at < input.len() => input[at] = random.below(256) as u8,
        2 => drop(input.drain(at..end)),
        3 => {
            let again = input[at..end].to_vec();
            input.splice(at..at, again);
        }
        4 => {
            let edge = EDGES[random.below(EDGES.len())];
            let end = (at + edge.len()).min(input.len());
            input.splice(at..end, edge.iter().copied());
        }
        5 => input.truncate(at),
        _ => {
            let other = &pool[random.below(pool.len())];
            let from = random.below(other.len() + 1);
            let to = (from + random.below(64)).min(other.len());
            input.splice(at..end, other[from..to].iter().copied());
        }
    }
    input
}

fn by_words(input: &[u8], words: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    let mut parts: Vec<&[u8]> = cut(input);
    if parts.is_empty() || words.is_empty() {
        return input.to_vec();
    }
    let at = random.below(parts.len());
    let other = random.below(parts.len());
    let word = &words[random.below(words.len())];
    match random.below(5) {
        0 => drop(parts.remove(at)),
        1 => parts[at] = word,
        2 => parts.insert(at, word),
        3 => parts.swap(at, other),
        _ => {
            let (from, to) = (at.min(other), (at.max(other)).min(at.min(other) + 20));
            let again = parts[from..to].to_vec();
            parts.splice(at..at, again);
        }
    }
    parts.concat()
}
