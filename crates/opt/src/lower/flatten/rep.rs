//! How the flattener holds a Core value: as columns, and as recipes for reading them.
//!
//! Inside a parallel body a Core value is many values, one per point of the surrounding space. Most of them need not exist:
//! the element that a `map` binds is "column `val` at my position", the length of a row is "`off[p + 1] - off[p]`", a row
//! that was picked or sliced is the old row with another start. An [`Ix`] is such a recipe. It becomes code where an operator
//! needs the scalar, and a column only where something needs one.
//!
//! ```text
//! rows : [][](i32, f64)      at the host: Arr { start 0, len n, elem Row(Packed off, Tuple(col, val)) }
//! row in rows                per point p: Arr { start off[p], len off[p+1] - off[p], elem Tuple(col, val) }
//! (j, x) in row              per point q: (col[q], val[q])
//! ```

use super::formulas::index_of;
use terrace_algebra::{Size, SizeVar};
use terrace_base::{BinOp, Scalar, ScalarType};
use terrace_ir::flat::{Descriptor, Space};
use terrace_ir::{Atom, ValueId};

/// A recipe for a scalar at a point of the surrounding space.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Ix {
    /// A value of the function, or a constant.
    Atom(Atom),
    /// The position among the points of the dimensions up to this one.
    Position(usize),
    /// The index within this dimension.
    Index(usize),
    /// An element of a column.
    Read(ValueId, Box<Ix>),
    /// An operation on `i64`.
    Binary(BinOp, Box<Ix>, Box<Ix>),
    /// A size expression over scalars of the host and indices, in which some variables are recipes (see `formulas.rs`).
    Closed(Size, Vec<(SizeVar, Ix)>),
}

impl Ix {
    pub(super) fn int(n: i64) -> Ix {
        Ix::Atom(Atom::int(n))
    }

    pub(super) fn read(column: ValueId, at: Ix) -> Ix {
        Ix::Read(column, Box::new(at))
    }

    fn constant(&self) -> Option<i64> {
        match self {
            Ix::Atom(Atom::Const(Scalar::I64(n))) => Some(*n),
            _ => None,
        }
    }

    pub(super) fn is_zero(&self) -> bool {
        self.constant() == Some(0)
    }

    pub(super) fn add(self, other: Ix) -> Ix {
        match (self.constant(), other.constant()) {
            (Some(a), Some(b)) => Ix::int(a.wrapping_add(b)),
            (Some(0), _) => other,
            (_, Some(0)) => self,
            _ => Ix::Binary(BinOp::Add, Box::new(self), Box::new(other)),
        }
    }

    pub(super) fn sub(self, other: Ix) -> Ix {
        match (self.constant(), other.constant()) {
            (Some(a), Some(b)) => Ix::int(a.wrapping_sub(b)),
            (_, Some(0)) => self,
            _ if self == other => Ix::int(0),
            _ => Ix::Binary(BinOp::Sub, Box::new(self), Box::new(other)),
        }
    }

    pub(super) fn mul(self, other: Ix) -> Ix {
        match (self.constant(), other.constant()) {
            (Some(a), Some(b)) => Ix::int(a.wrapping_mul(b)),
            (Some(0), _) | (_, Some(0)) => Ix::int(0),
            (Some(1), _) => other,
            (_, Some(1)) => self,
            _ => Ix::Binary(BinOp::Mul, Box::new(self), Box::new(other)),
        }
    }

    /// The operand, where the recipe is the same at every point.
    pub(super) fn uniform(&self) -> Option<Atom> {
        match self {
            Ix::Atom(a) => Some(*a),
            _ => None,
        }
    }

    /// The innermost dimension that the recipe depends on.
    pub(super) fn innermost(&self) -> Option<usize> {
        match self {
            Ix::Atom(_) => None,
            Ix::Position(d) | Ix::Index(d) => Some(*d),
            Ix::Read(_, at) => at.innermost(),
            Ix::Closed(size, vars) => {
                let indices = size.vars().into_iter().filter_map(index_of).max();
                vars.iter().map(|(_, ix)| ix.innermost()).max().flatten().max(indices)
            }
            Ix::Binary(_, a, b) => a.innermost().max(b.innermost()),
        }
    }

    /// Whether it looks something up.
    pub(super) fn reads(&self) -> bool {
        match self {
            Ix::Atom(_) | Ix::Position(_) | Ix::Index(_) => false,
            Ix::Read(..) => true,
            Ix::Binary(_, a, b) => a.reads() || b.reads(),
            Ix::Closed(_, vars) => vars.iter().any(|(_, ix)| ix.reads()),
        }
    }

    /// The column that this reads at the position in the dimensions up to `level`, if that is all it does.
    pub(super) fn column_at(&self, level: usize) -> Option<ValueId> {
        match self {
            Ix::Read(c, at) if **at == Ix::Position(level) => Some(*c),
            _ => None,
        }
    }
}

/// A Core value.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant)] // few exist at a time, and boxing would hide the patterns
pub(super) enum Rep {
    Scalar(Ix, ScalarType),
    Tuple(Vec<Rep>),
    Array(Arr),
}

/// An array: at each point, the elements `start` to `start + len` of a base that all points share.
#[derive(Clone, Debug)]
pub(super) struct Arr {
    pub(super) start: Ix,
    pub(super) len: Ix,
    /// The dimension that iterating over it adds to the space it was bound in, where it is known.
    pub(super) dim: Option<Dim>,
    /// The number of elements of the base.
    pub(super) count: Atom,
    /// An upper bound of the sum of `len` over all points, over what the host knows.
    pub(super) total: Option<Size>,
    pub(super) elem: Elem,
}

impl Arr {
    /// The innermost dimension that it depends on.
    pub(super) fn level(&self) -> Option<usize> {
        match &self.elem {
            Elem::Zip(arrays) => arrays.iter().map(Arr::level).max().flatten().max(self.len.innermost()),
            _ => self.len.innermost().max(self.start.innermost()),
        }
    }
}

/// A dimension that needs no computing: valid for a space of `depth` dimensions.
#[derive(Clone, Debug)]
pub(super) struct Dim {
    pub(super) depth: usize,
    pub(super) descriptor: Descriptor,
}

/// The elements of a base.
#[derive(Clone, Debug)]
pub(super) enum Elem {
    Scalar(ValueId, ScalarType),
    Tuple(Vec<Elem>),
    /// Each element is a row of a further base with `count` elements.
    Row {
        inner: Inner,
        count: Atom,
        elem: Box<Elem>,
    },
    /// Tuples of the elements of several arrays, each with a base of its own; `start` of the whole plays no part.
    Zip(Vec<Arr>),
}

/// Which row of the further base element `q` is.
#[derive(Clone, Debug)]
pub(super) enum Inner {
    /// `q * len` on, `len` long.
    Regular(Atom),
    /// Start and length are expressions in `q`, which `var` stands for.
    Closed { var: SizeVar, start: Size, len: Size },
    /// `off[q]` to `off[q + 1]`.
    Packed(ValueId),
    /// From `start[q]` on, all `len` long.
    Rows { start: ValueId, len: Atom },
    /// From `start[q]` on, `len[q]` long.
    Views { start: ValueId, len: ValueId },
}

impl Inner {
    /// Whether the rows stand one after the other.
    pub(super) fn is_packed(&self) -> bool {
        match self {
            Inner::Regular(_) | Inner::Packed(_) => true,
            Inner::Closed { var, start, len } => *start == terrace_algebra::sum(*var, &Size::var(*var), len),
            Inner::Rows { .. } | Inner::Views { .. } => false,
        }
    }

    pub(super) fn start(&self, q: Ix) -> Ix {
        match self {
            Inner::Regular(m) => q.mul(Ix::Atom(*m)),
            Inner::Closed { var, start, .. } => Ix::closed(start, vec![(*var, q)]),
            Inner::Packed(off) => Ix::read(*off, q),
            Inner::Rows { start, .. } | Inner::Views { start, .. } => Ix::read(*start, q),
        }
    }

    pub(super) fn len(&self, q: Ix) -> Ix {
        match self {
            Inner::Regular(m) | Inner::Rows { len: m, .. } => Ix::Atom(*m),
            Inner::Closed { var, len, .. } => Ix::closed(len, vec![(*var, q)]),
            Inner::Packed(off) => Ix::read(*off, q.clone().add(Ix::int(1))).sub(Ix::read(*off, q)),
            Inner::Views { len, .. } => Ix::read(*len, q),
        }
    }
}

/// The surrounding space, and the number of points of its first dimension, first two, and so on.
#[derive(Clone, Debug, Default)]
pub(super) struct Context {
    pub(super) space: Space,
    pub(super) totals: Vec<Atom>,
}

impl Context {
    pub(super) fn depth(&self) -> usize {
        self.space.len()
    }

    /// The number of points.
    pub(super) fn total(&self) -> Atom {
        self.totals.last().copied().unwrap_or(Atom::int(1))
    }

    /// The position of the current point among all.
    pub(super) fn position(&self) -> Ix {
        match self.space.len() {
            0 => Ix::int(0),
            d => Ix::Position(d - 1),
        }
    }
}
