//! Arithmetic over the sizes of a case: how much work it is, how many bytes it must move.
//!
//! ```text
//! 27 * s0 ^ 3                       s0 = 10        27000
//! s0 * (4 + mean_quotient(s1))      4 and 3        (3 + 1 + 1) / 3 more than 4, four times
//! ```
//!
//! `s0`, `s1`, … are the sizes in their order; `+ - * / ^` bind as usual, `^` to the right and closest. It declines everything else, with the
//! place of what it does not understand.

/// A formula that was understood.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Formula {
    Number(f64),
    Size(usize),
    Binary(char, Box<Formula>, Box<Formula>),
    Call(Function, Vec<Formula>),
}

/// What a formula can call.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Function {
    /// The mean of `m / k`, without remainder, over k from 1 to m: how long the rows of a power law are.
    MeanQuotient,
    Log2,
    Sqrt,
    Min,
    Max,
}

const FUNCTIONS: &[(&str, Function, usize)] = &[
    ("mean_quotient", Function::MeanQuotient, 1),
    ("log2", Function::Log2, 1),
    ("sqrt", Function::Sqrt, 1),
    ("min", Function::Min, 2),
    ("max", Function::Max, 2),
];

impl Formula {
    /// Reads a formula over so many sizes.
    pub(crate) fn parse(text: &str, sizes: usize) -> Result<Formula, String> {
        let mut reader = Reader { text, at: 0, sizes };
        let formula = reader.sum()?;
        match reader.next() {
            None => Ok(formula),
            Some(_) => Err(reader.wrong("an operator or the end")),
        }
    }

    /// Its value at some sizes.
    pub(crate) fn at(&self, sizes: &[i64]) -> f64 {
        match self {
            Formula::Number(x) => *x,
            Formula::Size(k) => sizes.get(*k).map_or(f64::NAN, |s| *s as f64),
            Formula::Binary(op, a, b) => {
                let (a, b) = (a.at(sizes), b.at(sizes));
                match op {
                    '+' => a + b,
                    '-' => a - b,
                    '*' => a * b,
                    '/' => a / b,
                    _ => a.powf(b),
                }
            }
            Formula::Call(function, args) => {
                let x: Vec<f64> = args.iter().map(|a| a.at(sizes)).collect();
                match function {
                    Function::MeanQuotient => mean_quotient(x[0] as i64),
                    Function::Log2 => x[0].log2(),
                    Function::Sqrt => x[0].sqrt(),
                    Function::Min => x[0].min(x[1]),
                    Function::Max => x[0].max(x[1]),
                }
            }
        }
    }
}

fn mean_quotient(m: i64) -> f64 {
    (1..=m).map(|k| (m / k) as f64).sum::<f64>() / m as f64
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    sizes: usize,
}

impl Reader<'_> {
    fn next(&mut self) -> Option<char> {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
        self.text[self.at..].chars().next()
    }

    fn takes(&mut self, c: char) -> bool {
        let found = self.next() == Some(c);
        self.at += if found { c.len_utf8() } else { 0 };
        found
    }

    fn wrong(&self, wanted: &str) -> String {
        format!("`{}`: expected {wanted} at `{}`", self.text, &self.text[self.at..])
    }

    /// What stands here for as long as the characters are of a kind.
    fn word(&mut self, kind: impl Fn(char) -> bool) -> String {
        let rest = &self.text[self.at..];
        let end = rest.find(|c| !kind(c)).unwrap_or(rest.len());
        self.at += end;
        rest[..end].to_string()
    }

    fn chain(
        &mut self,
        operators: [char; 2],
        part: fn(&mut Self) -> Result<Formula, String>,
    ) -> Result<Formula, String> {
        let mut left = part(self)?;
        while let Some(op) = self.next().filter(|c| operators.contains(c)) {
            self.at += 1;
            left = Formula::Binary(op, Box::new(left), Box::new(part(self)?));
        }
        Ok(left)
    }

    fn sum(&mut self) -> Result<Formula, String> {
        self.chain(['+', '-'], Self::product)
    }

    fn product(&mut self) -> Result<Formula, String> {
        self.chain(['*', '/'], Self::power)
    }

    fn power(&mut self) -> Result<Formula, String> {
        let base = self.atom()?;
        if self.takes('^') {
            return Ok(Formula::Binary('^', Box::new(base), Box::new(self.power()?)));
        }
        Ok(base)
    }

    fn atom(&mut self) -> Result<Formula, String> {
        if self.takes('(') {
            let inner = self.sum()?;
            return if self.takes(')') { Ok(inner) } else { Err(self.wrong("`)`")) };
        }
        let start = self.at;
        match self.next() {
            Some(c) if c.is_ascii_digit() => {
                let number = self.word(|c| c.is_ascii_digit() || c == '.');
                number.parse().map(Formula::Number).map_err(|_| self.wrong("a number"))
            }
            Some(c) if c.is_ascii_alphabetic() => {
                let name = self.word(|c| c.is_ascii_alphanumeric() || c == '_');
                if let Some(k) = name.strip_prefix('s').and_then(|k| k.parse::<usize>().ok()) {
                    let there = k < self.sizes;
                    return if there {
                        Ok(Formula::Size(k))
                    } else {
                        Err(format!("`{name}`: there are {} sizes", self.sizes))
                    };
                }
                let Some((_, function, count)) = FUNCTIONS.iter().find(|(n, ..)| *n == name) else {
                    self.at = start;
                    return Err(self.wrong("a size or a function"));
                };
                self.call(*function, *count)
            }
            _ => Err(self.wrong("a number, a size or `(`")),
        }
    }

    fn call(&mut self, function: Function, count: usize) -> Result<Formula, String> {
        if !self.takes('(') {
            return Err(self.wrong("`(`"));
        }
        let mut args = vec![self.sum()?];
        while self.takes(',') {
            args.push(self.sum()?);
        }
        match self.takes(')') && args.len() == count {
            true => Ok(Formula::Call(function, args)),
            false => Err(self.wrong(&format!("{count} arguments and `)`"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values() {
        let check = |text: &str, sizes: &[i64], wanted: f64| {
            assert_eq!(Formula::parse(text, sizes.len()).map(|f| f.at(sizes)), Ok(wanted), "{text}");
        };
        check("27 * s0 ^ 3", &[10], 27000.0);
        check("s0 - s1 - 1", &[10, 2], 7.0);
        check("2 ^ 3 ^ 2 / 4", &[], 128.0);
        check("(1 + s1 / 100) * 8 * s0", &[10, 50], 120.0);
        check("mean_quotient(s0) + log2(8) + sqrt(s0 * 3)", &[3], 5.0 / 3.0 + 6.0);
        check("min(s0, 2) + max(s0, 2)", &[7], 9.0);
    }

    #[test]
    fn mistakes() {
        let check = |text: &str, wanted: &str| assert_eq!(Formula::parse(text, 1), Err(wanted.to_string()));
        check("s0 +", "`s0 +`: expected a number, a size or `(` at ``");
        check("s1", "`s1`: there are 1 sizes");
        check("s0 s0", "`s0 s0`: expected an operator or the end at `s0`");
        check("log(s0)", "`log(s0)`: expected a size or a function at `log(s0)`");
        check("min(s0)", "`min(s0)`: expected 2 arguments and `)` at ``");
    }
}
