//! The command line told to shells and to `man`, made from itself.

use crate::{cli::Cli, console::say};
use anyhow::Context as _;
use clap::CommandFactory as _;
use clap_complete::Shell;
use clap_mangen::Man;
use std::{fs, path::Path};

const NAME: &str = "stoa";

/// Prints the completions of a shell.
pub(super) fn completions(shell: Shell) -> anyhow::Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), NAME, &mut script);
    say(String::from_utf8(script)?.trim_end());
    Ok(())
}

/// Prints the page of the program, or writes it and one for every command.
pub(super) fn pages(out: Option<&Path>) -> anyhow::Result<()> {
    let Some(folder) = out else {
        let mut page = Vec::new();
        Man::new(Cli::command()).render(&mut page)?;
        say(String::from_utf8(page)?.trim_end());
        return Ok(());
    };
    let context = || format!("cannot write into {}", folder.display());
    fs::create_dir_all(folder).with_context(context)?;
    clap_mangen::generate_to(Cli::command(), folder).with_context(context)?;
    say(folder.display());
    Ok(())
}
