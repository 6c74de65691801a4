//! The types of random programs.
//!
//! Records and enums are declared per program, `record_17` and `kind_17`, so that many programs fit in one file. Fields are
//! `f0`, `f1`, … A value of each type can be written down (`default_text`), which is what the shrinker puts in place of an expression.

use std::fmt;

/// The types that random programs use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ty {
    /// `i64`
    Int,
    /// `i32`
    Int32,
    /// `f64`
    Float,
    /// `bool`
    Bool,
    /// A tuple.
    Tuple(Vec<Ty>),
    /// An array.
    Array(Box<Ty>),
    /// A record with its name and the types of `f0`, `f1`, …
    Record(String, Vec<Ty>),
    /// An enum with its name, and the names and fields of its variants.
    Enum(String, Vec<(String, Vec<Ty>)>),
}

impl Ty {
    /// The array of this.
    pub fn array(self) -> Ty {
        Ty::Array(Box::new(self))
    }

    /// `option[t]`.
    pub fn option(self) -> Ty {
        let name = format!("option[{self}]");
        Ty::Enum(name, vec![("some".to_string(), vec![self]), ("none".to_string(), vec![])])
    }

    /// The element type of an array.
    pub fn elem(&self) -> Option<&Ty> {
        if let Ty::Array(elem) = self { Some(elem) } else { None }
    }

    /// Whether there is an array in it.
    pub fn has_array(&self) -> bool {
        match self {
            Ty::Int | Ty::Int32 | Ty::Float | Ty::Bool => false,
            Ty::Array(_) => true,
            Ty::Tuple(parts) | Ty::Record(_, parts) => parts.iter().any(Ty::has_array),
            Ty::Enum(_, variants) => variants.iter().any(|(_, fields)| fields.iter().any(Ty::has_array)),
        }
    }

    /// How deep arrays nest in it.
    pub fn depth(&self) -> usize {
        let deepest = |parts: &[Ty]| parts.iter().map(Ty::depth).max().unwrap_or(0);
        match self {
            Ty::Int | Ty::Int32 | Ty::Float | Ty::Bool => 0,
            Ty::Array(elem) => 1 + elem.depth(),
            Ty::Tuple(parts) | Ty::Record(_, parts) => deepest(parts),
            Ty::Enum(_, variants) => variants.iter().map(|(_, fields)| deepest(fields)).max().unwrap_or(0),
        }
    }

    /// A small value of the type.
    pub fn default_text(&self) -> String {
        let values = |parts: &[Ty]| parts.iter().map(Ty::default_text).collect::<Vec<_>>().join(", ");
        match self {
            Ty::Int => "1".to_string(),
            Ty::Int32 => "1i32".to_string(),
            Ty::Float => "0.5".to_string(),
            Ty::Bool => "true".to_string(),
            Ty::Tuple(parts) => format!("({})", values(parts)),
            Ty::Array(elem) => format!("replicate(0, {})", elem.default_text()),
            Ty::Record(name, fields) => {
                let fields = fields.iter().enumerate().map(|(k, t)| format!("f{k} = {}", t.default_text()));
                format!("{name}{{{}}}", fields.collect::<Vec<_>>().join(", "))
            }
            Ty::Enum(_, variants) => match variants.first() {
                Some((name, fields)) if !fields.is_empty() => format!("{name}({})", values(fields)),
                first => first.map(|(name, _)| name.clone()).unwrap_or_default(),
            },
        }
    }

    /// A variant without fields as an expression: `none` by itself does not say of what it is an option.
    pub fn plain_variant(&self, name: &str) -> String {
        if name == "none" { format!("(let o: {self} = none in o)") } else { name.to_string() }
    }

    /// The declaration of a record or an enum.
    pub fn declaration(&self) -> Option<String> {
        match self {
            Ty::Record(name, fields) => {
                let fields = fields.iter().enumerate().map(|(k, t)| format!("f{k}: {t}"));
                Some(format!("type {name} = {{{}}}", fields.collect::<Vec<_>>().join(", ")))
            }
            Ty::Enum(name, variants) if !name.contains('[') => {
                let variant = |(name, fields): &(String, Vec<Ty>)| {
                    let fields: Vec<String> = fields.iter().map(Ty::to_string).collect();
                    if fields.is_empty() { name.clone() } else { format!("{name}({})", fields.join(", ")) }
                };
                let variants: Vec<String> = variants.iter().map(variant).collect();
                Some(format!("enum {name} = {}", variants.join(" | ")))
            }
            _ => None,
        }
    }
}

impl fmt::Display for Ty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ty::Int => f.write_str("i64"),
            Ty::Int32 => f.write_str("i32"),
            Ty::Float => f.write_str("f64"),
            Ty::Bool => f.write_str("bool"),
            Ty::Tuple(parts) => {
                write!(f, "({})", parts.iter().map(Ty::to_string).collect::<Vec<_>>().join(", "))
            }
            Ty::Array(elem) => write!(f, "[]{elem}"),
            Ty::Record(name, _) | Ty::Enum(name, _) => f.write_str(name),
        }
    }
}
