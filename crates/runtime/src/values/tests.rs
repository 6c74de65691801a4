//! Values go in, slots come out, and the same values come back.

use terrace_algebra::{Size, SizeVar};
use terrace_base::{Scalar, ScalarType};
use terrace_plan::data::Data;
use terrace_plan::layout::{DimLayout, Layout};

use super::*;

/// Nested values as text: `[1, [2]]` and `(1, 2)` of i32.
fn data(text: &str) -> Data {
    fn value(chars: &mut std::iter::Peekable<std::str::Chars<'_>>) -> Data {
        while chars.peek().is_some_and(|c| " ,".contains(*c)) {
            chars.next();
        }
        match chars.peek().copied() {
            Some(open @ ('[' | '(')) => {
                chars.next();
                let mut parts = Vec::new();
                loop {
                    while chars.peek().is_some_and(|c| " ,".contains(*c)) {
                        chars.next();
                    }
                    if chars.next_if(|c| "])".contains(*c)).is_some() {
                        break;
                    }
                    parts.push(value(chars));
                }
                if open == '[' { Data::Array(parts) } else { Data::Tuple(parts) }
            }
            _ => {
                let mut digits = String::new();
                while let Some(c) = chars.next_if(|c| c.is_ascii_digit() || *c == '-') {
                    digits.push(c);
                }
                Data::Scalar(Scalar::I32(digits.parse().expect("a number")))
            }
        }
    }
    value(&mut text.chars().peekable())
}

const I32: Layout = Layout::Scalar(ScalarType::I32);

fn array(dim: DimLayout, element: Layout) -> Layout {
    Layout::Array(dim, Box::new(element))
}

fn length(element: Layout) -> Layout {
    array(DimLayout::Length, element)
}

fn ragged(element: Layout) -> Layout {
    array(DimLayout::Irregular { packed: true }, element)
}

fn loose(element: Layout) -> Layout {
    array(DimLayout::Irregular { packed: false }, element)
}

fn closed(size: Size, element: Layout) -> Layout {
    array(DimLayout::Closed(size), element)
}

fn var(v: u32) -> Size {
    Size::var(SizeVar(v))
}

fn show(slots: &[SlotValue]) -> String {
    let one = |slot: &SlotValue| match slot {
        SlotValue::Scalar(s) => s.as_i64().expect("an integer").to_string(),
        SlotValue::Column(c) => {
            let parts: Vec<String> =
                (0..c.len()).map(|i| c.get(i).and_then(Scalar::as_i64).expect("an integer").to_string()).collect();
            format!("[{}]", parts.join(" "))
        }
    };
    slots.iter().map(one).collect::<Vec<_>>().join(" ")
}

fn check(text: &str, layout: Layout, wanted: &str) {
    let value = data(text);
    let slots = to_slots(&value, &layout).expect("fits");
    assert_eq!(show(&slots), wanted, "{text}");
    assert_eq!(slots.len(), layout.slots().len());
    check_slots(&slots, &layout).expect("its own slots fit");
    assert_eq!(from_slots(&slots, &layout).expect("comes back"), value);
}

#[test]
fn round_trips() {
    check("7", I32, "7");
    check("(1, (2, 3))", Layout::Tuple(vec![I32, Layout::Tuple(vec![I32, I32])]), "1 2 3");
    check("[]", length(I32), "0 []");
    check("[4, 5, 6]", length(I32), "3 [4 5 6]");
    check("[[1, 2], [], [3]]", length(ragged(I32)), "3 [0 2 2 3] 3 [1 2 3]");
    check("[[1, 2], [], [3]]", length(loose(I32)), "3 [0 2 2 3] [0 2 2] 3 [1 2 3]");
    check("[]", length(ragged(ragged(I32))), "0 [0] 0 [0] 0 []");
    check("[[], []]", length(ragged(ragged(I32))), "2 [0 0 0] 0 [0] 0 []");
    check("[[[1], []], [], [[2, 3]]]", length(ragged(ragged(I32))), "3 [0 2 2 3] 3 [0 1 1 3] 3 [1 2 3]");
    check("[[[1], []], [], [[2, 3]]]", length(loose(loose(I32))), "3 [0 2 2 3] [0 2 2] 3 [0 1 1 3] [0 1 1] 3 [1 2 3]");
    check("[[1, 2, 3], [4, 5, 6]]", length(length(I32)), "2 3 [1 2 3 4 5 6]");
    check("[]", length(length(I32)), "0 0 []");
    check("[[], []]", length(length(I32)), "2 0 []");
    let pairs = || Layout::Tuple(vec![I32, I32]);
    check("[[(1, 2)], [], [(3, 4), (5, 6)]]", length(ragged(pairs())), "3 [0 1 1 3] 3 [1 3 5] [2 4 6]");
    check("[(1, [2, 3]), (4, [])]", length(Layout::Tuple(vec![I32, ragged(I32)])), "2 [1 4] [0 2 2] 2 [2 3]");
    check("([1], [2, 3])", Layout::Tuple(vec![length(I32), length(I32)]), "1 [1] 2 [2 3]");
    check("[(), ()]", length(Layout::Tuple(vec![])), "2");
}

#[test]
fn closed_forms() {
    check("[1, 2]", closed(Size::constant(2), I32), "[1 2]");
    // A triangle, then the same turned: slot 0 is the number of rows.
    check("[[], [1], [2, 3]]", length(closed(var(0), I32)), "3 [1 2 3]");
    check("[[1, 2], [3], []]", length(closed(var(100) - var(0) - 1, I32)), "3 [1 2 3]");
    check("[[1, 2], [3, 4], [5, 6]]", length(closed(Size::constant(2), I32)), "3 [1 2 3 4 5 6]");
    // Rows of rows: the length is a function of both positions.
    let nest = length(closed(var(0) + 1, closed(var(0) + var(1), I32)));
    check("[[[]], [[1], [2, 3]]]", nest, "2 [1 2 3]");
    // Closed inside ragged, ragged inside closed.
    check("[[[]], [], [[], [5]]]", length(ragged(closed(var(1), I32))), "3 [0 1 1 3] 3 [5]");
    check("[[], [[7, 8]]]", length(closed(var(0), ragged(I32))), "2 [0 2] 2 [7 8]");
    // A length that a later slot states.
    let later = Layout::Tuple(vec![closed(var(101), I32), I32]);
    check("([5, 6], 2)", later, "[5 6] 2");
}

fn refuse(text: &str, layout: Layout, wanted: &str) {
    let error = to_slots(&data(text), &layout).expect_err("does not fit");
    assert_eq!(error.to_string(), wanted, "{text}");
}

#[test]
fn what_does_not_fit() {
    refuse("[1]", I32, "a value of type i32 belongs here, not an array");
    refuse("3", length(I32), "an array belongs here, not 3i32 of type i32");
    refuse("[[1], 2]", length(ragged(I32)), "an array belongs here, not 2i32 of type i32 (at [1])");
    refuse(
        "[[[1]], [[2], [(3, 4)]]]",
        length(ragged(ragged(I32))),
        "a value of type i32 belongs here, not a tuple of 2 (at [1][1][0])",
    );
    refuse(
        "[(1, 2), (3)]",
        length(Layout::Tuple(vec![I32, I32])),
        "a tuple of 2 belongs here, not a tuple of 1 (at [1])",
    );
    refuse("1", Layout::Scalar(ScalarType::F32), "a value of type f32 belongs here, not 1i32 of type i32");
    refuse("[[1], [2], []]", length(length(I32)), "the array has length 0, but its type says 1 (at [2])");
    refuse("[[], [1], [2]]", length(closed(var(0), I32)), "the array has length 1, but its type says 2 (at [2])");
    refuse(
        "[[[]], [[1], [2]]]",
        length(ragged(closed(var(0) + var(1), I32))),
        "the array has length 1, but its type says 2 (at [1][1])",
    );
    refuse("[1]", closed(Size::constant(2), I32), "the array has length 1, but its type says 2");
}

fn count(n: i64) -> SlotValue {
    SlotValue::Scalar(Scalar::I64(n))
}

fn column(values: &[i64]) -> SlotValue {
    SlotValue::Column(Column::from_slice(values))
}

#[test]
fn rows_with_gaps() {
    let scalar = SlotValue::Scalar(Scalar::I64(3));
    let elements = SlotValue::Column(Column::from_slice(&[9i32, 1, 2, 9, 3, 9]));
    let slots = [scalar.clone(), column(&[0, 2, 2, 3]), column(&[1, 77, 4]), count(6), elements];
    assert_eq!(from_slots(&slots, &length(loose(I32))), Ok(data("[[1, 2], [], [3]]")));
    check_slots(&slots, &length(loose(I32))).expect("gaps are allowed");
    // The inner rows are counted by position: those of outer row 0 are inner rows 2 and 3.
    let inner = SlotValue::Column(Column::from_slice(&[1i32, 2, 3, 4, 5]));
    let slots = [
        SlotValue::Scalar(Scalar::I64(1)),
        column(&[0, 2]),
        column(&[2]),
        count(4),
        column(&[0, 1, 1, 3, 5]),
        count(5),
        inner,
    ];
    assert_eq!(from_slots(&slots, &length(loose(ragged(I32)))), Ok(data("[[[2, 3], [4, 5]]]")));
    // A buffer may hold more than the value.
    let long = [SlotValue::Scalar(Scalar::I64(2)), SlotValue::Column(Column::from_slice(&[1i32, 2, 3]))];
    assert_eq!(from_slots(&long, &length(I32)), Ok(data("[1, 2]")));
}

fn contradict(slots: &[SlotValue], layout: Layout, wanted: &str) {
    let error = check_slots(slots, &layout).expect_err("contradicts itself");
    assert_eq!(error.to_string(), wanted);
}

#[test]
fn columns_that_contradict_each_other() {
    let n = |n| SlotValue::Scalar(Scalar::I64(n));
    let elements = |count: usize| SlotValue::Column(Column::from_slice(&vec![0i32; count]));
    contradict(&[n(2)], length(I32), "slot 0: 1 slots are given, the layout has 2");
    contradict(&[n(2), elements(1)], length(I32), "slot 1: the column has 1 elements of 2");
    contradict(&[n(2), elements(3)], length(I32), "slot 1: the column has 3 elements, but only 2 belong to the array");
    contradict(&[n(-1), elements(0)], length(I32), "slot 0: the length -1 is not between 0 and 2^47");
    contradict(&[n(1 << 48), elements(0)], length(I32), "slot 0: the length 281474976710656 is not between 0 and 2^47");
    contradict(
        &[n(1 << 40), n(1 << 40), elements(0)],
        length(length(I32)),
        "slot 1: 1099511627776 rows of length 1099511627776 are more than 2^47 elements",
    );
    contradict(&[n(2), column(&[0, 2, 1]), n(1), elements(1)], length(ragged(I32)), "slot 1: offset 2 is 1 after 2");
    contradict(&[n(1), column(&[-1, 2]), n(2), elements(2)], length(ragged(I32)), "slot 1: the first offset is -1");
    contradict(
        &[n(1), column(&[0, 2]), column(&[-1]), n(2), elements(2)],
        length(loose(I32)),
        "slot 2: row 0 starts at -1 and has 2 of 2 elements",
    );
    contradict(
        &[n(1), column(&[0, 2]), column(&[1]), n(2), elements(2)],
        length(loose(I32)),
        "slot 2: row 0 starts at 1 and has 2 of 2 elements",
    );
    contradict(
        &[n(1), column(&[0, 2]), column(&[1]), n(3), elements(2)],
        length(loose(I32)),
        "slot 4: the column has 2 elements of 3",
    );
    contradict(
        &[n(1), column(&[0, 2]), n(3), elements(3)],
        length(ragged(I32)),
        "slot 2: the columns below have 3 elements, the offsets say 2",
    );
    contradict(
        &[n(1), column(&[0, 2]), n(-3), elements(3)],
        length(ragged(I32)),
        "slot 2: the length -3 is not between 0 and 2^47",
    );
    contradict(&[n(1), column(&[0])], length(I32), "slot 1: a column of i32 belongs here, not one of i64");
    contradict(&[SlotValue::Scalar(Scalar::I32(0)), elements(0)], length(I32), "slot 0: a i64 belongs here, not a i32");
    contradict(&[elements(0), elements(0)], length(I32), "slot 0: a scalar belongs here, not a column");
}

#[test]
fn columns_of_every_type() {
    let values = [true, false, true];
    assert_eq!(Column::from_slice(&values).bytes(), [1, 0, 1]);
    assert_eq!(Column::from_slice(&values).to_vec::<bool>(), Some(values.to_vec()));
    assert_eq!(Column::from_bytes(ScalarType::Bool, vec![2]), None);
    assert_eq!(Column::from_bytes(ScalarType::I16, vec![2]), None);
    assert_eq!(Column::from_slice(&[-2i64, 1 << 40]).to_vec::<i64>(), Some(vec![-2, 1 << 40]));
    for ty in ScalarType::ALL {
        let mut column = Column::new(ty);
        assert!(column.push(Scalar::one(ty)) && column.push(Scalar::zero(ty)));
        assert_eq!(column.get(0), Some(Scalar::one(ty)));
        assert_eq!((column.get(1), column.get(2)), (Some(Scalar::zero(ty)), None));
    }
}
