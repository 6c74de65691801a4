//! Flat: the program with no parallelism that the hardware does not have.
//!
//! There are no nested arrays left. A value is a scalar or a *column*, a flat array of scalars; a nested array is a set of
//! columns and descriptors, one per level of nesting ([`Descriptor`]). All parallel work is done by operators ([`Op`]) that
//! run a body over every point of a *space*:
//!
//! ```text
//! entry spmv(n_0 : i64, off_1 : i64[n + 1], col_2 : i32[…], val_3 : f64[…], m_4 : i64, v_5 : f64[m]) {
//!   let out_6 : f64[n_0] = reduce grid [n_0][off_1] (i_7, j_8 | p_9, q_10) by add from 0.0 {
//!     let c_11 : i32 = col_2[q_10]
//!     …
//! ```
//!
//! The space `[n_0][off_1]` has two dimensions, a regular one and an irregular one. Its points are numbered row by row:
//! `i_7`, `j_8` are the indices within each dimension, `p_9` and `q_10` the positions among the points of the first one and
//! of both dimensions. A column that belongs to the space is read at its position.
//!
//! An operator has a *level*. At the host level, `grid` spreads the points over the whole machine and `thread` runs them one
//! after the other in a single thread. Within a grid body, `block` spreads over the threads of one block and `thread` is
//! again sequential; their results are local arrays, and each carries a bound on its length ([`Value::bound`]).
//!
//! Mem is the same language with a place for every column: see [`crate::mem`]. `A` is what a value is annotated with:
//! nothing here, a place there.

pub mod note;
pub mod parse;
mod parts;
pub mod print;
pub mod verify;
pub mod visit;

use crate::check::{CheckId, CheckInfo};
use crate::{Atom, FuncId, ValueId};
use terrace_algebra::Size;
use terrace_base::IdVec;
use terrace_base::Span;
use terrace_base::{BinOp, ScalarType, UnOp};
use terrace_plan::data::Data;
use terrace_plan::layout::Layout;
pub use terrace_plan::threshold::Threshold;

/// The type of a value.
#[derive(Clone, Debug, PartialEq)]
pub enum Type {
    /// A number or a boolean.
    Scalar(ScalarType),
    /// A flat array of scalars; the length is exact, over integer values in scope.
    Column {
        /// The type of an element.
        elem: ScalarType,
        /// How many.
        length: Size,
    },
    /// A block of memory (Mem only).
    Block,
}

impl Type {
    /// The type of the scalar or of the column's elements.
    pub fn elem(&self) -> Option<ScalarType> {
        match self {
            Type::Scalar(s) => Some(*s),
            Type::Column { elem, .. } => Some(*elem),
            Type::Block => None,
        }
    }

    /// Whether it is a column.
    pub fn is_column(&self) -> bool {
        matches!(self, Type::Column { .. })
    }
}

/// A whole program.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Program<A = ()> {
    /// All functions.
    pub functions: IdVec<FuncId, Function<A>>,
    /// The checks of the Core program, under the same numbers.
    pub checks: IdVec<CheckId, CheckInfo>,
    /// What guards compare with.
    pub thresholds: IdVec<ThresholdId, Threshold>,
}

terrace_base::define_id!(
    /// A threshold of a program.
    ThresholdId
);

/// Why a function is there; as in Core.
#[derive(Clone, Debug, PartialEq)]
pub enum Role {
    /// Called by other functions only.
    Internal,
    /// Exported to the host.
    Entry,
    /// A test and its arguments.
    Test {
        /// The name as written.
        name: String,
        /// What to call it with.
        arguments: Vec<Data>,
    },
}

/// A function.
#[derive(Clone, Debug, PartialEq)]
pub struct Function<A = ()> {
    /// Its name; lifted versions say so, as `quicksort^`.
    pub name: String,
    /// Why it is there.
    pub role: Role,
    /// Everything bound anywhere in it.
    pub values: IdVec<ValueId, Value<A>>,
    /// The parameters, scalars and columns.
    pub params: Vec<ValueId>,
    /// The columns among them that it may write over: whoever calls it does not need them any more.
    pub owned: Vec<ValueId>,
    /// How the parameters of an entry or test make up its nested parameters.
    pub param_layouts: Vec<Layout>,
    /// The types of the results, over the values of this function.
    pub results: Vec<Type>,
    /// How the results of an entry or test make up its nested result.
    pub result_layout: Option<Layout>,
    /// What it computes.
    pub body: Body,
    /// Where it stands.
    pub span: Span,
}

/// What is known about a bound value.
#[derive(Clone, Debug, PartialEq)]
pub struct Value<A = ()> {
    /// The name it prints under, before its number.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// An upper bound of an integer, or of the length of a column, over values bound earlier. A size that is computed on
    /// the device is allocated by its bound; a local array without one cannot live on a GPU.
    pub bound: Option<Size>,
    /// The annotation.
    pub at: A,
}

/// Statements in order, and results.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Body {
    /// The statements.
    pub stmts: Vec<Stmt>,
    /// The results.
    pub results: Vec<Atom>,
}

/// One statement: binds the results of an expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Stmt {
    /// The values bound.
    pub binds: Vec<ValueId>,
    /// What they are.
    pub expr: Expr,
    /// Where it came from.
    pub span: Span,
}

/// What a statement computes.
#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    /// The operand itself.
    Atom(Atom),
    /// A scalar operation.
    Unary(UnOp, Atom),
    /// A scalar operation.
    Binary(BinOp, Atom, Atom),
    /// `a * b + c`, rounded once.
    Fma(Atom, Atom, Atom),
    /// A conversion.
    Convert(ScalarType, Atom),
    /// `if cond then a else b`, both already computed.
    Select(Atom, Atom, Atom),
    /// An integer value that a size expression has.
    Size(Size),
    /// An element of a column, global or local.
    Read {
        /// The column.
        column: ValueId,
        /// An `i64` within its length.
        at: Atom,
    },
    /// Stops the program unless the condition holds. Binds nothing.
    Check {
        /// Which check of the program.
        check: CheckId,
        /// Must be true.
        cond: Atom,
        /// What the message shows.
        values: Vec<Atom>,
    },
    /// One of two.
    If {
        /// A `bool`.
        cond: Atom,
        /// If it holds.
        then: Body,
        /// If not.
        otherwise: Body,
    },
    /// Repetition while the condition, which may mention the state, holds.
    Loop {
        /// The state and its first values.
        state: Vec<(ValueId, Atom)>,
        /// One result, a `bool`.
        cond: Body,
        /// The next state.
        body: Body,
    },
    /// A call; only at the host level.
    Call {
        /// The function.
        function: FuncId,
        /// Scalars and columns.
        args: Vec<Atom>,
    },
    /// A call that one thread makes by itself, only within an operator: the thread runs the whole function. What the function gives is kept
    /// until it is taken: a scalar is bound as it is, and of a column a number that stands for it.
    Keep {
        /// The function.
        function: FuncId,
        /// Scalars and columns.
        args: Vec<Atom>,
    },
    /// A column that was kept, as a local array; only within an operator, and once for every column that was kept.
    Take(Atom),
    /// The number of bytes that one wave of a recursion may plan for; only at the host level.
    MemoryLimit,
    /// Whether a quantity reaches a threshold, a `bool`; only at the host level.
    Guard {
        /// Which threshold of the program.
        threshold: ThresholdId,
        /// An `i64`.
        quantity: Atom,
    },
    /// A column of constants, or of scalars in scope.
    Literal(Vec<Atom>),
    /// Whole columns of one type, one after the other; only at the host level.
    Concat(Vec<ValueId>),
    /// A parallel or sequential operator.
    Op(Box<Op>),
    /// A block of memory for `count` elements (Mem only).
    Alloc {
        /// The type of an element.
        elem: ScalarType,
        /// How many at most, over host-level values.
        count: Size,
    },
}

/// Who does the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// All threads of a launch.
    Grid,
    /// The threads of one block.
    Block,
    /// One thread, in order.
    Thread,
}

/// Where the local arrays that the points of a map return are stored in the columns that they make up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rows {
    /// That of point `p` from element `p` of this column on, which has one element more than there are points; gaps between
    /// rows are never read.
    From(ValueId),
    /// That of point `p` from `p` times this on.
    Apart(Atom),
}

/// How many rows long each row of one level of nesting is, and where the rows lie.
#[derive(Clone, Debug, PartialEq)]
pub enum Descriptor {
    /// Every row has this length.
    Regular(Atom),
    /// The length of a row is a function of the indices of the dimensions around it; nothing is stored. The expression is
    /// over integer values in scope; `around[d]` is the value that stands for the index in dimension `d`.
    Closed {
        /// The indices that the expression mentions, outermost first.
        around: Vec<ValueId>,
        /// The length.
        length: Size,
    },
    /// Rows within one element of an outer dimension are equally long: one length and one scanned total per such element.
    PerAncestor {
        /// How many dimensions, from the outermost, the length depends on.
        depth: usize,
        /// The length of each row, by position in those dimensions.
        lengths: ValueId,
        /// The position of the first element, by position in those dimensions, with the total at the end.
        base: ValueId,
    },
    /// Any lengths. `off` has one more element than there are rows: row `r` has positions `off[r]` to `off[r + 1]` of the
    /// space. Its data lie from `start[r]` on, or from `off[r]` on where rows are packed.
    Irregular {
        /// Scanned lengths.
        off: ValueId,
        /// Where each row lies, unless packed.
        start: Option<ValueId>,
    },
}

/// Dimensions, outermost first. `start` of an irregular dimension plays no part in numbering points.
pub type Space = Vec<Descriptor>;

/// An operator over a space.
#[derive(Clone, Debug, PartialEq)]
pub struct Op {
    /// Who does the work.
    pub level: Level,
    /// The points.
    pub space: Space,
    /// The index within each dimension.
    pub indices: Vec<ValueId>,
    /// The position among the points of the dimensions up to each one.
    pub positions: Vec<ValueId>,
    /// What is computed at a point.
    pub body: Body,
    /// What is done with it.
    pub kind: OpKind,
}

/// What is done with the values at the points.
#[derive(Clone, Debug, PartialEq)]
pub enum OpKind {
    /// They are the results: a column each, in order of position. Where `rows` is given, the body may also return local
    /// arrays, which are stored in their columns where it says.
    Map {
        /// Where rows go.
        rows: Option<Rows>,
    },
    /// They are combined along the last dimension: a scalar each over a space of one dimension, else a column over the
    /// other dimensions.
    Reduce {
        /// Associative.
        operator: Operator,
        /// Its neutral element.
        neutral: Vec<Atom>,
        /// The body's first result is a `bool`: where false, the point does not take part.
        masked: bool,
    },
    /// Prefixes along the last dimension.
    Scan {
        /// Associative.
        operator: Operator,
        /// Its neutral element.
        neutral: Vec<Atom>,
        /// Which prefixes.
        form: ScanForm,
    },
    /// The body's first result is a `bool`: the others are kept where it is true, in order. Binds first the number kept (a
    /// space of one dimension) or the scanned numbers kept per row (`off`), then a column per value.
    Pack,
    /// The body's first result is a position in the destinations, the others are what is written there, one per destination; a
    /// negative position writes nothing, and of several points that write one position the last one wins. Binds a column
    /// per destination, as long as it, with the destination's elements wherever nothing is written.
    Scatter {
        /// What is written to.
        dest: Vec<ValueId>,
        /// No two points write one position.
        distinct: bool,
    },
    /// The body's first result is a bin, the others are values, combined bin by bin in order of points; a negative bin takes
    /// no part. Binds a column of `count` elements per value; a bin that nothing falls into has the neutral element.
    Hist {
        /// Associative.
        operator: Operator,
        /// Its neutral element.
        neutral: Vec<Atom>,
        /// How many bins.
        count: Atom,
    },
    /// The body's results are keys. Every row of the last dimension is sorted by the total order of each key, the first key first;
    /// equal keys stay in order.
    Sort {
        /// What it binds.
        form: SortForm,
    },
}

/// What a sort gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SortForm {
    /// An `i64` column over the points: which index of the last dimension comes there.
    Order,
    /// A column per key, sorted.
    Keys,
}

/// Which prefixes a scan gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScanForm {
    /// Up to and including each point.
    Inclusive,
    /// Before each point, and the total as one more element: how lengths become offsets (one dimension only).
    Offsets,
}

/// A function of two scalars, or of two tuples of scalars.
#[derive(Clone, Debug, PartialEq)]
pub struct Operator {
    /// The left operand.
    pub left: Vec<ValueId>,
    /// The right operand.
    pub right: Vec<ValueId>,
    /// The combination.
    pub body: Body,
}

impl Operator {
    /// The scalar operation that this is, if it is just one.
    pub fn as_binary(&self) -> Option<BinOp> {
        let [stmt] = self.body.stmts.as_slice() else {
            return None;
        };
        let (Expr::Binary(op, a, b), [l], [r]) = (&stmt.expr, self.left.as_slice(), self.right.as_slice()) else {
            return None;
        };
        let whole = *a == Atom::Var(*l) && *b == Atom::Var(*r) && self.body.results == [Atom::Var(stmt.binds[0])];
        whole.then_some(*op)
    }

    /// Whether its operands may be exchanged, as far as can be seen: each component is one operation that allows it, on the same component of both.
    pub fn commutes(&self) -> bool {
        let component = |(k, result): (usize, &Atom)| {
            let stmt = self.body.stmts.iter().find(|s| matches!(s.binds.as_slice(), [v] if *result == Atom::Var(*v)));
            let Some(Expr::Binary(op, a, b)) = stmt.map(|s| &s.expr) else { return false };
            let (l, r) = (Atom::Var(self.left[k]), Atom::Var(self.right[k]));
            op.is_commutative() && ((*a == l && *b == r) || (*a == r && *b == l))
        };
        let alone = self.body.stmts.iter().all(|s| matches!(s.expr, Expr::Binary(..)));
        alone && self.body.results.iter().enumerate().all(component)
    }
}
