//! Flags of the command line, made from the table of keys.

use super::keys::{self, Flag, Key};
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};

const HEADING: &str = "Configuration";

/// What the command line sets: key, flag and text.
#[derive(Debug, Clone, Default)]
pub(crate) struct Flags(Vec<(&'static Key, &'static str, String)>);

impl Flags {
    pub(super) fn iter(&self) -> impl Iterator<Item = &(&'static Key, &'static str, String)> {
        self.0.iter()
    }
}

fn flagged() -> impl Iterator<Item = (&'static Key, Flag)> {
    keys::keys().filter_map(|key| key.flag.map(|flag| (key, flag)))
}

fn argument(key: &'static Key, flag: Flag) -> Arg {
    let argument = Arg::new(key.path)
        .long(flag.name())
        .global(true)
        .help_heading(HEADING);
    match flag {
        Flag::Switch { to, .. } => argument
            .help(format!("Sets {} to {to}", key.path))
            .action(ArgAction::SetTrue),
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

impl Args for Flags {
    fn augment_args(command: Command) -> Command {
        command.args(flagged().map(|(key, flag)| argument(key, flag)))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for Flags {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut flags = Vec::new();
        for (key, flag) in flagged() {
            let text = match flag {
                Flag::Takes { .. } => matches.get_one::<String>(key.path).cloned(),
                Flag::Switch { to, .. } => matches.get_flag(key.path).then(|| to.to_owned()),
            };
            flags.extend(text.map(|text| (key, flag.name(), text)));
        }
        Ok(Self(flags))
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
        let command = Flags::augment_args(Command::new("test").no_binary_name(true));
        Self::from_arg_matches(&command.get_matches_from(arguments)).unwrap()
    }
}
