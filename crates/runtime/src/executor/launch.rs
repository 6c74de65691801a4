//! Launches: arguments are checked against the kernel's parameters, then its phases are asked for in order. Where a kernel has a twin
//! with indices of 32 bits and the arguments are small enough, the twin runs; the books know only the kernel.

use std::sync::Arc;

use terrace_base::Scalar;
use terrace_plan::KernelParam;
use terrace_plan::host::{Argument, HostExpr, SlotType};
use terrace_plan::ranges::Small;

use super::{Executor, Value, bug};
use crate::devices::{Arg, Launch};
use crate::error::RunError;

impl Executor<'_> {
    /// Asks for all phases of a kernel; one without tiles is left out.
    pub(super) fn launch(&mut self, kernel: usize, tiles: &[HostExpr], args: &[Argument]) -> Result<(), RunError> {
        let Some(text) = self.plan.kernels.get(kernel) else {
            return bug(format!("there is no kernel {kernel}"));
        };
        if text.params.len() != args.len() || tiles.len() != text.phases.max(1) {
            return bug(format!("a launch of {} with other arguments or phases than it has", text.name));
        }
        self.hold(args)?;
        let args = text.params.iter().zip(args).map(|(param, arg)| self.argument(&text.name, *param, arg));
        let args = args.collect::<Result<Vec<_>, _>>()?;
        let tiles = tiles.iter().map(|tiles| self.integer(tiles)).collect::<Result<Vec<_>, _>>()?;
        let taken = taken(text.small.as_ref(), self.options.index_limit, &tiles, &args).unwrap_or(kernel);
        let arena = Arc::clone(&self.arena);
        let mut any = false;
        for (phase, tiles) in tiles.into_iter().enumerate() {
            let Ok(tiles) = u64::try_from(tiles) else {
                return bug(format!("a launch of {} over {tiles} tiles", text.name));
            };
            if tiles == 0 {
                continue;
            }
            any = true;
            self.launches += 1;
            let record = self.cells.record();
            let launch =
                Launch { kernel: taken, phase, tiles, record, number: self.launches, args: &args, arena: &arena };
            self.ask(&launch)?;
        }
        if text.alone {
            self.arena.after_launch();
        }
        if any {
            self.stats.launches += 1;
            self.stats.small_launches += u64::from(taken != kernel);
            self.stats.launches_per_kernel[kernel] += 1;
            self.stats.bytes_per_kernel[kernel] += given_bytes(&args);
        }
        Ok(())
    }

    fn argument(&self, kernel: &str, param: KernelParam, arg: &Argument) -> Result<Arg, RunError> {
        let wrong = |what: &str| bug(format!("an argument of {kernel} is {what} where {param:?} belongs"));
        let scalar = |value: Scalar| match param {
            KernelParam::Scalar(ty) if ty == value.ty() => Ok(Arg::Scalar(value)),
            _ => wrong("a scalar"),
        };
        let slot = match arg {
            Argument::Value(expr) => return scalar(self.eval(expr)?),
            Argument::Slot(slot) => *slot,
        };
        let Some(frame) = self.frames.last() else {
            return bug("no frame");
        };
        match (frame.get(slot)?, frame.ty(slot)?, param) {
            (Value::Host(value), _, _) => scalar(*value),
            (Value::Buffer(block), SlotType::Buffer(ty), KernelParam::Buffer(wanted)) if ty == wanted => {
                Ok(Arg::Address(block.handle, 0))
            }
            (Value::Cell(cell), SlotType::Cell(ty), KernelParam::Cell(wanted)) if ty == wanted => {
                Ok(Arg::Address(cell.block.handle, cell.offset))
            }
            (Value::Empty, ty, _) => wrong(&format!("a {ty:?} that holds nothing")),
            (_, ty, _) => wrong(&format!("a {ty:?}")),
        }
    }
}

/// The twin with small indices, if the launch has such.
fn taken(small: Option<&Small>, limit: i64, tiles: &[i64], args: &[Arg]) -> Option<usize> {
    let small = small.filter(|_| limit > 0)?;
    let most = tiles.iter().copied().max().unwrap_or(0);
    let scalar = |place: usize| match args.get(place)? {
        Arg::Scalar(value) => value.as_i64(),
        Arg::Address(..) => None,
    };
    small.ranges.hold(limit, most, &scalar).then_some(small.kernel)
}

/// The bytes of the different buffers among arguments; cells do not count. There are few, and a launch may take less time than a table of them.
fn given_bytes(args: &[Arg]) -> u64 {
    let buffers = || args.iter().filter_map(Arg::buffer);
    let new = |(at, (address, _)): &(usize, (u64, u64))| !buffers().take(*at).any(|(before, _)| before == *address);
    buffers().enumerate().filter(new).map(|(_, (_, bytes))| bytes).sum()
}
