//! An entry in an interpreter: once, or as often as is asked for. There is no device, so arguments and results are nested values.
//!
//! ```text
//! [][](i32, f64)     [[(1, 0.5)], []]      two checksums, of the column [1] and of the column [0.5]
//! ```
//!
//! There is a checksum per scalar component, depth first: lengths and offsets, which devices keep beside them, have none, and of an enum only
//! which variant it is counts.

use super::{Checksum, Measured, Request};
use crate::engine::Engine;
use crate::program::Failed;
use std::time::Instant;
use terrace_base::Scalar;
use terrace_ir::core::Type;
use terrace_plan::data::Data;
use terrace_runtime::Stats;

impl Engine {
    pub(super) fn bench_interpreted(&self, request: &Request<'_>) -> Result<Measured, Failed> {
        let id = self.program().entry(request.entry)?;
        let function = &self.program().core.functions[id];
        let wanted = function.params.len();
        let args = match request.maker {
            None => request.args.clone(),
            Some(maker) => {
                let parts = match self.call(maker, request.args.clone())?.value {
                    Data::Tuple(parts) if wanted != 1 => parts,
                    one => vec![one],
                };
                if parts.len() != wanted {
                    let why = format!("it has {} components for {wanted} parameters", parts.len());
                    let text = format!("what `{maker}` returns cannot be handed to `{}`: {why}", request.entry);
                    return Err(Failed::plain("T0707", text));
                }
                parts
            }
        };
        let mut times: Vec<f64> = Vec::new();
        loop {
            let given = args.clone();
            let began = Instant::now();
            let outcome = self.call(request.entry, given)?;
            let time = began.elapsed().as_secs_f64() * 1e3;
            times.insert(times.partition_point(|t| *t < time), time);
            if times.len() >= request.repeat.unwrap_or(1) {
                let mut columns = Vec::new();
                if request.checksum {
                    gather(&[&outcome.value], &function.result, &mut columns);
                }
                let checksums = columns.iter().map(|c| add_up(c)).collect();
                let (stats, body) = (Stats::default(), outcome.body);
                return Ok(Measured { times, stats, stable: false, checksums, body, moved_bytes: 0 });
            }
        }
    }
}

/// The scalar components of values of one type, each as a column.
fn gather(values: &[&Data], ty: &Type, out: &mut Vec<Vec<f64>>) {
    match ty {
        Type::Tuple(types) => {
            for (k, ty) in types.iter().enumerate() {
                let mut own = Vec::new();
                for value in values {
                    if let Data::Tuple(parts) = value {
                        own.extend(parts.get(k));
                    }
                }
                gather(&own, ty, out);
            }
        }
        Type::Array(array) => {
            let mut own = Vec::new();
            for value in values {
                if let Data::Array(items) = value {
                    own.extend(items);
                }
            }
            gather(&own, &array.elem, out);
        }
        Type::Scalar(_) | Type::Sum(_) => out.push(values.iter().map(|v| number(v)).collect()),
    }
}

fn number(value: &Data) -> f64 {
    match value {
        Data::Scalar(Scalar::Bool(b)) => f64::from(u8::from(*b)),
        Data::Scalar(s) => s.as_f64().or(s.as_i128().map(|i| i as f64)).unwrap_or(f64::NAN),
        Data::Variant(v) => v.tag as f64,
        Data::Tuple(_) | Data::Array(_) => f64::NAN,
    }
}

fn add_up(column: &[f64]) -> Checksum {
    let weighted = column.iter().enumerate().map(|(i, x)| x * (1 + i % 1021) as f64).sum();
    Checksum { count: column.len(), sum: column.iter().sum(), weighted }
}

#[cfg(test)]
mod tests {
    use super::super::Clock;
    use super::*;
    use crate::{Backend, Program, Settings};
    use std::time::Duration;

    #[test]
    fn interpreters_and_c_have_the_same_sums() {
        let text = "entry f(rows: [][]i64, k: i64) -> ([](bool, f64), i64) =\n  \
                    ([(len(r) > 1, f64(sum(r)) / 8.0) for r in rows], k)\n\n\
                    entry make(n: i64) -> ([][]i64, i64) = ([[i + j for j < i % 3] for i < n], 0 - 7)";
        let program = Program::from_text("sums.tce", text).unwrap_or_else(|e| panic!("{e:?}"));
        let sums = |backend| {
            let engine = program.engine(backend, &Settings::default()).unwrap_or_else(|e| panic!("{e:?}"));
            let args = vec![Data::Scalar(Scalar::I64(5))];
            let (limit, clock) = (Duration::ZERO, Clock::Wall);
            let request =
                Request { entry: "f", maker: Some("make"), args, repeat: Some(1), limit, checksum: true, clock };
            let measured = engine.bench(&request).unwrap_or_else(|e| panic!("{e:?}"));
            measured.checksums.iter().map(|c| (c.count, c.sum, c.weighted)).collect::<Vec<_>>()
        };
        let own = [(5, 1.0, 3.0), (5, 1.25, 4.625), (1, -7.0, -7.0)];
        [Backend::Interp, Backend::Flat, Backend::Mem].iter().for_each(|b| assert_eq!(sums(*b), own, "{b:?}"));
        // C's has the length before the columns.
        assert_eq!(sums(Backend::C)[1..], own);
    }
}
