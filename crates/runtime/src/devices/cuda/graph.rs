//! Recorded loops as CUDA graphs: a chain of nodes, one per launch or zeroing, behind the gate.
//!
//! ```text
//! record   cuGraphCreate, cuGraphAdd…Node in order, cuGraphInstantiate       once per loop
//! change   cuGraphExec…NodeSetParams                                         a node whose arguments differ from the last start
//! start    cuGraphLaunch                                                     many turns
//! ```
//!
//! A graph that still runs may be changed and started again: starts before keep what they had, and the stream keeps the order.

use super::driver::{Driver, Graph, GraphLaunch, Node, Started};
use super::{CudaCode, LoadedKernel, compile_cubin};
use crate::devices::Work;
use crate::devices::replay::{GATE, GATE_NAME, Recorder};

/// A graph that can be started.
pub(super) struct Recorded {
    graph: Graph,
    started: Started,
    /// One per piece of work; the gate comes before them.
    nodes: Vec<Node>,
}

impl Recorded {
    pub(super) fn destroy(self, driver: &Driver) {
        driver.destroy_graph(self.graph, Some(self.started));
    }
}

impl CudaCode {
    fn gate(&self) -> Result<&LoadedKernel, String> {
        let load = || {
            let cubin = compile_cubin(GATE, &self.gpu.arch)?;
            let driver = self.gpu.enter()?;
            let module = driver.load_module(&cubin)?;
            Ok(LoadedKernel { module, phases: vec![driver.function(module, GATE_NAME)?] })
        };
        self.gate.get_or_init(load).as_ref().map_err(String::clone)
    }

    fn add(&self, driver: &Driver, graph: Graph, after: Node, work: &Work) -> Result<Node, String> {
        match work {
            Work::Launch { kernel, phase, tiles, values } => {
                let (function, _, grid, block) = self.phase(*kernel, *phase, *tiles)?;
                driver.add_kernel(graph, &[after], GraphLaunch { function, grid, block, values })
            }
            Work::Zero { address, bytes } => driver.add_zero(graph, &[after], (*address, *bytes), self.gpu.context),
        }
    }

    fn chain(&self, driver: &Driver, graph: Graph, err: u64, work: &[Work]) -> Result<(Vec<Node>, Started), String> {
        let function = *self.gate()?.phases.first().ok_or("the gate has no function")?;
        let mut last = driver.add_kernel(graph, &[], GraphLaunch { function, grid: 1, block: 1, values: &[err] })?;
        let mut nodes = Vec::with_capacity(work.len());
        for work in work {
            last = self.add(driver, graph, last, work)?;
            nodes.push(last);
        }
        Ok((nodes, driver.instantiate(graph)?))
    }
}

impl Recorder for CudaCode {
    type Recording = Recorded;

    fn one(&self, work: &Work) -> Result<(), String> {
        let driver = self.gpu.enter()?;
        match work {
            Work::Launch { kernel, phase, tiles, values } => {
                let (function, name, grid, block) = self.phase(*kernel, *phase, *tiles)?;
                driver.launch(function, name, grid, block, &mut values.clone(), self.gpu.stream)
            }
            Work::Zero { address, bytes } => driver.zero(*address, *bytes as usize, self.gpu.stream),
        }
    }

    fn record(&self, err: u64, work: &[Work]) -> Result<Recorded, String> {
        let driver = self.gpu.enter()?;
        let graph = driver.create_graph()?;
        match self.chain(driver, graph, err, work) {
            Ok((nodes, started)) => Ok(Recorded { graph, started, nodes }),
            Err(why) => {
                driver.destroy_graph(graph, None);
                Err(why)
            }
        }
    }

    fn change(&self, recording: &mut Recorded, at: usize, work: &Work) -> Result<(), String> {
        let driver = self.gpu.enter()?;
        let (started, node) = (recording.started, recording.nodes[at]);
        match work {
            Work::Launch { kernel, phase, tiles, values } => {
                let (function, _, grid, block) = self.phase(*kernel, *phase, *tiles)?;
                driver.set_kernel(started, node, GraphLaunch { function, grid, block, values })
            }
            Work::Zero { address, bytes } => driver.set_zero(started, node, (*address, *bytes), self.gpu.context),
        }
    }

    fn start(&self, recording: &mut Recorded) -> Result<(), String> {
        self.gpu.enter()?.start_graph(recording.started, self.gpu.stream)
    }

    fn forget(&self, recording: Recorded) {
        // Where it still runs, the driver waits with the rest.
        if let Ok(driver) = self.gpu.enter() {
            recording.destroy(driver);
        }
    }
}
