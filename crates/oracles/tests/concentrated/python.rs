//! A program in Python that answers lines with lines.

use std::io::Write;
use std::process::{Command, Stdio};
use std::thread;

/// The answers of `python/NAME` to these lines.
pub(crate) fn answers(name: &str, lines: &[String]) -> Vec<String> {
    let script = format!("{}/python/{name}", env!("CARGO_MANIFEST_DIR"));
    let mut program = Command::new("python3")
        .arg(script)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = program.stdin.take().unwrap();
    let text = lines.join("\n") + "\n";
    let writer = thread::spawn(move || input.write_all(text.as_bytes()));
    let output = program.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout).unwrap();
    let answers: Vec<String> = text.lines().map(str::to_owned).collect();
    assert_eq!(answers.len(), lines.len());
    answers
}
