//! Sorts of every scalar type, compiled for a CPU, against the interpreter: the same bits with any number of threads.
//!
//! ```text
//! lengths   none, one, around a row digit's 256 values, several tiles      (tiles of 24 points cut short rows, too)
//! contents  any bits, few values, all equal, in order, in reverse, and for floats NaN of both signs, -0.0 and infinities
//! ```
//!
//! Elements, their order, rows of all lengths, and keys that are tuples. An order shows whether equal keys stay where they were.

use std::fmt::Write as _;
use terrace::{Backend, Data, Program, Strategy};
use terrace_base::{Scalar, ScalarType};
use terrace_testkit::corpus::side_by_side;
use terrace_testkit::setup::Setup;

const LENGTHS: [usize; 8] = [0, 1, 2, 255, 256, 257, 3000, 300_000];

/// More is more than one tile as they are, and too many tiny ones.
const MANY: usize = 10_000;

fn text() -> String {
    let mut text = String::new();
    for ty in ScalarType::ALL {
        let _ = writeln!(text, "entry elements_{ty}(xs: []{ty}) -> []{ty} = sort(xs)");
        let _ = writeln!(text, "entry order_{ty}(xs: []{ty}) -> []i64 = argsort(xs)");
        let _ = writeln!(text, "entry rows_{ty}(xss: [][]{ty}) -> [][]{ty} = [sort(xs) for xs in xss]");
    }
    text.push_str("entry tuples(xs: []u8, ys: []f32) -> []i64 = argsort(zip(xs, ys))\n");
    text.push_str("entry orders(xss: [][]f64) -> [][]i64 = [argsort(xs) for xs in xss]\n");
    text
}

/// A sequence of bits that looks like chance.
struct Bits(u64);

impl Bits {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let x = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }
}

fn scalar(ty: ScalarType, bits: u64) -> Scalar {
    let bits = if ty == ScalarType::Bool { bits & 1 } else { bits };
    Scalar::from_le_bytes(ty, &bits.to_le_bytes()[..ty.size_bytes()]).expect("so many bytes")
}

fn special(ty: ScalarType, pick: u64) -> Scalar {
    let floats = [f64::NAN, -f64::NAN, -0.0, 0.0, f64::INFINITY, f64::NEG_INFINITY, 1.5, -1.5];
    let x = floats[(pick % 8) as usize];
    match ty {
        ScalarType::F32 => Scalar::F32(x as f32),
        ScalarType::F64 => Scalar::F64(x),
        _ => scalar(ty, if pick.is_multiple_of(2) { 1 << (8 * ty.size_bytes() - 1) } else { pick % 5 }),
    }
}

const CONTENTS: [&str; 6] = ["any", "few", "equal", "in order", "reversed", "special"];

fn contents(kind: &str, ty: ScalarType, n: usize, bits: &mut Bits) -> Vec<Scalar> {
    let mut items: Vec<Scalar> = (0..n)
        .map(|_| match kind {
            "few" => scalar(ty, bits.next() & 0x0300_0000_0000_0003),
            "equal" => scalar(ty, 0x4141_4141_4141_4141),
            "special" => special(ty, bits.next() >> 7),
            _ => scalar(ty, bits.next()),
        })
        .collect();
    if kind == "in order" || kind == "reversed" {
        items.sort_by(|a, b| a.total_cmp(*b));
    }
    if kind == "reversed" {
        items.reverse();
    }
    items
}

fn array(items: &[Scalar]) -> Data {
    Data::Array(items.iter().map(|s| Data::Scalar(*s)).collect())
}

/// Rows of lengths from nothing to a few hundred, and two long ones.
fn rows(items: &[Scalar]) -> Data {
    let lengths = [0, 3, 41, 40, 1, 700, 0, 25, 1200, 90, 0, 7];
    let (mut rows, mut at) = (Vec::new(), 0);
    for k in 0.. {
        if at == items.len() {
            break;
        }
        let to = items.len().min(at + lengths[k % lengths.len()]);
        rows.push(array(&items[at..to]));
        at = to;
    }
    rows.push(Data::Array(Vec::new()));
    Data::Array(rows)
}

/// NaN is not equal to itself; its bits are.
fn bits_of(data: &Data, out: &mut Vec<u64>) {
    match data {
        Data::Scalar(s) => out.push(s.raw_bits()),
        Data::Tuple(parts) | Data::Array(parts) => {
            out.push(parts.len() as u64);
            parts.iter().for_each(|p| bits_of(p, out));
        }
        Data::Variant(v) => v.fields.iter().for_each(|f| bits_of(f, out)),
    }
}

fn answer(engine: &terrace::Engine, entry: &str, args: Vec<Data>) -> Vec<u64> {
    let outcome = engine.call(entry, args).unwrap_or_else(|why| panic!("{entry}: {why}"));
    let mut bits = Vec::new();
    bits_of(&outcome.value, &mut bits);
    bits
}

/// Calls with arguments, and a name for messages.
fn calls(ty: ScalarType) -> Vec<(String, String, Vec<Data>)> {
    let mut bits = Bits(ty.size_bytes() as u64 * 1000 + ty as u64);
    let mut calls = Vec::new();
    for n in LENGTHS {
        // The long ones are for tiles, of which the contents know nothing.
        let kinds = if n > MANY { &CONTENTS[..2] } else { &CONTENTS[..] };
        for kind in kinds {
            let items = contents(kind, ty, n, &mut bits);
            let about = format!("{n} of {ty}, {kind}");
            calls.push((about.clone(), format!("elements_{ty}"), vec![array(&items)]));
            calls.push((about.clone(), format!("order_{ty}"), vec![array(&items)]));
            calls.push((about.clone(), format!("rows_{ty}"), vec![rows(&items)]));
            if ty == ScalarType::F32 {
                let first = contents("few", ScalarType::U8, n, &mut bits);
                calls.push((about.clone(), "tuples".into(), vec![array(&first), array(&items)]));
            }
            if ty == ScalarType::F64 {
                calls.push((about, "orders".into(), vec![rows(&items)]));
            }
        }
    }
    calls
}

#[test]
fn every_type_sorts_as_the_interpreter_does() {
    let program = Program::from_text("sorts", &text()).expect("a right program");
    let engine =
        |setup: &Setup| program.engine(setup.backend, &setup.settings).unwrap_or_else(|why| panic!("{setup}: {why}"));
    let meaning = engine(&Setup::new(Backend::Interp));
    let of = |threads: usize| Setup::new(Backend::C).strategy(Strategy::Flat).threads(threads);
    let setups = [of(1), of(2), of(7), of(2).tiny(), of(7).tiny()];
    let engines: Vec<_> = setups.iter().map(&engine).collect();
    side_by_side(&ScalarType::ALL, |ty| {
        for (about, entry, args) in calls(*ty) {
            let right = answer(&meaning, &entry, args.clone());
            let tiny_too = right.len() <= MANY;
            for (setup, engine) in setups.iter().zip(&engines).take(if tiny_too { setups.len() } else { 3 }) {
                assert!(answer(engine, &entry, args.clone()) == right, "{setup}: `{entry}`, {about}");
            }
        }
    });
}
