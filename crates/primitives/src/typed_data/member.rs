//! Members of types: what they are, and how their type is written.

use super::error::{Problem, TypedDataError};
use super::leaf::Leaf;
use super::revision::Revision;
use std::collections::HashMap;

/// Lists of lists, as deep as anybody would write.
const MAX_STARS: usize = 8;

/// What a value is made of. Types are named by their place.
#[derive(Debug)]
pub(super) enum Kind {
    Leaf(Leaf),
    List(Box<Kind>),
    Structure(usize),
    Enumeration(usize),
    /// A list of which only the root of the tree over it is hashed.
    MerkleTree(Box<Kind>),
    /// The values of a variant.
    Variant(Vec<Kind>),
}

/// A member of a type.
#[derive(Debug)]
pub(super) struct Member<'d> {
    pub(super) name: &'d str,
    pub(super) kind: Kind,
    /// The type as it is written where types are hashed.
    pub(super) written: String,
    /// The types that are hashed together with the type of which it is.
    pub(super) uses: Vec<usize>,
}

/// Reads members.
pub(super) struct Reader<'r, 'd> {
    pub(super) revision: Revision,
    pub(super) places: &'r HashMap<&'d str, usize>,
}

impl<'d> Reader<'_, 'd> {
    pub(super) fn member(
        &self,
        name: &'d str,
        type_name: &str,
        contains: Option<&str>,
    ) -> Result<Member<'d>, TypedDataError> {
        let kind = self.kind(type_name, contains)?;
        let is_enumeration = matches!(kind, Kind::Enumeration(_));
        let shown = contains.filter(|_| is_enumeration).unwrap_or(type_name);
        let parts = self.parts(shown);
        let written = match &parts {
            Some(parts) => {
                let parts: Vec<String> = parts.iter().map(|part| self.quoted(part)).collect();
                format!("({})", parts.join(","))
            }
            None => self.quoted(shown),
        };
        let used = parts.unwrap_or_else(|| vec![shown]);
        let places = used.iter().filter_map(|part| {
            let part = part.strip_suffix('*').unwrap_or(part);
            self.places.get(part).copied()
        });
        Ok(Member {
            name,
            kind,
            written,
            uses: places.collect(),
        })
    }

    fn kind(&self, type_name: &str, contains: Option<&str>) -> Result<Kind, TypedDataError> {
        let unknown = || Problem::UnknownType(type_name.to_owned());
        if let Some(inner) = type_name.strip_suffix('*') {
            if type_name
                .bytes()
                .rev()
                .take_while(|byte| *byte == b'*')
                .count()
                > MAX_STARS
            {
                return Err(unknown().into());
            }
            return Ok(Kind::List(Box::new(self.kind(inner, None)?)));
        }
        if let Some(place) = self.places.get(type_name) {
            return Ok(Kind::Structure(*place));
        }
        if type_name == "merkletree" {
            let contained = contains.filter(|contained| !contained.ends_with('*'));
            let contained = contained.ok_or_else(unknown)?;
            return Ok(Kind::MerkleTree(Box::new(self.kind(contained, None)?)));
        }
        if type_name == "enum" && self.revision == Revision::One {
            let place = contains.and_then(|contained| self.places.get(contained));
            return Ok(Kind::Enumeration(*place.ok_or_else(unknown)?));
        }
        if let Some(parts) = self.parts(type_name) {
            let parts = parts.into_iter().filter(|part| !part.is_empty());
            let kinds: Result<Vec<Kind>, _> = parts.map(|part| self.kind(part, None)).collect();
            return Ok(Kind::Variant(kinds?));
        }
        let leaf = Leaf::named(type_name, self.revision);
        Ok(Kind::Leaf(leaf.ok_or_else(unknown)?))
    }

    /// What is between brackets, where they mean something.
    fn parts<'t>(&self, type_name: &'t str) -> Option<Vec<&'t str>> {
        let inner = type_name.strip_prefix('(')?.strip_suffix(')')?;
        (self.revision == Revision::One).then(|| inner.split(',').collect())
    }

    fn quoted(&self, name: &str) -> String {
        match self.revision {
            Revision::One if !name.is_empty() => format!("\"{name}\""),
            _ => name.to_owned(),
        }
    }
}
