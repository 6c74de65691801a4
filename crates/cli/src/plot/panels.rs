//! A result taken apart: which arrays of numbers there are to draw, and under which names.
//!
//! ```text
//! entry f(…) -> ([]f64, []point)        f.0        a vector
//!                                       f.1        pairs, with `x` and `y` at the axes: a record of two numbers
//! entry g(…) -> [][](i32, f64)          g.0, g.1   rows each: an array of tuples is a tuple of arrays
//! entry h(…) -> {mean: f64, xs: []f64}  h.xs       a vector, and `h.mean = 3.5` as a sentence
//! ```

use terrace::Surface;
use terrace::data::Column;

/// Something to draw.
pub(crate) struct Panel {
    pub(crate) name: String,
    /// Whether all numbers are integers or truth values.
    pub(crate) whole: bool,
    pub(crate) shape: Shape,
}

/// Numbers and how they hang together.
pub(crate) enum Shape {
    Vector(Vec<f64>),
    /// Points in the plane, with the names of their coordinates.
    Pairs {
        x: Vec<f64>,
        y: Vec<f64>,
        names: [String; 2],
    },
    /// Row `k` is `values[starts[k]..starts[k + 1]]`.
    Rows {
        starts: Vec<usize>,
        values: Vec<f64>,
    },
}

/// What a type has to offer.
#[derive(Clone, Copy, Default)]
pub(crate) struct Found {
    arrays: bool,
    pub(crate) rows: bool,
}

/// Whether values of this type have a picture; else why not, and what to do.
pub(crate) fn drawable(surface: &Surface) -> Result<Found, (&'static str, &'static str)> {
    let mut found = Found::default();
    look(surface, 0, &mut found)?;
    match found.arrays {
        true => Ok(found),
        false => Err(("it is no array", "draw an array of numbers, or leave `--plot` out")),
    }
}

fn look(surface: &Surface, depth: usize, found: &mut Found) -> Result<(), (&'static str, &'static str)> {
    match surface {
        Surface::Scalar(_) => {
            found.arrays |= depth > 0;
            found.rows |= depth == 2;
        }
        Surface::Array(_) if depth == 2 => {
            return Err((
                "it has arrays of three dimensions",
                "`flatten` the outer two, or give one of the inner arrays",
            ));
        }
        Surface::Array(element) => look(element, depth + 1, found)?,
        Surface::Tuple(parts) => parts.iter().try_for_each(|part| look(part, depth, found))?,
        Surface::Record { fields, .. } => fields.iter().try_for_each(|(_, part)| look(part, depth, found))?,
        Surface::Enum { .. } => {
            return Err(("it has values of an enum", "`match` them, and give numbers"));
        }
    }
    Ok(())
}

/// The panels of a value that is the only row of a column, and its single numbers.
pub(crate) fn panels(
    name: &str,
    column: &Column,
    surface: &Surface,
    apart: bool,
) -> (Vec<Panel>, Vec<(String, String)>) {
    let mut out = (Vec::new(), Vec::new());
    collect(name, column, surface, &mut Vec::new(), apart, &mut out);
    out
}

/// Where the rows of a dimension begin, and where the last one ends.
type Starts = Vec<usize>;

fn collect(
    name: &str,
    column: &Column,
    surface: &Surface,
    dims: &mut Vec<Starts>,
    apart: bool,
    out: &mut (Vec<Panel>, Vec<(String, String)>),
) {
    match (surface, column) {
        (Surface::Array(element), Column::Equal(..) | Column::Rows(..)) => {
            let rows = dims.last().map_or(1, |starts| starts.last().copied().unwrap_or(0));
            let (starts, inner) = match column {
                Column::Equal(length, inner) => ((0..=rows).map(|k| k * length).collect(), inner),
                Column::Rows(offsets, inner) => (offsets.iter().map(|at| *at as usize).collect(), inner),
                _ => return,
            };
            dims.push(starts);
            match pair(element, inner).filter(|_| dims.len() == 1 && !apart) {
                Some((x, y, names, whole)) => {
                    out.0.push(Panel { name: name.to_string(), whole, shape: Shape::Pairs { x, y, names } });
                }
                None => collect(name, inner, element, dims, apart, out),
            }
            dims.pop();
        }
        (Surface::Tuple(_) | Surface::Record { .. }, Column::Parts(columns)) => {
            for ((label, part), column) in parts(surface).into_iter().zip(columns) {
                collect(&format!("{name}.{label}"), column, part, dims, apart, out);
            }
        }
        (Surface::Scalar(ty), Column::Numbers(..)) => {
            let values = column.to_f64s().unwrap_or_default();
            let shape = match dims.as_slice() {
                [] => {
                    let text = terrace::show::column(column, surface, 1);
                    return out.1.push((name.to_string(), text));
                }
                [_] => Shape::Vector(values),
                [.., starts] => Shape::Rows { starts: starts.clone(), values },
            };
            out.0.push(Panel { name: name.to_string(), whole: !ty.is_float(), shape });
        }
        _ => {}
    }
}

/// The parts of a tuple or record, with names.
fn parts(surface: &Surface) -> Vec<(String, &Surface)> {
    match surface {
        Surface::Tuple(parts) => parts.iter().enumerate().map(|(k, part)| (k.to_string(), part)).collect(),
        Surface::Record { fields, .. } => fields.iter().map(|(name, part)| (name.clone(), part)).collect(),
        _ => Vec::new(),
    }
}

type Pair = (Vec<f64>, Vec<f64>, [String; 2], bool);

/// Two numbers per element are a point in the plane.
fn pair(element: &Surface, column: &Column) -> Option<Pair> {
    let Column::Parts(columns) = column else { return None };
    let [(a, Surface::Scalar(s)), (b, Surface::Scalar(t))] = &parts(element)[..] else { return None };
    let [x, y] = &columns[..] else { return None };
    let whole = !s.is_float() && !t.is_float();
    Some((x.to_f64s()?, y.to_f64s()?, [a.clone(), b.clone()], whole))
}
