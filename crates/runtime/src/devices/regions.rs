//! Which kernels are wanted together, and which perhaps never.
//!
//! A plan holds more than one run needs: other entries, the version of a nest for rows that are short, waves beside threads. Compiling all of it
//! is most of what a first run waits for. So the kernels of a plan are divided into *regions*, by where the host launches them:
//!
//! ```text
//! entry sort_rows:   launch a
//!                    if many rows { launch b }            b is short: it stays with a
//!                    else { call waves }                  waves are long, and called from elsewhere too: a region
//! entry make:        launch c                             short: joins its neighbour
//! functions that threads run by themselves                one region: they share a text
//! ```
//!
//! The first launch in a region compiles the whole of it, in as many units as there are cores; the others wait until they are wanted. What is short is
//! no region of its own: starting a compiler costs as much as a few kernels do.

use std::collections::BTreeSet;
use terrace_plan::Plan;
use terrace_plan::host::HostStmt;

/// The least text that is worth waiting with.
const WORTH: usize = 12 << 10;

/// The kernels of a plan, each in one region; in the order of the entries that launch them.
pub(super) fn regions(plan: &Plan) -> Vec<Vec<usize>> {
    let mut found = Found {
        plan,
        sites: call_sites(plan),
        owner: vec![None; plan.kernels.len()],
        regions: 0,
        walked: BTreeSet::new(),
    };
    for entry in &plan.entries {
        found.function(entry.function);
    }
    for function in 0..plan.functions.len() {
        found.function(function);
    }
    let mut regions: Vec<Vec<usize>> = vec![Vec::new(); found.regions];
    let (mut alone, mut never) = (Vec::new(), Vec::new());
    let twins: Vec<(usize, usize)> =
        plan.kernels.iter().enumerate().filter_map(|(k, text)| Some((text.small.as_ref()?.kernel, k))).collect();
    for (kernel, text) in plan.kernels.iter().enumerate() {
        let of = twins.iter().find(|(twin, _)| *twin == kernel).map_or(kernel, |(_, wide)| *wide);
        match found.owner[of] {
            _ if text.alone => alone.push(kernel),
            Some(region) => regions[region].push(kernel),
            None => never.push(kernel),
        }
    }
    let length = |region: &[usize]| region.iter().map(|k| plan.kernels[*k].text.len()).sum::<usize>();
    let mut all = joined(regions, length);
    all.extend([alone, never].into_iter().filter(|region| !region.is_empty()));
    all
}

/// The kernels of a plan in units, for compilers that take one unit after the other. Those that have a twin with small indices are a unit of
/// their own: most runs do without them.
pub(super) fn units_in_turn(plan: &Plan) -> Vec<Vec<usize>> {
    let apart = |region: Vec<usize>| {
        let (wide, usual): (Vec<usize>, Vec<usize>) =
            region.into_iter().partition(|k| plan.kernels[*k].small.is_some());
        [usual, wide]
    };
    regions(plan).into_iter().flat_map(apart).filter(|kernels| !kernels.is_empty()).collect()
}

/// Short regions join the next short ones, until they are worth a compiler.
fn joined(regions: Vec<Vec<usize>>, length: impl Fn(&[usize]) -> usize) -> Vec<Vec<usize>> {
    let (mut all, mut open) = (Vec::new(), Vec::new());
    for region in regions.into_iter().filter(|region| !region.is_empty()) {
        if length(&region) >= WORTH {
            all.push(region);
            continue;
        }
        open.extend(region);
        if length(&open) >= WORTH {
            all.push(std::mem::take(&mut open));
        }
    }
    all.extend(Some(open).filter(|region| !region.is_empty()));
    all
}

struct Found<'p> {
    plan: &'p Plan,
    /// How many statements outside of a function call it.
    sites: Vec<usize>,
    owner: Vec<Option<usize>>,
    regions: usize,
    walked: BTreeSet<usize>,
}

impl Found<'_> {
    /// A function that is a region, unless it is part of one already.
    fn function(&mut self, function: usize) {
        let plan = self.plan;
        if let Some(function) = plan.functions.get(function).filter(|_| self.walked.insert(function)) {
            let region = self.new_region();
            self.list(&function.body, region);
        }
    }

    fn new_region(&mut self) -> usize {
        self.regions += 1;
        self.regions - 1
    }

    fn list(&mut self, list: &[HostStmt], region: usize) {
        for statement in list {
            match statement {
                HostStmt::Launch { kernel, .. } => {
                    // A plan may be nonsense; then the launch says so.
                    if let Some(owner) = self.owner.get_mut(*kernel) {
                        owner.get_or_insert(region);
                    }
                }
                HostStmt::While { cond, body, .. } => {
                    self.list(cond, region);
                    self.list(body, region);
                }
                HostStmt::If { then, otherwise, .. } => {
                    for arm in [then, otherwise] {
                        let apart = self.length(arm, &mut BTreeSet::new()) >= WORTH;
                        let own = if apart { self.new_region() } else { region };
                        self.list(arm, own);
                    }
                }
                HostStmt::Call { function, .. }
                    if self.sites.get(*function) == Some(&1) && self.walked.insert(*function) =>
                {
                    let plan = self.plan;
                    self.list(&plan.functions[*function].body, region);
                }
                _ => {}
            }
        }
    }

    /// How long the text of all is that a list may launch.
    fn length(&self, list: &[HostStmt], called: &mut BTreeSet<usize>) -> usize {
        let of = |statement: &HostStmt| match statement {
            HostStmt::Launch { kernel, .. } => self.plan.kernels.get(*kernel).map_or(0, |k| k.text.len()),
            HostStmt::While { cond, body, .. } => self.length(cond, called) + self.length(body, called),
            HostStmt::If { then, otherwise, .. } => self.length(then, called) + self.length(otherwise, called),
            HostStmt::Call { function, .. } if called.insert(*function) => {
                self.plan.functions.get(*function).map_or(0, |f| self.length(&f.body, called))
            }
            _ => 0,
        };
        list.iter().map(of).sum()
    }
}

fn call_sites(plan: &Plan) -> Vec<usize> {
    let mut sites = vec![0; plan.functions.len()];
    for (caller, function) in plan.functions.iter().enumerate() {
        let mut open: Vec<&[HostStmt]> = vec![&function.body];
        while let Some(list) = open.pop() {
            for statement in list {
                match statement {
                    HostStmt::Call { function, .. } if *function != caller => {
                        sites.get_mut(*function).into_iter().for_each(|n| *n += 1);
                    }
                    HostStmt::While { cond, body, .. } => open.extend([&cond[..], &body[..]]),
                    HostStmt::If { then, otherwise, .. } => open.extend([&then[..], &otherwise[..]]),
                    _ => {}
                }
            }
        }
    }
    // An entry is called from outside.
    for entry in &plan.entries {
        sites.get_mut(entry.function).into_iter().for_each(|n| *n += 2);
    }
    sites
}

#[cfg(test)]
mod tests {
    use super::*;
    use terrace_base::{Scalar, Span};
    use terrace_plan::host::{HostExpr, HostFunction};
    use terrace_plan::layout::Layout;
    use terrace_plan::{Entry, KernelText, Target, VERSION};

    fn launch(kernel: usize) -> HostStmt {
        HostStmt::Launch { kernel, tiles: Vec::new(), args: Vec::new() }
    }

    fn call(function: usize) -> HostStmt {
        HostStmt::Call { function, args: Vec::new(), results: Vec::new(), span: Span::none() }
    }

    fn either(then: Vec<HostStmt>, otherwise: Vec<HostStmt>) -> HostStmt {
        HostStmt::If { cond: HostExpr::Const(Scalar::Bool(true)), then, otherwise }
    }

    /// Kernels by their length in units of 1 KB; functions by their bodies, of which the first are entries.
    fn plan(kernels: &[usize], entries: usize, bodies: Vec<Vec<HostStmt>>) -> Plan {
        let kernel = |kb: &usize| KernelText {
            name: "k".to_string(),
            text: "x".repeat(kb << 10),
            params: Vec::new(),
            phases: 1,
            block: 1,
            small: None,
            alone: false,
            span: Span::none(),
        };
        let function = |body| HostFunction {
            name: "f".to_string(),
            slots: Vec::new(),
            params: Vec::new(),
            results: Vec::new(),
            body,
        };
        let entry = |function| Entry {
            name: "e".to_string(),
            is_test: false,
            function,
            params: Vec::new(),
            consumed: Vec::new(),
            result: Layout::Tuple(Vec::new()),
        };
        Plan {
            version: VERSION,
            target: Target::C,
            functions: bodies.into_iter().map(function).collect(),
            kernels: kernels.iter().map(kernel).collect(),
            preamble: String::new(),
            alone: String::new(),
            entries: (0..entries).map(entry).collect(),
            checks: Vec::new(),
            thresholds: Vec::new(),
        }
    }

    #[test]
    fn what_is_long_and_may_not_be_wanted_stands_apart() {
        // Two arms, one long; the short one stays.
        let arms = vec![vec![launch(0), either(vec![launch(1)], vec![launch(2)])]];
        assert_eq!(regions(&plan(&[20, 1, 20], 1, arms)), [vec![0, 1], vec![2]]);
        // A function with one caller is part of it; with two, a region; calls of itself do not count.
        let one = vec![vec![launch(0), call(1)], vec![launch(1), call(1)]];
        assert_eq!(regions(&plan(&[20, 20], 1, one)), [vec![0, 1]]);
        let two = vec![vec![launch(0), call(2)], vec![launch(1), call(2)], vec![launch(2)]];
        assert_eq!(regions(&plan(&[20, 20, 20], 2, two)), [vec![0], vec![1], vec![2]]);
        // A short arm that calls something long.
        let waves = vec![vec![launch(0), either(vec![launch(1)], vec![call(1)])], vec![launch(2), call(1)]];
        assert_eq!(regions(&plan(&[20, 1, 20], 1, waves)), [vec![0, 1], vec![2]]);
    }

    #[test]
    fn short_regions_join() {
        let entries = (0..5).map(|k| vec![launch(k)]).collect();
        assert_eq!(regions(&plan(&[5, 5, 30, 5, 5], 5, entries)), [vec![2], vec![0, 1, 3], vec![4]]);
    }

    #[test]
    fn threads_that_run_functions_share_a_text() {
        let mut alone = plan(&[20, 1, 1], 2, vec![vec![launch(0), launch(1)], vec![launch(2)]]);
        alone.kernels[1].alone = true;
        alone.kernels[2].alone = true;
        assert_eq!(regions(&alone), [vec![0], vec![1, 2]]);
        // What nobody launches is there, and last.
        assert_eq!(regions(&plan(&[20, 20], 1, vec![vec![launch(1)]])), [vec![1], vec![0]]);
    }
}
