//! `cargo xtask dist`: the program for others, with what they need to run it, in an
//! archive with its checksum.
//!
//! The program is linked against the system's C library and nothing else: name
//! resolution and certificates stay those of the machine that it runs on. Which version
//! of the library it needs is told. The same commit gives the same archive.

use anyhow::{Context as _, Result, ensure};
use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

/// Libraries that every Linux with glibc has.
const SYSTEM: [&str; 5] = [
    "libc.so.6",
    "libm.so.6",
    "libgcc_s.so.1",
    "libpthread.so.0",
    "libdl.so.2",
];

/// What goes along with the program, from the repository's root.
const BESIDE: [&str; 5] = [
    "LICENSE",
    "README.md",
    "CHANGELOG.md",
    "config.example.toml",
    "deploy",
];

/// Builds the program and packs it into a folder.
pub(crate) fn dist(out: &Path) -> Result<()> {
    let root = root()?;
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let built = Command::new(&cargo)
        .args([
            "build",
            "--locked",
            "--profile",
            "dist",
            "--package",
            "stoa",
        ])
        .current_dir(&root)
        .status()?;
    ensure!(built.success(), "the program was not built");
    let target =
        std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    let packed = pack(&root, &target.join("dist/stoa"), out)?;
    println!("{}\n{}", packed.archive.display(), packed.sums.display());
    println!("needs glibc {}", packed.glibc);
    Ok(())
}

struct Packed {
    archive: PathBuf,
    sums: PathBuf,
    /// The oldest C library that will do.
    glibc: String,
}

/// Makes an archive of a program and what goes along with it.
fn pack(root: &Path, program: &Path, out: &Path) -> Result<Packed> {
    let strange = strange_libraries(&said("readelf", &["-d", text(program)?])?);
    ensure!(
        strange.is_empty(),
        "the program needs {}",
        strange.join(", ")
    );
    let glibc = newest_glibc(&said("readelf", &["-V", text(program)?])?);
    let name = format!("stoa-{}-{}", env!("CARGO_PKG_VERSION"), host()?);
    fs::create_dir_all(out).with_context(|| format!("cannot make {}", out.display()))?;
    let folder = out.join(&name);
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir(&folder)?;
    fs::copy(program, folder.join("stoa")).context("the program is not there")?;
    said("strip", &["--strip-debug", text(&folder.join("stoa"))?])?;
    for beside in BESIDE {
        let from = root.join(beside);
        said("cp", &["-r", text(&from)?, text(&folder)?])?;
    }
    let archive = out.join(format!("{name}.tar.gz"));
    let files = format!(
        "tar --sort=name --mtime=@{} --owner=0 --group=0 --numeric-owner --mode=u+rwX,go+rX,go-w \
         -C '{}' -cf - '{name}' | gzip -n9 > '{}'",
        commit_time(root)?,
        text(out)?,
        text(&archive)?
    );
    said("sh", &["-c", &files])?;
    fs::remove_dir_all(&folder)?;
    let sums = out.join("SHA256SUMS");
    let sum = format!("cd '{}' && sha256sum -- *.tar.gz", text(out)?);
    fs::write(&sums, said("sh", &["-c", &sum])?)?;
    Ok(Packed {
        archive,
        sums,
        glibc,
    })
}

fn root() -> Result<PathBuf> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    Ok(here.parent().context("the repository's root")?.to_owned())
}

/// The machine that is built on and for.
fn host() -> Result<String> {
    let told = said("rustc", &["-vV"])?;
    let host = told.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(host.context("rustc does not say its host")?.to_owned())
}

/// In seconds since 1970; 0 outside of a repository.
fn commit_time(root: &Path) -> Result<u64> {
    let told = said("git", &["-C", text(root)?, "log", "-1", "--format=%ct"]);
    Ok(told
        .ok()
        .and_then(|time| time.trim().parse().ok())
        .unwrap_or(0))
}

/// The shared libraries of a program that not every system has.
fn strange_libraries(dynamic: &str) -> Vec<String> {
    let needed = dynamic.lines().filter(|line| line.contains("(NEEDED)"));
    let names = needed.filter_map(|line| line.split(['[', ']']).nth(1));
    let strange = names.filter(|name| !SYSTEM.contains(name) && !name.starts_with("ld-linux"));
    strange.map(str::to_owned).collect()
}

/// The newest version of the C library that a program names.
fn newest_glibc(versions: &str) -> String {
    let words = versions.split_whitespace();
    let named = words.filter_map(|word| word.strip_prefix("GLIBC_"));
    let numbers = named.map(|version| {
        let parts = version
            .split('.')
            .map(|part| part.parse::<u32>().unwrap_or(0));
        parts.collect::<Vec<_>>()
    });
    let newest = numbers.max().unwrap_or_default();
    let newest = newest.iter().map(u32::to_string).collect::<Vec<_>>();
    newest.join(".")
}

fn text(path: &Path) -> Result<&str> {
    path.to_str().context("a path that is no text")
}

/// What a program prints.
fn said(program: &str, arguments: &[&str]) -> Result<String> {
    let output = Command::new(program).args(arguments).output();
    let output = output.with_context(|| format!("cannot run {program}"))?;
    let error = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{program}: {error}");
    Ok(String::from_utf8(output.stdout)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_that_not_every_system_has_are_named() {
        let dynamic = "
 0x0000000000000001 (NEEDED)  Shared library: [libgcc_s.so.1]
 0x0000000000000001 (NEEDED)  Shared library: [libssl.so.3]
 0x0000000000000001 (NEEDED)  Shared library: [ld-linux-x86-64.so.2]
 0x000000000000000c (INIT)    0x1000";
        assert_eq!(strange_libraries(dynamic), ["libssl.so.3"]);
        let versions = "Name: GLIBC_2.9  Flags: none\n Name: GLIBC_2.34 \n Name: GLIBC_2.2.5";
        assert_eq!(newest_glibc(versions), "2.34");
    }

    #[test]
    fn an_archive_fits_its_checksum_and_is_the_same_twice() {
        let folder = tempfile::tempdir().unwrap();
        let program = std::env::current_exe().unwrap();
        let packed = |name: &str| {
            let out = folder.path().join(name);
            let packed = pack(&root().unwrap(), &program, &out).unwrap();
            let check = format!("cd '{}' && sha256sum -c SHA256SUMS", out.display());
            said("sh", &["-c", &check]).unwrap();
            packed
        };
        let (one, other) = (packed("one"), packed("other"));
        assert_eq!(fs::read(one.sums).unwrap(), fs::read(other.sums).unwrap());
        let listed = said("tar", &["-tzf", text(&one.archive).unwrap()]).unwrap();
        for file in ["/stoa\n", "/LICENSE\n", "/deploy/systemd/stoa.service\n"] {
            assert!(listed.contains(file), "{listed}");
        }
        assert!(!one.glibc.is_empty());
    }
}
