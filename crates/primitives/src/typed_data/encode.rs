//! Hashes of values by their types.

use super::error::{Problem, TypedDataError, field, list, object};
use super::member::{Kind, Member};
use super::revision::Revision;
use super::types::Types;
use crate::selector::selector;
use serde_json::Value;
use starknet_types_core::felt::Felt;

/// Values within each other.
const MAX_DEPTH: usize = 32;

/// Values of a document, domain and message together.
const MAX_VALUES: usize = 1 << 16;

/// Hashes one document.
#[derive(Debug)]
pub(super) struct Encoder<'t, 'd> {
    types: &'t Types<'d>,
    /// Of the types that were met, by place.
    type_hashes: Vec<Option<Felt>>,
    values: usize,
}

impl<'t, 'd> Encoder<'t, 'd> {
    pub(super) fn new(types: &'t Types<'d>) -> Self {
        Self {
            types,
            type_hashes: Vec::new(),
            values: 0,
        }
    }

    fn revision(&self) -> Revision {
        self.types.revision
    }

    pub(super) fn type_hash(&mut self, place: usize) -> Felt {
        if let Some(Some(hash)) = self.type_hashes.get(place) {
            return *hash;
        }
        let hash = selector(&self.types.text(place));
        if self.type_hashes.len() <= place {
            self.type_hashes.resize(place + 1, None);
        }
        if let Some(known) = self.type_hashes.get_mut(place) {
            *known = Some(hash);
        }
        hash
    }

    /// The hash of a value of the type at `place`.
    pub(super) fn structure(
        &mut self,
        place: usize,
        value: &Value,
        depth: usize,
    ) -> Result<Felt, TypedDataError> {
        let fields = object(value)?;
        let members = self.members(place);
        let mut felts = Vec::with_capacity(members.len() + 1);
        felts.push(self.type_hash(place));
        for member in members {
            let felt = self.value(&member.kind, field(fields, member.name)?, depth);
            felts.push(felt.map_err(|error| error.within(member.name))?);
        }
        Ok(self.revision().hash_list(&felts))
    }

    fn members(&self, place: usize) -> &'t [Member<'d>] {
        self.types.get(place).map_or(&[], |one| &one.members)
    }

    fn value(&mut self, kind: &Kind, value: &Value, depth: usize) -> Result<Felt, TypedDataError> {
        self.count(depth)?;
        match kind {
            Kind::Leaf(leaf) => leaf.encode(value),
            Kind::List(item) => {
                let felts = self.list(item, value, depth)?;
                Ok(self.revision().hash_list(&felts))
            }
            Kind::Structure(place) => self.structure(*place, value, depth + 1),
            Kind::Enumeration(place) => self.variant(*place, value, depth),
            Kind::MerkleTree(leaf) => {
                let leaves = self.list(leaf, value, depth)?;
                Ok(self.root(leaves).ok_or(Problem::NoLeaves)?)
            }
            Kind::Variant(_) => Err(Problem::UnknownType("()".to_owned()).into()),
        }
    }

    fn count(&mut self, depth: usize) -> Result<(), Problem> {
        self.values += 1;
        let most = |what, most| Err(Problem::TooMany { what, most });
        if depth > MAX_DEPTH {
            return most("values within each other", MAX_DEPTH);
        }
        if self.values > MAX_VALUES {
            return most("values in the document", MAX_VALUES);
        }
        Ok(())
    }

    fn list(
        &mut self,
        item: &Kind,
        value: &Value,
        depth: usize,
    ) -> Result<Vec<Felt>, TypedDataError> {
        let items = list(value)?;
        let mut felts = Vec::with_capacity(items.len().min(MAX_VALUES));
        for (index, value) in items.iter().enumerate() {
            let felt = self.value(item, value, depth + 1);
            felts.push(felt.map_err(|error| error.within_item(index))?);
        }
        Ok(felts)
    }

    /// A value of an enum is an object of one member: the variant with a list of
    /// its values.
    fn variant(
        &mut self,
        place: usize,
        value: &Value,
        depth: usize,
    ) -> Result<Felt, TypedDataError> {
        const ONE: Problem = Problem::Expected("an object of one member");
        let mut fields = object(value)?.iter();
        let (Some((name, value)), None) = (fields.next(), fields.next()) else {
            return Err(ONE.into());
        };
        let mut variants = self.members(place).iter().enumerate();
        let named = variants.find(|(_, variant)| variant.name == name);
        let Some((index, Kind::Variant(kinds))) = named.map(|(index, one)| (index, &one.kind))
        else {
            return Err(Problem::UnknownVariant(name.clone()).into());
        };
        let felts = self.values_of(kinds, value, depth);
        let mut felts = felts.map_err(|error| error.within(name))?;
        if felts.is_empty() {
            // As wallets hash a variant without values.
            felts.push(Felt::ZERO);
        }
        felts.insert(0, Felt::from(index));
        Ok(self.revision().hash_list(&felts))
    }

    fn values_of(
        &mut self,
        kinds: &[Kind],
        value: &Value,
        depth: usize,
    ) -> Result<Vec<Felt>, TypedDataError> {
        let values = list(value)?;
        let (expected, given) = (kinds.len(), values.len());
        if expected != given {
            return Err(Problem::VariantLength { expected, given }.into());
        }
        let mut felts = Vec::with_capacity(expected);
        for (index, (kind, value)) in kinds.iter().zip(values).enumerate() {
            let felt = self.value(kind, value, depth + 1);
            felts.push(felt.map_err(|error| error.within_item(index))?);
        }
        Ok(felts)
    }

    /// The root of the tree over these leaves: of each pair the smaller one first,
    /// and zero beside one that is left over.
    fn root(&self, mut level: Vec<Felt>) -> Option<Felt> {
        while level.len() > 1 {
            let pairs = level.chunks(2).map(|pair| {
                let one = pair.first().copied().unwrap_or_default();
                let other = pair.get(1).copied().unwrap_or_default();
                self.revision().hash_pair(one.min(other), one.max(other))
            });
            level = pairs.collect();
        }
        level.first().copied()
    }
}
