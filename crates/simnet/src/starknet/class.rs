//! Classes: the interface that contracts of a kind show to the outside.
//!
//! A class is written from the table of its entrypoints, so that it describes
//! what can really be called. Its program is empty: no Cairo is run.

use super::hash::digest;
use primitives::{Felt, felt_to_hex, selector, short_string};
use serde_json::{Value, json};

pub(crate) const FELT: &str = "core::felt252";
pub(crate) const U8: &str = "core::integer::u8";
pub(crate) const U32: &str = "core::integer::u32";
pub(crate) const U64: &str = "core::integer::u64";
pub(crate) const U128: &str = "core::integer::u128";
pub(crate) const U256: &str = "core::integer::u256";
pub(crate) const BOOL: &str = "core::bool";
pub(crate) const ADDRESS: &str = "core::starknet::contract_address::ContractAddress";
pub(crate) const CLASS_HASH: &str = "core::starknet::class_hash::ClassHash";
pub(crate) const BYTE_ARRAY: &str = "core::byte_array::ByteArray";
pub(crate) const ADDRESSES: &str =
    "core::array::Array::<core::starknet::contract_address::ContractAddress>";
pub(crate) const U256S: &str = "core::array::Array::<core::integer::u256>";
pub(crate) const FELTS: &str = "core::array::Array::<core::felt252>";
pub(crate) const CALL: &str = "core::starknet::account::Call";
pub(crate) const CALLS: &str = "core::array::Array::<core::starknet::account::Call>";
pub(crate) const RESULTS: &str = "core::array::Array::<core::array::Span::<core::felt252>>";

/// The header of a Sierra program: its version and its compiler's, then nothing.
const PROGRAM: [&str; 6] = ["0x1", "0x7", "0x0", "0x2", "0xb", "0x4"];

/// A name with a type.
pub(crate) type Typed = (&'static str, &'static str);

/// What a function looks like from outside.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Signature {
    pub(crate) name: &'static str,
    pub(crate) inputs: &'static [Typed],
    pub(crate) outputs: &'static [&'static str],
    /// Whether it only reads.
    pub(crate) view: bool,
}

/// An event: its members that are keys, and those that are data.
#[derive(Debug, Clone, Copy)]
pub(crate) struct EventSignature {
    pub(crate) name: &'static str,
    pub(crate) keys: &'static [Typed],
    pub(crate) data: &'static [Typed],
}

/// A structure that signatures use, and its members.
pub(crate) type Structure = (&'static str, &'static [Typed]);

/// What contracts of a class show to the outside.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Interface<'i> {
    /// What the constructor takes, if there is one.
    pub(crate) constructor: Option<&'i [Typed]>,
    pub(crate) structures: &'i [Structure],
    pub(crate) functions: &'i [Signature],
    pub(crate) events: &'i [EventSignature],
}

/// A declared class.
#[derive(Debug)]
pub(crate) struct Class {
    pub(crate) hash: Felt,
    /// What `starknet_getClass` answers.
    pub(crate) definition: Value,
}

impl Class {
    /// The class `name`.
    pub(crate) fn new(name: &str, interface: Interface<'_>) -> Self {
        let functions = interface.functions.iter();
        let mut external: Vec<Felt> = functions.map(|f| selector(f.name)).collect();
        external.sort_unstable();
        let constructors: Vec<Felt> = interface
            .constructor
            .iter()
            .map(|_| selector("constructor"))
            .collect();
        Self {
            hash: digest("CLASS", &[short_string(name)]),
            definition: json!({
                "sierra_program": PROGRAM,
                "contract_class_version": "0.1.0",
                "entry_points_by_type": {
                    "CONSTRUCTOR": entry_points(&constructors, external.len()),
                    "EXTERNAL": entry_points(&external, 0),
                    "L1_HANDLER": [],
                },
                "abi": Value::from(abi(interface)).to_string(),
            }),
        }
    }
}

fn entry_points(selectors: &[Felt], first: usize) -> Value {
    (first..)
        .zip(selectors)
        .map(|(index, selector)| json!({"selector": felt_to_hex(*selector), "function_idx": index}))
        .collect()
}

fn abi(interface: Interface<'_>) -> Vec<Value> {
    let Interface {
        constructor,
        structures,
        functions,
        events,
    } = interface;
    let mut abi = types();
    abi.extend(structures.iter().map(structure));
    abi.extend(constructor.map(
        |inputs| json!({"type": "constructor", "name": "constructor", "inputs": typed(inputs)}),
    ));
    abi.extend(functions.iter().map(|function| {
        let outputs: Vec<Value> = function
            .outputs
            .iter()
            .map(|output| json!({ "type": output }))
            .collect();
        json!({
            "type": "function",
            "name": function.name,
            "inputs": typed(function.inputs),
            "outputs": outputs,
            "state_mutability": if function.view { "view" } else { "external" },
        })
    }));
    let path = |name: &str| format!("stoa::contract::{name}");
    abi.extend(events.iter().map(|event| {
        let members = |members: &[Typed], kind| -> Vec<Value> {
            members
                .iter()
                .map(|(name, r#type)| json!({"name": name, "type": r#type, "kind": kind}))
                .collect()
        };
        let members = [members(event.keys, "key"), members(event.data, "data")].concat();
        json!({"type": "event", "name": path(event.name), "kind": "struct", "members": members})
    }));
    let variants: Vec<Value> = events
        .iter()
        .map(|event| json!({"name": event.name, "type": path(event.name), "kind": "nested"}))
        .collect();
    abi.push(json!({"type": "event", "name": path("Event"), "kind": "enum", "variants": variants}));
    abi
}

fn typed(members: &[Typed]) -> Value {
    members
        .iter()
        .map(|(name, r#type)| json!({"name": name, "type": r#type}))
        .collect()
}

fn structure((name, members): &Structure) -> Value {
    json!({"type": "struct", "name": name, "members": typed(members)})
}

/// The types that signatures use and that clients do not know by themselves.
fn types() -> Vec<Value> {
    vec![
        json!({"type": "enum", "name": BOOL, "variants": typed(&[("False", "()"), ("True", "()")])}),
        structure(&(
            U256,
            &[
                ("low", "core::integer::u128"),
                ("high", "core::integer::u128"),
            ],
        )),
        structure(&(
            BYTE_ARRAY,
            &[
                ("data", "core::array::Array::<core::bytes_31::bytes31>"),
                ("pending_word", FELT),
                ("pending_word_len", "core::integer::u32"),
            ],
        )),
        structure(&(
            "core::array::Span::<core::felt252>",
            &[("snapshot", "@core::array::Array::<core::felt252>")],
        )),
        structure(&(
            CALL,
            &[
                ("to", ADDRESS),
                ("selector", FELT),
                ("calldata", "core::array::Span::<core::felt252>"),
            ],
        )),
    ]
}
