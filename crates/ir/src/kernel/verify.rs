//! The rules of kernels and of the host program. This list is the specification; everything below checks it.
//!
//! Locals and parameters:
//! 1. A local variable is declared (`let`, `for`, or as the target of an atomic addition, a rank, a sum of earlier tiles or an await) before it is used or assigned, in
//!    the same list of statements or in one around it; it is not declared again where it is visible. A counter is
//!    not assigned. Phases share no variables.
//! 2. Only scalars and cells that are read are operands. Loads are from buffers; stores are to outputs and scratch, cell stores to
//!    cells that are written. Nothing writes an input.
//! 3. `fresh` loads, atomic operations, `publish`, `await`, `send`, `receive`, `announce` and `earlier` are on scratch buffers only; atomic operations on
//!    elements and `rank` on arrays in shared memory. An atomic operation is one whose
//!    result does not depend on the order in which it is done ([`terrace_base::is_exact`]).
//!
//! Types:
//! 4. Every operation has operands of one type that has it; what is written has the type of where it goes.
//! 5. `tile`, `thread` and indices are `i64`; a counter of `for` with its bounds and step, and a quotient with its operands, are `i64` or `i32`; conditions are
//!    `bool`. A constant step is positive. What is exact is a sum, difference or product of `i32`; `fma` is of floats.
//!    What is loaded or stored wide is a power of two of elements, 16 bytes at most. Words that are sent and their flags are `i32`.
//!    A twin with 32-bit indices takes the same parameters, in blocks of the same size.
//!    What stands for a buffer that is held is an `i64`, and so is the number of its elements; a function gets buffers that are read.
//! 6. A check is in the program's list; it has a `bool`, an `i64` index and at most three `i64` values.
//!
//! Uniform control flow:
//! 7. Barriers, shuffles and `rank` stand only where all threads of the block come together: in no branch and no loop whose condition
//!    may differ between the threads, and not behind the condition of a `select` that may.
//!    Constants, `tile`, parameters and cells are uniform; so is what is computed from uniform values, an element of an input at
//!    a uniform index, and an element of a shared array at a uniform index (whoever wrote it did so before a barrier). `thread`,
//!    `failed`, other loads, shuffles, atomics and awaits are not, nor is a variable assigned from them or where control is not
//!    uniform. A thread that fails a check leaves its `while` loops: in a kernel with checks, no `while` is uniform.
//!
//! The host program:
//! 8. Names of kernels are distinct. A launch has an argument per parameter: buffers and cells by slot, scalars by value, of the
//!    parameter's type, and one count of tiles per phase.
//! 9. Slots exist and have the type that each statement needs; a call fits its function; checks exist.
//! 10. An entry's function has the slots of its layouts as parameters and results (a scalar result may be in a cell).
//!
//! Declined: races, and whether indices are within bounds. The device in `testkit` that runs kernels with seeded schedules finds those.

use super::{ArrayId, Expr, Given, Kept, Kernel, LocalId, ParamId, ParamKind, Program, RunArg, Stmt};
use crate::fault::{Fault, require};
use crate::kernel::print::first_line;
use std::collections::BTreeSet;
use terrace_base::{BinOp, ScalarType, is_exact};

mod host;
mod uniform;

/// Checks all rules; the message names the kernel or host function, the statement and the rule.
pub fn verify(program: &Program) -> Result<(), String> {
    let mut names = BTreeSet::new();
    for kernel in &program.kernels {
        if !names.insert(&kernel.name) {
            return Err(format!("two kernels are called {}", kernel.name));
        }
        verify_kernel(kernel, program.checks.len())?;
        if let Some(small) = &kernel.small {
            let twin = program.kernels.get(small.kernel);
            let fits = |twin: &Kernel| {
                (&twin.params, twin.block, twin.phases.len()) == (&kernel.params, kernel.block, kernel.phases.len())
            };
            if !twin.is_some_and(fits) {
                return Err(format!("the twin of {} takes other arguments", kernel.name));
            }
        }
    }
    host::verify(program)
}

/// Checks the rules of one kernel of a program with so many checks.
pub fn verify_kernel(kernel: &Kernel, checks: usize) -> Result<(), String> {
    let checker = Checker { kernel, checks };
    for phase in &kernel.phases {
        checker.stmts(phase, &Scope::default()).map_err(|fault| fault.in_function(&kernel.name))?;
        uniform::verify(kernel, phase).map_err(|fault| fault.in_function(&kernel.name))?;
    }
    Ok(())
}

#[derive(Clone, Default)]
struct Scope {
    locals: BTreeSet<LocalId>,
    counters: BTreeSet<LocalId>,
}

struct Checker<'a> {
    kernel: &'a Kernel,
    checks: usize,
}

const I32: ScalarType = ScalarType::I32;
const U32: ScalarType = ScalarType::U32;
const I64: ScalarType = ScalarType::I64;
const BOOL: ScalarType = ScalarType::Bool;

impl Checker<'_> {
    fn stmts(&self, stmts: &[Stmt], scope: &Scope) -> Result<(), Fault> {
        let mut scope = scope.clone();
        stmts.iter().try_for_each(|s| self.stmt(s, &mut scope).map_err(|f| f.in_stmt(|| first_line(self.kernel, s))))
    }

    fn param(&self, id: ParamId) -> Result<ParamKind, Fault> {
        let param = self.kernel.params.get(id).ok_or_else(|| Fault::from(format!("there is no parameter {id}")))?;
        Ok(param.kind)
    }

    fn array(&self, id: ArrayId) -> Result<ScalarType, Fault> {
        let array = self.kernel.arrays.get(id).ok_or_else(|| Fault::from(format!("there is no array {id}")))?;
        Ok(array.elem)
    }

    fn local(&self, id: LocalId) -> Result<ScalarType, Fault> {
        let local = self.kernel.locals.get(id).ok_or_else(|| Fault::from(format!("there is no local {id}")))?;
        Ok(local.ty)
    }

    fn local_name(&self, id: LocalId) -> String {
        format!("{}_{id}", self.kernel.locals.get(id).map_or("unknown", |l| l.name.as_str()))
    }

    fn scratch(&self, id: ParamId) -> Result<ScalarType, Fault> {
        match self.param(id)? {
            ParamKind::Scratch(s) => Ok(s),
            _ => Err(format!("{} is not a scratch buffer", self.kernel.params[id].name).into()),
        }
    }

    fn shared(&self, id: ArrayId) -> Result<ScalarType, Fault> {
        let elem = self.array(id)?;
        let info = &self.kernel.arrays[id];
        require(info.shared, || format!("{} is not in shared memory", info.name))?;
        Ok(elem)
    }

    fn declare(&self, id: LocalId, scope: &mut Scope) -> Result<(), Fault> {
        require(scope.locals.insert(id), || format!("{} is declared again", self.local_name(id)))
    }

    fn assign(&self, id: LocalId, scope: &Scope) -> Result<(), Fault> {
        require(scope.locals.contains(&id), || format!("{} is assigned before it is declared", self.local_name(id)))?;
        require(!scope.counters.contains(&id), || format!("the counter {} is assigned", self.local_name(id)))
    }

    fn written(&self, p: ParamId) -> Result<ScalarType, Fault> {
        match self.param(p)? {
            ParamKind::Output(s) | ParamKind::Scratch(s) => Ok(s),
            _ => Err(format!("{} is not written", self.kernel.params[p].name).into()),
        }
    }

    fn target(&self, id: LocalId, ty: ScalarType, scope: &mut Scope) -> Result<(), Fault> {
        same(ty, self.local(id)?, "the target")?;
        if scope.locals.contains(&id) { self.assign(id, scope) } else { self.declare(id, scope) }
    }

    fn stmt(&self, stmt: &Stmt, scope: &mut Scope) -> Result<(), Fault> {
        match stmt {
            Stmt::Let(local, x) => {
                self.expect(x, self.local(*local)?, "what is assigned", scope)?;
                self.declare(*local, scope)
            }
            Stmt::Assign(local, x) => {
                self.expect(x, self.local(*local)?, "what is assigned", scope)?;
                self.assign(*local, scope)
            }
            Stmt::Store(p, at, x) => {
                let elem = self.written(*p)?;
                self.expect(at, I64, "an index", scope)?;
                self.expect(x, elem, "what is stored", scope)
            }
            Stmt::StoreCell(p, x) => match self.param(*p)? {
                ParamKind::CellOut(s) => self.expect(x, s, "what is stored", scope),
                _ => Err(format!("{} is not a cell that is written", self.kernel.params[*p].name).into()),
            },
            Stmt::SetElement(a, at, x) => {
                let elem = self.array(*a)?;
                self.expect(at, I64, "an index", scope)?;
                self.expect(x, elem, "what is stored", scope)
            }
            Stmt::StoreRun { buffer, at, array, from, count } => {
                same(self.array(*array)?, self.written(*buffer)?, "what is stored")?;
                let info = &self.kernel.arrays[*array];
                require(*count <= info.count, || format!("{} has no run of {count}", info.name))?;
                require(!info.shared, || format!("{} is not private", info.name))?;
                self.expect(at, I64, "an index", scope)?;
                self.expect(from, I64, "an index", scope)
            }
            Stmt::LoadWide { array, into: place, buffer, at, count }
            | Stmt::StoreWide { buffer, at, array, from: place, count } => {
                let elem = match (stmt, self.param(*buffer)?) {
                    (Stmt::LoadWide { .. }, ParamKind::Input(s) | ParamKind::Output(s) | ParamKind::Scratch(s)) => s,
                    _ => self.written(*buffer)?,
                };
                same(self.array(*array)?, elem, "a wide element")?;
                let info = &self.kernel.arrays[*array];
                require(!info.shared, || format!("{} is not private", info.name))?;
                let fits = count.is_power_of_two() && *count <= info.count && count * elem.size_bytes() <= 16;
                require(fits, || format!("{count} elements of {elem} are not one load or store"))?;
                self.expect(at, I64, "an index", scope)?;
                self.expect(place, I64, "an index", scope)
            }
            Stmt::StoreKept { into, buffer, at, end, from, keep, count } => {
                let elem = self.written(*buffer)?;
                same(self.array(*keep)?, BOOL, "what stays")?;
                let keep = &self.kernel.arrays[*keep];
                require(!keep.shared, || format!("{} is not private", keep.name))?;
                match from {
                    Kept::Array(array) => {
                        same(self.array(*array)?, elem, "what is stored")?;
                        let info = &self.kernel.arrays[*array];
                        require(!info.shared, || format!("{} is not private", info.name))?;
                        require(info.count == keep.count, || {
                            format!("{} and {} differ in length", info.name, keep.name)
                        })?;
                    }
                    Kept::Buffer(from, position) => {
                        let read = self.param(*from)?.elem();
                        let read = read.ok_or_else(|| Fault::from("what is kept lies in no buffer".to_string()))?;
                        same(read, elem, "what is stored")?;
                        self.expect(position, I64, "an index", scope)?;
                    }
                }
                self.expect(at, I64, "an index", scope)?;
                self.expect(end, I64, "an index", scope)?;
                self.expect(count, I64, "a number of elements", scope)?;
                self.target(*into, I64, scope)
            }
            Stmt::If(c, then, otherwise) => {
                self.expect(c, BOOL, "a condition", scope)?;
                self.stmts(then, scope)?;
                self.stmts(otherwise, scope)
            }
            Stmt::While(c, body) => {
                self.expect(c, BOOL, "a condition", scope)?;
                self.stmts(body, scope)
            }
            Stmt::For { var, from, to, step, body, .. } => {
                let ty = self.local(*var)?;
                require(matches!(ty, I64 | I32), || format!("a counter of {ty}"))?;
                for (x, what) in [(from, "the first value"), (to, "the bound"), (step, "the step")] {
                    self.expect(x, ty, what, scope)?;
                }
                let positive = !matches!(step, Expr::Const(c) if c.as_i64().is_some_and(|n| n <= 0));
                require(positive, || "a step is positive".into())?;
                let mut inner = scope.clone();
                self.declare(*var, &mut inner)?;
                inner.counters.insert(*var);
                self.stmts(body, &inner)
            }
            Stmt::Barrier => Ok(()),
            Stmt::Check { check, cond, index, values } => {
                require(check.index() < self.checks, || format!("there is no check {check}"))?;
                require(values.len() <= 3, || "a check shows three values at most".into())?;
                self.expect(cond, BOOL, "a check's condition", scope)?;
                self.expect(index, I64, "a check's index", scope)?;
                values.iter().try_for_each(|v| self.expect(v, I64, "what a check shows", scope))
            }
            Stmt::AtomicAdd { into, buffer, at, value } => {
                let elem = self.scratch(*buffer)?;
                require(elem.is_int(), || "atomic additions are of integers".into())?;
                self.expect(at, I64, "an index", scope)?;
                self.expect(value, elem, "what is added", scope)?;
                self.target(*into, elem, scope)
            }
            Stmt::Atomic { operator, buffer, at, value } => {
                let elem = self.scratch(*buffer)?;
                let closed = operator.result_type(elem) == Some(elem) && is_exact(*operator, elem);
                require(closed, || format!("there is no atomic {operator} of {elem}"))?;
                self.expect(at, I64, "an index", scope)?;
                self.expect(value, elem, "what is combined", scope)
            }
            Stmt::AtomicElement { operator, array, at, value } => {
                let elem = self.shared(*array)?;
                let closed = operator.result_type(elem) == Some(elem) && is_exact(*operator, elem);
                require(closed && elem.size_bytes() >= 4, || format!("there is no atomic {operator} of {elem}"))?;
                self.expect(at, I64, "an index", scope)?;
                self.expect(value, elem, "what is combined", scope)
            }
            Stmt::Rank { into, counts, marks, at } => {
                for array in [counts, marks] {
                    same(self.shared(*array)?, U32, "what is counted")?;
                }
                let (info, marks) = (&self.kernel.arrays[*counts], &self.kernel.arrays[*marks]);
                require(info.count == marks.count, || format!("{} and {} differ in length", info.name, marks.name))?;
                self.expect(at, I64, "an index", scope)?;
                self.target(*into, U32, scope)
            }
            Stmt::Announce { words, at, count } => {
                same(self.scratch(*words)?, I32, "what is announced")?;
                self.expect(at, I64, "an index", scope)?;
                self.expect(count, I32, "what is announced", scope)
            }
            Stmt::Earlier { into, words, tops, tiles, tile, column, own } => {
                same(self.scratch(*words)?, I32, "what is announced")?;
                same(self.scratch(*tops)?, I64, "a sum of many tiles")?;
                [tiles, tile, column].into_iter().try_for_each(|x| self.expect(x, I64, "a number of a tile", scope))?;
                self.expect(own, I32, "what was announced", scope)?;
                self.target(*into, I64, scope)
            }
            Stmt::Publish { flags, at, value } => {
                let elem = self.scratch(*flags)?;
                self.expect(at, I64, "an index", scope)?;
                self.expect(value, elem, "what is published", scope)
            }
            Stmt::Send { words, at, value, flag } => {
                same(self.scratch(*words)?, ScalarType::I32, "words")?;
                self.expect(at, I64, "an index", scope)?;
                self.expr(value, scope)?;
                self.expect(flag, ScalarType::I32, "a flag", scope)
            }
            Stmt::Receive { value, flag, words, at, .. } => {
                same(self.scratch(*words)?, ScalarType::I32, "words")?;
                self.expect(at, I64, "an index", scope)?;
                same(self.local(*flag)?, ScalarType::I32, "a flag")?;
                self.assign(*value, scope)?;
                self.assign(*flag, scope)
            }
            Stmt::Run { args, into, ok, index, .. } => {
                for arg in args {
                    match arg {
                        RunArg::Value(x) => {
                            self.expr(x, scope)?;
                        }
                        RunArg::Buffer(p) => {
                            let read = matches!(self.param(*p)?, ParamKind::Input(_) | ParamKind::Scratch(_));
                            require(read, || "a function gets buffers that are read".into())?;
                        }
                    }
                }
                self.expect(index, I64, "an index", scope)?;
                same(self.local(*ok)?, BOOL, "whether nothing failed")?;
                self.declare(*ok, scope)?;
                for given in into {
                    if let Given::Held(v, _, count) = given {
                        same(self.local(*v)?, I64, "what stands for a buffer")?;
                        same(self.local(*count)?, I64, "a number of elements")?;
                    }
                    self.declare(given.local(), scope)?;
                }
                Ok(())
            }
            Stmt::Take { buffer, at, handle, count } => {
                self.written(*buffer)?;
                self.expect(at, I64, "an index", scope)?;
                self.expect(handle, I64, "what stands for a buffer", scope)?;
                self.expect(count, I64, "a number of elements", scope)
            }
            Stmt::Await { into, flags, at } => {
                let elem = self.scratch(*flags)?;
                self.expect(at, I64, "an index", scope)?;
                self.target(*into, elem, scope)
            }
        }
    }

    fn expect(&self, expr: &Expr, wanted: ScalarType, what: &str, scope: &Scope) -> Result<(), Fault> {
        same(self.expr(expr, scope)?, wanted, what)
    }

    fn expr(&self, expr: &Expr, scope: &Scope) -> Result<ScalarType, Fault> {
        Ok(match expr {
            Expr::Const(c) => c.ty(),
            Expr::Local(l) => {
                require(scope.locals.contains(l), || format!("{} is used before it is declared", self.local_name(*l)))?;
                self.local(*l)?
            }
            Expr::Param(p) => match self.param(*p)? {
                ParamKind::Scalar(s) | ParamKind::CellIn(s) => s,
                _ => {
                    return Err(format!("{} is not an operand", self.kernel.params[*p].name).into());
                }
            },
            Expr::Tile | Expr::Thread => I64,
            Expr::Failed => BOOL,
            Expr::Unary(op, x) => {
                let s = self.expr(x, scope)?;
                op.result_type(s).ok_or_else(|| format!("there is no {op} of {s}"))?
            }
            Expr::Binary(op, x, y) => {
                let s = self.expr(x, scope)?;
                self.expect(y, s, "the second operand", scope)?;
                op.result_type(s).ok_or_else(|| format!("there is no {op} of {s}"))?
            }
            Expr::Quotient(x, y) => {
                let s = self.expr(x, scope)?;
                require(matches!(s, I64 | I32), || format!("a quotient of {s}"))?;
                self.expect(y, s, "the second operand", scope)?;
                s
            }
            Expr::Exact(op, x, y) => {
                require(matches!(op, BinOp::Add | BinOp::Sub | BinOp::Mul), || format!("an exact {op}"))?;
                self.expect(x, I32, "the first operand", scope)?;
                self.expect(y, I32, "the second operand", scope)?;
                I32
            }
            Expr::Fma(x, y, z) => {
                let s = self.expr(x, scope)?;
                require(s.is_float(), || "fma is for floats".into())?;
                self.expect(y, s, "the second operand", scope)?;
                self.expect(z, s, "the third operand", scope)?;
                s
            }
            Expr::Convert(to, x) => {
                self.expr(x, scope)?;
                *to
            }
            Expr::Ordinal(x) => terrace_base::ordinal_type(self.expr(x, scope)?),
            Expr::Select(c, x, y) => {
                self.expect(c, BOOL, "a condition", scope)?;
                let s = self.expr(x, scope)?;
                self.expect(y, s, "the second choice", scope)?;
                s
            }
            Expr::Load(p, at) => {
                self.expect(at, I64, "an index", scope)?;
                match self.param(*p)? {
                    ParamKind::Input(s) | ParamKind::Output(s) | ParamKind::Scratch(s) => s,
                    _ => {
                        return Err(format!("{} is not a buffer", self.kernel.params[*p].name).into());
                    }
                }
            }
            Expr::LoadFresh(p, at) => {
                self.expect(at, I64, "an index", scope)?;
                self.scratch(*p)?
            }
            Expr::Element(a, at) => {
                self.expect(at, I64, "an index", scope)?;
                self.array(*a)?
            }
            Expr::Shuffle(_, x, lane) => {
                require(self.expr(lane, scope)?.is_int(), || "a lane is an integer".into())?;
                self.expr(x, scope)?
            }
        })
    }
}

fn same(found: ScalarType, wanted: ScalarType, what: &str) -> Result<(), Fault> {
    require(found == wanted, || format!("{what}: found {found}, wanted {wanted}"))
}
