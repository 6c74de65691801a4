//! Rules 9 to 19: operators over spaces.

use super::{Around, BOOL, Checker, I64, Scope, column, types_of};
use crate::fault::{Fault, require};
use crate::flat::note::Note;
use crate::flat::{Descriptor, Level, Op, OpKind, Operator, Rows, ScanForm, SortForm, Type};
use terrace_base::ScalarType;

impl<A: Note> Checker<'_, A> {
    pub(super) fn op(&mut self, op: &Op, scope: &Scope, around: Around) -> Result<Vec<Type>, Fault> {
        let nests = match around {
            None => op.level != Level::Block,
            Some(Level::Grid) => op.level != Level::Grid,
            Some(Level::Block | Level::Thread) => op.level == Level::Thread,
        };
        require(nests, || match around {
            None => format!("a {} operator does not stand at the host level", op.level),
            Some(outer) => format!("a {} operator does not stand in a {outer} body", op.level),
        })?;
        let dims = op.space.len();
        require(dims > 0, || "a space has a dimension".into())?;
        require(op.indices.len() == dims && op.positions.len() == dims, || {
            "there is one index and one position per dimension".into()
        })?;
        for (d, dimension) in op.space.iter().enumerate() {
            self.dimension(d, dimension, scope, around)?;
        }
        match &op.kind {
            OpKind::Map { rows: Some(Rows::From(rows)) } => self.offsets(*rows, scope)?,
            OpKind::Map { rows: Some(Rows::Apart(length)) } => {
                self.expect(length, &I64, "the length of rows", scope)?
            }
            _ => {}
        }
        let neutral = match &op.kind {
            OpKind::Reduce { neutral, .. } | OpKind::Scan { neutral, .. } | OpKind::Hist { neutral, .. } => {
                self.atoms(neutral, scope)?
            }
            _ => vec![],
        };
        if let OpKind::Hist { count, .. } = &op.kind {
            self.expect(count, &I64, "the number of bins", scope)?;
        }

        let mut inner = scope.clone();
        let counters: Vec<_> = op.indices.iter().chain(&op.positions).copied().collect();
        self.bind_all(&counters, &mut inner, false)?;
        for ty in types_of(&self.function.values, &counters) {
            self.same(&ty, &I64, "an index or position")?;
        }
        let found = self.body(&op.body, &inner, Some(op.level))?;
        let first = match &op.kind {
            OpKind::Pack | OpKind::Reduce { masked: true, .. } => Some(BOOL),
            OpKind::Scatter { .. } | OpKind::Hist { .. } => Some(I64),
            _ => None,
        };
        let values = match (first, found.as_slice()) {
            (None, all) => all,
            (Some(wanted), [first, rest @ ..]) => {
                self.same(first, &wanted, "the first result")?;
                rest
            }
            (Some(wanted), []) => {
                return Err(format!("the body's first result is of type {}", self.kind(&wanted)).into());
            }
        };
        let rows = matches!(op.kind, OpKind::Map { rows: Some(_) });
        let elems = values.iter().map(|ty| self.result_elem(ty, rows)).collect::<Result<Vec<_>, _>>()?;
        let columns = || elems.iter().map(|e| column(*e));

        Ok(match &op.kind {
            OpKind::Map { .. } => columns().collect(),
            OpKind::Reduce { operator, .. } => {
                self.combining(operator, &neutral, values, scope)?;
                if dims == 1 { values.to_vec() } else { columns().collect() }
            }
            OpKind::Scan { operator, form, .. } => {
                require(*form == ScanForm::Inclusive || dims == 1, || "offsets has one dimension".into())?;
                self.combining(operator, &neutral, values, scope)?;
                columns().collect()
            }
            OpKind::Pack => {
                let first = if dims == 1 { I64 } else { column(ScalarType::I64) };
                std::iter::once(first).chain(columns()).collect()
            }
            OpKind::Scatter { dest, .. } => {
                let wanted = dest.iter().map(|v| self.column(*v, scope).map(column)).collect::<Result<Vec<_>, _>>()?;
                self.match_all(&columns().collect::<Vec<_>>(), &wanted, "what is written to the destinations")?;
                wanted
            }
            OpKind::Hist { operator, .. } => {
                self.combining(operator, &neutral, values, scope)?;
                columns().collect()
            }
            OpKind::Sort { form } => {
                require(!values.is_empty(), || "a sort has a key".into())?;
                match form {
                    SortForm::Order => vec![column(ScalarType::I64)],
                    SortForm::Keys => columns().collect(),
                }
            }
        })
    }

    fn result_elem(&self, ty: &Type, rows: bool) -> Result<ScalarType, Fault> {
        match ty {
            Type::Scalar(s) => Ok(*s),
            Type::Column { elem, .. } if rows => Ok(*elem),
            Type::Column { .. } => Err("the body gives a column, but there is nowhere for rows to go".into()),
            Type::Block => Err("an operator does not give blocks".into()),
        }
    }

    fn dimension(&self, d: usize, dimension: &Descriptor, scope: &Scope, around: Around) -> Result<(), Fault> {
        let regular = matches!(dimension, Descriptor::Regular(_));
        require(regular || around.is_none(), || "within bodies every dimension is regular".into())?;
        match dimension {
            Descriptor::Regular(n) => self.expect(n, &I64, "the length of a dimension", scope),
            Descriptor::Closed { around, length } => {
                require(around.len() <= d, || "a closed-form length depends on dimensions around it".into())?;
                let mut visible = scope.clone();
                for v in around {
                    let integer = self.function.values.get(*v).is_some_and(|x| x.ty == I64);
                    require(integer, || format!("the formal index {} is an i64", self.name(*v)))?;
                    visible.insert(*v);
                }
                self.size(length, &visible)
            }
            Descriptor::PerAncestor { depth, lengths, base } => {
                require((1..=d).contains(depth), || "a per-ancestor length depends on dimensions around it".into())?;
                self.offsets(*lengths, scope)?;
                self.offsets(*base, scope)
            }
            Descriptor::Irregular { off, start } => {
                self.offsets(*off, scope)?;
                start.iter().try_for_each(|s| self.offsets(*s, scope))
            }
        }
    }

    fn combining(
        &mut self,
        operator: &Operator,
        neutral: &[Type],
        values: &[Type],
        scope: &Scope,
    ) -> Result<(), Fault> {
        self.match_all(neutral, values, "the neutral element")?;
        let mut inner = scope.clone();
        let operands: Vec<_> = operator.left.iter().chain(&operator.right).copied().collect();
        self.bind_all(&operands, &mut inner, false)?;
        self.match_all(&types_of(&self.function.values, &operator.left), values, "the left operands")?;
        self.match_all(&types_of(&self.function.values, &operator.right), values, "the right operands")?;
        let found = self.body(&operator.body, &inner, Some(Level::Thread))?;
        self.match_all(&found, values, "the combining operator's results")
    }
}
