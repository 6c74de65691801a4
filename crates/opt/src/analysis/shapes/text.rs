//! What was found out about a program, as text and as JSON.
//!
//! ```text
//! mv[n, m](xss: [n][m]f64, ys: [m]f64) -> [n][m]f64
//!   line 1   map       len(xss)   regular      no parallel code is around it
//!   line 1   map       len(ys)    regular      all rows of `xss` have length len(ys) (line 1)
//! ```

use super::Analysis;
use super::words::Definitions;
use std::collections::BTreeSet;
use terrace_base::json::quoted;
use terrace_base::{SourceMap, Span};
use terrace_ir::FuncId;
use terrace_ir::core::{Function, Program, Role};
use terrace_ir::shape::{Parallel, Regularity};

/// The word for a kind of regularity.
pub fn word(regularity: Regularity) -> &'static str {
    match regularity {
        Regularity::Regular => "regular",
        Regularity::PositionDependent => "position-dependent",
        Regularity::Irregular => "irregular",
    }
}

fn wanted(function: &Function, only: Option<&str>) -> bool {
    !matches!(function.role, Role::Test { .. }) && only.is_none_or(|name| function.source == name)
}

/// Signatures and parallel operators, function by function, or of one by its name in the source; tests are left out.
pub fn shapes(program: &Program, analysis: &Analysis, sources: &SourceMap, only: Option<&str>) -> String {
    let mut blocks = Vec::new();
    let mut seen = BTreeSet::new();
    for (f, function) in program.functions.enumerate() {
        if !wanted(function, only) {
            continue;
        }
        let mut block = format!("{}\n", analysis.signature(program, f));
        let rows: Vec<[String; 5]> = operators(program, analysis, sources, f).iter().map(Operator::row).collect();
        let widths: Vec<usize> = (0..4).map(|k| rows.iter().map(|r| r[k].chars().count()).max().unwrap_or(0)).collect();
        for row in &rows {
            let cells: Vec<String> = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
            block += &format!("  {}  {}\n", cells.join("  "), row[4]);
        }
        if seen.insert(block.clone()) {
            blocks.push(block);
        }
    }
    blocks.join("\n")
}

/// The same as JSON: a list of functions.
pub fn shapes_json(program: &Program, analysis: &Analysis, sources: &SourceMap, only: Option<&str>) -> String {
    let mut functions = Vec::new();
    for (f, function) in program.functions.enumerate() {
        if !wanted(function, only) {
            continue;
        }
        let signature = analysis.signature(program, f);
        let list = |texts: &[String]| texts.iter().map(|t| quoted(t)).collect::<Vec<_>>().join(", ");
        let params: Vec<String> = signature
            .params
            .iter()
            .map(|(name, ty)| format!("{{\"name\": {}, \"type\": {}}}", quoted(name), quoted(ty)))
            .collect();
        let parallel: Vec<String> = operators(program, analysis, sources, f).iter().map(Operator::json).collect();
        functions.push(format!(
            "{{\"name\": {}, \"signature\": {}, \"sizes\": [{}], \"parameters\": [{}], \"exists\": [{}], \"result\": {}, \
             \"facts\": [{}], \"parallel\": [{}]}}",
            quoted(&signature.name),
            quoted(&signature.to_string()),
            list(&signature.sizes),
            params.join(", "),
            list(&signature.exists),
            quoted(&signature.result),
            list(&signature.facts),
            parallel.join(", "),
        ));
    }
    format!("[{}]\n", functions.join(",\n "))
}

/// A parallel operator as it is shown.
struct Operator<'a> {
    found: &'a Parallel,
    length: String,
    place: Option<Place>,
    cause: Option<Place>,
}

#[derive(Clone, PartialEq)]
struct Place {
    file: String,
    line: usize,
    column: usize,
}

impl Place {
    fn of(span: Span, sources: &SourceMap) -> Option<Place> {
        if !sources.contains(span) {
            return None;
        }
        let at = sources.position(span.file, span.start as usize);
        Some(Place { file: sources.name(span.file).to_string(), line: at.line, column: at.col })
    }

    fn json(&self) -> String {
        format!("{{\"file\": {}, \"line\": {}, \"column\": {}}}", quoted(&self.file), self.line, self.column)
    }
}

fn operators<'a>(program: &Program, analysis: &'a Analysis, sources: &SourceMap, f: FuncId) -> Vec<Operator<'a>> {
    let shapes = &analysis.shapes.functions[f];
    let definitions = Definitions::new(program, &program.functions[f]);
    let words = analysis.words(f, &definitions);
    let mut all: Vec<Operator> = shapes
        .parallel
        .iter()
        .map(|found| Operator {
            found,
            length: words.size(&found.length),
            place: Place::of(found.span, sources),
            cause: found.cause.and_then(|span| Place::of(span, sources)),
        })
        .collect();
    all.sort_by_key(|op| (op.found.span.start, op.found.depth));
    all
}

impl Operator<'_> {
    fn row(&self) -> [String; 5] {
        let line = self.place.as_ref().map_or("-".to_string(), |p| format!("line {}", p.line));
        let elsewhere = self.cause.as_ref().filter(|c| self.place.as_ref().is_none_or(|p| p.line != c.line));
        let cause = elsewhere.map_or(String::new(), |c| format!(" (line {})", c.line));
        let operator = format!("{}{}", "  ".repeat(self.found.depth), self.found.operator);
        let class = word(self.found.regularity).to_string();
        [line, operator, self.length.clone(), class, format!("{}{cause}", self.found.reason)]
    }

    fn json(&self) -> String {
        let place = |p: &Option<Place>| p.as_ref().map_or("null".to_string(), Place::json);
        format!(
            "{{\"operator\": {}, \"place\": {}, \"depth\": {}, \"length\": {}, \"regularity\": {}, \"reason\": {}, \"cause\": {}}}",
            quoted(self.found.operator),
            place(&self.place),
            self.found.depth,
            quoted(&self.length),
            quoted(word(self.found.regularity)),
            quoted(&self.found.reason),
            place(&self.cause),
        )
    }
}
