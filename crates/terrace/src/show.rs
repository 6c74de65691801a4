//! Values as text: Terrace literals, long arrays abbreviated.

use terrace_plan::data::Data;

/// The literal of a value. An array with more than `most` elements shows its ends and how many there are.
pub fn data(value: &Data, most: usize) -> String {
    let mut out = String::new();
    write(value, most, &mut out);
    out
}

fn write(value: &Data, most: usize, out: &mut String) {
    match value {
        Data::Scalar(s) => out.push_str(&s.to_string()),
        Data::Tuple(parts) => list(parts, '(', ')', usize::MAX, most, out),
        Data::Array(items) => list(items, '[', ']', most, most, out),
    }
}

fn list(items: &[Data], open: char, close: char, here: usize, most: usize, out: &mut String) {
    out.push(open);
    let shown: Vec<usize> = if items.len() <= here {
        (0..items.len()).collect()
    } else {
        (0..here.div_ceil(2)).chain(items.len() - here / 2..items.len()).collect()
    };
    let mut last = None;
    for k in shown {
        match last {
            None => {}
            Some(before) if before + 1 == k => out.push_str(", "),
            Some(_) => out.push_str(", …, "),
        }
        write(&items[k], most, out);
        last = Some(k);
    }
    out.push(close);
    if items.len() > here {
        out.push_str(&format!(" -- {} elements", items.len()));
    }
}
