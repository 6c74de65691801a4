//! A column: scalars of one type, side by side, as bytes.
//!
//! Bytes are little-endian and booleans take one byte, as on every device, so a column is copied to a device as it is.
//!
//! ```
//! use terrace_runtime::Column;
//! let c = Column::from_slice(&[1.5f32, -2.0]);
//! assert_eq!(c.bytes().len(), 8);
//! assert_eq!(c.to_vec::<f32>(), Some(vec![1.5, -2.0]));
//! assert_eq!(c.to_vec::<f64>(), None);
//! ```
//!
//! The bytes may belong to somebody else ([`Column::held`]): an array of the caller that a call reads where it is, or device memory that is the
//! host's own, which is a result without a copy.

use std::fmt;
use std::sync::Arc;
use terrace_base::{Scalar, ScalarType};

/// Whoever has the bytes of a column, and keeps them as they are as long as somebody asks.
pub type Owner = Arc<dyn AsRef<[u8]> + Send + Sync>;

/// Scalars of one type.
#[derive(Clone)]
pub struct Column {
    ty: ScalarType,
    bytes: Bytes,
}

#[derive(Clone)]
enum Bytes {
    Own(Vec<u8>),
    Held(Owner),
}

impl PartialEq for Column {
    fn eq(&self, other: &Column) -> bool {
        self.ty == other.ty && self.bytes() == other.bytes()
    }
}

impl Eq for Column {}

impl fmt::Debug for Column {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Column").field("ty", &self.ty).field("bytes", &self.bytes()).finish()
    }
}

/// A Rust type that columns are made of.
pub trait Element: Copy {
    /// Its Terrace type.
    const TYPE: ScalarType;
    /// Appends it to bytes of the right length.
    fn put(self, to: &mut [u8]);
    /// Takes it from bytes of the right length.
    fn take(from: &[u8]) -> Self;
}

macro_rules! elements {
    ($($rust:ty => $ty:ident),*) => {$(
        impl Element for $rust {
            const TYPE: ScalarType = ScalarType::$ty;
            fn put(self, to: &mut [u8]) {
                to.copy_from_slice(&self.to_le_bytes());
            }
            fn take(from: &[u8]) -> Self {
                let mut bytes = [0; size_of::<$rust>()];
                bytes.copy_from_slice(from);
                <$rust>::from_le_bytes(bytes)
            }
        }
    )*};
}

elements!(i8 => I8, i16 => I16, i32 => I32, i64 => I64, u8 => U8, u16 => U16, u32 => U32, u64 => U64, f32 => F32, f64 => F64);

impl Element for bool {
    const TYPE: ScalarType = ScalarType::Bool;
    fn put(self, to: &mut [u8]) {
        to[0] = u8::from(self);
    }
    fn take(from: &[u8]) -> Self {
        from[0] != 0
    }
}

impl Column {
    /// An empty column.
    pub fn new(ty: ScalarType) -> Self {
        Column { ty, bytes: Bytes::Own(Vec::new()) }
    }

    /// A column of these elements.
    pub fn from_slice<T: Element>(elements: &[T]) -> Self {
        let size = T::TYPE.size_bytes();
        let mut bytes = vec![0; elements.len() * size];
        for (to, element) in bytes.chunks_exact_mut(size).zip(elements) {
            element.put(to);
        }
        Column { ty: T::TYPE, bytes: Bytes::Own(bytes) }
    }

    /// A column of bytes; none where they are no whole number of elements, or a boolean is neither 0 nor 1.
    pub fn from_bytes(ty: ScalarType, bytes: Vec<u8>) -> Option<Self> {
        Column { ty, bytes: Bytes::Own(bytes) }.whole()
    }

    /// The same of bytes that somebody else has.
    pub fn held(ty: ScalarType, owner: Owner) -> Option<Self> {
        Column { ty, bytes: Bytes::Held(owner) }.whole()
    }

    fn whole(self) -> Option<Self> {
        let bytes = self.bytes();
        let whole = bytes.len().is_multiple_of(self.ty.size_bytes());
        let booleans = self.ty != ScalarType::Bool || bytes.iter().all(|b| *b <= 1);
        (whole && booleans).then_some(self)
    }

    /// The same column in a form whose copies share the bytes.
    pub fn shared(self) -> Self {
        Column { ty: self.ty, bytes: Bytes::Held(self.into_owner()) }
    }

    /// Whoever has the bytes.
    pub fn into_owner(self) -> Owner {
        match self.bytes {
            Bytes::Own(bytes) => Arc::new(bytes),
            Bytes::Held(owner) => owner,
        }
    }

    /// The same, where it is not this column alone.
    pub(crate) fn owner(&self) -> Option<&Owner> {
        match &self.bytes {
            Bytes::Own(_) => None,
            Bytes::Held(owner) => Some(owner),
        }
    }

    /// The type of the elements.
    pub fn ty(&self) -> ScalarType {
        self.ty
    }

    /// How many elements.
    pub fn len(&self) -> usize {
        self.bytes().len() / self.ty.size_bytes()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.bytes().is_empty()
    }

    /// The elements as bytes.
    pub fn bytes(&self) -> &[u8] {
        match &self.bytes {
            Bytes::Own(bytes) => bytes,
            Bytes::Held(owner) => (**owner).as_ref(),
        }
    }

    /// One element.
    pub fn get(&self, at: usize) -> Option<Scalar> {
        let size = self.ty.size_bytes();
        let start = at.checked_mul(size)?;
        let bytes = self.bytes().get(start..start.checked_add(size)?)?;
        Scalar::from_le_bytes(self.ty, bytes)
    }

    /// Appends an element; false, and nothing happens, where it is of another type.
    #[must_use]
    pub fn push(&mut self, element: Scalar) -> bool {
        if element.ty() != self.ty {
            return false;
        }
        let bits = element.raw_bits().to_le_bytes();
        let bits = &bits[..self.ty.size_bytes()];
        match &mut self.bytes {
            Bytes::Own(bytes) => bytes.extend_from_slice(bits),
            Bytes::Held(owner) => self.bytes = Bytes::Own([(**owner).as_ref(), bits].concat()),
        }
        true
    }

    /// The elements; none where they are of another type.
    pub fn to_vec<T: Element>(&self) -> Option<Vec<T>> {
        if T::TYPE != self.ty {
            return None;
        }
        Some(self.bytes().chunks_exact(T::TYPE.size_bytes()).map(T::take).collect())
    }
}
