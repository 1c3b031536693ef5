//! Commands that end by themselves.

use crate::harness::{FREE_PORTS, Home, run, stoa, text};
use std::{fs, net::TcpListener};

#[test]
fn config_check_tells_every_problem() {
    assert_eq!(text(&run(&["config", "check"]).stdout), "ok\n");
    let home = Home::new();
    let file = home.path("stoa.toml");
    fs::write(&file, "[server]\nlisten = 1\nlissten = 2\n").unwrap();
    let mut command = stoa(&["config", "check", "--config", &file.display().to_string()]);
    let output = command
        .env("STOA__LIMITS__ENABLED", "maybe")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    let stderr = text(&output.stderr);
    assert!(
        stderr.starts_with("error: the configuration has 3 problems\n"),
        "{stderr}"
    );
    for part in [
        "did you mean server.listen?",
        "stoa.toml:2",
        "environment STOA__LIMITS__ENABLED",
    ] {
        assert!(stderr.contains(part), "{stderr}");
    }
}

#[test]
fn config_print_shows_what_is_in_force_and_no_secret() {
    let mut command = stoa(&["config", "print", "--dialect", "avnu"]);
    let output = command
        .env("STOA__STORE__LOCATION", "postgres://stoa:hunter2@db/stoa")
        .output()
        .unwrap();
    assert!(output.status.success());
    let stdout = text(&output.stdout);
    assert!(
        stdout.contains("dialect = \"avnu\" # flag --dialect"),
        "{stdout}"
    );
    assert!(
        stdout.contains("# environment STOA__STORE__LOCATION"),
        "{stdout}"
    );
    assert!(!stdout.contains("hunter2"), "{stdout}");
}

#[test]
fn migrate_does_its_work_once() {
    let home = Home::new();
    let data = home.data().display().to_string();
    let first = run(&["migrate", "--data", &data]);
    assert!(first.status.success(), "{}", text(&first.stderr));
    assert!(text(&first.stdout).contains("from version 0"));
    let second = run(&["migrate", "--data", &data]);
    assert!(
        text(&second.stdout)
            .lines()
            .all(|line| line.ends_with("nothing to do"))
    );
}

#[test]
fn openapi_writes_the_documents_that_it_prints() {
    let home = Home::new();
    let folder = home.path("openapi");
    let output = run(&["openapi", "--out", &folder.display().to_string()]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let printed: serde_json::Value = serde_json::from_slice(&run(&["openapi"]).stdout).unwrap();
    for (name, document) in printed.as_object().unwrap() {
        let written = fs::read_to_string(folder.join(name)).unwrap();
        let written: serde_json::Value = serde_json::from_str(&written).unwrap();
        assert_eq!(&written, document, "{name}");
    }
}

#[test]
fn doctor_finds_nothing_wrong_with_a_fresh_folder_and_leaves_it_so() {
    let home = Home::new();
    let data = home.data().display().to_string();
    let output = run(&[&["doctor", "--data", &data], &FREE_PORTS[..]].concat());
    let stdout = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{stdout}");
    for subject in ["folder", "store", "node", "clock", "port"] {
        assert!(stdout.contains(subject), "{stdout}");
    }
    assert!(!home.data().exists());
}

#[test]
fn doctor_names_each_failure_and_the_way_out() {
    let home = Home::new();
    fs::write(home.data(), "not a folder").unwrap();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let dead = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let output = run(&[
        "doctor",
        "--data",
        &home.data().display().to_string(),
        "--listen",
        &taken.local_addr().unwrap().to_string(),
        "--starknet-rpc",
        &format!("http://{dead}/hunter2"),
    ]);
    let stdout = text(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{stdout}");
    for failure in ["FAIL  folder", "FAIL  store", "FAIL  node", "FAIL  port"] {
        assert!(stdout.contains(failure), "{stdout}");
    }
    for advice in ["--data", "--starknet-rpc", "--listen"] {
        assert!(stdout.contains(advice), "{stdout}");
    }
    assert!(!stdout.contains("hunter2"), "{stdout}");
}

#[test]
fn help_explains_every_command() {
    for arguments in [
        &["--help"][..],
        &["serve", "--help"],
        &["migrate", "--help"],
        &["openapi", "--help"],
        &["config", "--help"],
        &["doctor", "--help"],
        &["key", "--help"],
    ] {
        let output = run(arguments);
        assert!(output.status.success(), "{arguments:?}");
        assert!(text(&output.stdout).contains("Examples:"), "{arguments:?}");
    }
}
