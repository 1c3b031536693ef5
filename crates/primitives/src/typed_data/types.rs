//! The types of a document.

use super::error::{Problem, TypedDataError, field, list, object, text};
use super::member::{Member, Reader};
use super::revision::Revision;
use serde_json::Value;
use std::collections::HashMap;

const MAX_TYPES: usize = 128;
const MAX_MEMBERS: usize = 128;

/// All names of types and members together.
const MAX_NAME_BYTES: usize = 32 << 10;

/// Names that no document may define.
const BASIC: [&str; 5] = ["felt", "bool", "string", "selector", "merkletree"];
const BASIC_OF_ONE: [&str; 7] = [
    "enum",
    "i128",
    "u128",
    "ContractAddress",
    "ClassHash",
    "timestamp",
    "shortstring",
];

/// Types that every document of revision 1 has.
type Preset = (&'static str, [(&'static str, &'static str); 2]);

const PRESETS: [Preset; 3] = [
    ("u256", [("low", "u128"), ("high", "u128")]),
    (
        "TokenAmount",
        [("token_address", "ContractAddress"), ("amount", "u256")],
    ),
    (
        "NftId",
        [
            ("collection_address", "ContractAddress"),
            ("token_id", "u256"),
        ],
    ),
];

/// A type with its members.
#[derive(Debug)]
pub(super) struct Type<'d> {
    pub(super) name: &'d str,
    pub(super) members: Vec<Member<'d>>,
}

#[derive(Debug)]
pub(super) struct Types<'d> {
    pub(super) revision: Revision,
    all: Vec<Type<'d>>,
    places: HashMap<&'d str, usize>,
}

impl<'d> Types<'d> {
    pub(super) fn parse(types: &'d Value, revision: Revision) -> Result<Self, TypedDataError> {
        let defined = object(types)?;
        limit("types", defined.len(), MAX_TYPES)?;
        let mut names: Vec<&'d str> = defined.keys().map(String::as_str).collect();
        if let Some(name) = names.iter().find(|name| is_reserved(name, revision)) {
            return Err(TypedDataError::from(Problem::ReservedName).within(name));
        }
        if revision == Revision::One {
            names.extend(PRESETS.map(|(name, _)| name));
        }
        let places = (0..).zip(names).map(|(place, name)| (name, place));
        let places = places.collect();
        let reader = Reader {
            revision,
            places: &places,
        };
        let mut budget = MAX_NAME_BYTES;
        let mut all = Vec::new();
        for (name, members) in defined {
            let members = read(&reader, members, &mut budget);
            let members = members.map_err(|error| error.within(name))?;
            all.push(Type { name, members });
        }
        if revision == Revision::One {
            for (name, members) in PRESETS {
                let members = members.map(|(name, kind)| reader.member(name, kind, None));
                let members = members.into_iter().collect::<Result<_, _>>()?;
                all.push(Type { name, members });
            }
        }
        Ok(Self {
            revision,
            all,
            places,
        })
    }

    /// The place of a type.
    pub(super) fn find(&self, name: &str) -> Result<usize, TypedDataError> {
        let place = self.places.get(name).copied();
        Ok(place.ok_or_else(|| Problem::UnknownType(name.to_owned()))?)
    }

    pub(super) fn get(&self, place: usize) -> Option<&Type<'d>> {
        self.all.get(place)
    }

    /// A type as it is hashed: its own text, and those of all types that it is
    /// made of, by name.
    pub(super) fn text(&self, place: usize) -> String {
        let mut used = vec![place];
        let mut next = 0;
        while let Some(place) = used.get(next).copied() {
            next += 1;
            let members = self.get(place).map_or(&[][..], |one| &one.members);
            for place in members.iter().flat_map(|member| &member.uses) {
                if !used.contains(place) {
                    used.push(*place);
                }
            }
        }
        let mut used: Vec<&Type<'_>> = used.iter().filter_map(|place| self.get(*place)).collect();
        if let Some((_, others)) = used.split_first_mut() {
            // As JavaScript sorts.
            others.sort_by(|one, other| one.name.encode_utf16().cmp(other.name.encode_utf16()));
        }
        used.into_iter().map(|one| self.own_text(one)).collect()
    }

    fn own_text(&self, one: &Type<'_>) -> String {
        let quote = match self.revision {
            Revision::Zero => "",
            Revision::One => "\"",
        };
        let members = one.members.iter();
        let members =
            members.map(|member| format!("{quote}{}{quote}:{}", member.name, member.written));
        let members: Vec<String> = members.collect();
        format!("{quote}{}{quote}({})", one.name, members.join(","))
    }
}

/// Reads the members of a type.
fn read<'d>(
    reader: &Reader<'_, 'd>,
    members: &'d Value,
    budget: &mut usize,
) -> Result<Vec<Member<'d>>, TypedDataError> {
    let members = list(members)?;
    limit("members", members.len(), MAX_MEMBERS)?;
    let mut all = Vec::with_capacity(members.len());
    for (index, member) in members.iter().enumerate() {
        let member = read_member(reader, member, budget);
        all.push(member.map_err(|error| error.within_item(index))?);
    }
    Ok(all)
}

fn read_member<'d>(
    reader: &Reader<'_, 'd>,
    member: &'d Value,
    budget: &mut usize,
) -> Result<Member<'d>, TypedDataError> {
    let member = object(member)?;
    let name = text(field(member, "name")?)?;
    let kind = text(field(member, "type")?)?;
    let contains = member.get("contains").map(text).transpose()?;
    let bytes = name.len() + kind.len() + contains.map_or(0, str::len);
    *budget = budget.checked_sub(bytes).ok_or(Problem::TooMany {
        what: "bytes of names",
        most: MAX_NAME_BYTES,
    })?;
    reader.member(name, kind, contains)
}

fn is_reserved(name: &str, revision: Revision) -> bool {
    let is_preset = || PRESETS.iter().any(|(preset, _)| *preset == name);
    let in_one = || BASIC_OF_ONE.contains(&name) || is_preset();
    name.is_empty()
        || name.len() > MAX_NAME_BYTES / MAX_TYPES
        || name.ends_with('*')
        || name.starts_with('(')
        || BASIC.contains(&name)
        || revision == Revision::One && in_one()
}

fn limit(what: &'static str, given: usize, most: usize) -> Result<(), TypedDataError> {
    if given > most {
        return Err(Problem::TooMany { what, most }.into());
    }
    Ok(())
}
