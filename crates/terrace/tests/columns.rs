//! Arrays go in and come out without copies: counted, and by their addresses.

use arrow_array::cast::AsArray;
use arrow_array::types::{Float32Type, Float64Type, UInt8Type};
use arrow_array::{Array, ArrayRef, Float32Array, Float64Array, LargeListArray, ListArray, UInt8Array};
use arrow_buffer::{OffsetBuffer, ScalarBuffer};
use arrow_schema::{DataType, Field};
use std::sync::Arc;
use terrace::runtime::Stats;
use terrace::{Backend, Columns, Engine, Program, Settings};

const TEXT: &str = "
    entry total(xs: []f64) -> f64 = sum(xs)
    entry scale(a: f64, xs: []f64) -> []f64 = [a * x for x in xs]
    entry positive(xs: []f64) -> []f64 = [x for x in xs if x > 0.0]
    entry sums(rows: [][]f64) -> []f64 = [sum(row) for row in rows]
    entry prefixes(rows: [][]f64) -> [][]f64 = [row[..len(row) / 2] for row in rows]
    entry first_is(x: f64, xs: *[]f64) -> []f64 = xs with [0] = x
    entry bytes(xs: []u8) -> (i64, []u8) = (sum([i64(x) for x in xs]), sort([x / 2u8 for x in xs]))
    entry floats(xs: []f32) -> (f32, []f32, []f32) = (sum(xs), scan((+), 0.0, xs), [x for x in xs if x > 1.0])";

/// Large enough that nobody takes it for a small thing.
const N: usize = 300_000;
const SIZE: u64 = 8 * N as u64;
/// What scalars and error records take.
const LITTLE: u64 = 4096;

fn engine(settings: &Settings) -> Engine {
    let program = Program::from_text("t.tce", TEXT).unwrap_or_else(|e| panic!("{e}"));
    program.engine(Backend::C, settings).unwrap_or_else(|e| panic!("{e}"))
}

fn numbers() -> Float64Array {
    (0..N).map(|i| (i % 64) as f64 / 8.0 - 2.0).collect::<Vec<_>>().into()
}

fn arrow(array: &dyn Array) -> Columns {
    Columns::from_arrow(array).unwrap_or_else(|e| panic!("{e}"))
}

fn call(engine: &Engine, entry: &str, args: Vec<Columns>) -> (Columns, Stats) {
    let (result, stats) = engine.call_counted(entry, args).unwrap_or_else(|e| panic!("{e}"));
    (result, stats.expect("a device"))
}

fn out(columns: &Columns) -> ArrayRef {
    columns.to_arrow().unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn numbers_are_read_where_they_are() {
    let engine = engine(&Settings::default());
    let xs = numbers();
    let sum: f64 = xs.values().iter().sum();
    for (from, given) in [(0, xs.clone()), (3, xs.slice(3, N - 3))] {
        let (total, stats) = call(&engine, "total", vec![arrow(&given)]);
        assert_eq!(total.to_scalar(), Some(sum - xs.values()[..from].iter().sum::<f64>()));
        assert!(stats.bytes_to_device < LITTLE, "{} bytes were copied in", stats.bytes_to_device);
    }
    let (total, stats) = call(&engine, "total", vec![Columns::from_vec(xs.values().to_vec())]);
    assert_eq!((total.to_scalar(), stats.bytes_to_device < LITTLE), (Some(sum), true));
}

#[test]
fn rows_are_read_where_they_are() {
    let engine = engine(&Settings::default());
    let xs = Arc::new(numbers()) as ArrayRef;
    let field = || Arc::new(Field::new("item", DataType::Float64, false));
    let ends = |k: usize| k * (k + 1) / 2;
    let rows = (0..).take_while(|k| ends(*k) <= N).count();
    let offsets = |from: usize| (from..rows).map(ends);
    let large = |from| OffsetBuffer::new(ScalarBuffer::from(offsets(from).map(|o| o as i64).collect::<Vec<_>>()));
    let small = |from| OffsetBuffer::new(ScalarBuffer::from(offsets(from).map(|o| o as i32).collect::<Vec<_>>()));
    let wanted = |from: usize| {
        let xs = xs.as_primitive::<Float64Type>().values();
        (from..rows - 1).map(|r| xs[ends(r)..ends(r + 1)].iter().sum::<f64>()).collect::<Vec<_>>()
    };
    let whole = LargeListArray::new(field(), large(0), xs.clone(), None);
    let check = |from: usize, list: &dyn Array, copied: u64| {
        let (sums, stats) = call(&engine, "sums", vec![arrow(list)]);
        assert_eq!(sums.to_vec(), Some(wanted(from)));
        assert!(stats.bytes_to_device <= LITTLE + copied, "{} bytes were copied in", stats.bytes_to_device);
    };
    check(0, &whole, 0);
    // Other offsets are made anew, which is no business of the elements.
    check(5, &LargeListArray::new(field(), large(5), xs.clone(), None), 0);
    check(5, &whole.slice(5, rows - 6), 0);
    check(0, &ListArray::new(field(), small(0), xs.clone(), None), 0);
    check(7, &ListArray::new(field(), small(7), xs.clone(), None), 0);
    let (halves, _) = call(&engine, "prefixes", vec![arrow(&whole.slice(100, 3))]);
    let halves = out(&halves);
    let lengths: Vec<usize> = (0..3).map(|r| halves.as_list::<i64>().value(r).len()).collect();
    assert_eq!(lengths, [50, 51, 51]);
}

#[test]
fn results_are_the_memory_of_the_program() {
    let engine = engine(&Settings::default());
    let xs = numbers();
    let (scaled, stats) = call(&engine, "scale", vec![Columns::scalar(2.0), arrow(&xs)]);
    assert!(stats.bytes_from_device < LITTLE, "{} bytes were copied out", stats.bytes_from_device);
    let (once, twice) = (out(&scaled), out(&scaled));
    let address = |a: &ArrayRef| a.as_primitive::<Float64Type>().values().as_ptr() as usize;
    assert_eq!(address(&once), address(&twice));
    assert!(address(&once).is_multiple_of(64));
    drop((scaled, twice));
    // A later call has other memory, and the engine may go before the result.
    let (other, _) = call(&engine, "scale", vec![Columns::scalar(-1.0), arrow(&xs)]);
    drop(engine);
    let check = |array: &ArrayRef, by: f64| {
        let values = array.as_primitive::<Float64Type>().values();
        assert!(values.iter().zip(xs.values()).all(|(y, x)| *y == by * x) && values.len() == N);
    };
    check(&once, 2.0);
    check(&out(&other), -1.0);
}

#[test]
fn results_become_arguments() {
    let engine = engine(&Settings::default());
    let (scaled, _) = call(&engine, "scale", vec![Columns::scalar(2.0), arrow(&numbers())]);
    let (total, stats) = call(&engine, "total", vec![scaled.clone()]);
    assert_eq!(total.to_scalar(), Some(2.0 * numbers().values().iter().sum::<f64>()));
    assert!(stats.bytes_to_device < LITTLE);
    // A few numbers do not hold the memory that was there for all of them.
    let few: Float64Array = (0..N).map(|i| if i < 10 { 1.0 } else { -1.0 }).collect::<Vec<_>>().into();
    let (kept, _) = call(&engine, "positive", vec![arrow(&few)]);
    assert_eq!(kept.to_vec(), Some(vec![1.0; 10]));
    let (_, stats) = call(&engine, "total", vec![kept]);
    assert!(stats.peak_bytes < 2 * SIZE, "{} bytes are held", stats.peak_bytes);
}

#[test]
fn what_is_consumed_is_copied() {
    let engine = engine(&Settings::default());
    let xs = numbers();
    let before = xs.values().to_vec();
    let (result, stats) = call(&engine, "first_is", vec![Columns::scalar(99.0), arrow(&xs)]);
    assert_eq!(xs.values().to_vec(), before, "the caller's array is as it was");
    assert!((SIZE..SIZE + LITTLE).contains(&stats.bytes_to_device), "{}", stats.bytes_to_device);
    assert_eq!(result.to_vec::<f64>().expect("floats")[..2], [99.0, before[1]]);
}

#[test]
fn arrays_that_begin_anywhere_are_right() {
    let engine = engine(&Settings::default());
    let bytes: UInt8Array = (0..9000u32).map(|i| (i * 37 % 251) as u8).collect::<Vec<_>>().into();
    let floats: Float32Array = (0..9000).map(|i| (i % 61) as f32 / 8.0).collect::<Vec<_>>().into();
    for from in (0..20).chain([63, 64, 65, 4095]) {
        let part = bytes.slice(from, 4000);
        let (result, _) = call(&engine, "bytes", vec![arrow(&part)]);
        let parts = result.into_parts();
        let mut wanted: Vec<u8> = part.values().iter().map(|x| x / 2).collect();
        wanted.sort_unstable();
        assert_eq!(parts[0].to_scalar(), Some(part.values().iter().map(|x| i64::from(*x)).sum::<i64>()));
        assert_eq!(out(&parts[1]).as_primitive::<UInt8Type>().values().to_vec(), wanted);
        let part = floats.slice(from, 4000);
        let parts = call(&engine, "floats", vec![arrow(&part)]).0.into_parts();
        let sums: Vec<f32> = part
            .values()
            .iter()
            .scan(0.0, |s, x| {
                *s += x;
                Some(*s)
            })
            .collect();
        assert_eq!(parts[0].to_scalar(), sums.last().copied());
        assert_eq!(out(&parts[1]).as_primitive::<Float32Type>().values().to_vec(), sums);
        let large: Vec<f32> = part.values().iter().copied().filter(|x| *x > 1.0).collect();
        assert_eq!(parts[2].to_vec(), Some(large));
    }
}

#[test]
fn a_limit_counts_what_is_lent() {
    let limit = |bytes| engine(&Settings { memory_limit: Some(bytes), ..Settings::default() });
    let total = |engine: &Engine| engine.call_columns("total", vec![arrow(&numbers())]);
    assert!(total(&limit(SIZE + (1 << 16))).is_ok());
    let failed = total(&limit(SIZE / 2)).expect_err("too large");
    assert_eq!(failed.diagnostics[0].code, "T0911");
}
