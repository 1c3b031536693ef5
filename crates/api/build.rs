//! Lists the built files of the console, so that the binary has them inside.

use std::{env, error::Error, fmt::Write as _, fs, path::Path};

/// Where the build of the console puts its files; `console/` has their source.
const BUILT: &str = "src/console/dist";

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed={BUILT}");
    let root = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join(BUILT);
    let mut names = Vec::new();
    for folder in ["", "assets/"] {
        for entry in fs::read_dir(root.join(folder))? {
            let entry = entry?;
            if entry.file_type()?.is_file() {
                names.push(format!("{folder}{}", entry.file_name().display()));
            }
        }
    }
    names.sort();
    let mut list = String::from("&[");
    for name in names {
        let path = root.join(&name);
        write!(
            list,
            "({name:?}, include_bytes!(r#\"{}\"#)),",
            path.display()
        )?;
    }
    list.push(']');
    fs::write(
        Path::new(&env::var("OUT_DIR")?).join("console_files.rs"),
        list,
    )?;
    Ok(())
}
