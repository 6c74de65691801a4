//! From numbers to places: the range of an axis, and round numbers along it.
//!
//! ```text
//! 0.013 … 0.987       ticks at 0.2, 0.4, 0.6, 0.8
//! 3 … 3               one value has no range: 1.5 … 4.5 is shown around it
//! -1e308 … 1e308      differences are halved, so that none overflows
//! 1e300 … 1e300+ε     too close for two numbers to be told apart: as for one value
//! ```
//!
//! Steps are 1, 2 or 5 times a power of ten, and 1 at least where only whole numbers make sense.

/// A range of numbers, never empty.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Scale {
    pub(crate) low: f64,
    pub(crate) high: f64,
    /// Whether only whole numbers are marked.
    whole: bool,
}

impl Scale {
    /// The range of the finite ones of these numbers; none if there are none.
    pub(crate) fn of(values: impl Iterator<Item = f64>, whole: bool) -> Option<Scale> {
        let widen = |range: Option<(f64, f64)>, v: f64| match range {
            Some((low, high)) => Some((low.min(v), high.max(v))),
            None => Some((v, v)),
        };
        let (low, high) = values.filter(|v| v.is_finite()).fold(None, widen)?;
        Some(Scale::new(low, high, whole))
    }

    /// From one number to another, or around both if they are too close.
    pub(crate) fn new(low: f64, high: f64, whole: bool) -> Scale {
        let size = low.abs().max(high.abs());
        let close = high / 2.0 - low / 2.0 <= size * 1e-12 || high / 2.0 - low / 2.0 < 1e-290;
        let around = if size < 1e-290 || whole && size < 4.0 { 1.0 } else { size / 2.0 };
        match close {
            true => Scale { low: (low - around).max(f64::MIN), high: (high + around).min(f64::MAX), whole },
            false => Scale { low, high, whole },
        }
    }

    /// Half the range, which always is a number.
    fn half(&self) -> f64 {
        self.high / 2.0 - self.low / 2.0
    }

    /// Where a number lies, from 0 at the low end to 1 at the high one.
    pub(crate) fn part(&self, value: f64) -> f64 {
        (value / 2.0 - self.low / 2.0) / self.half()
    }

    /// A round distance, so that about so many of them fill the range.
    pub(crate) fn step(&self, count: f64) -> f64 {
        let raw = self.half() / count * 2.0;
        let power = 10f64.powi(raw.log10().floor() as i32);
        let times = [1.0, 2.0, 5.0].into_iter().find(|t| raw <= t * power * (1.0 + 1e-9)).unwrap_or(10.0);
        let step = times * power;
        if self.whole { step.max(1.0) } else { step }
    }

    /// Round numbers in the range, about so many, as they are written.
    pub(crate) fn ticks(&self, count: f64) -> Vec<(f64, String)> {
        let step = self.step(count);
        // A number that misses the end by its last digit is still there.
        let slack = 1e-9;
        let first = (self.low / step - slack).ceil();
        let last = (self.high / step + slack).floor();
        let many = (last - first).clamp(0.0, 50.0) as usize;
        let ticks = (0..=many).map(|k| (first + k as f64) * step);
        let ticks = ticks.filter(|t| t.is_finite() && self.part(*t) > -0.01 && self.part(*t) < 1.01);
        ticks.map(|t| (t, label(t, step, self.low.abs().max(self.high.abs())))).collect()
    }
}

/// A number with as many digits as its neighbours at this distance need.
fn label(value: f64, step: f64, largest: f64) -> String {
    let place = |v: f64| if v == 0.0 { 0 } else { (v.abs() * (1.0 + 1e-9)).log10().floor() as i32 };
    if value.abs() < step / 2.0 {
        return "0".to_string();
    }
    if !(1e-4..1e7).contains(&largest) {
        let digits = (place(value) - place(step)).clamp(0, 15) as usize;
        return format!("{value:.digits$e}").replace('-', "−");
    }
    let digits = (-place(step)).max(0) as usize;
    format!("{value:.digits$}").replace('-', "−")
}

/// A step, for a sentence.
pub(crate) fn spelled_step(step: f64) -> String {
    label(step, step, step)
}
