//! The index of messages: every code with its explanation and, where a test has one, a message as it is printed.
//!
//! ```text
//! from a test       error[T0016]: two counters in one `for`
//!                    --> a.tce:1:9
//!                   …
//! and `explain`     T0016: Counters of one `for` …
//! to                ## T0016, the explanation, the message in a block
//! ```
//!
//! The messages come from the files that tests compare with what the compiler says, so they are true, and the index never has to be written.

use std::collections::BTreeMap;

/// The messages in a text, by their codes; of each code the shortest. Lines may have `! ` in front.
pub fn messages(text: &str, found: &mut BTreeMap<String, String>) {
    let lines: Vec<&str> = text.lines().map(|line| line.strip_prefix("! ").unwrap_or(line)).collect();
    for (at, line) in lines.iter().enumerate() {
        let Some(rest) = line.strip_prefix("error[").or_else(|| line.strip_prefix("warning[")) else { continue };
        let Some((code, _)) = rest.split_once("]: ") else { continue };
        let more =
            lines[at + 1..].iter().take_while(|l| l.starts_with(' ') || l.starts_with(|c: char| c.is_ascii_digit()));
        let message = std::iter::once(line).chain(more).map(|l| format!("{l}\n")).collect::<String>();
        // Transcripts write the name of their folder so.
        let message = message.replace("$TMP/", "");
        let shorter = found.get(code).is_none_or(|old| rank(&message) < rank(old));
        if shorter {
            found.insert(code.to_string(), message);
        }
    }
}

/// Messages with a hint and a piece of source are better, and short ones than long ones.
fn rank(message: &str) -> (bool, bool, usize) {
    (!message.contains(" --> "), !message.contains("= hint"), message.len())
}

/// The Markdown of the index: what stands at its head, and the codes with their explanations.
pub fn codes_page(head: &str, codes: &[(String, String)], messages: &BTreeMap<String, String>) -> String {
    let mut out = format!("{}\n", head.trim_end());
    for (code, text) in codes {
        out += &format!("\n## {code}\n\n{text}\n");
        if let Some(message) = messages.get(code) {
            out += &format!("\n```text\n{message}```\n");
        }
    }
    out
}
