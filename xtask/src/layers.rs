//! Which crate may know which, that no files of a crate know each other, and that each
//! is part of it.
//!
//! The table is the architecture; the check compares it with what cargo
//! resolves and names every edge that does not fit.

use crate::{circles, strays};
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
    process::Command,
};

/// How far the list of forbidden crates reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reach {
    /// Values to values: nothing forbidden and nothing [`IMPURE`], however
    /// indirectly, in tests neither.
    Pure,
    /// Nothing forbidden, however indirectly; tests are free.
    Transitive,
    /// No direct dependency; tests are free.
    Direct,
}

struct Layer {
    name: &'static str,
    reach: Reach,
    forbidden: &'static [&'static str],
}

const fn layer(name: &'static str, reach: Reach, forbidden: &'static [&'static str]) -> Layer {
    Layer {
        name,
        reach,
        forbidden,
    }
}

impl Layer {
    fn forbids(&self, name: &str) -> bool {
        self.forbidden.contains(&name) || self.reach == Reach::Pure && IMPURE.contains(&name)
    }
}

/// Waiting, I/O and logging.
const IMPURE: &[&str] = &[
    "tokio",
    "async-std",
    "mio",
    "futures-util",
    "hyper",
    "axum",
    "reqwest",
    "sqlx",
    "redis",
    "tracing",
    "log",
    "metrics",
];

/// A crate may depend only on crates that stand above it; `oracles` and `world`
/// stand below everything that people run, since they are for tests alone.
const LAYERS: &[Layer] = &[
    layer("primitives", Reach::Pure, &[]),
    layer("amm", Reach::Pure, &[]),
    layer("routing", Reach::Pure, &[]),
    layer("market", Reach::Pure, &[]),
    layer("trading", Reach::Pure, &[]),
    layer("leasing", Reach::Pure, &["trading"]),
    layer("chain", Reach::Transitive, &["sqlx", "axum"]),
    layer(
        "simnet",
        Reach::Transitive,
        // It has contracts that compute: those who are held against them stay away.
        &[
            "amm", "trading", "chain", "store", "services", "api", "sqlx",
        ],
    ),
    layer("store", Reach::Direct, &["chain", "axum"]),
    layer("services", Reach::Direct, &["axum", "sqlx", "simnet"]),
    layer("api", Reach::Direct, &["sqlx", "simnet", "store", "chain"]),
    layer("stoa", Reach::Direct, &[]),
    layer("oracles", Reach::Direct, &[]),
    layer("world", Reach::Direct, &[]),
    layer("xtask", Reach::Direct, &[]),
];

/// What cargo says of one crate of the workspace.
#[derive(Debug, Default)]
struct Member {
    /// Names of direct dependencies, `true` where only tests use them.
    direct: BTreeSet<(String, bool)>,
    /// Every way through its dependencies, its own name first; tests left out.
    ways: Vec<Vec<String>>,
    /// The files of its library and its programs.
    roots: Vec<PathBuf>,
}

pub(crate) fn check() -> Result<()> {
    let mut members = members()?;
    for layer in LAYERS {
        if let (Reach::Pure | Reach::Transitive, Some(member)) =
            (layer.reach, members.get_mut(layer.name))
        {
            member.ways = ways(&cargo(&[
                "tree",
                "--package",
                layer.name,
                "--edges",
                "normal",
                "--prefix",
                "depth",
                "--locked",
            ])?);
        }
    }
    let mut problems = problems(&members);
    for (name, member) in &members {
        for root in &member.roots {
            let circles = circles::of(root)?.into_iter();
            problems.extend(circles.map(|circle| format!("a circle in {name}: {circle}")));
        }
        let folders: BTreeSet<_> = member.roots.iter().filter_map(|it| it.parent()).collect();
        for folder in folders {
            let strays = strays::of(folder)?.into_iter();
            problems.extend(strays.map(|file| format!("no module: {}", file.display())));
        }
    }
    if problems.is_empty() {
        println!("{} crates in their layers, without circles", members.len());
        return Ok(());
    }
    bail!("not as the crates are drawn:\n  {}", problems.join("\n  "))
}

fn problems(members: &BTreeMap<String, Member>) -> Vec<String> {
    let place = |name: &str| LAYERS.iter().position(|layer| layer.name == name);
    let mut problems = Vec::new();
    for (name, member) in members {
        let Some(layer) = LAYERS.iter().find(|layer| layer.name == name) else {
            problems.push(format!("{name} has no row in the table of layers"));
            continue;
        };
        for (dependency, tests_only) in &member.direct {
            if *tests_only && layer.reach != Reach::Pure {
                continue;
            }
            if layer.forbids(dependency) {
                problems.push(format!("{name} -> {dependency} (forbidden)"));
            }
            if place(dependency).is_some_and(|other| Some(other) >= place(name)) {
                problems.push(format!("{name} -> {dependency} (stands below it)"));
            }
        }
        for way in member.ways.iter().filter(|way| way.len() > 2) {
            let last = way.last().map_or("", String::as_str);
            if layer.forbids(last) {
                problems.push(format!("{} (forbidden)", way.join(" -> ")));
            }
        }
    }
    problems
}

/// The crates of the workspace with their direct dependencies.
fn members() -> Result<BTreeMap<String, Member>> {
    let metadata = cargo(&["metadata", "--format-version", "1", "--no-deps", "--locked"])?;
    let metadata: Value = serde_json::from_str(&metadata)?;
    let mut members = BTreeMap::new();
    for package in list(&metadata, "packages")? {
        let mut member = Member::default();
        for dependency in list(package, "dependencies")? {
            let tests_only = dependency["kind"] == "dev";
            member
                .direct
                .insert((text(dependency, "name")?, tests_only));
        }
        for target in list(package, "targets")? {
            let kinds = list(target, "kind")?;
            if kinds.iter().any(|kind| kind == "lib" || kind == "bin") {
                member.roots.push(text(target, "src_path")?.into());
            }
        }
        members.insert(text(package, "name")?, member);
    }
    Ok(members)
}

/// The ways in a tree printed with depths, such as `0market v0.1.0`.
fn ways(tree: &str) -> Vec<Vec<String>> {
    let mut way: Vec<String> = Vec::new();
    let mut ways = Vec::new();
    for line in tree.lines() {
        let name = line.trim_start_matches(|c: char| c.is_ascii_digit());
        let depth = line.len() - name.len();
        let (Ok(depth), Some(name)) = (line[..depth].parse::<usize>(), name.split(' ').next())
        else {
            continue;
        };
        way.truncate(depth);
        way.push(name.to_owned());
        ways.push(way.clone());
    }
    ways
}

fn cargo(arguments: &[&str]) -> Result<String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(arguments)
        .output()
        .context("cargo")?;
    if !output.status.success() {
        bail!(
            "cargo {}: {}",
            arguments.join(" "),
            String::from_utf8_lossy(&output.stderr)
        );
    }
    Ok(String::from_utf8(output.stdout)?)
}

fn list<'a>(value: &'a Value, key: &str) -> Result<&'a Vec<Value>> {
    value[key]
        .as_array()
        .with_context(|| format!("{key} in cargo metadata"))
}

fn text(value: &Value, key: &str) -> Result<String> {
    let text = value[key].as_str().map(str::to_owned);
    text.with_context(|| format!("{key} in cargo metadata"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(name: &str, direct: &[(&str, bool)], tree: &str) -> Vec<String> {
        let direct = direct
            .iter()
            .map(|(name, tests_only)| ((*name).to_owned(), *tests_only));
        let member = Member {
            direct: direct.collect(),
            ways: ways(tree),
            roots: Vec::new(),
        };
        problems(&BTreeMap::from([(name.to_owned(), member)]))
    }

    #[test]
    fn the_layers_as_drawn_are_accepted() {
        assert!(found("market", &[("primitives", false), ("proptest", true)], "").is_empty());
        assert!(found("api", &[("services", false), ("store", true)], "").is_empty());
        assert!(found("services", &[("store", false), ("world", true)], "").is_empty());
    }

    #[test]
    fn an_edge_that_points_down_is_named() {
        assert_eq!(
            found("primitives", &[("market", false)], ""),
            ["primitives -> market (stands below it)"]
        );
        assert_eq!(
            found("stoa", &[("world", false)], ""),
            ["stoa -> world (stands below it)"]
        );
    }

    #[test]
    fn a_pure_crate_sees_no_io_however_indirectly() {
        assert_eq!(
            found(
                "market",
                &[],
                "0market v0.1.0\n1serde v1\n2core v1\n1helper v1\n2tokio v1"
            ),
            ["market -> helper -> tokio (forbidden)"]
        );
        assert_eq!(
            found("market", &[("tokio", true)], ""),
            ["market -> tokio (forbidden)"]
        );
    }

    #[test]
    fn leasing_knows_nothing_of_trading() {
        assert_eq!(
            found(
                "leasing",
                &[],
                "0leasing v0.1.0\n1helper v1\n2trading v0.1.0"
            ),
            ["leasing -> helper -> trading (forbidden)"]
        );
    }

    #[test]
    fn a_crate_above_the_store_may_not_name_the_driver() {
        assert_eq!(
            found("api", &[("sqlx", false)], ""),
            ["api -> sqlx (forbidden)"]
        );
    }

    #[test]
    fn a_crate_without_a_row_is_named() {
        assert_eq!(
            found("utils", &[], ""),
            ["utils has no row in the table of layers"]
        );
    }
}
