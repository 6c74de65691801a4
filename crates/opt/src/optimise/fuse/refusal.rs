//! Why two operators did not become one, in words.
//!
//! ```text
//! `t` (line 3) is not fused into `s` (line 5): it is used 2 times and contains a loop
//! ```

use std::fmt;
use terrace_base::Span;

/// What stands in the way of a fusion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Reason {
    /// The producer is a result.
    Returned,
    /// The user is no operator.
    NoOperator,
    /// The user needs the array itself.
    Whole,
    /// The points differ.
    Spaces,
    /// The levels differ.
    Levels,
    /// Elements are read at positions for which they cannot be computed alone.
    OtherPosition,
    /// It has checks, which must run once for every point.
    Checks,
    /// Something in between may stop the program, or may rely on a check.
    ChecksBetween,
    /// Work that must not be done twice, in a producer that is used by so many.
    Dear(Dear, Place),
    /// More than one element is read per point.
    Gathers,
    /// Nothing would be saved.
    Traffic,
    /// What a filter keeps is used by several.
    FilterUsedTwice,
    /// The number of kept elements is needed.
    Counted,
    /// The consumer needs the positions of the kept elements.
    KeptPositions,
    /// A consumer of this kind cannot take a mask.
    NoMask,
}

/// Work that must not be done twice.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Dear {
    /// A loop.
    Loop,
    /// A call.
    Call,
    /// A function such as `exp`.
    Function,
}

/// Why it would be done twice.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Place {
    /// It has that many users.
    Users(usize),
    /// It is read at positions that are computed.
    OtherPositions,
    /// Other results need it too.
    OtherResults,
}

impl Reason {
    /// The same, of a producer with that many users.
    pub(super) fn in_several(self, users: usize) -> Reason {
        match self {
            Reason::Dear(dear, _) => Reason::Dear(dear, Place::Users(users)),
            other => other,
        }
    }

    /// The same, of a producer that is read at other positions.
    pub(super) fn at_other_positions(self) -> Reason {
        match self {
            Reason::Dear(dear, _) => Reason::Dear(dear, Place::OtherPositions),
            other => other,
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self {
            Reason::Returned => "it is a result, so it is stored anyway",
            Reason::NoOperator => "it is used outside of parallel operators",
            Reason::Whole => "the array itself is needed there, not only its elements",
            Reason::Spaces => "they run over different points",
            Reason::Levels => "they run at different levels",
            Reason::OtherPosition => "it is read at other positions, and its elements depend on more than theirs",
            Reason::Checks => "it has checks, and they must run once for each of its own points",
            Reason::ChecksBetween => "something in between may stop the program or relies on its checks",
            Reason::Dear(dear, place) => {
                match place {
                    Place::Users(n) => write!(f, "it is used by {n} operators")?,
                    Place::OtherPositions => f.write_str("it is read at computed positions")?,
                    Place::OtherResults => f.write_str("other results need what it is computed from")?,
                }
                match dear {
                    Dear::Loop => " and contains a loop",
                    Dear::Call => " and contains a call",
                    Dear::Function => " and contains a function that is costly to compute",
                }
            }
            Reason::Gathers => "computing it where it is used would read more than one element each time",
            Reason::Traffic => "computing it where it is used would read more than storing it does",
            Reason::FilterUsedTwice => "what is kept is used by several operators",
            Reason::Counted => "the number of kept elements is needed as well",
            Reason::KeptPositions => "the positions of the kept elements are needed",
            Reason::NoMask => "an operator of this kind cannot leave out elements",
        };
        f.write_str(text)
    }
}

/// A fusion that was refused.
#[derive(Clone, Debug, PartialEq)]
pub struct Refusal {
    /// What was not fused, and where it stands.
    pub producer: (String, Span),
    /// Into what.
    pub consumer: Option<(String, Span)>,
    /// Why.
    pub reason: Reason,
}
