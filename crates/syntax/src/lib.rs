//! Source text to syntax tree.
//!
//! ```
//! use terrace_base::SourceMap;
//! let mut map = SourceMap::new();
//! let file = map.add("dot.ter", "def dot(xs: []f64, ys: []f64) -> f64 = sum([x * y for x in xs, y in ys])");
//! let (module, errors) = terrace_syntax::parse(&map, file);
//! assert!(errors.is_empty());
//! assert_eq!(module.items.len(), 1);
//! ```
//!
//! | module | idea |
//! | --- | --- |
//! | [`token`], [`lexer`] | text to tokens; one mistake, one message |
//! | [`parser`] | tokens to tree; errors cost as little as is safe |
//! | [`ast`], [`visit`] | the tree, and walks over it |
//! | [`dump`] | the tree as text for tests |
//! | [`mod@format`] | the one layout of a program |
//! | [`codes`] | what each error code means, at length |
//!
//! Errors come back beside the tree; nothing here panics, prints, or looks at another file.

pub mod ast;
pub mod codes;
pub mod dump;
pub mod format;
pub mod lexer;
mod number;
pub mod parser;
pub mod token;
pub mod visit;

pub use ast::Module;
pub use codes::explain;
pub use format::format;
pub use parser::parse;
