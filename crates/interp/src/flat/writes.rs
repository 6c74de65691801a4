//! Operators that write where their points say: scatter, hist and sort.
//!
//! ```text
//! scatter  [9, 9, 9] with (1, a), (-1, b), (1, c)      9 c 9      the last point wins, -1 writes nothing
//! hist     4 bins of add with (2, 1), (0, 5), (2, 1)   5 0 2 0
//! sort     rows [3, 1], [], [2, 2]                     1 0 · 0 1  which index of the row comes there
//! ```
//!
//! A scatter counts what its points write, not what lies around: whether the destination is copied is decided where its
//! result gets a place. With memory, a result in its destination's place is written point by point, so that a point
//! that reads what another one overwrites is seen; elsewhere the destination is copied first.

use super::frame::Frame;
use super::machine::{Machine, Outcome, bug};
use super::memory::{Memory, RESULT};
use super::operator::{Fold, Results, Running, same};
use super::space::Step;
use std::cmp::Ordering;
use terrace_base::Scalar;
use terrace_ir::flat::note::Note;
use terrace_ir::flat::{Level, Operator, SortForm};
use terrace_ir::{Atom, ValueId};

impl<'p, A: Note, M: Memory> Machine<'p, A, M> {
    pub(super) fn scatter(
        &mut self,
        frame: &mut Frame<'p, A, M>,
        running: &mut Running<'p>,
        dest: &[ValueId],
        distinct: bool,
        binds: &'p [ValueId],
    ) -> Outcome<Results<M>> {
        let Some((at, values)) = running.op.body.results.split_first() else {
            return Err(bug("a scatter without a position"));
        };
        same(binds.len(), dest.len())?;
        same(values.len(), dest.len())?;
        let parallel = running.op.level != Level::Thread;
        let mut outs = self.outputs(frame, binds)?;
        self.memory.end();
        self.memory.begin(parallel);
        for (out, from) in outs.iter_mut().zip(dest) {
            let (column, place) = frame.column(*from)?;
            let (column, there) = (column.clone(), self.memory.same_place(place, &out.place));
            out.items = column.items().to_vec();
            out.made = Some(0);
            if !there {
                out.made = Some(column.len() as u64);
                self.counts.copied += column.len() as u64;
                for (k, item) in column.items().iter().enumerate() {
                    self.memory.point(k as u64);
                    if item.is_some() {
                        let value = self.read(frame, *from, k as i64)?;
                        self.put(frame, out, k, value)?;
                    }
                }
            }
        }
        self.memory.end();
        self.memory.begin(parallel);
        let length = outs.iter().map(|out| out.items.len()).min().unwrap_or(usize::MAX);
        let mut written = vec![false; if distinct && !outs.is_empty() { length } else { 0 }];
        loop {
            match self.step(frame, running)? {
                (Step::Point, true) => {
                    let position = frame.int(*at)?;
                    let values = values.iter().map(|v| frame.scalar(*v)).collect::<Outcome<Vec<_>>>()?;
                    let Ok(k) = usize::try_from(position) else {
                        continue;
                    };
                    if k >= length {
                        return Err(bug(format!("position {k} is written of {length}")));
                    }
                    if let Some(before) = written.get_mut(k)
                        && std::mem::replace(before, true)
                    {
                        return Err(bug(format!("position {k} is written twice")));
                    }
                    if !distinct {
                        self.memory.point(RESULT + k as u64);
                    }
                    for (out, value) in outs.iter_mut().zip(values) {
                        out.made = out.made.map(|n| n + 1);
                        self.put(frame, out, k, value)?;
                    }
                }
                (Step::Point, false) | (Step::Row, _) => {}
                (Step::End, _) => break,
            }
        }
        Ok(Results::columns(outs))
    }

    pub(super) fn hist(
        &mut self,
        frame: &mut Frame<'p, A, M>,
        running: &mut Running<'p>,
        operator: &'p Operator,
        neutral: &[Atom],
        count: Atom,
        binds: &'p [ValueId],
    ) -> Outcome<Results<M>> {
        let Some((bin, values)) = running.op.body.results.split_first() else {
            return Err(bug("a histogram without a bin"));
        };
        same(binds.len(), values.len())?;
        let fold = Fold::new(operator, neutral, values)?;
        let mut outs = self.outputs(frame, binds)?;
        let count = frame.int(count)?;
        let Ok(length) = usize::try_from(count) else {
            return Err(bug(format!("{count} bins")));
        };
        self.room(count, frame.function.span)?;
        let mut bins = vec![fold.start(frame)?; length];
        loop {
            match self.step(frame, running)? {
                (Step::Point, true) => {
                    let Ok(k) = usize::try_from(frame.int(*bin)?) else {
                        continue;
                    };
                    let Some(current) = bins.get_mut(k) else {
                        return Err(bug(format!("bin {k} of {length}")));
                    };
                    self.attempt(running, |machine| fold.step(machine, frame, current))?;
                }
                (Step::Point, false) | (Step::Row, _) => {}
                (Step::End, _) => break,
            }
        }
        for (k, values) in bins.iter().enumerate() {
            self.memory.point(RESULT + k as u64);
            for (out, value) in outs.iter_mut().zip(values) {
                self.push(frame, out, *value)?;
            }
        }
        Ok(Results::columns(outs))
    }

    pub(super) fn sort(
        &mut self,
        frame: &mut Frame<'p, A, M>,
        running: &mut Running<'p>,
        binds: &'p [ValueId],
        form: SortForm,
    ) -> Outcome<Results<M>> {
        let results = &running.op.body.results;
        if results.is_empty() {
            return Err(bug("a sort without a key"));
        }
        same(binds.len(), if form == SortForm::Order { 1 } else { results.len() })?;
        let mut outs = self.outputs(frame, binds)?;
        let mut keys: Vec<Vec<Scalar>> = Vec::new();
        loop {
            match self.step(frame, running)? {
                (Step::Point, through) => keys.push(match through {
                    true => results.iter().map(|r| frame.scalar(*r)).collect::<Outcome<Vec<_>>>()?,
                    false => Vec::new(),
                }),
                (Step::Row, _) => {
                    let keys = std::mem::take(&mut keys);
                    let mut order: Vec<usize> = (0..keys.len()).collect();
                    order.sort_by(|a, b| lexicographic(&keys[*a], &keys[*b]));
                    for (n, out) in outs.iter_mut().enumerate() {
                        for k in &order {
                            self.memory.point(RESULT + out.items.len() as u64);
                            let sorted = match form {
                                SortForm::Order => Scalar::I64(*k as i64),
                                SortForm::Keys => keys[*k].get(n).copied().unwrap_or(Scalar::I64(0)),
                            };
                            self.push(frame, out, sorted)?;
                        }
                    }
                }
                (Step::End, _) => break,
            }
        }
        Ok(Results::columns(outs))
    }

    /// Whole columns, one after the other.
    pub(super) fn concat(&mut self, frame: &mut Frame<'p, A, M>, columns: &[ValueId], id: ValueId) -> Outcome<()> {
        if self.open > 0 {
            return Err(bug("a concatenation of columns inside an operator"));
        }
        let mut out = self.output(frame, id)?;
        for from in columns {
            let column = frame.column(*from)?.0.clone();
            for (k, item) in column.items().iter().enumerate() {
                match item {
                    Some(_) => {
                        let value = self.read(frame, *from, k as i64)?;
                        self.push(frame, &mut out, value)?;
                    }
                    None => out.items.push(None),
                }
            }
        }
        self.bind_output(frame, out)
    }
}

fn lexicographic(a: &[Scalar], b: &[Scalar]) -> Ordering {
    a.iter().zip(b).map(|(x, y)| x.total_cmp(*y)).find(|o| o.is_ne()).unwrap_or(Ordering::Equal)
}
