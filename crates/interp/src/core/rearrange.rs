//! Operators that only move elements: slices, rows, windows, borders, writes to several places.
//!
//! ```text
//! pad mirror 2 1 of [a, b, c]       position -2 -1 | 0 1 2 | 3     [b, a, a, b, c, c]
//! slide 3 by 2 of [a, b, c, d, e]   [[a, b, c], [c, d, e]]
//! rotate 1 of [a, b, c]             [b, c, a]
//! ```
//!
//! Rows that are cut from an array are windows on it, not copies. Whatever could go wrong stands behind a check of the
//! program, so nothing fails here but memory.

use super::eval::{Machine, Outcome};
use super::order::sorted_positions;
use super::value::Value;
use terrace_base::Span;
use terrace_ir::core::{Expr, PadMode};

impl<'p> Machine<'p> {
    #[inline(never)]
    pub(super) fn rearrange(&mut self, expr: &'p Expr, span: Span) -> Outcome<Value> {
        match expr {
            Expr::Iota(count) => self.fill(self.int(*count), span, Value::int),
            Expr::Replicate { count, value } => {
                let (n, value) = (self.int(*count), self.get(*value));
                let mut out = self.room(n, span)?;
                out.resize(n as usize, value);
                Ok(Value::array(out))
            }
            Expr::Slice { array, from, to } => {
                let (from, to) = (self.int(*from), self.int(*to));
                Ok(self.get(*array).as_array().slice(from as usize, to as usize))
            }
            Expr::Concat(arrays) => {
                let arrays = self.all(arrays);
                self.concat(&arrays, span)
            }
            Expr::Flatten(rows) => {
                let rows = self.get(*rows);
                self.concat(rows.items(), span)
            }
            Expr::Zip(arrays) => {
                let arrays = self.all(arrays);
                let n = arrays.first().map_or(0, |a| a.as_array().len());
                match &arrays[..] {
                    [a, b] => {
                        let (a, b) = (a.items(), b.items());
                        self.fill(n as i64, span, |k| Value::pair(a[k as usize].clone(), b[k as usize].clone()))
                    }
                    _ => self.fill(n as i64, span, |k| {
                        Value::tuple(arrays.iter().map(|a| a.items()[k as usize].clone()).collect())
                    }),
                }
            }
            Expr::Strided { array, strides } => {
                let (array, positions) = (self.get(*array), self.positions(strides));
                self.room(positions.count(), span)?;
                self.gather(array.items(), positions.offset, &positions.dims, span)
            }
            Expr::UpdateStrided { array, strides, values } => {
                let (mut array, values, positions) = (self.get(*array), self.get(*values), self.positions(strides));
                if positions.count() > 0 {
                    put(array.items_mut(&mut self.counts.copied), positions.offset, &positions.dims, &values);
                }
                Ok(array)
            }
            Expr::Scatter { array, indices, values } => {
                let (mut array, indices, values) = (self.get(*array), self.get(*indices), self.get(*values));
                if !indices.items().is_empty() {
                    let items = array.items_mut(&mut self.counts.copied);
                    // In order, so that the last of several writes to one place stays.
                    for (index, value) in indices.items().iter().zip(values.items()) {
                        items[index.as_int() as usize] = value.clone();
                    }
                }
                Ok(array)
            }
            Expr::Sort { keys, array } => {
                let (keys, array) = (self.get(*keys), self.get(*array));
                let (order, items) = (sorted_positions(keys.items()), array.items());
                self.fill(items.len() as i64, span, |k| items[order[k as usize]].clone())
            }
            Expr::Partition { sizes, array } => {
                let (sizes, array) = (self.get(*sizes), self.get(*array));
                let (sizes, mut from) = (sizes.items(), 0);
                self.fill(sizes.len() as i64, span, |k| {
                    let to = from + sizes[k as usize].as_int() as usize;
                    array.as_array().slice(std::mem::replace(&mut from, to), to)
                })
            }
            Expr::Reshape { array, dims } => {
                let dims: Vec<i64> = dims.iter().map(|d| self.int(*d)).collect();
                let array = self.get(*array);
                self.reshape(&array, &dims, span)
            }
            Expr::Slide { size, step, array } => {
                let (size, step, array) = (self.int(*size), self.int(*step), self.get(*array));
                let room = array.as_array().len() as i64 - size;
                let count = if room < 0 { 0 } else { room / step + 1 };
                self.fill(count, span, |k| array.as_array().slice((k * step) as usize, (k * step + size) as usize))
            }
            Expr::Pad { left, right, mode, array } => {
                let (left, right, array) = (self.int(*left), self.int(*right), self.get(*array));
                let constant = match mode {
                    PadMode::Constant(value) => self.get(*value),
                    _ => Value::NOTHING,
                };
                let items = array.items();
                let n = items.len() as i64;
                self.fill(left.saturating_add(n).saturating_add(right), span, |k| {
                    let at = k - left;
                    let from = match mode {
                        _ if 0 <= at && at < n => at,
                        PadMode::Clamp => at.clamp(0, n - 1),
                        PadMode::Wrap => at.rem_euclid(n),
                        PadMode::Mirror => {
                            let in_pair = at.rem_euclid(2 * n);
                            if in_pair < n { in_pair } else { 2 * n - 1 - in_pair }
                        }
                        PadMode::Constant(_) => return constant.clone(),
                    };
                    items[from as usize].clone()
                })
            }
            Expr::Rotate { by, array } => {
                let (by, array) = (self.int(*by), self.get(*array));
                let items = array.items();
                let n = items.len() as i64;
                let by = if n == 0 { 0 } else { by.rem_euclid(n) };
                self.fill(n, span, |k| items[((k + by) % n) as usize].clone())
            }
            Expr::Transpose(rows) => {
                let rows = self.get(*rows);
                let rows: Vec<&[Value]> = rows.items().iter().map(Value::items).collect();
                let columns = rows.first().map_or(0, |row| row.len());
                self.fill(columns as i64, span, |k| Value::array(rows.iter().map(|r| r[k as usize].clone()).collect()))
            }
            _ => unreachable!("all other expressions are handled before"),
        }
    }

    /// An array whose element `k` is `make(k)`.
    fn fill(&self, count: i64, span: Span, make: impl FnMut(i64) -> Value) -> Outcome<Value> {
        let mut out = self.room(count, span)?;
        out.extend((0..count).map(make));
        Ok(Value::array(out))
    }

    fn concat(&self, arrays: &[Value], span: Span) -> Outcome<Value> {
        let total = arrays.iter().map(|a| a.as_array().len() as i64).fold(0, i64::saturating_add);
        let mut out = self.room(total, span)?;
        arrays.iter().for_each(|a| out.extend_from_slice(a.items()));
        Ok(Value::array(out))
    }

    fn gather(&self, items: &[Value], offset: i64, dims: &[(i64, i64)], span: Span) -> Outcome<Value> {
        let Some(((count, stride), inner)) = dims.split_first() else {
            return Ok(items[offset as usize].clone());
        };
        let mut out = self.room(*count, span)?;
        for k in 0..*count {
            out.push(self.gather(items, offset.wrapping_add(k.wrapping_mul(*stride)), inner, span)?);
        }
        Ok(Value::array(out))
    }

    fn reshape(&self, array: &Value, dims: &[i64], span: Span) -> Outcome<Value> {
        let (Some((count, inner)), items) = (dims.split_first(), array.as_array()) else {
            unreachable!("a shape has dimensions");
        };
        if inner.is_empty() {
            return Ok(array.clone());
        }
        let size = if *count == 0 { 0 } else { items.len() / *count as usize };
        let mut out = self.room(*count, span)?;
        for k in 0..*count as usize {
            out.push(self.reshape(&items.slice(k * size, (k + 1) * size), inner, span)?);
        }
        Ok(Value::array(out))
    }
}

fn put(items: &mut [Value], offset: i64, dims: &[(i64, i64)], values: &Value) {
    let Some(((_, stride), inner)) = dims.split_first() else {
        items[offset as usize] = values.clone();
        return;
    };
    for (k, value) in values.items().iter().enumerate() {
        put(items, offset + k as i64 * stride, inner, value);
    }
}
