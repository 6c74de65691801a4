//! Looking ahead: which kernels a list of statements will launch.
//!
//! A device that compiles kernels late wants to know of several at once, so that several compilers work. When the host enters a list, all launches that
//! follow in it, and in the loops in it, are about to happen. Branches are not looked into: which of two versions runs is what they decide,
//! and their lists are entered in turn. Of a kernel with a twin for small indices it is the twin: whether its numbers are small shows at the launch, and they usually are.
//!
//! ```text
//! launch a; if many rows { launch b } else { launch c }; while … { launch d }       a and d, then b or c
//! ```

use terrace_plan::host::HostStmt;

use super::Executor;
use crate::error::RunError;

impl Executor<'_> {
    /// Makes sure that the launches of a list do not wait for a compiler one by one.
    pub(super) fn prepare(&mut self, list: &[HostStmt]) -> Result<(), RunError> {
        if !self.code.compiles_late() || !self.prepared.insert(list.as_ptr() as usize) {
            return Ok(());
        }
        let mut kernels = Vec::new();
        launches(list, &mut kernels);
        let taken = |kernel: &usize| match self.plan.kernels.get(*kernel).and_then(|text| text.small.as_ref()) {
            Some(small) if self.options.index_limit > 0 => small.kernel,
            _ => *kernel,
        };
        let kernels: Vec<usize> = kernels.iter().map(taken).collect();
        self.code.prepare(&kernels).map_err(RunError::Device)
    }
}

/// The kernels that a list launches for sure, in order, each once.
fn launches(list: &[HostStmt], kernels: &mut Vec<usize>) {
    for statement in list {
        match statement {
            HostStmt::Launch { kernel, .. } if !kernels.contains(kernel) => kernels.push(*kernel),
            HostStmt::While { cond, body, .. } => {
                launches(cond, kernels);
                launches(body, kernels);
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use terrace_base::Scalar;
    use terrace_plan::host::HostExpr;

    #[test]
    fn branches_are_not_looked_into() {
        let launch = |kernel| HostStmt::Launch { kernel, tiles: Vec::new(), args: Vec::new() };
        let yes = || HostExpr::Const(Scalar::Bool(true));
        let list = vec![
            launch(3),
            HostStmt::If { cond: yes(), then: vec![launch(4)], otherwise: vec![launch(5)] },
            HostStmt::While { cond: vec![launch(6)], test: yes(), body: vec![launch(3), launch(7)] },
        ];
        let mut kernels = Vec::new();
        launches(&list, &mut kernels);
        assert_eq!(kernels, [3, 6, 7]);
    }
}
