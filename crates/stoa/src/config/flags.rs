//! Flags of the command line, made from the table of keys. A command has those
//! that matter to it; what else is configured comes from the file and the
//! environment.

use super::keys::{self, Flag, Key};
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use std::{fmt, marker::PhantomData};

const HEADING: &str = "Configuration";

/// What the command line sets: key, flag and text.
#[derive(Debug, Clone, Default)]
pub(crate) struct Flags(Vec<(&'static Key, &'static str, String)>);

impl Flags {
    pub(super) fn iter(&self) -> impl Iterator<Item = &(&'static Key, &'static str, String)> {
        self.0.iter()
    }
}

/// The flags that matter to a command.
pub(crate) trait FlagSet: fmt::Debug {
    /// Their names; without a list, all.
    const NAMES: Option<&'static [&'static str]>;
}

macro_rules! flag_sets {
    ($($(#[$doc:meta])* $name:ident = $names:expr;)*) => {
        $(
            $(#[$doc])*
            #[derive(Debug)]
            pub(crate) enum $name {}

            impl FlagSet for $name {
                const NAMES: Option<&'static [&'static str]> = $names;
            }
        )*

        #[cfg(test)]
        const LISTED: &[&[&str]] = &[$(match $name::NAMES {
            Some(names) => names,
            None => &[],
        }),*];
    };
}

flag_sets! {
    /// Everything that can be set.
    Everything = None;
    /// What a simulated node is made of.
    OfSimnet = Some(&["data", "sim-listen", "sim-seed", "sim-wild", "log"]);
    /// Where the store is.
    OfStore = Some(&["data", "store"]);
    /// Where the store is, and the node.
    OfStoreAndNode = Some(&["data", "store", "starknet-rpc", "sim-listen"]);
    /// Where the store is, the node, and a running service.
    OfService = Some(&["data", "store", "starknet-rpc", "sim-listen", "listen"]);
    /// What the service stands on.
    OfGround = Some(&[
        "listen", "listen-trade", "listen-market", "listen-leasing", "listen-paymaster",
        "listen-operations", "data", "store", "redis", "starknet-rpc", "token-list",
        "solana-rpc", "no-leasing", "public-url", "sim-listen", "roles",
    ]);
}

/// The flags of a set, as they were given.
#[derive(Debug)]
pub(crate) struct FlagsOf<S>(Flags, PhantomData<S>);

impl<S> FlagsOf<S> {
    pub(crate) fn given(self) -> Flags {
        self.0
    }
}

fn flagged<S: FlagSet>() -> impl Iterator<Item = (&'static Key, Flag)> {
    let flags = keys::keys().filter_map(|key| key.flag.map(|flag| (key, flag)));
    flags.filter(|(_, flag)| S::NAMES.is_none_or(|names| names.contains(&flag.name())))
}

fn argument(key: &'static Key, flag: Flag) -> Arg {
    let argument = Arg::new(key.path)
        .long(flag.name())
        .global(true)
        .help_heading(HEADING);
    match flag {
        Flag::Switch { help, .. } => argument.help(help).action(ArgAction::SetTrue),
        Flag::Takes { value, .. } => {
            let default = key.default.map(|text| format!(" [default: {text}]"));
            let doc = key.doc.concat();
            argument
                .help(format!("{}{}", doc.trim(), default.unwrap_or_default()))
                .action(ArgAction::Set)
                .value_name(value)
        }
    }
}

impl<S: FlagSet> Args for FlagsOf<S> {
    fn augment_args(command: Command) -> Command {
        command.args(flagged::<S>().map(|(key, flag)| argument(key, flag)))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl<S: FlagSet> FromArgMatches for FlagsOf<S> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut flags = Vec::new();
        for (key, flag) in flagged::<S>() {
            let text = match flag {
                Flag::Takes { .. } => matches.get_one::<String>(key.path).cloned(),
                Flag::Switch { to, .. } => matches.get_flag(key.path).then(|| to.to_owned()),
            };
            flags.extend(text.map(|text| (key, flag.name(), text)));
        }
        Ok(Self(Flags(flags), PhantomData))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

#[cfg(test)]
impl Flags {
    /// Flags as they would be given.
    pub(super) fn parse(arguments: &[&str]) -> Self {
        type All = FlagsOf<Everything>;
        let command = All::augment_args(Command::new("test").no_binary_name(true));
        let matches = command.get_matches_from(arguments);
        All::from_arg_matches(&matches).unwrap().given()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_flag_of_a_command_is_one_that_there_is() {
        let known: Vec<_> = flagged::<Everything>()
            .map(|(_, flag)| flag.name())
            .collect();
        for name in LISTED.iter().copied().flatten() {
            assert!(known.contains(name), "{name}");
        }
    }
}
