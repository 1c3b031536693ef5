//! The configuration as TOML: the effective one, and the example of all keys.

use super::{
    keys::{SECTIONS, Section},
    layers::Sources,
    load::{Loaded, Shown, load},
    problem::Problems,
};
use std::fmt::{self, Write as _};

const HEAD: &str = "\
# The configuration of Stoa: every key with its default, made from the program
# itself. Use it with `stoa serve --config FILE`; write only what differs.
#
# Each key is also an environment variable: server.listen is
# STOA__SERVER__LISTEN, lists separated by commas. Flags override the
# environment, which overrides the file. Keys marked as secret can also be given
# as file:/path (the content of a file) or env:NAME (a variable).
#
# `stoa config print` shows what is in force, `stoa config check` what is wrong.
";

impl Loaded {
    /// The effective configuration and where each value comes from, secrets
    /// masked.
    pub(crate) fn print(&self) -> String {
        let mut text = String::new();
        for section in SECTIONS {
            let gap = if text.is_empty() { "" } else { "\n" };
            put(&mut text, format_args!("{gap}[{}]", section.name));
            for Shown {
                key,
                value,
                origin,
                through,
            } in self.of(section)
            {
                let through = through.iter().map(|from| format!(", read through {from}"));
                let through: String = through.collect();
                match value {
                    Some(value) => {
                        let name = key.name();
                        put(
                            &mut text,
                            format_args!("{name} = {value} # {origin}{through}"),
                        );
                    }
                    None => put(&mut text, format_args!("# {} is not set", key.name())),
                }
            }
        }
        text
    }

    fn of(&self, section: &Section) -> impl Iterator<Item = &Shown> {
        self.shown
            .iter()
            .filter(|shown| section.keys.iter().any(|key| key.path == shown.key.path))
    }
}

/// Every key with its documentation and default, commented out.
pub(crate) fn example() -> Result<String, Problems> {
    let defaults = load(&Sources::default())?;
    let mut text = HEAD.to_owned();
    for section in SECTIONS {
        let doc = section.doc.join("\n#");
        put(&mut text, format_args!("\n#{doc}\n[{}]", section.name));
        for Shown { key, value, .. } in defaults.of(section) {
            let doc = key.doc.join("\n#");
            put(&mut text, format_args!("\n#{doc}"));
            let secret = if key.secret { "; secret" } else { "" };
            let flag = key.flag.map(|flag| format!("; flag --{}", flag.name()));
            let flag = flag.unwrap_or_default();
            put(
                &mut text,
                format_args!("# ({}{secret}{flag})", key.expected),
            );
            let value = value.as_ref().map(|value| format!(" {value}"));
            put(
                &mut text,
                format_args!("# {} ={}", key.name(), value.unwrap_or_default()),
            );
        }
    }
    Ok(text)
}

fn put(text: &mut String, line: fmt::Arguments<'_>) {
    // Writing to a string cannot fail.
    let _ = writeln!(text, "{line}");
}
