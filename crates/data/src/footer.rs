//! A first look at the footer of a Parquet file, before the library believes it.
//!
//! The footer's schema is a tree in one list: each element says how many children follow it. The library makes room for as many as are
//! said, and goes down as deep as the tree is; a changed byte there is 16 GiB or a stack that overflows. So the counts are compared with
//! the elements that are there:
//!
//! ```text
//! root 2 | rows 1 | list 1 | element 0 | id 0        fine
//! root 2 | rows 2147483647 | …                       damaged
//! ```
//!
//! Only lengths are looked at; types and names are the library's affair. The encoding is Thrift's compact protocol, as its
//! specification has it (`thrift-compact-protocol.md`).

/// Levels of nesting that anybody has: three for each list, one for each struct.
const DEEPEST_SCHEMA: usize = 200;
const DEEPEST_STRUCT: usize = 32;

const FIELD_SCHEMA: i64 = 2;
const FIELD_CHILDREN: i64 = 5;

const I8: u8 = 3;
const I16: u8 = 4;
const I32: u8 = 5;
const I64: u8 = 6;
const DOUBLE: u8 = 7;
const BYTES: u8 = 8;
const LIST: u8 = 9;
const SET: u8 = 10;
const MAP: u8 = 11;
const STRUCT: u8 = 12;
const UUID: u8 = 13;

/// What is wrong with the schema in a footer, if anything.
pub(crate) fn check(footer: &[u8]) -> Result<(), &'static str> {
    let mut reader = Reader { rest: footer };
    let children = reader.schema().ok_or("its footer is not well formed")?;
    check_tree(&children)
}

fn check_tree(children: &[u64]) -> Result<(), &'static str> {
    // How many children of each open group are still to come.
    let mut open: Vec<u64> = Vec::new();
    for (k, count) in children.iter().enumerate() {
        if let Some(last) = open.last_mut() {
            *last -= 1;
        } else if k > 0 {
            return Err("its footer has types that belong to nothing");
        }
        if *count > (children.len() - k) as u64 {
            return Err("its footer states more types than it has");
        }
        open.push(*count);
        if open.len() > DEEPEST_SCHEMA {
            return Err("its types are nested too deeply");
        }
        while open.last() == Some(&0) {
            open.pop();
        }
    }
    if open.is_empty() { Ok(()) } else { Err("its footer states more types than it has") }
}

struct Reader<'a> {
    rest: &'a [u8],
}

impl Reader<'_> {
    /// The numbers of children of all elements of the schema; none if the bytes make no sense.
    fn schema(&mut self) -> Option<Vec<u64>> {
        let mut id = 0;
        while let Some(kind) = self.field(&mut id)? {
            if id == FIELD_SCHEMA && kind == LIST {
                let (count, STRUCT) = self.list()? else { return None };
                return (0..count).map(|_| self.element()).collect();
            }
            self.skip(kind, DEEPEST_STRUCT)?;
        }
        None
    }

    fn element(&mut self) -> Option<u64> {
        let mut id = 0;
        let mut children = 0;
        while let Some(kind) = self.field(&mut id)? {
            if id == FIELD_CHILDREN && kind == I32 {
                let number = self.number()?;
                // Negative numbers are odd in this encoding.
                children = if number % 2 == 0 { number / 2 } else { return None };
            } else {
                self.skip(kind, DEEPEST_STRUCT)?;
            }
        }
        Some(children)
    }

    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(*first)
    }

    fn bytes(&mut self, count: u64) -> Option<()> {
        self.rest = self.rest.get(usize::try_from(count).ok()?..)?;
        Some(())
    }

    fn number(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
        None
    }

    /// The type of the next field of a struct, whose number `id` follows; `Some(None)` at the end of the struct.
    fn field(&mut self, id: &mut i64) -> Option<Option<u8>> {
        let head = self.byte()?;
        if head == 0 {
            return Some(None);
        }
        *id = if head >> 4 == 0 { unfold(self.number()?) } else { id.checked_add(i64::from(head >> 4))? };
        Some(Some(head & 0x0f))
    }

    fn list(&mut self) -> Option<(u64, u8)> {
        let head = self.byte()?;
        let count = if head >> 4 == 15 { self.number()? } else { u64::from(head >> 4) };
        // Every element takes a byte at least.
        (count <= self.rest.len() as u64).then_some((count, head & 0x0f))
    }

    /// Goes past a field of a struct. A truth value is in the field's type and takes no bytes.
    fn skip(&mut self, kind: u8, depth: usize) -> Option<()> {
        match kind {
            1 | 2 => Some(()),
            _ => self.skip_value(kind, depth.checked_sub(1)?),
        }
    }

    fn skip_value(&mut self, kind: u8, depth: usize) -> Option<()> {
        match kind {
            1 | 2 | I8 => self.byte().map(|_| ()),
            I16 | I32 | I64 => self.number().map(|_| ()),
            DOUBLE => self.bytes(8),
            UUID => self.bytes(16),
            BYTES => {
                let count = self.number()?;
                self.bytes(count)
            }
            LIST | SET => {
                let (count, element) = self.list()?;
                (0..count).try_for_each(|_| self.skip_value(element, depth.checked_sub(1)?))
            }
            MAP => {
                let count = self.number()?;
                if count == 0 {
                    return Some(());
                }
                let kinds = self.byte()?;
                (0..count).try_for_each(|_| {
                    self.skip_value(kinds >> 4, depth.checked_sub(1)?)?;
                    self.skip_value(kinds & 0x0f, depth.checked_sub(1)?)
                })
            }
            STRUCT => {
                let mut id = 0;
                while let Some(kind) = self.field(&mut id)? {
                    self.skip(kind, depth)?;
                }
                Some(())
            }
            _ => None,
        }
    }
}

fn unfold(number: u64) -> i64 {
    (number >> 1) as i64 ^ -((number & 1) as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trees() {
        let deep: Vec<u64> = std::iter::repeat_n(1, 5000).chain([0]).collect();
        for (children, good) in [
            (&[2, 1, 1, 0, 0][..], true),
            (&[0], true),
            (&[1, 0], true),
            (&[2, 1, 0], false),
            (&[1, 0, 0], false),
            (&[2, u64::MAX, 0, 0], false),
            (&deep, false),
        ] {
            assert_eq!(check_tree(children).is_ok(), good, "{} elements", children.len());
        }
    }

    #[test]
    fn footers() {
        // version: i32 = 1; schema: [{name: "r", num_children: 1}, {type: i32, name: "x"}]
        let good = [0x15, 2, 0x19, 0x2c, 0x48, 1, b'r', 0x15, 2, 0, 0x15, 2, 0x38, 1, b'x', 0, 0];
        assert_eq!(check(&good), Ok(()));
        let mut many = good;
        many[8] = 0x7e;
        assert_eq!(check(&many), Err("its footer states more types than it has"));
        for end in 0..good.len() - 1 {
            assert!(check(&good[..end]).is_err(), "cut at {end}");
        }
        // A struct in a struct in a struct …
        assert!(check(&[0x1c; 100_000]).is_err());
        // A list that says it has 2^63 elements.
        assert!(check(&[0x19, 0xfc, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f]).is_err());
    }
}
