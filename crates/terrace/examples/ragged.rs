//! A ragged pipeline from Rust: rows of measurements in an Arrow array, the mean of what is positive per row out of Terrace.
//!
//! ```text
//! cargo run -p terrace --example ragged
//! ```

#![allow(clippy::print_stdout)]

use arrow_array::ListArray;
use arrow_array::types::Float64Type;
use terrace::{Columns, Failed, Program, Settings};

const PROGRAM: &str = "
def mean(xs: []f64) -> f64 = if len(xs) == 0 then 0.0 else sum(xs) / f64(len(xs))
entry means(rows: [][]f64) -> []f64 = [mean([x for x in row if x > 0.0]) for row in rows]
";

fn main() -> Result<(), Failed> {
    let program = Program::from_text("means.tce", PROGRAM)?;
    let (engine, remark) = program.default_engine(&Settings::default())?;
    if let Some(why) = remark {
        println!("in the interpreter: {why}");
    }
    let rows = [vec![1.0, -3.0, 2.0], vec![], vec![4.0]].map(|row| Some(row.into_iter().map(Some).collect::<Vec<_>>()));
    let rows = ListArray::from_iter_primitive::<Float64Type, _, _>(rows);
    let means = engine.call_columns("means", vec![Columns::from_arrow(&rows)?])?;
    println!("{:?}", means.to_arrow()?);
    Ok(())
}
