//! The laws that `reduce`, `scan` and `hist` rely on, tried on samples.
//!
//! A parallel machine groups as it likes: `(a + b) + (c + d)`. That is only right for an operator that is associative and an element
//! that is neutral, which the language assumes and does not prove. While tests run with `--laws`, every combination is preceded by this:
//!
//! ```text
//! reduce((-), 0, [5, 3, 1])      op(op(5, 3), 1) = 1,  op(5, op(3, 1)) = 3      T0706: not associative
//! reduce((+), 1, [5])            op(1, 5) = 6, not 5                            T0706: 1 is not neutral
//! ```
//!
//! Floats are compared with a tolerance that grows with the largest number involved. A sample on which the operator itself fails says nothing.

use super::eval::{Machine, Outcome};
use super::failure::Failure;
use super::value::Value;
use terrace_base::{Scalar, Span};
use terrace_ir::core::{Lambda, Type};

/// Triples that are tried per combination.
const SAMPLES: usize = 6;

impl<'p> Machine<'p> {
    /// Tries the operator on some of the elements that it is about to combine.
    pub(super) fn try_laws(
        &mut self,
        operator: &'p Lambda,
        neutral: &Value,
        items: &[Value],
        span: Span,
    ) -> Outcome<()> {
        let n = items.len();
        if !self.options.laws || n == 0 {
            return Ok(());
        }
        let ty = self.type_of(operator.params[1]);
        let samples = SAMPLES.min(n);
        for k in 0..samples {
            // From the first to the last, evenly, and two others from anywhere.
            let a = &items[k * (n - 1) / (samples - 1).max(1)];
            let (b, c) = (&items[(k * 7 + n / 2) % n], &items[(k * 3 + n - 1) % n]);
            if let Some(text) =
                self.not_neutral(operator, neutral, a, ty).or_else(|| self.not_associative(operator, [a, b, c], ty))
            {
                return Err(self.fail(Failure::new("law", &text, Vec::new(), span)));
            }
        }
        Ok(())
    }

    fn not_neutral(&mut self, operator: &'p Lambda, neutral: &Value, a: &Value, ty: &Type) -> Option<String> {
        // `minimum` of arrays starts with an element, for want of a greatest array: taking the same again changes nothing.
        let is_selection =
            holds_array(a) && self.sample(operator, neutral, neutral).is_some_and(|same| close(&same, neutral, 0.0));
        for (left, right) in [(neutral, a), (a, neutral)] {
            if let Some(found) = self.sample(operator, left, right)
                && !close(&found, a, scale(&[a, neutral]))
                && !(is_selection && close(&found, neutral, 0.0))
            {
                let (neutral, a, found) = (text(neutral, ty), text(a, ty), text(&found, ty));
                return Some(format!("{neutral} is not neutral: combined with {a} it gives {found}"));
            }
        }
        None
    }

    fn not_associative(&mut self, operator: &'p Lambda, [a, b, c]: [&Value; 3], ty: &Type) -> Option<String> {
        let (ab, bc) = (self.sample(operator, a, b)?, self.sample(operator, b, c)?);
        let (left, right) = (self.sample(operator, &ab, c)?, self.sample(operator, a, &bc)?);
        if close(&left, &right, scale(&[a, b, c, &ab, &bc])) {
            return None;
        }
        let [a, b, c, left, right] = [a, b, c, &left, &right].map(|v| text(v, ty));
        Some(format!(
            "the operator is not associative: with {a}, {b} and {c} it gives {left} grouped from the left and {right} from the right"
        ))
    }

    fn sample(&mut self, operator: &'p Lambda, left: &Value, right: &Value) -> Option<Value> {
        let mark = self.mark();
        let checking = self.checking.take();
        let found = self.apply(operator, left.clone(), right.clone(), Span::none());
        if found.is_err() {
            self.back_to(mark);
        }
        self.checking = checking;
        found.ok()
    }
}

/// The largest finite number among values.
fn scale(values: &[&Value]) -> f64 {
    values.iter().map(|v| magnitude(v)).fold(1.0, f64::max)
}

fn magnitude(value: &Value) -> f64 {
    match value {
        Value::Scalar(Scalar::F64(x)) if x.is_finite() => x.abs(),
        Value::Scalar(Scalar::F32(x)) if x.is_finite() => f64::from(x.abs()),
        Value::Scalar(_) => 0.0,
        _ => parts(value).iter().map(magnitude).fold(0.0, f64::max),
    }
}

fn holds_array(value: &Value) -> bool {
    matches!(value, Value::Array(_)) || parts(value).iter().any(holds_array)
}

/// What a value is made of.
fn parts(value: &Value) -> &[Value] {
    match value {
        Value::Scalar(_) => &[],
        Value::Tuple(_) => value.as_tuple(),
        Value::Array(_) => value.items(),
        Value::Bare(_) | Value::Variant(_) => value.as_variant().1,
    }
}

fn close(a: &Value, b: &Value, scale: f64) -> bool {
    match (a, b) {
        (Value::Scalar(Scalar::F64(x)), Value::Scalar(Scalar::F64(y))) => near(*x, *y, scale * 1e-9),
        (Value::Scalar(Scalar::F32(x)), Value::Scalar(Scalar::F32(y))) => {
            near(f64::from(*x), f64::from(*y), scale * 1e-3)
        }
        (Value::Scalar(x), Value::Scalar(y)) => x == y,
        _ => {
            let (xs, ys) = (parts(a), parts(b));
            tag(a) == tag(b) && xs.len() == ys.len() && xs.iter().zip(ys).all(|(x, y)| close(x, y, scale))
        }
    }
}

fn near(x: f64, y: f64, tolerance: f64) -> bool {
    x == y || (x.is_nan() && y.is_nan()) || (x - y).abs() <= tolerance
}

fn tag(value: &Value) -> usize {
    match value {
        Value::Bare(_) | Value::Variant(_) => value.as_variant().0,
        _ => 0,
    }
}

/// A value in a message, cut short.
fn text(value: &Value, ty: &Type) -> String {
    let whole = written(value, ty);
    if whole.chars().count() <= 60 { whole } else { format!("{}…", whole.chars().take(60).collect::<String>()) }
}

fn written(value: &Value, ty: &Type) -> String {
    let list =
        |types: &[Type]| parts(value).iter().zip(types).map(|(v, ty)| written(v, ty)).collect::<Vec<_>>().join(", ");
    match ty {
        Type::Scalar(_) => value.as_scalar().to_string(),
        Type::Tuple(types) => format!("({})", list(types)),
        Type::Array(array) => {
            let items: Vec<String> = value.items().iter().take(20).map(|v| written(v, &array.elem)).collect();
            format!("[{}]", items.join(", "))
        }
        Type::Sum(variants) => match &variants[tag(value)] {
            variant if variant.fields.is_empty() => variant.name.clone(),
            variant => format!("{}({})", variant.name, list(&variant.fields)),
        },
    }
}
