//! How many terminal columns a character takes.
//!
//! Carets must stand under the right letters also when a comment holds `ä`, a combining accent or `漢`. This is a short
//! table of the common ranges (combining marks are 0 wide, East Asian wide forms and emoji are 2), not the whole of the
//! Unicode standard; a wrong guess moves a caret and nothing else.

/// Spaces that a tab expands to, up to the next multiple.
pub(crate) const TAB: usize = 4;

/// The columns of one character other than a tab.
pub(crate) fn char_width(c: char) -> usize {
    match c as u32 {
        0x0300..=0x036F | 0x1AB0..=0x1AFF | 0x20D0..=0x20FF | 0x200B..=0x200F | 0xFE00..=0xFE0F | 0xFE20..=0xFE2F => 0,
        0x1100..=0x115F
        | 0x2E80..=0x303E
        | 0x3041..=0xA4CF
        | 0xAC00..=0xD7A3
        | 0xF900..=0xFAFF
        | 0xFE30..=0xFE4F
        | 0xFF00..=0xFF60
        | 0xFFE0..=0xFFE6
        | 0x1F300..=0x1F64F
        | 0x1F680..=0x1F6FF
        | 0x1F900..=0x1F9FF
        | 0x20000..=0x3FFFD => 2,
        _ => 1,
    }
}

/// A line as a terminal should show it: tabs expanded, control characters made visible.
pub(crate) fn shown(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut width = 0;
    for c in line.chars() {
        if c == '\t' {
            let n = TAB - width % TAB;
            out.extend(std::iter::repeat_n(' ', n));
            width += n;
        } else {
            let c = if c.is_control() { '\u{FFFD}' } else { c };
            out.push(c);
            width += char_width(c);
        }
    }
    out
}

/// The columns that the first `bytes` bytes of a line take when shown.
pub(crate) fn column_of(line: &str, bytes: usize) -> usize {
    let mut width = 0;
    for (at, c) in line.char_indices() {
        if at >= bytes {
            return width;
        }
        width += if c == '\t' { TAB - width % TAB } else { char_width(c) };
    }
    // Behind the end of the line: the place where the next character would go.
    width
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns() {
        let check = |line: &str, bytes: usize, column: usize| {
            assert_eq!(column_of(line, bytes), column, "{line:?} at {bytes}");
        };
        check("abc", 2, 2);
        check("abc", 9, 3);
        check("\tx", 1, 4);
        check("ab\tx", 3, 4);
        check("äb", 2, 1);
        check("漢b", 3, 2);
        check("e\u{301}x", 3, 1);
        assert_eq!(shown("a\tb\u{7}"), "a   b\u{FFFD}");
    }
}
