//! Commands as they are typed.

/// The words of a command; single quotes keep spaces together.
pub(crate) fn words(line: &str) -> Vec<String> {
    let mut out = Vec::new();
    let (mut word, mut quoted, mut open) = (String::new(), false, false);
    for c in line.chars() {
        match c {
            '\'' => {
                open = !open;
                quoted = true;
            }
            ' ' if !open => {
                if quoted || !word.is_empty() {
                    out.push(std::mem::take(&mut word));
                }
                quoted = false;
            }
            c => word.push(c),
        }
    }
    if quoted || !word.is_empty() {
        out.push(word);
    }
    out
}
