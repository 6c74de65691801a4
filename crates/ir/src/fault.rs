//! What a verifier says: which rule, in which statement of which function.

/// A broken rule, and where as soon as that is known.
pub(crate) struct Fault {
    rule: String,
    stmt: Option<String>,
}

impl Fault {
    /// The innermost statement is the one to name.
    pub(crate) fn in_stmt(mut self, text: impl FnOnce() -> String) -> Fault {
        self.stmt.get_or_insert_with(text);
        self
    }

    /// The whole message.
    pub(crate) fn in_function(self, name: &str) -> String {
        match self.stmt {
            Some(stmt) => format!("in {name}, at `{stmt}`: {}", self.rule),
            None => format!("in {name}: {}", self.rule),
        }
    }
}

impl From<String> for Fault {
    fn from(rule: String) -> Fault {
        Fault { rule, stmt: None }
    }
}

impl From<&str> for Fault {
    fn from(rule: &str) -> Fault {
        Fault { rule: rule.to_string(), stmt: None }
    }
}

/// A rule: holds, or is broken.
pub(crate) fn require(holds: bool, rule: impl FnOnce() -> String) -> Result<(), Fault> {
    if holds { Ok(()) } else { Err(Fault::from(rule())) }
}
