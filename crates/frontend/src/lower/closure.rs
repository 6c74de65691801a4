//! Functions that are arguments.
//!
//! Inside one Core function a function argument is the text that was written, together with the frame its names belong to.
//! A specialised function is another Core function, where those names mean nothing: what the text mentions from outside
//! travels along as further arguments, and the key says which text it is, so that equal calls share an instance.
//!
//! ```text
//! apply(|x| x + a, 1)      key  lambda@…    captured  a
//! apply(sqrt, 1.0)         key  sqrt        captured  nothing
//! ```
//!
//! A lambda may mention function parameters of the function it stands in; those travel inside of it.

use super::body::Lower;
use super::frame::{Chain, Frame};
use super::free::Mentioned;
use super::types::key_of;
use crate::typed::{Checked, Fun, FunKind, LocalId};
use std::rc::Rc;
use terrace_base::Span;
use terrace_ir::core::Type;
use terrace_ir::{Atom, ValueId};

/// A function argument in the Core function being written.
#[derive(Clone, Copy)]
pub(super) enum Closure<'a> {
    /// As written, with the frame of its names.
    Written { fun: &'a Fun, frame: usize },
    /// A size function: the array of its values, nested once per argument.
    Sizes(Atom),
}

/// A function argument on its way into another Core function.
#[derive(Clone)]
pub(super) struct Portable<'a> {
    /// Equal for arguments that give the same instance.
    pub(super) key: String,
    /// A part of the instance's name.
    pub(super) word: String,
    text: Text<'a>,
    /// The values it takes along.
    captured: Vec<Capture>,
}

#[derive(Clone)]
enum Text<'a> {
    Written {
        fun: &'a Fun,
        checked: &'a Checked,
        type_args: Vec<Type>,
        functions: Vec<(LocalId, Portable<'a>)>,
        place: Option<Span>,
        called: Option<&'a str>,
        chain: Option<Rc<Chain>>,
    },
    Sizes,
}

#[derive(Clone)]
struct Capture {
    name: String,
    ty: Type,
    local: Option<LocalId>,
}

impl<'a> Lower<'_, 'a> {
    /// A function argument as written here.
    pub(super) fn closure(&self, fun: &'a Fun) -> Closure<'a> {
        match fun.kind {
            FunKind::Param(id) => self.callable(id),
            _ => Closure::Written { fun, frame: self.at },
        }
    }

    /// What a function parameter, or a declared size function, stands for.
    pub(super) fn callable(&self, id: LocalId) -> Closure<'a> {
        let frame = self.frame();
        match frame.functions.get(&id) {
            Some(closure) => *closure,
            None => Closure::Sizes(*frame.locals.get(&id).expect("function parameters are bound at the start")),
        }
    }

    /// The argument for another Core function, and the values that go with it.
    pub(super) fn portable(&self, closure: Closure<'a>) -> (Portable<'a>, Vec<Atom>) {
        let (fun, frame) = match closure {
            Closure::Sizes(atom) => {
                let ty = self.type_of(atom).without_sizes();
                let key = format!("sizes {}", key_of(&ty));
                let captured = vec![Capture { name: "sizes".to_string(), ty, local: None }];
                return (Portable { key, word: "sizes".to_string(), text: Text::Sizes, captured }, vec![atom]);
            }
            Closure::Written { fun, frame } => (fun, &self.frames[frame]),
        };
        let (mut captured, mut atoms, mut functions) = (Vec::new(), Vec::new(), Vec::new());
        let types = |l: &Self, args: &[crate::types::Ty]| -> String {
            args.iter().map(|t| key_of(&l.ty_in(frame, t))).collect::<Vec<_>>().join(",")
        };
        let (mut key, word) = match &fun.kind {
            FunKind::Lambda { .. } => {
                let mut mentioned = Mentioned::default();
                mentioned.fun(fun);
                for id in mentioned.free() {
                    if let Some(inner) = frame.functions.get(&id) {
                        let (inner, more) = self.portable(*inner);
                        functions.push((id, inner));
                        atoms.extend(more);
                    }
                }
                for id in mentioned.free() {
                    if let Some(atom) = frame.locals.get(&id) {
                        let name = frame.checked.locals[id.index()].name.clone();
                        captured.push(Capture { name, ty: self.type_of(*atom).without_sizes(), local: Some(id) });
                        atoms.push(*atom);
                    }
                }
                let type_args: Vec<String> = frame.type_args.iter().map(key_of).collect();
                let inner: Vec<&str> = functions.iter().map(|(_, f)| f.key.as_str()).collect();
                let at = std::ptr::from_ref(fun) as usize;
                (format!("lambda@{at:x}[{}]{{{}}}", type_args.join(","), inner.join(",")), "fn".to_string())
            }
            FunKind::Section(op) => (format!("{op:?}"), "op".to_string()),
            FunKind::Function { function, type_args } => {
                let name = &self.all.module.headers[*function].name;
                (format!("function {function}[{}]", types(self, type_args)), name.clone())
            }
            FunKind::Builtin(b) => (format!("{b:?}"), b.name().to_string()),
            FunKind::Convert(to) => (format!("convert {to}"), to.name().to_string()),
            FunKind::Variant { tag } => {
                (format!("variant {tag} {}", types(self, std::slice::from_ref(&fun.result))), "variant".to_string())
            }
            FunKind::Param(_) => unreachable!("a parameter handed on is what it stands for"),
        };
        // Messages of a library function point at the call.
        if let Some(place) = frame.place {
            key.push_str(&format!("@{}:{}", place.start, place.end));
        }
        let text = Text::Written {
            fun,
            checked: frame.checked,
            type_args: frame.type_args.clone(),
            functions,
            place: frame.place,
            called: frame.called,
            chain: frame.chain.clone(),
        };
        (Portable { key, word, text, captured }, atoms)
    }

    /// The argument inside the specialised function; its captured values become parameters.
    pub(super) fn unpack(&mut self, given: &Portable<'a>, params: &mut Vec<ValueId>) -> Closure<'a> {
        match &given.text {
            Text::Sizes => Closure::Sizes(self.capture(&given.captured[0], params)),
            Text::Written { fun, checked, type_args, functions, place, called, chain } => {
                let mut frame = Frame::new(checked, type_args.clone(), chain.clone());
                (frame.place, frame.called) = (*place, *called);
                for (id, inner) in functions {
                    let inner = self.unpack(inner, params);
                    frame.functions.insert(*id, inner);
                }
                for capture in &given.captured {
                    let atom = self.capture(capture, params);
                    frame.locals.extend(capture.local.map(|id| (id, atom)));
                }
                self.frames.push(frame);
                Closure::Written { fun, frame: self.frames.len() - 1 }
            }
        }
    }

    fn capture(&mut self, capture: &Capture, params: &mut Vec<ValueId>) -> Atom {
        let value = self.value(&capture.name, capture.ty.clone());
        params.push(value);
        value.into()
    }
}
