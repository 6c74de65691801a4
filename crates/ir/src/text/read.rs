//! Pieces of text that several parsers read: the other way round of `write.rs`, and of how sizes print.

use super::lex::{Kind, Token, place, tokens};
use crate::check::{CheckId, CheckInfo, CheckKind};
use crate::flat::{Threshold, ThresholdId};
use crate::{Atom, FuncId, ValueId};
use terrace_algebra::{Size, SizeFun, SizeVar, sum};
use terrace_base::{BinOp, IdVec, Scalar, ScalarType, Span};
use terrace_plan::data::Data;
use terrace_plan::layout::{DimLayout, Layout};

pub(crate) type Read<T> = Result<T, String>;

/// A text, and how far it has been read.
pub(crate) struct Reader<'a> {
    text: &'a str,
    tokens: Vec<Token>,
    at: usize,
    functions: Vec<String>,
    bound: Vec<(String, SizeVar)>,
}

/// A table is filled up to the largest number, so a slip of the pen must not make it huge.
const MOST_VALUES: usize = 1 << 20;

/// The largest exponent in a size.
const MOST_DEGREE: usize = 64;

/// The value that a word stands for: what is before the last `_`, and the number after it.
fn value_word(word: &str) -> Option<(&str, ValueId)> {
    let (name, number) = word.rsplit_once('_')?;
    let digits = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
    let number: usize = if digits {
        number.parse().ok()?
    } else {
        return None;
    };
    (number < MOST_VALUES).then(|| (name, ValueId::new(number)))
}

fn numbered(word: &str, letter: char) -> Option<u32> {
    word.strip_prefix(letter)?.parse().ok()
}

impl<'a> Reader<'a> {
    pub(crate) fn new(text: &'a str) -> Read<Reader<'a>> {
        let mut reader = Reader { text, tokens: tokens(text)?, at: 0, functions: Vec::new(), bound: Vec::new() };
        reader.functions = reader.find_functions()?;
        Ok(reader)
    }

    // Calls may come before the function: all names first.
    fn find_functions(&mut self) -> Read<Vec<String>> {
        let (mut names, mut depth) = (Vec::new(), 0);
        while !self.at_end() {
            match self.peek() {
                Kind::Sign("{") => depth += 1,
                Kind::Sign("}") => depth -= 1,
                Kind::Word(w) if depth == 0 && ["def", "entry", "test"].contains(&w.as_str()) => {
                    let test = w == "test";
                    self.at += 1;
                    if test {
                        self.string()?;
                    }
                    names.push(self.function_name()?);
                    continue;
                }
                _ => {}
            }
            self.at += 1;
        }
        self.at = 0;
        Ok(names)
    }

    pub(crate) fn peek(&self) -> &Kind {
        &self.tokens[self.at].kind
    }

    fn peek_after(&self, n: usize) -> &Kind {
        &self.tokens[(self.at + n).min(self.tokens.len() - 1)].kind
    }

    pub(crate) fn at_end(&self) -> bool {
        *self.peek() == Kind::End
    }

    fn step(&mut self) -> Kind {
        let kind = self.peek().clone();
        if kind != Kind::End {
            self.at += 1;
        }
        kind
    }

    pub(crate) fn fail<T>(&self, message: impl AsRef<str>) -> Read<T> {
        Err(place(self.text, self.tokens[self.at].start, message.as_ref()))
    }

    pub(crate) fn is_sign(&self, sign: &str) -> bool {
        matches!(self.peek(), Kind::Sign(s) if *s == sign)
    }

    pub(crate) fn is_word(&self, word: &str) -> bool {
        matches!(self.peek(), Kind::Word(w) if w == word)
    }

    /// Whether a value comes next.
    pub(crate) fn is_value(&self) -> bool {
        matches!(self.peek(), Kind::Word(w) if value_word(w).is_some())
    }

    pub(crate) fn take(&mut self, sign: &str) -> bool {
        let found = self.is_sign(sign);
        self.at += usize::from(found);
        found
    }

    pub(crate) fn take_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        self.at += usize::from(found);
        found
    }

    pub(crate) fn want(&mut self, sign: &str) -> Read<()> {
        if self.take(sign) { Ok(()) } else { self.fail(format!("`{sign}` is wanted here")) }
    }

    pub(crate) fn want_word(&mut self, word: &str) -> Read<()> {
        if self.take_word(word) { Ok(()) } else { self.fail(format!("`{word}` is wanted here")) }
    }

    pub(crate) fn word(&mut self) -> Read<String> {
        match self.peek().clone() {
            Kind::Word(w) => {
                self.at += 1;
                Ok(w)
            }
            _ => self.fail("a word is wanted here"),
        }
    }

    pub(crate) fn string(&mut self) -> Read<String> {
        match self.peek().clone() {
            Kind::Text(text) => {
                self.at += 1;
                Ok(text)
            }
            _ => self.fail("a string is wanted here"),
        }
    }

    pub(crate) fn number(&mut self) -> Read<usize> {
        let found = match self.peek() {
            Kind::Number(n) => n.parse().ok(),
            _ => None,
        };
        match found {
            Some(n) => {
                self.at += 1;
                Ok(n)
            }
            None => self.fail("a number is wanted here"),
        }
    }

    /// Items between commas, up to a sign that is taken.
    pub(crate) fn list<T>(&mut self, end: &str, item: &mut dyn FnMut(&mut Self) -> Read<T>) -> Read<Vec<T>> {
        let mut out = Vec::new();
        while !self.take(end) {
            out.push(item(self)?);
            if !self.take(",") {
                self.want(end)?;
                break;
            }
        }
        Ok(out)
    }

    /// At least one item, with commas between them.
    pub(crate) fn some<T>(&mut self, item: &mut dyn FnMut(&mut Self) -> Read<T>) -> Read<Vec<T>> {
        let mut out = vec![item(self)?];
        while self.take(",") {
            out.push(item(self)?);
        }
        Ok(out)
    }

    /// A function's name; what follows is its `(`.
    pub(crate) fn function_name(&mut self) -> Read<String> {
        if let Kind::Text(_) = self.peek() {
            return self.string();
        }
        let start = self.tokens[self.at].start;
        while !self.is_sign("(") {
            if self.at_end() {
                return self.fail("a function's name is wanted here");
            }
            self.at += 1;
        }
        Ok(self.text[start..self.tokens[self.at].start].trim().to_string())
    }

    /// The function that a call names.
    pub(crate) fn function(&mut self) -> Read<FuncId> {
        let name = self.function_name()?;
        match self.functions.iter().position(|f| *f == name) {
            Some(i) => Ok(FuncId::new(i)),
            None => self.fail(format!("there is no function {name}")),
        }
    }

    pub(crate) fn value(&mut self) -> Read<(String, ValueId)> {
        let found = match self.peek() {
            Kind::Word(w) => value_word(w).map(|(name, id)| (name.to_string(), id)),
            _ => None,
        };
        match found {
            Some(value) => {
                self.at += 1;
                Ok(value)
            }
            None => self.fail("a value is wanted here"),
        }
    }

    pub(crate) fn value_id(&mut self) -> Read<ValueId> {
        Ok(self.value()?.1)
    }

    /// The position that an array type binds, if the type says one: a value, or a bare size variable.
    pub(crate) fn position(&mut self) -> Option<(Option<String>, SizeVar)> {
        let Kind::Word(w) = self.peek() else {
            return None;
        };
        let found = match value_word(w) {
            Some((name, id)) => (Some(name.to_string()), crate::size_var(id)),
            None => (None, SizeVar(numbered(w, 's')?)),
        };
        if *self.peek_after(1) != Kind::Sign("<") {
            return None;
        }
        self.at += 2;
        Some(found)
    }

    pub(crate) fn scalar_type(&mut self) -> Read<ScalarType> {
        match self.peek_scalar_type() {
            Some(s) => {
                self.at += 1;
                Ok(s)
            }
            None => self.fail("a scalar type is wanted here"),
        }
    }

    pub(crate) fn peek_scalar_type(&self) -> Option<ScalarType> {
        match self.peek() {
            Kind::Word(w) => ScalarType::from_name(w),
            _ => None,
        }
    }

    pub(crate) fn scalar(&mut self) -> Read<Scalar> {
        let start = self.at;
        let minus = if self.take("-") { "-" } else { "" };
        let text = match self.step() {
            Kind::Number(n) => n,
            Kind::Word(w) => w,
            _ => String::new(),
        };
        match Scalar::parse(&format!("{minus}{text}")) {
            Some(s) => Ok(s),
            None => {
                self.at = start;
                self.fail("an operand is wanted here")
            }
        }
    }

    pub(crate) fn atom(&mut self) -> Read<Atom> {
        if self.is_value() { Ok(Atom::Var(self.value_id()?)) } else { Ok(Atom::Const(self.scalar()?)) }
    }

    pub(crate) fn atoms(&mut self, end: &str) -> Read<Vec<Atom>> {
        self.list(end, &mut |r| r.atom())
    }

    /// The operator between two operands, if one comes next.
    pub(crate) fn binary(&mut self) -> Option<BinOp> {
        let symbol = match self.peek() {
            Kind::Sign(s) => *s,
            Kind::Word(w) => w.as_str(),
            _ => return None,
        };
        let op = BinOp::ALL.into_iter().find(|op| op.symbol() == symbol)?;
        self.at += 1;
        Some(op)
    }

    pub(crate) fn check_id(&mut self) -> Read<CheckId> {
        Ok(CheckId::new(self.number()?))
    }

    /// A nested value; a variant stands with its number, `circle@0(1.5)`.
    pub(crate) fn data(&mut self) -> Read<Data> {
        if self.take("[") {
            return Ok(Data::Array(self.list("]", &mut |r| r.data())?));
        }
        if self.take("(") {
            return Ok(Data::Tuple(self.list(")", &mut |r| r.data())?));
        }
        if *self.peek_after(1) == Kind::Sign("@") {
            let name = self.word()?;
            self.want("@")?;
            let tag = self.number()?;
            let fields = if self.take("(") { self.list(")", &mut |r| r.data())? } else { Vec::new() };
            return Ok(Data::variant(tag, name, fields));
        }
        Ok(Data::Scalar(self.scalar()?))
    }

    /// The list of checks that a program starts with.
    pub(crate) fn checks(&mut self) -> Read<IdVec<CheckId, CheckInfo>> {
        let mut out = IdVec::new();
        while self.take_word("check") {
            let id = self.check_id()?;
            if id != out.next_id() {
                return self.fail("checks are numbered from 0");
            }
            self.want(":")?;
            let kind = match self.word()?.as_str() {
                "index" => CheckKind::Index,
                "slice" => CheckKind::Slice,
                "zip" => CheckKind::Zip,
                "division" => CheckKind::Division,
                "length" => CheckKind::Length,
                "size" => CheckKind::Size(self.string()?),
                "parameter" => CheckKind::Parameter(self.string()?),
                "assert" => CheckKind::Assert(self.string()?),
                "rows" => CheckKind::Rows,
                "depth" => CheckKind::Depth,
                "strided" => CheckKind::Strided,
                "overlap" => CheckKind::Overlap,
                "partition" => CheckKind::Partition,
                "empty" => CheckKind::Empty(self.string()?),
                "positive" => CheckKind::Positive(self.string()?),
                "places" => CheckKind::Places,
                "split" => CheckKind::Split,
                other => return self.fail(format!("there is no check {other}")),
            };
            out.push(CheckInfo { kind, span: Span::none() });
        }
        Ok(out)
    }

    /// The list of thresholds that a program may have after its checks.
    pub(crate) fn thresholds(&mut self) -> Read<IdVec<ThresholdId, Threshold>> {
        let mut out: IdVec<ThresholdId, Threshold> = IdVec::new();
        while self.take_word("threshold") {
            if self.number()? != out.len() {
                return self.fail("thresholds are numbered from 0");
            }
            self.want(":")?;
            let (name, about) = (self.string()?, self.string()?);
            match self.scalar()?.as_i64() {
                Some(value) => out.push(Threshold { name, about, value }),
                None => return self.fail("a threshold is an integer"),
            };
        }
        Ok(out)
    }

    /// A check statement after its first word: number, condition, values.
    pub(crate) fn check_stmt(&mut self) -> Read<(CheckId, Atom, Vec<Atom>)> {
        let check = self.check_id()?;
        self.word()?;
        let cond = self.atom()?;
        self.want("(")?;
        Ok((check, cond, self.atoms(")")?))
    }

    pub(crate) fn layout(&mut self) -> Read<Layout> {
        if self.take("(") {
            return Ok(Layout::Tuple(self.list(")", &mut |r| r.layout())?));
        }
        if !self.take("[") {
            return Ok(Layout::Scalar(self.scalar_type()?));
        }
        let dim = match self.word()?.as_str() {
            "length" => DimLayout::Length,
            "closed" => DimLayout::Closed(self.size()?),
            "off" => DimLayout::Irregular { packed: !self.take_word("start") },
            other => return self.fail(format!("there is no dimension {other}")),
        };
        self.want("]")?;
        Ok(Layout::Array(dim, Box::new(self.layout()?)))
    }

    /// A size, as `Size` prints it.
    pub(crate) fn size(&mut self) -> Read<Size> {
        let mut total = if self.take("-") { -self.product()? } else { self.product()? };
        loop {
            if self.take("+") {
                total = total + self.product()?;
            } else if self.take("-") {
                total = total - self.product()?;
            } else {
                break;
            }
        }
        if self.take("/") { self.divided(total) } else { Ok(total) }
    }

    fn divided(&mut self, size: Size) -> Read<Size> {
        let by = self.number()?;
        match i64::try_from(by).ok().and_then(|by| size.floor_div(by)) {
            Some(quotient) => Ok(quotient),
            None => self.fail("a size is divided by a positive number"),
        }
    }

    fn product(&mut self) -> Read<Size> {
        let mut product = self.power()?;
        while self.take("*") {
            product = product * self.power()?;
        }
        Ok(product)
    }

    fn power(&mut self) -> Read<Size> {
        let base = self.size_atom()?;
        if !self.take("^") {
            return Ok(base);
        }
        if !matches!(self.peek(), Kind::Number(_)) && base == Size::constant(2) {
            return Ok(Size::pow2(&self.size_atom()?));
        }
        match self.number()? {
            exponent @ ..=MOST_DEGREE => Ok(base.pow(exponent as u32)),
            _ => self.fail("the exponent is too large"),
        }
    }

    fn size_atom(&mut self) -> Read<Size> {
        if self.take("(") {
            let inner = self.size()?;
            self.want(")")?;
            return Ok(inner);
        }
        if self.take("[") {
            let left = self.size()?;
            // One where it holds, else zero.
            let holds = |right| Size::split(&left, &right, &Size::constant(1), &Size::constant(0));
            let size = if self.take("<") { holds(self.size()?) } else { left };
            self.want("]")?;
            return Ok(size);
        }
        if let Kind::Number(_) = self.peek() {
            let n = self.number()?;
            return match i64::try_from(n) {
                Ok(n) => Ok(Size::constant(n)),
                Err(_) => self.fail("the number is too large"),
            };
        }
        if self.is_value() {
            return Ok(Size::var(crate::size_var(self.value_id()?)));
        }
        let word = self.word()?;
        if let Some((_, var)) = self.bound.iter().rev().find(|(name, _)| *name == word) {
            return Ok(Size::var(*var));
        }
        if let Some(n) = numbered(&word, 's') {
            return Ok(Size::var(SizeVar(n)));
        }
        self.want("(")?;
        let size = match word.as_str() {
            "floor" => {
                let inner = self.size_atom()?;
                self.want("/")?;
                self.divided(inner)?
            }
            "min" => Size::min_of(&self.some(&mut |r| r.size())?),
            "max" => Size::max_of(&self.some(&mut |r| r.size())?),
            "sum" => {
                let bound = self.word()?;
                self.want("<")?;
                let upper = self.size()?;
                self.want(":")?;
                // Numbers from the top: no function has that many values.
                let var = SizeVar(u32::MAX - self.bound.len() as u32);
                self.bound.push((bound, var));
                let body = self.size();
                self.bound.pop();
                sum(var, &upper, &body?)
            }
            name => match numbered(name, 'k') {
                Some(fun) => Size::apply(SizeFun(fun), self.some(&mut |r| r.size())?),
                None => return self.fail(format!("{name} is no size")),
            },
        };
        self.want(")")?;
        Ok(size)
    }
}
