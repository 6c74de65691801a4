//! Shapes of the operators that move elements.
//!
//! Most of them say which element of the source stands at a position of the result, and then every size follows by putting that position into the
//! shape of an element:
//!
//! ```text
//! xs[a .. b]         [b - a] of element a + p0
//! partition by s     [n][s(p0)] of element sum(q < p0: s(q)) + p1
//! slide 3 step 2     [floor((n - 3)/2) + 1][3] of element 2*p0 + p1
//! transpose          [m][n] of element (p1, p0)
//! ```
//!
//! Where the position is not known (sorting, rotating, scattering) sizes that depend on it are forgotten: they get a name of their own,
//! within the bounds that hold at every position.

use super::deps::Deps;
use super::symbols::{build, size_at};
use super::walk::Walk;
use terrace_algebra::{Claim, Size, SizeVar, sum};
use terrace_ir::core::{Expr, PadMode, Strides};
use terrace_ir::shape::{POSITIONS, Shape, Step, as_symbol, position};
use terrace_ir::{Atom, ValueId};

impl<'p> Walk<'p> {
    /// The shape of an operator without a body; none for anything else.
    pub(super) fn array(&mut self, value: ValueId, expr: &'p Expr, operands: Deps) -> Option<Shape> {
        Some(match expr {
            Expr::Tuple(parts) => Shape::Tuple(parts.iter().map(|p| self.shape(*p)).collect()),
            Expr::Project(of, k) => match self.shape(*of) {
                Shape::Tuple(mut parts) if *k < parts.len() => parts.swap_remove(*k),
                _ => self.fresh(value, self.type_of(value), operands),
            },
            Expr::Length(of) => Shape::Integer(self.length(*of)),
            Expr::Index { array, index } => {
                let index = self.integer(*index);
                self.shape(*array).element(&index)?
            }
            Expr::Slice { array, from, to } => {
                let (from, to) = (self.integer(*from), self.integer(*to));
                self.moved(*array, &(position(0) + &from), vec![to - from])?
            }
            Expr::Iota(count) => Shape::Array(self.integer(*count), Box::new(Shape::Integer(position(0)))),
            Expr::Replicate { count, value } => {
                let count = self.integer(*count);
                self.shape(*value).repeated(count)
            }
            Expr::ArrayLiteral { elems, .. } => self.literal(value, elems, operands),
            Expr::Strided { array, strides } => {
                let (at, counts) = self.strided(strides);
                self.moved(*array, &at, counts)?
            }
            Expr::Extent(strides) => self.extent(value, strides, operands),
            Expr::Update { array, indices, value: new } => self.updated(value, *array, indices, *new, operands),
            Expr::UpdateStrided { array, strides, values } => {
                let new = strides.dims.iter().fold(self.shape(*values), |s, _| s.element(&position(0)).unwrap_or(s));
                let array = self.shape(*array);
                self.overwritten(value, &array, &new, operands)
            }
            Expr::Scatter { array, values, .. } => {
                let new = self.shape(*values).element(&position(0))?;
                let array = self.shape(*array);
                self.overwritten(value, &array, &new, operands)
            }
            Expr::Sort { array, .. } | Expr::Rotate { array, .. } => {
                let shape = self.shape(*array);
                let length = shape.length()?.clone();
                self.forget_positions(value, &shape, length, 1, operands)
            }
            Expr::Flatten(array) => self.flattened(value, *array, operands),
            Expr::Partition { sizes, array } => {
                let Shape::Array(count, size) = self.shape(*sizes) else { return None };
                let length = size.integer()?.clone();
                let start = sum(SizeVar(0), &position(0), &length);
                self.moved(*array, &(start + position(1)), vec![count, length])?
            }
            Expr::Reshape { array, dims } => {
                let dims: Vec<Size> = dims.iter().map(|d| self.integer(*d)).collect();
                let at = dims.iter().enumerate().fold(Size::zero(), |at, (k, d)| at * d + position(k));
                self.moved(*array, &at, dims)?
            }
            Expr::Slide { size, step, array } => self.windows(value, *size, *step, *array, operands)?,
            Expr::Pad { left, right, mode, array } => {
                let shape = self.shape(*array);
                let length = shape.length()? + self.integer(*left) + self.integer(*right);
                let padded = match mode {
                    PadMode::Constant(with) => {
                        let with = self.shape(*with);
                        self.overwritten(value, &shape, &with, operands)
                    }
                    _ => self.forget_positions(value, &shape, length.clone(), 1, operands),
                };
                let Shape::Array(_, elem) = padded else { return None };
                Shape::Array(length, elem)
            }
            Expr::Transpose(array) => {
                let Shape::Array(rows, row) = self.shape(*array) else { return None };
                let Shape::Array(columns, elem) = *row else { return None };
                // Where there are no rows there are no columns either, whatever a type says about rows.
                let columns = columns.substitute_all(&|v| (v == SizeVar(0)).then(Size::zero));
                let columns = if self.known.proves_claim(&Claim::Lt(Size::zero(), rows.clone())) {
                    columns
                } else {
                    Size::split(&rows, &Size::one(), &Size::zero(), &columns)
                };
                let elem = elem.map(2, &|_, size| {
                    size.substitute_all(&|var| match var.0 {
                        0 => Some(position(1)),
                        1 => Some(position(0)),
                        _ => None,
                    })
                });
                Shape::Array(columns, Box::new(Shape::Array(rows, Box::new(elem))))
            }
            Expr::Concat(arrays) => self.joined(value, arrays, operands),
            Expr::Zip(arrays) => {
                let shapes: Vec<Shape> = arrays.iter().map(|a| self.shape(*a)).collect();
                let length = shapes.first()?.length()?.clone();
                let parts = shapes.into_iter().filter_map(|s| match s {
                    Shape::Array(_, elem) => Some(*elem),
                    _ => None,
                });
                Shape::Array(length, Box::new(Shape::Tuple(parts.collect())))
            }
            Expr::Variant { tag, fields, ty } => {
                let terrace_ir::core::Type::Sum(variants) = ty else { return None };
                let mut all = vec![Vec::new(); variants.len()];
                all[*tag] = fields.iter().map(|f| self.shape(*f)).collect();
                Shape::Sum(all)
            }
            _ => return None,
        })
    }

    /// The shape of an array of these lengths whose element is the one at `at` of another array.
    fn moved(&mut self, array: Atom, at: &Size, lengths: Vec<Size>) -> Option<Shape> {
        let Shape::Array(_, elem) = self.shape(array) else { return None };
        let extra = lengths.len() - 1;
        let elem = elem.map(1, &|_, size| {
            size.substitute_all(&|var| match var.0 as usize {
                0 => Some(at.clone()),
                k if k + extra < POSITIONS => Some(position(k + extra)),
                _ => None,
            })
        });
        Some(lengths.into_iter().rev().fold(elem, |elem, length| Shape::Array(length, Box::new(elem))))
    }

    /// Where element `(p0, p1, …)` of a strided slice comes from, and its lengths.
    fn strided(&mut self, strides: &Strides) -> (Size, Vec<Size>) {
        let mut at = self.integer(strides.offset);
        let mut counts = Vec::new();
        for (k, (count, stride)) in strides.dims.iter().enumerate() {
            at = at + position(k) * self.integer(*stride);
            counts.push(self.integer(*count));
        }
        (at, counts)
    }

    /// The least and the greatest position, `(0, -1)` where there is none.
    fn extent(&mut self, value: ValueId, strides: &Strides, operands: Deps) -> Shape {
        let offset = self.integer(strides.offset);
        let (mut low, mut high) = (offset.clone(), offset);
        let mut counts = Vec::new();
        for (count, stride) in &strides.dims {
            let (count, stride) = (self.integer(*count), self.integer(*stride));
            let reach = (&count - 1) * &stride;
            if self.known.never_negative(&stride) {
                high = high + reach;
            } else if self.known.never_negative(&-&stride) {
                low = low + reach;
            } else {
                low = low + Size::min_of(&[Size::zero(), reach.clone()]);
                high = high + Size::max_of(&[Size::zero(), reach]);
            }
            counts.push(count);
        }
        for count in counts {
            if !self.known.proves_claim(&Claim::Le(Size::one(), count.clone())) {
                low = Size::split(&count, &Size::one(), &Size::zero(), &low);
                high = Size::split(&count, &Size::one(), &Size::constant(-1), &high);
            }
        }
        let limits = (i64::MIN.into(), i64::MAX.into());
        if self.known.fits(&low, limits) && self.known.fits(&high, limits) {
            return Shape::Tuple(vec![Shape::Integer(low), Shape::Integer(high)]);
        }
        self.fresh(value, self.type_of(value), operands)
    }

    /// Whether strides each exceed what the smaller ones span, taken to be sorted from the largest one on.
    pub(super) fn apart(&mut self, strides: &Strides) -> bool {
        let mut dims = Vec::new();
        for (count, stride) in &strides.dims {
            let (count, mut stride) = (self.integer(*count), self.integer(*stride));
            if self.known.never_negative(&-&stride) {
                stride = -stride;
            }
            dims.push((count, stride));
        }
        let mark = self.known.mark();
        // Where a count is zero there is nothing that could overlap, and where it is one the stride does not matter.
        dims.iter().for_each(|(count, _)| self.known.assume(&Claim::Le(Size::one(), count.clone())));
        let mut span = Size::zero();
        let apart = dims.iter().rev().all(|(count, stride)| {
            let here = self.known.mark();
            self.known.assume(&Claim::Le(Size::constant(2), count.clone()));
            let exceeds = self.known.proves_claim(&Claim::Lt(span.clone(), stride.clone()));
            self.known.release(here);
            span = &span + (count - 1) * stride;
            exceeds
        });
        self.known.release(mark);
        apart
    }

    fn literal(&mut self, value: ValueId, elems: &[Atom], operands: Deps) -> Shape {
        let length = Size::constant(elems.len() as i64);
        let shapes: Vec<Shape> = elems.iter().map(|e| self.shape(*e)).collect();
        let parts: Vec<Shape> = shapes.iter().map(|s| s.repeated(Size::one())).collect();
        let elem = self.one_of(value, &parts, operands);
        Shape::Array(length, elem)
    }

    fn joined(&mut self, value: ValueId, arrays: &[Atom], operands: Deps) -> Shape {
        let shapes: Vec<Shape> = arrays.iter().map(|a| self.shape(*a)).collect();
        let length = shapes.iter().filter_map(Shape::length).fold(Size::zero(), |sum, n| sum + n);
        // An empty array says nothing about elements.
        let with: Vec<Shape> = shapes.iter().filter(|s| s.length().is_none_or(|n| !n.is_zero())).cloned().collect();
        let elem = self.one_of(value, if with.is_empty() { &shapes } else { &with }, operands);
        Shape::Array(length, elem)
    }

    /// The shape of an element that comes from one of several arrays: what they agree on at every position.
    fn one_of(&mut self, value: ValueId, arrays: &[Shape], operands: Deps) -> Box<Shape> {
        let elem_type = self.type_of(value).elem().cloned().expect("an array");
        let mut path = vec![Step::Element];
        let shape = build(&elem_type, &mut path, &mut |path, integer| {
            let sizes: Vec<(Size, Size)> =
                arrays.iter().filter_map(|a| Some((size_at(a, path)?.clone(), a.length()?.clone()))).collect();
            let Some(((first, _), rest)) = sizes.split_first() else {
                return self.own(value, path, integer, operands);
            };
            let still = |size: &Size| !size.vars().contains(&SizeVar(0));
            if still(first) && rest.iter().all(|(size, _)| still(size) && self.known.equal(first, size)) {
                return first.clone();
            }
            let bounds: Vec<(Option<Size>, Option<Size>)> =
                sizes.iter().map(|(size, length)| self.bounds_over(size, length)).collect();
            let low = bounds.iter().map(|(low, _)| low.clone()).collect::<Option<Vec<_>>>();
            let high = bounds.iter().map(|(_, high)| high.clone()).collect::<Option<Vec<_>>>();
            let size = self.own(value, path, integer, operands);
            self.limit(&size, low.map(|l| Size::min_of(&l)), high.map(|h| Size::max_of(&h)));
            size
        });
        Box::new(shape)
    }

    /// Bounds of a size at every position `p0` below a length.
    pub(super) fn bounds_over(&mut self, size: &Size, length: &Size) -> (Option<Size>, Option<Size>) {
        if !size.vars().contains(&SizeVar(0)) {
            return (Some(size.clone()), Some(size.clone()));
        }
        if let Some((symbol, _)) = as_symbol(size)
            && let Some(limits) = self.limits.get(&symbol)
        {
            return (limits.low.clone().filter(settled), limits.high.clone().filter(settled));
        }
        let mark = self.known.mark();
        self.known.assume(&Claim::Le(Size::zero(), position(0)));
        self.known.assume(&Claim::Lt(position(0), length.clone()));
        let low = self.known.never_negative(size).then(Size::zero);
        let below = self.known.proves_claim(&Claim::Lt(size.clone(), length.clone()));
        self.known.release(mark);
        (low, below.then(|| length - 1))
    }

    /// The shape of an array whose element at `p0` comes from some position of the `levels` outermost dimensions of another.
    pub(super) fn forget_positions(
        &mut self,
        value: ValueId,
        source: &Shape,
        length: Size,
        levels: usize,
        operands: Deps,
    ) -> Shape {
        let ty = self.type_of(value).clone();
        let levels_path = vec![Step::Element; levels - 1];
        build(&ty, &mut Vec::new(), &mut |path, integer| {
            if path.is_empty() {
                return length.clone();
            }
            let from: Vec<Step> = levels_path.iter().chain(path).copied().collect();
            let Some(size) = size_at(source, &from).cloned() else {
                return self.own(value, path, integer, operands);
            };
            if (0..levels).all(|k| !size.vars().contains(&SizeVar(k as u32))) {
                return size.substitute_all(&|v| {
                    let k = v.0 as usize;
                    (k >= levels && k < POSITIONS).then(|| position(k + 1 - levels))
                });
            }
            let (low, high) = match (levels, source.length()) {
                (1, Some(source)) => self.bounds_over(&size, &source.clone()),
                _ => (None, None),
            };
            let size = self.own(value, path, integer, operands);
            self.limit(&size, low, high);
            size
        })
    }

    fn flattened(&mut self, value: ValueId, array: Atom, operands: Deps) -> Shape {
        let shape = self.shape(array);
        let length = match &shape {
            Shape::Array(rows, row) => row.length().map(|n| sum(SizeVar(0), rows, n)),
            _ => None,
        };
        let length = length.unwrap_or_else(|| self.own(value, &[], None, operands));
        self.forget_positions(value, &shape, length, 2, operands)
    }

    fn windows(&mut self, value: ValueId, size: Atom, step: Atom, array: Atom, operands: Deps) -> Option<Shape> {
        let (size, step) = (self.integer(size), self.integer(step));
        let length = self.length(array);
        let count = match step.as_constant() {
            Some(by @ 1..) => {
                let count = (&length - &size).floor_div(by)? + 1;
                if self.known.never_negative(&count) { count } else { Size::max_of(&[Size::zero(), count]) }
            }
            _ => {
                let count = self.own(value, &[], None, operands);
                // The last window ends within the array.
                self.known.assume(&Claim::Le((&count - 1) * &step, Size::max_of(&[Size::zero(), &length - &size])));
                count
            }
        };
        self.moved(array, &(position(0) * step + position(1)), vec![count, size])
    }

    fn updated(&mut self, value: ValueId, array: Atom, indices: &[Atom], new: Atom, operands: Deps) -> Shape {
        let shape = self.shape(array);
        let at: Vec<Size> = indices.iter().map(|i| self.integer(*i)).collect();
        let new = self.shape(new);
        let ty = self.type_of(value).clone();
        build(&ty, &mut Vec::new(), &mut |path, integer| {
            let Some(old) = size_at(&shape, path).cloned() else {
                return self.own(value, path, integer, operands);
            };
            // Above the element that is replaced everything stays.
            let steps = path.iter().take_while(|s| **s == Step::Element).count();
            if steps < at.len() {
                return old;
            }
            let there = old.substitute_all(&|v| {
                let k = v.0 as usize;
                if k < at.len() { Some(at[k].clone()) } else { (k < POSITIONS).then(|| position(k - at.len())) }
            });
            match size_at(&new, &path[at.len()..]) {
                Some(size) if self.known.equal(&there, size) && (integer.is_none() || settled(&old)) => old,
                Some(size) => {
                    let outer = self.length(array);
                    let (low, high) = self.bounds_over(&old, &outer);
                    let fits = |s: &Option<Size>, above: bool| match s {
                        Some(s) if above => self.known.proves_claim(&Claim::Le(size.clone(), s.clone())),
                        Some(s) => self.known.proves_claim(&Claim::Le(s.clone(), size.clone())),
                        None => false,
                    };
                    let (low_holds, high_holds) = (fits(&low, false), fits(&high, true));
                    let own = self.own(value, path, integer, operands);
                    self.limit(&own, low.filter(|_| low_holds), high.filter(|_| high_holds));
                    own
                }
                None => self.own(value, path, integer, operands),
            }
        })
    }

    /// An array in which elements at unknown positions were replaced by one of shape `new`.
    pub(super) fn overwritten(&mut self, value: ValueId, array: &Shape, new: &Shape, operands: Deps) -> Shape {
        let ty = self.type_of(value).clone();
        build(&ty, &mut Vec::new(), &mut |path, integer| {
            let Some(old) = size_at(array, path).cloned() else {
                return self.own(value, path, integer, operands);
            };
            let Some((Step::Element, rest)) = path.split_first() else { return old };
            let replaced = size_at(new, rest).map(|s| {
                s.substitute_all(&|v| {
                    let k = v.0 as usize;
                    (k + 1 < POSITIONS).then(|| position(k + 1))
                })
            });
            match replaced {
                Some(size) if settled(&old) && settled(&size) && self.known.equal(&old, &size) => old,
                _ => self.own(value, path, integer, operands),
            }
        })
    }
}

/// Whether a size does not depend on positions.
pub(super) fn settled(size: &Size) -> bool {
    size.vars().iter().all(|v| v.0 as usize >= POSITIONS)
}
