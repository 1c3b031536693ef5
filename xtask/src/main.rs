//! Repository checks that run with the tests, and what is given to others.

mod circles;
mod dist;
mod examples;
mod layers;
mod simulate;
mod strays;
mod told;
mod unseen;

use anyhow::{Result, bail};
use std::{env, process::ExitCode};

fn main() -> ExitCode {
    match run(&env::args().skip(1).collect::<Vec<_>>()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &[String]) -> Result<()> {
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["layers"] => layers::check(),
        ["dist"] => dist::dist("dist".as_ref()),
        ["dist", out] => dist::dist(out.as_ref()),
        ["simulate", "--seed", seed, "--steps", steps] => simulate::run(seed, steps),
        ["told"] => told::check(),
        ["unseen", seen] => unseen::check(seen.as_ref()),
        ["examples", seen] => examples::run(seen.as_ref(), false),
        ["examples", seen, "--write"] => examples::run(seen.as_ref(), true),
        _ => bail!(
            "usage:\n  \
             cargo xtask dist [DIR]   the program for others, packed, with its checksum\n  \
             cargo xtask layers       which crate may know which, circles and stray files within\n  \
             cargo xtask simulate --seed N --steps M  a seeded run of commands and faults\n  \
             cargo xtask told         figures and log events that are not explained\n  \
             cargo xtask unseen FILE  operations and slugs of the API that no test has seen\n  \
             cargo xtask examples FILE [--write]  examples that no test has seen, or others"
        ),
    }
}
