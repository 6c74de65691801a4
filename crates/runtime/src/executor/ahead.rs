//! Looking ahead: which kernels a list of statements will launch.
//!
//! A device that compiles kernels late wants to know of several at once, so that several compilers work. When the host enters a list, all launches that
//! follow in it, in its loops and in the functions it calls, are about to happen. Branches are not looked into: which of two versions runs is what they decide,
//! and their lists are entered in turn. Of a kernel with a twin for small indices it is the twin: whether its numbers are small shows at the launch, and they usually are.
//!
//! ```text
//! launch a; if many rows { launch b } else { launch c }; while … { launch d }; call f       a, d and those of f, then b or c
//! ```

use std::collections::BTreeSet;
use terrace_plan::host::{HostFunction, HostStmt};

use super::Executor;
use crate::error::RunError;

impl Executor<'_> {
    /// Makes sure that the launches of a list do not wait for a compiler one by one.
    pub(super) fn prepare(&mut self, list: &[HostStmt]) -> Result<(), RunError> {
        if !self.code.compiles_late() || !self.prepared.insert(list.as_ptr() as usize) {
            return Ok(());
        }
        let mut ahead = Ahead { functions: &self.plan.functions, called: BTreeSet::new(), kernels: Vec::new() };
        ahead.list(list);
        let kernels = ahead.kernels;
        let taken = |kernel: &usize| match self.plan.kernels.get(*kernel).and_then(|text| text.small.as_ref()) {
            Some(small) if self.options.index_limit > 0 => small.kernel,
            _ => *kernel,
        };
        let kernels: Vec<usize> = kernels.iter().map(taken).collect();
        self.code.prepare(&kernels).map_err(RunError::Device)
    }
}

/// The kernels that a list launches for sure, in order, each once.
struct Ahead<'p> {
    functions: &'p [HostFunction],
    called: BTreeSet<usize>,
    kernels: Vec<usize>,
}

impl Ahead<'_> {
    fn list(&mut self, list: &[HostStmt]) {
        for statement in list {
            match statement {
                HostStmt::Launch { kernel, .. } if !self.kernels.contains(kernel) => self.kernels.push(*kernel),
                HostStmt::While { cond, body, .. } => {
                    self.list(cond);
                    self.list(body);
                }
                HostStmt::Call { function, .. } if self.called.insert(*function) => {
                    let functions = self.functions;
                    functions.get(*function).into_iter().for_each(|f| self.list(&f.body));
                }
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use terrace_base::{Scalar, Span};
    use terrace_plan::host::HostExpr;

    #[test]
    fn branches_are_not_looked_into() {
        let launch = |kernel| HostStmt::Launch { kernel, tiles: Vec::new(), args: Vec::new() };
        let call = |function| HostStmt::Call { function, args: Vec::new(), results: Vec::new(), span: Span::none() };
        let yes = || HostExpr::Const(Scalar::Bool(true));
        let list = vec![
            launch(3),
            HostStmt::If { cond: yes(), then: vec![launch(4)], otherwise: vec![launch(5)] },
            HostStmt::While { cond: vec![launch(6)], test: yes(), body: vec![launch(3), launch(7)] },
            call(0),
        ];
        let body = vec![launch(8), call(0), HostStmt::If { cond: yes(), then: vec![launch(9)], otherwise: vec![] }];
        let functions =
            [HostFunction { name: String::new(), slots: Vec::new(), params: Vec::new(), results: Vec::new(), body }];
        let mut ahead = Ahead { functions: &functions, called: BTreeSet::new(), kernels: Vec::new() };
        ahead.list(&list);
        assert_eq!(ahead.kernels, [3, 6, 7, 8]);
    }
}
