//! Damage on request, and what is said about it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use tracing_subscriber::fmt::MakeWriter;

/// Flips one bit of a file.
pub(crate) fn flip(path: &Path, at: usize, bit: usize) {
    let mut bytes = fs::read(path).unwrap();
    bytes[at] ^= 1 << (bit % 8);
    // Not in place: the file may have a second name.
    fs::remove_file(path).unwrap();
    fs::write(path, bytes).unwrap();
}

/// The files of a folder that are kept aside, by name.
pub(crate) fn kept_aside(folder: &Path) -> Vec<PathBuf> {
    let files = fs::read_dir(folder).unwrap();
    let files = files.map(|file| file.unwrap().path());
    let mut files: Vec<PathBuf> = files
        .filter(|path| path.to_str().unwrap().contains(".damaged-"))
        .collect();
    files.sort();
    files
}

/// What `act` answers with, and the lines of warnings that it makes.
pub(crate) fn warnings<T>(act: impl FnOnce() -> T) -> (T, Vec<String>) {
    let said = Said::default();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::WARN)
        .with_ansi(false)
        .with_writer(said.clone())
        .finish();
    let result = tracing::subscriber::with_default(subscriber, act);
    let text = String::from_utf8(said.0.lock().unwrap().clone()).unwrap();
    (result, text.lines().map(str::to_owned).collect())
}

#[derive(Debug, Clone, Default)]
struct Said(Arc<Mutex<Vec<u8>>>);

impl io::Write for Said {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl MakeWriter<'_> for Said {
    type Writer = Self;

    fn make_writer(&self) -> Self {
        self.clone()
    }
}
