//! The files of a crate: what each defines, and what it names.

use super::graph::Arrows;
use anyhow::{Context, Result};
use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};
use syn::{Attribute, Item, ItemUse, UseTree};

/// Names between `::`, from the root of the crate.
type Segments = Vec<String>;

/// Re-exports of re-exports that are followed.
const MAX_HOPS: usize = 16;

/// Every module of a crate by its path. Modules written inside a file are there
/// too, with the name of their file.
#[derive(Debug, Default)]
pub(super) struct Names {
    modules: BTreeMap<Segments, Module>,
}

#[derive(Debug, Default)]
struct Module {
    file: String,
    defined: BTreeSet<String>,
    /// What names are bound to by `use`.
    bound: BTreeMap<String, Segments>,
    /// Modules of which everything is bound.
    globs: Vec<Segments>,
    /// All that is named, other than by a re-export.
    named: BTreeSet<Segments>,
}

impl Names {
    /// Reads a crate from the file of its root.
    pub(super) fn read(root: &Path) -> Result<Self> {
        let mut names = Self::default();
        let base = root.parent().context("a folder")?;
        names.file(base, root, base, &[])?;
        Ok(names)
    }

    /// Reads a file; modules of files below it are in `folder`.
    fn file(&mut self, base: &Path, path: &Path, folder: &Path, at: &[String]) -> Result<()> {
        let text = fs::read_to_string(path).with_context(|| path.display().to_string())?;
        let parsed = syn::parse_file(&text).with_context(|| path.display().to_string())?;
        let name = path.strip_prefix(base).unwrap_or(path);
        let place = Place {
            base,
            folder,
            file: name.display().to_string(),
        };
        self.items(&place, at, &parsed.items)
    }

    fn items(&mut self, place: &Place<'_>, at: &[String], items: &[Item]) -> Result<()> {
        let mut module = Module {
            file: place.file.clone(),
            ..Module::default()
        };
        for item in items.iter().filter(|item| !is_test(item)) {
            match item {
                Item::Mod(inner) => {
                    let name = inner.ident.to_string();
                    let below = [at, std::slice::from_ref(&name)].concat();
                    let folder = place.folder.join(&name);
                    if let Some((_, items)) = &inner.content {
                        let place = Place {
                            folder: &folder,
                            file: place.file.clone(),
                            ..*place
                        };
                        self.items(&place, &below, items)?;
                    } else {
                        let path = place.file_of(&name);
                        self.file(place.base, &path, &folder, &below)?;
                    }
                }
                Item::Use(import) => module.bind(at, import),
                item => module.define(at, item),
            }
        }
        self.modules.insert(at.to_vec(), module);
        Ok(())
    }

    /// Who names whose items.
    pub(super) fn arrows(&self) -> Arrows {
        let mut arrows = Arrows::new();
        for (at, module) in &self.modules {
            for path in &module.named {
                if let Some((file, name)) = self.definition(at, path, MAX_HOPS) {
                    let arrow = (module.file.clone(), file.to_owned());
                    arrows.entry(arrow).or_default().insert(name);
                }
            }
        }
        arrows
    }

    /// The file that defines what is named at a place, and the name there; `None`
    /// if that is not of this crate.
    fn definition(&self, at: &[String], path: &[String], hops: usize) -> Option<(&str, String)> {
        let hops = hops.checked_sub(1)?;
        let (first, rest) = path.split_first()?;
        let (mut here, mut rest) = match first.as_str() {
            "crate" => (Vec::new(), rest),
            _ => (at.to_vec(), path),
        };
        while let Some((name, after)) = rest.split_first() {
            let module = self.modules.get(&here)?;
            let below = [&here[..], std::slice::from_ref(name)].concat();
            if name == "super" {
                here.pop()?;
            } else if name == "self" {
                // It is here already.
            } else if self.modules.contains_key(&below) {
                here = below;
            } else if module.defined.contains(name) {
                return Some((&module.file, name.clone()));
            } else if let Some(bound) = module.bound.get(name).filter(|bound| bound != &path) {
                let path = [&bound[..], after].concat();
                return self.definition(&here, &path, hops);
            } else {
                let mut globs = module.globs.iter();
                return globs
                    .find_map(|glob| self.definition(&here, &[&glob[..], rest].concat(), hops));
            }
            rest = after;
        }
        // A module itself: whoever binds it names its items one by one.
        None
    }
}

/// Where modules of a file are.
struct Place<'a> {
    base: &'a Path,
    folder: &'a Path,
    file: String,
}

impl Place<'_> {
    fn file_of(&self, module: &str) -> PathBuf {
        let path = self.folder.join(format!("{module}.rs"));
        if path.exists() {
            path
        } else {
            self.folder.join(module).join("mod.rs")
        }
    }
}

impl Module {
    fn bind(&mut self, at: &[String], import: &ItemUse) {
        // `::name` is another crate.
        if import.leading_colon.is_some() {
            return;
        }
        let is_reexport = !matches!(import.vis, syn::Visibility::Inherited);
        let mut bindings = Vec::new();
        leaves(&import.tree, &mut Vec::new(), &mut bindings);
        for (path, name) in bindings {
            let path = absolute(at, path);
            if !is_reexport {
                self.named.insert(path.clone());
            }
            match name {
                Some(name) => drop(self.bound.insert(name, path)),
                None => self.globs.push(path),
            }
        }
    }

    fn define(&mut self, at: &[String], item: &Item) {
        let name = match item {
            Item::Const(item) => Some(&item.ident),
            Item::Enum(item) => Some(&item.ident),
            Item::Fn(item) => Some(&item.sig.ident),
            Item::Macro(item) => item.ident.as_ref(),
            Item::Static(item) => Some(&item.ident),
            Item::Struct(item) => Some(&item.ident),
            Item::Trait(item) => Some(&item.ident),
            Item::Type(item) => Some(&item.ident),
            Item::Union(item) => Some(&item.ident),
            _ => None,
        };
        self.defined.extend(name.map(ToString::to_string));
        let mut paths = Vec::new();
        paths_in(item.to_token_stream(), &mut paths);
        let paths = paths.into_iter().map(|path| absolute(at, path));
        self.named.extend(paths);
    }
}

/// A path that begins at the root of the crate, unless it begins with a name.
fn absolute(at: &[String], path: Segments) -> Segments {
    match path.first().map(String::as_str) {
        Some("super" | "self") => [&["crate".to_owned()], at, &path].concat(),
        _ => path,
    }
}

/// The paths that a `use` binds, with the names that they get; everything of a
/// module gets none.
fn leaves(tree: &UseTree, before: &mut Segments, found: &mut Vec<(Segments, Option<String>)>) {
    let with = |name: &str| [&before[..], &[name.to_owned()]].concat();
    match tree {
        UseTree::Path(path) => {
            before.push(path.ident.to_string());
            leaves(&path.tree, before, found);
            before.pop();
        }
        UseTree::Name(name) if name.ident == "self" => {
            found.push((before.clone(), before.last().cloned()));
        }
        UseTree::Name(name) => {
            let name = name.ident.to_string();
            found.push((with(&name), Some(name)));
        }
        UseTree::Rename(renamed) => {
            let name = renamed.ident.to_string();
            found.push((with(&name), Some(renamed.rename.to_string())));
        }
        UseTree::Glob(_) => found.push((before.clone(), None)),
        UseTree::Group(group) => {
            for tree in &group.items {
                leaves(tree, before, found);
            }
        }
    }
}

/// Paths of more than one name, in the arguments of macros too.
fn paths_in(tokens: TokenStream, found: &mut Vec<Segments>) {
    let mut path = Segments::new();
    let mut colons = 0;
    for token in tokens {
        match token {
            TokenTree::Punct(punct) if punct.as_char() == ':' => {
                colons += 1;
                continue;
            }
            TokenTree::Ident(name) => {
                if colons != 2 {
                    keep(&mut path, found);
                }
                path.push(name.to_string());
            }
            TokenTree::Group(group) => {
                keep(&mut path, found);
                paths_in(group.stream(), found);
            }
            _ => keep(&mut path, found),
        }
        colons = 0;
    }
    keep(&mut path, found);
}

fn keep(path: &mut Segments, found: &mut Vec<Segments>) {
    let path = std::mem::take(path);
    if path.len() > 1 {
        found.push(path);
    }
}

/// Whether an item is there for tests alone.
fn is_test(item: &Item) -> bool {
    let attributes: &[Attribute] = match item {
        Item::Const(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    };
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg")
            && attribute
                .meta
                .to_token_stream()
                .to_string()
                .contains("test")
    })
}
